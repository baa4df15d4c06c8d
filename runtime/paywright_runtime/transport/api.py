"""What goes into a transport and what comes out of it; a transport of one's own needs nothing but this module.

A transport carries one signed request to the gateway and one answer back. It verifies nothing and repeats nothing. What
it must know is how far a failed exchange got, because that alone decides whether money may have moved.
"""

from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import Literal, NamedTuple, Protocol

Reason = Literal[
    "timeout",
    "connection_failed",
    "connection_lost",
    "tls_failed",
    "too_large",
    "malformed_http",
    "transport_failed",
]


class Phase(StrEnum):
    """How far an exchange got."""

    CONNECTING = "connecting"
    """No connection yet: resolving, connecting, proxy, TLS handshake."""
    SENDING = "sending"
    """Connected; headers may have left, not one byte of the body."""
    WAITING = "waiting"
    """At least one byte of the body may have left; no byte of an answer has come."""
    READING = "reading"
    """At least one byte of an answer has come."""


class SignedRequest(NamedTuple):
    """One POST, ready to leave: the path under the base URL, the headers in order, and the bytes that were signed [4, 5]."""

    path: str
    headers: tuple[tuple[str, str], ...]
    body: bytes

    def __repr__(self) -> str:
        names = ", ".join(name for name, _ in self.headers)
        return f"SignedRequest(path={self.path!r}, headers=<{names}>, body=<{len(self.body)} bytes>)"


class Lease(Protocol):
    """What an answer arrived on, and what becomes of it once the answer was judged."""

    def keep(self) -> None: ...

    def drop(self) -> None: ...


class RawAnswer:
    """One HTTP answer as it came, of any status, judged by nobody: `status`, `headers` (pairs in order, none merged), `body`.

    `keep` says that the answer was verified and repeats what its request asked for, so that its connection may carry the next
    request; `drop` closes it. An answer that is forgotten closes its connection too. The second of two calls does nothing.
    """

    __slots__ = ("_lease", "body", "headers", "status")

    def __init__(
        self, status: int, headers: Sequence[tuple[str, str]], body: bytes, lease: Lease | None = None
    ) -> None:
        self.status: int = status
        self.headers: Sequence[tuple[str, str]] = headers
        self.body: bytes = body
        self._lease = lease

    def get_all(self, name: str) -> list[str]:
        """Every value of the header of this name, in the order received; upper and lower case are the same."""
        wanted = name.lower()
        return [value for key, value in self.headers if key.lower() == wanted]

    def keep(self) -> None:
        lease, self._lease = self._lease, None
        if lease is not None:
            lease.keep()

    def drop(self) -> None:
        lease, self._lease = self._lease, None
        if lease is not None:
            lease.drop()

    def __repr__(self) -> str:
        return f"<RawAnswer {self.status}, {len(self.headers)} headers, {len(self.body)} bytes>"


class TransportFailure(Exception):
    """No complete answer came back.

    `body_started` False proves that not one byte of the body left, so that repeating is safe; True proves nothing: the
    request may or may not have been processed. `status` is that of an answer which broke off or was refused unread.
    `detail` names the cause in words that hold nothing of the request or the answer.
    """

    def __init__(self, phase: Phase, reason: Reason, detail: str = "", status: int | None = None) -> None:
        super().__init__(phase, reason, detail, status)
        self.phase = phase
        self.reason: Reason = reason
        self.detail = detail
        self.status = status

    @property
    def body_started(self) -> bool:
        return self.phase is Phase.WAITING or self.phase is Phase.READING

    def __str__(self) -> str:
        sent = "the request may have been processed" if self.body_started else "nothing of the request's body was sent"
        return f"{self.reason} while {self.phase}{f' ({self.detail})' if self.detail else ''}: {sent}"


class Unusable(Exception):
    """An answer that says nothing about this request. `reason` is a word of `attempts.REASONS`, `code` a verified code."""

    def __init__(self, reason: str, code: str | None = None) -> None:
        super().__init__(reason, code)
        self.reason = reason
        self.code = code


class Transport(Protocol):
    """Carries requests. Threads may share it."""

    def send(self, request: SignedRequest, deadline: float) -> RawAnswer:
        """One exchange, done by `deadline` on `time.monotonic()`. Raises TransportFailure when no complete answer came."""
        ...

    def close(self) -> None:
        """Closes what is open; sending afterwards is an error."""
        ...


class AsyncTransport(Protocol):
    """Carries requests for clients whose calls are awaited. Tasks of one event loop may share it."""

    async def send(self, request: SignedRequest, deadline: float, reach: Callable[[Phase], None]) -> RawAnswer:
        """One exchange, done by `deadline` on `time.monotonic()`. Raises TransportFailure when no complete answer came.

        It calls `reach` with each phase before it tries it, from CONNECTING on: whoever cancels the call learns from the last
        one whether money may have moved. When it is cancelled it closes the connection and lets the cancellation pass.
        """
        ...

    async def aclose(self) -> None:
        """Closes what is open; sending afterwards is an error."""
        ...
