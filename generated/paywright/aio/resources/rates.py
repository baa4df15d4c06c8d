"""Rates: what an awaited client calls as `client.rates`."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from typing import TYPE_CHECKING

from paywright_runtime.client.calls import OperationRef
from paywright_runtime.tracebacks import strip_frames_async

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import date
    from typing import Literal

    from paywright.models.rates import CurrencyList, RatePair
    from paywright_runtime.client.calls import AsyncCall

_QUERY: OperationRef[CurrencyList] = OperationRef("rates.query")


class Rates:
    """Rates: query [4.8]."""

    __slots__ = ("_call",)

    def __init__(self, call: AsyncCall) -> None:
        self._call = call

    @strip_frames_async
    async def query(
        self,
        *,
        ccy_pair_list: Sequence[RatePair],
        product: Literal["PAY_IN", "PAY_OUT"],
        valid_time: date | None = None,
        extra: Mapping[str, object] | None = None,
    ) -> CurrencyList:
        """Ask for exchange rates of payin or payout.

        `paywright.Client.rates.query` documents the arguments, the rules and the errors.
        """
        return await self._call(
            _QUERY,
            {
                "ccyPairList": ccy_pair_list,
                "product": product,
                "validTime": valid_time,
            },
            extra,
        )
