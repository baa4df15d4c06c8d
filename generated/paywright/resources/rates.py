"""Rates: what a client calls as `client.rates`."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from typing import TYPE_CHECKING

from paywright.operations import RATES_QUERY
from paywright_runtime.tracebacks import strip_frames

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import date
    from typing import Literal

    from paywright.models.rates import CurrencyList, RatePair
    from paywright_runtime.client.operation_refs import Call


class Rates:
    """Rates: query [4.8]."""

    __slots__ = ("_call",)

    def __init__(self, call: Call) -> None:
        self._call = call

    @strip_frames
    def query(
        self,
        *,
        ccy_pair_list: Sequence[RatePair],
        product: Literal["PAY_IN", "PAY_OUT"],
        valid_time: date | None = None,
        extra: Mapping[str, object] | None = None,
    ) -> CurrencyList:
        """Ask for exchange rates of payin or payout.

        Rates are for reference, not a trading commitment; the relevant product must be activated.

        Args:
            ccy_pair_list: at most 40 elements.
            product: one of PAY_IN, PAY_OUT.
            valid_time: yyyyMMdd, may be empty; acquiring locked rate only; empty: the current period's; the next
                period's 15 minutes early by passing the next day's date; expired rates cannot be queried.
            extra: members newer than the contract, by wire name.

        Returns:
            CurrencyList: The rates that were asked for.

        Raises:
            ContractViolation: an argument breaks the contract; all violations at once, nothing was sent.
            NotSent: no byte of the body left; safe to repeat.
            NoAnswer: no verified answer came; safe to repeat.
            GatewayError: a verified refusal.
            UnreadableAnswer: a verified success that lacks a required member.

        See section 4.8 of the specification.
        """
        return self._call(
            RATES_QUERY,
            {
                "ccyPairList": ccy_pair_list,
                "product": product,
                "validTime": valid_time,
            },
            extra,
        )
