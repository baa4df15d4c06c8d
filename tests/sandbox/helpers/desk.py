"""A client of the engine itself, without a socket: it signs, and it verifies and judges every answer it gets."""

import json
from copy import copy
from decimal import Decimal
from pathlib import Path
from typing import Any

from paywright import contract, validate
from paywright_runtime import strict_json
from paywright_runtime.clock import FixedClock
from paywright_runtime.contract import formats
from paywright_runtime.signing.keys import load_private_key, load_public_key
from paywright_runtime.signing.rsa import RsaSigner, RsaVerifier
from paywright_sandbox.control.api import control
from paywright_sandbox.engine.engine import Engine
from paywright_sandbox.engine.responses import HttpReply
from paywright_sandbox.engine.settings import BIZ_PATH
from tests.support.keys import key_pair

PLACE = "/aggregate-pay/api/gateway/orderAndPay"
HOOK = "http://127.0.0.1:9/subscriptions"


class Desk:
    def __init__(self, engine: Engine, folder: Path, clock: FixedClock) -> None:
        self.engine = engine
        self.clock = clock
        self.signer = RsaSigner(load_private_key(folder / "keys" / "merchant.key"))
        self.verifier = RsaVerifier([load_public_key(folder / "keys" / "gateway.pub")])

    app_id = "app_sandbox_1"
    merchant_no = "MN0000000000001"

    def another(self, **entry: Any) -> "Desk":
        """A desk of a second merchant of the same sandbox, with a key of its own."""
        pair = key_pair(2)
        asked = {"appId": "app_2", "merchantNo": "MN0000000000002", "publicKey": pair.public_pem, **entry}
        assert self.control("POST", "merchants", asked)["httpStatus"] == 200
        other = copy(self)
        other.signer = RsaSigner(load_private_key(pair.private_pem))
        other.app_id, other.merchant_no = "app_2", "MN0000000000002"
        return other

    def envelope(self, operation: str, data: dict[str, Any], **root: Any) -> dict[str, Any]:
        facts = contract.operation(operation)
        return {
            "version": facts.version, "keyVersion": "1",
            "requestTime": formats.write_request_time(self.clock.now()),
            "appId": self.app_id, "merchantNo": self.merchant_no, "data": data, **root,
        }  # fmt: skip

    def call(self, operation: str, data: dict[str, Any], **root: Any) -> dict[str, Any]:
        return self.send(operation, self.envelope(operation, data, **root))

    def send(self, operation: str, message: dict[str, Any]) -> dict[str, Any]:
        raw = strict_json.write(message)
        return self.raw(operation, raw, [("sign", self.signer.sign(raw))])

    def raw(self, operation: str, raw: bytes, headers: list[tuple[str, str]]) -> dict[str, Any]:
        path = contract.operation(operation).path or BIZ_PATH
        self.reply = self.engine.handle("POST", path, [("content-type", "application/json"), *headers], raw)
        assert self.reply.status == 200
        return self.judged(operation, self.reply)

    def judged(self, operation: str | None, reply: HttpReply) -> dict[str, Any]:
        """The answer, once its signature holds and the contract has nothing against it."""
        (signature,) = [value for name, value in reply.headers if name == "sign"]
        self.verifier.verify(reply.body, signature)
        if operation is not None:
            assert validate(operation, "response", reply.body, headers=reply.headers) == []
        answer: dict[str, Any] = json.loads(reply.body, parse_float=Decimal)
        assert len(answer.get("msg", "")) <= 256
        return answer

    @property
    def policy(self) -> str | None:
        """The policy that decided the last answer."""
        return dict(self.reply.headers).get("x-sandbox-policy")

    def control(self, method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        raw = b"" if body is None else strict_json.write(body)
        reply = control(self.engine, method, f"/_sandbox/{path}", [("X-Sandbox", "1")], raw)
        return {"httpStatus": reply.status, **json.loads(reply.body)}

    # The common calls

    def checkout(self, key: str, amount: Any = Decimal("10.50"), **more: Any) -> dict[str, Any]:
        return self.call("orders.checkout", checkout_data(key, amount, **more))

    def drop_in(self, key: str, amount: Any, detail: Any = None, **more: Any) -> dict[str, Any]:
        data = checkout_data(key, amount, integrate="Direct_Payment", country="SG", terminalType="WEB", **more)
        data["paymentDetail"] = {"buyerInfo": {"clientIp": "203.0.113.7", "userAgent": "Mozilla/5.0"}, **(detail or {})}
        return self.call("orders.drop_in", data)

    def query(self, key: str) -> dict[str, Any]:
        return self.call("orders.query", {"outTradeNo": key})

    def refund(self, key: str, amount: Any, currency: str = "USD", **order: Any) -> dict[str, Any]:
        return self.call(
            "refunds.create", {"outRefundNo": key, "refundAmount": amount, "refundCurrency": currency, **order}
        )

    def refund_query(self, **by: Any) -> dict[str, Any]:
        return self.call("refunds.query", by)

    def paid(self, key: str, amount: Any = Decimal("10.50"), **more: Any) -> str:
        """A paid order; returns its tradeToken."""
        token = self.checkout(key, amount, **more)["data"]["tradeToken"]
        assert self.control("POST", f"orders/{key}/pay")["status"] == "SUCCESS"
        return str(token)


def checkout_data(key: str, amount: Any = Decimal("10.50"), **more: Any) -> dict[str, Any]:
    return {
        "outTradeNo": key, "integrate": "Hosted_Checkout", "subject": "Two tickets", "totalAmount": amount,
        "currency": "USD", "userId": "user_1",
        "frontCallbackUrl": "https://shop.example/back",
        **more,
    }  # fmt: skip


def exchange(desk: Desk, key: str, pair: str, side: str, amount: str, **more: Any) -> dict[str, Any]:
    data = {
        "ccyPair": pair, "outTradeNo": key, "side": side, "transactionAmount": amount, "transactionCcy": pair[:3],
        "targetCcy": pair[3:],
    }  # fmt: skip
    return desk.call("exchanges.create", data | more)


def shown_rate(desk: Desk, product: str, side: str, pair: str) -> dict[str, Any]:
    asked = [{"side": side, "transactionCurrency": pair[:3], "targetCurrency": pair[3:]}]
    answer = desk.call("rates.query", {"ccyPairList": asked, "product": product})
    return dict(answer["data"]["currencyList"][0])


def plan_data(
    amount: Any = Decimal("9.90"), periods: int = 3, unit: str = "D", count: int = 1, **more: Any
) -> dict[str, Any]:
    return {
        "subject": "Daily",
        "totalPeriods": periods,
        "periodRule": {"periodUnit": unit, "periodCount": count},
        "periodAmount": {"amount": amount, "currency": "USD"},
        "prices": [],
        **more,
    }


def create(desk: Desk, key: str = "SREQ_1", asked: dict[str, Any] | None = None) -> dict[str, Any]:
    data = {"subscriptionRequestId": key, "userId": "user_1", "callbackUrl": HOOK}
    return desk.call("subscriptions.create", {**data, "subscriptionPlan": asked or plan_data()})


def created(desk: Desk, asked: dict[str, Any] | None = None, key: str = "SREQ_1") -> str:
    return str(create(desk, key, asked)["data"]["subscriptionPlan"]["subscriptionNo"])


def listed(desk: Desk, user: str = "user_1", **by: Any) -> list[dict[str, Any]]:
    answer = desk.call("payment_tokens.list", {"userId": user, **by})
    return list(answer["data"]["tokenList"])


def bound(desk: Desk, key: str = "BIND_1", card: str = "4444333322221111", **more: Any) -> str:
    """A token saved with a paid order; returns its id."""
    desk.checkout(key, paymentDetail={"tokenForFutureUse": True}, **more)
    assert desk.control("POST", f"orders/{key}/pay", {"card": card})["status"] == "SUCCESS"
    return str(listed(desk, more.get("userId", "user_1"))[-1]["paymentTokenID"])
