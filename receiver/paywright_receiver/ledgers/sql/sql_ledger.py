"""Ledgers: everything but connections, locks and clocks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime, timedelta
from time import sleep
from typing import TYPE_CHECKING, ClassVar, cast

from paywright_receiver.items.ledger import ClaimRequest, Entry, Refusal, Status
from paywright_receiver.items.times import micros
from paywright_receiver.ledgers.sql.claim_rules import Runs, addressed, claimed, counted, discarded, entries
from paywright_receiver.ledgers.sql.sql_book import SqlBook

if TYPE_CHECKING:
    from paywright_receiver.ledgers.sql.sql_claim import Claim
    from paywright_receiver.ledgers.sql.statements import Statements

__all__ = ["Ledger"]


class Ledger(ABC):
    """The store in which a receiver records notifications: `SqliteLedger` or `PostgresLedger`. Threads and processes may share one.

    A key alone means the key's own record. A key with a digest (64 hexadecimal digits, as `list` shows it) means the
    record with that content. Where the gateway does not tell capitals from small letters, the merchant's number in a key may be
    spelled either way; `list` shows it as the merchant wrote it. Every method raises `LedgerProblem` if the ledger cannot be used;
    then nothing is acknowledged.
    """

    _PAUSE: ClassVar[float] = 0.0
    """Seconds between two portions of `prune`, in which others use the database."""

    def __init__(self) -> None:
        self.id: object = None  # the ledger's own, once it was read
        self._owed: deque[tuple[str, ...]] = deque()

    @property
    def book(self) -> SqlBook:
        """Return the items in the database: not kept, as a circle would keep connections open."""
        return SqlBook(self)

    @abstractmethod
    def acquire(self, request: ClaimRequest, /) -> Claim | Refusal:
        """Grant a claim, or return why not. Every delivery of a notification extends how long its record is kept."""

    def list(self, *, status: str | None = None, key: str | None = None, most: int = 200) -> Sequence[Entry]:
        """Return at most `most` records, the last changed first.

        Without arguments: of all records. With `status`: of that status, one of `paywright_receiver.items.ledger.STATUSES`. With
        `key`: the key's own and those kept beside it.
        """
        sql = self._statements()
        with self._reading() as db:
            wanted = None if key is None else self._fit(key)
            return entries(db, sql, self._now(db), status=status, key=wanted, most=most)

    def counts(self, *, older_than: timedelta = timedelta(0)) -> Mapping[Status, int]:
        """Return how many records there are of each status, 0 included.

        `older_than` counts only those first delivered at least so long ago. The time of the first delivery does not
        change when a record is delivered again or fails again. Raises `InvalidArgument` for a negative span.
        """
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
        """Mark one record done by hand, delete its body, and return True.

        A record that is being handled stays, and returns False.

        Its state counts from then on: a later delivery of the same state, or of an older one, has no effect.
        """
        sql = self._statements()
        with self._writing() as db:
            found = addressed(db, sql, self._fit(key), digest)
            return found is not None and discarded(db, sql, found.key, digest, self._locked(db, found.subject))

    def release(self, key: str, /, digest: str | None = None) -> bool:
        """End a claim by hand and return whether there was one. Its holder's writes are rolled back."""
        sql = self._statements()
        with self._writing() as db:
            found = addressed(db, sql, self._fit(key), digest)
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

    # What each database does by itself

    @abstractmethod
    def problems(self) -> AbstractContextManager[None]:
        """Turn the errors of the database into `LedgerProblem`."""

    @abstractmethod
    def _statements(self, *, make: bool = False) -> Statements:
        """Return the statements over existing tables; with `make`, make the tables first."""

    @abstractmethod
    def _reading(self) -> AbstractContextManager[Runs]:
        """Open a connection to read from."""

    @abstractmethod
    def _writing(self) -> AbstractContextManager[Runs]:
        """Open a transaction of the ledger's own, and commit it durably at the end."""

    @abstractmethod
    def _borrowed(self, transaction: object) -> AbstractContextManager[Runs]:
        """Open a merchant's own connection, in whatever transaction it is."""

    @abstractmethod
    def _now(self, db: Runs) -> int:
        """Return the ledger's time in microseconds since 1970."""

    def _follows(self, runs: bool) -> None:  # noqa: B027  # not every database cares
        """Note that a run of a follower takes items, or has ended."""
