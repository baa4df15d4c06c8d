"""Runs audits on Spark in a process of its own: `python -m tests.audit.helpers.spark_engine JOBS.json`.

Of each job it writes what it came to into the file `out`: the report and the findings.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from paywright_audit import AuditSettings
from paywright_audit.report.lines import write_json
from paywright_audit.spark import audit_dataframe
from paywright_audit.spark import dataframe as internals
from paywright_runtime.signing.keys import load_public_key

__all__ = ["session", "texts_of"]


def session() -> Any:
    """A session of PySpark."""
    from pyspark.sql import SparkSession

    options = {
        "spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "127.0.0.1", "spark.sql.shuffle.partitions": "2",
        "spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false",
    }  # fmt: skip
    builder = SparkSession.builder
    for name, value in options.items():
        builder = builder.config(name, value)
    return builder.master("local[2]").getOrCreate()


def texts_of(rows: Iterable[dict[str, Any]]) -> list[list[str]]:
    """Findings in any order, without their times, whose forms differ."""
    return sorted(
        ["" if value is None else str(value) for name, value in row.items() if not name.endswith("at")] for row in rows
    )


def plan(frame: Any) -> str:
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        frame.explain(True)
    return said.getvalue()


def run(spark: Any, job: dict[str, Any]) -> dict[str, Any]:
    frame = spark.read.parquet(job["table"])
    if job.get("drop"):
        frame = frame.drop(job["drop"])
    if job.get("other"):
        frame = frame.selectExpr("*", f"{job['other']} AS other")
    if job.get("parts"):
        frame = frame.repartition(job["parts"])
    keys = {f"{side}_keys": [load_public_key(Path(job["keys"]) / f"{side}.pub")] for side in ("merchant", "gateway")}
    settings = AuditSettings(**keys, evidence=50, columns=job.get("columns", {}))
    audited = audit_dataframe(frame, settings, files=job["files"])
    found = texts_of(row.asDict() for row in audited.findings.collect())
    told = {"report": write_json(audited.report), "findings": found, "plan": plan(audited.findings)}
    audited.release()
    return told


def main() -> None:
    jobs = json.loads(Path(sys.argv[1]).read_text())
    internals._ROWS = 500  # so that rows are related by several tasks
    spark = session()
    for job in jobs:
        Path(job["out"]).write_text(json.dumps(run(spark, job)))
    spark.stop()


if __name__ == "__main__":
    main()
