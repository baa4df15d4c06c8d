"""Decide whether a notification (webhook) may be processed. All ledgers share this decision.

A ledger reads its records of a key and of its subject, calls `judge`, and writes the outcome, all in one transaction.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple, TypeAlias

from paywright_receiver.items.ledger import ClaimRequest, Conflict, Refusal, at_micros
from paywright_receiver.items.state_order import StateOrder

__all__ = [
    "LEEWAY",
    "REFUSED",
    "Effect",
    "Judgement",
    "Record",
    "contradicted",
    "died",
    "expired",
    "judge",
    "keep_until",
    "supersedes",
    "undone",
]

Judgement: TypeAlias = Literal[
    "claim", "duplicate", "stale", "other content", "contradiction", "superseded", "in_progress"
]

REFUSED: Final[dict[Judgement, Refusal]] = {
    "duplicate": "duplicate",
    "stale": "stale",
    "other content": "conflict",
    "contradiction": "conflict",
    "superseded": "superseded",
    "in_progress": "in_progress",
}
"""The refusal for each judgement that grants no claim."""

LEEWAY: Final = 1_000_000
"""Microseconds by which the clock may go back before a live claim counts as made in the future, and so as expired."""


class Record(NamedTuple):
    """A ledger's record of a notification, as far as it is judged.

    `first` is 1 for the key's own record, 0 for one beside it. `digest` is that of the content, `attempts` counts how often a
    handler began. Times are microseconds since 1970, by the ledger's clock except for `notify_time`.
    """

    key: str
    first: int
    digest: str
    status: str
    claimed_at: int
    lease_until: int
    notify_time: int
    attempts: int
    state: str | None


class Effect(NamedTuple):
    """The last state of a subject that had its effect, "" if none was reported, by the notification with this time and key.

    `notify_time` is in microseconds since 1970. `contents` has the digest of the content of each state that had its effect.
    """

    state: str
    notify_time: int
    key: str
    contents: Mapping[str, str]


def expired(now: int, claimed_at: int, lease_until: int) -> bool:
    """Return whether a claim has expired: by its lease, or because the clock that made it was ahead.

    Times in microseconds.
    """
    return lease_until <= now or claimed_at > now + LEEWAY


def died(attempts: int) -> str:
    """Describe why a claim that has expired did not end. `attempts` counts how often a handler began."""
    return f"its process died or took longer than its lease, {attempts} time{'s' if attempts != 1 else ''}"


def keep_until(request: ClaimRequest, now: int) -> int:
    """Return until when to keep a record that is written now, in microseconds since 1970.

    It is an eighth longer than needed, so that few later deliveries must update it.
    """
    return now + request.keep + request.keep // 8


def judge(
    request: ClaimRequest, record: Record | None, beside: Record | None, effect: Effect | None, busy: bool, now: int
) -> Judgement:
    """Decide whether a notification may be handled.

    `record` is the key's own record. `beside` is the record kept beside it that has the content of this request.
    `effect` is that of the subject. `busy` says that another notification about the subject is being handled.

    The record of `other content` is stored beside the key's own; that of a `contradiction` becomes the key's own. Both are
    conflicts, and judged again when they come again: the effect that they contradicted may have been replaced. Content is
    compared only with records that are done, stale or a conflict, and with what had its effect; among all others the newest
    notification counts.
    """
    for kept in (record, beside):
        if kept is not None and kept.status == "claimed" and not expired(now, kept.claimed_at, kept.lease_until):
            return "in_progress"
    if request.again:
        stands = effect is not None and effect.state == request.state
        return "in_progress" if busy else "claim" if stands else "stale"
    verdict = _verdict(request, record, beside, effect)
    begins = verdict == "claim" or (request.reconciles and REFUSED.get(verdict) == "conflict")
    return "in_progress" if busy and begins else verdict


def _verdict(request: ClaimRequest, record: Record | None, beside: Record | None, effect: Effect | None) -> Judgement:
    if beside is not None:
        return "duplicate" if beside.status == "done" else "other content"
    if record is not None:
        same = record.digest == request.digest
        if record.status in ("done", "stale"):
            return "duplicate" if same else "other content"
        if record.status == "conflict" and not same:
            return "other content"
        if not same and record.notify_time > request.notify_time:
            return "superseded"
    if request.foreign:
        return "other content"
    if effect is None:
        return "claim"
    content = effect.contents.get(request.state or "")
    if content is not None:  # its record was deleted, but it had its effect
        return "duplicate" if content == request.digest else "other content"
    return supersedes(request.state, request.order, request.notify_time, effect)


def supersedes(
    state: str | None, order: StateOrder, notify_time: int, effect: Effect
) -> Literal["claim", "stale", "contradiction"]:
    """Decide whether a state may follow the other one that its subject has reached. `claim` means yes."""
    there = effect.state
    if not there or state is None:
        return "claim"
    if there in order.later:
        return "stale"
    if there in order.excluded:
        return "contradiction"
    if order.ends or there in order.earlier or notify_time >= effect.notify_time:
        return "claim"
    return "stale"


def undone(request: ClaimRequest, verdict: Judgement) -> tuple[Literal["conflict", "stale"] | None, str]:
    """Return the status and the reason for the record of a notification that is not handled; None if none is written."""
    if verdict == "other content":
        return "conflict", request.foreign or "other content for its key"
    if verdict == "contradiction":
        return "conflict", "another end was there"
    return ("stale", "a newer state was there") if verdict == "stale" else (None, "")


def contradicted(
    request: ClaimRequest, verdict: Judgement, record: Record | None, effect: Effect | None
) -> Conflict | None:
    """Return the earlier notification that this one contradicts, if conflicts have a handler; otherwise None."""
    if not request.reconciles or REFUSED.get(verdict) != "conflict":
        return None
    if record is not None and record.status in ("done", "stale"):
        return Conflict("content", request.shown, record.state, at_micros(record.notify_time))
    if effect is not None:
        what: Literal["content", "state"] = "content" if verdict == "other content" else "state"
        return Conflict(what, effect.key, effect.state or None, at_micros(effect.notify_time))
    return Conflict("content", request.shown, request.state, at_micros(request.notify_time))
