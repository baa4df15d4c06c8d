"""A gateway on loopback that answers what a test tells it to, signed by a real key."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

from paywright_runtime.clock import Clock, SystemClock
from paywright_runtime.signing.keys import KeyPair, load_private_key
from paywright_runtime.signing.rsa import RsaSigner


class Seen:
    """One request as the gateway got it."""

    def __init__(self, path: str, headers: dict[str, str], body: bytes) -> None:
        self.path = path
        self.headers = headers
        self.body = body

    @property
    def json(self) -> dict[str, object]:
        parsed = json.loads(self.body)
        assert isinstance(parsed, dict)
        return parsed


class Reply:
    """What the gateway answers: a body to be signed unless `signature` says otherwise."""

    def __init__(
        self,
        body: bytes | dict[str, object],
        *,
        status: int = 200,
        signature: str | list[str] | None = None,
        signed: bool = True,
        headers: dict[str, str] | None = None,
    ) -> None:
        self.body = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.status = status
        self.signature = signature
        self.signed = signed
        self.headers = headers or {}


class Gateway:
    """Answers with `reply`, a `Reply` or a function from what was seen to one. `clock` is what its `Date` headers go by."""

    def __init__(self, keys: KeyPair) -> None:
        self.keys = keys
        self.signer = RsaSigner(load_private_key(keys.private_pem))
        self.seen: list[Seen] = []
        self.reply: Reply | Callable[[Seen], Reply] = Reply({"code": "SYSTEM_ERROR", "msg": "no reply set"})
        self.clock: Clock = SystemClock()
        gateway = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                headers = {name.lower(): ", ".join(self.headers.get_all(name, ())) for name in self.headers}
                seen = Seen(self.path, headers, body)
                gateway.seen.append(seen)
                reply = gateway.reply(seen) if callable(gateway.reply) else gateway.reply
                self.send_response(reply.status)
                signature = reply.signature if reply.signature is not None else gateway.signer.sign(reply.body)
                for one in [signature] if isinstance(signature, str) else signature:
                    if reply.signed:
                        self.send_header("sign", one)
                for name, value in reply.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(reply.body)))
                self.end_headers()
                self.wfile.write(reply.body)

            def date_time_string(self, timestamp: float | None = None) -> str:
                return format_datetime(gateway.clock.now().astimezone(UTC), usegmt=True)

            def log_message(self, format: str, *args: object) -> None:
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, request: object, client_address: object) -> None:
                pass  # a client that refuses an answer closes the connection

        self._server = Server(("127.0.0.1", 0), Handler)
        self._thread = Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._thread.start()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
