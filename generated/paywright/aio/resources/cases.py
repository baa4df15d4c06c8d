"""Cases: what an awaited client calls as `client.cases`."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from typing import Final as _Final

from paywright.resources.cases import Cases as _Blocking
from paywright_runtime.client.aio import AsyncResource, awaited as _awaited


class Cases(AsyncResource):
    """Cases: search, inquire [4.9, 4.10]."""

    __slots__ = ()

    search: _Final = _awaited(_Blocking.search)
    """Ask for a chargeback case."""
    inquire: _Final = _awaited(_Blocking.inquire)
    """Ask for a chargeback case, in the bizType form."""
