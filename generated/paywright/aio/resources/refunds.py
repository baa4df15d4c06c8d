"""Refunds: what an awaited client calls as `client.refunds`."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from typing import TYPE_CHECKING

from paywright_runtime.client.calls import OperationRef, UnknownWrite
from paywright_runtime.tracebacks import strip_frames_async

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from decimal import Decimal

    from paywright.models.refunds import Refund, RefundCreated
    from paywright_runtime.client.aio.resolver import AsyncResolve, AsyncResolver
    from paywright_runtime.client.calls import AsyncCall
    from paywright_runtime.client.follow import Follow
    from paywright_runtime.errors import OutcomeUnknown, PaywrightError

_CREATE: OperationRef[RefundCreated] = OperationRef("refunds.create")
_QUERY: OperationRef[Refund] = OperationRef("refunds.query")
_RESOLVE: OperationRef[Refund] = OperationRef("refunds.query")


class Refunds:
    """Refunds: create, query [4.13, 4.14]."""

    __slots__ = ("_call", "_resolve")

    def __init__(self, call: AsyncCall, resolve: AsyncResolve) -> None:
        self._call = call
        self._resolve = resolve

    @strip_frames_async
    async def create(
        self,
        *,
        out_refund_no: str,
        refund_amount: Decimal | int,
        refund_currency: str,
        out_trade_no: str | None = None,
        trade_token: str | None = None,
        comments: str | None = None,
        refund_notify_url: str | None = None,
        extra: Mapping[str, object] | None = None,
    ) -> RefundCreated:
        """Ask for a refund of a paid order, in the currency of the original transaction.

        `paywright.Client.refunds.create` documents the arguments, the rules and the errors.
        """
        return await self._call(
            _CREATE,
            {
                "outRefundNo": out_refund_no,
                "refundAmount": refund_amount,
                "refundCurrency": refund_currency,
                "outTradeNo": out_trade_no,
                "tradeToken": trade_token,
                "comments": comments,
                "refundNotifyUrl": refund_notify_url,
            },
            extra,
        )

    @strip_frames_async
    async def query(
        self,
        *,
        out_refund_no: str | None = None,
        refund_trade_no: str | None = None,
        extra: Mapping[str, object] | None = None,
    ) -> Refund:
        """Ask what became of a refund.

        `paywright.Client.refunds.query` documents the arguments, the rules and the errors.
        """
        return await self._call(
            _QUERY,
            {
                "outRefundNo": out_refund_no,
                "refundTradeNo": refund_trade_no,
            },
            extra,
        )

    def resolve(
        self,
        error: OutcomeUnknown | None = None,
        /,
        *,
        out_refund_no: str | None = None,
        refund_amount: Decimal | int | None = None,
        refund_currency: str | None = None,
        out_trade_no: str | None = None,
    ) -> AsyncResolver[Refund]:
        """Settle a call of create whose outcome is unknown. Nothing is sent yet.

        `paywright.Client.refunds.resolve` documents the arguments, the rules and the errors.
        """
        return self._resolve(
            _RESOLVE,
            UnknownWrite(
                "refunds.create",
                error,
                out_refund_no,
                {},
                {"refundAmount": refund_amount, "refundCurrency": refund_currency, "outTradeNo": out_trade_no},
            ),
        )

    def follow(
        self,
        out_refund_no: str,
        *,
        refund_amount: Decimal | int | None = None,
        refund_currency: str | None = None,
        out_trade_no: str | None = None,
        expires_at: datetime | None = None,
        unknown: bool = False,
        after: PaywrightError | None = None,
    ) -> Follow:
        """Describe the Refund with this key for `Follower.open`, which follows it to its last state.

        `paywright.Client.refunds.follow` documents the arguments, the rules and the errors.
        """
        from paywright_runtime.client.follow import Follow

        return Follow(
            "refunds",
            out_refund_no,
            {},
            {"refundAmount": refund_amount, "refundCurrency": refund_currency, "outTradeNo": out_trade_no},
            expires_at,
            unknown,
            after,
        )
