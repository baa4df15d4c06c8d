"""docs/audit.md: its commands run as they stand there and say what it says they do."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from paywright_audit.judging.findings import RULES
from paywright_audit.running.finding_table import FINDING_COLUMNS
from paywright_audit.settings.config import load_config
from tests.support.packages import PACKAGES

TOP = Path(__file__).resolve().parents[2]
_TEXT = (TOP / "docs" / "audit.md").read_text(encoding="utf-8")
_BLOCKS = re.findall(r"^```sh\n(.*?)^```$", _TEXT, re.MULTILINE | re.DOTALL)
_PROGRAMS = re.findall(r"^```python\n(.*?)^```$", _TEXT, re.MULTILINE | re.DOTALL)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copytree(TOP / "docs" / "samples", tmp_path / "docs" / "samples")
    program = tmp_path / "bin" / "paywright"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m paywright_cli "$@"\n')
    program.chmod(0o755)
    return tmp_path


def shell(folder: Path, script: str) -> str:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PAYWRIGHT_")}
    path = f"{folder / 'bin'}{os.pathsep}{kept['PATH']}"
    done = subprocess.run(
        ["sh", "-eu", "-c", script],
        cwd=folder,
        env={**kept, "PATH": path, "PYTHONPATH": PACKAGES},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return done.stdout


def test_a_har_file_comes_to_the_findings_that_are_shown(folder: Path) -> None:
    shown = re.findall(r"^```\n(judged: .*?)^```$", _TEXT, re.MULTILINE | re.DOTALL)
    said = shell(folder, _BLOCKS[0])
    assert re.sub(r"(?<=\.yaml:)\d+", "...", said) == shown[0]
    lines = [
        (TOP / file).read_text(encoding="utf-8").splitlines()[int(line) - 1]
        for file, line in re.findall(r"\((spec/\w+\.yaml):(\d+)\)", said)
    ]
    assert ["refundAmount" in lines[0], "currency" in lines[1]] == [True, True], "the lines that say so"


def test_why_a_signature_is_invalid_is_said_as_shown(folder: Path) -> None:
    found = re.search(r"^```sh\n(paywright keys verify .*?)^```\n\n```\n(.*?)^```$", _TEXT, re.MULTILINE | re.DOTALL)
    assert found is not None
    assert shell(folder, found[1]) == found[2]


def test_no_line_of_the_contract_is_quoted_by_its_number() -> None:
    assert re.findall(r"spec/\w+\.yaml:\d+", _TEXT) == []


def test_a_build_passes_on_what_is_known_and_writes_a_report(folder: Path) -> None:
    out = shell(folder, _BLOCKS[1])
    assert "known from now on" in out
    assert out.count("(known)") == 2
    assert (folder / "audit.json").stat().st_size > 1000


def test_every_finding_is_written_to_a_table_with_the_columns_that_are_listed(folder: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="tables need the extra `parquet`")
    assert "exit code 1" in shell(folder, _BLOCKS[2])
    rows = parquet.read_table(folder / "findings.parquet").to_pylist()
    assert [(row["rule"], row["place"]) for row in rows] == [("format", "entry 3"), ("refund-exceeds-paid", "entry 4")]
    assert all(row["key"] for row in rows)
    listed = _TEXT.partition("### Findings as a table")[2].partition("## What was judged")[0]
    names = "".join(row.split("|")[1] for row in listed.splitlines() if row[:3] == "| `")
    assert set(re.findall(r"`([a-z_]+)`", names)) == set(FINDING_COLUMNS)


def test_a_program_audits_as_it_is_shown(folder: Path) -> None:
    shown = _PROGRAMS[0]
    (folder / "program.py").write_text(shown)
    out = shell(folder, f'"{sys.executable}" program.py')
    assert out.startswith("judged: 8 of 8 bodies")
    assert out.endswith("2 findings fail\n")
    assert (folder / "audit.html").stat().st_size > 1000


def test_the_three_functions_come_to_the_report_of_the_command(folder: Path) -> None:
    (folder / "program.py").write_text(_PROGRAMS[1])
    out = shell(folder, f'"{sys.executable}" program.py')
    assert out.splitlines() == shell(folder, _BLOCKS[0]).splitlines()[:-1]


def test_a_program_gets_the_findings_in_batches(folder: Path) -> None:
    pytest.importorskip("pyarrow", reason="tables need the extra `parquet`")
    (folder / "program.py").write_text(_PROGRAMS[2])
    lines = [line.split(" ") for line in shell(folder, f'"{sys.executable}" program.py').splitlines()]
    assert [line[:3] for line in lines] == [["entry", "3", "format"], ["entry", "4", "refund-exceeds-paid"]]
    assert all(line[3] for line in lines)


def test_the_configuration_that_is_shown_is_one(tmp_path: Path) -> None:
    (shown,) = re.findall(r"^```toml\n(.*?)^```$", _TEXT, re.MULTILINE | re.DOTALL)
    file = tmp_path / "audit.toml"
    file.write_text(shown)
    assert len(load_config(file).suppressions) == len(tomllib.loads(shown)["suppress"]) == 1


def test_every_rule_of_the_audits_own_is_explained() -> None:
    table = _TEXT.partition("## Rules\n")[2].partition("## Histories")[0]
    assert set(
        re.findall(r"`([a-z-]+)`", "".join(row.split("|")[1] for row in table.splitlines() if row[:1] == "|"))
    ) == set(RULES)
