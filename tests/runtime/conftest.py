"""Fixture of the runtime's tests: each kind of transport."""

import pytest

from tests.runtime.helpers.transport_kinds import KINDS, Kind, choose


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> Kind:
    """Runs a test once for each kind of transport, which `open_transport` makes."""
    chosen: Kind = request.param
    choose(chosen)
    return chosen
