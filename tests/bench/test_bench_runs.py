"""The benchmarks run, and say what they found and whether it is enough; how fast it is, is no test."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

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
@pytest.mark.parametrize("part", ["call", "imports", "validators", "receiving", "writing", "otel", "sandbox", "audit"])
def test_a_part_prints_a_table_of_ratios_and_goals(part: str) -> None:
    if part == "validators":
        pytest.importorskip("fastjsonschema")
    done = bench(part, "--quick")
    assert done.returncode == 0, done.stderr
    title, head, *lines = done.stdout.strip().splitlines()
    assert title
    assert head.split() == ["compared", "with", "ratio", "goal"]
    assert lines
    assert all("met" in line or "MISSED" in line for line in lines[:1])
    assert "BEGIN" not in done.stdout + done.stderr


def test_an_unknown_part_is_a_usage_error() -> None:
    done = bench("nothing")
    assert done.returncode == 2
    assert "call, imports, validators, receiving, writing, otel, sandbox, audit" in done.stderr
