"""Events of orders, refunds, exchanges, bank-style payments, withdrawals, transfers and periods, and their exchanges."""

from __future__ import annotations

import json
from copy import deepcopy
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any, Final

from paywright.contract import CONTRACT
from paywright_audit.input.records import Body, Exact, Exchange, Lost, Message
from paywright_audit.judging.signatures import VALID, Keys, SignatureVerdict

__all__ = ["Event", "Trusting", "exchange_of"]

START: Final = datetime(2025, 6, 1, 12, tzinfo=UTC)
ANSWERS: Final = (
    "yes", "yes", "yes", "refused", "repeated", "other", "none", "none", "gateway timeout", "redirected", "not sent", "lost",
    "forged", "unsigned", "echo",
)  # fmt: skip
CREATED: Final = {
    "orders.checkout": ("PENDING",),
    "orders.drop_in": ("PENDING", "SUCCESS"),
    "refunds.create": ("REFUND_PENDING", "REFUND_PENDING", "REFUND_FAILED"),
    "exchanges.create": ("PENDING", "SUCCESS", "FAILED"),
    "subscriptions.create": ("",),
}


@dataclass(frozen=True, slots=True)
class Event:
    """One exchange. `id` is its number in the capture, `file` which file it stands in; `at` and `until` are what that says.

    `answer` is one of `ANSWERS`; of an inquiry `absent` too. `content` is what a write says beside its key and amount. `hidden`
    is True where the capture lost the request's body. `app` and `merchant` are the names it gives (None: it does not). `said` is
    a notification's time, `wrote` the one that a request says, None for `at`. `token` is the service's id that a write answers or a refund names, `copy` the event it repeats.
    """

    id: int
    file: int
    at: float
    until: float
    operation: str
    key: str
    answer: str = "yes"
    state: str = ""
    content: str = "a"
    amount: str | None = None
    currency: str = "USD"
    app: str | None = None
    merchant: str | None = None
    hidden: bool = False
    said: float | None = None
    token: str | None = None
    order: str | None = None
    alias: bool = False
    proven: bool = True
    copy: int | None = None
    wrote: float | None = None

    @property
    def signed(self) -> float:
        """The time that a request says."""
        return self.at if self.wrote is None else self.wrote


class Trusting(Keys):
    """Judges by what a test wrote into `sign`: that signatures are judged rightly is another test's matter."""

    def __init__(self) -> None:
        super().__init__((), ())
        self.last = 1

    def judge_one(self, message: Message, signature: object, **_: Any) -> SignatureVerdict:
        states = {
            "good": VALID,
            "bad": SignatureVerdict("invalid", "bad", ""),
            None: SignatureVerdict("absent", "absent", ""),
        }
        return states.get(
            signature if isinstance(signature, str) else None, SignatureVerdict("unverifiable", "no_key", "")
        )

    def judge_snap(self, message: Message, path: str | None, **_: Any) -> SignatureVerdict:
        return SignatureVerdict("unverifiable", "no_key", "")


_KEYS: Final = {
    "refunds.create": "outRefundNo", "refunds.query": "outRefundNo",
    "subscriptions.create": "subscriptionRequestId",
    "snap.status": "originalPartnerReferenceNo", "snap.cancel": "originalPartnerReferenceNo",
}  # fmt: skip
_example = cache(CONTRACT.example)


def exchange_of(event: Event) -> Exchange:
    """The exchange, as a reader of captures makes it."""
    asked, told = _bodies(event)
    sign = {"forged": "bad", "unsigned": None}.get(event.answer, "good" if event.proven else "unknown")
    notified = event.operation[:1].isupper() or event.operation.startswith("notifications.")
    headers = [("Content-Type", "application/json")]
    if event.operation.startswith("snap."):
        stamp = (START + timedelta(seconds=event.signed)).isoformat(timespec="microseconds")
        headers += [("X-TIMESTAMP", stamp), ("X-PARTNER-ID", str(event.app)), ("X-EXTERNAL-ID", f"{event.id}-x")]
        headers += [("CHANNEL-ID", "1"), ("X-SIGNATURE", "x")]
    mark = sign if notified else "good"
    request = Message(headers + ([("sign", mark)] if mark else []), _bytes(asked, lost=event.hidden))
    path = None if notified else CONTRACT.operation(event.operation).path
    answer: Message | None = None
    if notified:
        answer = Message([], Exact(b'{"code":"SUCCESS","msg":"Success"}'), 200)
    elif event.answer not in ("none", "not sent"):
        status = {"gateway timeout": 504, "redirected": 307}.get(event.answer, 200)
        back = [("Content-Type", "application/json"), *([("sign", sign)] if sign else [])]
        answer = Message(back, _bytes(told, lost=event.answer == "lost"), status)
    return Exchange(
        "line", f"https://h{path}" if path else "https://shop/n", request, answer, "notify" if notified else "call",
        START.timestamp() + event.at, START.timestamp() + event.until, event.id, None,
        False if event.answer == "not sent" else None,
    )  # fmt: skip


def _bytes(value: object, *, lost: bool) -> Body:
    return Lost() if lost else Exact(json.dumps(value, separators=(",", ":")).encode())


