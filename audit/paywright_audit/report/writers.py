"""Write the report to files, in the format that their name's ending says."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Final, cast

from paywright_audit.input.errors import AuditSetupError
from paywright_audit.report.model import Report

__all__ = ["WRITERS", "check_writable", "write_report", "writer_of"]

WRITERS: Final = {
    ".json": ("document", "write_json"),
    ".html": ("html", "write_html"),
    ".sarif": ("sarif", "write_sarif"),
}
"""Ending: the module in this package, and the function in it that makes the text. Loaded when they are needed."""


def writer_of(file: Path) -> Callable[[Report], str]:
    """Return the function that writes a file's format. Raises `AuditSetupError` for an unknown ending."""
    found = WRITERS.get(file.suffix.lower())
    if found is None:
        raise AuditSetupError(f"{file}: a report is written to a file that ends in {', '.join(WRITERS)}")
    module, name = found
    made = getattr(import_module(f"paywright_audit.report.{module}"), name)
    return cast("Callable[[Report], str]", made)


def check_writable(file: Path) -> None:
    """Raise `AuditSetupError` if a file cannot be written, before the audit begins. Its content stays."""
    there = file.exists()
    try:
        with file.open("ab"):
            pass
        if not there:
            file.unlink()
    except OSError as error:
        raise AuditSetupError(f"{file}: {error.strerror or 'it cannot be written'}") from None


def write_report(file: Path, report: Report) -> None:
    """Write the file atomically. Raises `AuditSetupError` if it cannot be written."""
    text = writer_of(file)(report)
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise AuditSetupError(f"{file}: {error.strerror or 'it cannot be written'}") from None
