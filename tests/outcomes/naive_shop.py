"""Shops without the rules, written by hand as one finds them: so that it shows what the harm is that the rules prevent.

new key           tries again with a new key when no good answer came
one not-there     believes one verified ORDER_NOT_EXIST, and reports the order failed
any body          does not look at signatures: whatever the body says is believed
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Final, Literal

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, RSAPublicKey
from cryptography.hazmat.primitives.hashes import SHA256
from urllib3 import HTTPConnectionPool
from urllib3.exceptions import HTTPError

from paywright.contract import CONTRACT
from paywright_runtime.transport.api import SignedRequest, Transport, TransportFailure
from tests.outcomes.intents import Intent
from tests.outcomes.messages import operation_at
from tests.outcomes.middle import Middle

__all__ = ["HABITS", "Habit", "NaiveShop", "over_urllib3", "through"]

Habit = Literal["new key", "one not-there", "any body"]
HABITS: Final[tuple[Habit, ...]] = ("new key", "one not-there", "any body")

Post = Callable[[str, bytes, dict[str, str]], tuple[int, str, bytes]]
"""Sends a body, and gives status, signature and body of the answer. Raises `OSError` or `HTTPError`."""

_WRITES: Final = {"order": "orders.drop_in", "hosted": "orders.checkout", "refund": "refunds.create"}
_QUERIES: Final = {"order": "orders.query", "hosted": "orders.query", "refund": "refunds.query"}


class NaiveShop:
    """One of the three. It buys everything at once and gives up after three tries."""

    def __init__(
        self, habit: Habit, post: Post, middle: Middle, app_id: str, merchant_no: str | None, key: RSAPrivateKey,
        gateway: RSAPublicKey,
    ) -> None:  # fmt: skip
        self._habit = habit
        self._post = post
        self._middle = middle
        self._ids = {"appId": app_id} | ({"merchantNo": merchant_no} if merchant_no else {})
        self._key = key
        self._gateway = gateway

    def buy(self, intent: Intent) -> Iterator[object]:
        """The same story as the careful shop's."""
        for attempt in range(3):
            key = intent.key if self._habit != "new key" or not attempt else f"{intent.key}_n{attempt}"
            answer = self._ask(_WRITES.get(intent.kind, "exchanges.create"), _data_of(intent, key))
            if answer is not None and answer.get("code") == "APPLY_SUCCESS":
                status = self._field(answer, "status")
                intent.belief = "failed" if intent.kind == "order" and status == "FAILED" else "placed"
                if intent.kind == "order" and status == "PENDING":
                    yield self._middle.clock.now() + timedelta(seconds=10)
                    intent.belief = self._looked(intent, key)
                return
            if answer is not None:
                intent.belief = "failed"
                return
            if self._habit != "new key":
                yield self._middle.clock.now() + timedelta(seconds=5)
                asked = self._looked(intent, key)
                if asked != "unknown":
                    intent.belief = asked
                    return
        intent.belief = "unknown"

    def _looked(self, intent: Intent, key: str) -> Literal["placed", "failed", "unknown"]:
        name = "outRefundNo" if intent.kind == "refund" else "outTradeNo"
        answer = self._ask(_QUERIES.get(intent.kind, "exchanges.query"), {name: key})
        if answer is None:
            return "unknown"
        if answer.get("code") != "APPLY_SUCCESS":
            return "failed"
        return "failed" if self._field(answer, "status") == "FAILED" else "placed"

    def _ask(self, operation: str, data: dict[str, object]) -> dict[str, object] | None:
        facts = CONTRACT.operation(operation)
        assert facts.path is not None
        message = {"version": facts.version, "keyVersion": "1", "requestTime": self._time(), **self._ids, "data": data}
        body = json.dumps(message, separators=(",", ":")).encode()
        sign = b64encode(self._key.sign(body, PKCS1v15(), SHA256())).decode()
        try:
            status, signature, raw = self._post(facts.path, body, {"Content-Type": "application/json", "sign": sign})
            if self._habit != "any body":
                self._gateway.verify(b64decode(signature), raw, PKCS1v15(), SHA256())
            answer = json.loads(raw)
        except (OSError, HTTPError, ValueError, InvalidSignature):
            return None
        return answer if isinstance(answer, dict) and status == 200 else None

    def _time(self) -> str:
        return self._middle.clock.now().isoformat(timespec="milliseconds")

    def _field(self, answer: dict[str, object], name: str) -> object:
        data = answer.get("data")
        return data.get(name) if isinstance(data, dict) else None


def _data_of(intent: Intent, key: str) -> dict[str, object]:
    amount = float(intent.amount)
    if intent.kind == "refund":
        return {"outRefundNo": key, "refundAmount": amount, "refundCurrency": "USD", "outTradeNo": intent.of}
    if intent.kind == "exchange":
        pair = {"ccyPair": "EURUSD", "transactionCcy": "EUR", "targetCcy": "USD", "side": "SELL"}
        return {**pair, "outTradeNo": key, "transactionAmount": str(intent.amount)}
    order: dict[str, object] = {
        "outTradeNo": key, "subject": "Two tickets", "totalAmount": amount, "currency": "USD", "userId": "u1",
        "frontCallbackUrl": "https://shop.example/back", "integrate": "Hosted_Checkout",
    }  # fmt: skip
    if intent.kind == "order":
        order |= {"integrate": "Direct_Payment", "country": "SG", "terminalType": "WEB"}
        order["paymentDetail"] = {"buyerInfo": {"clientIp": "203.0.113.7", "userAgent": "UA"}}
    return order


def through(transport: Transport) -> Post:
    """Posting in the same process, through the same faults as everybody."""

    def post(path: str, body: bytes, headers: dict[str, str]) -> tuple[int, str, bytes]:
        operation_at(path)  # an address of the contract
        try:
            raw = transport.send(SignedRequest(path, tuple(headers.items()), body), 1e12)
        except TransportFailure as failure:
            raise OSError(failure.reason) from None
        return raw.status, ", ".join(raw.get_all("sign")), raw.body

    return post


def over_urllib3(pool: HTTPConnectionPool, timeout: float) -> Post:
    """Posting as the first example of every tutorial does."""

    def post(path: str, body: bytes, headers: dict[str, str]) -> tuple[int, str, bytes]:
        got = pool.urlopen("POST", path, body=body, headers=headers, timeout=timeout, retries=False)
        return got.status, got.headers.get("sign", ""), got.data

    return post
