"""Write the report to a file, in the format of its name's ending."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from paywright_audit.input.errors import AuditSetupError
from paywright_audit.judging.values import Showing
from paywright_audit.report.lines import write_json
from paywright_audit.report.model import Report
from paywright_audit.settings.whole_files import whole_file


def writer_of(file: Path) -> Callable[[Report], str]:
    """Return the function that writes a file's format. Raises `AuditSetupError` for an ending other than `.json` and `.html`."""
    ending = file.suffix.lower()
    if ending == ".html":
        from paywright_audit.report.html import write_html  # needs an extra

        return write_html
    if ending != ".json":
        raise AuditSetupError(f"{file}: a report is written to a file that ends in .json or .html")
    return write_json


def write_report(file: Path, report: Report) -> None:
    """Write the report to a file that ends in `.json` or `.html`, whole, or leave it as it was.

    Raises `AuditSetupError` if that cannot be done. A new file that shows values is readable by its owner only. An existing one keeps its mode.
    """
    text = writer_of(file)(report)
    with whole_file(file, private=report.showing != Showing.NOTHING.value) as half:
        half.write_text(text, encoding="utf-8")
