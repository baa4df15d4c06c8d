"""The merchant's own server: it believes a notification only if the gateway's signature and the contract hold."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

from demo_parts.words import expect
from paywright import RsaVerifier, validate
from paywright_runtime.keys import load_public_key
from paywright_runtime.signatures import SignatureProblem

__all__ = ["Shop", "opened"]

_ACKNOWLEDGED = {"code": "SUCCESS", "msg": "Success"}
# The contents of the others are not in the specification, so that there is nothing to hold them against.
_CONTRACT = {"RECEIVE": "notifications.receive", "SUBSCRIPTION_PAYMENT": "notifications.subscription_payment"}


class Shop:
    """`got` are the verified notifications, `refused` the reasons why others were not believed."""

    def __init__(self, gateway_key: Path, address: str) -> None:
        self.address = address
        self.got: list[dict[str, Any]] = []
        self.bills: list[dict[str, Any]] = []
        self.refused: list[str] = []
        self.is_down = False
        self._verifier = RsaVerifier([load_public_key(gateway_key)])

    def of(self, kind: str) -> list[dict[str, Any]]:
        expect(self.refused == [], f"every message is signed by the gateway and keeps to the contract: {self.refused}")
        return [message["data"] for message in self.got if message["notifyType"] == kind]

    def take(self, path: str, raw: bytes, signature: str) -> tuple[int, dict[str, object]]:
        """The HTTP status and the answer to what came."""
        try:
            message = json.loads(self._verifier.verify(raw, signature).raw)
        except SignatureProblem as problem:
            self.refused.append(problem.reason)
            return 401, {"code": "FAIL", "msg": "The signature does not hold."}
        if self.is_down:
            return 503, {"code": "FAIL", "msg": "Come back later."}
        if path == "/bills":
            self.bills.append(message)
            return 200, {**_ACKNOWLEDGED, "data": self._decision(message)}
        self._check(message, raw)
        self.got.append(message)
        return 200, dict(_ACKNOWLEDGED)

    def _check(self, message: dict[str, Any], raw: bytes) -> None:
        operation = _CONTRACT.get(message["notifyType"])
        if operation is not None:
            self.refused += [str(violation) for violation in validate(operation, "notification", raw)]

    def _decision(self, bill: dict[str, Any]) -> dict[str, object]:
        known = bill["referenceNo"] == "BILL_1"
        decision = {"referenceNo": bill["referenceNo"], "currency": "PHP", "minAmount": 1, "maxAmount": 5000}
        reason = {} if known else {"failureReason": "no such bill"}
        return {**decision, "confirmation": "Y" if known else "N", **reason}


@contextmanager
def opened(gateway_key: Path) -> Iterator[Shop]:
    """Serves the shop on a free port of this machine."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers["Content-Length"]))
            status, answer = shop.take(self.path, raw, self.headers.get("sign", ""))
            body = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    shop = Shop(gateway_key, f"http://127.0.0.1:{server.server_port}")
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield shop
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
