"""A pool of the ledger's own connections to a server."""

from __future__ import annotations

from collections.abc import Callable
from threading import BoundedSemaphore
from typing import Final, Generic, Protocol, TypeVar

from paywright_runtime.errors import LedgerProblem
from paywright_runtime.forking import ForkSafe

# Closing a connection tells the server, so a forked child must not close inherited ones: they are kept here and never used.
_INHERITED: Final[list[object]] = []


def in_transaction() -> LedgerProblem:
    """Build the error for a connection in a transaction."""
    return LedgerProblem(
        "The ledger was given a connection inside of a transaction: what it commits there would not be durable. Commit before you "
        "hand it over, or open it with autocommit=True."
    )


class _Closes(Protocol):
    def close(self) -> object: ...


C = TypeVar("C", bound=_Closes)


class OwnPool(ForkSafe, Generic[C]):
    """A pool of up to `most` connections, opened on demand."""

    def __init__(self, open: Callable[[], C], most: int, is_usable: Callable[[C], bool]) -> None:
        self._open = open
        self._is_usable = is_usable  # whether a connection is open, and in no transaction
        self._most = most
        self._start()
        self._made_here()

    def _start(self) -> None:
        self._idle: list[C] = []
        self._places = BoundedSemaphore(self._most)

    def _after_fork(self) -> None:
        _INHERITED.extend(self._idle)
        self._start()

    def getconn(self, timeout: float | None = None) -> C:
        """Return an idle connection, or open one."""
        self._check_process()
        if not self._places.acquire(timeout=timeout):
            raise LedgerProblem(f"All {self._most} connections of the ledger were in use for {timeout:g} seconds.")
        try:
            while True:
                try:
                    db = self._idle.pop()
                except IndexError:
                    return self._open()
                if self._is_usable(db):
                    return db
                db.close()
        except BaseException:
            self._places.release()
            raise

    def putconn(self, conn: C) -> None:
        """Take a connection back. It is discarded if it is closed or in a transaction."""
        if self._is_usable(conn):
            self._idle.append(conn)
        else:
            conn.close()
        self._places.release()

    def close(self) -> None:
        """Close idle connections."""
        self._check_process()
        while self._idle:
            self._idle.pop().close()
