"""A ledger's database: its transactions, its statements and its clock, and the driver's connection in a merchant's own."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, TypeAlias, cast

from paywright_receiver.items.ledger import Transaction
from paywright_runtime.errors import InvalidArgument, LedgerProblem

if TYPE_CHECKING:
    from paywright_receiver.ledgers.sql.statements import Statements

_INSIDE: Final = ("driver_connection", "dbapi_connection", "connection")
"""Attributes in which a connection of Django or SQLAlchemy, or a cursor, keeps the driver's connection."""
_DEEPEST: Final = 4
Collision: TypeAlias = Literal["held", "undone"]
"""held: another claim has what this one needs; undone: the database has undone it for another one, as after a deadlock."""

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
FORKED: Final = "this connection belongs to the process that forked this one. Start processes outside of handlers"
BROKEN: Final = "what the handler wrote broke a constraint that is looked at when the transaction is committed"
NOT_BEGUN: Final = "event.transaction could not be begun, and the handler went on without it"


class _Problems(AbstractContextManager[None]):  # a generator would cost more than the code it guards
    __slots__ = ("_problem", "_what")

    def __init__(self, problem: Callable[[BaseException, str], LedgerProblem | None], what: str) -> None:
        self._problem = problem
        self._what = what

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        problem = None if error is None else self._problem(error, self._what)
        if problem is not None:
            raise problem from None


class SqlDatabase(ABC):
    """A ledger's database: its connections, its statements and its clock."""

    id: object = None  # the ledger's, once it was read
    _DRIVER: ClassVar[tuple[Callable[[object], bool], str]]
    """Test for a connection of the driver, and what that is called."""

    def __init__(self) -> None:
        self._owed: set[tuple[str, ...]] = set()

    def problems(self, what: str = "written") -> AbstractContextManager[None]:
        """Turn the errors of the database into `LedgerProblem`; `what` says what could not be done to it."""
        return _Problems(self._problem, what)

    @abstractmethod
    def _problem(self, error: BaseException, what: str) -> LedgerProblem | None:
        """Return what an error of the database is, without values and passwords; None for any other error."""

    @abstractmethod
    def _statements(self, *, make: bool = False) -> Statements:
        """Return the statements over existing tables; with `make`, make the tables first."""

    @abstractmethod
    def _reading(self) -> AbstractContextManager[Transaction]:
        """Open a connection to read from."""

    @abstractmethod
    def begin(self) -> Any:
        """Begin a transaction of the ledger's own, which is durable, and return its session."""

    @abstractmethod
    def end(self, db: Any, *, ended: bool, error: BaseException | None = None) -> None:
        """Give the session of `begin` back whose transaction has `ended`; otherwise roll it back. `error` may be why."""

    def runs(self, db: Any) -> Transaction:
        """Return what runs the ledger's own statements in a session of `begin`."""
        return cast(Transaction, db)

    @contextmanager
    def _writing(self) -> Iterator[Transaction]:
        """Open a transaction of the ledger's own, and commit it durably at the end."""
        with self.problems():
            db = self.begin()
            try:
                yield self.runs(db)
                db.commit()
            except BaseException as error:
                self.end(db, ended=False, error=error)
                raise
            self.end(db, ended=True)

    @abstractmethod
    def _cursor(self, db: Any) -> Transaction:
        """Return a cursor of the driver's connection, whose rows are tuples."""

    @contextmanager
    def _borrowed(self, transaction: object) -> Iterator[Transaction]:
        """Open a merchant's own connection, in whatever transaction it is. Raises `InvalidArgument` if there is none.

        Knows the connections of the drivers, their cursors, `django.db.connection`, and connections and sessions of SQLAlchemy.
        """
        (fits, name), found = self._DRIVER, transaction
        with self.problems("written through your connection"):
            for _ in range(_DEEPEST):
                if fits(found):
                    break
                inner: object = next(
                    (value for one in _INSIDE if (value := getattr(found, one, None)) is not None), None
                )
                found = inner if fits(inner) or not callable(inner) else inner()
            else:
                raise InvalidArgument(
                    f"The transaction is a {type(transaction).__name__}, in which no {name} was found. Nothing was written: give the connection "
                    "in whose transaction you write the order, such as event.transaction, django.db.connection or a session of SQLAlchemy."
                )
            yield self._cursor(found)

    @abstractmethod
    def _now(self, db: Transaction) -> int:
        """Return the ledger's time in microseconds since 1970."""

    def _locked(self, db: Transaction, subject: str, *, at_once: bool = False) -> int:
        """Wait for other claims of the subject to be judged, or fail if they are not `at_once`; then return the ledger's time."""
        return self._now(db)

    def _collision(self, error: Exception) -> Collision | None:
        """Return what an error of the database says of other claims; None if it says nothing of them."""
        return None

    def _fit(self, text: str, longest: int | None = None) -> str:
        """Return a text as the database stores it: in an index, or in up to `longest` characters."""
        return text.encode(errors="backslashreplace").decode()  # half a character can be asked for, and is never stored

    def _release(self, *ended: str) -> None:
        """Release a claim, durably, given status, why, key and owner. A record that has another owner is not changed.

        What cannot be written now, as without a connection, is written at the next claim: not only its lease ends it.
        """
        self._owed.update([ended] if ended else ())
        sql = self._statements()
        for one in tuple(self._owed):
            with self._writing() as db:
                db.execute(sql.release, one)
            self._owed.discard(one)

    def _follows(self, runs: bool) -> None:  # noqa: B027  # not every database cares
        """Note that a run of a follower takes items, or has ended."""
