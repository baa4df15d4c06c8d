"""A merchant's own server on loopback: it verifies with `cryptography`, keeps what it got, and answers what it is told."""

import base64
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from time import monotonic, sleep
from typing import Any

from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import load_pem_public_key

ACKNOWLEDGED = (200, b'{"msg":"Success","code":"SUCCESS"}')


class Got:
    """One request as it came."""

    def __init__(self, path: str, headers: dict[str, str], raw: bytes) -> None:
        self.path = path
        self.headers = headers
        self.raw = raw

    @property
    def body(self) -> dict[str, Any]:
        parsed: dict[str, Any] = json.loads(self.raw)
        return parsed


class MerchantServer:
    def __init__(self, key: RSAPublicKey) -> None:
        self.key = key
        self.got: list[Got] = []
        self.answers: Callable[[Got], tuple[int, bytes]] = lambda got: ACKNOWLEDGED
        self.headers: list[tuple[str, str]] = []
        self.url = ""

    def take(self, got: Got) -> tuple[int, bytes]:
        self.key.verify(base64.b64decode(got.headers["sign"], validate=True), got.raw, PKCS1v15(), SHA256())
        assert got.headers["content-type"] == "application/json"
        self.got.append(got)
        return self.answers(got)

    def wait_for(self, count: int, seconds: float = 600) -> None:
        until = monotonic() + seconds
        while len(self.got) < count and monotonic() < until:
            sleep(0.01)
        assert len(self.got) >= count


@contextmanager
def merchant_server(public_key: Path, kind: type[MerchantServer] = MerchantServer) -> Iterator[MerchantServer]:
    key = load_pem_public_key(public_key.read_bytes())
    assert isinstance(key, RSAPublicKey)
    merchant = kind(key)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers["content-length"]))
            got = Got(self.path, {name.lower(): value for name, value in self.headers.items()}, raw)
            status, body = merchant.take(got)
            self.send_response(status)
            for name, value in merchant.headers:
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Nothing is printed."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    merchant.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield merchant
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)
