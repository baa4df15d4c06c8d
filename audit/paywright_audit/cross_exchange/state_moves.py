"""A state that nothing follows is not followed, what exists does not vanish, and notifications and inquiries agree [3, 6].

The history of one subject as an automaton: what is believed is the first final state, until it is properly followed by another. The
table of moves is in docs/audit.md, "States"; which of two messages came first is what `timing` says.
"""

from __future__ import annotations

from collections.abc import Iterator

from paywright_tools.audit.across.amounts import same_amount
from paywright_tools.audit.across.moves import Move, move
from paywright_tools.audit.across.rows import ABSENT, ACTED, EXISTS, MADE, TOLD, Row
from paywright_tools.audit.across.timing import Order, order_of, said_order
from paywright_tools.audit.across.verdicts import Verdict

__all__ = ["StateHistory"]


class StateHistory:
    """What was said of one subject, given its rows in time.

    `states` is the set that its states are of (None: it has none), `acted` when the first cancel was sent that may have been done.
    """

    __slots__ = ("_acted", "_amounts", "_believed", "_exists", "_placed", "_slack", "_states")

    def __init__(self, states: str | None, acted: float | None, slack: float) -> None:
        self._states = states
        self._acted = acted
        self._slack = slack
        self._believed: Row | None = None
        self._exists: Row | None = None
        self._placed = False
        self._amounts: dict[bool, tuple[str, str | None]] = {}

    def take(self, row: Row) -> Iterator[Verdict]:
        """What a row breaks, after those before it."""
        if row.outcome == ACTED:
            return
        if row.outcome == ABSENT:
            if self._exists is not None:
                order = order_of(row, self._exists, self._slack)
                if order >= Order.LATER:
                    words = "is said not to exist, but was known to before"
                    yield Verdict("state-moved-back", words, order is Order.LATER)
            return
        if row.outcome not in EXISTS:
            return
        if self._exists is None:
            self._exists = row
        if row.spelled is not None:
            # What a write asks for, and answers, counts once, and is not held against what was known: that it was placed twice
            # is another rule's matter.
            if row.outcome == MADE and not self._placed:
                self._placed = True
                self._agree(row)
                if self._believed is None and row.final:
                    self._believed = row
            return
        yield from self._agreement(row)
        yield from self._movement(row)

    def _movement(self, row: Row) -> Iterator[Verdict]:
        believed = self._believed
        if row.state is None:
            return
        if believed is None:
            self._believed = row if row.final else None
            return
        if row.state == believed.state or self._states is None:
            return
        if self._acted is not None and self._acted <= row.until + self._slack:
            self._believed = row if row.final else None  # the cancel may have brought it about, whatever its answer
            return
        order = self._order(row, believed)
        onward, back = move(self._states, believed.state or "", row.state), move(
            self._states, row.state, believed.state or ""
        )
        if order is Order.AFTER:
            said, unclear = onward, False
        elif order is Order.LATER:
            said, unclear = onward, onward is Move.WRONG and back is not Move.WRONG
        elif order is Order.OPEN:
            said, unclear = min(onward, back), False
        else:
            said, unclear = back, False
        if said is Move.WRONG:
            yield self._wrong(row, believed, unclear)
            return
        if said is Move.ODD:
            words = (
                f"the state is another one than {believed.state}, of which the contract takes it that nothing follows"
            )
            yield Verdict("final-state-left", words)
        if row.final and order >= Order.LATER:
            self._believed = row

    def _order(self, row: Row, believed: Row) -> Order:
        if row.outcome == TOLD and believed.outcome == TOLD:
            return said_order(row, believed)
        order = order_of(row, believed, self._slack)
        # What a notification tells may have been so long before it came.
        return order if row.outcome != TOLD else min(order, Order.OPEN)

    def _wrong(self, row: Row, believed: Row, unclear: bool) -> Verdict:
        told, other = row.outcome == TOLD, believed.outcome == TOLD
        if told != other:
            whose = "a notification" if other else "an inquiry"
            return Verdict("notification-disagrees", f"the state is not the one that {whose} told as final", unclear)
        return Verdict("state-moved-back", f"the state is another one after {believed.state}, which is final", unclear)

    def _agreement(self, row: Row) -> Iterator[Verdict]:
        amount, currency = self._amounts.get(row.outcome != TOLD, (None, None))
        if row.amount is not None and amount is not None and not same_amount(row.amount, amount):
            yield Verdict("notification-disagrees", "the amount is not the one that was told otherwise")
        elif row.currency is not None and currency is not None and row.currency != currency:
            yield Verdict("notification-disagrees", "the currency is not the one that was told otherwise")
        self._agree(row)

    def _agree(self, row: Row) -> None:
        if row.amount is not None:
            self._amounts.setdefault(row.outcome == TOLD, (row.amount, row.currency))
