"""Claims: everything but connections."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, Generic, Self, TypeAlias, TypeVar, cast

from paywright_receiver.items.book import Within
from paywright_receiver.items.ledger import ClaimRequest, Conflict, Refusal, Status, Transaction
from paywright_receiver.ledgers.sql.claim_rules import Granted, Runs, write_done
from paywright_receiver.ledgers.sql.statements import Statements
from paywright_runtime.errors import ClaimLost, LedgerProblem, TransactionEnded

if TYPE_CHECKING:
    from paywright_receiver.ledgers.sql.sql_ledger import Ledger

__all__ = ["BROKEN", "ENDED", "IDLE", "LONG", "OVER", "TRIED", "Claim", "SqlClaim"]

_INHERITED: Final[list[object]] = []
L = TypeVar("L", bound="Ledger", covariant=True)
D = TypeVar("D", covariant=True)
Claim: TypeAlias = "SqlClaim[Ledger, object]"

# Reasons that are recorded for a handler that ended, or did not use, the transaction.
TRIED: Final = "the handler tried to end the transaction by itself; the ledger does that when it has returned"
ENDED: Final = (
    "the transaction ended within the handler, by a statement of its own (such as ROLLBACK or ON CONFLICT ROLLBACK), a close, "
    "or an error of the database; the ledger ends it when the handler has returned"
)
LONG: Final = (
    "the handler, in one transaction, took longer than the ledger's timeout, while nobody else could write: make it faster, or "
    "declare nothing"
)
IDLE: Final = (
    "the handler, in one transaction, sent the database nothing for longer than the receiver's lease, and was ended: make it faster, or "
    "declare nothing"
)
OVER: Final = "event.transaction is the handler's until it returns, and it has returned"
BROKEN: Final = "what the handler wrote broke a constraint that is looked at when the transaction is committed"
REFUSED: Final = "event.transaction could not be begun, and the handler went on without it"


class SqlClaim(ABC, Generic[L, D]):
    """A granted claim. Exactly one of `complete` and `release` ends it; otherwise it expires with its lease.

    `attempt` counts how often a handler began with this notification, this time included. `conflict` is what the notification
    contradicts, if it is for the handler of conflicts. `was` is the state of the same subject that had its effect before; None if
    none had, or none was reported.
    """

    def __init__(self, ledger: L, sql: Statements, request: ClaimRequest, owner: str) -> None:
        self._ledger = ledger
        self._db: D | None = None
        self._sql = sql
        self._request = request
        self._owner = owner
        self._given = False  # whether the handler has the connection
        self._refused = False
        self._process = os.getpid()
        self._within = False
        self.attempt: int = 0
        self.conflict: Conflict | None = None
        self.was: str | None = None

    def begin(self) -> Self | Refusal:
        """Judge the request. Return the claim if it is granted, in its transaction if its handler acts only within."""
        try:
            found = self._judged()
            if isinstance(found, str) or not found.within:
                self._commit()
        except BaseException:
            self._end()
            raise
        if not isinstance(found, str):
            self.attempt, self.conflict, self.was, self._within = found
        if not self._within:
            self._end(ended=True)
        return found if isinstance(found, str) else self

    @property
    def transaction(self) -> Transaction:
        """Return the handler's transaction, which begins on first access, or with the claim if its handler acts only within.

        Raises `ClaimLost` if the claim was taken over.
        """
        self._check_process()
        if not self._given:
            if self._db is None:
                if self._within:
                    raise TransactionEnded(key=self._request.shown, why=OVER)
                self._refused = True  # until it has begun
                with self._ledger.problems():
                    if not self._look():
                        self._end()
                        raise self._lost()
                self._refused = False
            self._hand_over()
            self._given = True
        return cast(Transaction, self._handed)

    def complete(self, also: Callable[[Within], object] | None = None) -> None:
        """Mark the record done and commit it with what was written through `transaction`. Raises `ClaimLost`.

        `also` is called before the commit, to update the open items of the same ledger [`paywright_receiver.items.book`].
        """
        request = self._request
        self._check_process()
        try:
            with self._ledger.problems():
                if self._given or self._within:
                    self._take_back()
                if not self._done(also):
                    if self._sql.held and (self._given or self._within):  # the row has been locked since then
                        raise TransactionEnded(key=request.shown, why=ENDED)
                    raise self._lost()
        except BaseException:
            self._end()
            raise
        self._end(ended=True)

    def _done(self, also: Callable[[Within], object] | None) -> bool:
        """Write the record as done, with what else belongs to it, and commit. Return False if it is not held any more."""
        db = self._open()
        if not self._written(db):
            return False
        if self._refused:
            raise TransactionEnded(key=self._request.shown, why=REFUSED)
        if also is not None:
            also(db)
        self._commit()
        return True

    def _written(self, db: Runs) -> bool:
        return write_done(db, self._sql, self._request, self.conflict, self._mark(), self._ledger._now)

    def release(self, status: Status, why: str) -> None:
        """Roll back what was written and keep the record, with its body, to be tried again. A conflict stays a conflict."""
        self._check_process()
        why = self._spoilt() or why
        self._end()
        if self._within:
            self._ledger._write_failure(self._request, self._owner, status, why)
        else:
            self._ledger._release(status, self._ledger._fit(why), self._request.key, self._owner)

    def __del__(self) -> None:
        if self._db is not None and self._process == os.getpid():  # an interrupt came between two steps
            self._end()

    def _check_process(self) -> None:
        """Raise `LedgerProblem` if the claim was granted to another process, of which this one is a fork."""
        if self._process != os.getpid():
            _INHERITED.append(self)  # its end, if it were collected, would be the end of the parent's transaction
            raise LedgerProblem(
                f"The handler of {self._request.shown} has forked, and its copy in the child has come to an end too. It writes "
                "nothing and acknowledges nothing; the handler of the parent does. End such a child with os._exit, or start "
                "processes outside of handlers."
            )

    def _lost(self) -> ClaimLost:
        return ClaimLost(
            f"{self._request.shown} was taken over: its handler took longer than the receiver's lease. What it wrote here is "
            "undone, and it was not acknowledged."
        )

    @property
    @abstractmethod
    def _handed(self) -> object:
        """Return the connection that the handler has."""

    @abstractmethod
    def _judged(self) -> Granted | Refusal:
        """Begin the transaction, judge the request in it and write the result."""

    @abstractmethod
    def _look(self) -> bool:
        """Begin the transaction, and return whether the record is still claimed by this claim."""

    @abstractmethod
    def _hand_over(self) -> None:
        """Guard the transaction, and let the handler have its connection."""

    @abstractmethod
    def _take_back(self) -> None:
        """Take the connection from the handler. Raises `TransactionEnded` if what it wrote cannot be committed."""

    @abstractmethod
    def _open(self) -> Runs:
        """Return the transaction, which begins unless it has."""

    @abstractmethod
    def _mark(self) -> tuple[object, ...]:
        """Return the parameters of the statement `done`, none if nothing is left to be done."""

    @abstractmethod
    def _commit(self) -> object:
        """Commit. Raises `TransactionEnded` if a constraint of the handler's tables is broken."""

    @abstractmethod
    def _spoilt(self) -> str:
        """Return why the handler's transaction has ended, or that it tried to end it; "" if neither."""

    @abstractmethod
    def _end(self, *, ended: bool = False) -> None:
        """Give the connection back, if there is one, whose transaction has `ended`, or is rolled back."""
