"""Refuse the copy of a claim in a process that a handler has forked."""

from __future__ import annotations

import os
from typing import Final

from paywright_runtime.errors import LedgerProblem

__all__ = ["same_process"]

_INHERITED: Final[list[object]] = []


def same_process(process: int, key: str, claim: object) -> None:
    """Raise `LedgerProblem` if the claim of `key` was granted to another process, of which this one is a fork."""
    if process != os.getpid():
        _INHERITED.append(claim)  # its end, if it were collected, would be the end of the parent's transaction
        raise LedgerProblem(
            f"The handler of {key} has forked, and its copy in the child has come to an end too. It writes nothing and "
            "acknowledges nothing; the handler of the parent does. End such a child with os._exit, or start processes "
            "outside of handlers."
        )
