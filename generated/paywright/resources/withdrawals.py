"""Withdrawals: what a client calls as `client.withdrawals`."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from typing import TYPE_CHECKING

from paywright.operations import WITHDRAWALS_QUERY
from paywright_runtime.tracebacks import strip_frames

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from paywright.models.withdrawals import WithdrawOrder
    from paywright_runtime.client.operation_refs import Call, Follow


class Withdrawals:
    """Withdrawals: query [4.15]."""

    __slots__ = ("_call",)

    def __init__(self, call: Call) -> None:
        self._call = call

    @strip_frames
    def query(
        self,
        *,
        out_trade_no: str,
        extra: Mapping[str, object] | None = None,
    ) -> WithdrawOrder:
        """Ask what became of a withdraw order that was made through the API.

        Args:
            out_trade_no: no limit is stated.
            extra: members newer than the contract, by wire name.

        Returns:
            WithdrawOrder: A withdraw order.

        Raises:
            ContractViolation: an argument breaks the contract; all violations at once, nothing was sent.
            NotSent: no byte of the body left; safe to repeat.
            NoAnswer: no verified answer came; safe to repeat.
            GatewayError: a verified refusal.
            UnreadableAnswer: a verified success that lacks a required member.

        See section 4.15 of the specification.
        """
        return self._call(
            WITHDRAWALS_QUERY,
            {
                "outTradeNo": out_trade_no,
            },
            extra,
        )

    def follow(self, out_trade_no: str, *, expires_at: datetime | None = None) -> Follow:
        """Describe the WithdrawOrder with this key for `Follower.open`, which follows it to its last state.

        The follower asks withdrawals.query soon after a hint, then at growing intervals, and once more when it must
        be closed. It is settled when status is SUCCESS or FAILED.

        Args:
            out_trade_no: the key, as it was sent.
            expires_at: the aware time until which it can stay open; by default no end is known.

        See sections 3, 2.10, 4.15 of the specification.
        """
        from paywright_runtime.client.operation_refs import Follow

        return Follow("withdrawals", out_trade_no, {}, {}, expires_at)
