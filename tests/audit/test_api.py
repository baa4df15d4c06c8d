"""The public names of `paywright_audit`: a program audits as the command does."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from errno import ENOSPC
from pathlib import Path
from typing import Any

import pytest

import paywright_audit
from paywright_audit import (
    AuditError,
    AuditSettings,
    AuditSetupError,
    Report,
    Severity,
    Showing,
    audit_files,
    json_lines,
    load_baseline,
    load_config,
    text_lines,
    write_baseline,
    write_report,
)
from paywright_cli.main import main
from paywright_runtime.errors import InvalidArgument
from paywright_runtime.signing.keys import load_public_key
from tests.support.packages import PACKAGES

SAMPLES = Path(__file__).resolve().parents[2] / "docs" / "samples"
HAR = SAMPLES / "shop.har"


def audited(jobs: int = 1, **options: Any) -> Report:
    merchant, gateway = (load_public_key(SAMPLES / f"{side}.pub") for side in ("merchant", "gateway"))
    return audit_files([HAR], AuditSettings(merchant_keys=[merchant], gateway_keys=[gateway], **options), jobs=jobs)


def test_a_program_gets_the_report_that_the_command_prints(capsys: pytest.CaptureFixture[str]) -> None:
    report = audited(showing=Showing.REDACTED)
    options = ["--merchant-key", str(SAMPLES / "merchant.pub"), "--gateway-key", str(SAMPLES / "gateway.pub"), "--values"]  # fmt: skip
    assert main(["audit", str(HAR), *options]) == 1
    assert capsys.readouterr().out.splitlines() == list(text_lines(report))
    assert main(["audit", str(HAR), *options, "--format", "json"]) == 1
    assert capsys.readouterr().out.splitlines() == list(json_lines(report))
    assert (report.totals.errors, report.totals.failing) == (2, 2)


def test_colours_are_the_callers() -> None:
    report = audited()
    painted = list(text_lines(report, lambda text, colour: f"<{colour}>{text}</{colour}>"))
    assert any("<red>refund-exceeds-paid</red>" in line for line in painted)
    assert "\x1b" not in "".join(painted)


def test_a_key_that_is_bound_to_another_merchant_verifies_nothing() -> None:
    key = load_public_key(SAMPLES / "merchant.pub")
    assert audit_files([HAR], AuditSettings(merchant_keys=[key])).signatures["valid"] == 4
    assert audit_files([HAR], AuditSettings(merchant_keys=[("somebody_else", key)])).signatures["valid"] == 0


def test_a_baseline_and_a_note_keep_findings_from_failing(tmp_path: Path) -> None:
    report = audited()
    file = tmp_path / "baseline.json"
    write_baseline(file, {group.id: group.count for group in report.groups})
    again = audited(baseline=load_baseline(file))
    assert (again.totals.errors, again.totals.known, again.totals.failing) == (2, 2, 0)
    (tmp_path / "audit.toml").write_text('[severity]\n"refund-exceeds-paid" = "note"\n')
    weighed = audited(config=load_config(tmp_path / "audit.toml"))
    assert (weighed.totals.errors, weighed.totals.notes) == (1, 1)


def test_a_report_is_written_by_the_ending_of_its_file(tmp_path: Path) -> None:
    write_report(tmp_path / "audit.json", audited())
    assert json.loads((tmp_path / "audit.json").read_text())["totals"]["errors"] == 2
    with pytest.raises(AuditSetupError, match=r"audit\.pdf: a report is written to a file that ends in"):
        write_report(tmp_path / "audit.pdf", audited())


def test_a_report_is_replaced_at_once_and_keeps_its_mode(tmp_path: Path) -> None:
    file, link = tmp_path / "audit.json", tmp_path / "latest.json"
    write_report(file, audited())
    file.chmod(0o600)
    link.symlink_to(file)
    with file.open() as old:
        write_report(link, audited(showing=Showing.REVEALED))
        assert old.read() != file.read_text(), "what a reader has open is the old report, whole"
    assert link.is_symlink()
    assert file.stat().st_mode & 0o777 == 0o600
    assert sorted(tmp_path.iterdir()) == [file, link]


def test_a_failed_report_or_baseline_leaves_the_old_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, baseline = tmp_path / "audit.json", tmp_path / "baseline.json"
    write_report(file, audited())
    write_baseline(baseline, {"a": 1})
    old = file.read_text()

    def full(*_: object) -> None:
        raise OSError(ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(AuditSetupError, match=r"audit\.json: No space left on device"):
        write_report(file, audited(showing=Showing.REVEALED))
    with pytest.raises(AuditSetupError, match=r"baseline\.json: No space left on device"):
        write_baseline(baseline, {"b": 2})
    assert (file.read_text(), load_baseline(baseline), {*tmp_path.iterdir()}) == (old, {"a": 1}, {file, baseline})


def test_a_report_is_written_into_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "audit.json"
    os.mkfifo(pipe)
    with ThreadPoolExecutor(1) as reader:
        read = reader.submit(pipe.read_text)
        write_report(pipe, audited())
        assert json.loads(read.result())["totals"]["errors"] == 2


def test_what_cannot_be_read_is_part_of_the_report(tmp_path: Path) -> None:
    report = audit_files([tmp_path / "absent.har"])
    assert (report.totals.unreadable, report.totals.exchanges) == (1, 0)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"evidence": 1001}, "evidence must be a number from 0 to 1000"),
        ({"evidence": -1}, "evidence must be a number from 0 to 1000"),
        ({"clock_slack": 86400.5}, "the clock slack must be a number of seconds from 0 to 86400"),
        ({"clock_slack": float("nan")}, "the clock slack must be a number of seconds from 0 to 86400"),
        ({"jobs": 0}, "jobs must be a number from 1 to 256"),
        ({"jobs": 257}, "jobs must be a number from 1 to 256"),
        ({"require": ["bodies", "souls"]}, "must be some of exchanges, bodies, signatures, times"),
        ({"paths": {"cases.inquire": "api/cases"}}, "the path of cases.inquire does not begin with /"),
    ],
    ids=lambda value: ",".join(value) if isinstance(value, dict) else "",
)
def test_arguments_out_of_bounds_are_errors_of_the_audits_own(options: Mapping[str, Any], words: str) -> None:
    with pytest.raises(AuditSetupError, match=words):
        audited(**options)
    assert issubclass(AuditSetupError, AuditError)


def test_bounds_themselves_are_within() -> None:
    report = audited(evidence=1000, clock_slack=86400, fail_on=Severity.NOTE, require=())
    assert report.totals.exchanges == 5
    assert audited(evidence=0, clock_slack=0).totals.errors == 2


def test_an_operation_that_the_contract_does_not_have_is_refused_with_the_nearest() -> None:
    with pytest.raises(InvalidArgument, match=r"cases\.inquire"):
        audited(paths={"cases.inquires": "/api/cases"})


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_standard_input_that_is_closed_could_not_be_read(
    jobs: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", None)  # as Python has it after <&-
    assert main(["audit", "-", "--jobs", jobs]) == 3
    assert "unreadable: it is closed" in capsys.readouterr().out


def test_standard_input_is_read_once() -> None:
    with pytest.raises(AuditSetupError, match="standard input can be read only once"):
        audit_files(["-", "-"])


def test_every_public_name_is_there_and_typed_and_nothing_is_loaded_for_it() -> None:
    tree = ast.parse(Path(paywright_audit.__file__).read_text(encoding="utf-8"))
    typed = {alias.name for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and "paywright_audit" in (node.module or "")
             for alias in node.names}  # fmt: skip
    assert typed == set(paywright_audit.__all__)
    assert {name for name in paywright_audit.__all__ if getattr(paywright_audit, name, None) is None} == set()
    with pytest.raises(AttributeError, match="nothing_of_the_kind"):
        _ = paywright_audit.nothing_of_the_kind
    code = "import sys, paywright_audit; print([name for name in sys.modules if name.startswith('paywright')])"
    done = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONPATH": PACKAGES}, capture_output=True, text=True, timeout=600, check=True,
    )  # fmt: skip
    assert done.stdout.strip() == "['paywright_runtime', 'paywright_runtime.lazy', 'paywright_audit']"
