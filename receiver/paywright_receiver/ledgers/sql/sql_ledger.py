"""Base of the ledgers in databases: everything but connections, locks and clocks."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from time import sleep
from typing import ClassVar, cast

from paywright_receiver.items.ledger import ClaimRequest, Entry, Status
from paywright_receiver.items.times import micros
from paywright_receiver.ledgers.sql.claim_rules import (
    Runs,
    addressed,
    claimed,
    counted,
    discarded,
    entries,
)
from paywright_receiver.ledgers.sql.sql_book import SqlBook, SqlDatabase

__all__ = ["SqlLedger"]


class SqlLedger(SqlDatabase):
    """A ledger in a database. See `paywright_receiver.items.ledger.Ledger`."""

    _PAUSE: ClassVar[float] = 0.0
    """Seconds between two portions of `prune`, in which others use the database."""

    def __init__(self) -> None:
        self._owed: deque[tuple[str, ...]] = deque()

    @property
    def book(self) -> SqlBook:
        """Return the items in the database: not kept, as a circle would keep connections open."""
        return SqlBook(self)

    def list(self, *, status: str | None = None, key: str | None = None, most: int = 200) -> Sequence[Entry]:
        """Return records, the last changed first; `status` is one of `paywright_receiver.items.ledger.STATUSES`.

        See `Ledger.list`.
        """
        sql = self._statements()
        with self._reading() as db:
            wanted = None if key is None else self._fit(key)
            return entries(db, sql, self._now(db), status=status, key=wanted, most=most)

    def counts(self, *, older_than: timedelta = timedelta(0)) -> Mapping[Status, int]:
        """Return how many records there are of each status, 0 included. See `Ledger.counts`."""
        sql = self._statements()
        with self._reading() as db:
            return counted(db, sql, self._now(db), older_than)

    def body(self, key: str, /, digest: str | None = None) -> bytes | None:
        """Return the verified body of a record that is not done, or None."""
        sql = self._statements()
        with self._reading() as db:
            found = addressed(db, sql, self._fit(key), digest)
            row = None if found is None else db.execute(sql.body, found.row).fetchone()
        return None if row is None or row[0] is None else bytes(cast(bytes, row[0]))

    def discard(self, key: str, /, digest: str | None = None) -> bool:
        """Mark one record done by hand, and return whether that changed it. See `Ledger.discard`."""
        sql = self._statements()
        with self._writing() as db:
            found = addressed(db, sql, self._fit(key), digest)
            return found is not None and discarded(db, sql, found.key, digest, self._locked(db, found.subject))

    def release(self, key: str, /, digest: str | None = None) -> bool:
        """End a claim by hand, and return whether there was one. See `Ledger.release`."""
        sql = self._statements()
        with self._writing() as db:
            found = addressed(db, sql, self._fit(key), digest)
            return found is not None and db.execute(sql.release_by_hand, found.row).rowcount == 1

    def identity(self, kind: str, by: str, /) -> str:
        """Return the identity of a kind's effects, `by` the first time. See `Ledger.identity`."""
        sql, kind = self._statements(make=True), self._fit(kind)
        with self._writing() as db:
            db.execute(sql.identify, (kind, by))
            return str(cast("tuple[object]", db.execute(sql.identity, (kind,)).fetchone())[0])

    def forget_identity(self, kind: str, /) -> str | None:
        """Forget the identity of a kind's effects, and return it. See `Ledger.forget_identity`."""
        sql, kind = self._statements(), self._fit(kind)
        with self._writing() as db:
            row = db.execute(sql.identity, (kind,)).fetchone()
            db.execute(sql.forget_identity, (kind,))
        return None if row is None else str(row[0])

    def check_whole(self) -> None:
        """Raise `LedgerProblem` if the store is damaged. See `Ledger.check_whole`."""
        self.counts()

    def prune(self, before: datetime, /) -> int:
        """Delete finished records last changed before `before`, and return their count. See `Ledger.prune`."""
        limit, gone = micros(before), 0
        sql = self._statements()
        while True:
            with self._writing() as db:
                old = (limit, self._now(db))
                some = db.execute(sql.prune, (*old, *old)).rowcount
            if not some:
                return gone
            gone += some
            sleep(self._PAUSE)

    def _release(self, *ended: str) -> None:
        """Release a claim, durably, given status, why, key and owner. A record that has another owner is not changed.

        One that cannot be written now, as without a connection, is queued until the next claim. Without the queue the notification
        would stay in progress until its lease expires.
        """
        try:
            sql = self._statements()
            with self._writing() as db:
                db.execute(sql.release, ended)
        except BaseException:
            self._owed.append(ended)
            raise

    def _make_up(self) -> None:
        """Release the queued claims."""
        while self._owed:
            try:
                ended = self._owed.popleft()
            except IndexError:  # another thread was faster
                return
            self._release(*ended)

    def _write_failure(self, request: ClaimRequest, owner: str, status: Status, why: str) -> None:
        """Write a failed attempt whose transaction was rolled back, unless another delivery had the effect meanwhile."""
        sql = self._statements()
        with self._writing() as db:
            now = self._locked(db, request.subject)
            if not isinstance(claimed(db, sql, request, owner, now, within=False), str):
                db.execute(sql.release, (status, self._fit(why), request.key, owner))

    def _locked(self, db: Runs, subject: str) -> int:
        """Wait for other claims of the subject to be judged; then return the ledger's time."""
        return self._now(db)

    def _fit(self, text: str) -> str:
        """Return a text as the database stores it."""
        return text.encode(errors="backslashreplace").decode()  # half a character can be asked for, and is never stored
