"""The audit on Apache Spark: the same report, byte for byte, as one process has."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from paywright_audit import AuditSettings, audit_files
from paywright_audit.report.lines import write_json
from paywright_runtime.signing.keys import load_public_key
from tests.audit.helpers.engines import Pair, need_spark, start
from tests.audit.helpers.planted_capture import make_capture
from tests.audit.helpers.spark_engine import texts_of
from tests.audit.helpers.tables import write_table

pytestmark = pytest.mark.full
pytest.importorskip("pyarrow", reason="tables need the extra `parquet`")
pytest.importorskip("pyspark", reason="there is no PySpark: it comes with `make .venv/with-full`")
pq = pytest.importorskip("pyarrow.parquet")

EXCHANGES = int(os.environ.get("PAYWRIGHT_TEST_EXCHANGES", "1500"))


@pytest.fixture(scope="module")
def captures(secrets: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Pair]:
    """A planted capture and its clean twin, each also as a table."""
    made = {}
    for name in ("planted", "clean"):
        folder = tmp_path_factory.mktemp(name)
        capture = make_capture(secrets, folder, EXCHANGES, 8, 1, faults=name == "planted")
        write_table(folder / "traffic.parquet", list(map(str, capture.files)))
        made[name] = capture, folder / "traffic.parquet"
    return made


def run(folder: Path, jobs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    for number, job in enumerate(jobs):
        job |= {"out": str(folder / f"{number}.json")}
    (folder / "jobs.json").write_text(json.dumps(jobs))
    code, _, err = start(folder, sys.executable, "-m", "tests.audit.helpers.spark_engine", str(folder / "jobs.json"))
    assert code == 0, err[-4000:]
    return [json.loads(Path(job["out"]).read_text()) for job in jobs]


def job(pair: Pair, secrets: Path, **more: object) -> dict[str, Any]:
    capture, table = pair
    return {"table": str(table), "files": list(map(str, capture.files)), "keys": str(secrets), **more}


def settings_of(secrets: Path) -> AuditSettings:
    merchant, gateway = (load_public_key(secrets / f"{side}.pub") for side in ("merchant", "gateway"))
    return AuditSettings(merchant_keys=[merchant], gateway_keys=[gateway], evidence=50)


def local(pair: Pair, secrets: Path, findings: Path) -> tuple[str, list[list[str]]]:
    """The report of the capture's own files from this process, and all findings but for their times."""
    files = list(map(str, pair[0].files))
    report = audit_files(files, settings_of(secrets), findings=findings)
    return write_json(report), texts_of(map(json.loads, findings.read_text().splitlines()))


@pytest.mark.parametrize("name", ["planted", "clean"])
def test_one_report_of_processes_and_table(name: str, captures: dict[str, Pair], secrets: Path, tmp_path: Path) -> None:
    capture, table = captures[name]
    files = list(map(str, capture.files))
    settings = settings_of(secrets)
    one = audit_files(files, settings)
    assert one.totals.exchanges == capture.exchanges
    assert write_json(audit_files(files, settings, jobs=3)) == write_json(one)
    for jobs in (1, 3):
        rows = audit_files([table], settings, jobs=jobs)
        assert write_json(replace(rows, files=one.files)) == write_json(one)


def test_spark_has_the_report_of_one_process(
    captures: dict[str, Pair], secrets: Path, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    need_spark()
    jobs = [
        job(captures["planted"], secrets, parts=5),
        job(captures["clean"], secrets, other="INTERVAL '1' MONTH"),  # a type that Spark does not turn into Arrow
        job(captures["planted"], secrets, drop="url"),
        job(captures["planted"], secrets, drop="at", columns={"at": None}),
    ]
    planted, clean, missing, untimed = run(tmp_path, jobs)
    for told, name in ((planted, "planted"), (clean, "clean")):
        report, findings = local(captures[name], secrets, tmp_path / "local.jsonl")
        assert told["report"] == report
        assert told["findings"] == findings
    assert json.loads(planted["report"])["totals"]["findings"] > 50
    assert json.loads(clean["report"])["totals"]["findings"] == 0
    (unread,) = json.loads(missing["report"])["unreadable"]
    assert unread["message"].startswith("it has no column url: give its name there with --column url=NAME")
    capture, table = captures["planted"]
    alone = audit_files([table], replace(settings_of(secrets), columns={"at": None}))
    assert untimed["report"] == write_json(replace(alone, files=list(map(str, capture.files))))
    assert 0 < alone.judged.times < alone.totals.exchanges  # the time that was signed is left
    # What was sent to the executors stands in no plan, and in nothing that anybody wrote.
    said = (
        planted["plan"]
        + (tmp_path / "out").read_text(errors="replace")
        + (tmp_path / "err").read_text(errors="replace")
    )
    for side in ("merchant", "gateway"):
        lines = (secrets / f"{side}.pub").read_text().split("-----")[2].split()
        assert not [line for line in lines if line in said]
    assert "outTradeNo" not in said
    record_property(
        "count: exchanges audited on Spark with the same report", json.loads(planted["report"])["totals"]["exchanges"]
    )


def test_the_program_has_the_commands_exit_codes(captures: dict[str, Pair], secrets: Path, tmp_path: Path) -> None:
    need_spark()
    module = [sys.executable, "-m", "paywright_cli.spark_submit"]
    keys = ["--merchant-key", str(secrets / "merchant.pub"), "--gateway-key", str(secrets / "gateway.pub")]
    bad, clean = captures["planted"][1], captures["clean"][1]
    code, out, _ = start(tmp_path, *module, str(bad), *keys, "--write", str(tmp_path / "a.json"))
    assert code == 1
    report = json.loads((tmp_path / "a.json").read_text())
    assert str(bad) in report["files"]
    assert f"{report['totals']['findings']} findings: " in out
    files = f"parquet.`{clean}`"  # a name of Spark's own, and not a path, although a slash is in it
    code, out, _ = start(tmp_path, *module, files, *keys, "--format", "json", "--where", "kind = 'call'")
    assert (code, json.loads(out.splitlines()[-1])["findings"]) == (0, 0)
    code, _, err = start(tmp_path, *module, str(clean), *keys, "--write", str(tmp_path / "found.jsonl"))
    assert code == 2
    assert "on Spark every finding is in a DataFrame" in err
    code, _, err = start(tmp_path, *module, "no_such_table", *keys)
    assert code == 3
    assert "the engine ended the work (AnalysisException)" in err
    assert "Traceback" not in err
    code, _, err = start(tmp_path, *module, str(clean), "--column", "when=at")
    assert code == 2
    assert "there is no column 'when'" in err
