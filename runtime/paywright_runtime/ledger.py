"""What a receiver remembers, so that each effect happens once: the protocol of ledgers, and the decisions they share.

A ledger keeps one record a notification, by a key that the contract names. Before a handler runs its record is claimed for a
while (the lease), and with it the subject that the notification is about; when the handler has returned the record is done,
in the same transaction as whatever the handler wrote through `event.transaction`. Whoever dies in between leaves a claim
that runs out, and the next delivery takes it over.

A ledger reads what it has of a key and of its subject, asks `judge`, and writes down what follows, all in one transaction.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final, Literal, Protocol, TypeAlias

__all__ = [
    "KEPT",
    "REFUSED",
    "STATUSES",
    "Claim",
    "Entry",
    "Held",
    "Judgement",
    "Ledger",
    "Progress",
    "Record",
    "Refusal",
    "Transaction",
    "judge",
]

Status: TypeAlias = Literal["claimed", "done", "stale", "failed", "unhandled", "unreadable", "conflict"]
STATUSES: Final[tuple[Status, ...]] = ("claimed", "done", "stale", "failed", "unhandled", "unreadable", "conflict")
"""claimed: a handler has it; done: its effect is there; stale: a newer state was there first; failed, unhandled, unreadable:
no effect, kept to be tried again; conflict: it contradicts what was there first, kept for a person to look at."""

KEPT: Final = frozenset({"claimed", "failed", "unhandled", "unreadable", "conflict"})
"""The statuses whose body is kept. It may hold a person's data, and goes when the effect is there."""

Refusal: TypeAlias = Literal["duplicate", "stale", "conflict", "in_progress"]
"""Why a claim was not granted: handled before; an older state; other content, or another end; somebody is at it now."""

Judgement: TypeAlias = Literal[
    "claim", "duplicate", "stale", "other content", "contradiction", "conflict", "in_progress"
]


REFUSED: Final[dict[Judgement, Refusal]] = {
    "duplicate": "duplicate",
    "stale": "stale",
    "other content": "conflict",
    "contradiction": "conflict",
    "conflict": "conflict",
    "in_progress": "in_progress",
}
"""What a receiver is told of a judgement that is no claim."""


class Claim:
    """A notification that wants to be handled.

    `key` is what has one effect, `subject` what it is about, `state` the state it tells of (None where it tells of none).
    `later` are the states that come after this one, `excluded` those after which it cannot come. Times are whole
    microseconds since 1970. `handled` is False for one that only is to be kept. `digest` is a hash over its content, the
    same for each delivery of the same notification.
    """

    __slots__ = ("_content", "_digest", "excluded", "handled", "key", "kind", "later", "lease_until", "notify_time", "now", "raw", "state", "subject")  # fmt: skip

    def __init__(
        self,
        key: str,
        subject: str,
        kind: str,
        state: str | None,
        *,
        raw: bytes,
        content: object,
        now: int,
        notify_time: int,
        lease_until: int,
        later: frozenset[str] = frozenset(),
        excluded: frozenset[str] = frozenset(),
        handled: bool = True,
    ) -> None:
        self.key = key
        self.subject = subject
        self.kind = kind
        self.state = state
        self.raw = raw
        self._content = content
        self._digest: str | None = None
        self.now = now
        self.notify_time = notify_time
        self.lease_until = lease_until
        self.later = later
        self.excluded = excluded
        self.handled = handled

    @property
    def digest(self) -> str:
        """64 hexadecimal digits; worked out at the first look."""
        if self._digest is None:
            from paywright_runtime.content import digest

            self._digest = digest(self._content)
        return self._digest

    def __repr__(self) -> str:
        return f"<Claim of {self.key}>"


class Record(Protocol):
    """What a ledger has of a key: the first content that came for it."""

    @property
    def status(self) -> str: ...
    @property
    def digest(self) -> str: ...
    @property
    def lease_until(self) -> int: ...


class Progress(Protocol):
    """How far a subject has come: the last state whose effect is there, and the time of the notification that told of it."""

    @property
    def state(self) -> str | None: ...
    @property
    def notify_time(self) -> int: ...


def judge(claim: Claim, record: Record | None, progress: Progress | None, busy: bool) -> Judgement:
    """What is to become of a claim; `busy` says that another notification about its subject is being handled.

    `other content` is kept beside the record, `contradiction` as the record, both as conflicts; `conflict` is there already.
    """
    if record is not None:
        if record.digest != claim.digest:
            return "other content"
        if record.status == "conflict":
            return "conflict"
        if record.status in ("done", "stale"):
            return "duplicate"
        if record.status == "claimed" and record.lease_until > claim.now:
            return "in_progress"
    if progress is not None and progress.state is not None and claim.state is not None:
        if progress.state == claim.state:
            return "duplicate"  # its record was forgotten, its effect was not
        if progress.state in claim.later:
            return "stale"
        if progress.state in claim.excluded:
            return "contradiction"
        # The contract does not say which comes first: then the notification's own time does.
        if progress.notify_time > claim.notify_time:
            return "stale"
    return "in_progress" if busy else "claim"


class Entry:
    """A record as it is listed: everything but the body.

    `why` says what kept it from being done, in words without a value. `attempts` counts how often a handler began.
    """

    __slots__ = ("attempts", "changed_at", "digest", "first_at", "key", "kind", "notify_time", "state", "status", "subject", "why")  # fmt: skip

    def __init__(
        self,
        *,
        key: str,
        subject: str,
        kind: str,
        state: str | None,
        status: str,
        digest: str,
        attempts: int,
        why: str,
        notify_time: datetime,
        first_at: datetime,
        changed_at: datetime,
    ) -> None:
        self.key = key
        self.subject = subject
        self.kind = kind
        self.state = state
        self.status = status
        self.digest = digest
        self.attempts = attempts
        self.why = why
        self.notify_time = notify_time
        self.first_at = first_at
        self.changed_at = changed_at

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
    def transaction(self) -> Transaction:
        """Begun at the first look. Raises `ClaimLost` if the claim was taken over meanwhile."""
        ...

    def finish(self) -> None:
        """The record is done, durably, together with what was written through `transaction`. Raises `ClaimLost`."""
        ...

    def give_back(self, status: Status, why: str) -> None:
        """What was written is rolled back; the record stays, with its body, to be tried again."""
        ...


class Ledger(Protocol):
    """Where a receiver remembers. Threads and processes may share one.

    Everything raises `LedgerProblem` where the ledger cannot be used; then nothing is acknowledged.
    """

    def claim(self, claim: Claim, /) -> Held | Refusal:
        """The claim, granted; or why not."""
        ...

    def list(self, *, status: str | None = None, most: int = 200) -> Sequence[Entry]:
        """Records, the last changed first."""
        ...

    def body(self, key: str, /) -> bytes | None:
        """The verified body of a record that is not done, or None."""
        ...

    def settle(self, key: str, /) -> None:
        """What was kept under this key, conflicts beside it too, is done with; its bodies go. Nothing claimed is touched."""
        ...

    def forget(self, before: datetime, /) -> int:
        """Delete records that are done or stale and were last changed before; how many that were.

        Not younger than the receiver's `max_age`: a notification of that age would be taken for a new one.
        """
        ...
