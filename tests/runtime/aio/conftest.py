"""An awaited client, a merchant and a canned gateway, with real keys; each test runs under asyncio and under trio."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from paywright import Merchant
from paywright.aio import Client
from tests.runtime.helpers.canned_gateway import Gateway


@pytest.fixture(params=["asyncio", "trio"])
def anyio_backend(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
async def client(anyio_backend: str, gateway: Gateway, merchant: Merchant) -> AsyncIterator[Client]:
    async with Client(base_url=gateway.base_url, merchant=merchant, timeout=10_000) as client:
        yield client
