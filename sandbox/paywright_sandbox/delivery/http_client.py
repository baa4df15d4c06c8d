"""HTTP requests to a checked address, within a deadline. Redirects are not followed, bodies are not decoded."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack, suppress
from time import monotonic, sleep
from typing import Final, NamedTuple

from paywright_runtime.transport.connection import Connection, carried_out
from paywright_runtime.transport.endpoint import Endpoint
from paywright_runtime.transport.pool import authorities
from paywright_runtime.version import VERSION
from paywright_sandbox.engine.policies import Policies
from paywright_sandbox.engine.settings import SandboxSettings
from paywright_sandbox.engine.url_policy import Destination, NotAllowed, NotFound, read_destination, resolved

Headers = Sequence[tuple[str, str]]

_LIMIT: Final = 1024 * 1024
_CONNECTING: Final = 1.0
_OUTCOMES: Final = {
    "timeout": ("TIMEOUT", "no whole answer within {seconds:g} seconds"),
    "connection_failed": ("UNREACHABLE", "no connection"),
    "connection_lost": ("LOST", "the connection was closed before the answer was complete"),
    "tls_failed": ("TLS_FAILED", "TLS failed"),
    "too_large": ("BAD_ANSWER", "the answer is too large"),
    "malformed_http": ("BAD_ANSWER", "the answer is not HTTP/1.1"),
}


class Answered(NamedTuple):
    """The server answered."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes

    def __repr__(self) -> str:
        return f"<Answered {self.status}, {len(self.body)} bytes>"


class Unanswered(NamedTuple):
    """No answer came: `outcome` in one word, `why` in words without a value. The request may have arrived."""

    outcome: str
    why: str


def request(
    to: Destination,
    method: str,
    headers: Headers,
    body: bytes = b"",
    *,
    seconds: float,
    limit: int = _LIMIT,
    pieces: int = 1,
    over: float = 0.0,
) -> Answered | Unanswered:
    """Send a request. Return the response, or why there is none.

    `seconds` is the deadline of the whole exchange, `limit` the largest body to read, in bytes. The body is sent in
    `pieces`, spread over `over` seconds. Host, Content-Length and `Connection: close` are added to `headers`. A peer may
    answer and close before it has read the whole body. Never raises for what a peer or an address does.
    """
    head = _head(to, method, headers, body)
    size = max(1, -(-len(body) // pieces))
    parts = [body[at : at + size] for at in range(0, len(body), size)]
    if len(parts) <= 1:
        head, parts = head + body, []
    deadline = monotonic() + seconds
    with ExitStack() as stack:
        connection = _opened(to, deadline, seconds, stack)
        if isinstance(connection, Unanswered):
            return connection
        with suppress(OSError):  # closed in the middle: read the answer that came before that
            carried_out(connection.write(memoryview(head)), deadline)
            for part in parts:
                sleep(min(over / len(parts), max(0.0, deadline - monotonic())))
                carried_out(connection.write(memoryview(part)), deadline)
        return _answer(connection, deadline, seconds, limit)


def at_once(
    to: Destination, headers: Headers, body: bytes, *, seconds: float, copies: int
) -> list[Answered | Unanswered]:
    """Post several copies of a request at the same moment: send all but the last byte of each, then the last bytes.

    A peer that takes fewer connections at a time gets fewer copies. Never raises for what a peer or an address does.
    """
    deadline = monotonic() + seconds
    whole = _head(to, "POST", headers, body) + body
    with ExitStack() as stack:
        connections: list[Connection] = []
        for _ in range(copies):
            connection = _opened(to, min(deadline, monotonic() + _CONNECTING), seconds, stack)
            if isinstance(connection, Unanswered):
                if not connections:
                    return [connection]
                break
            connections.append(connection)
            with suppress(OSError):
                carried_out(connection.write(memoryview(whole[:-1])), deadline)
        deadline = monotonic() + seconds
        for connection in connections:
            with suppress(OSError):
                carried_out(connection.open(deadline), deadline)
                carried_out(connection.write(memoryview(whole[-1:])), deadline)
        return [_answer(connection, deadline, seconds, _LIMIT) for connection in connections]


def _head(to: Destination, method: str, headers: Headers, body: bytes) -> bytes:
    lines = [f"{method} {to.target} HTTP/1.1", f"Host: {to.authority}", "Connection: close"]
    lines += [f"{name}: {value}" for name, value in headers]
    return "\r\n".join((*lines, f"Content-Length: {len(body)}", "", "")).encode("latin-1")


def _opened(to: Destination, deadline: float, seconds: float, stack: ExitStack) -> Connection | Unanswered:
    context = authorities(None) if to.scheme == "https" else None
    own = to.host == "localhost"  # whose every address is tried, because servers listen on one of them
    try:
        address = resolved(to)
    except NotAllowed as refused:
        return Unanswered("NOT_ALLOWED", str(refused))
    except NotFound as absent:
        return Unanswered("UNREACHABLE", str(absent))
    base = Endpoint(to.scheme, to.host, to.port, "")
    connection = Connection(base, context=context, address=None if own else address, loopback_only=own)
    stack.callback(connection.close)
    try:
        carried_out(connection.open(deadline), deadline)
    except Exception as error:
        return _unanswered(connection, error, seconds)
    return connection


def _answer(connection: Connection, deadline: float, seconds: float, limit: int) -> Answered | Unanswered:
    try:
        answer = carried_out(connection.read(limit), deadline)
    except Exception as error:
        return _unanswered(connection, error, seconds)
    return Answered(answer.status, tuple(answer.headers), answer.body)


def _unanswered(connection: Connection, error: Exception, seconds: float) -> Unanswered:
    """Return why there is no answer. Raises an error that is none of the connection."""
    failure = connection.failure(error)
    if failure is None:
        raise error
    outcome, why = _OUTCOMES[failure.reason]
    why = why.format(seconds=seconds)
    return Unanswered(outcome, f"{why} ({failure.detail})" if failure.detail else why)


_MOST_OF_MERCHANT: Final = 64 * 1024
_HEADERS: Final = (("User-Agent", f"paywright-sandbox/{VERSION}"), ("Accept-Encoding", "identity"))


class OutgoingRequest(NamedTuple):
    """A request to post: address, headers besides those of HTTP, and the signed bytes."""

    url: str
    headers: tuple[tuple[str, str], ...]
    body: bytes

    def __repr__(self) -> str:
        return f"<OutgoingRequest of {len(self.body)} bytes>"


def attempt_seconds(policies: Policies) -> float:
    """Return the seconds that one POST may take, from first packet to last byte: the policy attempt-seconds."""
    return float(max(1, policies.seconds("attempt-seconds")))


def post(outgoing: OutgoingRequest, settings: SandboxSettings) -> Answered | Unanswered:
    """Send the POST within attempt-seconds, or hand it to a receiver in this process. Return the response, or why there is none.

    Never raises for what a merchant's server or address does.
    """
    if settings.receive_in_process is not None:
        status, headers, body = settings.receive_in_process(_HEADERS + outgoing.headers, outgoing.body)
        return Answered(status, tuple(headers), body)
    try:
        to = read_destination(outgoing.url, settings.deliver_to)
    except NotAllowed as refused:
        return Unanswered("NOT_ALLOWED", str(refused))
    seconds = attempt_seconds(settings.policies)
    return request(to, "POST", _HEADERS + outgoing.headers, outgoing.body, seconds=seconds, limit=_MOST_OF_MERCHANT)
