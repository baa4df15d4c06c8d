"""Connections, threads and locks that a forked child must not use: it makes its own, whether or not the fork was announced.

Python runs its fork hooks for forks of its own. A fork in C, such as uWSGI's, runs none, so objects compare the process too
before they use what belongs to one.
"""

from __future__ import annotations

import atexit
import os
from abc import ABC, abstractmethod
from collections.abc import Callable
from threading import RLock
from typing import Final
from weakref import WeakValueDictionary

_ALL: Final[WeakValueDictionary[int, ForkSafe]] = WeakValueDictionary()
# By process: a lock that was inherited may be held by a thread that does not exist here.
_LOCKS: Final[dict[int, RLock]] = {}


class ForkSafe(ABC):
    """Base of objects that hold connections, threads or locks of one process."""

    _process = 0

    def _made_here(self) -> None:
        """Record that this process made what the object holds. The constructor calls it."""
        self._process = os.getpid()
        _ALL[id(self)] = self

    def _check_process(self) -> None:
        """Begin anew in a forked child, once. Called before anything is used that belongs to a process."""
        if self._process != (process := os.getpid()):
            with _LOCKS.setdefault(process, RLock()):
                if self._process != process:  # else another thread was faster
                    self._after_fork()
                    self._process = process

    @abstractmethod
    def _after_fork(self) -> None:
        """Replace what belongs to the parent, in a forked child. Others wait meanwhile."""

    def _before_fork(self) -> None:  # noqa: B027  # most need nothing before
        """Close what must not be open across a fork, if the fork is announced."""

    def _after_fork_in_parent(self) -> None:  # noqa: B027  # as above
        """Continue in the parent, if the fork was announced."""


def _each(step: Callable[[ForkSafe], None]) -> None:
    for ref in _ALL.valuerefs():
        if (one := ref()) is not None:
            step(one)


if hasattr(os, "register_at_fork"):  # not on Windows, which does not fork
    os.register_at_fork(
        before=lambda: _each(lambda one: one._before_fork()),
        after_in_parent=lambda: _each(lambda one: one._after_fork_in_parent()),
        after_in_child=lambda: _each(ForkSafe._check_process),
    )
    # A child that used nothing must not end what it inherited either.
    atexit.register(_each, ForkSafe._check_process)
