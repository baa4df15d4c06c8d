"""Check captured traffic of any integration against the contract: schema, signatures, and rules across exchanges.

`audit_files` makes a `Report` of files; `text_lines`, `json_lines` and `write_report` print it. Only the names of this
module are public; the other modules of the package may change. Each name is loaded on first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from paywright_audit.baseline import load_baseline as load_baseline
    from paywright_audit.baseline import write_baseline as write_baseline
    from paywright_audit.config import Config as Config
    from paywright_audit.config import Suppress as Suppress
    from paywright_audit.config import load_config as load_config
    from paywright_audit.input.errors import AuditError as AuditError
    from paywright_audit.input.errors import AuditSetupError as AuditSetupError
    from paywright_audit.input.errors import DiskFull as DiskFull
    from paywright_audit.input.errors import WorkerDied as WorkerDied
    from paywright_audit.judging.findings import Severity as Severity
    from paywright_audit.judging.values import Showing as Showing
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
    from paywright_audit.run import AuditKey as AuditKey
    from paywright_audit.run import audit_files as audit_files

__all__ = [
    "AuditError",
    "AuditKey",
    "AuditSetupError",
    "Bucket",
    "Config",
    "DiskFull",
    "Evidence",
    "Group",
    "Judged",
    "Member",
    "OperationSeen",
    "Report",
    "Severity",
    "Showing",
    "Suppress",
    "Suppression",
    "Totals",
    "Unread",
    "ValueSeen",
    "WorkerDied",
    "audit_files",
    "json_lines",
    "load_baseline",
    "load_config",
    "text_lines",
    "write_baseline",
    "write_report",
]

_MODULES: Final = {
    "load_baseline": "paywright_audit.baseline",
    "write_baseline": "paywright_audit.baseline",
    "Config": "paywright_audit.config",
    "Suppress": "paywright_audit.config",
    "load_config": "paywright_audit.config",
    "AuditError": "paywright_audit.input.errors",
    "AuditSetupError": "paywright_audit.input.errors",
    "DiskFull": "paywright_audit.input.errors",
    "WorkerDied": "paywright_audit.input.errors",
    "Severity": "paywright_audit.judging.findings",
    "Showing": "paywright_audit.judging.values",
    "json_lines": "paywright_audit.report.lines",
    "Bucket": "paywright_audit.report.model",
    "Evidence": "paywright_audit.report.model",
    "Group": "paywright_audit.report.model",
    "Judged": "paywright_audit.report.model",
    "Member": "paywright_audit.report.model",
    "OperationSeen": "paywright_audit.report.model",
    "Report": "paywright_audit.report.model",
    "Suppression": "paywright_audit.report.model",
    "Totals": "paywright_audit.report.model",
    "Unread": "paywright_audit.report.model",
    "ValueSeen": "paywright_audit.report.model",
    "text_lines": "paywright_audit.report.text",
    "write_report": "paywright_audit.report.writers",
    "AuditKey": "paywright_audit.run",
    "audit_files": "paywright_audit.run",
}


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(_MODULES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
