"""What `audit_dataframe` asks of an engine, on the smallest one there can be: lists of batches."""

from __future__ import annotations

import json
import pickle
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from paywright_audit import AuditSettings, audit_files
from paywright_audit.cross_exchange.history.related_rows import bucket_of, rows_from
from paywright_audit.cross_exchange.history.rows import Row
from paywright_audit.report.build_report import FindingView
from paywright_audit.report.lines import write_json
from paywright_audit.result.partial_result import PartialResult
from tests.audit.helpers.planted_capture import Capture, make_capture
from tests.audit.helpers.spark_engine import texts_of

pa = pytest.importorskip("pyarrow", reason="tables need the extra `parquet`")
pq = pytest.importorskip("pyarrow.parquet")

from paywright_audit.spark import EngineFailed, audit_dataframe, stages  # noqa: E402
from paywright_audit.spark import dataframe as internals  # noqa: E402
from tests.audit.helpers.tables import write_table  # noqa: E402

TYPES = {
    "int": pa.int32(),
    "bigint": pa.int64(),
    "binary": pa.binary(),
    "string": pa.string(),
    "timestamp": pa.timestamp("us", tz="UTC"),
}


class Rows:
    """Partitions of batches. Every shuffle changes the order of rows, as that of an engine may."""

    sent: list[object] = []

    def __init__(self, schema: Any, partitions: Sequence[Any], random: Random) -> None:
        self.schema = schema
        self.partitions = list(partitions)
        self.random = random
        self.sparkSession = SimpleNamespace(sparkContext=self)

    def broadcast(self, value: object) -> object:
        Rows.sent.append(value)
        return SimpleNamespace(value=value)

    @property
    def columns(self) -> list[str]:
        return list(self.schema.names)

    def _with(self, partitions: Sequence[Any]) -> Rows:
        return Rows(partitions[0].schema if partitions else self.schema, partitions, self.random)

    def select(self, *cols: str) -> Rows:
        return self._with([one.select([name.strip("`") for name in cols]) for one in self.partitions])

    def filter(self, condition: str) -> Rows:
        name, _, value = condition.split()
        return self._with([one.filter(pa.compute.equal(one.column(name), int(value))) for one in self.partitions])

    def limit(self, num: int) -> Rows:
        return self._with([self.toArrow().slice(0, num)])

    def union(self, other: Rows) -> Rows:
        return self._with([*self.partitions, *other.partitions])

    def repartition(self, numPartitions: int, *cols: str) -> Rows:
        table = self.toArrow()
        table = table.take(pa.array(self.random.sample(range(table.num_rows), table.num_rows), pa.int64()))
        keys = table.column(cols[0]).to_pylist() if cols else range(table.num_rows)
        return self._with(
            [table.filter(pa.array([hash(key) % numPartitions == part for key in keys], pa.bool_())) for part in range(numPartitions)],
        )  # fmt: skip

    def mapInArrow(self, func: Any, schema: str) -> Rows:
        types = [one.replace("`", "").split() for one in schema.split(", ")]
        made = pa.schema([(name, TYPES[kind]) for name, kind in types])
        parts = [
            list(func(iter(one.to_batches(max_chunksize=self.random.randint(50, 500))))) for one in self.partitions
        ]
        return Rows(made, [pa.Table.from_batches(part, made) for part in parts], self.random)

    def persist(self) -> Rows:
        return self

    def unpersist(self) -> Rows:
        return self

    def collect(self) -> list[tuple[object, ...]]:
        return [tuple(row.values()) for row in self.toArrow().to_pylist()]

    def toArrow(self) -> Any:
        return pa.concat_tables(self.partitions)


@pytest.fixture(scope="module")
def capture(secrets: Path, tmp_path_factory: pytest.TempPathFactory) -> Capture:
    return make_capture(secrets, tmp_path_factory.mktemp("captured"), 600, 9, 1)


@pytest.fixture(scope="module")
def table(capture: Capture, tmp_path_factory: pytest.TempPathFactory) -> Any:
    file = tmp_path_factory.mktemp("table") / "t.parquet"
    write_table(file, list(map(str, capture.files)))
    return pq.read_table(file)


@pytest.fixture(scope="module")
def settings(public: dict[str, Any]) -> AuditSettings:
    return AuditSettings(**public)


