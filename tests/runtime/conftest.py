"""What the tests of the runtime share: real keys, made once a session, and the kinds of transport."""

import pytest
from transport_kinds import KINDS, Kind, choose

from paywright_runtime.keys import KeyPair, generate_key_pair


@pytest.fixture(scope="session")
def merchant_keys() -> KeyPair:
    return generate_key_pair()


@pytest.fixture(scope="session")
def gateway_keys() -> KeyPair:
    return generate_key_pair()


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> Kind:
    """Runs a test once for each kind of transport, which `open_transport` makes."""
    chosen: Kind = request.param
    choose(chosen)
    return chosen
