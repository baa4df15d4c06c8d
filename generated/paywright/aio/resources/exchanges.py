"""Exchanges: what an awaited client calls as `client.exchanges`."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from typing import TYPE_CHECKING

from paywright_runtime.client.calls import OperationRef, UnknownWrite
from paywright_runtime.tracebacks import strip_frames_async

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from decimal import Decimal
    from typing import Literal

    from paywright.models.exchanges import Exchange, ExchangeCreated
    from paywright_runtime.client.aio.resolver import AsyncResolve, AsyncResolver
    from paywright_runtime.client.calls import AsyncCall
    from paywright_runtime.client.follow import Follow
    from paywright_runtime.errors import OutcomeUnknown, PaywrightError

_CREATE: OperationRef[ExchangeCreated] = OperationRef("exchanges.create")
_QUERY: OperationRef[Exchange] = OperationRef("exchanges.query")
_RESOLVE: OperationRef[Exchange] = OperationRef("exchanges.query")


class Exchanges:
    """Exchanges: create, query [4.11, 4.12]."""

    __slots__ = ("_call", "_resolve")

    def __init__(self, call: AsyncCall, resolve: AsyncResolve) -> None:
        self._call = call
        self._resolve = resolve

    @strip_frames_async
    async def create(
        self,
        *,
        ccy_pair: str,
        out_trade_no: str,
        side: Literal["BUY", "SELL"],
        transaction_amount: Decimal | int,
        transaction_ccy: str,
        target_ccy: str,
        rate_version: str | None = None,
        extra: Mapping[str, object] | None = None,
    ) -> ExchangeCreated:
        """Exchange available balance between two currencies, one of which is USD.

        `paywright.Client.exchanges.create` documents the arguments, the rules and the errors.
        """
        return await self._call(
            _CREATE,
            {
                "ccyPair": ccy_pair,
                "outTradeNo": out_trade_no,
                "side": side,
                "transactionAmount": transaction_amount,
                "transactionCcy": transaction_ccy,
                "targetCcy": target_ccy,
                "rateVersion": rate_version,
            },
            extra,
        )

    @strip_frames_async
    async def query(
        self,
        *,
        out_trade_no: str,
        extra: Mapping[str, object] | None = None,
    ) -> Exchange:
        """Ask what became of an exchange.

        `paywright.Client.exchanges.query` documents the arguments, the rules and the errors.
        """
        return await self._call(
            _QUERY,
            {
                "outTradeNo": out_trade_no,
            },
            extra,
        )

    def resolve(
        self,
        error: OutcomeUnknown | None = None,
        /,
        *,
        out_trade_no: str | None = None,
        ccy_pair: str | None = None,
        side: Literal["BUY", "SELL"] | None = None,
        transaction_amount: Decimal | int | None = None,
        transaction_ccy: str | None = None,
        target_ccy: str | None = None,
    ) -> AsyncResolver[Exchange]:
        """Settle a call of create whose outcome is unknown. Nothing is sent yet.

        `paywright.Client.exchanges.resolve` documents the arguments, the rules and the errors.
        """
        return self._resolve(
            _RESOLVE,
            UnknownWrite(
                "exchanges.create",
                error,
                out_trade_no,
                {},
                {
                    "ccyPair": ccy_pair,
                    "side": side,
                    "transactionAmount": transaction_amount,
                    "transactionCcy": transaction_ccy,
                    "targetCcy": target_ccy,
                },
            ),
        )

    def follow(
        self,
        out_trade_no: str,
        *,
        ccy_pair: str | None = None,
        side: Literal["BUY", "SELL"] | None = None,
        transaction_amount: Decimal | int | None = None,
        transaction_ccy: str | None = None,
        target_ccy: str | None = None,
        expires_at: datetime | None = None,
        unknown: bool = False,
        after: PaywrightError | None = None,
    ) -> Follow:
        """Describe the Exchange with this key for `Follower.open`, which follows it to its last state.

        `paywright.Client.exchanges.follow` documents the arguments, the rules and the errors.
        """
        from paywright_runtime.client.follow import Follow

        return Follow(
            "exchanges",
            out_trade_no,
            {},
            {
                "ccyPair": ccy_pair,
                "side": side,
                "transactionAmount": transaction_amount,
                "transactionCcy": transaction_ccy,
                "targetCcy": target_ccy,
            },
            expires_at,
            unknown,
            after,
        )
