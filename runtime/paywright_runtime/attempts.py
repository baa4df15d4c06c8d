"""What happened on the way: one attempt, the words for how it ended, and what an unverified answer appears to say."""

from datetime import datetime
from typing import Final

from paywright_runtime.redact import shown

__all__ = ["REASONS", "Attempt", "UnverifiedHint", "sentence"]

# Stable words: programs compare them, people read the sentence.
REASONS: Final[dict[str, str]] = {
    "answered": "a verified answer came",
    "timeout": "the deadline passed",
    "connection_failed": "no connection could be made",
    "connection_lost": "the connection was lost",
    "tls_failed": "the TLS handshake or the certificate check failed",
    "malformed_http": "the answer is not well-formed HTTP",
    "http_status": "the HTTP status is not 200",
    "redirect": "the answer is a redirect, and signed requests are not sent elsewhere",
    "too_large": "the answer is larger than allowed",
    "unsigned": "the answer has no signature",
    "several_signatures": "the answer has more than one signature header",
    "bad_signature": "the signature does not verify: the body was changed, or the gateway key is not the right one",
    "not_canonical": "the signature is not canonical Base64",
    "not_json": "the verified answer is not strict JSON",
    "not_an_object": "the verified answer is no JSON object",
    "no_code": "the verified answer has no code",
    "wrong_echo": "the verified answer belongs to another request: it repeats another key",
    "foreign_code": "the verified answer carries a code that does not belong to this operation",
    "unproven_code": "the code does not prove that nothing happened",
    "already_placed": "the gateway has this key already",
    "cancelled": "the call was interrupted",
}


def sentence(reason: str) -> str:
    """The human sentence for a reason word; the word itself where a transport of your own has words of its own."""
    return REASONS.get(reason, reason)


class Attempt:
    """One try of a call. `started_at` is aware, `duration` in seconds, `reason` a word of `REASONS`.

    `phase` is how far it came: `connecting`, `sending`, `waiting`, `reading`, `done`; `status` the HTTP status, if any.
    """

    # Written out, here and below: making a dataclass takes a millisecond of every program's start.
    __slots__ = ("duration", "number", "phase", "reason", "started_at", "status")

    def __init__(
        self,
        *,
        number: int,
        started_at: datetime,
        phase: str,
        duration: float,
        reason: str,
        status: int | None = None,
    ) -> None:
        self.number = number
        self.started_at = started_at
        self.phase = phase
        self.duration = duration
        self.reason = reason
        self.status = status

    def _all(self) -> tuple[object, ...]:
        return self.number, self.started_at, self.phase, self.duration, self.reason, self.status

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Attempt) and self._all() == other._all()

    def __hash__(self) -> int:
        return hash(self._all())

    def __repr__(self) -> str:
        return (
            f"Attempt(number={self.number}, started_at={self.started_at!r}, phase={str(self.phase)!r}, "
            f"duration={self.duration:.3f}, reason={self.reason!r}, status={self.status})"
        )


class UnverifiedHint:
    """What an answer that could not be verified appears to say: for people who look for a mistake, used in no decision.

    `code` has at most 64 characters and `msg` 200, on one line, with anything like a card number masked.
    """

    __slots__ = ("code", "msg")

    def __init__(self, code: str, msg: str) -> None:
        self.code = shown(code, 64)
        self.msg = shown(msg, 200)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, UnverifiedHint) and (self.code, self.msg) == (other.code, other.msg)

    def __hash__(self) -> int:
        return hash((self.code, self.msg))

    def __repr__(self) -> str:
        return f"UnverifiedHint(code={self.code!r}, msg={self.msg!r})"

    def __str__(self) -> str:
        said = f"{self.code}: {self.msg}" if self.code and self.msg else self.code or self.msg
        return f"NOT VERIFIED, the gateway appears to say {said}"
