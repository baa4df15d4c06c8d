"""Audit files from a program: one call from captured traffic to a report."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Final

from paywright_audit.build_report import REQUIRED, Places, build_report
from paywright_audit.config import Config
from paywright_audit.cross_exchange.timing import SLACK
from paywright_audit.finding_table import finding_row, write_findings
from paywright_audit.input.errors import AuditSetupError
from paywright_audit.input.table_files import expanded
from paywright_audit.input.table_schema import Columns
from paywright_audit.jobs import audit
from paywright_audit.judging.findings import Severity
from paywright_audit.judging.values import Showing
from paywright_audit.partial_result import PartialResult, PlacedFinding
from paywright_audit.report.model import Report
from paywright_audit.setup import AuditKey, audit_input, report_policy
from paywright_audit.temporary import Temporary

__all__ = ["audit_files"]

_LEAST_LIMIT: Final = 1_000_000


def audit_files(
    files: Sequence[str | os.PathLike[str]],
    *,
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
    jobs: int = 1,
    progress: Callable[[int], None] | None = None,
    temp_dir: str | os.PathLike[str] | None = None,
    temp_limit: int | None = None,
    on_disk: Callable[[int], None] | None = None,
    findings: str | os.PathLike[str] | None = None,
) -> Report:
    """Judge captured traffic against the contract, signatures included.

    The report is the same for the same input, whatever `jobs` is. A file that cannot be read is part of the report
    (`unreadable`) and no error.

    Args:
        files: capture records or HAR, plain, gzip or zstd; `-` is standard input, at most once. Or tables
            in Parquet: files, directories, or addresses such as `s3://bucket/prefix`; they need the extra `parquet`.
        merchant_keys: public keys of merchants, who sign requests.
        gateway_keys: public keys of the gateway, which signs responses and notifications.
        paths: by operation, a path that differs from the specification's, such as `{"cases.inquire": "/api/cases"}`.
        columns: how our columns are called in the tables, such as `{"at": "captured_at", "request_body": "req.raw"}`; None
            says that the tables do not have it. `paywright audit --schema` prints our columns.
        config: severities and suppressions, from `load_config`.
        baseline: known findings, from `load_baseline`; only others fail.
        fail_on: the least severity that counts as failing in the totals.
        require: what must have been judged: some of `exchanges`, `bodies`, `signatures` and `times`.
        today: the day that decides which suppressions have expired; the current day in UTC by default.
        clock_slack: seconds, from 0 to 86,400, by which the times of the capture may be wrong.
        evidence: how many findings of one kind in one place are kept, from 0 to 1,000; counts are always exact.
        seed: chooses which findings are kept, if there are more.
        showing: which values of messages the report contains.
        jobs: number of processes, from 1 to 256. Each imports the caller's main module anew.
        progress: called with the number of bytes read since its last call.
        temp_dir: the folder of temporary files; the system's by default.
        temp_limit: how many bytes temporary files may take, at least 1,000,000.
        on_disk: called at the end with the largest number of bytes that rows and parts took, in memory or on disk.
        findings: a Parquet file that every finding is written to, with its place and the merchant's own key; it needs the
            extra `parquet`.

    Raises:
        AuditSetupError: an argument is out of its bounds, or `findings` cannot be written.
        InvalidArgument: `paths` names an operation that the contract does not have.
        WorkerDied: processes of `jobs` ended before their work was done, three times for one part.
        DiskFull: the folder of temporary files has no room, or `temp_limit` is reached.
    """
    names = expanded([os.fspath(file) for file in files])
    if names.count("-") > 1:
        raise AuditSetupError("standard input can be read once")
    if not 1 <= jobs <= 256:
        raise AuditSetupError("jobs are a number from 1 to 256")
    if temp_limit is not None and temp_limit < _LEAST_LIMIT:
        raise AuditSetupError(f"the limit of temporary files is at least {_LEAST_LIMIT} bytes")
    given = audit_input(
        names,
        merchant_keys=merchant_keys,
        gateway_keys=gateway_keys,
        paths=paths,
        columns=columns,
        clock_slack=clock_slack,
        evidence=evidence,
        seed=seed,
        showing=showing,
        findings=findings is not None,
    )
    policy = report_policy(config=config, baseline=baseline, fail_on=fail_on, require=require, today=today)
    temporary = Temporary(None if temp_dir is None else Path(temp_dir), temp_limit)

    def write(partial: PartialResult, found: Iterator[PlacedFinding]) -> None:
        places = Places(partial)
        write_findings(findings or "", (finding_row(one, places, policy) for one in found))

    on_findings = None if findings is None else write
    partial = audit(given, jobs, progress, temporary=temporary, on_findings=on_findings)
    if on_disk is not None:
        on_disk(temporary.most)
    return build_report(partial, given.settings, policy)
