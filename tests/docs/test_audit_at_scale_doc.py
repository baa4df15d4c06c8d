"""docs/audit-at-scale.md: its blocks run, or are taken by what they are for."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path
from shutil import copy
from types import ModuleType
from typing import Any

import pytest

from paywright_audit import AuditSettings
from paywright_cli.commands.audit import settings_of
from paywright_cli.spark_submit import build_parser
from tests.audit.helpers.engines import need_spark
from tests.docs.pages import Page, environment, python
from tests.support.packages import TOP

PAGE = Page("audit-at-scale")
_BLOCKS = PAGE.blocks("py")
_START = """\
from pyspark.sql import SparkSession
spark = SparkSession.builder.master("local[1]").config("spark.ui.showConsoleProgress", "false").getOrCreate()
"""


def test_the_line_for_spark_submit_is_one_of_the_program() -> None:
    block = PAGE.block("", "spark-submit")
    words = shlex.split(block.replace("\\\n", " "))
    args = build_parser().parse_args(words[words.index("payments.traffic") :])
    assert (args.table, args.where) == ("payments.traffic", "day = '2026-06-01'")
    assert args.write == ["audit.json"]


def test_the_task_of_airflow_gives_the_program_what_it_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    given: dict[str, Any] = {}
    names = ["airflow", "airflow.sdk"]
    names += ["airflow.providers", "airflow.providers.apache", "airflow.providers.apache.spark"]
    operators = "airflow.providers.apache.spark.operators.spark_submit"
    names += [operators.rpartition(".")[0], operators]
    made = {name: ModuleType(name) for name in names}

    class Dag:
        def __init__(self, name: str, **options: object) -> None:
            given["dag"] = name

        def __enter__(self) -> None: ...

        def __exit__(self, *_: object) -> None: ...

    made["airflow.sdk"].DAG = Dag  # type: ignore[attr-defined]
    made[operators].SparkSubmitOperator = lambda **options: given.update(options)  # type: ignore[attr-defined]
    for name, module in made.items():
        monkeypatch.setitem(sys.modules, name, module)
    exec(compile(_BLOCKS[1], "dag.py", "exec"), {})
    assert given["application"].endswith("paywright_cli/spark_submit.py")
    args = build_parser().parse_args(given["application_args"])
    assert args.where == "day = '{{ ds }}'"
    assert (args.merchant_key, args.gateway_key) == (["/opt/keys/merchant.pub"], ["/opt/keys/gateway.pub"])
    args.config, args.merchant_key, args.gateway_key = None, [], []
    assert settings_of(args) == AuditSettings()


@pytest.mark.full
def test_the_lines_of_a_notebook_run(tmp_path: Path) -> None:
    need_spark()
    from tests.audit.helpers.tables import write_table

    samples = TOP / "docs" / "samples"
    write_table(tmp_path / "traffic.parquet", {str(samples / "shop.har"): "shop.har"})
    for name in ("merchant.pub", "gateway.pub"):
        copy(samples / name, tmp_path)
    (tmp_path / "notebook.py").write_text(_START + _BLOCKS[0])
    said = python(tmp_path, "notebook.py", env=environment(PYSPARK_PYTHON=sys.executable))
    assert said.startswith("judged: 8 of 8 bodies")
    assert "shop.har, entry 4: refunds.create request" in said
    assert re.search(r"\| *refund-exceeds-paid *\| *1 *\|", said)
