"""The client's table: every write, however it ends, first or repeated, and what its query then shows.

Plain data with a reason for each answer. `cells()` makes the cells from it and from the contract; `test_outcome_table.py` visits
each with both clients against a model gateway, and `docs/outcomes.md` shows the tables that `endings_table`, `reasons_table` and
`shows_table` print.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, Literal, NamedTuple

from paywright import contract
from paywright_runtime.contract.operation import Operation
from paywright_runtime.error_text import ADVICE

__all__ = [
    "TURNS", "WRITES", "Cell", "Ending", "Kind", "Show", "cells", "endings_of", "endings_table", "kind_of",
    "reasons_table", "shows_table", "turns_legend",
]  # fmt: skip

Kind = Literal["order", "asked", "cancel", "no query"]
Truth = Literal["there", "not there", "hidden"]

WRITES: Final = tuple(
    name for name in contract.operations() if contract.operation(name).write and not contract.operation(name).inbound
)


class Ending(NamedTuple):
    """One way a call ends. `how` is what the model gateway does, `said` the class that is raised ("" for a result).

    `left` is whether the call may have taken effect, `claimed` whether the gateway has said that it has the key.
    """

    how: str
    said: str
    reason: str
    left: bool
    claimed: bool
    money: str
    advice: str
    why: str


class Show(NamedTuple):
    """What the query says turn by turn, in truth or not, and the states that each kind of write goes through.

    `turns` are the words of `TURNS`, and `day`. `claimed` are the states where the gateway has said that it has the key; None where
    they are the same. `placing` is how each call with the permission ends: "" as a gateway ends it that plays no tricks, `nobody` where
    nobody makes one.
    """

    turns: tuple[str, ...]
    truth: Truth
    states: dict[Kind, tuple[str, ...]]
    claimed: dict[Kind, tuple[str, ...]] | None
    why: str
    placing: str = ""


class Cell(NamedTuple):
    """One cell: the call, and what follows. `states` is empty where there is nothing to resolve."""

    write: str
    ending: Ending
    repeated: bool
    show: Show | None
    states: tuple[str, ...]


TURNS: Final = {
    "shown": "the key, as it was asked for", "absent": 'a verified "not there"', "other": "the key with other content",
    "keyless": "a verified success without the key",
    "another": "the answer to another key",
    "refused": "a verified code that says neither",
    "throttled": "`TOO_MANY_REQUEST`",
    "unreadable": "a verified success that cannot be read",
    "forged": "a signature that does not verify", "nothing": "no answer", "unsent": "no connection",
    "pending": "a status that is not final",
    "final": "another final status than the one asked for",
    "unlisted": "a status that the contract does not list",
}  # fmt: skip
"""What a query may bring."""
VAGUE: Final = ("keyless", "another", "refused", "throttled", "forged", "nothing", "unsent")
"""Turns that say nothing about the key."""
_RESOLVE = "resolve it"
_MAYBE = "yes"
_NOTHING = "not by this call"
_EARLIER = "resolve an earlier call with this key, if one is unknown; else"

_SENT_UNKNOWN = {
    "http 500": ("http_status", "a gateway that answers 500 may have carried it out"),
    "redirect": ("redirect", "a redirect does not say what was done, and is not followed"),
    "unsigned": ("unsigned", "anybody could have sent it"),
    "signed twice": ("several_signatures", "it is unclear which signature counts"),
    "bad signature": ("bad_signature", "anybody could have sent it"),
    "not JSON": ("not_json", "the gateway signed something unreadable"),
    "no code": ("no_code", "it reports neither success nor refusal"),
    "another key": ("wrong_echo", "it answers another call"),
    "unlisted code": ("unproven_code", "only listed refusals prove that nothing happened"),
    "foreign code": ("foreign_code", "the code belongs to other operations: it answers another call"),
    "lost while waiting": ("connection_lost", "the whole request may have arrived"),
    "lost while reading": ("connection_lost", "the whole request may have arrived"),
    "late": ("timeout", "it may arrive after the client gave up"),
}  # fmt: skip


def endings_of(operation: Operation) -> Iterator[Ending]:
    """All endings of a write."""
    yield Ending("yes", "", "answered", True, False, "yes: it was accepted", "continue with its status", "verified")
    for code in sorted(operation.refusal_codes):
        advice = f"{_EARLIER} <!-- advice refused -->{ADVICE['refused']}<!-- end -->"
        why = "this request was not carried out; one before it may have been"
        yield Ending(f"code {code}", "GatewayError", code, False, False, _NOTHING, advice, why)
    for code in sorted(operation.duplicate_codes):
        why = "an earlier call placed something under this key"
        yield Ending(f"code {code}", "AlreadyPlaced", "already_placed", True, True, _MAYBE, _RESOLVE, why)
    yield Ending(
        "unreadable",
        "UnreadableWrite",
        "unreadable",
        True,
        True,
        _MAYBE,
        _RESOLVE,
        "a verified success with a part missing",
    )
    if any(_own(operation, shown.answered) for shown in operation.shows):
        why = "the key shows another amount, currency or side: an earlier call under it took effect"
        yield Ending("other content", "AlreadyPlaced", "other_content", True, True, _MAYBE, _RESOLVE, why)
    for how, (reason, why) in _SENT_UNKNOWN.items():
        yield Ending(how, "OutcomeUnknown", reason, True, False, _MAYBE, _RESOLVE, why)
    yield Ending(
        "interrupt",
        "interrupt",
        "cancelled",
        True,
        False,
        _MAYBE,
        _RESOLVE,
        "it may have been sent when the program was stopped",
    )
    for how, phase in (("not connected", "connecting"), ("lost while sending the head", "sending")):
        advice = f"{_EARLIER} <!-- advice not_sent -->{ADVICE['not_sent']}<!-- end -->"
        why = f"no byte of the body was sent ({phase})"
        yield Ending(how, "NotSent", "connection_failed", False, False, _NOTHING, advice, why)


def _own(operation: Operation, path: str) -> bool:
    return path.split(".")[0] in contract.struct(operation.result or "").by_wire


def kind_of(operation: Operation) -> Kind:
    """How an unknown outcome of it goes on."""
    resolution = operation.resolution
    assert resolution is not None
    if resolution.operation is None:
        return "no query"
    if resolution.placed_again_after is not None:
        return "order"
    return "cancel" if resolution.done is not None else "asked"


_NO_QUERY: dict[Kind, tuple[str, ...]] = {"no query": ("no_query",)}


def _all(*states: str, **others: tuple[str, ...]) -> dict[Kind, tuple[str, ...]]:
    named: dict[Kind, tuple[str, ...]] = {"order": states, "asked": states, "cancel": states}
    return named | others  # type: ignore[operator]  # the names of the keywords are kinds


_DAY = "a day of queries that proved nothing"
SHOWS: Final = (
    Show(("shown",), "there", _all("settled"), None, "the query shows the key, as it was asked for"),
    Show(
        ("absent", "shown"), "there", _all("wait", "settled"), None, "one absence proves nothing: the request was on its way"
    ),
    Show(
        ("absent", "absent", "shown"), "not there",
        {"order": ("wait", "place_again", "settled"), "asked": ("wait", "wait"), "cancel": ("wait", "wait")},
        None,
        "the rule of 4.3 is for orders; of anything else absence proves nothing",
    ),
    Show(
        ("absent", "absent", "shown"), "hidden",
        {"order": ("wait", "place_again", "query", "settled"), "asked": ("wait", "wait", "settled"), "cancel": ("wait", "wait", "settled")},
        {"order": ("wait", "decide", "settled"), "asked": ("wait", "decide", "settled"), "cancel": ("wait", "decide", "settled")},
        "the gateway refuses the repeated key, which confirms it; later absences contradict that and give no permission",
    ),
    Show(("other",), "there", _all("decide"), None, "an earlier call has the key; whether this one took effect is unknown"),
    Show(
        ("unreadable", "shown"), "there", _all("wait", "settled"), None, "what is needed cannot be read, so nothing is believed",
    ),
    Show(
        ("absent", "unreadable", "absent", "absent"), "hidden", _all("wait", "wait", "wait", "decide"),
        None, "a verified success with the key contradicts every absence",
    ),
    Show(
        ("final",), "there", {"cancel": ("decide",)}, None, "a final state other than cancelled: the cancel had no effect"
    ),
    Show(
        ("pending", "absent", "absent"), "there", {"cancel": ("wait", "wait", "decide")}, None,
        "shown and absent contradict each other",
    ),
    Show(
        ("absent", "day", "absent", "absent"), "not there", {"asked": ("wait", "wait", "decide"), "cancel": ("wait", "wait", "decide")},
        None, "absent for a day, three times: ask the gateway's support",
    ),
    Show(
        ("unlisted", "day", "unlisted", "unlisted"), "there", {"cancel": ("wait", "wait", "decide")}, None,
        "a state that the contract does not list settles nothing",
    ),
    *(Show((turn, "shown"), "there", _all("wait", "settled"), None, "it says nothing about the key") for turn in VAGUE),
    *(
        Show((turn, turn, "day", turn, "shown"), "there", _all("wait", "wait", "decide", "settled"), None, _DAY)
        for turn in (*VAGUE, "unreadable")
    ),
    Show(
        ("nothing", "nothing", "day", "nothing", "absent", "absent"), "not there",
        {"order": ("wait", "wait", "decide", "wait", "place_again"), "asked": ("wait", "wait", "decide", "wait", "wait"), "cancel": ("wait", "wait", "decide", "wait", "wait")},
        None, "the gateway was away for a day; the rule starts at its first answer",
    ),
    Show(
        ("absent", "absent", "absent", "day", "absent", "shown"), "hidden",
        {"order": ("wait", "place_again", "place_again", "decide", "settled")},
        {"order": ("wait", "decide", "decide", "decide", "settled")},
        "nobody used the permission for a day", "nobody",
    ),
    Show(
        ("absent", "absent", "absent", "absent", "day", "absent", "absent"), "not there",
        {"order": ("wait", "place_again", "query", "wait", "place_again", "query", "decide", "decide")}, None,
        "a day of lost calls: find out why", "lost while waiting",
    ),
    Show(
        ("absent", "absent", "absent", "day", "absent", "absent"), "not there",
        {"order": ("wait", "place_again", "wait", "decide", "decide")}, None,
        "a day of calls that were not sent: find out why", "not connected",
    ),
    Show((), "there", _NO_QUERY, None, "nothing can be asked"),
    Show((), "not there", _NO_QUERY, None, "nothing can be asked"),
)  # fmt: skip


def cells() -> Iterator[Cell]:
    """All of them."""
    for write in WRITES:
        operation = contract.operation(write)
        for ending in endings_of(operation):
            for repeated in (False, True):
                yield from _cells_of(operation, ending, repeated)


def can_show(operation: Operation, show: Show) -> bool:
    """Whether the write's query can answer so: one with nothing that is needed beside the key is always read."""
    if "unreadable" not in show.turns or operation.resolution is None or operation.resolution.operation is None:
        return True
    fields = contract.struct(contract.operation(operation.resolution.operation).result or "").fields
    return any(field.needed and field.wire != operation.resolution.by for field in fields)


