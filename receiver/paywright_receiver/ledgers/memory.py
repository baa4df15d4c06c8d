"""A ledger that lasts as long as its process: for tests and measurements, never for money."""

from __future__ import annotations

import os
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Final
from weakref import finalize

from paywright_receiver.ledgers.sqlite import SqliteLedger
from paywright_runtime.errors import LedgerProblem

if TYPE_CHECKING:
    from paywright_receiver.ledgers.sqlite_connections import SqliteConnections
    from paywright_runtime.clock import Clock

_MEMORY: Final = "/dev/shm"  # a file system in memory, on Linux


class MemoryLedger(SqliteLedger):
    """A `SqliteLedger` for tests, which is deleted with its process: never for money.

    Its file is private, in memory where the system has files there (`/dev/shm`), and in the folder for temporary files
    elsewhere. Threads share it, and forked children too until the process that made it ends. Two of these ledgers share nothing.
    Raises `LedgerProblem` if the file cannot be made.

    Args:
        clock: the clock of leases and ages; the system's by default.
    """

    _durable = False

    def __init__(self, *, clock: Clock | None = None) -> None:
        try:
            folder = mkdtemp(prefix="paywright-ledger-", dir=_MEMORY if os.access(_MEMORY, os.W_OK) else None)
        except OSError as error:
            raise LedgerProblem(
                f"No private folder could be made for a MemoryLedger: {error.strerror}. It needs {_MEMORY} or the folder that "
                "TMPDIR names to be writable."
            ) from None
        try:
            super().__init__(Path(folder) / "ledger.db", clock=clock)
        except BaseException:
            rmtree(folder, ignore_errors=True)
            raise
        finalize(self, _delete, folder, self._connections, os.getpid())

    def __repr__(self) -> str:
        return "MemoryLedger()"


def _delete(folder: str, connections: SqliteConnections, owner: int) -> None:
    """Delete the ledger's folder, unless this process is a fork of the one that made it."""
    if os.getpid() == owner:
        connections.close()  # Windows deletes no file that is open
        rmtree(folder, ignore_errors=True)
