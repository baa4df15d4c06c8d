"""What must be true of an order whose ways of becoming known cross each other: the rules alone, in a page of plain code.

It knows nothing of ledgers, leases or clocks: things are told one after the other, and each has its effect, or it has not.
"""

from __future__ import annotations

from decimal import Decimal
from itertools import product
from typing import NamedTuple

ENDS = ("SUCCESS", "FAILED", "BOUNCEBACK")
PAID = {"SUCCESS"}
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
    made = product((True, False), NOTIFIED, NOTIFIED, ANSWERED, CLOSED)
    return [Cell(*members, REFUNDED[number % len(REFUNDED)]) for number, members in enumerate(made)]


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

    def notified(self, told: str) -> str:
        """Return the outcome of a notification."""
        state, amount = _read(told)
        if state not in ENDS or amount is None:
            return "noted"
        if self._is_foreign(amount):
            self.kept.add((state, amount))
            return "noted" if self.status == "open" else "conflict"
        outcome = self._told(state, amount)
        if outcome == "handled" and not self.decides:
            self._settles()
        return outcome

    def answered(self, told: str) -> None:
        """Take the answer to a question; nobody asks about what is closed."""
        state, amount = _read(told)
        if state not in ENDS or amount is None:  # without its amount it cannot be read
            return
        if self._is_foreign(amount):
            self._decides()
            return
        outcome = self._told(state, amount)
        if outcome == "conflict":
            self._decides()
        elif outcome != "nothing":
            self._settles()

    def close(self) -> None:
        self.status, self.decides = "closed", False

    @property
    def state(self) -> str | None:
        return self.effects[-1].state if self.effects else None

    def _is_foreign(self, amount: Decimal) -> bool:
        return self.registered is not None and amount != self.registered

    def _told(self, state: str, amount: Decimal) -> str:
        before = self.state
        same = [one for one in self.effects if one.state == state]
        if same:
            if same[0].amount == amount:
                return "duplicate"
        elif before is None or (before, state) in MAY_FOLLOW:
            self.effects.append(Effect(state, amount, state in PAID, before))
            self.kept.discard((state, amount))
            return "handled"
        elif (before, state) in IS_OLDER:
            return "stale"
        self.kept.add((state, amount))
        return "conflict"

    def _settles(self) -> None:
        if self.status == "open":
            self.status = "settled"

    def _decides(self) -> None:
        if self.status != "closed":
            self.status, self.decides = "open", True


def _read(told: str) -> tuple[str, Decimal | None]:
    """Return state and amount."""
    state, _, amount = told.partition(" of ")
    return state, None if amount == "nothing" else Decimal(amount or AMOUNT)
