"""What becomes of a notification, for everything that a ledger may have of it: the receiver's table, as plain data.

Three tables. `VERDICTS` says what follows from what is there: the record of its key, its content, and how far its subject has
come. `ANSWERS` says what is answered and done then, by the handler and by what a merchant has chosen for conflicts. `CHANGES`
says what a record is after somebody has discarded, released, pruned or replayed it; from there on the first two hold.

In every table the first row that fits is the one that counts, and each has its reason. A member of `when` that a row leaves
out may be anything. `docs/notifications.md` shows the tables, and `test_delivery_table.py` visits every cell on every ledger.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import product
from typing import NamedTuple

from paywright_receiver.webhooks.reply import STATUS

# What a cell is made of

STATUSES = (
    "none", "claimed", "claim expired", "claim from the future", "done", "stale", "failed", "unhandled", "unreadable",
    "conflict",
    # The key's own record is done, and beside it there is one with other content:
    "beside: conflict", "beside: claimed", "beside: claim expired", "beside: discarded",
)  # fmt: skip
"""Of the record of the notification's key. A claim from the future was made when the ledger's clock was ahead."""

CONTENTS = ("same", "newer", "older", "beside")
"""Against the record: the same; other content, notified later or earlier than the record's; that of the record beside."""

PLACES: dict[str, tuple[str, str | None]] = {
    "nothing": ("SETTLED", None),
    "the same state": ("SETTLED", "SETTLED"),
    "the same state, other content": ("SETTLED", "SETTLED"),
    "a later state": ("TO_BE_PROVED", "SETTLED"),
    "an end that contradicts": ("REJECTED", "SETTLED"),
    "an end, and the state is not listed": ("HELD", "SETTLED"),
    "an unpaid end, and the state is paid": ("SETTLED", "REJECTED"),
    "an earlier state": ("SETTLED", "TO_BE_PROVED"),
    "a state that is not listed": ("SETTLED", "HELD"),
    "no order known, newer": ("TO_BE_PROVED", "HELD"),
    "no order known, older": ("TO_BE_PROVED", "HELD"),
}
"""How far the subject has come: the state that is notified, and the one whose effect is there."""

TIMES = ("newer", "older")
"""Of the notification of the state that is there, against this one."""

HANDLERS = ("there", "none", "raises", "unreadable")
CHOICES = ("refuse", "acknowledge", "on_conflict", "on_conflict raises")
"""What the merchant has chosen for conflicts: an answer, or a handler of `on_conflict`."""
KINDS = ("claimed before", "in one transaction")
"""What the handlers have declared: nothing, or that they act only inside of the ledger's transaction. The outcome is the same."""

_WAITING = frozenset({"claim expired", "claim from the future", "failed", "unhandled", "unreadable"})


class Cell(NamedTuple):
    """One case. `busy`: another process handles another notification about the same subject."""

    status: str
    content: str
    place: str
    time: str
    handler: str
    busy: str
    choice: str
    kind: str = "claimed before"


class Verdict(NamedTuple):
    when: Mapping[str, frozenset[str]]
    words: str
    verdict: str
    reason: str


class Answer(NamedTuple):
    """`kept` is the status of the record that this content has afterwards: None for what is as it was before."""

    when: Mapping[str, frozenset[str]]
    words: str
    outcome: str
    acknowledged: bool
    effect: bool
    kept: str | None
    reason: str


def _is(**members: str | frozenset[str]) -> Mapping[str, frozenset[str]]:
    return {name: frozenset({one}) if isinstance(one, str) else one for name, one in members.items()}


_OWN_DONE = frozenset({"done", "stale", *(one for one in STATUSES if one.startswith("beside"))})

