"""A server that is told to stop stops, however early it is told."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from paywright_cli.main import main
from tests.support.packages import PACKAGES

EARLY = """\
import os, sys, uvicorn
from paywright_cli.main import main

run = uvicorn.Server.run

def early(*given, **named):
    os.kill(os.getpid(), int(sys.argv[1]))
    return run(*given, **named)

uvicorn.Server.run = early
raise SystemExit(main(sys.argv[2:]))
"""
"""A program to which the signal comes after it has said that it serves, and before it does."""


@pytest.mark.parametrize("number", [2, pytest.param(15, marks=pytest.mark.slow)], ids=["SIGINT", "SIGTERM"])
@pytest.mark.parametrize("command", ["sandbox --dir shop", "listen --env shop/.env"])
def test_a_signal_before_the_server_listens_to_signals_stops_it(command: str, number: int, tmp_path: Path) -> None:
    assert main(["sandbox", "init", str(tmp_path / "shop")]) == 0
    done = subprocess.run(
        [sys.executable, "-c", EARLY, str(number), *command.split(), "--port", "0"],
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": PACKAGES}, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert (done.returncode, "Stopped." in done.stdout + done.stderr) == (0, True)
