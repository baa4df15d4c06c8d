"""Check captured traffic of any integration against the contract: schema, signatures, and rules across exchanges.

`audit_files` makes a `Report` of files; `text_lines`, `json_lines` and `write_report` print it. `judge`, `relate` and `merge`
are its three steps, for an engine that distributes work. Only the names of this module are public; the other modules of the
package may change. Each name is loaded on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from paywright_runtime.lazy import lazily

if TYPE_CHECKING:
    from paywright_audit.cross_exchange.evidence.related_rows import Key as Key
    from paywright_audit.cross_exchange.evidence.related_rows import Related as Related
    from paywright_audit.cross_exchange.evidence.related_rows import Round as Round
    from paywright_audit.cross_exchange.evidence.related_rows import content_of as content_of
    from paywright_audit.cross_exchange.evidence.related_rows import key_of as key_of
    from paywright_audit.cross_exchange.evidence.related_rows import order_of as order_of
    from paywright_audit.cross_exchange.evidence.related_rows import owner_of as owner_of
    from paywright_audit.cross_exchange.evidence.related_rows import subject_of as subject_of
    from paywright_audit.cross_exchange.evidence.related_rows import united as united
    from paywright_audit.cross_exchange.evidence.rows import Row as Row
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
    from paywright_audit.judging.findings import Finding as Finding
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
    from paywright_audit.result.partial_result import PartialResult as PartialResult
    from paywright_audit.result.partial_result import Place as Place
    from paywright_audit.result.partial_result import PlacedFinding as PlacedFinding
    from paywright_audit.result.partial_result import Settings as Settings
    from paywright_audit.running.batches import audit_batches as audit_batches
    from paywright_audit.running.finding_table import Findings as Findings
    from paywright_audit.running.finding_table import finding_schema as finding_schema
    from paywright_audit.running.parts import Part as Part
    from paywright_audit.running.parts import audit_rows as audit_rows
    from paywright_audit.running.parts import facts_in as facts_in
    from paywright_audit.running.parts import judge as judge
    from paywright_audit.running.parts import merge as merge
    from paywright_audit.running.parts import merge_partials as merge_partials
    from paywright_audit.running.parts import owners_in as owners_in
    from paywright_audit.running.parts import relate as relate
    from paywright_audit.running.run import audit_files as audit_files
    from paywright_audit.running.table_writer import Written as Written
    from paywright_audit.running.table_writer import write_table as write_table
    from paywright_audit.settings.audit_settings import AuditInput as AuditInput
    from paywright_audit.settings.audit_settings import AuditKey as AuditKey
    from paywright_audit.settings.audit_settings import AuditSettings as AuditSettings
    from paywright_audit.settings.baseline import load_baseline as load_baseline
    from paywright_audit.settings.baseline import write_baseline as write_baseline
    from paywright_audit.settings.config import Config as Config
    from paywright_audit.settings.config import Suppress as Suppress
    from paywright_audit.settings.config import load_config as load_config
    from paywright_audit.settings.policy import ReportPolicy as ReportPolicy

__all__ = [
    "AuditError",
    "AuditInput",
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
    "Finding",
    "Findings",
    "Group",
    "Judged",
    "Key",
    "Lost",
    "Member",
    "Message",
    "OperationSeen",
    "OtherVersion",
    "Parsed",
    "Part",
    "PartialResult",
    "Place",
    "PlacedFinding",
    "Recorder",
    "Related",
    "Report",
    "ReportPolicy",
    "Round",
    "Row",
    "Settings",
    "Severity",
    "Showing",
    "Suppress",
    "Suppression",
    "Totals",
    "Unread",
    "Unreadable",
    "ValueSeen",
    "WorkerDied",
    "Written",
    "audit_batches",
    "audit_files",
    "audit_rows",
    "content_of",
    "facts_in",
    "finding_schema",
    "json_lines",
    "judge",
    "key_of",
    "load_baseline",
    "load_config",
    "merge",
    "merge_partials",
    "order_of",
    "owner_of",
    "owners_in",
    "read_input",
    "recorded_asgi",
    "recorded_client",
    "recorded_wsgi",
    "relate",
    "subject_of",
    "text_lines",
    "united",
    "write_baseline",
    "write_report",
    "write_table",
]

_HOMES = {
    "paywright_audit.settings.baseline": "load_baseline write_baseline",
    "paywright_audit.running.batches": "audit_batches",
    "paywright_audit.settings.policy": "ReportPolicy",
    "paywright_audit.settings.config": "Config Suppress load_config",
    "paywright_audit.cross_exchange.evidence.related_rows": "Key Related Round content_of key_of order_of owner_of subject_of united",
    "paywright_audit.cross_exchange.evidence.rows": "Row",
    "paywright_audit.running.finding_table": "Findings finding_schema",
    "paywright_audit.input.errors": "OtherVersion AuditError AuditSetupError DiskFull WorkerDied",
    "paywright_audit.input.captures.reading": "read_input",
    "paywright_audit.input.records": "Decoded Exact Exchange Lost Message Parsed Unreadable",
    "paywright_audit.running.table_writer": "Written write_table",
    "paywright_audit.judging.findings": "Finding Severity",
    "paywright_audit.judging.values": "Showing",
    "paywright_audit.result.partial_result": "PartialResult Place PlacedFinding Settings",
    "paywright_audit.running.parts": "Part audit_rows facts_in judge merge merge_partials owners_in relate",
    "paywright_audit.recording.clients": "recorded_client",
    "paywright_audit.recording.endpoints": "recorded_asgi recorded_wsgi",
    "paywright_audit.recording.recorder": "Recorder",
    "paywright_audit.report.lines": "json_lines",
    "paywright_audit.report.model": "Bucket Evidence Group Judged Member OperationSeen Report Suppression Totals Unread ValueSeen",
    "paywright_audit.report.text": "text_lines",
    "paywright_audit.report.writers": "write_report",
    "paywright_audit.running.run": "audit_files",
    "paywright_audit.settings.audit_settings": "AuditInput AuditSettings AuditKey",
}


if not TYPE_CHECKING:  # else type checkers would accept every name
    __getattr__ = lazily(globals(), _HOMES)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
