"""Apply injected faults to an exchange and record it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, TypeVar

from paywright_sandbox.engine.context import RequestContext
from paywright_sandbox.engine.state.captures import Capture
from paywright_sandbox.engine.state.refusal import Refused
from paywright_sandbox.faults.definitions import key_of
from paywright_sandbox.faults.effects import spoiled
from paywright_sandbox.faults.rules import AppliedFault, rules_of

if TYPE_CHECKING:
    from paywright_sandbox.engine.engine import Engine
    from paywright_sandbox.engine.request_checks import Headers
    from paywright_sandbox.engine.responses import Reply

__all__ = ["ExchangeRecorder"]

R = TypeVar("R")

_LONGEST_KEY: Final = 64


class _Undone(Refused):
    """End a request whose work is not to be kept, although it succeeded."""


class ExchangeRecorder:
    """One request to the gateway, from its bytes to those of its answer."""

    __slots__ = ("_engine", "_headers", "_path", "_raw", "key", "merchant", "operation", "strike")

    def __init__(self, engine: Engine, path: str, headers: Headers, raw: bytes) -> None:
        self._engine = engine
        self._path = path
        self._headers = headers
        self._raw = raw
        self.operation = ""
        self.merchant: str | None = None
        self.key: str | None = None
        self.strike: AppliedFault | None = None

    def names(self, operation: str, data: object) -> None:
        """Keep the number that a request names, right or not, so that a refused one can be found by it in the log."""
        key = key_of(operation, data) if isinstance(data, dict) else None
        self.key = key if key is None or len(key) <= _LONGEST_KEY else None

    def meets(self, operation: str, merchant: str) -> None:
        """Note that the request of this app id has passed all checks: a fault may apply to it now."""
        self.operation = operation
        self.merchant = merchant
        self.strike = rules_of(self._engine).strike(operation, merchant, self.key, self._engine.clock)

    def play(self, what: Callable[[RequestContext], R]) -> R:
        """Run `Engine.act`; where a fault applies before the commit, what was done is undone."""
        if self.strike is None or not self.strike.before:
            return self._engine.act(what)
        made: list[R] = []

        def undone(context: RequestContext) -> R:
            context.undone = True
            made.append(what(context))
            raise _Undone("undone")

        try:
            return self._engine.act(undone)
        except _Undone:
            return made[-1]

    def over(self, reply: Reply) -> Reply:
        """Return the response as it leaves: changed if a fault applies. It is kept in the log."""
        engine = self._engine
        if self.strike is not None:
            reply = spoiled(reply, self.strike, engine.settings.signer, engine.settings.policies, self.operation)
        engine.captures.add(self._capture(reply))
        return reply

    def _capture(self, reply: Reply) -> Capture:
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
            fault=self.strike.name if self.strike is not None else None,
            status=None if unanswered else reply.status,
            response_headers=reply.headers,
            response=reply.body[: len(reply.body) // 2] if wire == "cut" else reply.body,
        )
