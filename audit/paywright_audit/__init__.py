"""Check captured traffic of any integration against the contract: schema, signatures, and rules across exchanges.

`audit_files` makes a `Report` of files; `text_lines`, `json_lines` and `write_report` print it. Only the names of this module and
of `paywright_audit.spark` are public; the other modules of the package may change. Each name is loaded on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from paywright_runtime.lazy import lazily

if TYPE_CHECKING:
    from paywright_audit.input.captures.reading import read_input
    from paywright_audit.input.errors import AuditError, AuditSetupError, DiskFull, OtherVersion, WorkerDied
    from paywright_audit.input.records import Decoded, Exact, Exchange, Lost, Message, Parsed, Unreadable
    from paywright_audit.judging.findings import Severity
    from paywright_audit.judging.values import Showing
    from paywright_audit.recording.clients import recorded_client
    from paywright_audit.recording.endpoints import recorded_asgi, recorded_wsgi
    from paywright_audit.recording.recorder import Recorder
    from paywright_audit.report.lines import json_lines
    from paywright_audit.report.model import Evidence, Group, Judged, Report, Totals, Unread
    from paywright_audit.report.text import text_lines
    from paywright_audit.report.writers import write_report
    from paywright_audit.running.jobs import audit_files
    from paywright_audit.settings.audit_settings import AuditKey, AuditSettings
    from paywright_audit.settings.config import load_baseline, load_config, write_baseline

__all__ = [
    "AuditError",
    "AuditKey",
    "AuditSettings",
    "AuditSetupError",
    "Decoded",
    "DiskFull",
    "Evidence",
    "Exact",
    "Exchange",
    "Group",
    "Judged",
    "Lost",
    "Message",
    "OtherVersion",
    "Parsed",
    "Recorder",
    "Report",
    "Severity",
    "Showing",
    "Totals",
    "Unread",
    "Unreadable",
    "WorkerDied",
    "audit_files",
    "json_lines",
    "load_baseline",
    "load_config",
    "read_input",
    "recorded_asgi",
    "recorded_client",
    "recorded_wsgi",
    "text_lines",
    "write_baseline",
    "write_report",
]

_HOMES = {
    "paywright_audit.settings.config": "load_baseline load_config write_baseline",
    "paywright_audit.input.errors": "OtherVersion AuditError AuditSetupError DiskFull WorkerDied",
    "paywright_audit.input.captures.reading": "read_input",
    "paywright_audit.input.records": "Decoded Exact Exchange Lost Message Parsed Unreadable",
    "paywright_audit.judging.findings": "Severity",
    "paywright_audit.judging.values": "Showing",
    "paywright_audit.recording.clients": "recorded_client",
    "paywright_audit.recording.endpoints": "recorded_asgi recorded_wsgi",
    "paywright_audit.recording.recorder": "Recorder",
    "paywright_audit.report.lines": "json_lines",
    "paywright_audit.report.model": "Evidence Group Judged Report Totals Unread",
    "paywright_audit.report.text": "text_lines",
    "paywright_audit.report.writers": "write_report",
    "paywright_audit.running.jobs": "audit_files",
    "paywright_audit.settings.audit_settings": "AuditSettings AuditKey",
}


if not TYPE_CHECKING:  # else type checkers would accept every name
    __getattr__ = lazily(globals(), _HOMES)
