"""Refunds: what an awaited client calls as `client.refunds`."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from typing import Final as _Final

from paywright.resources.refunds import Refunds as _Blocking
from paywright_runtime.client.aio import (
    AsyncResource,
    awaited as _awaited,
    awaited_resolver as _awaited_resolver,
    shared as _shared,
)


class Refunds(AsyncResource):
    """Refunds: create, query [4.13, 4.14]."""

    __slots__ = ()

    create: _Final = _awaited(_Blocking.create)
    """Ask for a refund of a paid order, in the currency of the original transaction."""
    query: _Final = _awaited(_Blocking.query)
    """Ask what became of a refund."""
    resolve: _Final = _awaited_resolver(_Blocking.resolve)
    """Settle a call of create whose outcome is unknown. Nothing is sent yet."""
    follow: _Final = _shared(_Blocking.follow)
    """Describe the Refund with this key for `Follower.open`, which follows it to its last state."""
