"""The audit on real engines: the same report, byte for byte, from a classic session, over Spark Connect, and from Sail."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest

from paywright_audit import audit_files, write_table
from paywright_audit.report.document import write_json
from paywright_runtime.signing.keys import load_public_key
from tests.audit.helpers.planted_capture import Capture, make_capture, make_stranger
from tests.audit.test_columns import TODAY
from tests.support.packages import PACKAGES, TOP

pytestmark = pytest.mark.full
pytest.importorskip("pyarrow", reason="tables need the extra `parquet`")
pytest.importorskip("pyspark", reason="there is no PySpark: it comes with `make .venv/with-full`")
pq = pytest.importorskip("pyarrow.parquet")

EXCHANGES = int(os.environ.get("PAYWRIGHT_TEST_EXCHANGES", "1500"))


def need(engine: str) -> None:
    if engine == "sail" and find_spec("pysail") is None:
        pytest.skip("there is no Sail: it comes with `make .venv/with-full`")
    if engine != "sail" and shutil.which("java") is None:
        pytest.skip("there is no Java for Spark: on Debian it is the package default-jre-headless")


@pytest.fixture(scope="module")
def secrets(keys: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = Path(copytree(keys / "keys", tmp_path_factory.mktemp("engines") / "keys"))
    make_stranger(folder)
    return folder


Pair = dict[str, tuple[Capture, Path]]


@pytest.fixture(scope="module")
def captures(secrets: Path, tmp_path_factory: pytest.TempPathFactory) -> Pair:
    """A planted capture and its clean twin, each also as a table."""
    made = {}
    for name in ("planted", "clean"):
        folder = tmp_path_factory.mktemp(name)
        capture = make_capture(secrets, folder, EXCHANGES, 8, 1, faults=name == "planted")
        write_table(folder / "traffic.parquet", list(map(str, capture.files)))
        made[name] = capture, folder / "traffic.parquet"
    return made


def start(folder: Path, *command: str, **variables: str) -> tuple[int, str, str]:
    """Run a program in a process group of its own, which ends with it, servers included."""
    path = os.pathsep.join([str(TOP), PACKAGES])
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("SPARK_", "PYSPARK_"))}
    environment = {
        **clean,
        "PYTHONPATH": path,
        "PYSPARK_PYTHON": sys.executable,
        "PYTHONWARNINGS": "ignore",
        **variables,
    }
    with (folder / "out").open("wb") as out, (folder / "err").open("wb") as err:
        process = subprocess.Popen(command, env=environment, cwd=folder, stdout=out, stderr=err, start_new_session=True)
        try:
            code = process.wait(1200)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
    return code, (folder / "out").read_text(errors="replace"), (folder / "err").read_text(errors="replace")


def run(folder: Path, engine: str, jobs: list[dict[str, Any]], master: str = "local[2]") -> list[dict[str, Any]]:
    for number, job in enumerate(jobs):
        job |= {"master": master, "out": str(folder / f"{number}.json")}
    (folder / "jobs.json").write_text(json.dumps(jobs))
    # With it the server of Connect takes any free port. The workers of Sail cannot be started with it.
    variables = {"SPARK_TESTING": "1"} if engine == "connect" else {}
    command = [sys.executable, "-m", "tests.audit.helpers.spark_engine", engine, str(folder / "jobs.json")]
    code, _, err = start(folder, *command, **variables)
    assert code == 0, err[-4000:]
    return [json.loads(Path(job["out"]).read_text()) for job in jobs]


def job(pair: tuple[Capture, Path], secrets: Path, **more: object) -> dict[str, Any]:
    capture, table = pair
    return {"table": str(table), "files": list(map(str, capture.files)), "keys": str(secrets), **more}


def local(pair: tuple[Capture, Path], secrets: Path, findings: Path) -> tuple[str, list[list[str]]]:
    """The report of the capture's own files from this process, and all findings but for their times."""
    keys = {f"{side}_keys": [load_public_key(secrets / f"{side}.pub")] for side in ("merchant", "gateway")}
    files = list(map(str, pair[0].files))
    report = audit_files(files, today=TODAY, evidence=50, findings=findings, **keys)  # type: ignore[arg-type]
    rows = pq.read_table(findings).drop_columns(["at"]).to_pylist()
    return write_json(report), sorted(["" if one is None else str(one) for one in row.values()] for row in rows)


