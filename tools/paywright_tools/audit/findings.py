"""What the audit says: findings with a severity, grouped by what they are about, with bounded evidence."""

from __future__ import annotations

from enum import StrEnum
from typing import Final, NamedTuple

__all__ = ["RULES", "Finding", "RuleInfo", "Severity", "severity_of"]


class Severity(StrEnum):
    """How much a finding weighs. An error breaks the contract; a warning is odd; a note is good to know."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"

    @property
    def weight(self) -> int:
        return ("note", "warning", "error").index(self.value)


class Finding(NamedTuple):
    """One thing that is wrong. `part` is the message: request, response, notification or answer.

    `contract` is `spec/file.yaml:line` where the contract says it, "" where no line does. `value` is what stood there, for
    whoever asked to see values (None: nothing did), and `redaction` its class in the contract.
    """

    operation: str
    part: str
    pointer: str
    code: str
    message: str
    contract: str = ""
    value: object = None
    redaction: str | None = None


class RuleInfo(NamedTuple):
    """A rule of the audit's own, beside the contract's: its default severity, and what it means."""

    severity: Severity
    words: str


_E, _W, _N = Severity.ERROR, Severity.WARNING, Severity.NOTE

RULES: Final[dict[str, RuleInfo]] = {
    "signature-invalid": RuleInfo(_E, "A signature does not hold over the body under any key given [5]."),
    "signature-absent": RuleInfo(_E, "A message that must be signed carries no signature [5]."),
    "http-status": RuleInfo(_W, "An answer did not come with 200, and of others nothing is shown [7.1, 7.9]."),
    "request-skew": RuleInfo(_E, "requestTime is more than two minutes from the time of the capture [2.1, 5, 8]."),
    "echo": RuleInfo(_E, "An answer repeats another key than it was asked for: it is the answer to another request."),
    "unknown-field": RuleInfo(_N, "A member that the contract does not have."),
    "unknown-value": RuleInfo(_N, "A value that the contract's list, which is open, does not have."),
    "other-version": RuleInfo(_N, "A version other than the current one of the operation [9]."),
    "more": RuleInfo(_E, "More violations in one message than are listed."),
    "key-reused": RuleInfo(_E, "A key that must be unique was used for something else."),
    "placed-again": RuleInfo(
        _E, "A write was placed again with the same key without repeated, verified not-exist five minutes apart [4.3]."
    ),
    "key-changed": RuleInfo(_E, "After an unknown outcome the same write was sent under another key [4.3]."),
    "refund-exceeds-paid": RuleInfo(_E, "The refunds of an order come to more than was paid."),
    "refund-currency": RuleInfo(_E, "A refund is not in the currency of its order [4.13]."),
    "refund-too-late": RuleInfo(_E, "A refund was requested more than 180 days after the transaction [4.13, 8]."),
    "state-moved-back": RuleInfo(_E, "A state left one that is final, or what existed was said not to exist [3]."),
    "notification-disagrees": RuleInfo(_E, "A notification and an inquiry say different things of one subject."),
    "external-id-reused": RuleInfo(_E, "X-EXTERNAL-ID is not unique within the day [4.17]."),
    "suppression-expired": RuleInfo(_E, "A suppression is past its end date; what it hid is reported again."),
}
"""Rules of the audit's own. All other codes are those of `paywright validate` and the ids of the contract's rules: errors."""


def severity_of(code: str) -> Severity:
    """The default severity of a code."""
    rule = RULES.get(code)
    return rule.severity if rule is not None else Severity.ERROR
