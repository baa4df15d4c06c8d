"""What these tests share: keys, made once a session, and the folder of a sandbox."""

from __future__ import annotations

from pathlib import Path

import pytest

from paywright import Merchant
from paywright_runtime.keys import KeyPair, generate_key_pair
from paywright_tools.sandbox.folder import make_folder


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder as `paywright sandbox init` leaves it. Not to be changed."""
    folder = tmp_path_factory.mktemp("sandbox")
    make_folder(folder)
    return folder


@pytest.fixture(scope="session")
def gateway_keys() -> KeyPair:
    return generate_key_pair()


@pytest.fixture(scope="session")
def merchant_keys() -> KeyPair:
    return generate_key_pair()


@pytest.fixture
def merchant(gateway_keys: KeyPair, merchant_keys: KeyPair) -> Merchant:
    return Merchant(
        app_id="app_1",
        private_key=merchant_keys.private_pem,
        gateway_keys=[gateway_keys.public_pem],
        merchant_no="M100",
    )
