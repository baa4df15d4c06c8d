"""A proxy on loopback that means harm: raw sockets, a thread for each connection, everything bounded in time."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Callable
from contextlib import closing, suppress
from http.client import HTTPConnection, HTTPException
from queue import Empty, SimpleQueue
from typing import Final, Self
from urllib.parse import urlsplit

from paywright_runtime.transport.api import RawAnswer, SignedRequest, Transport
from paywright_runtime.transport.blocking import HttpTransport
from tests.outcomes.harms import Harm
from tests.outcomes.messages import Reply, Request, binds
from tests.outcomes.middle import Middle
from tests.outcomes.wire import WRITERS, Gone, abort, read_half, read_head, read_rest, wait_for_the_end, whole
from tests.support.ports import lasting_port

__all__ = ["FaultProxy", "SometimesRefused", "over_http"]

_FOR_A_PARTNER: Final = 0.05
_IDLE: Final = 30.0
_FRAMING: Final = frozenset({"content-length", "transfer-encoding", "connection", "keep-alive"})
_BEFORE_READING: Final = frozenset({"reset at once", "tls garbage", "tls stranger"})


class FaultProxy:
    """Stands between a client and the gateway behind `middle`. With `tls` it speaks TLS; `stranger` is the certificate of
    somebody else, for those whom it means to deceive."""

    def __init__(
        self, middle: Middle, *, tls: ssl.SSLContext | None = None, stranger: ssl.SSLContext | None = None
    ) -> None:
        self.middle = middle
        self._tls = tls
        self._stranger = stranger
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=256)
        self.url = f"{'https' if tls else 'http'}://127.0.0.1:{self._listener.getsockname()[1]}"
        self._peers: set[socket.socket] = set()
        self._swaps: SimpleQueue[tuple[Reply, SimpleQueue[Reply]]] = SimpleQueue()

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, name="fault-proxy", daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for peer in list(self._peers):
            with suppress(OSError):
                peer.shutdown(socket.SHUT_RDWR)

    def _accept(self) -> None:
        while True:
            try:
                peer, _ = self._listener.accept()
            except OSError:
                return
            peer.settimeout(_IDLE)
            peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._peers.add(peer)
            threading.Thread(target=self._serve, args=(peer,), daemon=True).start()

    def _serve(self, peer: socket.socket) -> None:
        try:
            harm = self.middle.draw()
            if harm is not None and harm.ending in _BEFORE_READING:
                self._deceive(peer, harm)
                return
            with self._secured(peer) as link:
                while self._exchange(link, harm):
                    harm = self.middle.draw()
        except (OSError, Gone, HTTPException):
            pass  # one of the two sides hung up, as it may at any time
        finally:
            self._peers.discard(peer)
            peer.close()

    def _secured(self, peer: socket.socket) -> socket.socket:
        return peer if self._tls is None else self._tls.wrap_socket(peer, server_side=True)

    def _deceive(self, peer: socket.socket, harm: Harm) -> None:
        """Strikes before anything was read."""
        self.middle.count(harm)
        if harm.ending == "tls garbage":
            peer.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
            wait_for_the_end(peer)
        elif harm.ending == "tls stranger":
            assert self._stranger is not None
            with self._stranger.wrap_socket(peer, server_side=True) as link:
                wait_for_the_end(link)
        else:
            abort(peer)

    def _exchange(self, link: socket.socket, harm: Harm | None) -> bool:
        """One request on an open connection. Returns whether another may follow."""
        lines, body = read_head(link)
        if harm is not None and harm.ending.startswith("tls"):
            harm = None  # the handshake is over
        ending = harm.ending if harm is not None else ""
        if harm is not None and ending in ("reset at once", "reset after head"):
            self.middle.count(harm)
            abort(link)
            return False
        if harm is not None and ending == "reset in body":
            self.middle.count(harm)
            read_half(link, lines, body)
            abort(link)
            return False
        request = read_rest(link, lines, body)
        if harm is None:
            whole(link, self.middle.plain(request))
            return True
        reply = self.middle.strike(harm, request)
        if ending == "swapped" and reply is not None:
            reply = self._swapped(request, reply)
        return self._answer(link, ending, reply)

    def _answer(self, link: socket.socket, ending: str, reply: Reply | None) -> bool:
        if ending == "reset":
            abort(link)
        elif ending == "hang":
            wait_for_the_end(link)
        elif ending in WRITERS:
            assert reply is not None
            WRITERS[ending](link, reply)
        elif ending != "closed":
            assert reply is not None
            whole(link, reply)
            return True
        return False

    def _swapped(self, request: Request, own: Reply) -> Reply:
        """Another connection's answer for this one's, if another waits; else it waits a moment for one."""
        if not binds(request.path, own):
            return own
        try:
            other, waiting = self._swaps.get_nowait()
        except Empty:
            mine: SimpleQueue[Reply] = SimpleQueue()
            self._swaps.put((own, mine))
            try:
                other = mine.get(timeout=_FOR_A_PARTNER)
            except Empty:
                return own
        else:
            waiting.put(own)
        return other if binds(request.path, other) else own


class SometimesRefused:
    """A client's transport to the proxy that now and then finds nobody listening: a real refused connection."""

    def __init__(self, middle: Middle, refused: Harm, url: str, *, share: float, ca_file: str | None = None) -> None:
        self._middle = middle
        self._harm = refused
        self._share = share
        port = lasting_port()
        self._to: Transport = HttpTransport(url, ca_file=ca_file)
        self._nowhere: Transport = HttpTransport(f"{urlsplit(url).scheme}://127.0.0.1:{port}", ca_file=ca_file)

    def send(self, request: SignedRequest, deadline: float) -> RawAnswer:
        """One exchange; see `exchange.Transport`."""
        with self._middle.lock:
            refused = self._middle.random.random() < self._share
        if not refused:
            return self._to.send(request, deadline)
        self._middle.count(self._harm)
        return self._nowhere.send(request, deadline)

    def close(self) -> None:
        """Closes both."""
        self._to.close()
        self._nowhere.close()


def over_http(base_url: str) -> Callable[[Request], Reply]:
    """One exchange with a gateway by HTTP, on a connection of its own."""
    address = urlsplit(base_url).netloc

    def deliver(request: Request) -> Reply:
        headers = {name: value for name, value in request.headers if name.lower() not in ("host", "content-length")}
        with closing(HTTPConnection(address, timeout=600)) as connection:
            connection.request("POST", request.path, request.body, {**headers, "Connection": "close"})
            with connection.getresponse() as response:
                kept = [pair for pair in response.getheaders() if pair[0].lower() not in _FRAMING]
                return Reply(response.status, tuple(kept), response.read())

    return deliver
