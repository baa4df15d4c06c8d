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
    """A rule of the audit's own, beside the contract's: its default severity, what it means, and what to do about it."""

    severity: Severity
    words: str
    remedy: str


_E, _W, _N = Severity.ERROR, Severity.WARNING, Severity.NOTE

RULES: Final[dict[str, RuleInfo]] = {
    "signature-invalid": RuleInfo(
        _E,
        "A signature does not hold over the body under any key given [5].",
        "Sign the very bytes that are sent, after the last change to them, with the key whose public half the other side has.",
    ),
    "signature-absent": RuleInfo(
        _E,
        "A message that must be signed carries no signature [5].",
        "Send the signature of the exact body in the header `sign`.",
    ),
    "signature-unverifiable": RuleInfo(
        _N,
        "Whether a signature holds cannot be told from what the capture has [5].",
        "Record the bytes as they were sent, before anything unpacks, decodes or parses them.",
    ),
    "unsigned-answer": RuleInfo(
        _W,
        "A bank-style answer carries no signature: whether one is due is not shown, and our client refuses it [4.17, 5.4].",
        "Ask the gateway whether it signs these answers; until it says no, do not act on them.",
    ),
    "method": RuleInfo(
        _E,
        "An operation was called with another method than POST [1].",
        "Call it with POST.",
    ),
    "http-status": RuleInfo(
        _W,
        "An answer did not come with 200, and of others nothing is shown [7.1, 7.9].",
        "Take it for no answer: of a write the outcome is unknown until it is inquired.",
    ),
    "not-acknowledged": RuleInfo(
        _N,
        "The merchant did not acknowledge a notification, which is how one asks for it again [4.19, 6.3].",
        "Nothing, if the notification was handled when it came again.",
    ),
    "request-skew": RuleInfo(
        _E,
        "requestTime is more than two minutes from the time of the capture [2.1, 5, 8].",
        "Keep the clock of the sender right, and take the time anew for each attempt.",
    ),
    "capture-clock": RuleInfo(
        _N,
        "requestTime is far from the time of the capture, and the gateway, which checks it, accepted it [2.1, 8].",
        "Set the clock of what records: rules across captures go by it.",
    ),
    "echo": RuleInfo(
        _E,
        "An answer repeats another key than it was asked for: it is the answer to another request.",
        "Do not act on such an answer: close the connection and inquire.",
    ),
    "unknown-field": RuleInfo(
        _N, "A member that the contract does not have.", "Ask what it means before relying on it."
    ),
    "unknown-value": RuleInfo(
        _N,
        "A value that the contract's list, which is open, does not have.",
        "Treat it as neither final nor paid.",
    ),
    "other-version": RuleInfo(
        _N, "A version other than the current one of the operation [9].", "Send the current version."
    ),
    "other-key-version": RuleInfo(
        _W,
        "keyVersion names another signature algorithm than the one there is, 1 [2.1, 5.6].",
        "Send keyVersion 1.",
    ),
    "more": RuleInfo(
        _E, "More violations in one message than are listed.", "Put those right that are listed, and audit again."
    ),
    "key-reused": RuleInfo(
        _E,
        "A key that must be unique was used for something else.",
        "Make a new key for each new order, refund, exchange or plan.",
    ),
    "placed-again": RuleInfo(
        _E,
        "A write was placed again with the same key without repeated, verified not-exist five minutes apart [4.3].",
        "After an unknown outcome inquire; place again only after two not-exist answers five minutes apart.",
    ),
    "key-changed": RuleInfo(
        _W,
        "After an unknown outcome the same write was sent under another key: it may be a retry that does it twice [4.3].",
        "Retry under the same key, and only when inquiries show that the first is not there.",
    ),
    "placed-twice": RuleInfo(
        _E,
        "The same write was sent under two keys after an unknown outcome, and the gateway has both [4.3].",
        "Find out whether it was meant twice; if not, refund one. Retry under the same key from now on.",
    ),
    "refund-exceeds-paid": RuleInfo(
        _E,
        "The refunds of an order come to more than was paid.",
        "Keep the sum of what was refunded beside the order, and refund at most the rest.",
    ),
    "refund-currency": RuleInfo(
        _E, "A refund is not in the currency of its order [4.13].", "Refund in the currency that was paid."
    ),
    "refund-too-late": RuleInfo(
        _E,
        "A refund was requested more than 180 days after the transaction [4.13, 8].",
        "Return the money in another way.",
    ),
    "refund-not-paid": RuleInfo(
        _E,
        "A refund was requested of what the gateway had told as ended without being paid [4.13].",
        "Refund only what an inquiry shows as paid.",
    ),
    "refund-negative": RuleInfo(_E, "A refund of less than zero [4.13].", "Send the amount to return, above zero."),
    "state-moved-back": RuleInfo(
        _E,
        "A state left one that is final, or what existed was said not to exist [3].",
        "Do not undo what was done on the final state; ask the gateway which of the two holds.",
    ),
    "final-state-left": RuleInfo(
        _N,
        "A state followed one that the contract takes for final, though the specification does not say so [3].",
        "Be ready for it: a payment that failed may be tried again and succeed.",
    ),
    "notification-disagrees": RuleInfo(
        _E,
        "A notification and an inquiry say different things of one subject.",
        "Act on neither: inquire again, and ask the gateway which of the two holds.",
    ),
    "external-id-reused": RuleInfo(
        _E, "X-EXTERNAL-ID is not unique within the day [4.17].", "Make a new number for each call."
    ),
    "time-unclear": RuleInfo(
        _N,
        "A rule across exchanges is broken only if the times of the capture are exact.",
        "Synchronise the clocks of what records, or say with --clock-slack how far they may be apart.",
    ),
    "suppression-expired": RuleInfo(
        _E,
        "A suppression is past its end date; what it hid is reported again.",
        "Mend what it hid, or say anew why it may be passed over and until when.",
    ),
    "suppression-unused": RuleInfo(
        _N, "A suppression matches nothing that was found.", "Take it out of the configuration."
    ),
}
"""Rules of the audit's own. All other codes are those of `paywright validate` and the ids of the contract's rules: errors."""


def severity_of(code: str) -> Severity:
    """The default severity of a code."""
    rule = RULES.get(code)
    return rule.severity if rule is not None else Severity.ERROR
