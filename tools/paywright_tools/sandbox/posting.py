"""One signed POST to a merchant's server, within a deadline: follows nothing, decodes nothing, reads a bounded answer."""

from __future__ import annotations

import ssl
import time
from typing import Final, NamedTuple

from paywright_runtime.connection import Connection, TlsConnection
from paywright_runtime.exchange import TransportFailure
from paywright_runtime.version import VERSION
from paywright_tools.sandbox.destination import NotAllowed, NotFound, read_destination, resolved

__all__ = ["DEADLINE", "Answered", "Parcel", "Unanswered", "post"]

DEADLINE: Final = 5.0
"""Seconds for one POST, from the first packet to the last byte of the answer."""

_MOST: Final = 64 * 1024
_REASONS: Final = {
    "timeout": ("TIMEOUT", f"no whole answer within {DEADLINE:g} seconds"),
    "connection_failed": ("UNREACHABLE", "no connection"),
    "connection_lost": ("LOST", "the connection was closed before the answer was complete"),
    "tls_failed": ("TLS_FAILED", "TLS failed"),
    "too_large": ("BAD_ANSWER", f"the answer has more than {_MOST} bytes"),
    "malformed_http": ("BAD_ANSWER", "the answer is not HTTP/1.1"),
}


class Parcel(NamedTuple):
    """What is posted: the address, the headers besides those of HTTP, and the very bytes that were signed."""

    url: str
    headers: tuple[tuple[str, str], ...]
    body: bytes

    def __repr__(self) -> str:
        return f"<Parcel of {len(self.body)} bytes>"


class Answered(NamedTuple):
    """The merchant's server answered."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes

    def __repr__(self) -> str:
        return f"<Answered {self.status}, {len(self.body)} bytes>"


class Unanswered(NamedTuple):
    """It did not: `outcome` is a word, `why` says it in words that hold no value. The POST may have arrived."""

    outcome: str
    why: str


class _Checked(Connection):
    """Connects to the address that was checked, and to no other."""

    def connect(self) -> None:
        super().connect()
        _check_peer(self)


class _CheckedTls(TlsConnection):
    def connect(self) -> None:
        super().connect()
        _check_peer(self)


def _check_peer(connection: Connection) -> None:
    if str(connection.sock.getpeername()[0]).partition("%")[0] != connection.host:
        raise OSError("another peer")


def post(parcel: Parcel, allowed: tuple[str, ...] = (), *, seconds: float = DEADLINE) -> Answered | Unanswered:
    """Posts it. Raises nothing that a merchant's server or address could provoke."""
    try:
        to = read_destination(parcel.url, allowed)
        address = resolved(to)
    except NotAllowed as refused:
        return Unanswered("NOT_ALLOWED", str(refused))
    except NotFound as absent:
        return Unanswered("UNREACHABLE", str(absent))
    connection: Connection
    if to.scheme == "https":
        context = ssl.create_default_context()
        connection = _CheckedTls(
            address, to.port, ssl_context=context, server_hostname=to.host, assert_hostname=to.host
        )
    else:
        connection = _Checked(address, to.port)
    lines = [f"POST {to.target} HTTP/1.1", f"Host: {to.authority}", f"User-Agent: paywright-sandbox/{VERSION}"]
    lines += ["Accept-Encoding: identity", "Connection: close"]
    lines += [f"{name}: {value}" for name, value in parcel.headers]
    head = "\r\n".join((*lines, f"Content-Length: {len(parcel.body)}", "", "")).encode("ascii")
    try:
        answer = connection.exchange(head, parcel.body, time.monotonic() + seconds, _MOST)
        return Answered(answer.status, tuple(answer.headers), answer.body)
    except Exception as error:
        return _unanswered(connection.failure(error))
    finally:
        connection.abort()


def _unanswered(failure: TransportFailure) -> Unanswered:
    outcome, why = _REASONS[failure.reason]
    return Unanswered(outcome, f"{why} ({failure.detail})" if failure.detail else why)
