"""What must be true of an order whose ways of becoming known cross each other: the rules alone, in a page of plain code.

It knows nothing of ledgers, leases or clocks: things are told one after the other, and each has its effect, or it has not.
"""

from __future__ import annotations

from decimal import Decimal
from itertools import product
from typing import NamedTuple

ENDS = ("SUCCESS", "FAILED", "BOUNCEBACK")
PAID = {"SUCCESS"}
MOVED = {"SUCCESS", "BOUNCEBACK"}
MAY_FOLLOW = {("FAILED", "SUCCESS"), ("SUCCESS", "BOUNCEBACK")}
IS_OLDER = {("BOUNCEBACK", "SUCCESS")}

NOTIFIED = ("nothing", "PENDING", "SUCCESS", "SUCCESS of 99", "FAILED", "BOUNCEBACK")
ANSWERED = ("PENDING", "SUCCESS", "SUCCESS of nothing", "SUCCESS of 99", "FAILED", "BOUNCEBACK", "not there")
CLOSED = ("never", "before the question", "during the question")
REFUNDED = ("never", "notification", "inquiry", "both")
AMOUNT = Decimal(10)


class Cell(NamedTuple):
    """A notification, a question, what is notified during the question, and its answer. `registered`: with its amount."""

    registered: bool
    first: str
    meanwhile: str
    answer: str
    closed: str
    refund: str


def cells() -> list[Cell]:
    """All crossings of what is open, and of a closing with an answer. What else closing does is the table of an item's life."""
    made = product((True, False), NOTIFIED, NOTIFIED, ANSWERED, CLOSED)
    every = [Cell(*members, REFUNDED[number % len(REFUNDED)]) for number, members in enumerate(made)]
    return [one for one in every if one.closed == "never" or one.first == one.meanwhile == "nothing"]


class Effect(NamedTuple):
    """What the handler is given."""

    state: str
    amount: Decimal
    is_paid: bool
    was: str | None


class Order:
    """One order: what its handler was given, how many contradictions are kept, and what its record says."""

    def __init__(self, registered: bool) -> None:
        self.registered = AMOUNT if registered else None
        self.effects: list[Effect] = []
        self.kept: set[tuple[str, Decimal]] = set()
        self.status = "open"
        self.decides = False
        self.closed_first = False
        self.signed: list[str] = []
        self.signed_before = False

    def notified(self, told: str) -> str:
        """Return the outcome of a notification."""
        state, amount = _read(told)
        if state not in ENDS or amount is None:
            self.signed.append("PENDING")
            return "noted" if self.state is None else "stale"  # nothing moves from an end to there
        self.signed.append(state)
        if self._is_foreign(amount):
            self.kept.add((state, amount))
            return "noted" if self.status == "open" else "conflict"
        outcome = self._told(state, amount)
        if outcome == "handled" and not self.decides:
            self._settles()
        return outcome

    def answered(self, told: str) -> None:
        """Take the answer to a question. What was closed before it was asked is at most left to a person."""
        state, amount = _read(told)
        if self.state is None and self._shows_less(state, amount):
            self._decides()
        if state not in ENDS or amount is None:  # without its amount it cannot be read
            return
        if self.status == "closed" and self.closed_first:
            if state in MOVED and state != self.state and not self._is_foreign(amount):
                self._decides(again=True)
            return
        if self._is_foreign(amount):
            self._decides()
            return
        outcome = self._told(state, amount)
        if outcome == "conflict":
            self._decides()
        elif outcome != "nothing":
            self._settles()

    def asked(self) -> None:
        """Have the question sent."""
        self.signed_before = bool(self.signed)

    def close(self, *, first: bool) -> None:
        """Close it, before the question or during it."""
        self.status, self.decides, self.closed_first = "closed", False, first

    @property
    def state(self) -> str | None:
        return self.effects[-1].state if self.effects else None

    def _shows_less(self, state: str, amount: Decimal | None) -> bool:
        """Whether an answer shows less than what was signed and had no effect."""
        end_signed = any(one != "PENDING" for one in self.signed)
        return amount is None and end_signed if state != "not there" else end_signed or self.signed_before

    def _is_foreign(self, amount: Decimal) -> bool:
        return self.registered is not None and amount != self.registered

    def _told(self, state: str, amount: Decimal) -> str:
        before = self.state
        same = [one for one in self.effects if one.state == state]
        if same:
            if same[0].amount == amount:
                return "duplicate"
        elif state == "SUCCESS" and "BOUNCEBACK" in self.signed and before != "BOUNCEBACK":
            return "conflict"  # no "paid" after a return, had it its effect or not
        elif before is None or (before, state) in MAY_FOLLOW:
            self.effects.append(Effect(state, amount, state in PAID, before))
            self.kept.discard((state, amount))
            return "handled"
        elif (before, state) in IS_OLDER:
            return "stale"
        self.kept.add((state, amount))
        return "conflict"

    def _settles(self) -> None:
        self.status = "settled"

    def _decides(self, *, again: bool = False) -> None:
        if self.status != "closed" or again:
            self.status, self.decides = "open", True


def _read(told: str) -> tuple[str, Decimal | None]:
    """Return state and amount."""
    state, _, amount = told.partition(" of ")
    return state, None if amount == "nothing" else Decimal(amount or AMOUNT)