VERDICTS = (
    Verdict(_is(status="claimed"), "a live claim, whatever the content", "in progress",
            "Another process is at it."),
    Verdict(_is(status="beside: claimed", content="beside"), "a live claim of `on_conflict` for this content", "in progress",
            "Another process is at it."),
    Verdict(_is(status="beside: discarded", content="beside"), "this content was reconciled, or discarded", "duplicate",
            "A person, or `on_conflict`, has looked."),
    Verdict(_is(status=_OWN_DONE, content="same"), "done or stale, the same content", "duplicate",
            "Its effect is there, or a newer state's."),
    Verdict(_is(status=_OWN_DONE), "done or stale, other content", "other content",
            "Handling it would be a second effect; dropping it would lose a correction."),
    Verdict(_is(status="conflict", content=frozenset({"newer", "older"})), "a conflict, other content", "other content",
            "Both are kept, each by its digest."),
    Verdict(_is(status=_WAITING, content="older"), "without effect, and what is kept is newer", "superseded",
            "The newer one waits; the older one must not take its place."),
    # From here on the record is none, or had no effect and is not newer: its content does not matter. A conflict with the same
    # content is judged again: what it contradicted may have been replaced.
    Verdict(_is(place="the same state"), "new; the subject had this state, with the same content", "duplicate",
            "Its record was pruned, its effect was not."),
    Verdict(_is(place="the same state, other content"), "new; the subject had this state, with other content",
            "other content", "Its record was pruned, and this is another one."),
    Verdict(_is(place="a later state"), "new; the subject has a later state", "stale",
            "An older state never undoes a newer one."),
    Verdict(_is(place=frozenset({"an end that contradicts", "an end, and the state is not listed"})),
            "new; the subject has an end that contradicts", "contradiction",
            "Two ends cannot both be true."),
    Verdict(_is(place="no order known, newer", time="newer"), "new; no order of the states is known, and there is a later one",
            "stale", "Without an order, `notifyTime` decides."),
    Verdict(_is(), "new; anything else, such as paid after an unpaid end", "handle",
            "It may have its effect."),
)  # fmt: skip

_CONFLICTS = frozenset({"other content", "contradiction"})
_RECONCILES = frozenset({"there", "none", "raises"})

ANSWERS = (
    Answer(_is(verdict="in progress"), "", "in_progress", False, False, None,
           "Sent again later, it is a duplicate, or it is handled."),
    Answer(_is(verdict="duplicate"), "", "duplicate", True, False, None,
           "Its effect is there: the gateway may stop sending it."),
    Answer(_is(verdict="stale"), "", "stale", True, False, "stale",
           "The effect of a newer state stands for it."),
    Answer(_is(verdict="superseded"), "", "superseded", False, False, None,
           "Its own newer version waits; nothing is lost, and nothing is claimed."),
    Answer(_is(verdict=_CONFLICTS, choice=frozenset({"on_conflict", "on_conflict raises"}), handler=_RECONCILES, busy="yes"),
           "`on_conflict`, and another one about the subject is being handled", "in_progress", False, False, None,
           "One subject is in one pair of hands."),
    Answer(_is(verdict=_CONFLICTS, choice="on_conflict", handler=_RECONCILES), "`on_conflict` returns", "handled", True, True,
           "done", "The merchant's own function has reconciled it, once."),
    Answer(_is(verdict=_CONFLICTS, choice="on_conflict raises", handler=_RECONCILES), "`on_conflict` raises", "failed", False,
           False, "conflict", "It is tried again when it is sent again, or replayed."),
    Answer(_is(verdict=_CONFLICTS, choice="acknowledge"), "`conflicts=\"acknowledge\"`", "conflict", True, False, "conflict",
           "It is kept and logged, and the merchant has chosen to look at what is kept."),
    Answer(_is(verdict=_CONFLICTS), "otherwise, or it cannot be read", "conflict", False, False, "conflict",
           "It is kept and logged, and stays open at the gateway too."),
    Answer(_is(verdict="handle", busy="yes"), "another one about the subject is being handled", "in_progress", False, False, None,
           "One subject is in one pair of hands."),
    Answer(_is(verdict="handle", handler="there"), "the handler returns", "handled", True, True, "done",
           "The effect is committed."),
    Answer(_is(verdict="handle", handler="none"), "there is no handler", "unhandled", False, False, "unhandled",
           "A forgotten decorator shows as undelivered. Acknowledged with `unhandled=\"acknowledge\"`."),
    Answer(_is(verdict="handle", handler="raises"), "the handler raises", "failed", False, False, "failed",
           "What it wrote is undone; it is tried again."),
    Answer(_is(verdict="handle", handler="unreadable"), "it cannot be read", "unreadable", False, False, "unreadable",
           "A typed attribute never lies. It can be replayed once it can be read."),
)  # fmt: skip


@cache
def verdict_of(cell: Cell) -> Verdict:
    """The row of `VERDICTS` for a cell."""
    return next(row for row in VERDICTS if all(getattr(cell, name) in those for name, those in row.when.items()))


def answer_of(cell: Cell) -> Answer:
    """The row of `ANSWERS` for a cell."""
    busy = "yes" if cell.status == "beside: claimed" else cell.busy  # by the handler of that conflict
    given = {**cell._asdict(), "busy": busy, "verdict": verdict_of(cell).verdict}
    return next(row for row in ANSWERS if all(given[name] in those for name, those in row.when.items()))


