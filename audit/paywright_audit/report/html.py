"""The report as one self-contained HTML page: no script, no external address, and all text of exchanges escaped.

Needs the extra `paywright[audit]`. The same report gives the same bytes.
"""

from __future__ import annotations

from base64 import b64encode
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Final, NamedTuple

from paywright_audit.input.errors import AuditSetupError
from paywright_audit.judging.findings import Severity
from paywright_audit.report.chart import HEIGHT, WIDTH, chart_of, minute
from paywright_audit.report.html_coverage import coverage_of
from paywright_audit.report.html_findings import UNFOLDED, shown_findings, tallies
from paywright_audit.report.model import Report
from paywright_audit.report.rule_words import remedy_of, rule_totals, words_of
from paywright_audit.report.text import doubts_of, missing_of
from paywright_audit.report.visible import visible

try:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
except ModuleNotFoundError:
    raise AuditSetupError(
        "this needs an extra of the installation (jinja2 not found): pip install 'paywright[audit]'"
    ) from None

_TEMPLATES: Final = Path(__file__).parent / "templates"
_STATES: Final = (
    ("valid", "are valid for the bytes that were signed"),
    ("invalid", "are invalid: errors"),
    ("unverifiable", "cannot be judged, which is no finding"),
    ("absent", "are missing although required: errors"),
)


class _State(NamedTuple):
    """Number of signatures in a state, and their share of a bar in thousandths."""

    name: str
    words: str
    total: int
    start: str
    width: str


class _Headline(NamedTuple):
    """The headline of the page. `kind` is good, odd or bad."""

    title: str
    kind: str
    words: str


def write_html(report: Report) -> str:
    """Return the page as text. Raises `AuditSetupError` if the extra `audit` is not installed."""
    weights = shown_findings(report)
    css = _style()
    return (
        _environment()
        .get_template("report.html")
        .render(
            report=report,
            css=css,
            css_hash=b64encode(sha256(css.encode()).digest()).decode(),
            verdict=_verdict(report),
            subject=_subject(report),
            chart=chart_of(report),
            width=WIDTH,
            height=HEIGHT,
            states=_states(report),
            weights=weights,
            rules=[(rule, words_of(rule.code), remedy_of(rule.code, rule.by)) for rule in rule_totals(report)],
            doubts=doubts_of(report),
            tallies=tallies(weights),
            unfolded=len(report.groups) <= UNFOLDED,
            missing=missing_of(report),
            has_known=any(group.known for group in report.groups),
            coverage=coverage_of(report),
        )
    )


def _verdict(report: Report) -> _Headline:
    totals = report.totals
    if not totals.matched:
        return _Headline("Nothing of the contract", "odd", "No exchange belongs to an operation of the contract.")
    if report.judged.required and not totals.failing:
        return _Headline("Nothing proven", "bad", "Required parts could not be judged; see below.")
    if not totals.findings:
        words = "Everything judged obeys the contract." if not totals.failing else _failing(report)
        return _Headline("No findings", "bad" if totals.failing else "good", words)
    title = f"{totals.findings:,} finding{'' if totals.findings == 1 else 's'}"
    if totals.failing:
        return _Headline(title, "bad", _failing(report))
    return _Headline(title, "odd", "None of them makes the audit fail.")


def _failing(report: Report) -> str:
    """Return a sentence with the number of findings of each severity that make the audit fail."""
    new = "new " if any(group.known for group in report.groups) else ""
    counts: dict[Severity, int] = {}
    for group in report.groups:
        if group.suppressed is None and group.severity.weight >= report.fail_on.weight and group.count > group.known:
            counts[group.severity] = counts.get(group.severity, 0) + group.count - group.known
    said = [
        f"{counts[one]:,} {new}{one}{'' if counts[one] == 1 else 's'}"
        for one in sorted(counts, key=lambda one: -one.weight)
    ]
    words = f"{', '.join(said[:-1])} and {said[-1]}" if len(said) > 1 else "".join(said)
    return f"{words} {'makes' if report.totals.failing == 1 else 'make'} the audit fail."


def _subject(report: Report) -> str:
    return report.files[0] if len(report.files) == 1 else f"{len(report.files):,} captures"


def _states(report: Report) -> tuple[_State, ...]:
    total = sum(report.signatures.values()) or 1
    made, start = [], 0.0
    for name, words in _STATES:
        count = report.signatures.get(name, 0)
        width = 1000 * count / total
        made.append(_State(name, words, count, f"{start:.2f}", f"{width:.2f}"))
        start += width
    return tuple(made)


@cache
def _style() -> str:
    return (_TEMPLATES / "report.css").read_text(encoding="utf-8")


@cache
def _environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_finalize,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    made.filters.update(number="{:,}".format, minute=minute)
    return made


def _finalize(value: object) -> object:
    """Escape every text that a template inserts, except markup of our own."""
    return visible(value) if isinstance(value, str) and not hasattr(value, "__html__") else value
