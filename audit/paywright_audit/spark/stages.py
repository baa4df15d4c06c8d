"""Stages on executors: judge batches of rows, relate the rows of a round in a partition, and merge partial results.

Stages exchange rows of three columns: `round`, `bucket` and `payload`. A payload is a row to relate in that round, a finding, or a
pickled partial result. Rows that are related together have the same bucket.
"""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterable, Iterator
from functools import wraps
from itertools import chain
from typing import Final, cast

import pyarrow as pa
import pyarrow.compute as pc

from paywright_audit.cross_exchange.history.related_rows import Related, Round, bucket_of, key_of, rows_from, written
from paywright_audit.cross_exchange.history.row_store import RowStore
from paywright_audit.cross_exchange.run_rules import Whole
from paywright_audit.input.errors import AuditError
from paywright_audit.input.tables.table_reader import chosen, exchanges
from paywright_audit.report.build_report import FindingView
from paywright_audit.result.partial_result import PartialResult, PlacedFinding
from paywright_audit.running.auditor import auditor_of, relate
from paywright_audit.running.finding_rows import FindingRow, finding_from, finding_row
from paywright_audit.settings.audit_settings import AuditSettings
from paywright_audit.spark.frames import Shared, Stage

PARTIAL: Final = -1
FINDING: Final = -2
"""Values of `round` in the rows of partial results and of findings."""

STAGE_SCHEMA: Final = "round int, bucket bigint, payload binary"
FINDING_SCHEMA: Final = ", ".join(
    f"`{name}` {'timestamp' if name.endswith('at') else 'string'}" for name in FindingRow._fields
)
_TYPES: Final[dict[str, pa.DataType]] = {"round": pa.int32(), "bucket": pa.int64(), "payload": pa.binary()}
_SCHEMA: Final = pa.schema(_TYPES)
_FINDING_TYPES: Final[dict[str, pa.DataType]] = {
    name: pa.timestamp("us", tz="UTC") if name.endswith("at") else pa.string() for name in FindingRow._fields
}
_FINDINGS: Final = pa.schema(_FINDING_TYPES)
_MOST: Final = 10_000  # rows of a batch


class AuditOfPartitionFailed(Exception):
    """Error in place of one of ours on an executor, whose message might contain a value of a message."""


class _Out:
    """Takes rows, findings and a partial result, and yields them as batches."""

    def __init__(self) -> None:
        self._waiting: list[tuple[int, int, bytes]] = []

    def add(self, rows: Iterable[Related]) -> None:
        """Take rows."""
        for row in rows:
            round_, name = key_of(row)
            self._waiting.append((int(round_), bucket_of(name), written([row])))

    def find(self, one: PlacedFinding) -> None:
        """Take a finding."""
        self._waiting.append((FINDING, 0, json.dumps(one).encode()))

    def finish(self, partial: PartialResult) -> Iterator[pa.RecordBatch]:
        """Yield all that was not yielded, with the partial result of the partition."""
        self._waiting.append((PARTIAL, 0, pickle.dumps(partial)))
        return self.batches()

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield all that was not yielded."""
        for start in range(0, len(self._waiting), _MOST):
            yield _batch(self._waiting[start : start + _MOST], _SCHEMA)
        self._waiting.clear()


def _quiet(stage: Stage) -> Stage:
    """Return a stage whose errors show only their type, because the engine writes them to logs and pages."""

    @wraps(stage)
    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        try:
            yield from stage(batches)
        except AuditError as error:
            raise AuditOfPartitionFailed(str(error)) from None
        except Exception as error:
            raise AuditOfPartitionFailed(f"the audit of a partition ended with {type(error).__name__}") from None

    return run


def judge_stage(settings: Shared[AuditSettings]) -> Stage:
    """Return the stage that judges rows of captured traffic: rows to relate, all findings, and a partial result."""

    def judge_partition(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        out, columns = _Out(), settings.value.columns
        auditor = auditor_of(settings.value, out, out.find)
        for batch in batches:
            auditor.take_all(exchanges(chosen(pa.Table.from_batches([batch]), columns), None))
            yield from out.batches()
        yield from out.finish(auditor.partial)

    return _quiet(judge_partition)


def relate_stage(relating: Shared[tuple[Whole, AuditSettings]], round_: Round) -> Stage:
    """Return the stage that relates the rows of a round, key by key, and passes all others on."""

    def relate_partition(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        whole, settings = relating.value
        store, out = RowStore(), _Out()
        for batch in batches:
            mine = pc.equal(batch.column("round"), pa.scalar(int(round_), pa.int32()))
            others = batch.filter(pc.invert(mine))
            if others.num_rows:
                yield pa.RecordBatch.from_arrays(others.columns, schema=_SCHEMA)
            store.add(chain.from_iterable(map(rows_from, _payloads(batch.filter(mine)))))
        partial = relate(store, round_, whole, settings, out, out.find)
        yield from out.finish(partial)

    return _quiet(relate_partition)


def merge_stage(kept: int) -> Stage:
    """Return the stage that merges the partial results of a partition, so that few of them go to the driver."""

    def merge_partition(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield from _Out().finish(merged((one for batch in batches for one in _payloads(batch)), kept))

    return _quiet(merge_partition)


def finding_stage(shown: FindingView) -> Stage:
    """Return the stage that turns findings into rows of a DataFrame."""

    def show_partition(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            rows = [finding_row(finding_from(one), shown) for one in _payloads(batch)]
            if rows:
                yield _batch([row._replace(at=_us(row.at), other_at=_us(row.other_at)) for row in rows], _FINDINGS)

    return _quiet(show_partition)


def merged(payloads: Iterable[bytes], kept: int) -> PartialResult:
    """Merge pickled partial results."""
    total = PartialResult()
    for payload in payloads:
        total.merge(pickle.loads(payload), kept)
    return total


def _us(at: float | None) -> int | None:
    return None if at is None else round(at * 1_000_000)


def _payloads(batch: pa.RecordBatch) -> list[bytes]:
    return cast("list[bytes]", batch.column("payload").to_pylist())


def _batch(rows: Iterable[tuple[object, ...]], schema: pa.Schema) -> pa.RecordBatch:
    columns = zip(*rows, strict=True)
    arrays = [pa.array(list(values), field.type) for values, field in zip(columns, schema, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)