def impossible(cell: Cell) -> str | None:
    """Why a cell cannot be, or None."""
    beside = cell.status.startswith("beside")
    if cell.kind == "in one transaction" and cell.handler not in ("there", "raises"):
        return "no handler is called, or that of conflicts alone"
    if (cell.content == "beside") is not beside and cell.content in ("beside", "older"):
        return "content is that of the record beside only where there is one"
    if cell.status == "none" and cell.content != "same":
        return "nothing to compare the content with"
    if cell.place == "the same state, other content" and (beside or cell.status == "done"):
        return "what had its effect is what the record says"
    if cell.place == "nothing" and (beside or cell.status in ("done", "stale", "conflict")):
        return "done, stale and conflict come of an effect, which has moved the subject"
    if cell.busy == "yes" and "claim" in cell.status:
        return "one subject has one claim at a time; a claim that has expired is failed as soon as another begins"
    if cell.place in ("nothing", "no order known, newer", "no order known, older"):
        time = "newer" if cell.place == "no order known, newer" else "older"
        return None if cell.time == time else "the place says which time it is"
    return None


def cells() -> Iterator[Cell]:
    """Every case that can be."""
    for members in product(STATUSES, CONTENTS, PLACES, TIMES, HANDLERS, ("no", "yes"), CHOICES, KINDS):
        cell = Cell(*members)
        if impossible(cell) is None:
            yield cell


class Change(NamedTuple):
    """`before` is a status, `act` what somebody does by hand, `after` the status then, or None where nothing changes."""

    act: str
    before: frozenset[str]
    after: str | None
    words: str
    reason: str


_ENDED = frozenset({"done", "stale"})
_OPEN = frozenset({"failed", "unhandled", "unreadable", "conflict", "claim expired", "claim from the future"})

CHANGES = (
    Change("discard", _OPEN, "done", "failed, unhandled, unreadable, conflict, or a claim that has expired",
           "A person has looked: as if its handler had returned. The subject moves on, except by a conflict."),
    Change("discard", _ENDED | {"claimed", "none"}, None, "anything else",
           "Nothing is open, or somebody is at it."),
    Change("release", frozenset({"claimed", "claim expired", "claim from the future"}), "failed", "a claim",
           "Its holder is dead, or loses it: what it wrote is undone, and it is not acknowledged."),
    Change("release", _ENDED | _OPEN | {"none"}, None, "anything else", "There is no claim."),
    Change("prune", _ENDED | _OPEN | {"claimed", "none"}, None, "whatever could still be sent again, or is open",
           "It would be taken for a new one."),
    Change("prune later", _ENDED, "none", "done or stale, past `max_age` and `max_ahead` since its last delivery",
           "No verified copy of it is fresh any more."),
    Change("prune later", _OPEN | {"claimed", "none"}, None, "anything else", "It is open: somebody has to look."),
    Change("replay", frozenset({"failed", "unhandled", "unreadable", "claim expired", "claim from the future"}), "done",
           "failed, unhandled, unreadable, or a claim that has expired", "Its handler returns now."),
    Change("replay", _ENDED | {"claimed", "conflict", "none"}, None, "anything else",
           "Nothing is kept, or somebody is at it, or it still contradicts."),
)  # fmt: skip


def change_of(act: str, before: str) -> Change:
    """The row of `CHANGES` for what is done to a record."""
    return next(row for row in CHANGES if row.act == act and before in row.before)


def markdown() -> str:
    """The tables as `docs/notifications.md` shows them: of the changes by hand those that change something."""
    lines = ["| what is there | verdict | because |", "|---|---|---|"]
    lines += [f"| {row.words} | {row.verdict} | {row.reason} |" for row in VERDICTS]
    lines += ["", "| verdict | and | outcome | kept as |", "|---|---|---|---|"]
    named = [one for one in ANSWERS if not one.words and one.kept is None]
    lines.append(f"| {', '.join(f'`{one.outcome}`' for one in named)} |  | the same | it was |")
    for one in ANSWERS:
        verdict = " or ".join(sorted(one.when["verdict"], reverse=True))
        said = "" if one.acknowledged is (STATUS[one.outcome] == 200) else ", acknowledged"
        if one not in named:
            lines.append(f"| {verdict} | {one.words} | `{one.outcome}`{said} | {one.kept or 'it was'} |")
    lines += ["", "| by hand | what it is | becomes |", "|---|---|---|"]
    lines += [f"| {row.act} | {row.words} | {row.after} |" for row in CHANGES if row.after is not None]
    return "\n".join(lines)
