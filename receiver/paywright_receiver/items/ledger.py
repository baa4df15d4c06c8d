"""The protocol of ledgers, and their arguments and results. `judgement` has the decision that they share.

A ledger keeps one record for each key that the contract names (the key's own record). Deliveries with the same key and
other content, which come after the key had its effect, are kept beside it. Before a handler runs, the ledger claims the
record and its subject for a limited time (the lease). When the handler has returned, the record is marked done in the
same transaction as whatever the handler wrote through `event.transaction`. If a process dies in between, its claim
expires, and the next delivery takes the notification over.

A ledger compares only times of its own clock: that of the database server, or of the machine that has the file.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from datetime import datetime, timedelta
from typing import Final, Literal, NamedTuple, Protocol, TypeAlias

from paywright_receiver.items.book import Within
from paywright_receiver.items.signed import OrderOf
from paywright_receiver.items.state_order import StateOrder

__all__ = [
    "STATUSES",
    "Claim",
    "ClaimRequest",
    "Conflict",
    "Entry",
    "Executed",
    "Ledger",
    "Refusal",
    "Transaction",
]

Status: TypeAlias = Literal["claimed", "done", "stale", "failed", "unhandled", "unreadable", "conflict"]
STATUSES: Final[tuple[Status, ...]] = ("claimed", "done", "stale", "failed", "unhandled", "unreadable", "conflict")
"""claimed: a handler is running; done: it had its effect; stale: a newer state was handled before it; failed, unhandled,
unreadable: no effect, kept to be tried again; conflict: it contradicts an earlier one, kept for `on_conflict` or a person."""

Refusal: TypeAlias = Literal["duplicate", "stale", "conflict", "superseded", "in_progress"]
"""Reason for refusing a claim: handled before; an older state; other content or another final state; older than the record that is kept
to be tried again; being handled now."""


@dataclass(slots=True, eq=False, repr=False)
class ClaimRequest:
    """A request to claim a notification.

    `key` names its effect, `subject` what it is about, `state` the state that it reports (None if it reports none),
    `order` returns the position of a state among the others. `notify_time` is in whole microseconds since 1970. `lease` and `keep` are spans
    in microseconds: how long a handler has the notification to itself, and for how long its record is kept at least.
    `handled` is False if there is no handler and the notification is only to be stored. `reconciles` is True if there
    is a handler for conflicts. `foreign` says in words how it contradicts the registered item, "" if it does not. A
    contradiction is a conflict, and never has an effect of its own. Where the gateway does not tell capitals from small letters,
    `written` is the key with the merchant's spelling of the number, by which the record is shown, and `key` has it in small
    letters; elsewhere `written` is None. `again` asks to call the handler once more for the state that had its effect last: the
    effect stays the one that it is, however that ends. `within` names the handlers that act only inside of the ledger's transaction,
    that of the `effect` and that of a `conflict`: a ledger need not commit a claim before them. `digest` is a hash of its content, the same for each
    delivery of the same notification; `fingerprint` computes it.
    """

    key: str
    subject: str
    kind: str
    state: str | None
    _: KW_ONLY
    raw: bytes
    fingerprint: Callable[[], str]
    notify_time: int
    lease: int
    keep: int
    order: OrderOf = lambda state: StateOrder()
    handled: bool = True
    reconciles: bool = False
    foreign: str = ""
    written: str | None = None
    again: bool = False
    within: Collection[Literal["effect", "conflict"]] = ()
    _digest: str | None = field(default=None, init=False)

    @property
    def digest(self) -> str:
        """Return the digest of the content: 64 hexadecimal digits, computed on first access."""
        if self._digest is None:
            self._digest = self.fingerprint()
        return self._digest

    @property
    def shown(self) -> str:
        """Return the key for people: with the merchant's spelling."""
        return self.written or self.key

    @property
    def about(self) -> str:
        """Return the subject of its effect; its key, if it reports no state."""
        return self.key if self.state is None else self.subject

    def __repr__(self) -> str:
        return f"<ClaimRequest of {self.shown}>"


class Conflict(NamedTuple):
    """The earlier notification that this one contradicts, and which had its effect.

    `key` is the earlier one's, `state` the state that it reported (None if it reported none), `notify_time` its
    `notifyTime`. `what` says what is contradicted: `content` (the same key with other content) or `state` (another
    final state of the same subject).
    """

    what: Literal["content", "state"]
    key: str
    state: str | None
    notify_time: datetime


class Entry(NamedTuple):
    """A record as `Ledger.list` returns it: everything but the body.

    `own` is False for a record kept beside the key's own record because its content contradicts it. `why` says what
    kept it from being done, without values of the notification. `attempts` counts how often a handler began. A claim
    that has expired is listed as `failed` (or `conflict`).
    """

    key: str
    subject: str
    kind: str
    state: str | None
    status: str
    own: bool
    digest: str
    attempts: int
    why: str
    notify_time: datetime
    first_at: datetime
    changed_at: datetime

    def __repr__(self) -> str:
        return f"<Entry {self.key}: {self.status}>"


