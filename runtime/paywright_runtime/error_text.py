"""Sentences of error messages: why a call has no result, whether it may have moved money, and what to do next.

All sentences about money are here. They say "this call", because an earlier call may have had the same key.
"""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING, Final

from paywright_runtime.advice import ADVICE, advised
from paywright_runtime.attempts import sentence
from paywright_runtime.redaction import redacted, shown_key

if TYPE_CHECKING:
    from paywright_runtime.attempts import Attempt, UnverifiedHint
    from paywright_runtime.violation import Violation

__all__ = [
    "MAY_HAVE_MOVED",
    "MOVED_NONE",
    "NOT_SIGNED",
    "READS_ONLY",
    "UNSETTLED",
    "call_text",
    "cause_advice",
    "cause_text",
    "count_text",
    "difference_text",
    "earlier_calls_advice",
    "hint_text",
    "not_found_advice",
    "resolve_advice",
    "violation_lines",
]

MAY_HAVE_MOVED: Final = f"Money may have moved. {advised('unknown')}."
MOVED_NONE: Final = "This call has moved no money."
READS_ONLY: Final = "This call only reads and has moved no money."
NOT_SIGNED: Final = "The refusal is not signed: it counts because unsigned_answers is on."
UNSETTLED: Final = f"{advised('no_query')}."

_KEYS: Final = "If this stays so, gateway_keys may not hold the gateway's key: `paywright keys verify` finds out."
_ADDRESS: Final = "Repeating does not help: check base_url and paths."
_ADVICE: Final = {
    "tls_failed": "Repeating does not help: check the certificate, ca_file and base_url.",
    "signing_failed": "Repeating does not help until the signer works.",
    "redirect": _ADDRESS,
    **dict.fromkeys(("unsigned", "several_signatures", "bad_signature", "not_canonical"), _KEYS),
}
_STATUS_ADVICE: Final = {
    **dict.fromkeys((400, 401, 403, 404, 405, 410), _ADDRESS),
    407: "Repeating does not help: check the name and password in proxy.",
}


def call_text(operation: str, key: str | None) -> str:
    """Return an operation and its key, as messages name a call."""
    return operation if key is None else f"{operation} with key {shown_key(key)!r}"


def cause_text(reason: str, attempts: tuple[Attempt, ...]) -> str:
    """Return why a call has no answer: the sentence, the last detail from the peer or the system, and the reason word."""
    last = attempts[-1] if attempts and attempts[-1].reason == reason else None
    text = sentence(reason)
    if last is not None and reason == "http_status" and last.status is not None:
        text = f"the HTTP status is {last.status}, not 200"
    elif last is not None and last.detail:
        text = f"{text}: {_words(last.detail)}"
    return f"{text} ({reason}{f', {len(attempts)} attempts' if len(attempts) > 1 else ''})"


def _words(detail: str) -> str:
    """Return a detail with the system's text for an error number: `connection refused [ECONNREFUSED]`."""
    *place, name = detail.split(" ")
    number = getattr(errno, name, None) if name.isupper() and name.startswith("E") else None
    if not isinstance(number, int):
        return detail
    return " ".join([*place, f"{os.strerror(number).lower()} [{name}]"])


def cause_advice(reason: str, attempts: tuple[Attempt, ...]) -> str:
    """Return what to check before another call, if repeating alone does not help; else ""."""
    if reason == "http_status" and attempts:
        return _STATUS_ADVICE.get(attempts[-1].status or 0, "")
    return _ADVICE.get(reason, "")


def resolve_advice(resolver: str | None, query: str | None = None) -> str:
    """Return what to do about a write whose outcome is unknown."""
    if resolver is None:
        return f"{MAY_HAVE_MOVED} {UNSETTLED}"
    asks = "" if query is None else f", which asks {query} for the same key"
    return f"{MAY_HAVE_MOVED} Resolve it with {resolver}{asks}."


def earlier_calls_advice(resolver: str | None, otherwise: str) -> str:
    """Return the advice for a call that did nothing: settle an earlier call with its key first, else do `otherwise`, a situation or words."""
    otherwise = f"{ADVICE[otherwise]}." if otherwise in ADVICE else otherwise
    rule = "If the outcome of an earlier call with this key is unknown,"
    if resolver is None:
        return f"{rule} it stays so, as the contract has no query for it: ask the gateway's support. Else {otherwise}"
    return f"{rule} resolve that first, with {resolver}. Else {otherwise}"


def not_found_advice(resolver: str | None) -> str:
    """Return what a "not there" means, and what to do next [4.3]."""
    if resolver is None:
        return "The gateway does not know this item: check the arguments."
    return (
        f"It does not prove that a write of unknown outcome did nothing: continue with {resolver}, which says what is allowed and "
        "when [4.3]. Else check the key."
    )


def hint_text(hint: UnverifiedHint | None) -> str:
    """Return an unverified hint as the end of a message."""
    return "" if hint is None else f" {hint}"


def count_text(count: int) -> str:
    """Return the number of places."""
    return "1 place" if count == 1 else f"{count} places"


def difference_text(member: str, asked: str, shown: str) -> str:
    """Return a member that an answer shows otherwise than the call had it."""
    return f"{member} {redacted(shown, 64)!r} where this call has {redacted(asked, 64)!r}"


def violation_lines(violations: tuple[Violation, ...]) -> str:
    """Return one indented line for each violation."""
    return "".join(f"\n  {item}" for item in violations)
