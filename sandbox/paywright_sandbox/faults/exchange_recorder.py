"""Apply injected faults to an exchange and record it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final

from paywright_sandbox.engine.context import RequestContext
from paywright_sandbox.engine.state.captures import Capture
from paywright_sandbox.engine.state.refusal import Refusal
from paywright_sandbox.faults.definitions import key_of
from paywright_sandbox.faults.effects import apply_fault
from paywright_sandbox.faults.rules import AppliedFault, rules_of

if TYPE_CHECKING:
    from paywright_sandbox.engine.engine import Engine
    from paywright_sandbox.engine.request_checks import Headers
    from paywright_sandbox.engine.responses import HttpReply

__all__ = ["ExchangeRecorder"]

_LONGEST_KEY: Final = 64


class _Undone(Refusal):
    """End a successful request whose effect is undone."""


class ExchangeRecorder:
    """Hooks of one request: choose and apply a fault, and record the exchange."""

    __slots__ = ("_engine", "_headers", "_path", "_raw", "fault", "key", "merchant", "operation")

    def __init__(self, engine: Engine, path: str, headers: Headers, raw: bytes) -> None:
        self._engine = engine
        self._path = path
        self._headers = headers
        self._raw = raw
        self.operation: str = ""
        self.merchant: str | None = None
        self.key: str | None = None
        self.fault: AppliedFault | None = None

    def identify(self, operation: str, data: object) -> None:
        """Keep the number in a request, valid or not, so that refused requests can be found in the log."""
        key = key_of(operation, data) if isinstance(data, dict) else None
        self.key = key if key is None or len(key) <= _LONGEST_KEY else None

    def admit(self, operation: str, merchant: str) -> None:
        """Choose the fault for a request of this app id that has passed all checks."""
        self.operation = operation
        self.merchant = merchant
        self.fault = rules_of(self._engine).apply(operation, merchant, self.key, self._engine.clock)

    @contextmanager
    def transaction(self) -> Iterator[RequestContext]:
        """Open a transaction, and undo it at its end if a fault applies before the commit."""
        with suppress(_Undone), self._engine.transaction() as context:
            context.undone = self.fault is not None and self.fault.before
            yield context
            if context.undone:
                raise _Undone("undone")

    def finish(self, reply: HttpReply) -> HttpReply:
        """Record the exchange and return the response, changed if a fault applies."""
        engine = self._engine
        if self.fault is not None:
            reply = apply_fault(reply, self.fault, engine.settings.signer, engine.settings.policies, self.operation)
        engine.captures.add(self._capture(reply))
        return reply

    def _capture(self, reply: HttpReply) -> Capture:
        engine = self._engine
        wire = reply.fault.kind if reply.fault is not None else ""
        unanswered = wire in ("reset", "hang")
        return Capture(
            "call",
            engine.wall.now(),
            engine.address + self._path,
            self._headers,
            self._raw,
            operation=self.operation,
            merchant=self.merchant,
            key=self.key,
            fault=self.fault.name if self.fault is not None else None,
            status=None if unanswered else reply.status,
            response_headers=(*reply.headers, ("content-length", str(len(reply.body)))),
            response=reply.body[: len(reply.body) // 2] if wire == "cut" else reply.body,
        )
