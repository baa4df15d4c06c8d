"""One thread for each process that ends exchanges at their deadline, whatever the peer does.

A socket's timeout applies to each read: a peer that sends a byte a second, or `100 Continue` for ever, never exceeds
it. So sockets block without one, and at the deadline this thread shuts the socket down, which wakes the waiting thread. Watching
costs a lock and a dictionary entry; the thread is only woken for a deadline earlier than all others.
"""

import errno
import os
import socket
import threading
import time
from contextlib import suppress

from paywright_runtime.forking import ForkSafe
from paywright_runtime.tracebacks import interrupts

_NEVER = float("inf")


class Watchdog(ForkSafe):
    """The watched sockets and the thread that watches them. The sockets are duplicates, closed by their owners only."""

    def __init__(self) -> None:
        self._after_fork()
        self._made_here()

    def _after_fork(self) -> None:
        self._lock = threading.Lock()
        self._changed = threading.Condition(self._lock)
        self._deadlines: dict[socket.socket, float] = {}
        self._wakes_at = -_NEVER
        self._thread: threading.Thread | None = None

    def watch(self, guard: socket.socket, deadline: float) -> None:
        """Shut `guard` down at `deadline`, unless it is released before. Raises OSError if no thread can be started."""
        self._check_process()
        with self._lock:
            if self._thread is None:
                self._start()
            self._deadlines[guard] = deadline
            if deadline < self._wakes_at:
                self._changed.notify()

    def release(self, guard: socket.socket) -> bool:
        """End the watch. Return False if the deadline has passed: then the connection is closed.

        The shutdown happens under the lock, so that after this call it cannot affect a later exchange.
        """
        self._check_process()
        with self._lock:
            return self._deadlines.pop(guard, None) is not None

    def _start(self) -> None:
        thread = threading.Thread(target=self._run, name="paywright-watchdog", daemon=True)
        try:
            thread.start()
        except RuntimeError as error:
            if interrupts(error):
                raise
            raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN)) from None
        self._thread = thread

    def _run(self) -> None:
        with self._lock:
            try:
                while True:
                    now = time.monotonic()
                    self._shut_overdue(now)
                    self._wakes_at = min(self._deadlines.values(), default=_NEVER)
                    pause = min(self._wakes_at - now, threading.TIMEOUT_MAX)
                    self._changed.wait(None if self._wakes_at == _NEVER else pause)
            finally:  # if memory runs out here, the next exchange starts a new thread
                self._wakes_at, self._thread = -_NEVER, None

    def _shut_overdue(self, now: float) -> None:
        for guard in [guard for guard, deadline in self._deadlines.items() if deadline <= now]:
            del self._deadlines[guard]
            with suppress(OSError):  # the peer was faster
                guard.shutdown(socket.SHUT_RDWR)


watchdog: Watchdog = Watchdog()
