"""PaymentLinks: what an awaited client calls as `client.payment_links`."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from typing import Final as _Final

from paywright.resources.payment_links import PaymentLinks as _Blocking
from paywright_runtime.client.aio import AsyncResource, awaited as _awaited, shared as _shared


class PaymentLinks(AsyncResource):
    """PaymentLinks: query [4.4]."""

    __slots__ = ()

    query: _Final = _awaited(_Blocking.query)
    """Ask for a payment link and the transactions made through it."""
    follow: _Final = _shared(_Blocking.follow)
    """Describe the PayByLink with this key for `Follower.open`, which follows it to its last state."""
