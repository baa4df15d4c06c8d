"""A gateway of a few lines that counts money, and the network before it; both do what a test tells them to, in virtual time.

It is stricter with its callers than a real one: `keys="late"` is a gateway that knows a key only when its query shows it, so
that an order placed again before that is charged twice, and `checks="amounts first"` is one that refuses a repeated key for an
amount or a balance although the first call under it stands.
"""

from __future__ import annotations

import hashlib
import heapq
import json
from collections import Counter
from collections.abc import Callable
from copy import deepcopy
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any, Final, Literal, NamedTuple, get_args

from paywright import Client, Merchant, contract
from paywright_runtime.contract.operation import Operation
from paywright_runtime.signing.rsa import SignatureProblem, UnsignedAnswers, VerifiedBytes
from paywright_runtime.transport.api import Phase, RawAnswer, SignedRequest, TransportFailure
from tests.outcomes.messages import operation_at

__all__ = ["FATES", "CheapVerifier", "Fate", "HostClock", "ModelGateway", "Network", "TrueTime", "client_of"]

Checks = Literal["keys first", "amounts first"]
Keys = Literal["at once", "late"]
Fate = Literal[
    "answered", "not sent", "request lost", "answer lost", "late", "html", "unsigned", "unreadable", "another's answer",
    "another's answer, not forwarded", "forged yes, not forwarded", "forged refusal", "forged not-there", "duplicated",
]  # fmt: skip
FATES: Final[tuple[Fate, ...]] = get_args(Fate)

_STARTS: Final = datetime(2025, 6, 1, 12, tzinfo=UTC)
_ACCEPTED_FOR: Final = 120.0  # seconds after its requestTime for which a request is acted on
_SHOWN_AFTER: Final = (
    150.0  # most seconds until the query shows what was placed; with the above less than the 300 of 4.3
)


