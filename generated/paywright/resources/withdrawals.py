"""Withdrawals: what a client calls as `client.withdrawals`."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from typing import TYPE_CHECKING

from paywright_runtime.contract.calls import OperationRef
from paywright_runtime.tracebacks import strip_frames

if TYPE_CHECKING:
    from collections.abc import Mapping

    from paywright.models.withdrawals import WithdrawOrder
    from paywright_runtime.contract.calls import Call

_QUERY: OperationRef[WithdrawOrder] = OperationRef("withdrawals.query")


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

        See sections 4.15 of the specification.
        """
        return self._call(
            _QUERY,
            {
                "outTradeNo": out_trade_no,
            },
            extra,
        )