def _bodies(event: Event) -> tuple[dict[str, Any], dict[str, Any]]:
    if event.operation[:1].isupper():
        return _unshown(event), {}
    facts = CONTRACT.operation(event.operation)
    asked, told = (deepcopy(_example(f"{facts.name}.{part}")) for part in facts.roles)
    assert isinstance(asked, dict)
    assert isinstance(told, dict)
    if facts.inbound:
        _owner(event, asked)
        if event.said is not None:
            asked["notifyTime"] = (START + timedelta(seconds=event.said)).isoformat(timespec="microseconds")
        else:
            asked.pop("notifyTime", None)
        if event.operation == "notifications.receive":
            asked["data"] |= {"requestNo": event.key, "status": event.state}
        else:
            detail = asked["data"]["subscriptionPaymentDetail"]
            asked["data"]["subscriptionPlan"]["subscriptionNo"] = event.key
            detail |= {
                "paymentStatus": event.state,
                "payAmount": {"amount": float(event.amount or 0), "currency": "USD"},
            }
            detail["lastPaymentInfo"]["tradeToken"] = event.token or f"other{event.key}"
        return asked, told
    if "requestTime" in asked:
        asked["requestTime"] = (START + timedelta(seconds=event.signed)).isoformat(timespec="microseconds")
    data = asked.get("data", asked)
    answered = told.get("data", told)
    _owner(event, asked)
    member = _KEYS.get(event.operation, "outTradeNo")
    data[member] = event.key
    answered[member] = event.key if event.answer != "echo" else f"{event.key}-of-another"
    _fill(event, data, answered)
    if event.answer in ("refused", "repeated", "other", "absent"):
        codes = {
            "refused": facts.refusal_codes,
            "repeated": facts.duplicate_codes,
            "absent": facts.not_found_codes,
        }.get(event.answer, frozenset())
        code = min(codes, default="SOMETHING_ELSE")
        told = {facts.succeeds[0] if facts.succeeds else "code": code, "msg": "no"}
    return asked, told


def _fill(event: Event, data: dict[str, Any], answered: dict[str, Any]) -> None:
    operation = event.operation
    if operation.startswith("orders."):
        if operation == "orders.query":
            answered |= {"status": event.state, "trade": {"amount": event.amount, "currency": event.currency}}
            answered["transactionUtcTime"] = ""
        else:
            data |= {"totalAmount": float(event.amount or 0), "currency": event.currency, "subject": event.content}
            answered |= {"status": event.state, "tradeToken": event.token or f"X{event.key}"}
    elif operation == "refunds.create":
        data |= {"refundAmount": float(event.amount or 0), "refundCurrency": event.currency, "comments": event.content}
        data |= {"outTradeNo": event.order, "tradeToken": event.token}
        answered |= {"status": event.state, "refundTradeNo": f"R{event.key}", "tradeOrderNo": "x"}
    elif operation == "refunds.query":
        answered |= {"status": event.state, "refundAmount": float(event.amount or 0), "refundCurrency": event.currency}
        answered |= {"refundTradeNo": f"R{event.key}", "outTradeNo": "x"}
        if event.alias:
            data.pop("outRefundNo")
            answered.pop("outRefundNo")
            data["refundTradeNo"] = f"R{event.key}"
            if event.answer == "echo":
                answered["refundTradeNo"] = "R-of-another"
        else:
            data.pop("refundTradeNo", None)
    elif operation == "exchanges.create":
        data["transactionAmount"] = "1.00" if event.content == "a" else "2.00"
        answered["status"] = event.state
    elif operation == "subscriptions.create":
        data["subscriptionPlan"]["subject"] = event.content
    elif operation == "withdrawals.query":
        answered |= {"status": event.state, "transactionAmount": event.amount, "transactionCurrency": event.currency}
    elif operation == "exchanges.query":
        answered["status"] = event.state
    elif operation == "snap.status":
        answered["latestTransactionStatus"] = event.state
        answered.pop("refundHistory", None)
    elif operation == "snap.cancel":
        answered["additionalInfo"] = {"latestTransactionStatus": event.state}


def _owner(event: Event, asked: dict[str, Any]) -> None:
    if event.operation.startswith("snap."):
        asked.pop("merchantId", None)
        asked["externalStoreId"] = str(event.signed)
        if event.merchant is not None:
            asked["merchantId"] = event.merchant
        return
    asked["appId"] = event.app
    asked.pop("merchantNo", None)
    if event.merchant is not None:
        asked["merchantNo"] = event.merchant
    if "notifyType" in asked:
        asked["msg"] = str(event.signed)


def _unshown(event: Event) -> dict[str, Any]:
    names = {
        "PAYMENT": ("outTradeNo", "totalAmount", "currency"),
        "REFUND": ("outRefundNo", "refundAmount", "refundCurrency"),
        "WITHDRAW": ("outTradeNo", "transactionAmount", "transactionCurrency"),
    }[event.operation]
    data = dict(zip(names, (event.key, event.amount, event.currency), strict=True))
    body: dict[str, Any] = {"notifyType": event.operation, "code": "APPLY_SUCCESS", "data": {**data, "status": event.state}}  # fmt: skip
    _owner(event, body)
    if event.said is not None:
        body["notifyTime"] = (START + timedelta(seconds=event.said)).isoformat(timespec="microseconds")
    return body
