"""The protocol of ledgers, and the decision they share: what becomes of a notification that wants to be handled.

A ledger keeps one record for each key that the contract names (the key's own record), and beside it whatever came under the
same key with other content after the key had its effect. Before a handler runs, the record is claimed for a while (the lease),
and with it the subject that the notification is about. When the handler has returned, the record is done, in the same
transaction as whatever the handler wrote through `event.transaction`. A process that dies in between leaves a claim that
expires; the next delivery takes it over.

A ledger reads what it has of a key and of its subject, asks `judge`, and writes down what follows, all in one transaction.
Every time that a ledger compares comes from one clock, the ledger's own: that of the database server, or of the machine whose
file it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final, Literal, NamedTuple, Protocol, TypeAlias

from paywright_runtime.errors import InvalidArgument

__all__ = [
    "KEPT",
    "LEEWAY",
    "REFUSED",
    "STATUSES",
    "Claim",
    "Conflict",
    "Entry",
    "Held",
    "Judgement",
    "Ledger",
    "Progress",
    "Record",
    "Refusal",
    "StateOrder",
    "Transaction",
    "at_micros",
    "contradicted",
    "died",
    "expired",
    "judge",
    "keep_until",
    "micros",
    "micros_of",
    "supersedes",
]

Status: TypeAlias = Literal["claimed", "done", "stale", "failed", "unhandled", "unreadable", "conflict"]
STATUSES: Final[tuple[Status, ...]] = ("claimed", "done", "stale", "failed", "unhandled", "unreadable", "conflict")
"""claimed: a handler has it; done: its effect is there; stale: a newer state was there first; failed, unhandled, unreadable:
no effect, kept to be tried again; conflict: it contradicts what was there first, kept for `on_conflict` or a person."""

KEPT: Final = frozenset({"claimed", "failed", "unhandled", "unreadable", "conflict"})
"""The statuses whose body is kept. It may hold a person's data, and goes when the effect is there."""

Refusal: TypeAlias = Literal["duplicate", "stale", "conflict", "superseded", "in_progress"]
"""Why a claim was not granted: handled before; an older state; other content or another end; older than what is kept and
waits; being handled now."""

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
"""What a receiver is told of a judgement that is no claim."""

_START: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
LEEWAY: Final = 1_000_000
"""Microseconds by which a clock may step back without making live claims look as if they came from the future."""


class StateOrder(NamedTuple):
    """What the contract shows of the states before and after one state.

    `later` are the states that come after it: behind one of them it is stale. `excluded` are those that contradict it.
    `earlier` are those that come before it. `ends` says that it is paid or final: it is handled after every state that is
    neither later nor excluded. Of all other pairs nothing is shown, and the notification's own time decides.
    """

    later: frozenset[str] = frozenset()
    excluded: frozenset[str] = frozenset()
    earlier: frozenset[str] = frozenset()
    ends: bool = False


class Claim:
    """A notification that wants to be handled.

    `key` names its effect, `subject` what it is about, `state` the state it tells of (None where it tells of none), `order` the
    place of that state. `notify_time` is in whole microseconds since 1970; `lease` and `keep` are spans in microseconds: how
    long a handler has it to itself, and how long its record is kept at least. `handled` is False for one that only is to be
    kept; `reconciles` says that there is a handler for conflicts. `digest` is a hash over its content, the same for each
    delivery of the same notification; `fingerprint` makes it.
    """

    __slots__ = ("_digest", "_fingerprint", "handled", "keep", "key", "kind", "lease", "notify_time", "order", "raw", "reconciles", "state", "subject")  # fmt: skip

    def __init__(
        self,
        key: str,
        subject: str,
        kind: str,
        state: str | None,
        *,
        raw: bytes,
        fingerprint: Callable[[], str],
        notify_time: int,
        lease: int,
        keep: int,
        order: StateOrder = StateOrder(),  # noqa: B008  # immutable
        handled: bool = True,
        reconciles: bool = False,
    ) -> None:
        self.key: str = key
        self.subject: str = subject
        self.kind: str = kind
        self.state: str | None = state
        self.raw: bytes = raw
        self._fingerprint = fingerprint
        self._digest: str | None = None
        self.notify_time: int = notify_time
        self.lease: int = lease
        self.keep: int = keep
        self.order: StateOrder = order
        self.handled: bool = handled
        self.reconciles: bool = reconciles

    @property
    def digest(self) -> str:
        """64 hexadecimal digits; worked out at the first look."""
        if self._digest is None:
            self._digest = self._fingerprint()
        return self._digest

    def __repr__(self) -> str:
        return f"<Claim of {self.key}>"


