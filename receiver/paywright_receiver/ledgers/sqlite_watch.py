"""End a handler's transaction that holds a SQLite file for too long."""

from __future__ import annotations

from collections.abc import Callable
from threading import RLock, Thread
from time import monotonic, sleep
from typing import Final

_LONGEST_SLEEP: Final = 5.0


class Watch:
    """Rolls back a transaction that lasts for more than `seconds`. Its thread ends when there is none to watch.

    One at a time is watched: a process writes to a file in one thread at a time.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._lock = RLock()  # a claim may be collected at any place of a thread that has it
        self._held: tuple[Callable[[], None], float] | None = None
        self._runs = False

    def hold(self, end_late: Callable[[], None]) -> None:
        """Watch a transaction, which has begun, and roll it back by this function."""
        with self._lock:
            self._held = end_late, monotonic() + self._seconds
            if not self._runs:
                Thread(target=self._run, daemon=True, name="paywright-ledger").start()
                self._runs = True

    def let_go(self) -> None:
        """Stop watching. When it returns, the transaction is rolled back or will not be."""
        if self._held is not None:  # only the thread that writes sets it
            with self._lock:
                self._held = None

    def _run(self) -> None:
        while True:
            with self._lock:
                # The connection is in no variable of the thread that sleeps: its claim counts who has it.
                if self._held is None:
                    self._runs = False
                    return
                left = self._held[1] - monotonic()
                if left <= 0:
                    self._held[0]()
                    self._held = None
            sleep(min(max(left, 0), _LONGEST_SLEEP))