class TrueTime:
    """Seconds since the start, which no host can turn."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def now(self) -> datetime:
        return _STARTS + timedelta(seconds=self.seconds)


class HostClock:
    """The clock of a host: `ahead` seconds off the truth. Its monotonic clock is that of one process."""

    def __init__(self, time: TrueTime, ahead: float = 0.0, up_for: float = 0.0) -> None:
        self.time = time
        self.ahead = ahead
        self._up_for = up_for

    def now(self) -> datetime:
        return self.time.now() + timedelta(seconds=self.ahead)

    def monotonic(self) -> float:
        return self._up_for + self.time.seconds


class Placed(NamedTuple):
    """What a write left at the gateway."""

    data: dict[str, Any]
    at: float
    shown_from: float


class ModelGateway:
    """Orders, refunds and exchanges by key. `charges` counts how often money was moved under each."""

    def __init__(self, time: TrueTime, *, checks: Checks = "keys first", keys: Keys = "at once") -> None:
        self.time = time
        self.checks: Checks = checks
        self.keys: Keys = keys
        self.judges_time = True
        self.shown_after = 0.0
        self.refuses: str | None = None
        """A code with which new writes are refused just now, for an amount or a balance."""
        self.charges: Counter[tuple[str, str]] = Counter()
        self.placed: dict[tuple[str, str], Placed] = {}
        self.answered: list[tuple[str, bytes]] = []
        """The key and the answer of whatever was found or placed."""

    def act(self, path: str, body: bytes) -> bytes:
        """Carry out one request and answer it."""
        message = json.loads(body)
        operation = _operation_of(path, message["data"])
        age = self.time.now() - datetime.fromisoformat(message["requestTime"])
        if self.judges_time and abs(age.total_seconds()) > _ACCEPTED_FOR:
            return self._answer({"code": "REQ_TIME_OVER_TIME", "msg": ""})
        data = message["data"]
        key = str(data.get("outRefundNo") or data["outTradeNo"])
        message = self._write(operation, key, data) if operation.write else self._query(operation, key)
        raw = self._answer(message)
        if "data" in message:
            self.answered.append((key, raw))
        return raw

    def has(self, kind: str, key: str) -> bool:
        """Whether money was moved under a key, shown or not."""
        return (kind, key.lower()) in self.placed

    def _write(self, operation: Operation, key: str, data: dict[str, Any]) -> dict[str, Any]:
        place = operation.name.partition(".")[0], key.lower()
        there = place in self.placed and (self.keys == "at once" or self._shown(place))
        repeated = {"code": "ORDER_REPEAT", "msg": ""}
        if there and self.checks == "keys first":
            return repeated
        if self.refuses is not None:
            return {"code": self.refuses, "msg": ""}
        if there:
            return repeated
        self.charges[place] += 1
        now = self.time.seconds
        # A gateway that knows a key at once may show it as late as it likes: 4.3 is then not what keeps it from doubling.
        after = self.shown_after if self.keys == "at once" else min(self.shown_after, _SHOWN_AFTER)
        self.placed.setdefault(place, Placed(data, now, now + after))
        return _message(f"{operation.name}.response", _echoed(operation.name, data))

    def _query(self, operation: Operation, key: str) -> dict[str, Any]:
        place = operation.name.partition(".")[0], key.lower()
        if not self._shown(place):
            return {"code": "ORDER_NOT_EXIST", "msg": ""}
        placed = self.placed[place]
        final = self.time.seconds >= placed.shown_from + 60
        return _message(f"{operation.name}.response", _shown_of(operation.name, placed.data, final=final))

    def _shown(self, place: tuple[str, str]) -> bool:
        return place in self.placed and self.time.seconds >= self.placed[place].shown_from

    def _answer(self, message: dict[str, Any]) -> bytes:
        return json.dumps(message).encode()


def _operation_of(path: str, data: dict[str, Any]) -> Operation:
    """Hosted and Drop-In orders have one address."""
    return contract.operation("orders.checkout") if data.get("integrate") == "Hosted_Checkout" else operation_at(path)


def _message(name: str, data: dict[str, Any]) -> dict[str, Any]:
    message: dict[str, Any] = deepcopy(dict(contract.example(name)))
    message["data"] |= data
    return message


def _echoed(operation: str, data: dict[str, Any]) -> dict[str, Any]:
    if operation == "refunds.create":
        return {"outRefundNo": data["outRefundNo"], "status": "REFUND_PENDING"}
    if operation == "exchanges.create":
        return {**data, "status": "PENDING"}
    return {"outTradeNo": data["outTradeNo"], "status": "PENDING"}


def _shown_of(operation: str, data: dict[str, Any], *, final: bool) -> dict[str, Any]:
    if operation == "refunds.query":
        return {**data, "status": "REFUND_SUCCESS" if final else "REFUND_PENDING"}
    status = {"outTradeNo": data["outTradeNo"], "status": "SUCCESS" if final else "PENDING"}
    if operation == "exchanges.query":
        return {**data, **status}
    return {**status, "trade": {"amount": str(data["totalAmount"]), "currency": data["currency"]}}


class Network:
    """Between one or several hosts and the gateway. What is late arrives when `arrive` finds it due."""

    def __init__(self, gateway: ModelGateway) -> None:
        self.gateway = gateway
        self.fates: list[Fate] = []
        """Of the next calls; when it is empty, all are answered."""
        self.delay = 60.0
        self.reached: list[tuple[str, bytes]] = []
        """Requests that have reached the gateway, or will."""
        self._late: list[tuple[float, int, str, bytes]] = []

    def arrive(self) -> None:
        """Deliver what is due by now."""
        while self._late and self._late[0][0] <= self.gateway.time.seconds:
            _, _, path, body = heapq.heappop(self._late)
            self.gateway.act(path, body)

    @property
    def next_arrival(self) -> float | None:
        """When the next late request arrives, in seconds of true time."""
        return self._late[0][0] if self._late else None

    def carry(self, request: SignedRequest) -> RawAnswer:
        """One exchange. Raises `TransportFailure`."""
        fate = self.fates.pop(0) if self.fates else "answered"
        if fate == "not sent":
            raise TransportFailure(Phase.CONNECTING, "connection_failed")
        if fate == "request lost":
            raise TransportFailure(Phase.WAITING, "timeout")
        # Of another key: nobody can tell an old yes to the same key from a new one.
        earlier = [raw for key, raw in self.gateway.answered if f'"{key}"'.encode() not in request.body]
        if fate == "another's answer, not forwarded":
            return self._answer(earlier[0] if earlier else b"{}")
        if fate == "forged yes, not forwarded":
            return self._answer(_forged_yes(request), signed=False)
        self.reached.append((request.path, request.body))
        if fate == "late":
            at = self.gateway.time.seconds + min(self.delay, _ACCEPTED_FOR - 1)
            heapq.heappush(self._late, (at, len(self.reached), request.path, request.body))
            raise TransportFailure(Phase.WAITING, "timeout")
        raw = self.gateway.act(request.path, request.body)
        if fate == "duplicated" and self.gateway.keys == "at once":
            raw = self.gateway.act(request.path, request.body)
        if fate == "answer lost":
            raise TransportFailure(Phase.READING, "connection_lost")
        if fate == "html":
            return RawAnswer(502, (), b"<html>")
        if fate == "another's answer" and earlier:
            raw = earlier[0]
        if fate == "unreadable" and b'"data"' in raw:
            raw = json.dumps({**json.loads(raw), "data": {}}).encode()
        if fate == "forged refusal":
            return self._answer(b'{"code":"AMOUNT_LIMIT","msg":""}', signed=False)
        if fate == "forged not-there":
            return self._answer(b'{"code":"ORDER_NOT_EXIST","msg":""}', signed=False)
        return self._answer(raw, signed=fate != "unsigned")

    def _answer(self, raw: bytes, *, signed: bool = True) -> RawAnswer:
        signature = _signature(raw) if signed else "forged"
        date = format_datetime(self.gateway.time.now(), usegmt=True)
        return RawAnswer(200, (("sign", signature), ("Date", date)), raw)


def _forged_yes(request: SignedRequest) -> bytes:
    data = json.loads(request.body)["data"]
    operation = _operation_of(request.path, data)
    shown = _echoed(operation.name, data) if operation.write else data
    return json.dumps(_message(f"{operation.name}.response", shown)).encode()


def _signature(raw: bytes) -> str:
    return hashlib.sha256(b"of the model gateway" + raw).hexdigest()


class _CheapSigner:
    """Nobody verifies requests here."""

    def sign(self, body: bytes, /) -> str:
        return "c2lnbmVk"


class CheapVerifier:
    """As sound as RSA against what the network of these tests does, and a hundred times cheaper."""

    def verify(self, body: bytes, signature: str, /) -> VerifiedBytes:
        if signature != _signature(body):
            raise SignatureProblem("bad_signature")
        return UnsignedAnswers().verify(body, "")


class _Carried:
    def __init__(self, send: Callable[[SignedRequest], RawAnswer]) -> None:
        self._send = send

    def send(self, request: SignedRequest, deadline: float) -> RawAnswer:
        """One exchange; see `exchange.Transport`."""
        return self._send(request)

    def close(self) -> None:
        """Nothing is open."""


def client_of(send: Callable[[SignedRequest], RawAnswer], clock: HostClock) -> Client:
    """A real client of the model gateway."""
    merchant = Merchant(app_id="app_1", private_key=_CheapSigner(), gateway_keys=CheapVerifier())
    return Client(base_url="http://127.0.0.1:1", merchant=merchant, retries=0, clock=clock, transport=_Carried(send))
