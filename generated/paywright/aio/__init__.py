"""The awaited client, for asyncio and trio; needs `pip install 'paywright[async]'`."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from typing import TYPE_CHECKING

from paywright_runtime.lazy import lazily

if TYPE_CHECKING:
    from paywright.aio.client import Client as Client
    from paywright_runtime.client.aio import AsyncResolver as AsyncResolver
    from paywright_runtime.client.aio import AsyncSigner as AsyncSigner
    from paywright_runtime.client.aio import AwaitedSigner as AwaitedSigner
    from paywright_runtime.transport.aio import AsyncHttpTransport as AsyncHttpTransport
    from paywright_runtime.transport.api import AsyncTransport as AsyncTransport

_HOMES = {
    "paywright.aio.client": "Client",
    "paywright_runtime.client.aio": "AsyncResolver AsyncSigner AwaitedSigner",
    "paywright_runtime.transport.aio": "AsyncHttpTransport",
    "paywright_runtime.transport.api": "AsyncTransport",
}

__all__ = ["AsyncHttpTransport", "AsyncResolver", "AsyncSigner", "AsyncTransport", "AwaitedSigner", "Client"]

if not TYPE_CHECKING:  # type checkers would accept every name
    __getattr__ = lazily(globals(), _HOMES)
