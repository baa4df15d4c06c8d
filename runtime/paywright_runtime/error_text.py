"""Compose the parts that messages of errors share: what to do next, and whether money may have moved."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from paywright_runtime.attempts import Attempt, UnverifiedHint
    from paywright_runtime.violation import Violation

__all__ = [
    "call_text",
    "count_text",
    "earlier_calls_advice",
    "hint_text",
    "not_found_advice",
    "reason_text",
    "resolve_advice",
    "violation_lines",
]


def call_text(operation: str, key: str | None) -> str:
    """Return an operation and its key, as messages name a call."""
    return operation if key is None else f"{operation} with key {key!r}"


def resolve_advice(resolver: str | None, query: str | None = None) -> str:
    """Return what to do about a write whose outcome is unknown."""
    warning = "Money may have moved. Do not call it again, under this key or a new one."
    if resolver is None:
        return (
            f"{warning} The contract has no query for it: it stays unknown until a notification or the gateway's support says "
            "what became of it."
        )
    asks = "" if query is None else f", which asks {query} for the same key"
    return f"{warning} Resolve it with {resolver}{asks}."


def earlier_calls_advice(resolver: str | None) -> str:
    """Return what a refusal or a call that was not sent means for an earlier call with the same key."""
    rule = "It proves nothing about an earlier call with this key: if the outcome of one is unknown,"
    if resolver is None:
        return (
            f"{rule} it stays so, and the contract has no query for it: ask the gateway's support before calling again."
        )
    return f"{rule} resolve that first, with {resolver}."


def not_found_advice(resolver: str | None) -> str:
    """Return what a verified "not there" means, and what to do next [4.3]."""
    if resolver is None:
        return "It does not know what was asked for; check the arguments."
    return (
        "It proves nothing about a call that may still be on its way: after one of unknown outcome, do not call again on the "
        f"strength of it, but go on with {resolver}, which says what is allowed and when [4.3]. Else check the key."
    )


def reason_text(reason: str, attempts: tuple[Attempt, ...]) -> str:
    """Return the reason word, with the number of attempts if there was more than one."""
    return f"{reason}, {len(attempts)} attempts" if len(attempts) > 1 else reason


def hint_text(hint: UnverifiedHint | None) -> str:
    """Return an unverified hint as the end of a message."""
    return "" if hint is None else f" {hint}"


def count_text(count: int) -> str:
    """Return the number of places."""
    return "1 place" if count == 1 else f"{count} places"


def violation_lines(violations: tuple[Violation, ...]) -> str:
    """Return one indented line for each violation."""
    return "".join(f"\n  {item}" for item in violations)
