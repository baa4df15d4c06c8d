"""Fixtures of the runtime's tests: each kind of transport, and whom it trusts."""

import pytest

from tests.runtime.helpers.transport_kinds import KINDS, Kind, choose
from tests.runtime.helpers.transport_servers import Authority


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> Kind:
    """Runs a test once for each kind of transport, which `open_transport` makes."""
    chosen: Kind = request.param
    choose(chosen)
    return chosen


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))
