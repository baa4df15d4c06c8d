"""A transport that a `Middle` stands in: for the bulk, where sockets are not the point. Nothing waits."""

from __future__ import annotations

from typing import Final

from paywright_runtime.transport.api import Phase, RawAnswer, Reason, SignedRequest, TransportFailure
from tests.outcomes.messages import Reply, Request
from tests.outcomes.middle import Middle

__all__ = ["FaultTransport"]

_FAILURES: Final[dict[str, tuple[Phase, Reason]]] = {
    "refused": (Phase.CONNECTING, "connection_failed"),
    "reset at once": (Phase.WAITING, "connection_lost"),
    "reset after head": (Phase.WAITING, "connection_lost"),
    "reset in body": (Phase.WAITING, "connection_lost"),
    "reset": (Phase.WAITING, "connection_lost"),
    "closed": (Phase.WAITING, "connection_lost"),
    "hang": (Phase.WAITING, "timeout"),
    "reset in answer": (Phase.READING, "connection_lost"),
    "drip": (Phase.READING, "timeout"),
    "cut length": (Phase.READING, "connection_lost"),
    "cut chunk": (Phase.READING, "connection_lost"),
    "garbage": (Phase.READING, "malformed_http"),
}


class FaultTransport:
    """For `Client(transport=...)`: what a harm does to the bytes becomes the failure that HTTP would give."""

    def __init__(self, middle: Middle) -> None:
        self.middle = middle

    def send(self, request: SignedRequest, deadline: float) -> RawAnswer:
        """One exchange; see `exchange.Transport`."""
        asked = Request(request.path, request.headers, request.body)
        harm = self.middle.draw()
        if harm is None:
            return _raw(self.middle.plain(asked))
        reply = self.middle.strike(harm, asked)
        if harm.ending in _FAILURES:
            raise TransportFailure(*_FAILURES[harm.ending])
        assert reply is not None, "what ends as an answer has one"
        if harm.ending == "swapped":
            reply = self.middle.another_key(asked) or reply
        if harm.ending == "cut without length":
            reply = reply._replace(body=reply.body[: len(reply.body) // 2])
        return _raw(reply)

    def close(self) -> None:
        """Nothing is open."""


def _raw(reply: Reply) -> RawAnswer:
    return RawAnswer(reply.status, reply.headers, reply.body)