def _cells_of(operation: Operation, ending: Ending, repeated: bool) -> Iterator[Cell]:
    name, kind = operation.name, kind_of(operation)
    if ending.said == "" or (not ending.left and not repeated):
        yield Cell(name, ending, repeated, None, ())  # nothing is unknown
        return
    for show in SHOWS:
        states = show.states.get(kind)
        if ending.claimed and show.claimed is not None:
            states = show.claimed.get(kind)
        if states is None or ("other" in show.turns and not operation.shows) or not can_show(operation, show):
            continue
        if ending.claimed and show.truth == "not there" and kind != "no query":
            continue  # what the gateway says it has is there
        if ending.how in ("code ORDER_REPEAT", "other content") and not repeated:
            continue  # there was an earlier call
        if ending.claimed and show.truth == "not there":
            continue
        yield Cell(name, ending, repeated, show, states)


_RAISED: Final = {"": "a result", "interrupt": "an interrupt with a note, such as Ctrl-C"}


def endings_table() -> str:
    """The first table of docs/outcomes.md, of writes: what each result or error says of money, and what to do."""
    grouped: dict[tuple[str, str], dict[str, None]] = {}
    for write in WRITES:
        for one in endings_of(contract.operation(write)):
            grouped.setdefault((one.money, one.advice), {})[_RAISED.get(one.said, f"`{one.said}`")] = None
    return _table(
        "| you get | may money have moved? | do |",
        (
            (", ".join(sorted(raised, key=lambda one: ("Outcome" not in one, one))), *rest)
            for rest, raised in grouped.items()
        ),
    )


