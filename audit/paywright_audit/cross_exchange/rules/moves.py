"""Decide which state may follow which: the table of docs/audit.md, "States".

The specification itself calls few states final (`stated`). The contract marks others as final or settled by our reading
(question `final-states`). So a move is an error only after a stated one, or after a state in which money moved or moved back.
A paid order may still be returned [2.3]: the contract's moves lead out of a settled state.
"""

from __future__ import annotations

from enum import IntEnum
from functools import cache

from paywright.contract import CONTRACT
from paywright_audit.cross_exchange.evidence.subjects import ending

__all__ = ["MoveVerdict", "move"]


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
