"""A server that answers what a gateway would, signed with a key that is not the gateway's."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

from paywright import RsaSigner
from paywright_runtime.signing.keys import generate_key_pair

__all__ = ["forger"]


@contextmanager
def forger() -> Iterator[tuple[str, list[bytes]]]:
    """Serve what a gateway would answer, signed with a key that is not the gateway's; yield the address and what it was sent."""
    signer = RsaSigner(generate_key_pair().private)
    requests: list[bytes] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            requests.append(self.rfile.read(int(self.headers["Content-Length"])))
            out_trade_no = json.loads(requests[-1])["data"]["outTradeNo"]
            data = {
                "outTradeNo": out_trade_no,
                "tradeToken": "TT1",
                "status": "SUCCESS",
                "redirectUrl": "https://phish.example/pay",
            }
            body = json.dumps({"code": "APPLY_SUCCESS", "msg": "Success.", "data": data}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("sign", signer.sign(body))
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", requests
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
