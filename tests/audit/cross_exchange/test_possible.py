"""The audit accuses nobody of a capture that a world without fault can be of, and else it says so: against all such worlds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import permutations, product
from random import Random
from typing import Final, NamedTuple

import pytest

from paywright_audit.cross_exchange.history.owners import Same
from paywright_audit.cross_exchange.history.rows import Row
from paywright_audit.cross_exchange.rules.timing import CaptureFacts
from paywright_audit.cross_exchange.run_rules import Whole, relate_key
from paywright_audit.judging.findings import Severity, severity_of

WHOLE: Final = Whole(Same({}, {}), CaptureFacts(), set())
WORDS = {"seen": "seen", "told": "notified", "absent": "absent"}


def row(number: int, said: Said) -> Row:
    word, _, state = said.kind.partition(" ")
    operation = "orders.checkout" if said.write else "" if word == "told" else "orders.query"
    found = Row(
        "orders.query\0app\1\0k1", said.at, said.at, "", number, said.at, said.signed, 0, operation,
        WORDS.get(word, word), 1, state or None, 1 if state in ("SUCCESS", "FAILED") else 0 if state else None,
    )  # fmt: skip
    if not said.write:
        # Of a notification without a time of its own, the state may be of any time before.
        return found._replace(signed=None) if word == "told" else found
    if not said.content:
        return found._replace(signed=None, spelled="K1")
    return found._replace(spelled="K1", content=ord(said.content), amount="1", currency="USD")


def accused(said: Sequence[Said]) -> bool:
    found = relate_key([row(number, one) for number, one in enumerate(said)], WHOLE).found
    return any(severity_of(one.code) is Severity.ERROR for _, one in found)


def compare(histories: Iterator[Sequence[Said]]) -> tuple[int, int]:
    """How many were compared, and how many of them can only be of a world with a fault."""
    number = faulty = 0
    for said in histories:
        number += 1
        due = not possible(said)
        faulty += due
        found = accused(said)
        # Of a lost request nobody knows which of several exchanges it was: then not all that is certain is seen.
        assert found is due or (due and any(one.write and not one.content for one in said)), said
    return number, faulty


def every(length: int) -> Iterator[Sequence[Said]]:
    """Every history of so many exchanges, each at once or long after the one before."""
    for kinds in product(KINDS, repeat=length):
        for gaps in product((5.0, 400.0), repeat=length - 1):
            times = [sum(gaps[:place], 1.0) for place in range(length)]
            yield [Said(kind, at, "a", at) for kind, at in zip(kinds, times, strict=True)]


def drawn(number: int, seed: int) -> Iterator[Sequence[Said]]:
    """Histories of up to six sightings, some of them of one exchange, and some with a request that is lost."""
    random = Random(seed)
    for _ in range(number):
        said: list[Said] = []
        now = 1.0
        for _ in range(random.randrange(1, 6)):
            now += random.choice((4.0, 9.0, 10.0, 11.0, 150.0, 400.0))
            one = Said(random.choice(KINDS), now, random.choice("aaab"), now)
            said.append(one)
            if random.random() < 0.2:
                kind = random.choice((one.kind, one.kind, "unknown")) if one.write else one.kind
                said.append(one._replace(kind=kind, at=now + random.choice((0.0, 0.5, 12.0, 150.0))))
        if random.random() < 0.2:
            place = random.randrange(len(said))
            if said[place].write:
                said[place] = said[place]._replace(content="", signed=None)
        yield said[:6]


@pytest.mark.parametrize(
    "length", [1, 2, pytest.param(3, marks=pytest.mark.slow), pytest.param(4, marks=pytest.mark.full)]
)
def test_short_histories_against_all_worlds(length: int, record_property: Callable[[str, object], None]) -> None:
    number, faulty = compare(every(length))
    record_property("count: histories compared with all worlds that they can be of", number)
    assert length == 1 or 0 < faulty < number


@pytest.mark.parametrize(("number", "seed"), [(500, 1), pytest.param(200_000, 2, marks=pytest.mark.full)])
def test_drawn_histories_against_worlds(number: int, seed: int, record_property: Callable[[str, object], None]) -> None:
    found, faulty = compare(drawn(number, seed))
    record_property("count: histories compared with all worlds that they can be of", found)
    assert 0.1 < faulty / found < 0.9


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
