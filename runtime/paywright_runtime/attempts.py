"""Attempts of a call, the words for how they ended, and the hint in an unverified answer."""

from datetime import datetime
from typing import Final, NamedTuple

# Stable words: programs compare them, people read the sentence.
REASONS: Final[dict[str, str]] = {
    "answered": "an answer came",
    "timeout": "the deadline passed",
    "connection_failed": "no connection could be made",
    "connection_lost": "the connection was lost",
    "proxy_refused": "the proxy refuses to connect",
    "tls_failed": "the TLS handshake or the certificate check failed",
    "malformed_http": "the answer is not well-formed HTTP",
    "http_status": "the HTTP status is not 200",
    "redirect": "the answer is a redirect, and signed requests are not sent elsewhere",
    "too_large": "the answer is larger than allowed",
    "unsigned": "the answer has no signature",
    "several_signatures": "the answer has more than one signature header",
    "bad_signature": "the signature does not verify: the body was changed, or the gateway key is not the right one",
    "not_canonical": "the signature is not canonical Base64",
    "not_json": "the answer is not strict JSON",
    "not_an_object": "the answer is no JSON object",
    "no_code": "the answer has no code",
    "wrong_echo": "the answer belongs to another request: it repeats another key, or shows what was not asked for",
    "surplus": "the answer is not this request's: its connection had carried it before, as the answer to another question",
    "foreign_code": (
        "the answer carries a code that does not belong to this operation; if it says that something is not there, a "
        "number in the call may be wrong, such as that of a refund's order"
    ),
    "unproven_code": (
        "the code does not prove that nothing happened; if it says that something is not there, a number in the call may be wrong"
    ),
    "already_placed": "the gateway has this key already",
    "other_content": "the answer shows this key with other content than was asked for: an earlier call under this key may stand",
    "unreadable": "the answer accepts the call, and cannot be read",
    "cancelled": "the call was interrupted",
    "result_lost": "the gateway accepted it, and the call was interrupted before its result was handed over",
    "signing_failed": "the signer failed",
    "verifier_failed": "the verifier failed, so that the answer could not be judged",
    "transport_failed": "the transport failed in a way that does not say how far the request came",
    "defect": "the answer could not be read because of a defect in this library: please report it",
}


def sentence(reason: str) -> str:
    """Return the sentence for a reason; a reason of your own transport, which has none, is returned as it is."""
    return REASONS.get(reason, reason)


class Attempt(NamedTuple):
    """One attempt of a call. `started_at` is aware, `duration` is in seconds, `reason` is a word of `REASONS`.

    `phase` is the last one reached: `signing`, `connecting`, `sending`, `waiting`, `reading`, `done`, or `pausing` between
    two attempts. `status` is the HTTP status, if any. `detail` is what the peer or the system did (`ECONNRESET`),
    without anything of the request or the answer.
    """

    number: int
    started_at: datetime
    phase: str
    duration: float
    reason: str
    status: int | None = None
    detail: str = ""


class UnverifiedHint(NamedTuple):
    """Code and message of an unverified answer, for people who look for a mistake. No decision uses it.

    Each is one line, `code` of at most 64 characters and `msg` of 200, with anything like a card number masked. `note` is a
    possible cause on our side: a wrong clock.
    """

    code: str
    msg: str
    note: str = ""

    def __str__(self) -> str:
        said = f"{self.code}: {self.msg}" if self.code and self.msg else self.code or self.msg
        return f"NOT VERIFIED, the gateway appears to say {said}{f'. {self.note}' if self.note else ''}"
