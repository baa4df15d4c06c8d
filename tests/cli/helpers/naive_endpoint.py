"""Endpoints that do what endpoints should not do, over real HTTP: what the conformance kit is there to find."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import HTTPServer, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

from paywright import RsaVerifier
from paywright_runtime.signing.keys import load_public_key
from paywright_runtime.signing.rsa import SignatureProblem
from tests.support.http_servers import Request, serving

YES = {"code": "SUCCESS", "msg": "Success"}
Answer = tuple[int, dict[str, Any]]


class Gullible:
    """Verifies nothing, has its effect after the answer, remembers in memory and by the whole body, lets the last one win,
    takes one caller at a time, reads all that comes, and says yes to whatever it cannot read."""

    at_a_time: ClassVar[type[HTTPServer]] = HTTPServer

    def __init__(self) -> None:
        self.seen: set[bytes] = set()
        self.effects: dict[str, list[str]] = {}
        self.pending: list[tuple[str, str]] = []
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
            self.pending.append((number, state))
        return 200, YES

    def get(self, path: str) -> Answer:
        if path == "/restart":
            self.seen.clear()
            return 200, {}
        if not path.startswith("/effects/"):
            return 200, YES
        found = self.looked(path.removeprefix("/effects/"))
        # The effect comes after the answer, and here after the first look too: however busy the machine is.
        while self.pending:
            number, state = self.pending.pop(0)
            self.effects.setdefault(number, []).append(state)
        return 200, found

    def looked(self, number: str) -> dict[str, Any]:
        states = self.effects.get(number, [])
        return {"effects": len(states), "state": states[-1] if states else None}


class Wrong(Gullible):
    """Right in all but one thing, which a class below does wrong: what it has done is known by number and state."""

    at_a_time = ThreadingHTTPServer

    def __init__(self) -> None:
        super().__init__()
        self.done: set[str] = set()
        self.numbers: list[str] = []
        self.lock = threading.Lock()

    def post(self, raw: bytes, headers: dict[str, str]) -> Answer:
        data = json.loads(raw)["data"]
        if "requestNo" not in data:
            return 501, {"code": "UNKNOWN", "msg": "no"}
        self.take(data["requestNo"], data["status"])
        return 200, YES

    def take(self, number: str, state: str) -> None:
        with self.lock:
            if f"{number}/{state}" not in self.done:
                self.done.add(f"{number}/{state}")
                self.credit(number, state)

    def credit(self, number: str, state: str) -> None:
        if state == "SETTLED":
            self.effects.setdefault(number, []).append(state)

    def get(self, path: str) -> Answer:
        if path == "/restart":
            self.restart()
            return 200, {}
        return 200, self.looked(path.removeprefix("/effects/"))

    def looked(self, number: str) -> dict[str, Any]:
        return {"effects": len(self.effects.get(number, []))}

    def restart(self) -> None:
        """What it has done stands in a file."""


class ByNumberAlone(Wrong):
    """Takes what it has seen the number of for a duplicate, whatever its state is."""

    def take(self, number: str, state: str) -> None:
        if number not in self.done:
            self.done.add(number)
            self.credit(number, state)


class TooEarly(ByNumberAlone):
    """The same, and credits whatever comes first."""

    def credit(self, number: str, state: str) -> None:
        self.effects.setdefault(number, []).append(state)


class InMemory(Wrong):
    """Keeps both what it has done and its effects in memory."""

    def restart(self) -> None:
        self.done.clear()
        self.effects.clear()


class Racing(Wrong):
    """Looks whether it was done, and does it after that: two copies at a time are both done.

    A copy waits until another one has looked, so that it is found at every run. The first number is not waited with: it
    comes alone.
    """

    def __init__(self) -> None:
        super().__init__()
        self.looking = threading.Condition()
        self.lookers = 0

    def take(self, number: str, state: str) -> None:
        if f"{number}/{state}" in self.done:
            return
        self.numbers.append(number)
        if number != self.numbers[0]:
            with self.looking:
                self.lookers += 1
                self.looking.notify_all()
                self.looking.wait_for(lambda: self.lookers > 1, timeout=600)
        self.done.add(f"{number}/{state}")
        self.credit(number, state)


class LateUndoes(Gullible):
    """Has its effects after the answer, so that an older state undoes a newer one after the first look."""

    at_a_time = ThreadingHTTPServer


class Swallowing(Wrong):
    """Trips over everything that looks otherwise than the samples, says nothing of it, and acknowledges it."""

    def post(self, raw: bytes, headers: dict[str, str]) -> Answer:
        with suppress(Exception):
            body = json.loads(raw)
            assert raw.isascii()
            assert headers["content-type"] == "application/json"
            assert set(body) <= Fussy.ROOT
            assert body["msg"]
            assert body.get("version", "1.0") == "1.0"
            assert (body["notifyTime"][19], body["notifyTime"][-6]) == (".", "+")
            assert isinstance(body["data"]["paymentDetail"]["trade"]["amount"], str)
            super().post(raw, headers)
        return 200, YES


class Dying(Wrong):
    """Ends for good when it gets what it cannot read."""

    def post(self, raw: bytes, headers: dict[str, str]) -> Answer:
        if raw.startswith(b"["):
            self.end()
            raise ConnectionAbortedError
        try:
            return super().post(raw, headers)
        except (ValueError, KeyError):
            return 400, {}

    def end(self) -> None:
        """Set by `served`: stops listening."""


class Fussy:
    """Verifies, and takes only what looks as the specification's samples do; falls over everything else, and for good over
    a huge body. To the second period of a plan it says nothing until `over` is set."""

    at_a_time: ClassVar[type[HTTPServer]] = ThreadingHTTPServer
    ROOT: ClassVar[set[str]] = {
        *("code", "msg", "version", "keyVersion", "appId", "merchantNo", "notifyTime", "notifyType", "data")
    }

    def __init__(self, key: Path) -> None:
        self.verifier = RsaVerifier([load_public_key(key)])
        self.gone = False
        self.over = threading.Event()

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
            if detail["subscriptionIndex"] != 1:
                self.over.wait(600)
        else:
            assert isinstance(body["data"]["paymentDetail"]["trade"]["amount"], str)
            assert body["data"]["status"] == "SETTLED"
        return 200, YES

    def get(self, path: str) -> Answer:
        raise ValueError("GET")


@contextmanager
def served(endpoint: Gullible | Fussy, *, json_type: str = "application/json") -> Iterator[str]:
    """Serves it on a free port of this machine."""

    def answer(request: Request) -> tuple[int, dict[str, str], bytes] | None:
        method, path, headers, raw = request
        try:
            names = {name.lower(): value for name, value in headers}
            status, said = endpoint.get(path) if method == "GET" else endpoint.post(raw, names)
        except ConnectionAbortedError:
            return None
        except Exception:
            status, said = 500, {}
        return status, {"Content-Type": json_type}, json.dumps(said).encode()

    with serving(answer, endpoint.at_a_time) as (url, server):
        if isinstance(endpoint, Dying):
            endpoint.end = lambda: (server.shutdown(), server.server_close())  # type: ignore[method-assign,func-returns-value,assignment]  # as it says
        yield url
