"""The page of what may happen to an item: the situations, the table, and what differs for other kinds than orders."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from paywright_receiver.items.item_operations import RECORD_ROWS, ROWS, SITUATIONS, Cells
from paywright_receiver.items.state_order import MEANS

__all__ = ["ALL_ROWS", "OF_KINDS", "OPERATIONS", "OfKinds", "situations"]

_NOT_PERMITTED: Final = "unregistered unknown doubt place_again wait noted decide untold settled closed"
_CALLED: Final[tuple[Cells, ...]] = (
    Cells("the call with it places it", "permitted", "placed", "wait"),
    Cells("the call with it places nothing", "permitted", "nothing", "unknown"),
    Cells("the call with it has no known end", "permitted", "unknown", "unknown"),
    Cells("the call with it finds it there", "permitted", "claimed", "wait"),
    Cells("the call with it comes too late", "permitted", "raises", "=", "expired"),
)
_LED_TO: Final[tuple[Cells, ...]] = (
    *(row for one in _CALLED for row in (one, Cells(one.operation, _NOT_PERMITTED, "raises", "=", "void"))),
    Cells("a result", "unregistered", "handled", "="),
    Cells("a result", "unknown doubt place_again permitted wait noted decide untold closed", "handled", "settled"),
    Cells("a result", "settled", "duplicate", "="),
    Cells("the same result", "unregistered settled", "duplicate", "="),
    Cells("the same result", "unknown doubt place_again permitted wait noted decide untold", "duplicate", "settled"),
    Cells("the same result", "closed", "duplicate", "noted"),
    Cells("an older result", "unregistered", "stale", "="),
    Cells("an older result", "unknown doubt place_again permitted wait noted decide untold", "stale", "settled"),
    Cells("an older result", "closed", "stale", "noted"),
    Cells("an older result", "settled", "duplicate", "="),
    Cells("a result that contradicts", "unregistered", "handled", "="),
    Cells("a result that contradicts", "unknown doubt place_again permitted wait decide closed", "handled", "settled"),
    Cells("a result that contradicts", "noted untold settled", "conflict", "="),
    Cells("a result of another amount", "unregistered", "handled", "="),
    Cells("a result of another amount", "unknown doubt place_again permitted wait decide untold closed", "noted", "noted"),
    Cells("a result of another amount", "noted", "noted", "="),
    Cells("a result of another amount", "settled", "conflict", "="),
    Cells("a result whose handler fails", "unregistered unknown doubt place_again permitted wait noted decide untold", "failed", "="),
    Cells("a result whose handler fails", "closed", "failed", "noted"),
    Cells("a result whose handler fails", "settled", "duplicate", "="),
    Cells("a state without an amount", "unregistered", "unreadable", "="),
    Cells("a state without an amount", "unknown doubt place_again permitted wait decide untold settled closed", "noted", "noted"),
    Cells("a state without an amount", "noted", "noted", "="),
    Cells("the same state without an amount", "unregistered", "unreadable", "="),
    Cells("the same state without an amount", "unknown doubt place_again permitted wait decide untold closed", "noted", "noted"),
    Cells("the same state without an amount", "noted", "noted", "="),
    Cells("the same state without an amount", "settled", "duplicate", "="),
    Cells("the answer shows it open", "unregistered settled", "not asked", "="),
    Cells("the answer shows it open", "unknown doubt place_again permitted", "stored", "wait"),
    Cells("the answer shows it open", "wait decide untold closed", "stored", "="),
    Cells("the answer shows it open", "noted", "stored", "decide"),
    Cells("the answer shows it paid", "unregistered settled", "not asked", "="),
    Cells("the answer shows it paid", "unknown doubt place_again permitted wait noted decide untold", "handled", "settled"),
    Cells("the answer shows it paid", "closed", "stored", "decide"),
    Cells("the answer shows it unpaid", "unregistered settled", "not asked", "="),
    Cells("the answer shows it unpaid", "unknown doubt place_again permitted wait decide", "handled", "settled"),
    Cells("the answer shows it unpaid", "noted untold", "stored", "decide"),
    Cells("the answer shows it unpaid", "closed", "stored", "="),
    Cells("the answer does not show it", "unregistered settled", "not asked", "="),
    Cells("the answer does not show it", "unknown doubt place_again permitted wait decide untold closed", "stored", "="),
    Cells("the answer does not show it", "noted", "stored", "decide"),
    Cells("there is no answer", "unregistered settled", "not asked", "="),
    Cells("there is no answer", "unknown doubt place_again permitted wait noted decide untold closed", "stored", "="),
    Cells("discard", "settled", "nothing", "="),
    Cells("discard", "closed", "True", "noted"),
    Cells("discard", "unregistered unknown doubt place_again permitted wait noted decide untold", "True", "="),
    Cells("replay", "settled", "nothing", "="),
    Cells("replay", "unregistered", "handled", "="),
    Cells("replay", "unknown doubt place_again permitted wait noted decide untold closed", "handled", "settled"),
    Cells("discard a conflict", "unregistered settled closed", "True", "="),
    Cells("discard a conflict", "unknown doubt place_again permitted wait noted decide untold", "True", "settled"),
    Cells("accept", "unregistered unknown doubt place_again permitted wait noted decide untold settled closed", "done", "="),
    Cells("prune", "unregistered unknown doubt place_again permitted wait noted decide untold settled closed", "done", "="),
)  # fmt: skip
"""The rows that decide nothing: they say what `delivery_verdict` and `follow_state` lead to.

