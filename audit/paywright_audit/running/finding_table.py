"""Findings as rows of a table, so that the merchant can find their exchanges."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from paywright_audit.cross_exchange.evidence.row_store import RowStore
from paywright_audit.input.errors import AuditSetupError, DiskFull
from paywright_audit.judging.findings import Finding, Other
from paywright_audit.report.build_report import Places, party_in, shown_name
from paywright_audit.report.writers import whole_file
from paywright_audit.result.partial_result import GroupKey, Place, PlacedFinding
from paywright_audit.running.auditor import OnFinding
from paywright_audit.settings.baseline import group_id
from paywright_audit.settings.policy import ReportPolicy

if TYPE_CHECKING:
    from pyarrow import RecordBatch, Schema

__all__ = [
    "FINDING_COLUMNS",
    "FindingRow",
    "Findings",
    "finding_batches",
    "finding_row",
    "finding_schema",
    "keep_in",
    "kept_in",
    "write_findings",
]

Findings: TypeAlias = "str | os.PathLike[str] | Callable[[RecordBatch], object]"
"""Receiver of findings: a Parquet file, or a function that is called with batches of them."""

_ROWS: Final = 10_000  # of a batch, which is a row group of a file


class FindingRow(NamedTuple):
    """One finding. `at` is in microseconds since 1970 in UTC, `contract` is `spec/file.yaml:line`.

    `key` is the merchant's own id of the subject, "" if the messages name none. `suppressed` is the reason of the suppression
    that applies, `value` the found value if values were asked for. `group` is the id that reports and baselines use. `by` is who
    broke the rule. `other_file`, `other_place` and `other_at` belong to the other exchange, None if there is none.
    """

    file: str
    place: str
    at: int | None
    operation: str
    part: str
    pointer: str
    key: str
    rule: str
    severity: str
    message: str
    suppressed: str | None
    contract: str
    group: str
    value: str | None
    by: str
    other_file: str | None
    other_place: str | None
    other_at: int | None


FINDING_COLUMNS: Final = FindingRow._fields
"""The columns of the table of findings: all texts, except the timestamps `at` and `other_at`."""


def keep_in(store: RowStore) -> OnFinding:
    """Return a function that stores every finding in the store."""

    def keep(one: PlacedFinding) -> None:
        found = one.finding
        said = f"{found.operation}\0{found.part}\0{found.pointer}\0{found.code}\0{found.message}\0{one.at}\0{one.key}\0{found.value}"
        shown = found._replace(value=None if found.value is None else str(found.value))
        kept = json.dumps(one._replace(finding=shown)).encode()  # not a pickle, because a worker's store is a file
        store.keep(one.place.file, one.place.offset, said.encode(errors="surrogatepass"), kept)

    return keep


def kept_in(store: RowStore) -> Iterator[PlacedFinding]:
    """Yield the findings of a store, in the order of their places. Raises `DiskFull` if there is no room to sort them."""
    try:
        for one in store.findings():
            place, at, subject, key, pattern, found = json.loads(one)
            other = None if found[-1] is None else Other(*found[-1])
            yield PlacedFinding(Place(*place), at, subject, key, pattern, Finding(*found[:-1])._replace(other=other))
    except sqlite3.OperationalError as error:
        raise DiskFull(str(error)) from None


def finding_row(one: PlacedFinding, places: Places, policy: ReportPolicy) -> FindingRow:
    """Return the row of a finding, with its severity and suppression by the policy."""
    finding, other = one.finding, one.finding.other
    key = GroupKey(finding.code, finding.operation, finding.part, one.pattern)
    reasons = (each.reason for each in policy.config.suppressions if each.until >= policy.today and each.covers(key))
    return FindingRow(
        shown_name(one.place.file),
        places.name(one.place),
        None if one.at is None else round(one.at * 1_000_000),
        finding.operation,
        finding.part,
        finding.pointer,
        one.key,
        finding.code,
        policy.config.severity(key).value,
        finding.message,
        next(reasons, None),
        finding.contract,
        group_id(key),
        None if finding.value is None else str(finding.value),
        party_in(key),
        None if other is None else shown_name(other.file),
        None if other is None else places.name(Place(other.file, other.offset, other.number, None)),
        None if other is None else round(other.at * 1_000_000),
    )


def finding_schema() -> Schema:
    """Return the schema of the table of findings. It needs pyarrow."""
    import pyarrow as pa

    types: dict[str, pa.DataType] = dict.fromkeys(FINDING_COLUMNS, pa.string())
    types |= dict.fromkeys(("at", "other_at"), pa.timestamp("us", tz="UTC"))
    return pa.schema(types)


def finding_batches(rows: Iterable[FindingRow]) -> Iterator[RecordBatch]:
    """Yield the rows in batches of at most ten thousand, with the columns of `finding_schema`. It needs pyarrow."""
    import pyarrow as pa

    schema, rest = finding_schema(), iter(rows)
    while waiting := list(islice(rest, _ROWS)):
        columns = zip(*waiting, strict=True)
        arrays = [pa.array(list(values), field.type) for values, field in zip(columns, schema, strict=True)]
        yield pa.RecordBatch.from_arrays(arrays, schema=schema)


def write_findings(findings: Findings, rows: Iterable[FindingRow]) -> None:
    """Write rows to a Parquet file, or call a function with batches of them; errors of the function pass.

    Raises `AuditSetupError` if the file cannot be written, or pyarrow is not installed.
    """
    if callable(findings):
        for batch in finding_batches(rows):
            findings(batch)
        return
    file = Path(findings)
    try:
        # Imported here, because an installation without the extra `parquet` has no pyarrow.
        from pyarrow import parquet
    except ImportError:
        raise AuditSetupError(f"{file}: a table needs an extra: pip install 'paywright[parquet]'") from None
    with (
        whole_file(file, private=True) as half,
        half.open("wb") as sink,
        parquet.ParquetWriter(sink, finding_schema(), compression="zstd") as writer,
    ):
        for batch in finding_batches(rows):
            writer.write_batch(batch)
