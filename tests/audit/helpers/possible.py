"""Whether there is a world without fault that a capture of one order can be of: all of them, gone through plainly.

A world is an order of the exchanges, which of them are one that was seen twice, what became of those without an answer, and
whatever else happened that the capture does not have. It is without fault if the merchant placed the order only when it might
[4.3], and the gateway answered truthfully and let no state follow that may not [3]. It shares no code with the audit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations
from typing import Final, NamedTuple

__all__ = ["KINDS", "Said", "possible"]

SLACK: Final = 10.0
KINDS: Final = (
    "made", "repeated", "refused", "unknown", "absent", "seen PENDING", "seen SUCCESS", "seen FAILED", "told SUCCESS", "told FAILED",
)  # fmt: skip
# No state follows SUCCESS but the return of the money, and none follows that; all others may be followed by any.
FOLLOWS: Final = {"SUCCESS": ("BOUNCEBACK",), "BOUNCEBACK": ()}
STATES: Final = ("PENDING", "SUCCESS", "FAILED", "BOUNCEBACK")


class Said(NamedTuple):
    """One sighting: what it says, its time, what was asked (`a`, `b`; "" if that is lost) and the time that was signed."""

    kind: str
    at: float
    content: str = ""
    signed: float | None = None

    @property
    def write(self) -> bool:
        return self.kind in ("made", "repeated", "refused", "unknown")


class Now(NamedTuple):
    """What is the case: the order's state ("": it does not exist), those it had, and whether the merchant may place it."""

    state: str
    had: frozenset[str]
    free: bool


Exchange = tuple[Said, ...]
"""All sightings of one exchange."""


def possible(said: Sequence[Said]) -> bool:
    """Return whether there is a world without fault."""
    return any(_holds(order) for exchanges in _exchanges(list(said)) for order in _orders(exchanges))


def _exchanges(said: list[Said]) -> Iterator[list[Exchange]]:
    """Yield every way in which sightings may be of one exchange."""
    if not said:
        yield []
        return
    first, *rest = said
    for others in _exchanges(rest):
        yield [(first,), *others]
        for place, exchange in enumerate(others):
            if all(_may_be_one(first, other) for other in exchange):
                yield [*others[:place], (first, *exchange), *others[place + 1 :]]


def _may_be_one(one: Said, other: Said) -> bool:
    if not one.write or not other.write:
        return (
            not one.kind.startswith("told")
            and one.kind == other.kind
            and one.signed is not None
            and one.signed == other.signed
        )
    if "" not in (one.content, other.content) and (one.content, one.signed) != (other.content, other.signed):
        return False
    return "unknown" in (one.kind, other.kind) or one.kind == other.kind


def _orders(exchanges: list[Exchange]) -> Iterator[tuple[Exchange, ...]]:
    """Yield every order that the times leave open."""
    for order in permutations(exchanges):
        late = 0.0
        for exchange in order:
            if max(one.at for one in exchange) + SLACK <= late:
                break  # something that came after it for certain is said to have come before
            late = max(late, min(one.at for one in exchange))
        else:
            yield order


def _holds(order: Sequence[Exchange]) -> bool:
    now = _unseen({Now("", frozenset(), True)})
    for exchange in order:
        kind = next((one.kind for one in exchange if one.kind != "unknown"), "unknown")
        now = _unseen({after for one in now for after in _after(one, kind)})
    return bool(now)


def _after(now: Now, kind: str) -> Iterator[Now]:
    """Yield what may be the case after an exchange, if it was without fault."""
    exists = bool(now.state)
    word, _, state = kind.partition(" ")
    if word == "absent" and not exists:
        yield now
    elif (word == "seen" and now.state == state) or (word == "told" and state in now.had):
        yield now._replace(free=False)
    elif word == "refused" and now.free:
        yield now
    elif word == "repeated" and now.free and exists:
        yield now._replace(free=False)
    elif word in ("made", "unknown") and now.free and not exists:
        yield Now("PENDING", frozenset(("PENDING",)), False)
    if word == "unknown" and now.free:
        yield now  # it was refused
        yield now._replace(free=False)  # it did not come, or came to what was there


def _unseen(found: set[Now]) -> set[Now]:
    """Return all that may be the case after things of which the capture has nothing."""
    waiting = list(found)
    while waiting:
        now = waiting.pop()
        for after in _moves(now):
            if after not in found:
                found.add(after)
                waiting.append(after)
    return found


def _moves(now: Now) -> Iterator[Now]:
    if not now.state:
        # Two inquiries permit it again; another placing is made at once, or arrives when the next one is permitted already.
        yield now._replace(free=not now.free)
        for free in (True, False):
            yield Now("PENDING", frozenset(("PENDING",)), free)
        return
    yield now._replace(free=False)
    for state in FOLLOWS.get(now.state, STATES):
        yield now._replace(state=state, had=now.had | {state})
