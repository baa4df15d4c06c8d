"""Accounts: what an awaited client calls as `client.accounts`."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from typing import Final as _Final

from paywright.resources.accounts import Accounts as _Blocking
from paywright_runtime.client.aio import AsyncResource, awaited as _awaited


class Accounts(AsyncResource):
    """Accounts: list_authorized [4.16]."""

    __slots__ = ()

    list_authorized: _Final = _awaited(_Blocking.list_authorized)
    """List the funds accounts that are authorised for product categories."""
