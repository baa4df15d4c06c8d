"""Audit batches of columns from a program: any iterable of `pyarrow.RecordBatch`, without a file."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from paywright_audit.cross_exchange.evidence.row_store import RowStore
from paywright_audit.input.errors import AuditSetupError, DiskFull
from paywright_audit.judging.matching import Matcher
from paywright_audit.report.build_report import Places, build_report
from paywright_audit.report.model import Report
from paywright_audit.running.auditor import Auditor, add_cross_exchange_findings
from paywright_audit.running.finding_table import Findings, finding_row, keep_in, kept_in, write_findings
from paywright_audit.settings.audit_settings import DEFAULT, AuditSettings

if TYPE_CHECKING:
    from pyarrow import RecordBatch

__all__ = ["audit_batches"]


def audit_batches(
    batches: Iterable[RecordBatch],
    settings: AuditSettings = DEFAULT,
    *,
    files: Sequence[str] = (),
    findings: Findings | None = None,
) -> Report:
    """Judge captured traffic in columns against the contract, one batch at a time.

    The report is the same for the same rows in any order and in batches of any size. A table of something else, and a row that
    is not an exchange, are part of the report (`unreadable`), not an error.

    Args:
        batches: rows with the columns that `paywright audit --schema` prints. The columns `file` and `place` name their places;
            without these, findings have none.
        settings: keys, names, limits, and how findings are judged.
        files: the inputs that the report lists, beside the files that the rows name.
        findings: the receiver of every finding, in the order of places: a Parquet file, as in `audit_files`, or a function that is
            called at the end with batches of at most 10,000 (docs/audit.md, "Findings as a table"), but not without a finding. An
            error that it raises ends the audit.

    Raises:
        AuditSetupError: `findings` cannot be written, or pyarrow is not installed.
        DiskFull: the folder of temporary files has no room.
    """
    try:
        # Imported here, because an installation without the extra `parquet` has no pyarrow.
        from paywright_audit.input.tables.table_reader import read_batches
    except ImportError:
        raise AuditSetupError("tables need an extra: pip install 'paywright[parquet]'") from None
    given, policy = settings.input(files), settings.policy()
    try:
        store = RowStore()
        every = None if findings is None else keep_in(store)
        auditor = Auditor(Matcher(dict(given.paths)), given.keys(), given.settings, store, every)
        auditor.take_all(read_batches(batches, dict(given.columns)))
        partial = auditor.close()
        add_cross_exchange_findings(store, partial, given.settings, every)
    except sqlite3.OperationalError as error:
        raise DiskFull(str(error)) from None
    if findings is not None:
        places = Places(partial)
        write_findings(findings, (finding_row(one, places, policy) for one in kept_in(store)))
    store.close()
    return build_report(partial, given.settings, policy)
