"""Rates: what an awaited client calls as `client.rates`."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from typing import Final as _Final

from paywright.resources.rates import Rates as _Blocking
from paywright_runtime.client.aio import AsyncResource, awaited as _awaited


class Rates(AsyncResource):
    """Rates: query [4.8]."""

    __slots__ = ()

    query: _Final = _awaited(_Blocking.query)
    """Ask for exchange rates of payin or payout."""