class Record(Protocol):
    """What a ledger has of a notification. Times are in microseconds since 1970, by the ledger's clock but `notify_time`."""

    @property
    def status(self) -> str: ...
    @property
    def digest(self) -> str:
        """Empty where the content is not known: a record of an older version of the tables."""
        ...

    @property
    def state(self) -> str | None: ...
    @property
    def claimed_at(self) -> int: ...
    @property
    def lease_until(self) -> int: ...
    @property
    def notify_time(self) -> int: ...


class Progress(Protocol):
    """How far a subject has come: the last state whose effect is there, and time and key of the notification of it."""

    @property
    def state(self) -> str | None: ...
    @property
    def notify_time(self) -> int: ...
    @property
    def key(self) -> str: ...


class Conflict(NamedTuple):
    """What a notification contradicts: the one that had its effect before it.

    `key` is that one's, `state` the state it told of (None where it told of none), `notify_time` when it was notified. `what`
    says what is contradicted: `content` (the same key, and other content) or `state` (another end of the same subject).
    """

    what: Literal["content", "state"]
    key: str
    state: str | None
    notify_time: datetime


def expired(now: int, claimed_at: int, lease_until: int) -> bool:
    """Tell whether a claim has run out: by its lease, or because it was made by a clock that was ahead."""
    return lease_until <= now or claimed_at > now + LEEWAY


def died(attempts: int) -> str:
    """Say why a claim that has run out did not end."""
    return f"its process died or took longer than its lease, {attempts} time{'s' if attempts != 1 else ''}"


def keep_until(claim: Claim, now: int) -> int:
    """Until when a record is kept that is written now: an eighth longer than needed, so that few deliveries must renew it."""
    return now + claim.keep + claim.keep // 8


def judge(
    claim: Claim, record: Record | None, beside: Record | None, progress: Progress | None, busy: bool, now: int
) -> Judgement:
    """Decide whether a notification may be handled.

    `record` is the key's own record, `beside` the one that is kept beside it with this claim's content, `progress` that of the
    subject; `busy` says that another notification about the subject is being handled.

    `other content` goes beside the record, `contradiction` becomes the record; both are conflicts. Content is compared only
    with what has had its effect or its verdict (done, stale, conflict): of anything else the newest is what counts.
    """
    for kept in (record, beside):
        if kept is not None and kept.status == "claimed" and not expired(now, kept.claimed_at, kept.lease_until):
            return "in_progress"
    verdict = _verdict(claim, record, beside, progress)
    begins = verdict == "claim" or (claim.reconciles and REFUSED.get(verdict) == "conflict")
    return "in_progress" if busy and begins else verdict


def _verdict(claim: Claim, record: Record | None, beside: Record | None, progress: Progress | None) -> Judgement:
    if beside is not None:
        return "duplicate" if beside.status == "done" else "other content"
    if record is not None:
        same = record.digest in (claim.digest, "")
        if record.status in ("done", "stale"):
            return "duplicate" if same else "other content"
        if record.status == "conflict":
            return "contradiction" if same else "other content"
        if not same and record.notify_time > claim.notify_time:
            return "superseded"
    return "claim" if progress is None else supersedes(claim.state, claim.order, claim.notify_time, progress)


def supersedes(
    state: str | None, order: StateOrder, notify_time: int, progress: Progress
) -> Literal["claim", "duplicate", "stale", "contradiction"]:
    """Decide whether a state may follow the one that its subject has reached; `claim` means yes."""
    there = progress.state
    if there is None or state is None:
        return "claim"
    if there == state:
        return "duplicate"  # its record was forgotten, its effect was not
    if there in order.later:
        return "stale"
    if there in order.excluded:
        return "contradiction"
    if order.ends or there in order.earlier or notify_time >= progress.notify_time:
        return "claim"
    return "stale"


def contradicted(claim: Claim, verdict: Judgement, record: Record | None, progress: Progress | None) -> Conflict | None:
    """What a claim contradicts, if it is a conflict and the receiver has a handler for those; otherwise None."""
    if not claim.reconciles or REFUSED.get(verdict) != "conflict":
        return None
    if record is not None and record.status in ("done", "stale"):
        return Conflict("content", claim.key, record.state, at_micros(record.notify_time))
    if progress is not None:
        return Conflict("state", progress.key, progress.state, at_micros(progress.notify_time))
    return Conflict("content", claim.key, claim.state, at_micros(claim.notify_time))


def micros(time: datetime) -> int:
    """Whole microseconds since 1970. Raises `InvalidArgument` for a time without an offset."""
    if time.tzinfo is None:
        raise InvalidArgument("A time needs its offset: use an aware datetime, such as datetime.now(UTC).")
    return (time - _START) // _MICROSECOND


