"""Handle the connections of this process's ledgers when it forks.

A SQLite connection must not be open across a fork: parent and child would share SQLite's state of its locks, and
commits that were acknowledged could be lost. So connections are closed before a fork, after waiting for those that are
in use.
"""

from __future__ import annotations

import os
from typing import Final, Protocol
from weakref import WeakSet

from paywright_runtime.errors import LedgerProblem

__all__ = ["Forks", "same_process", "watch"]


class Forks(Protocol):
    """An object that must close something before a fork."""

    def before_fork(self) -> None:
        """Close what must not be open across a fork."""
        ...

    def after_fork_in_parent(self) -> None:
        """Continue in the parent process."""
        ...

    def after_fork_in_child(self) -> None:
        """Start afresh in the child process."""
        ...


_INHERITED: Final[list[object]] = []
_WATCHED: Final[WeakSet[Forks]] = WeakSet()


def watch(one: Forks) -> None:
    """Call the methods of `one` around every fork of this process, until `one` is deleted."""
    _WATCHED.add(one)


def same_process(process: int, key: str, claim: object) -> None:
    """Raise `LedgerProblem` if the claim of `key` was granted to another process, of which this one is a fork."""
    if process != os.getpid():
        _INHERITED.append(claim)  # its end, if it were collected, would be the end of the parent's transaction
        raise LedgerProblem(
            f"The handler of {key} has forked, and its copy in the child has come to an end too. It writes nothing and "
            "acknowledges nothing; the handler of the parent does. End such a child with os._exit, or start processes "
            "outside of handlers."
        )


def _before() -> None:
    for one in list(_WATCHED):
        one.before_fork()


def _in_parent() -> None:
    for one in list(_WATCHED):
        one.after_fork_in_parent()


def _in_child() -> None:
    for one in list(_WATCHED):
        one.after_fork_in_child()


if hasattr(os, "register_at_fork"):  # not on Windows, which does not fork
    os.register_at_fork(before=_before, after_in_parent=_in_parent, after_in_child=_in_child)
