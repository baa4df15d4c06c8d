"""Decide who is blamed for a finding: the merchant, the gateway, or nobody."""

from __future__ import annotations

from paywright_audit.judging.findings import RULES, GroupKey
from paywright_audit.judging.operation_facts import facts_of


def party_in(key: GroupKey) -> str:
    """Return who broke a rule, `merchant` or `gateway`; "" if nobody did."""
    rule = RULES.get(key.code)
    if rule is not None and rule.nobody:
        return ""
    if not key.operation:
        return "gateway" if key.part == "notification" else ""
    facts = facts_of(key.operation)
    return "gateway" if (key.part == facts.asked.part) == facts.operation.inbound else "merchant"
