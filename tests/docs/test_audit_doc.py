"""docs/audit.md: its commands run as they stand there and say what it says they do."""

from __future__ import annotations

import json
import re
import shutil
import tomllib
from pathlib import Path

import pytest

from paywright_audit.judging.findings import RULES
from paywright_audit.running.finding_rows import FindingRow
from paywright_audit.settings.config import load_config
from tests.docs.pages import Page, environment, programs, python, shell
from tests.support.packages import TOP

PAGE = Page("audit")
_TEXT = PAGE.text


def names_in(text: str) -> set[str]:
    """Return the names in the first column of the tables in a text."""
    rows = [row.split("|")[1] for row in text.splitlines() if row.startswith("|")]
    return set(re.findall(r"`([a-z_-]+)`", "".join(rows)))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copytree(TOP / "docs" / "samples", tmp_path / "docs" / "samples")
    return tmp_path


def typed(folder: Path, script: str) -> str:
    return shell(folder, script, environment(PATH=programs(folder))).stdout


def test_a_har_file_comes_to_the_findings_that_are_shown(folder: Path) -> None:
    shown = PAGE.blocks("", "judged: ")
    said = typed(folder, PAGE.blocks("sh")[0])
    assert re.sub(r"(?<=\.yaml:)\d+", "...", said) == shown[0]
    lines = [
        (TOP / file).read_text(encoding="utf-8").splitlines()[int(line) - 1]
        for file, line in re.findall(r"\((spec/\w+\.yaml):(\d+)\)", said)
    ]
    assert ["refundAmount" in lines[0], "currency" in lines[1]] == [True, True], "the lines that say so"


def test_why_a_signature_is_invalid_is_said_as_shown(folder: Path) -> None:
    found = re.search(r"^```sh\n(paywright keys verify .*?)^```\n\n```\n(.*?)^```$", _TEXT, re.MULTILINE | re.DOTALL)
    assert found is not None
    assert typed(folder, found[1]) == found[2]


def test_no_line_of_the_contract_is_quoted_by_its_number() -> None:
    assert re.findall(r"spec/\w+\.yaml:\d+", _TEXT) == []


def test_a_build_passes_on_what_is_known_and_writes_a_report(folder: Path) -> None:
    out = typed(folder, PAGE.block("sh", "--write-baseline"))
    assert "known from now on" in out
    assert out.count("(known)") == 2
    assert (folder / "audit.json").stat().st_size > 1000


def test_every_finding_is_written_as_a_line_with_the_members_that_are_listed(folder: Path) -> None:
    assert "exit code 1" in typed(folder, PAGE.block("sh", "--write findings.jsonl"))
    rows = list(map(json.loads, (folder / "findings.jsonl").read_text().splitlines()))
    assert [(row["code"], row["place"]) for row in rows] == [("format", "entry 3"), ("refund-exceeds-paid", "entry 4")]
    assert all(row["key"] for row in rows)
    assert names_in(PAGE.section("### Every finding")) == set(FindingRow._fields) == set(rows[0])


def test_a_program_audits_as_it_is_shown(folder: Path) -> None:
    (folder / "program.py").write_text(PAGE.block("python", "audit_files"))
    out = python(folder, "program.py")
    assert out.startswith("judged: 8 of 8 bodies")
    assert out.endswith("2 findings fail\n")
    assert (folder / "audit.json").stat().st_size > 1000


def test_the_configuration_that_is_shown_is_one(tmp_path: Path) -> None:
    shown = PAGE.block("toml")
    file = tmp_path / "audit.toml"
    file.write_text(shown)
    assert load_config(file) == tomllib.loads(shown)["severity"]


def test_every_rule_of_the_audits_own_is_explained() -> None:
    tables = re.split(r"^\| (error|warning|note) \| \|$", PAGE.section("## Rules"), flags=re.MULTILINE)[1:]
    explained = dict(zip(tables[::2], map(names_in, tables[1::2]), strict=True))
    assert explained == {
        severity: {code for code, rule in RULES.items() if rule.severity == severity}
        for severity in ("error", "warning", "note")
    }
