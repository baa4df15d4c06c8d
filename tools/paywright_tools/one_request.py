"""One HTTP request to an address that was checked, whole within a deadline: follows nothing, decodes nothing.

Unlike `sandbox.posting` it sends whatever it is told: any method, headers that stand twice, a body in slow pieces.
"""

from __future__ import annotations

import socket
import ssl
from collections.abc import Sequence
from contextlib import ExitStack
from time import monotonic, sleep
from typing import Final

from paywright_runtime.answer_reader import AnswerReader, BadAnswer
from paywright_tools.sandbox.destination import Destination, NotAllowed, NotFound, resolved
from paywright_tools.sandbox.posting import Answered, Unanswered

__all__ = ["at_once", "request"]

_MOST: Final = 1024 * 1024
_CONNECTING: Final = 1.0
_OUTCOMES: Final = {"connection_lost": "LOST", "timeout": "TIMEOUT"}


def request(
    to: Destination,
    method: str,
    headers: Sequence[tuple[str, str]],
    body: bytes,
    *,
    seconds: float,
    pieces: int = 1,
    over: float = 0.0,
) -> Answered | Unanswered:
    """Sends it and reads the answer. The body goes in so many `pieces`, spread `over` so many seconds.

    Host, Content-Length and `Connection: close` are added to `headers`. A peer that answers and closes before it has read
    all of the body has answered. Raises nothing that a peer or an address could provoke.
    """
    deadline = monotonic() + seconds
    sock = _opened(to, deadline)
    if isinstance(sock, Unanswered):
        return sock
    with sock:
        _send(sock, _head(to, method, headers, body), body, deadline, pieces, over)
        return _answer(sock, deadline, seconds)


def at_once(
    to: Destination, headers: Sequence[tuple[str, str]], body: bytes, *, seconds: float, copies: int
) -> list[Answered | Unanswered]:
    """Posts it so many times at the same moment: all copies are on their way but for the last byte before one is whole.

    A peer that takes fewer connections at a time gets fewer copies. Raises nothing that a peer or an address could provoke.
    """
    deadline = monotonic() + seconds
    whole = _head(to, "POST", headers, body) + body
    with ExitStack() as stack:
        sockets: list[socket.socket] = []
        for _ in range(copies):
            sock = _opened(to, min(deadline, monotonic() + _CONNECTING))
            if isinstance(sock, Unanswered):
                if not sockets:
                    return [sock]
                break
            sockets.append(stack.enter_context(sock))
            _send(sock, whole[:-1], b"", deadline, 1, 0.0)
        deadline = monotonic() + seconds
        for sock in sockets:
            _send(sock, whole[-1:], b"", deadline, 1, 0.0)
        return [_answer(sock, deadline, seconds) for sock in sockets]


def _head(to: Destination, method: str, headers: Sequence[tuple[str, str]], body: bytes) -> bytes:
    lines = [f"{method} {to.target} HTTP/1.1", f"Host: {to.authority}", "Connection: close"]
    lines += [f"{name}: {value}" for name, value in headers]
    return "\r\n".join((*lines, f"Content-Length: {len(body)}", "", "")).encode("latin-1")


def _opened(to: Destination, deadline: float) -> socket.socket | Unanswered:
    try:
        return _connected(to, resolved(to), deadline)
    except NotAllowed as refused:
        return Unanswered("NOT_ALLOWED", str(refused))
    except NotFound as absent:
        return Unanswered("UNREACHABLE", str(absent))
    except ssl.SSLError:
        return Unanswered("TLS_FAILED", "TLS failed")
    except OSError:
        return Unanswered("UNREACHABLE", "no connection")


def _connected(to: Destination, address: str, deadline: float) -> socket.socket:
    sock = socket.create_connection((address, to.port), timeout=max(0.01, deadline - monotonic()))
    try:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if to.scheme == "https":
            sock = ssl.create_default_context().wrap_socket(sock, server_hostname=to.host)
    except BaseException:
        sock.close()
        raise
    return sock


def _send(sock: socket.socket, head: bytes, body: bytes, deadline: float, pieces: int, over: float) -> None:
    size = max(1, -(-len(body) // pieces))
    parts = [body[at : at + size] for at in range(0, len(body), size)]
    try:
        if len(parts) <= 1:
            head, parts = head + body, []
        sock.settimeout(max(0.01, deadline - monotonic()))
        sock.sendall(head)
        for part in parts:
            sleep(min(over / len(parts), max(0.0, deadline - monotonic())))
            sock.settimeout(max(0.01, deadline - monotonic()))
            sock.sendall(part)
    except OSError:
        pass  # closed, or silent, in the middle: what it said before that is read all the same


def _answer(sock: socket.socket, deadline: float, seconds: float) -> Answered | Unanswered:
    def receive(most: int) -> bytes:
        left = deadline - monotonic()
        if left <= 0:
            raise TimeoutError
        sock.settimeout(left)
        return sock.recv(most)

    reader = AnswerReader(receive, _MOST)
    try:
        body = reader.read()
    except TimeoutError:
        return Unanswered("TIMEOUT", f"no whole answer within {seconds:g} seconds")
    except BadAnswer as bad:
        return Unanswered(_OUTCOMES.get(bad.reason, "BAD_ANSWER"), bad.detail)
    except OSError:
        return Unanswered("LOST", "the connection was closed without an answer")
    return Answered(reader.status or 0, tuple(reader.headers), body)
