"""Runs `paywright` as its users do: as a program of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from tests.support.packages import PACKAGES

TOP = Path(__file__).resolve().parents[3]


class Ended(NamedTuple):
    """How a command ended: its exit code, and what it wrote."""

    code: int
    out: str
    err: str


def paywright(
    *arguments: str | Path | bytes,
    given: bytes = b"",
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    path: str = PACKAGES,
    program: Sequence[str] = ("-m", "paywright_cli"),
) -> Ended:
    """Run one command, of another program than `paywright` if one is given. No test wants a traceback, so none passes."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PAYWRIGHT_")}
    done = subprocess.run(
        [sys.executable, *program, *arguments],
        input=given,
        capture_output=True,
        cwd=cwd,
        env={**kept, "PYTHONPATH": path, "PYTHONUTF8": "1", "COLUMNS": "100", **(env or {})},
        timeout=600,
    )
    ended = Ended(done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace"))
    assert "Traceback" not in ended.out + ended.err, ended.err
    return ended
