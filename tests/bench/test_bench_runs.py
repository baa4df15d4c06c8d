"""The benchmarks run, and say what they found and whether it is enough; how fast it is, is no test."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from bench.run import PARTS
from tests.support.contract import TOP


def bench(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run benchmarks."""
    path = os.pathsep.join(
        str(TOP / folder) for folder in ("audit", "cli", "codegen", "generated", "receiver", "runtime", "sandbox")
    )
    return subprocess.run(
        [sys.executable, "-m", "bench", *arguments],
        capture_output=True,
        text=True,
        timeout=500,
        cwd=TOP,
        env={**os.environ, "PYTHONPATH": path},
    )


@pytest.mark.full
@pytest.mark.parametrize("part", PARTS)
def test_a_part_prints_a_table_of_ratios_and_goals(part: str) -> None:
    for needed in {"validators": ["fastjsonschema"], "bursts": ["aiohttp"]}.get(part, ()):
        pytest.importorskip(needed)
    done = bench(part, "--quick")
    assert done.returncode == 0, done.stderr
    title, head, *lines = done.stdout.strip().splitlines()
    assert title
    assert head.split() == ["compared", "with", "ratio", "goal"]
    assert lines
    assert any("met" in line or "MISSED" in line for line in lines)
    assert "BEGIN" not in done.stdout + done.stderr


def test_an_unknown_part_is_a_usage_error() -> None:
    done = bench("nothing")
    assert done.returncode == 2
    assert ", ".join(PARTS) in done.stderr
