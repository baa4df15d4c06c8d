"""Subscriptions: what an awaited client calls as `client.subscriptions`."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from typing import Final as _Final

from paywright.resources.subscriptions import Subscriptions as _Blocking
from paywright_runtime.client.aio import (
    AsyncResource,
    awaited as _awaited,
    awaited_resolver as _awaited_resolver,
    shared as _shared,
)


class Subscriptions(AsyncResource):
    """Subscriptions: create [4.5]."""

    __slots__ = ()

    create: _Final = _awaited(_Blocking.create)
    """Create a subscription plan: regular, n-day trial or n-period promotion, by the parts that are sent."""
    resolve: _Final = _awaited_resolver(_Blocking.resolve)
    """Settle a call of create whose outcome is unknown. Nothing is sent yet."""
    follow: _Final = _shared(_Blocking.follow)
    """Describe the PeriodResult with this key for `Follower.open`, which follows it to its last state."""
