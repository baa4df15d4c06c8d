"""Questions that the service puts to the merchant, who decides within a deadline [4.18].

A question carries no app id and no time. One key of the service may sign for every merchant, and a signature never
expires: who holds an old question, or one that was put to another merchant, can put it here again, and learns the decision.
So the function that decides must have no effect, and must refuse what it does not know.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import copy_context
from threading import BoundedSemaphore, Thread
from threading import Event as Signal
from typing import Any

__all__ = ["Desk", "Question", "Undecided"]

_AT_ONCE = 32


class Question:
    """A verified question, the `data` of a generated class; `raw` are the bytes that were signed. `repr` shows neither."""

    __slots__ = ("_data", "raw")

    def __init__(self, data: Any, raw: bytes) -> None:
        self._data = data
        self.raw = raw

    def refuse(self, reason: str, /) -> object:
        """No, and why."""
        raise NotImplementedError  # generated questions know what a refusal is made of

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"


class Undecided(Exception):
    """There is no decision in time. `why` holds no value of the question, nor of what went wrong."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


class Desk:
    """Where questions are decided: each in a thread of its own, so that a slow one is answered without being waited for."""

    def __init__(self, deadline: float) -> None:
        self._deadline = deadline
        self._places = BoundedSemaphore(_AT_ONCE)

    def decide(self, function: Callable[[object], object], question: object) -> object:
        """What the function returns. Raises `Undecided` where it fails, is late, or too many are under way.

        A late one goes on; what it returns then is thrown away.
        """
        if not self._places.acquire(blocking=False):
            raise Undecided(f"{_AT_ONCE} decisions are under way already")
        found: list[object] = []
        failed: list[str] = []
        done = Signal()
        context = copy_context()

        def work() -> None:
            try:
                found.append(context.run(function, question))
            except Exception as error:
                failed.append(type(error).__name__)
            finally:
                self._places.release()
                done.set()

        try:
            Thread(target=work, daemon=True, name="paywright-question").start()
        except RuntimeError:  # no more threads
            self._places.release()
            raise Undecided("no thread could be started") from None
        if not done.wait(self._deadline):
            raise Undecided(f"no decision within {self._deadline:g} seconds")
        if not found:
            raise Undecided(f"the function failed with {failed[0] if failed else 'an exit'}")
        return found[0]
