"""The part that ledgers on database servers share: arguments, tables that are made when they are needed, texts that fit into an index."""

from __future__ import annotations

from abc import abstractmethod
from contextlib import AbstractContextManager
from typing import Any, ClassVar, cast

from paywright_receiver.items.ledger import ClaimRequest, Transaction
from paywright_receiver.ledgers.sql.dialect import Dialect, fit
from paywright_receiver.ledgers.sql.pool import OwnPool
from paywright_receiver.ledgers.sql.sql_ledger import Ledger
from paywright_receiver.ledgers.sql.statements import Statements
from paywright_runtime.argument_types import is_number, is_whole
from paywright_runtime.errors import InvalidArgument, LedgerProblem


class ServerLedger(Ledger):
    """A ledger in the database of a server, by whose clock it goes."""

    _DIALECT: ClassVar[Dialect]
    _pool: Any

    def __init__(self, timeout: float, most: int) -> None:
        if not is_number(timeout) or not timeout > 0 or not is_whole(most) or most < 1:
            raise InvalidArgument("timeout is in seconds and above 0, most is 1 or more.")
        self._timeout = timeout
        self._sql: Statements | None = None
        super().__init__()

    def prepare(self) -> None:
        """Connect, and make the tables if they do not exist. Otherwise the first delivery does.

        If this user may not create tables, have another user run this, or the statements of `tables`.
        """
        self._statements(make=True)

    def close(self) -> None:
        """Close idle connections. The ledger opens new ones when it is used again. A pool of yours is not closed."""
        if isinstance(self._pool, OwnPool):
            self._pool.close()

    def _statements(self, *, make: bool = False) -> Statements:
        if self._sql is None:
            with self._writing() as db:
                sql = self._checked(db, make)
            self._begin_with(sql)
            self._sql = sql
        return self._sql

    @abstractmethod
    def _checked(self, db: Transaction, make: bool) -> Statements:
        """Return the statements over the tables, which are made with `make`. Raises `LedgerProblem` if the database will not do."""

    def _begin_with(self, sql: Statements) -> None:
        """Note for the connections that the tables are there. Not every server cares."""

    @staticmethod
    @abstractmethod
    def _words(error: BaseException) -> str:
        """Return what to say of an error of the driver, without its message; "" for any other error."""

    def _problem(self, error: BaseException, what: str) -> LedgerProblem | None:
        words = self._words(error)
        return LedgerProblem(f"The ledger's database could not be used: {words}.") if words else None

    def _reading(self) -> AbstractContextManager[Transaction]:
        return self._writing()

    def _now(self, db: Transaction) -> int:
        return cast("tuple[int]", db.execute(f"SELECT {self._DIALECT.clock}", ()).fetchone())[0]

    def _fitting(self, request: ClaimRequest) -> ClaimRequest:
        for one in ("key", "subject", "kind", "state", "written"):
            text = getattr(request, one)
            if text is not None:
                setattr(request, one, fit(text, self._DIALECT.longest))
        return request

    def _fit(self, text: str, longest: int | None = None) -> str:
        return fit(super()._fit(text), longest or self._DIALECT.longest)
