"""Turn verdicts of rules across exchanges into findings at a row; notes, if the times of the capture leave them open."""

from __future__ import annotations

from typing import NamedTuple

from paywright.contract import CONTRACT
from paywright_audit.cross_exchange.rows import ABSENT, NOTIFIED, Row
from paywright_audit.cross_exchange.subjects import subject_spec_of
from paywright_audit.judging.findings import Finding
from paywright_audit.judging.operation_facts import facts_of

__all__ = ["UNCLEAR", "Verdict", "at_key", "at_state"]

UNCLEAR = "time-unclear"
"""The note that a rule is broken only if the times of the capture are as exact as they are written."""


class Verdict(NamedTuple):
    """A rule that a row breaks: its code and words. `unclear` if it depends on the exact times of the capture."""

    code: str
    words: str
    unclear: bool = False

    @property
    def said(self) -> tuple[str, str]:
        """Return the code and words of the finding."""
        if not self.unclear:
            return self.code, self.words
        return UNCLEAR, f"{self.code} only if the times of the capture are exact: {self.words}"


def at_key(row: Row, verdict: Verdict) -> Finding:
    """Return a finding at the key of a write."""
    facts = facts_of(row.operation)
    operation = facts.operation
    code, words = verdict.said
    pointer = "/".join(("", *operation.payload_paths[0], str(operation.key)))
    line = CONTRACT.place(operation.name)
    return Finding(row.operation, facts.asked.part, pointer, code, words, line, row.spelled)


def at_state(row: Row, verdict: Verdict) -> Finding:
    """Return a finding at the state that a message reports of its subject."""
    code, words = verdict.said
    if not row.operation:
        return Finding("", "notification", "/data", code, words, "", row.state)
    facts = facts_of(row.operation)
    operation = facts.operation
    notified = row.outcome == NOTIFIED
    subject_spec = subject_spec_of(row.operation)
    pointer = "".join(f"/{step}" for step in operation.payload_paths[0 if notified else 1])
    if row.outcome == ABSENT and subject_spec is not None:
        pointer = f"/{subject_spec.code}"
    struct = CONTRACT.struct(operation.request if notified else operation.response)
    part = facts.asked.part if notified else facts.answered.part
    return Finding(row.operation, part, pointer, code, words, CONTRACT.place(struct.name), row.state)
