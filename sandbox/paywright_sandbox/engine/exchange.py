"""The protocol of whatever accompanies one request through the engine, such as fault injection and the log."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from paywright_sandbox.engine.context import RequestContext
    from paywright_sandbox.engine.responses import Reply

__all__ = ["ExchangeHooks"]

R = TypeVar("R")


class ExchangeHooks(Protocol):
    """Hooks that the engine calls in this order while it answers one request."""

    def names(self, operation: str, data: object) -> None:
        """Take note of the operation and of the request's data, before anything is checked."""

    def meets(self, operation: str, merchant: str) -> None:
        """Take note that the request of this app id has passed all checks."""

    def play(self, what: Callable[[RequestContext], R]) -> R:
        """Run `what` in a transaction, and return its result. Raises `Refused`."""
        ...

    def over(self, reply: Reply) -> Reply:
        """Return the answer to send in place of `reply`, or `reply`. Called for refused requests too."""
        ...
