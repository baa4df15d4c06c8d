"""The memory of an item: each state that was signed, shown or booked, by its source, with whether an answer has cleared it.

It outlives restarts, `discard` and `prune`: it has keys, states and times, and no body. A ledger appends lines to it; whoever
has leased the item, or changes it in a transaction, may rewrite what it has read.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from json.encoder import encode_basestring_ascii as _quote
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

from paywright_receiver.items.state_order import MEANS

if TYPE_CHECKING:
    from paywright_receiver.items.state_order import StateOrder

Source: TypeAlias = Literal[
    "hint", "noted", "kept", "shown", "stale", "handled", "booked", "discarded", "replayed", "decided", "other"
]
"""hint: the merchant says that the state may have changed; noted: a notification that was acknowledged, and whose state an answer
must show; kept: one that the ledger keeps to be tried again, or as a conflict; shown: by an inquiry; stale: a later state was signed before; handled: it had its effect;
booked: by staff, who closed the item; discarded: by hand, before it had an effect; replayed: under another key, or to have its item
asked about; decided: a conflict, by `on_conflict` or a person; other: content that contradicts what was registered or handled, which says nothing about the state."""

OrderOf: TypeAlias = "Callable[[str | None], StateOrder]"
_HAD: Final = frozenset(("handled", "booked", "discarded", "replayed"))
_STATED: Final = frozenset(("noted", "kept", "shown", "stale", "handled", "booked", "discarded", "replayed", "decided"))
_COUNTS: Final = frozenset(("handled", "booked"))


class Remembered(NamedTuple):
    """One state and its source. `at` is in microseconds since 1970, `key` and `digest` are those of the notification.

    `answered` says of a notice (`hint`, `noted`) what came of the inquiry: `no` before one, `behind` if its answer shows less, or
    nothing, and `yes`. All others are `yes`.
    """

    state: str
    source: Source
    at: int
    answered: Literal["no", "behind", "yes"] = "yes"
    key: str = ""
    digest: str = ""

    @property
    def had(self) -> bool:
        """Return whether the state had its effect, or a person has put an end to it: the same again has none."""
        return self.source in _HAD

    @property
    def states(self) -> bool:
        """Return whether it says something of the item's state."""
        return self.source in _STATED and self.state != ""


def line(one: Remembered) -> str:
    """Return a line of the stored memory."""
    # As json.dumps writes it, which takes five times as long.
    return f"[{', '.join([_quote(each) if type(each) is str else json.dumps(each) for each in one])}]\n"


def written(signed: Iterable[Remembered]) -> str:
    """Return the memory as it is stored."""
    return "".join(map(line, signed))


def read(text: str) -> tuple[Remembered, ...]:
    """Read a stored memory. Of the same state, source and content the last line counts."""
    found: dict[tuple[str, str, str], Remembered] = {}
    for each in text.splitlines():
        one = Remembered._make(json.loads(each))
        place = (one.state, one.source, one.digest)
        found.pop(place, None)
        found[place] = one
    return tuple(found.values())


def with_notice(signed: tuple[Remembered, ...], notice: Remembered) -> tuple[Remembered, ...]:
    """Return the memory with a notice, in place of an earlier one of the same state and source."""
    return read(written((*signed, notice)))


def effect_of(signed: Iterable[Remembered]) -> Remembered | None:
    """Return the state that had its effect last, in a handler or in the merchant's books; None if none had."""
    return next((one for one in reversed([*signed]) if one.source in _COUNTS), None)


def decided_last(signed: Iterable[Remembered]) -> str | None:
    """Return the state that a handler or a person has ended last; None if none was."""
    return next((one.state for one in reversed([*signed]) if one.had or one.source == "decided"), None)


def unheard(signed: Iterable[Remembered]) -> bool:
    """Return whether a notification was acknowledged, and nobody has asked since what it means."""
    return any(one.answered == "no" and one.source == "noted" for one in signed)


def follows(order_of: OrderOf, state: str, before: str) -> bool:
    """Return whether a state may stand after another one: by a move of the contract, or as an end after what is none."""
    order = order_of(state)
    if before in order.earlier or state in order_of(before).later:
        return True
    return order.ends and before not in order.later and before not in order.excluded


def by_way(order_of: OrderOf, state: str | None, before: str | None) -> bool:
    """Return whether a state comes after one that contradicts it, by way of another: CLOSED, paid after all, and returned."""
    return before is not None and any(follows(order_of, one, before) for one in order_of(state).earlier)


def explained(order_of: OrderOf, signed: Iterable[Remembered], state: str | None, before: str | None) -> bool:
    """Return whether a signed state explains two that contradict each other, as SUCCESS does CLOSED and BOUNCEBACK."""
    between = [one.state for one in signed if one.states and one.state not in (state, before)]
    return None not in (state, before) and any(
        follows(order_of, one, before or "") and follows(order_of, state or "", one) for one in between
    )


def covered(order_of: OrderOf, state: str, signed: Iterable[Remembered]) -> bool:
    """Return whether what a notification says had its effect, or was followed by what had: then there is nothing to ask."""
    return any(
        one.had and (one.state == state or state in order_of(one.state).earlier or one.state in order_of(state).later)
        for one in signed
    )


def furthest(order_of: OrderOf, signed: Iterable[Remembered]) -> list[Remembered]:
    """Return the states behind which no other one stands: several, if they contradict each other."""
    states = [one for one in signed if one.states]
    return [
        one
        for one in states
        if not any(other.state != one.state and follows(order_of, other.state, one.state) for other in states)
    ]


def heard(
    order_of: OrderOf, signed: Iterable[Remembered], shown: str | None, *, answer: bool = True
) -> tuple[Remembered, ...]:
    """Return the memory after an answer that shows a state, None for none; or after a notification that had its effect.

    What is later than the shown state, or contradicts it, is not cleared: an answer leaves it behind. But a state between the two may
    explain both, as SUCCESS does CLOSED and BOUNCEBACK. One without a state clears nothing. An answer ends hints; a notification is no
    answer: it leaves hints, and what was noted without a state.
    """
    order = order_of(shown)
    after: list[Remembered] = []
    for one in signed:
        if one.answered == "yes" or (one.source == "hint" and not answer):
            after.append(one)
        elif one.source != "hint":
            place = order.place(one.state)
            met = MEANS[place].notice == "yes" or (place == "against it" and by_way(order_of, shown, one.state))
            cleared = met and shown is not None and (answer or one.state != "")
            after.append(one._replace(answered="yes" if cleared else "behind") if cleared or answer else one)
    return tuple(after)
