"""Decide who is blamed for a finding: the merchant, the gateway, or nobody."""

from __future__ import annotations

from paywright_audit.judging.findings import RULES, GroupKey
from paywright_audit.judging.operation_facts import facts_of


def party_in(key: GroupKey) -> str:
    """Return who broke a rule, `merchant` or `gateway`; "" if nobody did."""
    rule = RULES.get(key.code)
    if rule is not None and rule.nobody:
        return ""
    return _party_of(key.operation, key.part)


def _party_of(operation: str, part: str) -> str:
    """Return who wrote a message, `merchant` or `gateway`; "" if it is not a message."""
    if not operation:
        return "gateway" if part == "notification" else ""
    facts = facts_of(operation)
    return "gateway" if (part == facts.asked.part) == facts.operation.inbound else "merchant"
