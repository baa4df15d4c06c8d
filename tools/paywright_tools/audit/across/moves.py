"""Which state may follow which: the table of docs/audit.md, "States".

The specification says of three states that they are final: the bank-style 00 [2.13], SETTLED and REJECTED [3]. Of the others that
the contract marks final it says nothing (question `final-states`), so that only a state that means money moved is held against
what follows. An order that was paid may still be returned: `bounceBackTime` [2.3].
"""

from __future__ import annotations

from enum import IntEnum
from functools import cache
from typing import Final

from paywright.contract import CONTRACT

__all__ = ["Move", "move"]


class Move(IntEnum):
    """What is said of a move from one state to another: nothing, a note, or an error."""

    FINE = 0
    ODD = 1
    WRONG = 2


# State sets whose final states the specification itself calls final.
_STATED: Final = {"SnapTransactionStatus": {"00"}, "TransferStatus": {"SETTLED", "REJECTED"}}  # [2.13, 3]
_RETURNED: Final = {("OrderStatus", "SUCCESS", "BOUNCEBACK")}  # [2.3]


@cache
def move(states: str, before: str, after: str) -> Move:
    """What is said of a move between two states of the set `states`, `before` certainly the earlier one."""
    known = CONTRACT.set(states)
    if before == after or before not in known.final or (states, before, after) in _RETURNED:
        return Move.FINE
    return Move.WRONG if before in known.paid or before in _STATED.get(states, ()) else Move.ODD
