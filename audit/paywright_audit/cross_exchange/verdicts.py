"""What a rule across exchanges says: a finding at a row, or, where the times of the capture leave it open, a note."""

from __future__ import annotations

from typing import NamedTuple

from paywright.contract import CONTRACT
from paywright_tools.audit.across.rows import ABSENT, TOLD, Row
from paywright_tools.audit.across.subjects import trail_of
from paywright_tools.audit.findings import Finding
from paywright_tools.audit.plan import plan_of

__all__ = ["UNCLEAR", "Verdict", "at_key", "at_state"]

UNCLEAR = "time-unclear"
"""The note that a rule is broken only if the times of the capture are as exact as they are written."""


class Verdict(NamedTuple):
    """A rule that a row breaks: its code and words, for certain or (`unclear`) only by the times as they are written."""

    code: str
    words: str
    unclear: bool = False

    @property
    def said(self) -> tuple[str, str]:
        """The code and the words of the finding."""
        if not self.unclear:
            return self.code, self.words
        return UNCLEAR, f"{self.code} only if the times of the capture are exact: {self.words}"


def at_key(row: Row, verdict: Verdict) -> Finding:
    """A finding at the key of a write."""
    plan = plan_of(row.operation)
    operation = plan.operation
    code, words = verdict.said
    pointer = f"/data/{operation.key}" if operation.data else f"/{operation.key}"
    line = f"{operation.file}:{operation.line}"
    return Finding(row.operation, plan.asked.part, pointer, code, words, line, row.spelled)


def at_state(row: Row, verdict: Verdict) -> Finding:
    """A finding at what a message tells of the state of its subject."""
    code, words = verdict.said
    if not row.operation:
        return Finding("", "notification", "/data", code, words, "", row.state)
    plan = plan_of(row.operation)
    operation = plan.operation
    told = row.outcome == TOLD
    trail = trail_of(row.operation)
    pointer = "/data" if trail is None or trail.answered_data else ""
    if row.outcome == ABSENT and trail is not None:
        pointer = f"/{trail.code}"
    struct = CONTRACT.struct(operation.asks if told else operation.answers)
    part = plan.asked.part if told else plan.answered.part
    return Finding(row.operation, part, pointer, code, words, f"{struct.file}:{struct.line}", row.state)
