"""Timers that have fallen due, each run at its own time."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable, Mapping
from traceback import format_tb
from typing import Final, TypeAlias

from paywright_sandbox.engine.context import RequestContext
from paywright_sandbox.engine.state.refusal import Refusal

__all__ = ["TimerHandler", "run_due"]

_log: Final = logging.getLogger("paywright.sandbox")

TimerHandler: TypeAlias = Callable[[RequestContext, int], None]
"""Handle a timer of one row, given by its id."""


def run_due(context: RequestContext, handlers: Mapping[str, TimerHandler]) -> None:
    """Run all timers that have fallen due, in order, each at its own time.

    A timer that fails is undone alone, is not run again, and becomes the event `timer.failed`: one bad row must not stop
    the sandbox. Raises only the errors of a database that cannot be written.
    """
    now = context.now
    while (timer := context.state.take_due(now)) is not None:
        context.now = timer.at
        try:
            with context.state.undone_if_it_raises():
                handlers[timer.kind](context, timer.subject)
        except sqlite3.OperationalError:
            raise  # an error of the disk, not of the timer, which stays due
        except Exception as error:
            # The message of an error may hold values of a request; the traceback does not.
            where = "".join(format_tb(error.__traceback__))
            _log.error("the timer %s failed with %s\n%s", timer.kind, type(error).__name__, where)
            why = error.msg if isinstance(error, Refusal) else ""
            detail = {"timer": timer.kind, "row": timer.subject, "error": type(error).__name__, "why": why}
            context.state.record(timer.at, "timer.failed", timer.kind, detail)
    context.now = now
