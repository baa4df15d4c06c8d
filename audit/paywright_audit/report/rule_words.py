"""Remedies of findings, and counts of findings by rule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from paywright_audit.judging.findings import RULES, VALIDATORS, Severity, rank_of
from paywright_audit.report.model import Group, Report

_REPORT: Final = "Do not act on the message without an inquiry; report it to the gateway, with its time and its key."
_OBEY: Final = (
    "Change the message so that it obeys the rule: `paywright contract show OPERATION` shows the rule in context."
)


@dataclass(frozen=True, slots=True)
class RuleTotal:
    """Count of the findings of a rule by one side, and of operations. `known` are in the baseline."""

    code: str
    severity: Severity
    by: str
    count: int
    known: int
    operations: int


def rule_totals(report: Report) -> tuple[RuleTotal, ...]:
    """Return a total for each rule, severity and side: by severity, then by the rank of the rule and by count."""
    found: dict[tuple[str, Severity, str], list[Group]] = {}
    for group in report.groups:
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
    """Return the remedy for the merchant after one side broke a rule: the audit's own, a validator's, or one of the contract."""
    own = RULES.get(code)
    if own is None:
        return _REPORT if by == "gateway" else VALIDATORS.get(code, _OBEY)
    return own.gateway or _REPORT if by == "gateway" else own.remedy or own.gateway
