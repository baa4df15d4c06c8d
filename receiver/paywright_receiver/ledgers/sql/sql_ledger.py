"""Ledgers: what they say of their records, and what is changed by hand. `delivery_claims` has the claims of deliveries."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from time import sleep
from typing import Any, ClassVar, Literal, TypeAlias, cast

from paywright_receiver.items.delivery_verdict import Record
from paywright_receiver.items.item_operations import TABLE
from paywright_receiver.items.leases import bounds, died, expired
from paywright_receiver.items.ledger import STATUSES, ClaimRequest, Entry, Refusal, Status, Transaction
from paywright_receiver.items.open_items import folded_key
from paywright_receiver.items.state_memory import Source
from paywright_receiver.items.times import at_micros, micros, youngest
from paywright_receiver.ledgers.sql.delivery_claims import LONGEST_WHY, SqlClaim, duplicate, moved
from paywright_receiver.ledgers.sql.sql_database import SqlDatabase
from paywright_receiver.ledgers.sql.sql_open_items import SqlBook
from paywright_receiver.ledgers.sql.statements import AGAIN, Statements

Claim: TypeAlias = "SqlClaim[Ledger, object]"


class Ledger(SqlDatabase):
    """The store in which a receiver records notifications: `SqliteLedger`, `PostgresLedger` or `MariaDbLedger`. Threads and processes may share one.

    A key alone means the key's own record. A key with a digest (64 hexadecimal digits, as `list` shows it) means the
    record with that content. Where the gateway does not tell capitals from small letters, the merchant's number in a key may be
    spelled either way; `list` shows it as the merchant wrote it. Every method raises `LedgerProblem` if the ledger cannot be used;
    then nothing is acknowledged.
    """

    _CLAIM: ClassVar[type[SqlClaim[Any, Any]]]

    _PAUSE: ClassVar[float] = 0.0
    """Seconds between two portions of `prune`, in which others use the database."""

    _ASKS: ClassVar[bool] = True
    """True if it looks for what was handled before it begins a claim."""

    @property
    def book(self) -> SqlBook:
        """Return the items in the database: not kept, as a circle would keep connections open."""
        return SqlBook(self)

    def acquire(self, request: ClaimRequest, /) -> Claim | Refusal:
        """Grant a claim, or return why not. Every delivery of a notification extends how long its record is kept."""
        sql = self._statements(make=True)
        if self._owed:
            self._release()
        request = self._fitting(request)
        if self._ASKS:
            with self._reading() as db:
                if duplicate(db, sql, request, self._now(db)):
                    return "duplicate"
        with self.problems():
            return self._CLAIM(self, sql, request, os.urandom(12).hex()).begin()

    def _fitting(self, request: ClaimRequest) -> ClaimRequest:
        """Return a request whose texts the database can store."""
        return request

    def list(self, *, status: str | None = None, key: str | None = None, most: int = 200) -> Sequence[Entry]:
        """Return at most `most` records, the last changed first.

        Without arguments: of all records. With `status`: of that status, one of `paywright_receiver.items.ledger.STATUSES`. With
        `key`: the key's own and those kept beside it; with a number (no slash): of all keys that have it, in any letters.
        """
        sql, wanted = self._statements(), None if key is None else self._fit(key)
        with self._reading() as db:
            ended = bounds(self._now(db))
            if wanted is None:
                rows = db.execute(sql.list, (*ended, status, most)).fetchall()
            elif "/" not in wanted:  # a number, as people say it: any letters
                like = wanted.lower().replace("!", "!!").replace("%", "!%25").replace("_", "!_")
                given = (*ended, wanted, f"%/{like}/%", f"%/{like}", status, most)
                rows = db.execute(sql.list_number, given).fetchall()
            else:
                rows = db.execute(sql.list_key, (*ended, wanted, folded_key(wanted), status, most)).fetchall()
        found: list[Entry] = []
        for *values, notify_time, first_at, changed_at, gone in cast("Iterable[Sequence[Any]]", rows):
            one = Entry._make((*values, *map(at_micros, (notify_time, first_at, changed_at))))
            found.append(one._replace(own=bool(one.own), why=died(one.attempts) if gone else one.why))
        return found

    def counts(self, *, older_than: timedelta = timedelta(0)) -> Mapping[Status, int]:
        """Return how many records there are of each status, 0 included.

        `older_than` counts only those first delivered at least so long ago. The time of the first delivery does not
        change when a record is delivered again or fails again. Raises `InvalidArgument` for a negative span.
        """
        sql = self._statements()
        with self._reading() as db:
            now = self._now(db)
            rows = db.execute(sql.counts, (*bounds(now), youngest(now, older_than))).fetchall()
        found = dict(cast("Iterable[tuple[Status, int]]", rows))
        return {status: found.get(status, 0) for status in STATUSES}

    def body(self, key: str, /, digest: str | None = None) -> bytes | None:
        """Return the verified body of a record that is not done, or None."""
        sql = self._statements()
        with self._reading() as db:
            found = self._addressed(db, sql, key, digest)
            row = None if found is None else db.execute(sql.body, found.row).fetchone()
        return None if row is None or row[0] is None else bytes(cast(bytes, row[0]))

    def discard(self, key: str, /, digest: str | None = None) -> bool:
        """Mark one record done by hand, delete its body, and return True.

        A record that is being handled stays, and returns False.

        Its state counts from then on: a later delivery of the same state, or of an older one, has no effect.
        """
        return self.end_record(key, digest, "discarded", "discarded by hand")

    def end_record(self, key: str, digest: str | None, as_: Literal["discarded", "replayed"], why: str) -> bool:
        """Mark one record done, by hand or by a replay under another key, as `discard` says; `why` is recorded."""
        sql = self._statements()
        with self._writing() as db:
            found = self._addressed(db, sql, key, digest)
            if found is None:
                return False
            now = self._locked(db, found.subject)
            found = self._addressed(db, sql, found.key, digest, sql.lock)
            if found is None or found.conflicting == AGAIN:
                return False
            gone = found.status == "claimed" and expired(now, found.claimed_at, found.lease_until)
            if not gone and TABLE["discard", found.status].answer == "False":
                return False
            db.execute(sql.discard, (self._fit(why, LONGEST_WHY), now, *found.row))
            source: Source = "decided" if found.status == "conflict" or found.conflicting else as_
            about = found.key if found.state is None else found.subject
            known = (about, found.state, found.notify_time, found.key, found.digest, source if found.first else "other")
            db.execute(sql.book.remember, moved(*known))
            return True

    def _addressed(
        self, db: Transaction, sql: Statements, key: str, digest: str | None, lock: str = ""
    ) -> Record | None:
        """Return the key's own record, or with a digest the one with that content; None if there is none."""
        key = self._fit(key)
        rows = map(Record._make, db.execute(sql.addresses + lock, (key, folded_key(key))).fetchall())
        return next((one for one in rows if (one.first if digest is None else one.digest == digest)), None)

    def release(self, key: str, /, digest: str | None = None) -> bool:
        """End a claim by hand and return whether there was one. Its holder's writes are rolled back."""
        sql = self._statements()
        with self._writing() as db:
            found = self._addressed(db, sql, key, digest)
            return found is not None and db.execute(sql.release_by_hand, found.row).rowcount == 1

    def identity(self, kind: str, by: str, /) -> str:
        """Return the identity of a kind's effects. If none is stored yet, store and return `by`.

        `kind` is that of a key: the merchant's number, a slash and the `notifyType`.
        """
        sql, kind = self._statements(make=True), self._fit(kind)
        with self._writing() as db:
            db.execute(sql.identify, (kind, by))
            return str(cast("tuple[object]", db.execute(sql.identity, (kind,)).fetchone())[0])

    def forget_identity(self, kind: str, /) -> str | None:
        """Forget the identity of a kind's effects, so that the next receiver's counts. Return it; None if there is none."""
        sql, kind = self._statements(), self._fit(kind)
        with self._writing() as db:
            row = db.execute(sql.identity, (kind,)).fetchone()
            db.execute(sql.forget_identity, (kind,))
        return None if row is None else str(row[0])

    def check_whole(self) -> None:
        """Raise `LedgerProblem` if the store is damaged, as far as it can tell. For monitoring: it may read the whole store."""
        self.counts()

    def prune(self, before: datetime, /) -> int:
        """Delete records that are done or stale and were last changed before `before`; return their count.

        A record is kept for the receiver's `max_age` and `max_ahead` after its last delivery, and as long as there is
        an open conflict beside it. Before that the same notification could arrive again and would count as a new one.

        It deletes in portions, each in its own transaction, so that deliveries do not wait for all of it. If the ledger
        fails in between, what was deleted stays deleted. Raises `InvalidArgument` for a time without an offset.
        """
        limit, gone, sql = micros(before), 0, self._statements()
        while True:
            with self._writing() as db:
                old = (limit, self._now(db))
                some = db.execute(sql.prune, (*old, *old)).rowcount
            if not some:
                return gone
            gone += some
            sleep(self._PAUSE)
