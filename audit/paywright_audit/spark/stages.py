"""Stages on executors: judge batches of rows, relate the rows of the keys of a partition, and merge partial results.

Stages exchange rows of three columns: `round`, `bucket` and `payload`. A payload is a pickled row to relate in that round, a
pickled partial result or a finding. Rows that are related together have the same bucket, which does not depend on their
merchant: so the shuffle can begin before the names of merchants are united, and a merchant with a third of the traffic is
spread as evenly as others.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator, Mapping
from functools import wraps
from hashlib import sha256
from typing import Final, NamedTuple, cast

import pyarrow as pa
import pyarrow.compute as pc

from paywright_audit.cross_exchange.evidence.owners import Same
from paywright_audit.cross_exchange.evidence.related_rows import AliasRow, Key, Related, Round, key_of, united
from paywright_audit.cross_exchange.evidence.rows import Row
from paywright_audit.cross_exchange.rules.timing import CaptureFacts
from paywright_audit.cross_exchange.run_rules import relate_key
from paywright_audit.input.errors import AuditError
from paywright_audit.input.tables.table_reader import read_batches
from paywright_audit.report.build_report import Places
from paywright_audit.result.partial_result import PartialResult, PlacedFinding, Settings
from paywright_audit.running.auditor import add_row_findings
from paywright_audit.running.finding_table import FINDING_COLUMNS, finding_batches, finding_row
from paywright_audit.running.parts import judge
from paywright_audit.settings.audit_settings import AuditInput
from paywright_audit.settings.policy import ReportPolicy
from paywright_audit.spark.frames import Shared, Stage

__all__ = [
    "FINDING",
    "FINDING_SCHEMA",
    "PARTIAL",
    "STAGE_SCHEMA",
    "Tally",
    "Whole",
    "finding_stage",
    "judge_stage",
    "merge_stage",
    "merged",
    "relate_stage",
]

PARTIAL: Final = -1
FINDING: Final = -2
"""Values of `round` in the rows of partial results and of findings."""

STAGE_SCHEMA: Final = "round int, bucket bigint, payload binary"
FINDING_SCHEMA: Final = ", ".join(
    f"`{name}` {'timestamp' if name.endswith('at') else 'string'}" for name in FINDING_COLUMNS
)
_TYPES: Final[dict[str, pa.DataType]] = {"round": pa.int32(), "bucket": pa.int64(), "payload": pa.binary()}
_SCHEMA: Final = pa.schema(_TYPES)
_MOST: Final = 10_000  # rows of a batch


class Tally(NamedTuple):
    """The partial result of partitions, with the number of rows for each round."""

    partial: PartialResult
    rows: Mapping[int, int]


class Whole(NamedTuple):
    """The whole capture: its united merchants and environments, its facts, and the settings."""

    same: Same
    facts: CaptureFacts
    settings: Settings


class AuditOfPartitionFailed(Exception):
    """Error in place of one of ours on an executor, whose message might contain a value of a message."""


_Row = tuple[int, int, bytes]


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


def judge_stage(given: Shared[AuditInput]) -> Stage:
    """Return the stage that judges rows of captured traffic: rows to relate, all findings, and a `Tally`."""

    def judge_partition(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        of = given.value
        columns = dict(of.columns)
        total, counts = PartialResult(), dict.fromkeys(map(int, Round), 0)

        def judged() -> Iterator[_Row]:
            for batch in batches:
                part = judge(read_batches([batch], columns), of, findings=True)
                total.merge(part.partial, of.settings.kept)
                for row in map(_row_to_relate, part.rows):
                    counts[row[0]] += 1
                    yield row
                yield from map(_finding, part.findings)
            yield _tally(total, counts)

        yield from _batches(judged())

    return _quiet(judge_partition)


def relate_stage(whole: Shared[Whole], round_: Round) -> Stage:
    """Return the stage that relates the rows of a round, key by key, and passes all others on."""

    def relate_partition(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        same, facts, settings = whole.value
        keys: dict[Key, list[Related]] = {}
        for batch in batches:
            mine = pc.equal(batch.column("round"), pa.scalar(int(round_), pa.int32()))
            others = batch.filter(pc.invert(mine))
            if others.num_rows:
                yield pa.RecordBatch.from_arrays(others.columns, schema=_SCHEMA)
            for payload in _payloads(batch.filter(mine)):
                row: Related = pickle.loads(payload)
                if isinstance(row, (Row, AliasRow)):
                    row = united(row, same)
                keys.setdefault(key_of(row), []).append(row)
        partial, found = PartialResult(), list[PlacedFinding]()

        def related() -> Iterator[_Row]:
            for key in list(keys):
                out = relate_key(keys.pop(key), facts)
                add_row_findings(partial, settings, out.found, found.append)
                partial.copies += out.copies
                yield from map(_row_to_relate, out.rows)
            yield from map(_finding, found)
            yield _tally(partial, {})

        yield from _batches(related())

    return _quiet(relate_partition)


def merge_stage(settings: Settings) -> Stage:
    """Return the stage that merges the tallies of a partition, so that few of them go to the driver."""

    def merge_partition(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        tally = merged((payload for batch in batches for payload in _payloads(batch)), settings)
        yield from _batches([_tally(*tally)])

    return _quiet(merge_partition)


def finding_stage(policy: ReportPolicy, units: Mapping[str, str]) -> Stage:
    """Return the stage that turns findings into rows of the table of findings."""

    def show_partition(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        whole = PartialResult()
        whole.units.update(units)
        places = Places(whole)
        for batch in batches:
            yield from finding_batches(finding_row(pickle.loads(one), places, policy) for one in _payloads(batch))

    return _quiet(show_partition)


def merged(payloads: Iterable[bytes], settings: Settings) -> Tally:
    """Merge pickled tallies."""
    total, counts = PartialResult(), dict.fromkeys(map(int, Round), 0)
    for payload in payloads:
        tally: Tally = pickle.loads(payload)
        total.merge(tally.partial, settings.kept)
        for round_, number in tally.rows.items():
            counts[round_] += number
    return Tally(total, counts)


def _payloads(batch: pa.RecordBatch) -> list[bytes]:
    return cast("list[bytes]", batch.column("payload").to_pylist())


def _tally(partial: PartialResult, rows: Mapping[int, int]) -> _Row:
    payload = pickle.dumps(Tally(partial, {int(round_): number for round_, number in rows.items()}))
    return PARTIAL, _number(payload), payload


def _finding(one: PlacedFinding) -> _Row:
    return FINDING, 0, pickle.dumps(one)


def _row_to_relate(row: Related) -> _Row:
    round_, name = key_of(row)
    if isinstance(row, (Row, AliasRow)):
        kind, _, key = name.split("\0", 2)
        name = f"{kind}\0{key}"
    return int(round_), _number(name.encode(errors="surrogatepass")), pickle.dumps(row)


def _number(name: bytes) -> int:
    return int.from_bytes(sha256(name).digest()[:4])


def _batches(rows: Iterable[_Row]) -> Iterator[pa.RecordBatch]:
    waiting: list[_Row] = []
    for row in rows:
        waiting.append(row)
        if len(waiting) == _MOST:
            yield _batch(waiting)
            waiting.clear()
    if waiting:
        yield _batch(waiting)


def _batch(rows: list[_Row]) -> pa.RecordBatch:
    columns = zip(*rows, strict=True)
    return pa.RecordBatch.from_arrays(
        [pa.array(list(values), field.type) for values, field in zip(columns, _SCHEMA, strict=True)], schema=_SCHEMA
    )
