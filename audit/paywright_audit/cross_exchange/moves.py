"""Which state may follow which: the table of docs/audit.md, "States".

The specification calls final the bank-style 00 [2.13] and both ends of a withdraw order [2.10]. Of the other states that the
contract marks final or settled it says nothing (question `final-states`), so that only a state that means that money moved, there or
back, is held against what follows. An order that was paid may still be returned [2.3]: out of a settled state lead the
contract's moves.
"""

from __future__ import annotations

from enum import IntEnum
from functools import cache
from typing import Final

from paywright.contract import CONTRACT
from paywright_tools.audit.across.subjects import ending

__all__ = ["Move", "move"]


class Move(IntEnum):
    """What is said of a move from one state to another: nothing, a note, or an error."""

    FINE = 0
    ODD = 1
    WRONG = 2


# States that the specification itself calls final [2.13, 2.10], and one whose words say that money was returned [3].
_STATED: Final = {
    "SnapTransactionStatus": {"00"}, "WithdrawStatus": {"SUCCESS", "FAILED"}, "TransferStatus": {"REJECTED"}
}  # fmt: skip


@cache
def move(states: str, before: str, after: str) -> Move:
    """What is said of a move between two states of the set `states`, `before` certainly the earlier one."""
    known = CONTRACT.set(states)
    returned = [one for one in CONTRACT.moves() if one.set == states and one.before in known.settled]
    if (
        before == after
        or before not in ending(states)
        or any(before == one.before and after in one.after for one in returned)
    ):
        return Move.FINE
    moved = before in known.paid or any(before in one.after for one in returned)
    return Move.WRONG if moved or before in _STATED.get(states, ()) else Move.ODD
