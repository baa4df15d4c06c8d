"""Keep a handler from ending its transaction on a PostgreSQL connection, and from using it afterwards.

A handler gets a connection object of its own over the session in which its transaction began. Statements of its cursors are
checked before they are sent. If the transaction ends all the same, the session is closed at once, so that no later statement
runs outside of the transaction. As a last resort, the server refuses to commit until the ledger has removed its mark from the
record (`postgres_dialect`). Once the handler has returned, its object no longer has a session.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from copy import copy
from functools import cache
from typing import Any, Final, cast
from weakref import WeakKeyDictionary

import psycopg
from psycopg import sql
from psycopg.pq import PGconn, TransactionStatus, abc

from paywright_receiver.ledgers.sql.failure_reasons import ENDED, OVER, TRIED
from paywright_receiver.ledgers.sql.sql_text import controls_transaction, suspect

__all__ = ["TransactionGuard", "no_session"]

_IDLE: Final = int(TransactionStatus.IDLE)
_GUARDS: Final[WeakKeyDictionary[psycopg.Connection[Any], TransactionGuard]] = WeakKeyDictionary()


class TransactionGuard:
    """Guards the current transaction of a session until `end`. `connection` is the handler's object."""

    def __init__(self, session: psycopg.Connection[Any]) -> None:
        db = copy(session)
        self.connection: psycopg.Connection[Any] = db
        self.tried: bool = False
        """True if the handler tried to end the transaction."""
        self.ended: bool = False
        """True if it ended, so that the connection was closed."""
        self._db = db
        self._process = os.getpid()
        self._wait: Callable[..., object] = db.wait
        self._is_over = False
        db.cursor_factory = _guarded(db.cursor_factory)
        db.server_cursor_factory = _guarded(db.server_cursor_factory)
        setattr(db, "wait", self._waited)  # noqa: B010  # everything that is sent is waited for here
        _GUARDS[db] = self

    def end(self) -> None:
        """Take the session from the handler's object, for the ledger to end the transaction. It may be called again."""
        self._is_over = True
        self._db.pgconn = no_session()

    def look(self, query: object) -> None:
        """Raise `psycopg.ProgrammingError`, before anything is sent, if a statement would end the transaction."""
        text = self._text(query)
        if suspect(text) and controls_transaction(text, backslashes=self._backslashes()):
            self.tried = True
            raise psycopg.ProgrammingError(f"Nothing was sent: {TRIED}. Savepoints are allowed.")

    def _backslashes(self) -> bool:
        return self._db.info.parameter_status("standard_conforming_strings") == "off"

    def _text(self, query: object) -> str:
        if isinstance(query, bytes):
            return query.decode(self._db.info.encoding, "replace")
        return query if isinstance(query, str) else sql.as_string(query, self._db)

    def _waited(self, *values: object, **named: object) -> object:
        if self._process != os.getpid():
            raise psycopg.InterfaceError(
                "Nothing was sent: this connection belongs to the process that forked this one. Start processes outside of "
                "handlers."
            )
        if self._is_over:
            raise psycopg.InterfaceError(f"Nothing was sent: {OVER}.")
        self._check()
        try:
            return self._wait(*values, **named)
        finally:
            self._check()

    def _check(self) -> None:
        db = self._db
        if db.pgconn.transaction_status == _IDLE:  # it is UNKNOWN for a closed one
            self.ended = True
            db.pgconn.finish()  # not close(), with which a pool would get it back
            raise psycopg.ProgrammingError(f"The connection was closed: {ENDED}.")


@cache
def no_session() -> abc.PGconn:
    """Return a session that is closed."""
    made: abc.PGconn = PGconn.connect_start(b"host=/nowhere")
    made.finish()
    return made


class _Guarded:
    """Cursors of PostgreSQL that check their statements before sending them."""

    __slots__ = ()

    def execute(self, query: object, *values: object, **named: object) -> object:
        return self._looked("execute", query)(query, *values, **named)

    def executemany(self, query: object, *values: object, **named: object) -> object:
        return self._looked("executemany", query)(query, *values, **named)

    def stream(self, query: object, *values: object, **named: object) -> object:
        return self._looked("stream", query)(query, *values, **named)

    def copy(self, statement: object, *values: object, **named: object) -> object:
        return self._looked("copy", statement)(statement, *values, **named)

    def _looked(self, name: str, query: object) -> Callable[..., object]:
        guard = _GUARDS.get(cast("psycopg.Cursor[Any]", self).connection)
        if guard is not None:
            guard.look(query)
        return cast("Callable[..., object]", getattr(super(), name))


_KINDS: Final[dict[type, Any]] = {}


def _guarded(factory: Callable[..., Any]) -> Any:
    """Return a factory of the same cursors that check their statements with the connection's guard."""
    if isinstance(factory, type):
        made = _KINDS.get(factory)
        if made is None:
            made = _KINDS[factory] = type(f"Guarded{factory.__name__}", (_Guarded, factory), {"__slots__": ()})
        return made

    def cursor(*values: object, **named: object) -> object:
        plain = factory(*values, **named)
        plain.__class__ = _guarded(type(plain))
        return plain

    return cursor
