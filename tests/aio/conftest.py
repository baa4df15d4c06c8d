"""An awaited client, a merchant and a canned gateway, with real keys; each test runs under asyncio and under trio."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest
from canned_gateway import Gateway

from paywright import Merchant
from paywright.aio import Client
from paywright_runtime.keys import KeyPair, generate_key_pair


@pytest.fixture(params=["asyncio", "trio"])
def anyio_backend(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="session")
def gateway_keys() -> KeyPair:
    return generate_key_pair()


@pytest.fixture(scope="session")
def merchant_keys() -> KeyPair:
    return generate_key_pair()


@pytest.fixture
def gateway(gateway_keys: KeyPair) -> Iterator[Gateway]:
    gateway = Gateway(gateway_keys)
    yield gateway
    gateway.close()


@pytest.fixture
def merchant(gateway_keys: KeyPair, merchant_keys: KeyPair) -> Merchant:
    return Merchant(
        app_id="app_1",
        private_key=merchant_keys.private_pem,
        gateway_keys=[gateway_keys.public_pem],
        merchant_no="M100",
        member_id="MB1",
        sp_merchant_no="SP1",
        merchant_id="MID1",
        snap_partner_id="P1",
        snap_channel_id="C1",
    )


@pytest.fixture
async def client(anyio_backend: str, gateway: Gateway, merchant: Merchant) -> AsyncIterator[Client]:
    async with Client(base_url=gateway.base_url, merchant=merchant, timeout=5) as client:
        yield client