def micros_of(span: timedelta) -> int:
    """Whole microseconds of a span. Raises `InvalidArgument` for a negative one."""
    if span < timedelta(0):
        raise InvalidArgument("older_than is a span of time, 0 or more: timedelta(minutes=10).")
    return span // _MICROSECOND


def at_micros(since: int) -> datetime:
    """The time that many microseconds after 1970 began; aware, in UTC."""
    return _START + timedelta(microseconds=since)


class Entry:
    """A record as it is listed: everything but the body.

    `own` is False for what is kept beside the key's own record because its content contradicts it. `why` says what kept it
    from being done, in words without a value. `attempts` counts how often a handler began. A claim that has run out is listed
    as `failed` (or `conflict`).
    """

    __slots__ = ("attempts", "changed_at", "digest", "first_at", "key", "kind", "notify_time", "own", "state", "status", "subject", "why")  # fmt: skip

    def __init__(
        self,
        *,
        key: str,
        subject: str,
        kind: str,
        state: str | None,
        status: str,
        own: bool,
        digest: str,
        attempts: int,
        why: str,
        notify_time: datetime,
        first_at: datetime,
        changed_at: datetime,
    ) -> None:
        self.key: str = key
        self.subject: str = subject
        self.kind: str = kind
        self.state: str | None = state
        self.status: str = status
        self.own: bool = own
        self.digest: str = digest
        self.attempts: int = attempts
        self.why: str = why
        self.notify_time: datetime = notify_time
        self.first_at: datetime = first_at
        self.changed_at: datetime = changed_at

    def __repr__(self) -> str:
        return f"<Entry {self.key}: {self.status}>"


class Transaction(Protocol):
    """The connection that a handler writes through, in the middle of the ledger's own transaction.

    `sqlite3.Connection` and `psycopg.Connection` are such. The ledger commits; a handler that commits or rolls back by itself
    is stopped.
    """

    def execute(self, statement: str, parameters: Sequence[object] = ..., /) -> object: ...


class Held(Protocol):
    """A granted claim. Exactly one of `finish` and `give_back` ends it; a process that dies leaves it to its lease."""

    @property
    def attempt(self) -> int:
        """1 for the first time that a handler begins with this notification."""
        ...

    @property
    def conflict(self) -> Conflict | None:
        """What it contradicts, if it is for the handler of conflicts; None otherwise."""
        ...

    @property
    def transaction(self) -> Transaction:
        """Begun at the first look. Raises `ClaimLost` if the claim was taken over meanwhile."""
        ...

    def finish(self) -> None:
        """The record is done, durably, together with what was written through `transaction`. Raises `ClaimLost`."""
        ...

    def give_back(self, status: Status, why: str) -> None:
        """What was written is rolled back; the record stays, with its body, to be tried again. A conflict stays one."""
        ...


class Ledger(Protocol):
    """Where a receiver remembers. Threads and processes may share one.

    A key alone means the key's own record, and nothing beside it; with a digest (64 hexadecimal digits, as `list` shows it) it
    means the record of that content. Everything raises `LedgerProblem` where the ledger cannot be used; then nothing is
    acknowledged.
    """

    def claim(self, claim: Claim, /) -> Held | Refusal:
        """The claim, granted; or why not. Every delivery of a notification renews how long its record is kept."""
        ...

    def list(self, *, status: str | None = None, key: str | None = None, most: int = 200) -> Sequence[Entry]:
        """Records, the last changed first: all, or those of a status, or of a key with what is kept beside it."""
        ...

    def counts(self, *, older_than: timedelta = timedelta(0)) -> Mapping[Status, int]:
        """How many records there are of each status, 0 included: all, or those that first came at least so long ago.

        When a record first came stays, however often it is delivered again and fails again. Raises `InvalidArgument` for a
        negative span.
        """
        ...

    def body(self, key: str, /, digest: str | None = None) -> bytes | None:
        """The verified body of a record that is not done, or None."""
        ...

    def settle(self, key: str, /, digest: str | None = None) -> bool:
        """Mark one record done by hand; its body goes, and True comes back. What is being handled now is not touched.

        A record of the key's own that was no conflict moves its subject on, as if a handler had returned: a later delivery
        of the same, or of an older state, has no effect.
        """
        ...

    def release(self, key: str, /, digest: str | None = None) -> bool:
        """End a claim by hand, whoever holds it, and return whether there was one. Its holder's writes are undone."""
        ...

    def forget(self, before: datetime, /) -> int:
        """Delete records that are done or stale, were last changed before, and are kept no longer; return how many.

        It goes in portions, each a transaction of its own, so that deliveries do not wait for all of it. Where the ledger
        fails in between, what was deleted stays deleted.

        A record is kept for the receiver's `max_age` and `max_ahead` after its last delivery, and as long as there is an open
        conflict beside it: before that the same notification could still come, and would be taken for a new one.
        """
        ...