def rows_of(table: Any, seed: int = 1, parts: int = 3) -> Any:
    return Rows(table.schema, [table], Random(seed)).repartition(parts)


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2))])
def test_the_report_is_that_of_one_process_whatever_the_engine_does_with_the_rows(
    capture: Capture, table: Any, settings: AuditSettings, seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(internals, "_ROWS", 100 * seed + 50)
    files = list(map(str, capture.files))
    found = tmp_path / "found.jsonl"
    expected = audit_files(files, settings, findings=found)
    audited = audit_dataframe(rows_of(table, seed, 1 + 3 * seed), settings, files=files)
    assert write_json(audited.report) == write_json(expected)
    assert texts_of(audited.findings.toArrow().to_pylist()) == texts_of(map(json.loads, found.read_text().splitlines()))
    audited.release()


@pytest.mark.slow
@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("complete", [True, False])
def test_verdicts_do_not_depend_on_where_rows_lie(
    table: Any, settings: AuditSettings, tmp_path: Path, named: bool, complete: bool
) -> None:
    settings = replace(settings, complete=complete)
    if not named:
        table = table.drop_columns(["file", "place"])
    half = table.num_rows // 2
    parts = table.slice(0, half + 300), table.slice(half - 300)  # six hundred rows lie in both
    for number, part in enumerate(parts):
        pq.write_table(part, tmp_path / f"part-{number}.parquet")
    whole = pa.concat_tables(parts)
    framed = audit_dataframe(rows_of(whole), settings).report
    assert write_json(audit_dataframe(rows_of(whole, 2, 5), settings).report) == write_json(framed)
    for jobs in (1, 2):
        filed = audit_files([str(tmp_path)], settings, jobs=jobs)
        assert {one.id: one.count for one in filed.groups} == {one.id: one.count for one in framed.groups}
        assert filed.totals == framed.totals
    assert framed.totals.copies > 100
    assert framed.totals.errors > 10


def test_the_driver_gets_partial_results(table: Any, settings: AuditSettings, monkeypatch: pytest.MonkeyPatch) -> None:
    collected: list[Any] = []
    collect = Rows.collect

    def watched(self: Rows) -> Any:
        collected.append(collect(self))
        return collected[-1]

    monkeypatch.setattr(Rows, "collect", watched)
    audit_dataframe(rows_of(table), settings)
    assert [len(rows) for rows in collected] == [16, 16]


def test_what_is_sent_shows_no_key(table: Any, settings: AuditSettings) -> None:
    Rows.sent.clear()
    audit_dataframe(rows_of(table), settings)
    assert len(Rows.sent) == 2
    assert "BEGIN" not in repr(Rows.sent)
    assert b"BEGIN" not in pickle.dumps(FindingView(PartialResult(), settings)), "which goes into plans"


def test_only_needed_columns_are_read(table: Any, settings: AuditSettings, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    select = Rows.select

    def watched(self: Rows, *cols: str) -> Rows:
        read.extend(cols)
        return select(self, *cols)

    monkeypatch.setattr(Rows, "select", watched)
    audit_dataframe(rows_of(table.append_column("card", pa.array(["x"] * table.num_rows))), settings)
    assert "`card`" not in read
    assert "`request_body`" in read


def test_a_column_of_another_type_is_let(table: Any, settings: AuditSettings, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = write_json(audit_dataframe(rows_of(table), settings).report)
    to_arrow = Rows.toArrow

    def refusing(self: Rows) -> Any:
        if self.partitions and "interval" in self.columns and not self.partitions[0].num_rows:
            raise TypeError("not supported in conversion to Arrow")
        return to_arrow(self)

    monkeypatch.setattr(Rows, "toArrow", refusing)
    other = table.append_column("interval", pa.array(["P1M"] * table.num_rows))
    assert write_json(audit_dataframe(rows_of(other), settings).report) == expected
    report = audit_dataframe(rows_of(other.select(["interval"])), settings).report
    assert [one.message[:30] for one in report.unreadable] == ["it has no column at, url, requ"]


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (lambda table: table.drop_columns(["url"]), "it has no column url"),
        (lambda table: table.select([]).append_column("id", pa.array(range(table.num_rows))), "it has no column at, url, request_headers"),
        (lambda table: table.set_column(0, "at", pa.array([True] * table.num_rows)), "its column at is bool"),
    ],
    ids=["missing", "else", "type"],
)  # fmt: skip
def test_a_foreign_table_is_told_once(table: Any, settings: AuditSettings, spoil: Any, why: str) -> None:
    report = audit_dataframe(rows_of(spoil(table)), settings).report
    (unread,) = report.unreadable
    assert (report.totals.unreadable, report.totals.exchanges) == (1, 0)
    assert unread.message.startswith(why)


def test_subjects_of_one_merchant_are_spread(table: Any, settings: AuditSettings) -> None:
    judged = stages.judge_stage(SimpleNamespace(value=settings))(iter(table.to_batches()))
    payloads = [row["payload"] for batch in judged for row in batch.to_pylist() if row["round"] >= 0]
    rows = [row for payload in payloads for row in rows_from(payload)]
    subjects = [row.subject for row in rows if isinstance(row, Row)]
    owners = [subject.split("\0")[1] for subject in subjects]
    largest = max(set(owners), key=owners.count)
    mine = [subject for subject in subjects if subject.split("\0")[1] == largest]
    assert len(mine) > len(rows) / 4
    tasks = [bucket_of(subject) % 8 for subject in mine]
    assert set(tasks) == set(range(8))
    assert max(map(tasks.count, range(8))) < 2 * len(mine) / 8


def test_an_executors_error_tells_a_type(table: Any, settings: AuditSettings, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ValueError("the body was 4111111111111111")

    monkeypatch.setattr(stages, "auditor_of", fail)
    with pytest.raises(EngineFailed) as ended:
        audit_dataframe(rows_of(table), settings)
    assert "4111" not in str(ended.value)
    assert ended.value.__cause__ is None
    with pytest.raises(stages.AuditOfPartitionFailed) as own:
        list(stages.judge_stage(SimpleNamespace(value=AuditSettings()))(iter(table.to_batches())))
    assert str(own.value) == "the audit of a partition ended with ValueError"
