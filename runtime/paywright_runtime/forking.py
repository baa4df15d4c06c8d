"""Connections, threads and locks that a forked child must not use: it makes its own, whether or not the fork was announced.

Python runs its fork hooks for forks of its own. A fork in C, such as uWSGI's, runs none, so objects compare the process too
before they use what belongs to one.
"""

from __future__ import annotations

import atexit
import os
from abc import ABC, abstractmethod
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
        if self._process != os.getpid():
            _begin_anew(self)

    @abstractmethod
    def _after_fork(self) -> None:
        """Replace what belongs to the parent, in a forked child. Others wait meanwhile."""

    def _before_fork(self) -> None:  # noqa: B027  # most need nothing before
        """Close what must not be open across a fork, if the fork is announced."""

    def _after_fork_in_parent(self) -> None:  # noqa: B027  # as above
        """Continue in the parent, if the fork was announced."""


def _begin_anew(one: ForkSafe) -> None:
    process = os.getpid()
    with _LOCKS.setdefault(process, RLock()):
        if one._process != process:  # else another thread was faster
            one._after_fork()
            one._process = process


def _all() -> list[ForkSafe]:
    return [one for ref in _ALL.valuerefs() if (one := ref()) is not None]


def _before() -> None:
    for one in _all():
        one._before_fork()


def _in_parent() -> None:
    for one in _all():
        one._after_fork_in_parent()


def _in_child() -> None:
    for one in _all():
        one._check_process()


if hasattr(os, "register_at_fork"):  # not on Windows, which does not fork
    os.register_at_fork(before=_before, after_in_parent=_in_parent, after_in_child=_in_child)
    atexit.register(_in_child)  # a child that used nothing must not end what it inherited either
