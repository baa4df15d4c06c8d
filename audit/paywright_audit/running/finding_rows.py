"""Findings as rows, each with the merchant's own key, so that the merchant can find their exchanges."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from paywright_audit.cross_exchange.history.row_store import RowStore
from paywright_audit.input.times import written
from paywright_audit.judging.blame import party_in
from paywright_audit.judging.findings import Finding, Other
from paywright_audit.report.build_report import FindingView, shown_name
from paywright_audit.result.partial_result import Place, PlacedFinding
from paywright_audit.running.auditor import OnFinding
from paywright_audit.settings.whole_files import whole_file


class FindingRow(NamedTuple):
    """One finding. `at` is in seconds since 1970, `contract` is `spec/file.yaml:line`.

    `key` is the merchant's own id of the subject, "" if the messages name none. `value` is the found value if values were asked for.
    `group` is the id that reports and baselines use. `by` is who broke the rule. `other_file`, `other_place` and `other_at` belong to the other exchange, None if there is none.
    """

    file: str
    place: str
    at: float | None
    operation: str
    part: str
    pointer: str
    key: str
    code: str
    severity: str
    message: str
    contract: str
    group: str
    value: str | None
    by: str
    other_file: str | None
    other_place: str | None
    other_at: float | None


def finding_from(text: str | bytes) -> PlacedFinding:
    """Return the finding that was written as JSON: findings go through files and engines, as rows do. Raises `ValueError`."""
    place, at, key, pattern, found = json.loads(text)
    other = None if found[-1] is None else Other(*found[-1])
    return PlacedFinding(Place(*place), at, key, pattern, Finding(*found[:-1])._replace(other=other))


def keep_in(store: RowStore) -> OnFinding:
    """Return a function that stores every finding in the store."""

    def keep(one: PlacedFinding) -> None:
        found = one.finding
        said = f"{found.operation}\0{found.part}\0{found.pointer}\0{found.code}\0{found.message}\0{one.at}\0{one.key}\0{found.value}"
        store.keep(one.place.file, one.place.number, said.encode(errors="surrogatepass"), json.dumps(one).encode())

    return keep


def kept_in(store: RowStore) -> Iterator[PlacedFinding]:
    """Return the findings of a store, in the order of their places."""
    return map(finding_from, store.findings())


def finding_row(one: PlacedFinding, shown: FindingView) -> FindingRow:
    """Return the row of a finding, with its severity."""
    finding, other, key = one.finding, one.finding.other, one.group
    return FindingRow(
        shown_name(one.place.file),
        shown.name(one.place),
        one.at,
        finding.operation,
        finding.part,
        finding.pointer,
        one.key,
        finding.code,
        shown.severity(key).value,
        finding.message,
        finding.contract,
        key.id,
        None if finding.value is None else str(finding.value),
        party_in(key),
        None if other is None else shown_name(other.file),
        None if other is None else shown.name(Place(other.file, other.number, None)),
        None if other is None else other.at,
    )


def write_findings(file: str | os.PathLike[str], rows: Iterable[FindingRow]) -> None:
    """Write rows to a file of JSON lines. Raises `AuditSetupError` if it cannot be written."""
    with whole_file(Path(file), private=True) as half, half.open("w", encoding="ascii") as out:
        for row in rows:
            at, other_at = (None if one is None else written(one) for one in (row.at, row.other_at))
            out.write(f"{json.dumps({**row._asdict(), 'at': at, 'other_at': other_at})}\n")
