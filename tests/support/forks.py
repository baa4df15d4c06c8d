"""Forked children of a test, announced to the objects of the product or not, as uWSGI's forks in C are not."""

from __future__ import annotations

import gc
import os
import signal
import traceback
from collections.abc import Callable

import pytest

from paywright_runtime import forking

Fork = Callable[[], int]

_LONGEST = 300  # seconds, after which a child ends that waits for a lock that nobody holds any more


def unannounced_fork() -> int:
    """Fork without a word to any object of the product.

    A fork in C runs none of the interpreter's own hooks either. Where another thread wants the interpreter's lock at that moment,
    the child never gets it: so only programs without other threads fork so in the tests. One that is left, such as that of a server, may
    collect what earlier tests dropped: that is done before, for a child never gets SQLite's lock either that closing a file takes.
    """
    gc.collect()
    told, forking._each = forking._each, lambda step: None
    try:
        return os.fork()
    finally:
        forking._each = told


def in_child(work: Callable[[], object], fork: Fork = os.fork) -> int:
    """Return the exit code of a forked child that does some work: 0 unless it raised, or a signal ended it."""
    child = fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    try:
        signal.alarm(_LONGEST)
        work()
        os._exit(0)
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(1)


needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
any_fork = pytest.mark.parametrize(
    "fork", [pytest.param(getattr(os, "fork", None), id="announced"), pytest.param(unannounced_fork, id="unannounced")]
)
