"""Decide which state may follow which: the table of docs/audit.md, "States".

The specification calls final only the bank-style 00 [2.13] and both ends of a withdraw order [2.10]. It does not say
that the other states which the contract marks final or settled are (question `final-states`). So what follows is an
error only after a state in which money moved, there or back. A paid order may still be returned [2.3]: the contract's
moves lead out of a settled state.
"""

from __future__ import annotations

from enum import IntEnum
from functools import cache
from typing import Final

from paywright.contract import CONTRACT
from paywright_audit.cross_exchange.subjects import ending

__all__ = ["Move", "move"]


class Move(IntEnum):
    """The verdict on a move from one state to another: no finding, a note, or an error."""

    FINE = 0
    ODD = 1
    WRONG = 2


# States that the specification itself calls final [2.13, 2.10], and one whose words say that money was returned [3].
_STATED: Final = {
    "SnapTransactionStatus": {"00"}, "WithdrawStatus": {"SUCCESS", "FAILED"}, "TransferStatus": {"REJECTED"}
}  # fmt: skip


@cache
def move(states: str, before: str, after: str) -> Move:
    """Return the verdict on a move between two states of the set `states`. `before` is certainly the earlier one."""
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
