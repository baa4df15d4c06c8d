"""Fixtures for the tests of a merchant's program: a whole gateway, new for every test, in this process or served.

pytest finds this module by itself where the SDK is installed; it imports nothing more until a test asks for a fixture:

    def test_an_order_is_paid(paywright_sandbox, paywright_client):
        place_my_order(paywright_client, "ORD_1")
        paywright_sandbox.pay("ORD_1")

A test that passed fails at its end if the sandbox has seen something break the contract, and a test that failed prints what
the sandbox has seen. `@pytest.mark.paywright(policies=..., seed=..., time=..., check=False)` sets these for one test, one
class or one module; so does overriding `paywright_policies`, `paywright_seed` or `paywright_clock`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Mapping
    from pathlib import Path

    from paywright import Client, Receiver
    from paywright.aio import Client as AsyncClient
    from paywright_runtime.clock import Clock
    from paywright_sandbox.testing.handle import SandboxHandle
    from paywright_sandbox.testing.inprocess import InProcessSandbox
    from paywright_sandbox.testing.notification import SignedNotification
    from paywright_sandbox.testing.served import RunningSandbox

__all__ = [
    "paywright_async_client",
    "paywright_client",
    "paywright_clock",
    "paywright_keys",
    "paywright_notification",
    "paywright_policies",
    "paywright_receiver",
    "paywright_sandbox",
    "paywright_seed",
    "paywright_served",
]

S = TypeVar("S", bound="SandboxHandle")
_SETTINGS = ("policies", "seed", "time", "check")
_HOOKS = "paywright-transcripts"


def pytest_configure(config: pytest.Config) -> None:
    """Declare the marker."""
    config.addinivalue_line(
        "markers",
        "paywright(policies, seed, time, check): settings of the sandbox of a test; check=False lets it break the contract",
    )


def _setting(request: pytest.FixtureRequest, name: str) -> object:
    """Return a setting of the nearest marker that has it, or None."""
    for marker in request.node.iter_markers("paywright"):
        unknown = [*map(str, marker.args), *(one for one in marker.kwargs if one not in _SETTINGS)]
        if unknown:
            pytest.fail(
                f"The marker paywright has {', '.join(unknown)}, and takes {', '.join(_SETTINGS)} by name.", False
            )
        if name in marker.kwargs:
            found: object = marker.kwargs[name]
            return found
    return None


class _Transcripts:
    """Adds what a sandbox has seen to the report of a test that failed. Registered with the first sandbox of a session."""

    def __init__(self) -> None:
        self.sandboxes: list[tuple[str, SandboxHandle]] = []

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        for test, sandbox in self.sandboxes:
            if test == item.nodeid and report.failed:
                report.sections.append(("Seen by the sandbox", sandbox.transcript()))
        return report


def _watched(request: pytest.FixtureRequest, sandbox: S) -> Iterator[S]:
    """Yield a sandbox; at the end, fail for what it has seen break the contract."""
    plugins = request.config.pluginmanager
    hooks = plugins.get_plugin(_HOOKS)
    if hooks is None:
        hooks = _Transcripts()
        plugins.register(hooks, _HOOKS)
    watched = (request.node.nodeid, sandbox)
    hooks.sandboxes.append(watched)
    try:
        yield sandbox
    finally:
        hooks.sandboxes.remove(watched)
    seen = sandbox.breaches() if _setting(request, "check") is not False else []
    if seen:
        pytest.fail(
            "The sandbox has seen the contract broken:\n  "
            + "\n  ".join(seen)
            + "\nIf that is what the test is about, mark it: @pytest.mark.paywright(check=False)",
            pytrace=False,
        )


@pytest.fixture(scope="session")
def paywright_keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make the folder with the keys and settings of all sandboxes of the session; keys take a while to make."""
    from paywright_sandbox.init import make_folder

    folder = tmp_path_factory.mktemp("paywright-sandbox")
    make_folder(folder)
    return folder


@pytest.fixture
def paywright_clock(request: pytest.FixtureRequest) -> Clock:
    """Make a clock that stands still at noon of 2025-06-01 UTC, or at the marker's `time`, until `advance` moves it."""
    from datetime import UTC, datetime

    from paywright_runtime.clock import FixedClock

    time = _setting(request, "time")
    if time is None:
        return FixedClock(datetime(2025, 6, 1, 12, tzinfo=UTC))
    try:
        at = datetime.fromisoformat(str(time))
    except ValueError:
        at = None
    if at is None or at.utcoffset() is None:
        pytest.fail(f"The marker's time is {time!r}; write it like 2025-01-31T12:00:00+00:00.", pytrace=False)
    return FixedClock(at)


@pytest.fixture
def paywright_policies(request: pytest.FixtureRequest) -> Mapping[str, object]:
    """Return the policies to override: those of the marker, or none."""
    policies = _setting(request, "policies")
    if not isinstance(policies, dict | None):
        pytest.fail(f"The marker's policies are {policies!r}; write a dict of names and values.", pytrace=False)
    return policies or {}


@pytest.fixture
def paywright_seed(request: pytest.FixtureRequest) -> str:
    """Return the seed of ids and random faults: that of the marker, or 1."""
    seed = _setting(request, "seed")
    return "1" if seed is None else str(seed)


@pytest.fixture
def paywright_sandbox(
    request: pytest.FixtureRequest,
    paywright_keys: Path,
    paywright_clock: Clock,
    paywright_policies: Mapping[str, object],
    paywright_seed: str,
) -> Iterator[InProcessSandbox]:
    """Make a gateway in memory, new for every test."""
    from paywright_sandbox.testing.inprocess import in_process_sandbox

    with in_process_sandbox(
        paywright_keys, policies=paywright_policies, clock=paywright_clock, seed=paywright_seed
    ) as sandbox:
        yield from _watched(request, sandbox)


@pytest.fixture
def paywright_served(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    paywright_keys: Path,
    paywright_clock: Clock,
    paywright_policies: Mapping[str, object],
    paywright_seed: str,
) -> Iterator[RunningSandbox]:
    """Serve a gateway on a free port of this machine, new for every test. It needs the extra `sandbox`."""
    from shutil import copytree

    from paywright_sandbox.testing.served import running_sandbox

    folder = copytree(paywright_keys, tmp_path / "paywright-sandbox")
    with running_sandbox(
        folder, policies=paywright_policies, clock=paywright_clock, wall=paywright_clock, seed=paywright_seed
    ) as sandbox:
        yield from _watched(request, sandbox)


@pytest.fixture
def paywright_client(paywright_sandbox: InProcessSandbox) -> Iterator[Client]:
    """Make a client of `paywright_sandbox`."""
    with paywright_sandbox.client() as client:
        yield client


@pytest.fixture
def paywright_async_client(paywright_sandbox: InProcessSandbox) -> AsyncClient:
    """Make a client of `paywright_sandbox` whose calls are awaited. It needs the extra `async`."""
    return paywright_sandbox.async_client()


@pytest.fixture
def paywright_receiver(paywright_sandbox: InProcessSandbox) -> Receiver:
    """Make a receiver with a ledger in memory, connected to `paywright_sandbox`: register your handlers with it."""
    return paywright_sandbox.receiver()


@pytest.fixture
def paywright_notification(paywright_sandbox: InProcessSandbox) -> Callable[..., SignedNotification]:
    """Return the function that makes a signed notification: see `SandboxHandle.notification`."""
    return paywright_sandbox.notification
