"""Fixtures for the tests of a merchant's program: a whole gateway in memory, new for every test, without a socket.

In `conftest.py`:

    pytest_plugins = ["paywright_sandbox.testing.pytest"]

and in a test:

    def test_an_order_is_paid(paywright_sandbox, paywright_client):
        place_my_order(paywright_client, "ORD_1")
        paywright_sandbox.pay("ORD_1")

Tests that need other settings override a fixture: `paywright_clock` (business time, that of requestTime, and the
client's), `paywright_policies`, `paywright_seed`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

import pytest

from paywright import Client
from paywright_runtime.clock import Clock, FixedClock
from paywright_sandbox.init import make_folder
from paywright_sandbox.testing.inprocess import InProcessSandbox, in_process_sandbox

__all__ = [
    "paywright_client",
    "paywright_clock",
    "paywright_keys",
    "paywright_policies",
    "paywright_sandbox",
    "paywright_seed",
]


@pytest.fixture(scope="session")
def paywright_keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make the folder with the keys and settings of all sandboxes of the session; keys take a while to make."""
    folder = tmp_path_factory.mktemp("paywright-sandbox")
    make_folder(folder)
    return folder


@pytest.fixture
def paywright_clock() -> Clock:
    """Make a clock that stands still at noon of 2025-06-01 UTC until `paywright_sandbox.advance` moves it."""
    return FixedClock(datetime(2025, 6, 1, 12, tzinfo=UTC))


@pytest.fixture
def paywright_policies() -> Mapping[str, object]:
    """Return the policies to override: none."""
    return {}


@pytest.fixture
def paywright_seed() -> str:
    """Return the seed of ids and random faults."""
    return "1"


@pytest.fixture
def paywright_sandbox(
    paywright_keys: Path, paywright_clock: Clock, paywright_policies: Mapping[str, object], paywright_seed: str
) -> Iterator[InProcessSandbox]:
    """Make a gateway in memory, new for every test."""
    with in_process_sandbox(
        paywright_keys, policies=paywright_policies, clock=paywright_clock, seed=paywright_seed
    ) as sandbox:
        yield sandbox


@pytest.fixture
def paywright_client(paywright_sandbox: InProcessSandbox) -> Iterator[Client]:
    """Make a client of `paywright_sandbox`."""
    with paywright_sandbox.client() as client:
        yield client
