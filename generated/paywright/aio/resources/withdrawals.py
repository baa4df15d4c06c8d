"""Withdrawals: what an awaited client calls as `client.withdrawals`."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from typing import TYPE_CHECKING

from paywright_runtime.client.calls import OperationRef
from paywright_runtime.tracebacks import strip_frames_async

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from paywright.models.withdrawals import WithdrawOrder
    from paywright_runtime.client.calls import AsyncCall
    from paywright_runtime.client.follow import Follow

_QUERY: OperationRef[WithdrawOrder] = OperationRef("withdrawals.query")


class Withdrawals:
    """Withdrawals: query [4.15]."""

    __slots__ = ("_call",)

    def __init__(self, call: AsyncCall) -> None:
        self._call = call

    @strip_frames_async
    async def query(
        self,
        *,
        out_trade_no: str,
        extra: Mapping[str, object] | None = None,
    ) -> WithdrawOrder:
        """Ask what became of a withdraw order that was made through the API.

        `paywright.Client.withdrawals.query` documents the arguments, the rules and the errors.
        """
        return await self._call(
            _QUERY,
            {
                "outTradeNo": out_trade_no,
            },
            extra,
        )

    def follow(self, out_trade_no: str, *, expires_at: datetime | None = None) -> Follow:
        """Describe the WithdrawOrder with this key for `Follower.open`, which follows it to its last state.

        `paywright.Client.withdrawals.follow` documents the arguments, the rules and the errors.
        """
        from paywright_runtime.client.follow import Follow

        return Follow("withdrawals", out_trade_no, {}, {}, expires_at)
