"""Keep a handler from ending its transaction on a PostgreSQL connection, and from using it afterwards.

The server refuses COMMIT until the ledger has removed its mark from the record (`postgres`). When the transaction has ended
all the same, as by ROLLBACK, the session is closed before another statement. So cursors send one statement at a time, and pipelines
are refused.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, Final, NoReturn, cast

import psycopg
from psycopg.pq import PGconn, PipelineStatus, TransactionStatus, abc

from paywright_receiver.ledgers.sql.sql_database import ENDED, FORKED, OVER, TRIED

_IDLE: Final = int(TransactionStatus.IDLE)
_GUARDS: Final[dict[psycopg.Connection[Any], TransactionGuard]] = {}


class TransactionGuard:
    """Guards the current transaction of a session until `end`. `connection` is the handler's object, another one than the ledger's.

    `marked` asks the server whether the mark of the transaction is still there.
    """

    def __init__(self, db: psycopg.Connection[Any], marked: Callable[[], bool]) -> None:
        self.connection: psycopg.Connection[Any] = db
        self.tried: bool = False
        """True if the handler tried to end the transaction."""
        self.idle: bool = False
        self.prepared: bool = True
        """False if the handler may have deallocated what the ledger has prepared."""
        self._db = db
        self._marked = marked
        self._process = os.getpid()
        self._wait: Callable[..., object] = db.wait
        self._is_over = False
        db.cursor_factory = _guarded(db.cursor_factory)
        db.server_cursor_factory = _guarded(db.server_cursor_factory)
        for name, method in (("wait", self._waited), ("commit", self._refused), ("rollback", self._refused)):
            setattr(db, name, method)  # everything that is sent is waited for in the first
        _GUARDS[db] = self

    def end(self) -> None:
        """Take the session from the handler's object, for the ledger to end the transaction. It may be called again."""
        self._is_over = True
        self._db.pgconn = no_session()
        _GUARDS.pop(self._db, None)  # it has its key

    def verify(self) -> None:
        """Close the session if its transaction is another one by now, as after ROLLBACK AND CHAIN; no statement may be prepared."""
        self.prepared = False
        if self._db.pgconn.transaction_status == TransactionStatus.INTRANS and not self._marked():
            self._close()

    def _refused(self) -> NoReturn:
        self.tried = True
        raise psycopg.ProgrammingError(f"Nothing was sent: {TRIED}. Savepoints are allowed.")

    def _waited(self, *values: object, **named: object) -> object:
        if self._process != os.getpid():
            raise psycopg.InterfaceError(f"Nothing was sent: {FORKED}.")
        if self._is_over:
            raise psycopg.InterfaceError(f"Nothing was sent: {OVER}.")
        self._check()
        try:
            return self._wait(*values, **named)
        finally:
            self._check()

    def _check(self) -> None:
        if self._db.pgconn.transaction_status == _IDLE:  # it is UNKNOWN for a closed one
            self._close()

    def _close(self) -> NoReturn:
        self._db.pgconn.finish()  # not close(), with which a pool would get it back
        raise psycopg.ProgrammingError(f"The connection was closed: {ENDED}.")


@cache
def no_session() -> abc.PGconn:
    """Return a session that is closed."""
    made: abc.PGconn = PGconn.connect_start(b"host=/nowhere")
    made.finish()
    return made


class _Guarded:
    """Cursors of PostgreSQL that send one statement at a time, and notice when one has ended the transaction."""

    __slots__ = ()

    def execute(self, *values: object, **named: object) -> object:
        return self._verified(super().execute, values, named)  # type: ignore[misc]  # of the cursor that is mixed in

    def executemany(self, *values: object, **named: object) -> object:
        return self._verified(super().executemany, values, named)  # type: ignore[misc]

    def stream(self, *values: object, **named: object) -> Iterator[object]:
        try:
            yield from self._verified(super().stream, values, named)  # type: ignore[misc]
        finally:
            self._verify()

    @contextmanager
    def copy(self, *values: object, **named: object) -> Iterator[object]:
        try:
            with self._verified(super().copy, values, named) as copying:  # type: ignore[misc]
                yield copying
        finally:
            self._verify()

    def _verified(self, method: Callable[..., Any], values: tuple[object, ...], named: dict[str, object]) -> Any:
        cursor = cast("psycopg.Cursor[Any]", self)
        if cursor.connection.info.pipeline_status != PipelineStatus.OFF:
            raise psycopg.NotSupportedError("Nothing was sent: event.transaction runs one statement at a time.")
        try:
            result = method(*values, **named)
        except BaseException as error:
            self._verify(idle=isinstance(error, psycopg.errors.IdleInTransactionSessionTimeout))
            raise
        if cursor.statusmessage in ("ROLLBACK", "DEALLOCATE", "DEALLOCATE ALL"):  # ROLLBACK: to a savepoint, or of all
            self._verify()
        return result

    def _verify(self, *, idle: bool = False) -> None:
        guard = _GUARDS.get(cast("psycopg.Cursor[Any]", self).connection)
        if guard is not None:
            guard.idle = guard.idle or idle
            guard.verify()


_KINDS: Final[dict[type, Any]] = {}


def _guarded(factory: Callable[..., Any]) -> Any:
    """Return a factory of the same cursors, guarded."""
    if isinstance(factory, type):
        made = _KINDS.get(factory)
        if made is None:
            send = getattr(factory, "_execute_send")  # noqa: B009  # private

            def alone(self: object, query: object, **named: object) -> object:
                # By the protocol in which the server takes no more than one statement.
                return send(self, query, **{**named, "force_extended": True})

            inner = {"__slots__": (), "_execute_send": alone}
            made = _KINDS[factory] = type(f"Guarded{factory.__name__}", (_Guarded, factory), inner)
        return made

    def cursor(*values: object, **named: object) -> object:
        plain = factory(*values, **named)
        plain.__class__ = _guarded(type(plain))
        return plain

    return cursor
