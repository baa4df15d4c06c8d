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


LOADED = "print(*({'anyio', 'asyncio', 'trio'} & set(sys.modules)))"


@pytest.mark.parametrize(
    ("code", "printed"),
    [
        (f"{BLOCKED}import paywright, paywright.aio\nfor name in paywright.__all__: getattr(paywright, name)", ""),
        (f"{BLOCKED}from paywright.aio import AsyncTransport", ""),
        (f"import sys, paywright, paywright.aio\n{LOADED}", ""),
        (f"import sys; from paywright.aio import Client\n{LOADED}", "anyio"),
    ],
    ids=["all else", "the protocol of a transport of one's own", "no event loop", "no backend before one runs"],
)
def test_without_its_extra_or_a_call_nothing_of_it_is_loaded(code: str, printed: str) -> None:
    done = run(code)
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, printed, "")
