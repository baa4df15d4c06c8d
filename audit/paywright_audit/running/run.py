"""Audit files from a program, in one call from captured traffic to a report."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

from paywright_audit.input.errors import AuditSetupError
from paywright_audit.input.tables.table_files import expanded
from paywright_audit.report.build_report import Places, build_report, settled
from paywright_audit.report.model import Report
from paywright_audit.result.partial_result import PartialResult, PlacedFinding
from paywright_audit.running.finding_rows import finding_row, write_findings
from paywright_audit.running.jobs import audit
from paywright_audit.running.temporary import Temporary
from paywright_audit.settings.audit_settings import DEFAULT, AuditSettings

__all__ = ["audit_files"]

_LEAST_LIMIT: Final = 1_000_000


def audit_files(
    files: Sequence[str | os.PathLike[str]],
    settings: AuditSettings = DEFAULT,
    *,
    jobs: int = 1,
    progress: Callable[[int], None] | None = None,
    temp_dir: str | os.PathLike[str] | None = None,
    temp_limit: int | None = None,
    on_disk: Callable[[int], None] | None = None,
    findings: str | os.PathLike[str] | None = None,
) -> Report:
    """Judge captured traffic against the contract, signatures included.

    The report is the same for the same input, whatever `jobs` is. A file that cannot be read is part of the report
    (`unreadable`), not an error.

    Args:
        files: capture records or HAR, plain, gzip or zstd; `-` is standard input, at most once. Or tables
            in Parquet: files, directories, or addresses such as `s3://bucket/prefix`; they need the extra `parquet`.
        settings: keys, names, limits, and how findings are judged.
        jobs: number of processes, from 1 to 256. Each imports the caller's main module anew.
        progress: called with the number of bytes read since its last call.
        temp_dir: the folder of temporary files; the system's by default.
        temp_limit: the most bytes that temporary files may take, at least 1,000,000.
        on_disk: called at the end with the largest number of bytes that rows and parts took, in memory or on disk.
        findings: a file of JSON lines for every finding, with its place and the merchant's own key.

    Raises:
        AuditSetupError: an argument is out of its bounds, or `findings` cannot be written.
        WorkerDied: processes of `jobs` ended before their work was done, three times for one part.
        DiskFull: the folder of temporary files has no room, or `temp_limit` is reached.
    """
    names = expanded([os.fspath(file) for file in files])
    if names.count("-") > 1:
        raise AuditSetupError("standard input can be read only once")
    if not 1 <= jobs <= 256:
        raise AuditSetupError("jobs must be a number from 1 to 256")
    if temp_limit is not None and temp_limit < _LEAST_LIMIT:
        raise AuditSetupError(f"the limit of temporary files must be at least {_LEAST_LIMIT} bytes")
    given, policy = settings.input(names, findings=findings is not None), settings.policy()
    temporary = Temporary(None if temp_dir is None else Path(temp_dir), temp_limit)

    def write(partial: PartialResult, found: Iterator[PlacedFinding]) -> None:
        places, known = Places(partial), settled(policy, partial)
        write_findings(findings or "", (finding_row(one, places, known) for one in found))

    on_findings = None if findings is None else write
    partial = audit(given, jobs, progress, temporary=temporary, on_findings=on_findings)
    if on_disk is not None:
        on_disk(temporary.most)
    return build_report(partial, given.settings, policy)
