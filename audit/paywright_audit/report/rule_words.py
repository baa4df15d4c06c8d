"""What a code means, for whoever has not read the contract: the audit's own rules, the validators' codes, the contract's rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

from paywright.contract import CONTRACT
from paywright_tools.audit.findings import RULES, Severity
from paywright_tools.audit.report.model import Group, Report

__all__ = ["RuleTotal", "RuleWords", "rule_totals", "words_of"]

VALIDATORS: Final = {
    "required": "A member that must be there is missing, or empty where it must say something.",
    "type": "A value is of another JSON type than the contract has: text, number, boolean, object or array.",
    "max": "A text or an array is longer than the contract allows.",
    "min": "A text or an array is shorter than the contract allows.",
    "exact": "A text has another length than the one that the contract allows.",
    "range": "A number lies outside the range that the contract allows.",
    "value": "A value is none of the contract's list, which is closed.",
    "format": "A text is not of the form that the contract gives: an amount, a currency, a time, a code.",
    "json": "A body is not strict JSON: it cannot be read in one way only.",
    "duplicate": "A member or a header stands more than once, so that two readers may read two things.",
}
"""The codes of `paywright validate`."""


REMEDIES: Final = {
    "required": "Send the member, with a value.",
    "type": "Send the JSON type that the contract has: amounts as numbers or as text as each member says.",
    "max": "Shorten it before it is sent, where its meaning allows.",
    "min": "Send more than that.",
    "exact": "Send exactly that length.",
    "range": "Send a number within the range.",
    "value": "Send one of the values of the contract.",
    "format": "Write it in the form that the contract gives.",
    "json": "Write the body with a JSON library, in UTF-8 without a byte order mark, each name once, no NaN.",
    "duplicate": "Send it once.",
}
"""What to do about the codes of `paywright validate`."""


@dataclass(frozen=True, slots=True)
class RuleTotal:
    """How often a rule was broken in all that is not suppressed, of which `known` are in the baseline, and in how many operations."""

    code: str
    severity: Severity
    count: int
    known: int
    operations: int


class RuleWords(NamedTuple):
    """`short` is a sentence, `help` says more, `lines` are those of the contract that say the rule, `remedy` is what to do."""

    short: str
    help: str
    lines: tuple[str, ...]
    remedy: str


def rule_totals(report: Report) -> tuple[RuleTotal, ...]:
    """One for each rule and severity that was found, the weightiest and then the most frequent first."""
    found: dict[tuple[str, Severity], list[Group]] = {}
    for group in report.groups:
        if group.suppressed is None:
            found.setdefault((group.code, group.severity), []).append(group)
    totals = (
        RuleTotal(
            code,
            severity,
            sum(one.count for one in some),
            sum(one.known for one in some),
            len({one.operation for one in some}),
        )
        for (code, severity), some in found.items()
    )
    return tuple(sorted(totals, key=lambda one: (-one.severity.weight, -one.count, one.code)))


def words_of(code: str) -> RuleWords:
    """What a code means. A code that nobody knows is said to be one."""
    own = RULES.get(code)
    if own is not None:
        return RuleWords(own.words, f"{own.words} {own.remedy} See docs/audit.md.", (), own.remedy)
    if code in VALIDATORS:
        words = VALIDATORS[code]
        remedy = REMEDIES[code]
        return RuleWords(words, f"{words} {remedy} The line of the contract is told with each result.", (), remedy)
    found: dict[str, list[str]] = {}
    for name in CONTRACT.structs():
        struct = CONTRACT.struct(name)
        rule = struct.rule(code)
        if rule is not None:
            found.setdefault(rule.text, []).append(f"{rule.file or struct.file}:{rule.line}")
    if not found:
        return RuleWords(f"The code {code}.", f"The code {code}.", (), "")
    lines = tuple(dict.fromkeys(line for some in found.values() for line in some))
    short = next(iter(found))
    said = "; ".join(f"{text} ({', '.join(dict.fromkeys(some))})" for text, some in found.items())
    remedy = (
        "Make the message say what the rule asks for: `paywright contract show` of the operation shows it in its place."
    )
    return RuleWords(f"The contract: {short}.", f"In the contract's words, with its lines: {said}.", lines, remedy)
