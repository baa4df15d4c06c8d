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

from collections.abc import Callable, Generator
from contextlib import ExitStack, suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NoReturn, TypeVar, cast

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from contextlib import AbstractContextManager
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
_SETTINGS: dict[str, tuple[tuple[type, ...], str]] = {
    "policies": ((dict,), "a dict of names and values"),
    "seed": ((str, int), "a text or a number"),
    "time": ((str, datetime), "a time like 2025-01-31T12:00:00+00:00"),
    "check": ((bool,), "True or False"),
}
_SEEN = pytest.StashKey[list[Callable[[], str]]]()


def pytest_configure(config: pytest.Config) -> None:
    """Declare the marker."""
    config.addinivalue_line(
        "markers",
        "paywright(policies, seed, time, check): settings of the sandbox of a test; check=False lets it break the contract",
    )


def _setting(request: pytest.FixtureRequest, name: str, usual: object) -> object:
    """Return a setting of the nearest marker that has it, or the usual one."""
    for marker in request.node.iter_markers("paywright"):
        unknown = [*map(str, marker.args), *(one for one in marker.kwargs if one not in _SETTINGS)]
        if unknown:
            pytest.fail(
                f"The marker paywright has {', '.join(unknown)}, and takes {', '.join(_SETTINGS)} by name.", False
            )
        if name in marker.kwargs:
            found: object = marker.kwargs[name]
            if not isinstance(found, _SETTINGS[name][0]):
                _refuse(name, found)
            return found
    return usual


def _refuse(name: str, found: object) -> NoReturn:
    pytest.fail(f"The marker has {name}={found!r}; write {_SETTINGS[name][1]}.", pytrace=False)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add what the sandboxes of a test have seen to its first report that failed."""
    report = yield
    if report.failed:
        report.sections += [("Seen by the sandbox", one()) for one in item.stash.get(_SEEN, ())]
        item.stash[_SEEN] = []
    return report


def _watched(request: pytest.FixtureRequest, opened: AbstractContextManager[S]) -> Iterator[S]:
    """Yield a sandbox; at the end, fail for what it has seen break the contract."""
    from paywright_runtime.errors import ConfigurationError

    told, check = request.node.stash.setdefault(_SEEN, []), _setting(request, "check", True)
    with ExitStack() as stack:
        try:
            sandbox = stack.enter_context(opened)
        except ConfigurationError as error:
            raise pytest.fail.Exception(str(error), pytrace=False) from None
        told.append(sandbox.transcript)
        yield sandbox
        seen = sandbox.breaches() if check else []
        if sandbox.transcript in told:  # of a test that has not failed yet
            told[told.index(sandbox.transcript)] = sandbox.transcript().__str__
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
    from paywright_runtime.clock import FixedClock

    time = _setting(request, "time", datetime(2025, 6, 1, 12, tzinfo=UTC))
    with suppress(ValueError):
        at = datetime.fromisoformat(str(time))
        if at.utcoffset() is not None:
            return FixedClock(at)
    _refuse("time", time)


@pytest.fixture
def paywright_policies(request: pytest.FixtureRequest) -> Mapping[str, object]:
    """Return the policies to override: those of the marker, or none."""
    return cast("dict[str, object]", _setting(request, "policies", {}))


@pytest.fixture
def paywright_seed(request: pytest.FixtureRequest) -> str:
    """Return the seed of ids and random faults: that of the marker, or 1."""
    return str(_setting(request, "seed", 1))


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

    opened = in_process_sandbox(paywright_keys, policies=paywright_policies, clock=paywright_clock, seed=paywright_seed)
    yield from _watched(request, opened)


@pytest.fixture
def paywright_served(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    paywright_keys: Path,
    paywright_policies: Mapping[str, object],
    paywright_seed: str,
) -> Iterator[RunningSandbox]:
    """Serve a gateway on a free port of this machine, new for every test, for programs in other processes: by the real clock.

    It needs the extra `sandbox`.
    """
    from shutil import copytree

    from paywright_sandbox.testing.served import running_sandbox

    if _setting(request, "time", None) is not None:
        pytest.fail(
            "paywright_served goes by the real clock, as other processes do: leave the marker's time out.", False
        )
    folder = copytree(paywright_keys, tmp_path / "paywright-sandbox")
    yield from _watched(request, running_sandbox(folder, policies=paywright_policies, seed=paywright_seed))


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
