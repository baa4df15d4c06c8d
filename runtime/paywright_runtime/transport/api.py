"""The interface of transports, and by the phase of a failed exchange whether anything was sent. A transport of your own needs only this.

A transport sends one signed request to the gateway and returns one answer. It verifies nothing and retries nothing. It
must report the phase of a failed exchange, because only that decides whether money may have moved.
"""

from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import Final, Literal, NamedTuple, Protocol

from paywright_runtime.tracebacks import errors_ignored

Reason = Literal[
    "timeout",
    "connection_failed",
    "connection_lost",
    "proxy_refused",
    "tls_failed",
    "too_large",
    "malformed_http",
    "transport_failed",
]


class Phase(StrEnum):
    """Phase of an exchange."""

    CONNECTING = "connecting"
    """No connection yet: resolving, connecting, proxy, TLS handshake."""
    SENDING = "sending"
    """Connected; headers may have left, not one byte of the body."""
    WAITING = "waiting"
    """At least one byte of the body may have left; no byte of an answer has come."""
    READING = "reading"
    """At least one byte of an answer has come."""


_LEFT: Final = frozenset({Phase.WAITING, Phase.READING, "done"})


def body_may_have_left(phase: str) -> bool:
    """Return whether a byte of the body may have left in an exchange that has reached this phase, or in an attempt that ended in it."""
    return phase in _LEFT


def ignore_phase(phase: Phase) -> None:
    """Do nothing about a phase."""


class SignedRequest(NamedTuple):
    """One POST, ready to be sent: the path under the base URL, the headers in order, and the signed bytes [4, 5].

    `question` is equal in requests that ask the same, whenever they are sent; None if unknown. A `fresh` request needs a
    connection that has carried no other. A transport calls `reach` with each phase before it tries it, from CONNECTING on: after
    an interruption the last one shows whether money may have moved. One that never calls it may have sent anything.
    """

    path: str
    headers: tuple[tuple[str, str], ...]
    body: bytes
    question: int | None = None
    fresh: bool = False
    reach: Callable[[Phase], None] = ignore_phase

    def __repr__(self) -> str:
        names = ", ".join(name for name, _ in self.headers)
        return f"SignedRequest(path={self.path!r}, headers=<{names}>, body=<{len(self.body)} bytes>)"


class ConnectionLease(Protocol):
    """The connection that an answer arrived on, to be kept or closed after verification."""

    def release(self) -> None:
        """Keep the connection for the next request."""
        ...

    def reserve(self) -> None:
        """Keep the connection for requests with the same `question` only, or close it."""
        ...

    def discard(self) -> None:
        """Close the connection."""
        ...


class RawAnswer:
    """One HTTP answer of any status, not verified: `status`, `headers` (pairs in order, none merged), `body`.

    `surplus` is True if its connection has carried these bytes before, as the answer to another question.

    Call `release` for a verified answer that repeats values of its request: its connection may carry the next request.
    Call `reserve` for a verified answer that repeats none: only the same question may follow. `discard`, or deleting the
    answer, closes the connection. Of several calls only the first counts. None of them raises an `Exception`, even if the
    lease does, except one that a signal handler raised.
    """

    __slots__ = ("_lease", "body", "headers", "status", "surplus")

    def __init__(
        self,
        status: int,
        headers: Sequence[tuple[str, str]],
        body: bytes,
        lease: ConnectionLease | None = None,
        *,
        surplus: bool = False,
    ) -> None:
        self.status: int = status
        self.headers: Sequence[tuple[str, str]] = headers
        self.body: bytes = body
        self.surplus: bool = surplus
        self._lease = lease

    def get_all(self, name: str) -> list[str]:
        """Return every value of this header, in the order received. Names are compared without case."""
        wanted = name.lower()
        return [value for key, value in self.headers if key.lower() == wanted]

    def release(self) -> None:
        """Keep the connection for the next request."""
        self._end("release")

    def reserve(self) -> None:
        """Keep the connection for the same question only."""
        self._end("reserve")

    def discard(self) -> None:
        """Close the connection."""
        self._end("discard")

    def _end(self, how: Literal["release", "reserve", "discard"]) -> None:
        lease, self._lease = self._lease, None
        if lease is not None:
            with errors_ignored():  # a connection does not affect the outcome
                getattr(lease, how)()

    def __repr__(self) -> str:
        return f"<RawAnswer {self.status}, {len(self.headers)} headers, {len(self.body)} bytes>"


class TransportFailure(Exception):
    """No complete answer was received.

    `body_started` False proves that no byte of the body was sent, so that repeating is safe. True proves nothing: the
    request may or may not have been processed. `status` is that of an incomplete or unread answer.
    `detail` names the cause, without anything of the request or the answer.
    """

    shows_no_message = True
    """It holds nothing of a request or an answer, and so may stay the cause of a `PaywrightError`."""

    def __init__(self, phase: Phase, reason: Reason, detail: str = "", status: int | None = None) -> None:
        super().__init__(phase, reason, detail, status)
        self.phase = phase
        self.reason: Reason = reason
        self.detail = detail
        self.status = status

    @property
    def body_started(self) -> bool:
        """Return whether a byte of the request's body may have been sent."""
        return body_may_have_left(self.phase)

    def __str__(self) -> str:
        sent = "the request may have been processed" if self.body_started else "nothing of the request's body was sent"
        return f"{self.reason} while {self.phase}{f' ({self.detail})' if self.detail else ''}: {sent}"


class Unusable(Exception):
    """Raised for an answer that proves nothing about this request.

    `reason` is a word of `attempts.REASONS`, `code` a verified code.
    """

    def __init__(self, reason: str, code: str | None = None) -> None:
        super().__init__(reason, code)
        self.reason = reason
        self.code = code


class Transport(Protocol):
    """An object that sends requests. Threads may share it."""

    def send(self, request: SignedRequest, deadline: float) -> RawAnswer:
        """Send a request and return its answer by `deadline` on `time.monotonic()`.

        Raises TransportFailure if no complete answer was received, and lets pass whatever interrupts it, after it has closed
        the connection. An OSError or MemoryError counts as a failure that does not say how far the request came. Any other
        exception ends the call as an interruption does: it is tried no more, and the exception passes.
        """
        ...

    def close(self) -> None:
        """Close all connections; sending afterwards is an error."""
        ...


class AsyncTransport(Protocol):
    """An object that sends requests for awaited clients. Tasks of one event loop may share it."""

    async def send(self, request: SignedRequest, deadline: float) -> RawAnswer:
        """Send a request and return its answer by `deadline` on `time.monotonic()`. Raises as `Transport.send`."""
        ...

    async def aclose(self) -> None:
        """Close all connections; sending afterwards is an error."""
        ...
