"""Processes of Spark that are killed with -9 while the program runs: its report is the same, or there is none, with words."""

from __future__ import annotations

import re
import signal
import sys
from pathlib import Path

import pytest

from paywright_audit import AuditSettings, audit_files, text_lines
from paywright_audit.report.lines import write_json
from paywright_runtime.signing.keys import load_public_key
from tests.audit.helpers.engines import Pair, need_spark, start
from tests.audit.helpers.planted_capture import make_capture
from tests.audit.helpers.tables import write_table

pytestmark = [
    pytest.mark.full,
    pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are found in /proc, which only Linux has"),
]  # fmt: skip
pytest.importorskip("pyarrow", reason="tables need the extra `parquet`")
pytest.importorskip("pyspark", reason="there is no PySpark: it comes with `make .venv/with-full`")
pq = pytest.importorskip("pyarrow.parquet")

# Two workers, each with executors in JVMs of their own, as a cluster has them.
CLUSTER = "local-cluster[2,1,1024]"


@pytest.fixture(scope="module")
def planted(secrets: Path, tmp_path_factory: pytest.TempPathFactory) -> Pair:
    folder = tmp_path_factory.mktemp("planted")
    capture = make_capture(secrets, folder, 1_500, 8, 1)
    write_table(folder / "traffic.parquet", list(map(str, capture.files)))
    return capture, folder / "traffic.parquet"


def submit(folder: Path, table: Path, secrets: Path, harm: list[str], master: str, most: int) -> tuple[int, str, str]:
    """Run the program and kill a process of its engine. The engine gives a task up that has failed `most` times."""
    settings = ["spark.ui.enabled=false", "spark.ui.showConsoleProgress=false", "spark.sql.shuffle.partitions=2"]
    settings += [f"spark.task.maxFailures={most}", "spark.driver.host=127.0.0.1"]
    of_engine = " ".join(["--master", master, *(f"--conf {one}" for one in settings), "pyspark-shell"])
    keys = ["--merchant-key", str(secrets / "merchant.pub"), "--gateway-key", str(secrets / "gateway.pub")]
    options = [str(table), *keys, "--write", str(folder / "report.json")]
    command = [sys.executable, "-m", "tests.audit.helpers.killed_submit", *harm, str(folder / "killed")]
    # With SPARK_TESTING, the workers of the cluster use a temporary folder, and none of the installation.
    return start(
        folder, *command, *options, PYSPARK_SUBMIT_ARGS=of_engine, **{"SPARK_TESTING": "1"} if master == CLUSTER else {},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("who", "stage", "master"),
    [
        ("worker", "judge_stage", "local[2,4]"), ("worker", "relate_stage", "local[2,4]"),
        ("executor", "judge_stage", CLUSTER), ("executor", "relate_stage", CLUSTER),
    ],
)  # fmt: skip
def test_a_dead_task_is_redone(planted: Pair, secrets: Path, tmp_path: Path, who: str, stage: str, master: str) -> None:
    need_spark()
    done = submit(tmp_path, planted[1], secrets, [who, stage, "once"], master, 4)
    assert (tmp_path / "killed").exists()
    check(planted, secrets, tmp_path, *done)


def test_a_killed_driver_leaves_no_report(planted: Pair, secrets: Path, tmp_path: Path) -> None:
    need_spark()
    harm = ["driver", "relate_stage", "once"]
    code, out, err = submit(tmp_path, planted[1], secrets, harm, "local[2]", 4)
    assert (code, out) == (-signal.SIGKILL, ""), err[-4000:]
    assert not (tmp_path / "report.json").exists()
    check(planted, secrets, tmp_path, *submit(tmp_path, planted[1], secrets, harm, "local[2]", 4))


def check(planted: Pair, secrets: Path, folder: Path, code: int, out: str, err: str) -> None:
    """The program made the report of one process."""
    assert code == 1, err[-4000:]
    keys = {f"{side}_keys": [load_public_key(secrets / f"{side}.pub")] for side in ("merchant", "gateway")}
    report = audit_files([planted[1]], AuditSettings(**keys))
    assert (folder / "report.json").read_text() == write_json(report)
    assert out.splitlines() == list(text_lines(report))


@pytest.mark.parametrize(
    ("who", "stage", "times", "master"),
    [
        ("worker", "relate_stage", "always", "local[2,2]"),
        ("executor", "judge_stage", "always", CLUSTER),
        ("engine", "judge_stage", "once", "local[2]"),
        ("engine", "relate_stage", "once", "local[2]"),
    ],
)
def test_an_engine_that_gives_up_or_is_killed_leaves_words_and_no_report(
    planted: Pair, secrets: Path, tmp_path: Path, who: str, stage: str, times: str, master: str
) -> None:
    need_spark()
    code, out, err = submit(tmp_path, planted[1], secrets, [who, stage, times], master, 2)
    assert (tmp_path / "killed").exists()
    assert (code, out) == (3, ""), err[-4000:]
    assert not (tmp_path / "report.json").exists()
    said = r"paywright audit: the engine ended the work \(\w+\)\. Nothing is reported; the engine's log says more\.\n"
    assert len(re.findall(said, err)) == 1, err[-4000:]
    # PySpark's own threads may print how they lost the JVM, but nothing of ours does.
    assert "paywright_audit" not in err
