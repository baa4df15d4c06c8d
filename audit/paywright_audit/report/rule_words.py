"""Explain codes in words: the audit's own rules, the validators' codes, the contract's rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

from paywright.contract import CONTRACT
from paywright_audit.judging.findings import RULES, VALIDATORS, Severity, rank_of
from paywright_audit.report.model import Group, Report


@dataclass(frozen=True, slots=True)
class RuleTotal:
    """Count of the findings of a rule by one side that are not suppressed, and of operations. `known` are in the baseline."""

    code: str
    severity: Severity
    by: str
    count: int
    known: int
    operations: int


class RuleWords(NamedTuple):
    """Words for a rule: a `short` sentence, longer `help`, the contract's `lines`, and the `remedy`."""

    short: str
    help: str
    lines: tuple[str, ...]
    remedy: str


def rule_totals(report: Report) -> tuple[RuleTotal, ...]:
    """Return a total for each rule, severity and side: by severity, then by the rank of the rule and by count."""
    found: dict[tuple[str, Severity, str], list[Group]] = {}
    for group in report.groups:
        if group.suppressed is None:
            found.setdefault((group.code, group.severity, group.by), []).append(group)
    totals = (
        RuleTotal(
            code,
            severity,
            by,
            sum(one.count for one in some),
            sum(one.known for one in some),
            len({one.operation for one in some}),
        )
        for (code, severity, by), some in found.items()
    )
    return tuple(
        sorted(totals, key=lambda one: (-one.severity.weight, rank_of(one.code), -one.count, one.code, one.by))
    )


def remedy_of(code: str, by: str) -> str:
    """Return the remedy for the merchant after one side broke a rule; "" if there is none."""
    own = RULES.get(code)
    if by != "gateway":
        return words_of(code).remedy
    return own.gateway if own is not None and own.gateway else _REPORT


_REPORT: Final = "Do not act on the message without an inquiry; report it to the gateway, with its time and its key."


def words_of(code: str) -> RuleWords:
    """Explain a code. For an unknown code the sentence only repeats it."""
    own = RULES.get(code)
    if own is not None:
        remedy = own.remedy or own.gateway
        return RuleWords(own.words, f"{own.words} {remedy} See docs/audit.md.", (), remedy)
    if code in VALIDATORS:
        words, remedy = VALIDATORS[code]
        return RuleWords(words, f"{words} {remedy} Each result names the line of the contract.", (), remedy)
    found: dict[str, list[str]] = {}
    for name in CONTRACT.structs():
        struct = CONTRACT.struct(name)
        rule = struct.rule(code)
        if rule is not None:
            found.setdefault(rule.text, []).append(CONTRACT.place(name, rule=code))
    if not found:
        return RuleWords(f"The code {code}.", f"The code {code}.", (), "")
    lines = tuple(dict.fromkeys(line for some in found.values() for line in some))
    short = next(iter(found))
    said = "; ".join(f"{text} ({', '.join(dict.fromkeys(some))})" for text, some in found.items())
    remedy = (
        "Change the message so that it obeys the rule: `paywright contract show OPERATION` shows the rule in context."
    )
    return RuleWords(f"The contract: {short}.", f"In the contract's words, with its lines: {said}.", lines, remedy)