@pytest.mark.parametrize("engine", ["classic", "connect", "sail"])
def test_every_engine_has_the_report_of_one_process(
    engine: str, captures: Pair, secrets: Path, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    need(engine)
    jobs = [
        job(captures["planted"], secrets, parts=5),
        job(captures["clean"], secrets),
        job(captures["planted"], secrets, drop="url"),
        job(captures["planted"], secrets, drop="at", columns={"at": None}),
    ]
    planted, clean, missing, untimed = run(tmp_path, engine, jobs)
    for told, name in ((planted, "planted"), (clean, "clean")):
        report, findings = local(captures[name], secrets, tmp_path / "local.parquet")
        assert told["report"] == report
        assert told["findings"] == findings
    assert json.loads(planted["report"])["totals"]["findings"] > 50
    assert json.loads(clean["report"])["totals"]["findings"] == 0
    (unread,) = json.loads(missing["report"])["unreadable"]
    assert unread["message"].startswith("it has no column url: say with --column url=NAME")
    assert json.loads(untimed["report"])["judged"]["times"] == 0
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
        f"count: exchanges audited on {engine} with the same report",
        json.loads(planted["report"])["totals"]["exchanges"],
    )


def test_a_worker_that_is_killed_costs_its_task(captures: Pair, secrets: Path, tmp_path: Path) -> None:
    need("classic")
    marker = tmp_path / "killed"
    killed = job(captures["planted"], secrets, parts=4, kill="once", marker=str(marker))
    (told,) = run(tmp_path, "classic", [killed], "local[2,4]")
    assert marker.exists()
    assert told["report"] == local(captures["planted"], secrets, tmp_path / "local.parquet")[0]


def test_an_engine_that_gives_up_leaves_words_and_no_report(captures: Pair, secrets: Path, tmp_path: Path) -> None:
    need("classic")
    killed = job(captures["planted"], secrets, kill="always", marker=str(tmp_path / "killed"))
    (told,) = run(tmp_path, "classic", [killed], "local[2,2]")
    assert told.keys() == {"failed"}
    assert told["failed"].startswith("the engine ended the work (")
    assert told["failed"].endswith("Nothing is reported; the engine's log says more.")


def test_the_program_has_the_exit_codes_of_the_command(captures: Pair, secrets: Path, tmp_path: Path) -> None:
    need("classic")
    module = [sys.executable, "-m", "paywright_audit.spark", "submit"]
    keys = ["--merchant-key", str(secrets / "merchant.pub"), "--gateway-key", str(secrets / "gateway.pub")]
    found, bad, clean = tmp_path / "found.parquet", captures["planted"][1], captures["clean"][1]
    code, out, _ = start(tmp_path, *module, str(bad), *keys, "--write", str(found), "--write", str(tmp_path / "a.json"))
    assert code == 1
    report = json.loads((tmp_path / "a.json").read_text())
    assert str(bad) in report["files"]
    assert f"{report['totals']['findings']} findings: " in out
    totals = report["totals"]
    assert pq.read_table(found).num_rows == totals["findings"] + totals["notes"]
    code, out, _ = start(tmp_path, *module, str(clean), *keys, "--format", "json", "--where", "kind = 'call'")
    assert (code, json.loads(out.splitlines()[-1])["findings"]) == (0, 0)
    code, _, err = start(tmp_path, *module, "no_such_table", *keys)
    assert code == 3
    assert "paywright audit: the engine ended the work (AnalysisException)" in err
    assert "Traceback" not in err
    code, _, err = start(tmp_path, *module, str(clean), "--column", "when=at")
    assert code == 2
    assert "there is no column 'when'" in err
