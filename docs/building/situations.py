"""The page of what may happen to an item: the situations, the table, and what differs for other kinds than orders."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from paywright_receiver.items.item_operations import RECORD_ROWS, ROWS, SITUATIONS, Cells, Operation
from paywright_receiver.items.state_order import MEANS

__all__ = ["OF_KINDS", "OfKinds", "situations"]


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
    lines += ["", "| operation | in | answers | then |", "|---|---|---|---|", *_lines(ROWS)]
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
    before: Operation | None = None
    for row in rows:
        name = "" if row.operation == before else f"**{row.operation}**"
        answer = f"{row.answer}: {row.sentence}" if row.sentence else row.answer
        where = ", ".join(row.situations.split())
        yield f"| {name} | {where} | {answer} | {'as before' if row.then == '=' else row.then} |"
        before = row.operation
