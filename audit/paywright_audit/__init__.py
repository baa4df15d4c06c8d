"""Check captured traffic of any integration against the contract: schema, signatures, and rules across exchanges.

`audit_files` makes a `Report` of files; `text_lines`, `json_lines` and `write_report` print it. Only the names of this module and
of `paywright_audit.spark` are public; the other modules of the package may change. Each name is loaded on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from paywright_runtime.lazy import lazily

if TYPE_CHECKING:
    from paywright_audit.input.captures.reading import read_input as read_input
    from paywright_audit.input.errors import AuditError as AuditError
    from paywright_audit.input.errors import AuditSetupError as AuditSetupError
    from paywright_audit.input.errors import DiskFull as DiskFull
    from paywright_audit.input.errors import OtherVersion as OtherVersion
    from paywright_audit.input.errors import WorkerDied as WorkerDied
    from paywright_audit.input.records import Decoded as Decoded
    from paywright_audit.input.records import Exact as Exact
    from paywright_audit.input.records import Exchange as Exchange
    from paywright_audit.input.records import Lost as Lost
    from paywright_audit.input.records import Message as Message
    from paywright_audit.input.records import Parsed as Parsed
    from paywright_audit.input.records import Unreadable as Unreadable
    from paywright_audit.judging.findings import Severity as Severity
    from paywright_audit.judging.values import Showing as Showing
    from paywright_audit.recording.clients import recorded_client as recorded_client
    from paywright_audit.recording.endpoints import recorded_asgi as recorded_asgi
    from paywright_audit.recording.endpoints import recorded_wsgi as recorded_wsgi
    from paywright_audit.recording.recorder import Recorder as Recorder
    from paywright_audit.report.lines import json_lines as json_lines
    from paywright_audit.report.model import Bucket as Bucket
    from paywright_audit.report.model import Evidence as Evidence
    from paywright_audit.report.model import Group as Group
    from paywright_audit.report.model import Judged as Judged
    from paywright_audit.report.model import Member as Member
    from paywright_audit.report.model import OperationSeen as OperationSeen
    from paywright_audit.report.model import Report as Report
    from paywright_audit.report.model import Suppression as Suppression
    from paywright_audit.report.model import Totals as Totals
    from paywright_audit.report.model import Unread as Unread
    from paywright_audit.report.model import ValueSeen as ValueSeen
    from paywright_audit.report.text import text_lines as text_lines
    from paywright_audit.report.writers import write_report as write_report
    from paywright_audit.running.jobs import audit_files as audit_files
    from paywright_audit.settings.audit_settings import AuditKey as AuditKey
    from paywright_audit.settings.audit_settings import AuditSettings as AuditSettings
    from paywright_audit.settings.config import Config as Config
    from paywright_audit.settings.config import Suppress as Suppress
    from paywright_audit.settings.config import load_baseline as load_baseline
    from paywright_audit.settings.config import load_config as load_config
    from paywright_audit.settings.config import write_baseline as write_baseline

__all__ = [
    "AuditError",
    "AuditKey",
    "AuditSettings",
    "AuditSetupError",
    "Bucket",
    "Config",
    "Decoded",
    "DiskFull",
    "Evidence",
    "Exact",
    "Exchange",
    "Group",
    "Judged",
    "Lost",
    "Member",
    "Message",
    "OperationSeen",
    "OtherVersion",
    "Parsed",
    "Recorder",
    "Report",
    "Severity",
    "Showing",
    "Suppress",
    "Suppression",
    "Totals",
    "Unread",
    "Unreadable",
    "ValueSeen",
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
    "paywright_audit.settings.config": "Config Suppress load_baseline load_config write_baseline",
    "paywright_audit.input.errors": "OtherVersion AuditError AuditSetupError DiskFull WorkerDied",
    "paywright_audit.input.captures.reading": "read_input",
    "paywright_audit.input.records": "Decoded Exact Exchange Lost Message Parsed Unreadable",
    "paywright_audit.judging.findings": "Severity",
    "paywright_audit.judging.values": "Showing",
    "paywright_audit.recording.clients": "recorded_client",
    "paywright_audit.recording.endpoints": "recorded_asgi recorded_wsgi",
    "paywright_audit.recording.recorder": "Recorder",
    "paywright_audit.report.lines": "json_lines",
    "paywright_audit.report.model": "Bucket Evidence Group Judged Member OperationSeen Report Suppression Totals Unread ValueSeen",
    "paywright_audit.report.text": "text_lines",
    "paywright_audit.report.writers": "write_report",
    "paywright_audit.running.jobs": "audit_files",
    "paywright_audit.settings.audit_settings": "AuditSettings AuditKey",
}


if not TYPE_CHECKING:  # else type checkers would accept every name
    __getattr__ = lazily(globals(), _HOMES)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
