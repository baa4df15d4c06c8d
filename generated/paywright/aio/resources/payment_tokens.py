"""PaymentTokens: what an awaited client calls as `client.payment_tokens`."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from typing import Final as _Final

from paywright.resources.payment_tokens import PaymentTokens as _Blocking
from paywright_runtime.client.aio import AsyncResource, awaited as _awaited


class PaymentTokens(AsyncResource):
    """PaymentTokens: list, inquire [4.6, 4.7]."""

    __slots__ = ()

    list: _Final = _awaited(_Blocking.list)
    """List the saved payment methods of a user."""
    inquire: _Final = _awaited(_Blocking.inquire)
    """List the saved payment methods of a user, in the bizType form."""
