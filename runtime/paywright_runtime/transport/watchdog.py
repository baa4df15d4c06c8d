"""One thread a process that ends exchanges at their deadline, whatever the peer does.

A timeout on a socket is per read: a peer that drips a byte a second, or says `100 Continue` for ever, never meets it. So
sockets block, and at the deadline this thread shuts the socket down, which wakes whoever waits on it. Watching costs a
lock and a dictionary entry; the thread is only woken for a deadline earlier than all it knew.
"""

import os
import socket
import threading
import time
from contextlib import suppress

_NEVER = float("inf")


class Watchdog:
    """The table of watched sockets and the thread that keeps it. The sockets are duplicates which only their owner closes."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Starts from nothing; for a forked child, in which the thread is gone and the lock may be held by nobody."""
        self._lock = threading.Lock()
        self._bell = threading.Condition(self._lock)
        self._deadlines: dict[socket.socket, float] = {}
        self._wakes_at = -_NEVER
        self._thread: threading.Thread | None = None

    def watch(self, guard: socket.socket, deadline: float) -> None:
        """Shuts `guard` down at `deadline`, unless released before."""
        with self._lock:
            if self._thread is None:
                self._start()
            self._deadlines[guard] = deadline
            if deadline < self._wakes_at:
                self._bell.notify()

    def release(self, guard: socket.socket) -> bool:
        """Ends the watch; False when the deadline had struck, and the connection is dead.

        The shutdown happens under the lock: after this call it can no longer strike whatever comes next.
        """
        with self._lock:
            return self._deadlines.pop(guard, None) is not None

    def _start(self) -> None:
        thread = threading.Thread(target=self._run, name="paywright-watchdog", daemon=True)
        thread.start()
        self._thread = thread

    def _run(self) -> None:
        with self._lock:
            try:
                while True:
                    now = time.monotonic()
                    self._strike(now)
                    self._wakes_at = min(self._deadlines.values(), default=_NEVER)
                    pause = min(self._wakes_at - now, threading.TIMEOUT_MAX)
                    self._bell.wait(None if self._wakes_at == _NEVER else pause)
            finally:  # should memory ever run out here, the next exchange starts a new thread
                self._wakes_at, self._thread = -_NEVER, None

    def _strike(self, now: float) -> None:
        for guard in [guard for guard, deadline in self._deadlines.items() if deadline <= now]:
            del self._deadlines[guard]
            with suppress(OSError):  # the peer was faster
                guard.shutdown(socket.SHUT_RDWR)


watchdog = Watchdog()

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=watchdog.reset)
