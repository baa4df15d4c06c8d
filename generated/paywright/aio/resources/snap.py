"""Snap: what an awaited client calls as `client.snap`."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from typing import Final as _Final

from paywright.resources.snap import Snap as _Blocking
from paywright_runtime.client.aio import AsyncResource, awaited as _awaited, awaited_resolver as _awaited_resolver


class Snap(AsyncResource):
    """Snap: status, cancel [4.17]."""

    __slots__ = ()

    status: _Final = _awaited(_Blocking.status)
    """Ask for the state of a bank-style payment."""
    cancel: _Final = _awaited(_Blocking.cancel)
    """Cancel a bank-style payment."""
    resolve: _Final = _awaited_resolver(_Blocking.resolve)
    """Settle a call of cancel whose outcome is unknown. Nothing is sent yet."""
