"""The benchmarks run, and say what they found and whether it is enough; how fast it is, is no test."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.support.contract import TOP


def bench(*arguments: str, without: str | None = None) -> subprocess.CompletedProcess[str]:
    """Run benchmarks, perhaps as if a package were not installed."""
    program = f"import sys; sys.modules[{without!r}] = None; from bench.run import main; sys.exit(main(sys.argv[1:]))"
    path = os.pathsep.join(
        str(TOP / folder) for folder in ("audit", "cli", "codegen", "generated", "receiver", "runtime", "sandbox")
    )
    return subprocess.run(
        [sys.executable, *(["-m", "bench"] if without is None else ["-c", program]), *arguments],
        capture_output=True,
        text=True,
        timeout=500,
        cwd=TOP,
        env={**os.environ, "PYTHONPATH": path},
    )


@pytest.mark.full
@pytest.mark.parametrize(
    "part",
    ["call", "aio", "imports", "validators", "generation", "receiving", "following", "sandbox", "audit", "tables"],
)
def test_a_part_prints_a_table_of_ratios_and_goals(part: str) -> None:
    if part == "validators":
        pytest.importorskip("fastjsonschema")
        pytest.importorskip("msgspec")
    if part == "audit":
        pytest.importorskip("openapi_core")
    if part == "tables":
        pytest.importorskip("pyarrow")
    if part == "aio":
        pytest.importorskip("trio")
    done = bench(part, "--quick")
    assert done.returncode == 0, done.stderr
    title, head, *lines = done.stdout.strip().splitlines()
    assert title
    assert head.split() == ["compared", "with", "ratio", "goal"]
    assert lines
    assert all("met" in line or "MISSED" in line for line in lines[:1])
    assert "BEGIN" not in done.stdout + done.stderr


@pytest.mark.parametrize(("missing", "skipped"), [("pyarrow", 3), pytest.param("pyspark", 1, marks=pytest.mark.full)])
def test_what_is_not_installed_is_skipped_with_words(missing: str, skipped: int) -> None:
    if missing != "pyarrow":
        pytest.importorskip("pyarrow")
    done = bench("tables", "--quick", without=missing)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.strip().splitlines()[2:]
    assert len(lines) == 3
    assert sum(" - " in line and "skipped: there is no " in line for line in lines) == skipped


def test_an_unknown_part_is_a_usage_error() -> None:
    done = bench("nothing")
    assert done.returncode == 2
    assert "call, aio, imports, validators, generation, receiving, following, sandbox, audit, tables" in done.stderr
