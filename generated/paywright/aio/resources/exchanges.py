"""Exchanges: what an awaited client calls as `client.exchanges`."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from typing import Final as _Final

from paywright.resources.exchanges import Exchanges as _Blocking
from paywright_runtime.client.aio import (
    AsyncResource,
    awaited as _awaited,
    awaited_resolver as _awaited_resolver,
    shared as _shared,
)


class Exchanges(AsyncResource):
    """Exchanges: create, query [4.11, 4.12]."""

    __slots__ = ()

    create: _Final = _awaited(_Blocking.create)
    """Exchange available balance between two currencies, one of which is USD."""
    query: _Final = _awaited(_Blocking.query)
    """Ask what became of an exchange."""
    resolve: _Final = _awaited_resolver(_Blocking.resolve)
    """Settle a call of create whose outcome is unknown. Nothing is sent yet."""
    follow: _Final = _shared(_Blocking.follow)
    """Describe the Exchange with this key for `Follower.open`, which follows it to its last state."""
