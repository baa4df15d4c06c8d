"""A task's time limit, as task queues have it: an ordinary exception that a signal handler raises in whatever line the program is."""

from __future__ import annotations

import gc
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import pytest

needs_signals = pytest.mark.skipif(
    not hasattr(signal, "pthread_kill"), reason="this system sends no signals to threads"
)


class TimeLimit(Exception):
    """What is raised."""


@contextmanager
def time_limit(kind: type[Exception] = TimeLimit, *, once: bool = False) -> Iterator[threading.Event]:
    """Raise `kind` in the main thread at each `strike` within the block; the event says that one has been raised."""
    raised = threading.Event()

    def over(number: int, frame: FrameType | None) -> None:
        if not (once and raised.is_set()):
            raised.set()
            raise kind("the task's time is over")

    before = signal.signal(signal.SIGUSR1, over)
    try:
        yield raised
    finally:
        signal.signal(signal.SIGUSR1, before)


def strike(*_: object, **__: object) -> Any:
    """Let the time be over now, from any thread. In the main one it raises."""
    signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGUSR1)


def strike_until(raised: threading.Event) -> None:
    """Let the time be over, from another thread: a signal that comes just before a call of the system does not end that call."""
    while not raised.is_set():
        strike()
        raised.wait(0.3)


@contextmanager
def struck_when(
    stands: Callable[[FrameType], bool], kind: type[Exception] = TimeLimit, within: float = 600.0
) -> Iterator[threading.Event]:
    """Let the time be over when the innermost frame of the main thread is one for which `stands` holds: it blocks there."""

    def watch() -> None:
        main, until = threading.main_thread().ident or 0, time.monotonic() + within
        while time.monotonic() < until and not ended.is_set() and not raised.is_set():
            # Python 3.11 holds a lock within it that a starting thread waits for with the interpreter's lock: if a
            # callback of the collector runs just then, hypothesis's for example, neither thread ever goes on.
            gc.disable()
            try:
                frame = sys._current_frames().get(main)
            finally:
                gc.enable()
            if frame is not None and stands(frame):
                strike_until(raised)
            time.sleep(0.002)

    ended = threading.Event()
    watcher = threading.Thread(target=watch, daemon=True)
    with time_limit(kind, once=True) as raised:
        watcher.start()
        try:
            yield raised
        finally:
            ended.set()
            watcher.join(600)


def in_function(name: str) -> Callable[[FrameType], bool]:
    """Return whether a frame is of the function with this qualified name."""
    return lambda frame: frame.f_code.co_qualname == name
