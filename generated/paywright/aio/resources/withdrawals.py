"""Withdrawals: what an awaited client calls as `client.withdrawals`."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from typing import Final as _Final

from paywright.resources.withdrawals import Withdrawals as _Blocking
from paywright_runtime.client.aio import AsyncResource, awaited as _awaited, shared as _shared


class Withdrawals(AsyncResource):
    """Withdrawals: query [4.15]."""

    __slots__ = ()

    query: _Final = _awaited(_Blocking.query)
    """Ask what became of a withdraw order that was made through the API."""
    follow: _Final = _shared(_Blocking.follow)
    """Describe the WithdrawOrder with this key for `Follower.open`, which follows it to its last state."""
