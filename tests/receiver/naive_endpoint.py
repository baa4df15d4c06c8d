"""Endpoints that do what endpoints should not do, over real HTTP: what the conformance kit is there to find."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

from paywright import RsaVerifier
from paywright_runtime.keys import load_public_key
from paywright_runtime.signatures import SignatureProblem

YES = {"code": "SUCCESS", "msg": "Success"}
Answer = tuple[int, dict[str, Any]]


class Gullible:
    """Verifies nothing, has its effect after the answer, remembers in memory and by the whole body, lets the last one win,
    takes one caller at a time, reads all that comes, and says yes to whatever it cannot read."""

    at_a_time: ClassVar[type[HTTPServer]] = HTTPServer

    def __init__(self) -> None:
        self.seen: set[bytes] = set()
        self.effects: dict[str, list[str]] = {}
        self.bills = 0

    def post(self, raw: bytes, headers: dict[str, str]) -> Answer:
        try:
            body = json.loads(raw)
            if "referenceNo" in body:
                self.bills += 1
                return 200, {**YES, "data": {"confirmation": "Y" if self.bills % 2 else "N"}}
            data = body["data"]
            number = data["requestNo"] if "requestNo" in data else f"{data['subscriptionPlan']['subscriptionNo']}/1"
            state = data.get("status", "SUCCESS")
        except (ValueError, KeyError, TypeError, RecursionError):
            return 200, YES
        if raw not in self.seen:
            self.seen.add(raw)
            threading.Timer(0.04, lambda: self.effects.setdefault(number, []).append(state)).start()
        return 200, YES

    def get(self, path: str) -> Answer:
        if path == "/restart":
            self.seen.clear()
            return 200, {}
        if not path.startswith("/effects/"):
            return 200, YES
        if not path.startswith("/effects/now/"):
            time.sleep(0.1)
        states = self.effects.get(path.rpartition("effects/")[2].removeprefix("now/"), [])
        return 200, {"effects": len(states), "state": states[-1] if states else None}


class Fussy:
    """Verifies, and takes only what looks as the specification's samples do; falls over everything else, and for good over
    a huge body."""

    at_a_time: ClassVar[type[HTTPServer]] = ThreadingHTTPServer
    ROOT: ClassVar[set[str]] = {
        *("code", "msg", "version", "keyVersion", "appId", "merchantNo", "notifyTime", "notifyType", "data")
    }

    def __init__(self, key: Path) -> None:
        self.verifier = RsaVerifier([load_public_key(key)])
        self.gone = False

    def post(self, raw: bytes, headers: dict[str, str]) -> Answer:
        self.gone = self.gone or len(raw) > 1 << 20
        if self.gone:
            return 503, {}
        try:
            self.verifier.verify(raw, headers.get("sign", ""))
        except SignatureProblem:
            return 500, {}
        body = json.loads(raw)
        if "referenceNo" in body:
            return 200, {**YES, "data": {**body, "minAmount": 0, "maxAmount": 0, "confirmation": "N"}}
        period = body["notifyType"] == "SUBSCRIPTION_PAYMENT"
        assert period or body["notifyType"] == "RECEIVE"
        assert headers["content-type"] == "application/json"
        assert raw.isascii()
        assert set(body) <= self.ROOT
        assert body["code"] == "APPLY_SUCCESS"
        assert body["msg"]
        assert body.get("version", "1.0") == "1.0"
        assert time.strptime(body["notifyTime"][:19], "%Y-%m-%dT%H:%M:%S")
        assert body["notifyTime"][19] == "."
        assert body["notifyTime"][-6] == "+"
        if period:
            detail = body["data"]["subscriptionPaymentDetail"]
            assert "cardInfo" not in detail
            assert type(detail["subscriptionIndex"]) is int
            assert not time.sleep(0 if detail["subscriptionIndex"] == 1 else 1.5)
        else:
            assert isinstance(body["data"]["paymentDetail"]["trade"]["amount"], str)
            assert body["data"]["status"] == "SETTLED"
        return 200, YES

    def get(self, path: str) -> Answer:
        raise ValueError("GET")


@contextmanager
def served(endpoint: Gullible | Fussy, *, json_type: str = "application/json") -> Iterator[str]:
    """Serves it on a free port of this machine."""

    class Handler(BaseHTTPRequestHandler):
        timeout = 10

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers["Content-Length"]))
            self._answer(lambda: endpoint.post(raw, {name.lower(): value for name, value in self.headers.items()}))

        def do_GET(self) -> None:
            self._answer(lambda: endpoint.get(self.path))

        def _answer(self, work: Any) -> None:
            try:
                status, answer = work()
            except Exception:
                status, answer = 500, {}
            body = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Type", json_type)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Nothing is printed."""

    with endpoint.at_a_time(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join(5)
