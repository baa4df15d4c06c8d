"""Orders: what an awaited client calls as `client.orders`."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from typing import Final as _Final

from paywright.resources.orders import Orders as _Blocking
from paywright_runtime.client.aio import (
    AsyncResource,
    awaited as _awaited,
    awaited_resolver as _awaited_resolver,
    shared as _shared,
)


class Orders(AsyncResource):
    """Orders: checkout, drop_in, query [4.1, 4.2, 4.3]."""

    __slots__ = ()

    checkout: _Final = _awaited(_Blocking.checkout)
    """Create an order that the payer pays on the hosted cashier page."""
    drop_in: _Final = _awaited(_Blocking.drop_in)
    """Submit a payment whose data the merchant collected itself (Drop-In)."""
    query: _Final = _awaited(_Blocking.query)
    """Ask what became of an order."""
    resolve: _Final = _awaited_resolver(_Blocking.resolve)
    """Settle a call of checkout or drop_in whose outcome is unknown. Nothing is sent yet."""
    follow: _Final = _shared(_Blocking.follow)
    """Describe the Order with this key for `Follower.open`, which follows it to its last state."""