In those of notifications, and of `move`, the gateway has what the call before made of it, and what is notified: SUCCESS first. How a
call with the permission ended is what the next run reads. `discard a conflict` comes after a result that was handled, `discard` and
`replay` after one whose handler failed.
"""
ALL_ROWS: Final = (*ROWS, *_LED_TO)
OPERATIONS: Final = tuple(dict.fromkeys(row.operation for row in ALL_ROWS))
"""What may happen to an item, in the order of the table."""


class OfKinds(NamedTuple):
    """Of which kinds of items nothing is ever in some situations, and their cells that differ."""

    kinds: str
    never: str
    cells: tuple[Cells, ...]


OF_KINDS: Final[tuple[OfKinds, ...]] = (
    OfKinds("refunds exchanges", "place_again permitted", (Cells("permission", "unknown", "raises", "=", "not_placeable"),)),
    OfKinds(
        "withdrawals payment_links subscriptions", "unknown doubt place_again permitted",
        (
            Cells("open", "unregistered closed", "True", "wait"),
            Cells("permission", "wait", "raises", "=", "not_placeable"),
        ),
    ),
    OfKinds("exchanges payment_links", "noted", (Cells("a result", "unregistered wait decide untold closed", "no_kind", "="),)),
    OfKinds(
        "subscriptions", "noted decide untold settled",
        (
            Cells("hint", "wait closed", "False", "="),
            Cells("hint settled", "wait closed", "False", "="),
            Cells("a result", "wait", "handled", "="),
            Cells("a result", "closed", "handled", "wait"),
            Cells("the answer shows it paid", "wait closed", "not asked", "="),
            Cells("move", "wait closed", "raises", "=", "not_shown"),
            Cells("move to where it is not", "wait closed", "raises", "=", "not_shown"),
        ),
    ),
)  # fmt: skip
"""Differences from the table, which is that of an order."""

_NOTICE: Final = {"yes": "is answered", "behind": "is not: a person decides"}


def situations() -> str:
    """Return the situations and the table as `docs/items.md` shows them."""
    lines = ["| situation | what it means |", "|---|---|"]
    lines += [f"| **{name}** | {words} |" for name, words in SITUATIONS.items()]
    lines += ["", "| operation | in | answers | then |", "|---|---|---|---|", *_lines(ALL_ROWS)]
    lines += ["", "| of | never in | but there | in | answers | then |", "|---|---|---|---|---|---|"]
    for of in OF_KINDS:
        first = f"| {', '.join(of.kinds.split())} | {', '.join(of.never.split())} "
        lines += [f"{first if not number else '|  |  '}{line}" for number, line in enumerate(_lines(of.cells))]
    lines += [
        "",
        "| of a record of a notification | whose status is | answers | then |",
        "|---|---|---|---|",
        *_lines(RECORD_ROWS),
    ]
    lines += [
        "",
        "| what is signed, next to what is known | a notification | an answer | a notice that waits for it |",
        "|---|---|---|---|",
    ]
    lines += [
        f"| {place} | {one.notification} | {one.answer} | {_NOTICE[one.notice]} |" for place, one in MEANS.items()
    ]
    return "\n".join(lines) + "\n"


def _lines(rows: Iterable[Cells]) -> Iterator[str]:
    before: str | None = None
    for row in rows:
        name = "" if row.operation == before else f"**{row.operation}**"
        answer = f"{row.answer}: {row.sentence}" if row.sentence else row.answer
        where = ", ".join(row.situations.split())
        yield f"| {name} | {where} | {answer} | {'as before' if row.then == '=' else row.then} |"
        before = row.operation
