"""The report as one self-contained HTML page: no script, no external address, and all text of exchanges escaped.

Needs the extra `paywright[audit]`. The same report gives the same bytes.
"""

from __future__ import annotations

from base64 import b64encode
from collections import Counter
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Final

from paywright_audit.input.errors import AuditSetupError
from paywright_audit.judging.findings import Severity
from paywright_audit.report.model import Group, Report
from paywright_audit.report.rule_words import remedy_of, rule_totals
from paywright_audit.report.text import doubts_of, missing_of
from paywright_runtime import redaction

try:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
except ModuleNotFoundError:
    raise AuditSetupError(
        "this needs an extra of the installation (jinja2 not found): pip install 'paywright[audit]'"
    ) from None

_MOST: Final = 10_000  # pieces of evidence on one page
_LONGEST: Final = 1000  # characters of a text
_TEMPLATES: Final = Path(__file__).parent / "templates"
_SECTIONS: Final = (
    ("error", "Errors", "They break the contract."),
    ("warning", "Warnings", "They are suspicious."),
    ("note", "Notes", "They are information, not findings."),
)
_STATES: Final = {
    "valid": "are valid for the bytes that were signed",
    "invalid": "are invalid: errors",
    "unverifiable": "cannot be judged, which is no finding",
    "absent": "are missing although required: errors",
}


def write_html(report: Report) -> str:
    """Return the page as text. Raises `AuditSetupError` if the extra `audit` is not installed."""
    css = (_TEMPLATES / "report.css").read_text(encoding="utf-8")
    places: dict[str, list[Group]] = {}
    for group in report.groups:
        places.setdefault(group.severity, []).append(group)
    title, kind, words = _verdict(report)
    return (
        _environment()
        .get_template("report.html")
        .render(
            report=report,
            css=css,
            css_hash=b64encode(sha256(css.encode()).digest()).decode(),
            title=title,
            kind=kind,
            words=words,
            subject=report.files[0] if len(report.files) == 1 else f"{len(report.files):,} captures",
            states=_STATES,
            sections=[(*section, places[section[0]]) for section in _SECTIONS if section[0] in places],
            each=max(1, _MOST // max(1, len(report.groups))),
            rules=rule_totals(report),
            remedy_of=remedy_of,
            doubts=doubts_of(report),
            missing=missing_of(report),
            has_known=any(group.known for group in report.groups),
        )
    )


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_finalize,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(number="{:,}".format, time=lambda at: f"{at[:10]} {at[11:19]}".strip())
    return environment


def _verdict(report: Report) -> tuple[str, str, str]:
    """Return the headline, its kind (good, odd or bad), and a sentence."""
    totals = report.totals
    if not totals.matched:
        return "Nothing of the contract", "odd", "No exchange belongs to an operation of the contract."
    if report.judged.required and not totals.failing:
        return "Nothing proven", "bad", "Required parts could not be judged; see below."
    title = f"{f'{totals.findings:,}' if totals.findings else 'No'} finding{'' if totals.findings == 1 else 's'}"
    if totals.failing:
        return title, "bad", _failing(report)
    if totals.findings:
        return title, "odd", "None of them makes the audit fail."
    return title, "good", "Everything judged obeys the contract."


def _failing(report: Report) -> str:
    """Return a sentence with the number of findings of each severity that make the audit fail."""
    new = "new " if any(group.known for group in report.groups) else ""
    counts: Counter[Severity] = Counter()
    for group in report.groups:
        if group.severity.weight >= report.fail_on.weight:
            counts[group.severity] += group.count - group.known
    said = [f"{counts[one]:,} {new}{one}{'' if counts[one] == 1 else 's'}" for one in Severity if counts[one]]
    return f"{' and '.join(said)} {'makes' if report.totals.failing == 1 else 'make'} the audit fail."


def _finalize(value: object) -> object:
    """Escape every text that a template inserts, except markup of our own."""
    return _visible(value) if isinstance(value, str) and not hasattr(value, "__html__") else value


def _visible(text: str) -> str:
    r"""Return `text` with unprintable characters written out (`\u{202e}`), cut after 1,000 characters with a note."""
    kept = redaction.visible(text[:_LONGEST])
    left = len(text) - _LONGEST
    return f"{kept} … and {left:,} more characters" if left > 0 else kept
