"""Questions that the service puts to the merchant, who decides within a deadline [4.18].

A question carries no app id and no time. One key of the service may sign for every merchant, and a signature never
expires: who holds an old question, or one that was put to another merchant, can put it here again, and learns the decision.
So the function that decides must have no effect, and must refuse what it does not know.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextvars import copy_context
from decimal import Decimal
from threading import Event as Signal
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any, Final

from paywright_runtime.handlers import raised

if TYPE_CHECKING:
    from paywright_runtime.facts import Decision

__all__ = ["Desk", "Question", "Undecided", "impossible"]

_AT_ONCE: Final = 32
_LATE: Final = 256
_LONGEST: Final = 200  # characters of a number


class Question:
    """A verified question, the `data` of a generated class; `raw` are the bytes that were signed. `repr` shows neither."""

    __slots__ = ("_data", "raw")

    def __init__(self, data: Any, raw: bytes) -> None:
        self._data = data
        self.raw: bytes = raw

    def refuse(self, reason: str, /) -> object:
        """No, and why."""
        raise NotImplementedError  # generated questions know what a refusal is made of

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"


class Undecided(Exception):
    """There is no decision in time. `why` holds no value of the question, nor of what went wrong; `error` is what did."""

    def __init__(self, why: str, error: Exception | None = None) -> None:
        super().__init__(why)
        self.why = why
        self.error = error


class Desk:
    """Where questions are decided: each in a thread of its own, so that a slow one is answered without being waited for.

    32 decisions are under way at once. One that is late goes on without a place among them, and what it returns is thrown
    away; of those that are late there may be 256, and then nothing is decided until some of them end.
    """

    def __init__(self, deadline: float) -> None:
        self._deadline = deadline
        self._start()

    def _start(self) -> None:
        self._process = os.getpid()
        self._lock = Lock()
        self._under_way = 0
        self._late = 0

    def decide(self, function: Callable[[object], object], question: object) -> object:
        """What the function returns. Raises `Undecided` where it fails, is late, or too many are under way or late."""
        if self._process != os.getpid():  # a child has none of its parent's threads, nor of their locks
            self._start()
        with self._lock:
            if self._late >= _LATE:
                raise Undecided(f"no decision was begun: {self._hanging()}")
            if self._under_way >= _AT_ONCE:
                raise Undecided(f"{_AT_ONCE} decisions are under way already")
            self._under_way += 1
        decision = _Decision(self, function, question)
        try:
            Thread(target=decision.work, daemon=True, name="paywright-question").start()
        except RuntimeError:  # no more threads
            with self._lock:
                self._under_way -= 1
            raise Undecided("no thread could be started") from None
        if not decision.done.wait(self._deadline):
            with self._lock:
                if not decision.done.is_set():
                    decision.late = True
                    self._under_way -= 1
                    self._late += 1
                    raise Undecided(f"no decision within {self._deadline:g} seconds; {self._hanging()}")
        if not decision.found:
            raise Undecided(f"the function failed with {decision.failed or 'an exit'}", decision.error)
        return decision.found[0]

    def _hanging(self) -> str:
        return (
            f"{self._late} of at most {_LATE} decisions that are late are still running. Give whatever the function waits "
            f"for a timeout below bill_deadline; restart the process if they never end"
        )

    def end(self, decision: _Decision) -> None:
        """Free the place of a decision."""
        with self._lock:
            if decision.late:
                self._late -= 1
            else:
                self._under_way -= 1
            decision.done.set()


class _Decision:
    """One decision, in its thread."""

    __slots__ = ("_context", "_desk", "_function", "_question", "done", "error", "failed", "found", "late")

    def __init__(self, desk: Desk, function: Callable[[object], object], question: object) -> None:
        self._desk = desk
        self._function = function
        self._question = question
        self._context = copy_context()
        self.found: list[object] = []
        self.failed = ""
        self.error: Exception | None = None
        self.late = False
        self.done = Signal()

    def work(self) -> None:
        try:
            self.found.append(self._context.run(self._function, self._question))
        except Exception as error:
            self.failed, self.error = raised(error, self._function), error
        finally:
            self._desk.end(self)


def impossible(decides: Decision, asked: Mapping[str, object], answer: Mapping[str, object]) -> str:
    """Why no answer can have these limits, or "" if it can. Both are wire values that have been validated.

    Limits are not negative, and the least is not above the most. A yes allows the amount that was asked about.
    """
    if decides.within is None:
        return ""
    amount, least, most = decides.within
    low, high, wanted = (_number(one) for one in (answer.get(least), answer.get(most), asked.get(amount)))
    if low is None or high is None:
        return ""
    if low < 0 or high < 0:
        return f"its {least if low < 0 else most} is negative"
    if low > high:
        return f"its {least} is above its {most}"
    if answer.get(decides.member) == decides.yes and wanted is not None and not low <= wanted <= high:
        return f"it says {decides.yes} to an {amount} that is not from its {least} to its {most}"
    return ""


def _number(value: object) -> Decimal | None:
    """A number on the wire, or a number as text, as which a question's amount is read too."""
    if type(value) is int or isinstance(value, Decimal):
        return Decimal(value)
    if type(value) is str and len(value) <= _LONGEST:
        try:
            found = Decimal(value)
        except ArithmeticError:
            return None
        return found if found.is_finite() else None
    return None