class Executed(Protocol):
    """Result of a statement: the cursor of `sqlite3` or `psycopg`."""

    @property
    def rowcount(self) -> int:
        """Return how many rows the statement changed."""
        ...

    def fetchone(self) -> tuple[object, ...] | None:
        """Return the next row, or None."""
        ...


class Transaction(Protocol):
    """The connection that a handler writes through, inside the ledger's own transaction.

    `sqlite3.Connection` and `psycopg.Connection` fit. The ledger commits: a handler that commits or rolls back by
    itself gets an error.
    """

    def execute(self, statement: str, parameters: Sequence[object] = ..., /) -> Executed:
        """Run one SQL statement with its parameters."""
        ...


class Claim(Protocol):
    """A granted claim. Exactly one of `complete` and `release` ends it; otherwise it expires with its lease."""

    @property
    def attempt(self) -> int:
        """Return how often a handler began with this notification, this time included: 1 the first time."""
        ...

    @property
    def conflict(self) -> Conflict | None:
        """Return what the notification contradicts, if it is for the handler of conflicts; None otherwise."""
        ...

    @property
    def was(self) -> str | None:
        """Return the state of the same subject that had its effect before; None if none had, or none was reported."""
        ...

    @property
    def transaction(self) -> Transaction:
        """Return the transaction, which begins on first access. Raises `ClaimLost` if the claim was taken over."""
        ...

    def complete(self, also: Callable[[Within], object] | None = None) -> None:
        """Mark the record done and commit it with what was written through `transaction`. Raises `ClaimLost`.

        `also` is called before the commit, to update the open items of the same ledger [`paywright_receiver.items.book`]. It is
        passed only if there is something to update, so that a ledger without items need not take it.
        """
        ...

    def release(self, status: Status, why: str) -> None:
        """Roll back what was written and keep the record, with its body, to be tried again.

        A conflict stays a conflict.
        """
        ...


class Ledger(Protocol):
    """The store in which a receiver records notifications. Threads and processes may share one.

    A key alone means the key's own record. A key with a digest (64 hexadecimal digits, as `list` shows it) means the
    record with that content. Where the gateway does not tell capitals from small letters, the merchant's number in a key may be
    spelled either way; `list` shows it as the merchant wrote it. Every method raises `LedgerProblem` if the ledger cannot be used; then nothing is
    acknowledged.
    """

    def acquire(self, request: ClaimRequest, /) -> Claim | Refusal:
        """Grant a claim, or return why not. Every delivery of a notification extends how long its record is kept."""
        ...

    def list(self, *, status: str | None = None, key: str | None = None, most: int = 200) -> Sequence[Entry]:
        """Return at most `most` records, the last changed first.

        Without arguments: of all records. With `status`: of that status. With `key`: the key's own and those kept
        beside it.
        """
        ...

    def counts(self, *, older_than: timedelta = timedelta(0)) -> Mapping[Status, int]:
        """Return how many records there are of each status, 0 included.

        `older_than` counts only those first delivered at least so long ago. The time of the first delivery does not
        change when a record is delivered again or fails again. Raises `InvalidArgument` for a negative span.
        """
        ...

    def body(self, key: str, /, digest: str | None = None) -> bytes | None:
        """Return the verified body of a record that is not done, or None."""
        ...

    def discard(self, key: str, /, digest: str | None = None) -> bool:
        """Mark one record done by hand, delete its body, and return True.

        A record that is being handled stays, and returns False.

        Its state counts from then on: a later delivery of the same state, or of an older one, has no effect.
        """
        ...

    def release(self, key: str, /, digest: str | None = None) -> bool:
        """End a claim by hand and return whether there was one. Its holder's writes are rolled back."""
        ...

    def identity(self, kind: str, by: str, /) -> str:
        """Return the identity of a kind's effects. If none is stored yet, store and return `by`.

        `kind` is that of a key: the merchant's number, a slash and the `notifyType`.
        """
        ...

    def forget_identity(self, kind: str, /) -> str | None:
        """Forget the identity of a kind's effects, so that the next receiver's counts. Return it; None if there is none."""
        ...

    def check_whole(self) -> None:
        """Raise `LedgerProblem` if the store is damaged, as far as it can tell. For monitoring: it may read the whole store."""
        ...

    def prune(self, before: datetime, /) -> int:
        """Delete records that are done or stale and were last changed before `before`; return their count.

        A record is kept for the receiver's `max_age` and `max_ahead` after its last delivery, and as long as there is
        an open conflict beside it. Before that the same notification could arrive again and would count as a new one.

        It deletes in portions, each in its own transaction, so that deliveries do not wait for all of it. If the ledger
        fails in between, what was deleted stays deleted. Raises `InvalidArgument` for a time without an offset.
        """
        ...