def reasons_table() -> str:
    """The second: the reasons of an unknown outcome, and why none of them tells what happened."""
    endings = [ending for write in WRITES for ending in endings_of(contract.operation(write))]
    grouped: dict[str, dict[str, None]] = {}
    for one in endings:
        if one.left and one.said:
            grouped.setdefault(one.why, {})[f"`{one.reason}`"] = None
    return _table(
        "| `error.reason` | why it is unknown |", ((", ".join(reasons), why) for why, reasons in grouped.items())
    )


def _table(head: str, rows: Iterable[tuple[str, ...]]) -> str:
    return "\n".join(
        (head, "|---" * (head.count("|") - 1) + "|", *dict.fromkeys(f"| {' | '.join(row)} |" for row in rows))
    )


_PLACING = {
    "nobody": "; nobody places it again",
    "lost while waiting": "; each call with the permission is lost",
    "not connected": "; no call with the permission is sent",
}


def turns_legend() -> str:
    """The words of the third table."""
    listed = [f"`{turn}`: {what}" for turn, what in TURNS.items()]
    return "; ".join([*listed, f"`vague`: any of {', '.join(VAGUE)}, the same each time"])


def shows_table() -> str:
    """The third: what the resolver says to what the query shows, turn by turn."""
    kinds: tuple[Kind, ...] = ("order", "asked", "cancel")
    grouped: dict[tuple[str, ...], list[str]] = {}
    for show in SHOWS:
        if show.turns:
            hidden = " (though it is there)" if show.truth == "hidden" else ""
            after = hidden + _PLACING.get(show.placing, "")
            states = [", ".join(show.states.get(kind, ())) or "-" for kind in kinds]
            word = show.turns[0] if show.turns[0] in VAGUE else ""
            turns = ", ".join("vague" if word and turn == word else turn for turn in show.turns)
            grouped.setdefault((turns, after, *states), []).append(word)
            if show.claimed is not None:
                states = [", ".join(show.claimed.get(kind, ())) or "-" for kind in kinds]
                grouped["the same, of a confirmed key", "", *states] = [""]
    return _table(
        "| the query shows, turn by turn | order | refund, exchange | cancel |",
        (
            ((turns if set(words) in ({""}, set(VAGUE)) else turns.replace("vague", words[0])) + after, *rest)
            for (turns, after, *rest), words in grouped.items()
        ),
    )
