"""A client, a merchant and a canned gateway, with real keys."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from canned_gateway import Gateway

from paywright import Client, Merchant
from paywright_runtime.keys import KeyPair, generate_key_pair


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
def client(gateway: Gateway, merchant: Merchant) -> Iterator[Client]:
    paths = {"payment_tokens.inquire": "/biz", "cases.inquire": "/biz"}
    with Client(base_url=gateway.base_url, merchant=merchant, timeout=5, paths=paths) as client:
        yield client
