"""Findings with a severity, and the rules of the audit with their meaning and remedy."""

from __future__ import annotations

from enum import StrEnum
from typing import Final, NamedTuple


class Severity(StrEnum):
    """The weight of a finding: an error breaks the contract, a warning is suspicious, a note is information."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"

    @property
    def weight(self) -> int:
        """Return the rank from note (0) to error (2)."""
        return ("note", "warning", "error").index(self.value)


class Other(NamedTuple):
    """The other exchange of a finding: its place in the input, as an exchange has it, and its time."""

    file: str
    number: int
    at: float


class Finding(NamedTuple):
    """One violation. `part` is the message: request, response, notification or answer.

    `contract` is the contract's line, `spec/file.yaml:line`, or "". `value` is the found value, for users who asked to
    see values (None: there was none), and `redaction` its class in the contract. `other` is the second exchange of a rule
    across exchanges.
    """

    operation: str
    part: str
    pointer: str
    code: str
    message: str
    contract: str = ""
    value: object = None
    redaction: str | None = None
    other: Other | None = None


class GroupKey(NamedTuple):
    """Key of a group of findings: their code and their place in the contract."""

    code: str
    operation: str
    part: str
    pattern: str

    @property
    def id(self) -> str:
        """Return the id of the group, which is the same in every run."""
        return f"{self.operation or '-'} {self.part or '-'} {self.pattern or '-'} {self.code}"


class RuleInfo(NamedTuple):
    """A rule of the audit that is not in the contract: its default severity, its meaning, and what to do about it.

    `remedy` is for the merchant who broke it, `gateway` for the merchant if the gateway broke it. A rule that blames `nobody` has
    only the first.
    """

    severity: Severity
    words: str
    remedy: str
    gateway: str = ""
    nobody: bool = False


_E, _W, _N = Severity.ERROR, Severity.WARNING, Severity.NOTE

RULES: Final[dict[str, RuleInfo]] = {
    "signature-invalid": RuleInfo(
        _E,
        "A signature is not valid for the body with any given key [5].",
        "Sign the exact bytes that are sent, after their last change, with the key whose public key the other side has. `paywright keys "
        "verify` says what was signed instead.",
        "Give the audit every key that the gateway has had. If none fits, do not act on the message, and report it to the gateway. "
        "`paywright keys verify` says what was signed instead.",
    ),
    "signature-absent": RuleInfo(
        _E,
        "A message that must be signed has no signature [5].",
        "Send the signature of the exact body in the header `sign`.",
    ),
    "no-signature-holds": RuleInfo(
        _E,
        "No signature of one side holds in the whole capture: another key, or an altered capture [5].",
        "Give the audit the public key of that side, and record the bytes as they were sent: `paywright keys verify` says of one message "
        "which of the two it is. Until then nothing of that side is proven.",
        nobody=True,
    ),
    "signature-unverifiable": RuleInfo(
        _N,
        "The capture does not have a message as it was signed, so that nothing in it is evidence [5].",
        "Record headers and bytes as they were sent, before anything hides, unpacks, decodes or parses them: docs/recording.md says with what.",
        nobody=True,
    ),
    "capture-changed": RuleInfo(
        _N,
        "The capture has a message otherwise than it was sent, so that what its text seems to break may be the capture's.",
        "Record the bytes as they were sent, before anything unpacks, decodes or parses them: docs/recording.md says with what.",
        nobody=True,
    ),
    "unsigned-answer": RuleInfo(
        _W,
        "A bank-style answer has no signature. The specification does not show whether it needs one; our client refuses it [4.17, 5.4].",
        "Ask the gateway whether it signs these answers; until it says no, do not act on them.",
        "Ask the gateway whether it signs these answers; until it says no, do not act on them.",
    ),
    "method": RuleInfo(_E, "An operation was called with another method than POST [1].", "Call it with POST."),
    "http-status": RuleInfo(
        _W,
        "An answer has another HTTP status than 200, and the specification shows no others [7.1, 7.9].",
        "Answer with status 200 and the code that says why not.",
        "Treat it as no answer, whether it is the gateway's or that of a proxy: the outcome of a write is unknown until an inquiry "
        "shows it.",
    ),
    "not-acknowledged": RuleInfo(
        _N,
        "The merchant did not acknowledge a notification, which asks the gateway to send it again [4.19, 6.3].",
        "Nothing, if the notification was handled when it was sent again.",
        nobody=True,
    ),
    "request-skew": RuleInfo(
        _E,
        "requestTime is more than two minutes off, and the gateway refused the request for it [2.1, 5, 8].",
        "Keep the sender's clock right, and take a new time for each attempt.",
    ),
    "skew-accepted": RuleInfo(
        _W,
        "requestTime is more than two minutes off by the capture and by Date, and the gateway accepted it [2.1, 8].",
        "Set the sender's clock, and write the time with its offset: the gateway may refuse such a request at any time.",
    ),
    "capture-clock": RuleInfo(
        _N,
        "requestTime is far from the time of the capture, and Date of the accepted answer stands with requestTime [2.1, 8].",
        "Set the clock of the recording machine.",
        nobody=True,
    ),
    "echo": RuleInfo(
        _E,
        "An answer has another key than its request, or the form of another operation's: it does not answer its request.",
        "Answer what was asked: compare the key of the answer with that of the request before it is sent.",
        "Do not act on such an answer: close the connection, inquire, and report it to the gateway.",
    ),
    "answers-misjoined": RuleInfo(
        _N,
        "An answer is about something that was placed or asked for only later: the capture has answers beside other requests.",
        "Join requests and answers by an id of the exchange, and not by row numbers. Until then `echo` says nothing about the gateway.",
        nobody=True,
    ),
    "unknown-field": RuleInfo(
        _N, "A member that the contract does not have.", "Ask what it means before relying on it.", nobody=True
    ),
    "unknown-value": RuleInfo(
        _N, "A value that the contract's open list does not have.", "Treat it as neither final nor paid.", nobody=True
    ),
    "other-version": RuleInfo(
        _N, "A version other than the current one of the operation [9].", "Send the current version."
    ),
    "other-key-version": RuleInfo(
        _W, "keyVersion is not 1, the only signature algorithm [2.1, 5.6].", "Send keyVersion 1."
    ),
    "more": RuleInfo(
        _E, "More violations in one message than are listed.", "Correct the listed ones, and audit again."
    ),
    "key-reused": RuleInfo(
        _E,
        "A key that must be unique was used for another request.",
        "Inquire what was done under the key, and refund what was done by mistake. Make a new key for each new order, refund, exchange "
        "or plan.",
    ),
    "placed-again": RuleInfo(
        _E,
        "A write was placed again with the same key, without two verified not-exist answers five minutes apart [4.3].",
        "Inquire whether it was done twice, and refund what was. After an unknown outcome inquire; place an order again only after "
        "two not-exist answers five minutes apart.",
    ),
    "key-changed": RuleInfo(
        _W,
        "After an unknown outcome the same write was sent under another key: it may happen twice [4.3].",
        "Inquire both keys, and refund one if nobody meant both. Retry only under the same key, and only when inquiries show that the first "
        "does not exist.",
    ),
    "placed-twice": RuleInfo(
        _E,
        "The same write was sent under two keys after an unknown outcome, and both exist at the gateway [4.3].",
        "Find out whether both were intended; if not, refund one. Retry under the same key from now on.",
    ),
    "refund-exceeds-paid": RuleInfo(
        _E,
        "The refunds of an order add up to more than was paid.",
        "Inquire each refund of the order, and claim back what is too much. Store the sum of the refunds with the order, and refund at "
        "most the rest.",
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
        "A refund was requested of a payment that the gateway had reported as not paid, or as returned [4.13].",
        "Inquire the payment and the refund. Refund only what an inquiry shows as paid.",
    ),
    "refund-negative": RuleInfo(_E, "A refund of less than zero [4.13].", "Send the amount to return, above zero."),
    "state-moved-back": RuleInfo(
        _E,
        "A final state was left, or something that existed was reported not to exist [3].",
        "",
        "Do not undo what was done for the earlier state; inquire again, and ask the gateway which of the two is right.",
    ),
    "final-state-left": RuleInfo(
        _N,
        "A state followed one that the contract treats as final, although the specification does not say so [3].",
        "Expect it: a failed payment may be tried again and succeed.",
        nobody=True,
    ),
    "notification-disagrees": RuleInfo(
        _E,
        "A notification and an inquiry contradict each other about one subject.",
        "",
        "Act on neither: inquire again, and ask the gateway which of the two is right.",
    ),
    "amount-not-asked": RuleInfo(
        _E,
        "An inquiry shows another amount or currency than the request that made the subject asked for [4.3, 4.13].",
        "",
        "Deliver nothing for it: inquire again, and ask the gateway what was paid.",
    ),
    "external-id-reused": RuleInfo(
        _E, "X-EXTERNAL-ID is not unique within the day [4.17].", "Make a new number for each call."
    ),
    "time-unclear": RuleInfo(
        _N,
        "A rule is broken only if the times of the capture are exact.",
        "Synchronise the clocks of the recording machines, or say with --clock-slack how far they may be apart.",
        nobody=True,
    ),
    "evidence-missing": RuleInfo(
        _N,
        "A rule across exchanges is broken only if the capture has everything about its subject.",
        "Look for the exchanges that the note names. If the capture has every exchange, say --complete.",
        nobody=True,
    ),
}
"""The audit's own rules. All other codes are those of `paywright validate` and the ids of the contract's rules; they are errors."""

VALIDATORS: Final[dict[str, str]] = {
    "required": "Send the member, with a value.",
    "type": "Send the JSON type of the contract: amounts as numbers or as text, as it says for each member.",
    "max": "Shorten it before sending, if its meaning allows.",
    "min": "Send at least the minimum length.",
    "exact": "Send exactly that length.",
    "range": "Send a number within the range.",
    "value": "Send one of the values of the contract.",
    "format": "Write it in the format of the contract.",
    "json": "Write the body with a JSON library, in UTF-8 without a byte order mark, each name once, no NaN.",
    "duplicate": "Send it once.",
}
"""The codes of `paywright validate`, each with its remedy."""


def severity_of(code: str) -> Severity:
    """Return the default severity of a code."""
    rule = RULES.get(code)
    return rule.severity if rule is not None else Severity.ERROR


def rank_of(code: str) -> int:
    """Return the rank of a rule in its severity: first those by which money may be lost, then untrusted messages."""
    return _RANKS.get(code, len(_RANKS))


_RANKS: Final = {
    code: rank
    for rank, code in enumerate(
        (
            "placed-twice", "refund-exceeds-paid", "placed-again", "key-reused", "notification-disagrees", "amount-not-asked", "state-moved-back",
            "refund-currency", "refund-not-paid", "refund-negative", "refund-too-late", "key-changed", "echo",
            "external-id-reused", "no-signature-holds", "signature-invalid", "signature-absent", "evidence-missing", "time-unclear", "request-skew",
            "skew-accepted", "unsigned-answer", "http-status", "method",
        )
    )
}  # fmt: skip
