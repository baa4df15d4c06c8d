"""Audit batches of columns from a program: whatever yields `pyarrow.RecordBatch`, without a file."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING

from paywright_audit.auditor import Auditor, add_cross_exchange_findings
from paywright_audit.build_report import REQUIRED, Places, build_report
from paywright_audit.config import Config
from paywright_audit.cross_exchange.row_store import RowStore
from paywright_audit.cross_exchange.timing import SLACK
from paywright_audit.finding_table import Findings, finding_row, keep_in, kept_in, write_findings
from paywright_audit.input.errors import AuditSetupError, DiskFull
from paywright_audit.input.table_schema import Columns
from paywright_audit.judging.findings import Severity
from paywright_audit.judging.matching import Matcher
from paywright_audit.judging.values import Showing
from paywright_audit.report.model import Report
from paywright_audit.setup import AuditKey, audit_input, report_policy

if TYPE_CHECKING:
    from pyarrow import RecordBatch

__all__ = ["audit_batches"]


def audit_batches(
    batches: Iterable[RecordBatch],
    *,
    files: Sequence[str] = (),
    merchant_keys: Iterable[AuditKey] = (),
    gateway_keys: Iterable[AuditKey] = (),
    paths: Mapping[str, str] | None = None,
    columns: Columns | None = None,
    config: Config | None = None,
    baseline: Mapping[str, int] | None = None,
    fail_on: Severity = Severity.WARNING,
    require: Collection[str] = REQUIRED,
    today: date | None = None,
    clock_slack: float = SLACK,
    evidence: int = 10,
    seed: str = "",
    showing: Showing = Showing.NOTHING,
    findings: Findings | None = None,
) -> Report:
    """Judge captured traffic in columns against the contract, one batch at a time.

    The report is the same for the same rows in any order and in batches of any size. A table that is none of captured
    traffic, and a row that is no exchange, are part of the report (`unreadable`) and no error.

    Args:
        batches: rows with the columns that `paywright audit --schema` prints. Their places are those that the columns `file` and
            `place` name; without these, findings have none.
        files: what the report lists as its input, beside the files that the rows name.
        merchant_keys: public keys of merchants, who sign requests.
        gateway_keys: public keys of the gateway, which signs responses and notifications.
        paths: as in `audit_files`, which explains the other arguments too.
        columns: how our columns are called in the batches; None says that they do not have one.
        config: severities and suppressions, from `load_config`.
        baseline: known findings, from `load_baseline`; only others fail.
        fail_on: the least severity that counts as failing in the totals.
        require: what must have been judged.
        today: the day that decides which suppressions have expired; the current day in UTC by default.
        clock_slack: seconds, from 0 to 86,400, by which the times of the capture may be wrong.
        evidence: how many findings of one kind in one place are kept, from 0 to 1,000.
        seed: chooses which findings are kept, if there are more.
        showing: which values of messages the report and the findings contain.
        findings: where every finding goes, in the order of their places: a Parquet file, as in `audit_files`, or a function that is
            called at the end with batches of at most 10,000 (docs/audit.md, "Findings as a table"). Not called without a finding. An
            error that it raises ends the audit.

    Raises:
        AuditSetupError: an argument is out of its bounds, `findings` cannot be written, or pyarrow is not installed.
        InvalidArgument: `paths` names an operation that the contract does not have.
        DiskFull: the folder of temporary files has no room.
    """
    try:
        # Imported here, because an installation without the extra `parquet` has no pyarrow.
        from paywright_audit.input.table_reader import read_batches
    except ImportError:
        raise AuditSetupError("tables need an extra: pip install 'paywright[parquet]'") from None
    given = audit_input(
        files,
        merchant_keys=merchant_keys,
        gateway_keys=gateway_keys,
        paths=paths,
        columns=columns,
        clock_slack=clock_slack,
        evidence=evidence,
        seed=seed,
        showing=showing,
    )
    policy = report_policy(config=config, baseline=baseline, fail_on=fail_on, require=require, today=today)
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
