"""The awaited client is an extra: who does not use it loads nothing of it, and who lacks it is told what to install."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

BLOCKED = "import sys; sys.modules['anyio'] = None\n"


def run(code: str) -> subprocess.CompletedProcess[str]:
    """A fresh interpreter that has the packages of the SDK on its path."""
    path = os.pathsep.join(entry for entry in sys.path if entry)
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=600,
    )


@pytest.mark.parametrize("name", ["Client", "AsyncHttpTransport", "AsyncResolver"])
def test_without_its_extra_the_awaited_client_says_what_to_install(name: str) -> None:
    done = run(f"{BLOCKED}from paywright.aio import {name}")
    assert done.returncode == 1
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith("paywright_runtime.errors.ConfigurationError: ")
    assert "pip install 'paywright[async]'" in last
    assert "anyio" not in last


def test_without_its_extra_all_else_works() -> None:
    done = run(f"{BLOCKED}import paywright, paywright.aio\nfor name in paywright.__all__: getattr(paywright, name)")
    assert (done.returncode, done.stderr) == (0, "")


def test_the_protocol_of_a_transport_of_ones_own_needs_no_extra() -> None:
    done = run(f"{BLOCKED}from paywright.aio import AsyncTransport")
    assert (done.returncode, done.stderr) == (0, "")


def test_importing_either_package_loads_no_event_loop() -> None:
    done = run("import sys, paywright, paywright.aio\nprint(*({'anyio', 'asyncio', 'trio'} & set(sys.modules)))")
    assert (done.returncode, done.stdout.strip()) == (0, "")


def test_the_awaited_client_loads_no_backend_before_one_runs() -> None:
    done = run("import sys; from paywright.aio import Client\nprint(*({'asyncio', 'trio'} & set(sys.modules)))")
    assert (done.returncode, done.stdout.strip()) == (0, "")
