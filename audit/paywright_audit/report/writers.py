"""Files that a report is written to, by what their names end in."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Final, cast

from paywright_tools.audit.report.model import Report
from paywright_tools.terminal import Usage

__all__ = ["WRITERS", "check_writable", "write_report", "writer_of"]

WRITERS: Final = {
    ".json": ("document", "write_json"),
    ".html": ("html", "write_html"),
    ".sarif": ("sarif", "write_sarif"),
}
"""Ending: the module in this package, and the function in it that makes the text. Loaded when they are needed."""


def writer_of(file: Path) -> Callable[[Report], str]:
    """The function that makes the text of a file. Raises `Usage` for an ending that nobody writes."""
    found = WRITERS.get(file.suffix.lower())
    if found is None:
        raise Usage(f"{file}: a report is written to a file that ends in {', '.join(WRITERS)}")
    module, name = found
    made = getattr(import_module(f"paywright_tools.audit.report.{module}"), name)
    return cast("Callable[[Report], str]", made)


def check_writable(file: Path) -> None:
    """Raise `Usage` where a file cannot be written, before anything is done for it. What it holds stays."""
    there = file.exists()
    try:
        with file.open("ab"):
            pass
        if not there:
            file.unlink()
    except OSError as error:
        raise Usage(f"{file}: {error.strerror or 'it cannot be written'}") from None


def write_report(file: Path, report: Report) -> None:
    """Writes the file whole. Raises `Usage` where it cannot be written."""
    text = writer_of(file)(report)
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise Usage(f"{file}: {error.strerror or 'it cannot be written'}") from None
