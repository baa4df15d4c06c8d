"""A client, a merchant and a canned gateway, with real keys."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from paywright import Client, Merchant
from tests.runtime.helpers.canned_gateway import Gateway


@pytest.fixture
def client(gateway: Gateway, merchant: Merchant) -> Iterator[Client]:
    paths = {"payment_tokens.inquire": "/biz", "cases.inquire": "/biz"}
    with Client(base_url=gateway.base_url, merchant=merchant, timeout=60, paths=paths) as client:
        yield client
