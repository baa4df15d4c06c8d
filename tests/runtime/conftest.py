"""What the tests of the runtime share: real keys, made once a session."""

import pytest

from paywright_runtime.keys import KeyPair, generate_key_pair


@pytest.fixture(scope="session")
def merchant_keys() -> KeyPair:
    return generate_key_pair()


@pytest.fixture(scope="session")
def gateway_keys() -> KeyPair:
    return generate_key_pair()
