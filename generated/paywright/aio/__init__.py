"""The awaited client, for asyncio and trio; needs `pip install 'paywright[async]'`."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from paywright.aio.client import Client as Client
    from paywright_runtime.client.aio.resolver import AsyncResolver as AsyncResolver
    from paywright_runtime.client.aio.signer import AsyncSigner as AsyncSigner
    from paywright_runtime.client.aio.signer import AwaitedSigner as AwaitedSigner
    from paywright_runtime.transport.aio.transport import AsyncHttpTransport as AsyncHttpTransport
    from paywright_runtime.transport.api import AsyncTransport as AsyncTransport

_HOMES = {
    "AsyncHttpTransport": "paywright_runtime.transport.aio.transport",
    "AsyncResolver": "paywright_runtime.client.aio.resolver",
    "AsyncSigner": "paywright_runtime.client.aio.signer",
    "AsyncTransport": "paywright_runtime.transport.api",
    "AwaitedSigner": "paywright_runtime.client.aio.signer",
    "Client": "paywright.aio.client",
}

__all__ = ["AsyncHttpTransport", "AsyncResolver", "AsyncSigner", "AsyncTransport", "AwaitedSigner", "Client"]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value
