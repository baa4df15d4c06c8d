"""Processes of a shop that can be killed between any two steps: an SQL statement, a request that leaves, an answer that comes.

A process that was killed takes no further step: whatever it still tries raises `Killed` again, as if it were not there.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Semaphore, Thread
from typing import Any

from shop import PaymentTable

from paywright import Client
from paywright_runtime.transport.api import RawAnswer, SignedRequest
from tests.outcomes.model_gateway import HostClock, Network, client_of

__all__ = ["Killed", "Process", "SideBySide", "killable"]


class Killed(BaseException):
    """The process has ended."""


class _Connection(sqlite3.Connection):
    step: Callable[[], None] = staticmethod(lambda: None)

    def execute(self, *arguments: Any) -> sqlite3.Cursor:
        self.step()
        return super().execute(*arguments)


def killable(database: Path, left: int | None) -> sqlite3.Connection:
    """A connection in autocommit whose process is killed after `left` statements, if any."""
    db = sqlite3.connect(database, isolation_level=None, factory=_Connection, timeout=60)
    db.execute("PRAGMA synchronous = OFF")

    def step() -> None:
        nonlocal left
        if left is not None:
            if left <= 0:
                raise Killed
            left -= 1

    db.step = step
    return db


class Process:
    """One process: a client, a connection to the shop's database, and how many steps it lives. `before` runs before each step."""

    def __init__(
        self,
        database: Path,
        network: Network,
        clock: HostClock,
        *,
        steps: int | None = None,
        before: Callable[[], None] | None = None,
    ) -> None:
        self.taken = 0
        self._left = steps
        self._before = before
        self._network = network
        self._db = sqlite3.connect(
            database, isolation_level=None, factory=_Connection, timeout=0, check_same_thread=False
        )
        self._db.execute("PRAGMA synchronous = OFF")
        self.table = PaymentTable(self._db, clock)
        self.client: Client = client_of(self._send, clock)
        self._db.step = self._step  # type: ignore[attr-defined]  # from here on it counts

    def _step(self) -> None:
        if self._before is not None:
            self._before()
        if self._left is not None:
            if self._left <= 0:
                raise Killed
            self._left -= 1
        self.taken += 1

    def _send(self, request: SignedRequest) -> RawAnswer:
        self._step()
        try:
            return self._network.carry(request)
        finally:
            self._step()

    @property
    def both(self) -> tuple[Client, PaymentTable]:
        """What the samples' functions take first."""
        return self.client, self.table

    def live_for(self, steps: int | None) -> None:
        """Let it be killed after so many more steps; None: not at all."""
        self._left = steps

    def close(self) -> None:
        self._db.step = lambda: None  # type: ignore[attr-defined]
        self._db.close()


class SideBySide:
    """Runs functions of several processes in threads, one step at a time, in the order that a plan says.

    Each function gets its process from `process_of`, which makes it with this object's `before`. A plan is a list of turns: which
    function goes on, and for how many steps; a function that is over gives its turn away. What the plan leaves undone is done in
    the end, one function after the other.
    """

    def __init__(self, functions: Sequence[Callable[[Callable[[], None]], object]]) -> None:
        self._go = [Semaphore(0) for _ in functions]
        self._back = Semaphore(0)
        self._over = [False for _ in functions]
        self.raised: list[BaseException] = []
        self._threads = [
            Thread(target=self._run, args=(number, function), daemon=True) for number, function in enumerate(functions)
        ]

    def _run(self, number: int, function: Callable[[Callable[[], None]], object]) -> None:
        self._go[number].acquire()

        def wait() -> None:
            self._back.release()
            self._go[number].acquire()

        try:
            function(wait)
        except BaseException as error:
            self.raised.append(error)
        self._over[number] = True
        self._back.release()

    def play(self, plan: Sequence[tuple[int, int] | Callable[[], None]]) -> None:
        """Play a plan; an entry that is a function is called between two turns. Raises what the functions raised."""
        for thread in self._threads:
            thread.start()
        for turn in plan:
            if callable(turn):
                turn()
            else:
                self._turn(*turn)
        for number in range(len(self._threads)):
            self._turn(number, 10_000)
        for thread in self._threads:
            thread.join()
        if self.raised:
            raise self.raised[0]

    def _turn(self, number: int, steps: int) -> None:
        for _ in range(steps):
            if self._over[number]:
                return
            self._go[number].release()
            self._back.acquire()
