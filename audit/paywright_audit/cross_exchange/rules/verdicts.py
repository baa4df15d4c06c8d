"""Turn verdicts of rules across exchanges into findings at a row; notes, if times or missing exchanges leave them open.

Whether something may be missing is decided by `timing.CaptureFacts`.
"""

from __future__ import annotations

from typing import NamedTuple

from paywright.contract import CONTRACT
from paywright_audit.cross_exchange.history.rows import ABSENT, NOTIFIED, Row
from paywright_audit.judging.findings import Finding, Other
from paywright_audit.judging.operation_facts import facts_of

UNCLEAR = "time-unclear"
"""Code of the note that a rule is broken only if the times of the capture are exact."""
MISSING = "evidence-missing"
"""Code of the note that a rule is broken only if something missing from the capture did not happen."""


class RuleVerdict(NamedTuple):
    """A rule that a row breaks, with words, and the row that it contradicts.

    It is `unclear` if it depends on the exact times of the capture. `missing` is an event that the capture does not show: the rule
    is broken only if it did not happen.
    """

    code: str
    words: str
    other: Row | None = None
    unclear: bool = False
    missing: str = ""

    @property
    def said(self) -> tuple[str, str]:
        """Return the code and words of the finding."""
        if self.missing:
            return MISSING, f"{self.code} unless {self.missing}: {self.words}"
        if self.unclear:
            return UNCLEAR, f"{self.code} only if the times of the capture are exact: {self.words}"
        return self.code, self.words


def other_of(row: Row | None) -> Other | None:
    """Return the place and time of another exchange."""
    return None if row is None else Other(row.file, row.number, row.seen)


def at_key(row: Row, verdict: RuleVerdict) -> Finding:
    """Return a finding at the key of a write."""
    facts = facts_of(row.operation)
    operation = facts.operation
    code, words = verdict.said
    pointer = "/".join(("", *operation.payload_paths[0], str(operation.key)))
    line, other = CONTRACT.place(operation.name), other_of(verdict.other)
    return Finding(row.operation, facts.asked.part, pointer, code, words, line, row.spelled, other=other)


def at_state(row: Row, verdict: RuleVerdict) -> Finding:
    """Return a finding at the state that a message reports of its subject."""
    code, words = verdict.said
    other = other_of(verdict.other)
    if not row.operation:
        return Finding("", "notification", "/data", code, words, "", row.state, other=other)
    facts = facts_of(row.operation)
    operation = facts.operation
    notified = row.outcome == NOTIFIED
    pointer = "".join(f"/{step}" for step in operation.payload_paths[0 if notified else 1])
    if row.outcome == ABSENT:
        pointer = f"/{facts.code}"
    struct = CONTRACT.struct(operation.request if notified else operation.response)
    part = facts.asked.part if notified else facts.answered.part
    return Finding(row.operation, part, pointer, code, words, CONTRACT.place(struct.name), row.state, other=other)
