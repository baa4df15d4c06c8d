"""Check states over time: final states stay, existing subjects do not vanish [3, 6]; `amounts` compares what they cost.

The history of one subject is an automaton. It believes the first final state until another one properly follows. `timing`
decides which of two messages came first. Which state may follow which is the table of docs/audit.md, "States".

The specification itself calls few states final (`stated`). The contract marks others as final or settled by our reading
(question `final-states`). So a move is an error only after a stated one, or after a state in which money moved or moved back.
A paid order may still be returned [2.3]: the contract's moves lead out of a settled state.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from functools import cache

from paywright.contract import CONTRACT
from paywright_audit.cross_exchange.history.rows import ABSENT, EXISTS, MADE, NOTIFIED, Row
from paywright_audit.cross_exchange.history.subjects import ending
from paywright_audit.cross_exchange.rules.amounts import AmountHistory
from paywright_audit.cross_exchange.rules.timing import CaptureFacts, TimeOrder, is_after, order_of, said_order
from paywright_audit.cross_exchange.rules.verdicts import RuleVerdict


class MoveVerdict(IntEnum):
    """The verdict on a move from one state to another: no finding, a note, or an error."""

    FINE = 0
    ODD = 1
    WRONG = 2


@cache
def move(states: str, before: str, after: str) -> MoveVerdict:
    """Return the verdict on a move between two states of the set `states`, if `before` was certainly the earlier one."""
    known = CONTRACT.set(states)
    returned = [one for one in CONTRACT.moves() if one.set == states and one.before in known.settled]
    if (
        before == after
        or before not in ending(states)
        or any(before == one.before and after in one.after for one in returned)
    ):
        return MoveVerdict.FINE
    certain = (*known.paid, *known.returned, *known.stated)
    return MoveVerdict.WRONG if before in certain else MoveVerdict.ODD


class StateHistory:
    """The states reported of one subject. It takes the subject's rows in order of time.

    `states` is the set of its states (None: it has none). `acted` is the time of the first cancel that may have taken
    effect. If its kind `can_act`, the capture may have lost a cancel. If it `pays`, inquiries show the amount that was asked for.
    """

    def __init__(
        self, states: str | None, acted: float | None, facts: CaptureFacts, *, can_act: bool, pays: bool
    ) -> None:
        self._states = states
        self._acted = acted
        self._slack = facts.slack
        self._facts = facts if can_act else None
        self._believed: Row | None = None
        self._hard: Row | None = None
        self._exists: Row | None = None
        self._placed = False
        self._amounts = AmountHistory(pays)

    def take(self, row: Row) -> Iterable[RuleVerdict]:
        """Return the verdicts on a row."""
        if row.outcome == ABSENT:
            order = TimeOrder.OPEN if self._exists is None else order_of(row, self._exists, self._slack)
            words = "is reported not to exist, but existed before"
            verdict = RuleVerdict("state-moved-back", words, self._exists, order is TimeOrder.LATER)
            return (verdict,) if order >= TimeOrder.LATER else ()
        if row.outcome not in EXISTS:
            return ()
        if self._exists is None or row.until < self._exists.until:
            self._exists = row
        if row.spelled is not None:
            # A write shows once that the subject exists, and is not compared with earlier states: duplicate_keys reports a
            # second one.
            if row.outcome == MADE and not self._placed:
                self._placed = True
                self._amounts.placed(row)
                if self._believed is None and row.final:
                    self._believed = row
            return ()
        found = *self._amounts.take(row), *self._movement(row)
        first = self._hard is None or row.until < self._hard.until
        if first and row.state and self._states and move(self._states, row.state, "") is MoveVerdict.WRONG:
            self._hard = row
        return found

    def _movement(self, row: Row) -> Iterable[RuleVerdict]:
        believed, hard = self._believed, self._hard
        if row.state is None:
            return ()
        if believed is None:
            self._believed = row if row.final else None
            return ()
        if self._states is None or (row.state == believed.state and hard is None):
            return ()
        if self._acted is not None and self._acted <= row.until + self._slack:
            self._believed = row if row.final else None  # the cancel may have caused it, whatever its response
            return ()
        # A state that was certainly final before an inquiry must still be there, whatever is believed.
        if (
            hard is not None
            and row.outcome != NOTIFIED
            and is_after(row, hard, self._slack)
            and move(self._states, hard.state or "", row.state) is MoveVerdict.WRONG
        ):
            return (self._wrong(row, hard, False),)
        if row.state == believed.state:
            return ()
        order = self._order(row, believed)
        onward = move(self._states, believed.state or "", row.state)
        back = move(self._states, row.state, believed.state or "")
        if order is TimeOrder.AFTER:
            said, unclear = onward, False
        elif order is TimeOrder.LATER:
            said, unclear = onward, onward is MoveVerdict.WRONG and back is not MoveVerdict.WRONG
        elif order is TimeOrder.OPEN:
            said, unclear = min(onward, back), False
        else:
            said, unclear = back, False
        if said is MoveVerdict.WRONG:
            return (self._wrong(row, believed, unclear),)
        if row.final and order >= TimeOrder.LATER:
            self._believed = row
        words = f"the state is another one after {believed.state}, which the contract treats as final"
        return (RuleVerdict("final-state-left", words, believed),) if said is MoveVerdict.ODD else ()

    def _order(self, row: Row, believed: Row) -> TimeOrder:
        if row.outcome == NOTIFIED and believed.outcome == NOTIFIED:
            return said_order(row, believed)
        order = order_of(row, believed, self._slack)
        # The state in a notification may be much older than its arrival.
        return order if row.outcome != NOTIFIED else min(order, TimeOrder.OPEN)

    def _wrong(self, row: Row, believed: Row, unclear: bool) -> RuleVerdict:
        lost = ""
        if self._facts is not None and not self._facts.silent(row.subject, believed.at, row.until):
            lost = "the capture lost a cancel"
        notified, other = row.outcome == NOTIFIED, believed.outcome == NOTIFIED
        if notified != other:
            whose = "a notification" if other else "an inquiry"
            words = f"the state is not the final one that {whose} reported"
            return RuleVerdict("notification-disagrees", words, believed, unclear, lost)
        stated = self._states is not None and believed.state in CONTRACT.set(self._states).stated
        why = "is final" if stated else "means that money moved"
        words = f"the state is another one after {believed.state}, which {why}"
        return RuleVerdict("state-moved-back", words, believed, unclear, lost)
