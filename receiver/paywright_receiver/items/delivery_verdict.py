"""Decide whether a notification (webhook) is handled, a repeat, late or a conflict. All ledgers share this decision.

A ledger reads its records of a key and of its subject, calls `judge`, and writes the outcome, all in one transaction.
`state_order` says which states contradict; a repeat of what is done is told by `delivery_claims.duplicate` before, without a lock.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple, TypeAlias

from paywright_receiver.items.leases import expired
from paywright_receiver.items.ledger import ClaimRequest, Conflict, Refusal
from paywright_receiver.items.state_memory import Remembered, effect_of, furthest
from paywright_receiver.items.state_order import MEANS
from paywright_receiver.items.times import at_micros

Judgement: TypeAlias = Literal[
    "claim", "duplicate", "stale", "other content", "contradiction", "superseded", "in_progress"
]

REFUSED: Final[dict[Judgement, tuple[Refusal, Literal["conflict", "stale"] | None, str]]] = {
    "duplicate": ("duplicate", None, ""),
    "stale": ("stale", "stale", "a newer state was there"),
    "other content": ("conflict", "conflict", "other content for its key"),
    "contradiction": ("conflict", "conflict", "another end was there"),
    "superseded": ("superseded", None, ""),
    "in_progress": ("in_progress", None, ""),
}
"""For each judgement that grants no claim: the refusal, and the status of the record that is written, if any, with its reason."""
_CONFLICTS: Final = ("other content", "contradiction")


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
    keep_until: int
    subject: str = ""
    conflicting: int = 0

    @property
    def row(self) -> tuple[str, int, str]:
        """Return the primary key of its row."""
        return self.key, self.first, self.digest


def keep_until(request: ClaimRequest, now: int) -> int:
    """Return until when to keep a record that is written now, in microseconds since 1970.

    It is an eighth longer than needed, so that few later deliveries must update it.
    """
    return now + request.keep + request.keep // 8


def judge(
    request: ClaimRequest, record: Record | None, beside: Record | None, memory: Sequence[Remembered], busy: bool, now: int,
) -> Judgement:  # fmt: skip
    """Decide whether a notification may be handled.

    `record` is the key's own record. `beside` is the record kept beside it that has the content of this request.
    `memory` is that of the subject, with the states of all that the ledger keeps about it. `busy` says that another notification about the subject is being handled.

    The record of `other content` is stored beside the key's own; that of a `contradiction` becomes the key's own. Both are
    conflicts, and judged again when they come again: the effect that they contradicted may have been replaced. Content is
    compared only with records that are done, stale or a conflict, and with what had its effect; among all others the newest
    notification counts.
    """
    for kept in (record, beside):
        if kept is not None and kept.status == "claimed" and not expired(now, kept.claimed_at, kept.lease_until):
            return "in_progress"
    if request.again:
        effect = effect_of(memory)
        stands = effect is not None and effect.state == request.state
        return "in_progress" if busy else "claim" if stands else "stale"
    verdict = _verdict(request, record, beside, memory)
    begins = verdict == "claim" or (request.reconciles and verdict in _CONFLICTS)
    return "in_progress" if busy and begins else verdict


def _verdict(
    request: ClaimRequest, record: Record | None, beside: Record | None, memory: Sequence[Remembered]
) -> Judgement:
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
    # Its record may be deleted, but it had its effect, or somebody has decided.
    alike = [one for one in memory if one.state == (request.state or "")]
    ended = [one for one in alike if one.had or one.source in ("decided", "other")]
    if any(one.digest == request.digest or one.source == "booked" for one in ended):
        return "duplicate"
    if request.foreign or any(one.had for one in ended):
        return "other content"
    return supersedes(request, memory)


def supersedes(request: ClaimRequest, memory: Sequence[Remembered]) -> Literal["claim", "stale", "contradiction"]:
    """Decide whether a state may follow all that was ever signed of its subject, handled or not. `claim` means yes."""
    state = request.state
    if state is None:
        return "claim"
    order, others = request.order(state), [one for one in memory if one.states and one.state != state]
    if any(MEANS[order.place(one.state)].notification == "stale" for one in others):
        return "stale"
    ends = furthest(request.order, others)
    if any(MEANS[order.place(one.state)].notification == "contradiction" for one in ends):
        return "contradiction"
    # Where nothing is shown of two, the time decides between what had its effect and this.
    apart = [one for one in ends if one.had and order.place(one.state) == "apart from it"]
    return "claim" if all(request.notify_time >= one.at for one in apart) else "stale"


def contradicted(
    request: ClaimRequest, verdict: Judgement, record: Record | None, memory: Sequence[Remembered]
) -> Conflict | None:
    """Return the earlier notification that this one contradicts, if conflicts have a handler; otherwise None."""
    if not request.reconciles or verdict not in _CONFLICTS:
        return None
    if record is not None and record.status in ("done", "stale"):
        return Conflict("content", request.shown, record.state, at_micros(record.notify_time))
    what: Literal["content", "state"] = "content" if verdict == "other content" else "state"
    effect = effect_of(memory)
    if effect is not None:
        return Conflict(what, effect.key, effect.state or None, at_micros(effect.at))
    return Conflict(what, request.shown, request.state, at_micros(request.notify_time))
