"""What the tests of the sandbox share: one folder of keys a session, and an engine with a clock that stands still."""

import shutil
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from paywright import Client
from paywright_runtime.clock import FixedClock
from paywright_sandbox.delivery import http_client
from paywright_sandbox.engine.state.store import Store
from paywright_sandbox.gateway import make_engine, make_policies, open_store, read_settings
from paywright_sandbox.testing.inprocess import InProcessSandbox, in_process_sandbox
from paywright_sandbox.testing.served import RunningSandbox, running_sandbox
from tests.sandbox.helpers.desk import Desk
from tests.sandbox.helpers.merchant_server import MerchantServer, merchant_server
from tests.sandbox.helpers.pages import Reader
from tests.sandbox.helpers.plain import PlainClient


@pytest.fixture(autouse=True)
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Deliveries wait for a merchant's server however busy the machine is; a test of one that is silent sets its own time."""
    monkeypatch.setattr(http_client, "attempt_seconds", lambda _: 600.0)


@pytest.fixture
def folder(made_once: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made_once, tmp_path / "sandbox"))


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(datetime(2025, 6, 1, 12, tzinfo=UTC))


@pytest.fixture
def open_desk(folder: Path, clock: FixedClock) -> Iterator[Callable[..., Desk]]:
    """Makes desks: an engine in memory, with policies of one's own."""
    stores: list[Store] = []

    def make(**policies: object) -> Desk:
        settings = read_settings(folder)
        settings.policies = make_policies({name.replace("_", "-"): value for name, value in policies.items()})
        store = open_store()
        stores.append(store)
        engine = make_engine(settings, store, address="http://127.0.0.1:8787", clock=clock, wall=clock)
        return Desk(engine, folder, clock)

    yield make
    for store in stores:
        store.close()


@pytest.fixture
def desk(open_desk: Callable[..., Desk]) -> Desk:
    return open_desk()


@pytest.fixture
def on_disk(folder: Path, clock: FixedClock) -> Callable[..., Desk]:
    """Opens a desk on the folder's own state file, with settings of one's own; whoever opens it closes its store."""

    def opened(**settings: object) -> Desk:
        read = read_settings(folder)
        for name, value in settings.items():
            setattr(read, name, value)
        engine = make_engine(read, open_store(read.state), address="http://127.0.0.1:8787", clock=clock, wall=clock)
        return Desk(engine, folder, clock)

    return opened


@pytest.fixture
def merchant(folder: Path) -> Iterator[MerchantServer]:
    with merchant_server(folder / "keys" / "gateway.pub") as server:
        yield server


@pytest.fixture
def running(folder: Path) -> Iterator[RunningSandbox]:
    """A sandbox that is served on the test's own folder."""
    with running_sandbox(folder) as sandbox:
        yield sandbox


@pytest.fixture
def inside(made_once: Path, clock: FixedClock) -> Iterator[InProcessSandbox]:
    with in_process_sandbox(made_once, clock=clock) as sandbox:
        yield sandbox


@pytest.fixture(scope="module")
def sandbox(made_once: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSandbox]:
    """A sandbox that is served, one for all tests of a file."""
    folder = Path(shutil.copytree(made_once, tmp_path_factory.mktemp("served") / "sandbox"))
    with running_sandbox(folder) as running:
        yield running


@pytest.fixture
def client(sandbox: Any) -> Iterator[Client]:
    with sandbox.client() as made:
        yield made


@pytest.fixture
def plain(sandbox: RunningSandbox) -> Iterator[PlainClient]:
    made = PlainClient.of(sandbox)
    yield made
    made.close()


@pytest.fixture
def reader(sandbox: RunningSandbox) -> Reader:
    return Reader(sandbox.base_url)
