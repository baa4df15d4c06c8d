"""docs/audit.md: its commands run as they stand there and say what it says they do."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from paywright_audit.judging.findings import RULES
from paywright_audit.running.finding_rows import FindingRow
from paywright_audit.settings.config import load_config
from tests.support.packages import PACKAGES

TOP = Path(__file__).resolve().parents[2]
_TEXT = (TOP / "docs" / "audit.md").read_text(encoding="utf-8")
_SCRIPTS = re.findall(r"^```sh\n(.*?)^```$", _TEXT, re.MULTILINE | re.DOTALL)
_PROGRAMS = re.findall(r"^```python\n(.*?)^```$", _TEXT, re.MULTILINE | re.DOTALL)


def only(blocks: list[str], containing: str) -> str:
    """Return the one block that contains a text."""
    (found,) = (block for block in blocks if containing in block)
    return found


def section(heading: str) -> str:
    """Return the text under a heading, up to the next one of its level or above."""
    level = heading.index(" ")
    return re.split(rf"^#{{1,{level}}} ", _TEXT.partition(f"\n{heading}\n")[2], flags=re.MULTILINE)[0]


def names_in(text: str) -> set[str]:
    """Return the names in the first column of the tables in a text."""
    rows = [row.split("|")[1] for row in text.splitlines() if row.startswith("|")]
    return set(re.findall(r"`([a-z_-]+)`", "".join(rows)))


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
    said = shell(folder, _SCRIPTS[0])
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
    out = shell(folder, only(_SCRIPTS, "--write-baseline"))
    assert "known from now on" in out
    assert out.count("(known)") == 2
    assert (folder / "audit.json").stat().st_size > 1000


def test_every_finding_is_written_as_a_line_with_the_members_that_are_listed(folder: Path) -> None:
    assert "exit code 1" in shell(folder, only(_SCRIPTS, "--write findings.jsonl"))
    rows = list(map(json.loads, (folder / "findings.jsonl").read_text().splitlines()))
    assert [(row["code"], row["place"]) for row in rows] == [("format", "entry 3"), ("refund-exceeds-paid", "entry 4")]
    assert all(row["key"] for row in rows)
    assert names_in(section("### Every finding")) == set(FindingRow._fields) == set(rows[0])


def test_a_program_audits_as_it_is_shown(folder: Path) -> None:
    shown = only(_PROGRAMS, "audit_files")
    (folder / "program.py").write_text(shown)
    out = shell(folder, f'"{sys.executable}" program.py')
    assert out.startswith("judged: 8 of 8 bodies")
    assert out.endswith("2 findings fail\n")
    assert (folder / "audit.html").stat().st_size > 1000


def test_the_configuration_that_is_shown_is_one(tmp_path: Path) -> None:
    (shown,) = re.findall(r"^```toml\n(.*?)^```$", _TEXT, re.MULTILINE | re.DOTALL)
    file = tmp_path / "audit.toml"
    file.write_text(shown)
    assert len(load_config(file).suppressions) == len(tomllib.loads(shown)["suppress"]) == 1


def test_every_rule_of_the_audits_own_is_explained() -> None:
    tables = re.split(r"^\| (error|warning|note) \| \|$", section("## Rules"), flags=re.MULTILINE)[1:]
    explained = dict(zip(tables[::2], map(names_in, tables[1::2]), strict=True))
    assert explained == {
        severity: {code for code, rule in RULES.items() if rule.severity == severity}
        for severity in ("error", "warning", "note")
    }
