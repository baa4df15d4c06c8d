"""Arguments and results of ledgers. `delivery_verdict` has their decision.

A ledger keeps one record for each key that the contract names (the key's own record). Deliveries with the same key and
other content, which come after the key had its effect, are kept beside it. Before a handler runs, the ledger claims the
record and its subject for a limited time (the lease). When the handler has returned, the record is marked done in the
same transaction as whatever the handler wrote through `event.transaction`. If a process dies in between, its claim
expires, and the next delivery takes the notification over.

A ledger compares only times of its own clock: that of the database server, or of the machine that has the file.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import KW_ONLY, dataclass
from datetime import datetime
from typing import Final, Literal, NamedTuple, Protocol, TypeAlias, get_args

from paywright_receiver.items.state_memory import OrderOf
from paywright_receiver.items.state_order import StateOrder

Status: TypeAlias = Literal["claimed", "done", "stale", "failed", "unhandled", "unreadable", "conflict"]
STATUSES: Final[tuple[Status, ...]] = get_args(Status)
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
    delivery of the same notification: 64 hexadecimal digits.
    """

    key: str
    subject: str
    kind: str
    state: str | None
    _: KW_ONLY
    raw: bytes
    digest: str
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

    def fetchall(self) -> Sequence[tuple[object, ...]]:
        """Return the remaining rows."""
        ...


class Transaction(Protocol):
    """The connection that a handler writes through, inside the ledger's own transaction.

    `sqlite3.Connection` and `psycopg.Connection` fit. The ledger commits: a handler that commits or rolls back by
    itself gets an error.
    """

    def execute(self, statement: str, parameters: Sequence[object] = ..., /) -> Executed:
        """Run one SQL statement with its parameters."""
        ...
