"""Protocol of the hooks around one request, such as fault injection and the log."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from paywright_sandbox.engine.context import RequestContext
    from paywright_sandbox.engine.responses import HttpReply

__all__ = ["ExchangeHooks"]


class ExchangeHooks(Protocol):
    """Hooks that the engine calls in this order while it answers one request."""

    def identify(self, operation: str, data: object) -> None:
        """Note the operation and the request's data, before anything is checked."""

    def admit(self, operation: str, merchant: str) -> None:
        """Note that the request of this app id has passed all checks."""

    def transaction(self) -> AbstractContextManager[RequestContext]:
        """Return the transaction in which the request is handled."""
        ...

    def finish(self, reply: HttpReply) -> HttpReply:
        """Return the answer to send in place of `reply`, or `reply`. Called for refused requests too."""
        ...
