"""Exchanges before they are written down: bodies as values, signed last, so that a fault can be planted at every stage,
and with each what the audit has to say of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, timezone
from functools import cache
from random import Random
from typing import Any, NamedTuple

from paywright.contract import CONTRACT
from paywright_runtime.contract.operation import Operation

__all__ = ["DAY", "FORMS", "START", "Draft", "Planted", "Side", "Story"]

START = datetime(2025, 6, 1, tzinfo=UTC)
DAY = 86400.0
FORMS = ("records", "har", "packed")
_LOCAL = timezone(timedelta(hours=8))
_GATEWAY = "https://gw.example"
_HOOK = "https://shop.example/hook"
_example = cache(CONTRACT.example)


class Planted(NamedTuple):
    """What has to be found in an exchange. `kind` is the fault's name; a `note` is no finding."""

    kind: str
    operation: str
    part: str
    pointer: str
    code: str
    note: bool = False


@dataclass
class Side:
    """A message. `signer` is whose `sign` header it bears: merchant, gateway or stranger (whose key nobody knows).

    `made` makes the bytes that are signed of the encoded value, `sent` those that are sent of the signed ones, `signs` the
    header's values of the true one. `shown` is how the capture shows the body. `verdict` is what is to be said of `sign`,
    and `snap_verdict` of the bank-style one where there is one.
    """

    value: Any
    signer: str | None
    status: int = 200
    headers: list[list[str]] = field(default_factory=lambda: [["Content-Type", "application/json"]])
    made: Callable[[bytes], bytes] | None = None
    sent: Callable[[bytes], bytes] | None = None
    signs: Callable[[str], Sequence[str]] | None = None
    snap: Callable[[str], Sequence[str]] | None = None
    shown: str = "exact"
    verdict: tuple[str, str] | None = ("valid", "")
    snap_verdict: tuple[str, str] | None = None

    def encoded(self) -> bytes:
        raw = json.dumps(self.value, separators=(",", ":"), ensure_ascii=False).encode(errors="surrogatepass")
        return raw if self.made is None else self.made(raw)

    def header(self, name: str, value: str | None) -> None:
        """Sets a header, or takes it out."""
        self.headers = [pair for pair in self.headers if pair[0] != name]
        if value is not None:
            self.headers.append([name, value])


@dataclass
class Draft:
    """An exchange. `at` is seconds from the start of the capture, `said` what its request says the time is."""

    operation: str
    url: str
    kind: str
    at: float
    asked: Side
    told: Side | None
    form: str = ""
    took: float = 0.012
    expected: list[Planted] = field(default_factory=list)

    @property
    def data(self) -> dict[str, Any]:
        """What is asked for."""
        found: dict[str, Any] = self.asked.value.get("data", self.asked.value)
        return found

    def side(self, part: str) -> Side:
        if part in ("request", "notification"):
            return self.asked
        assert self.told is not None
        return self.told

    def time(self) -> datetime:
        return START + timedelta(seconds=self.at)


class Story:
    """Exchanges about one thing, whose keys nobody else has. `forms` are those that a capture of it may have."""

    def __init__(self, number: int, random: Random) -> None:
        self.number = number
        self.random = random
        self.kind = "clean"
        self.begin = number * 37.0
        self.forms: Sequence[str] = FORMS
        self.drafts: list[Draft] = []

    def key(self, what: str = "ORD") -> str:
        return f"{what}_{self.number}"

    def expect(self, draft: Draft, part: str, pointer: str, code: str, *, note: bool = False) -> None:
        """This has to be found there."""
        draft.expected.append(Planted(self.kind, draft.operation, part, pointer, code, note))

    def call(
        self,
        operation: str,
        data: dict[str, Any] | None = None,
        told: dict[str, Any] | None = None,
        *,
        at: float = 0,
        code: str | None = None,
        answered: bool = True,
    ) -> Draft:
        """A call: `data` and `told` over those of the contract's examples; None takes a member out."""
        facts = CONTRACT.operation(operation)
        asked, answer = self._messages(facts)
        _over(asked, facts.data is not None, data)
        if code is None:
            _over(answer, "data" in answer, told)
        else:
            answer = {facts.succeeds[0] if facts.succeeds else "code": code, **_words(operation)}
        when = self.begin + at
        if "requestTime" in asked:
            asked["requestTime"] = (
                (START + timedelta(seconds=when)).astimezone(_LOCAL).isoformat(timespec="milliseconds")
            )
        asks, tells = Side(asked, "merchant"), Side(answer, "gateway")
        if operation.startswith("snap."):
            self._snap(asks, when, signed=operation == "snap.status")
        path = facts.path or "/api/other"
        draft = Draft(operation, f"{_GATEWAY}{path}", "call", when, asks, tells if answered else None)
        return self._told(draft)

    def notify(self, operation: str, data: dict[str, Any], *, at: float = 0) -> Draft:
        """A notification that the contract shows, or a question to the merchant."""
        facts = CONTRACT.operation(operation)
        asked, answer = self._messages(facts)
        _over(asked, "data" in asked, data)
        if "notifyTime" in asked:
            asked["notifyTime"] = (START + timedelta(seconds=self.begin + at)).isoformat(timespec="milliseconds")
        return self._inbound(operation, asked, answer, at)

    def unshown(self, kind: str, data: dict[str, Any], *, at: float = 0, app: str = "appId-1") -> Draft:
        """A notification of a type that the contract does not show."""
        asked = {"code": "APPLY_SUCCESS", "msg": "Success.", "appId": app, "notifyType": kind, "data": data}
        return self._inbound("", asked, {"code": "SUCCESS", "msg": "Success"}, at)

    def other(self, at: float = 0) -> Draft:
        """Something that is none of the contract's."""
        asked, told = Side({"n": self.number}, None, verdict=None), Side([], None, verdict=None)
        return self._told(Draft("", "https://shop.example/app.js", "call", self.begin + at, asked, told))

    def _inbound(self, operation: str, asked: object, answer: object, at: float) -> Draft:
        told = Side(answer, None, verdict=None)
        return self._told(Draft(operation, _HOOK, "notify", self.begin + at, Side(asked, "gateway"), told))

    def _messages(self, facts: Operation) -> tuple[dict[str, Any], dict[str, Any]]:
        one, other = (deepcopy(_example(f"{facts.name}.{part}")) for part in facts.roles)
        assert isinstance(one, dict)
        assert isinstance(other, dict)
        return one, other

    def _snap(self, side: Side, when: float, *, signed: bool) -> None:
        stamp = (START + timedelta(seconds=when)).isoformat(timespec="milliseconds")
        number = f"{self.number}-{len(self.drafts)}"
        side.headers += [
            ["X-TIMESTAMP", stamp],
            ["X-PARTNER-ID", "P1"],
            ["X-EXTERNAL-ID", number],
            ["CHANNEL-ID", "95221"],
        ]
        side.snap_verdict = ("valid", "")
        if not signed:
            side.signer, side.verdict = None, None

    def _told(self, draft: Draft) -> Draft:
        self.drafts.append(draft)
        return draft

    # What a shop does, each a step of its own.

    def order(self, key: str | None = None, *, at: float = 0, amount: float = 10.5, **more: Any) -> Draft:
        key = key or self.key()
        data = {"outTradeNo": key, "totalAmount": amount, "userId": f"user_{self.number}", **more.pop("data", {})}
        told = {"outTradeNo": key, "tradeToken": f"TT{key}", **more.pop("told", {})}
        return self.call(more.pop("operation", "orders.checkout"), data, told, at=at, **more)

    def ask(self, key: str | None = None, *, at: float = 60, status: str = "PENDING", **more: Any) -> Draft:
        key = key or self.key()
        amounts = {side: {"amount": "10.50", "currency": "USD"} for side in ("trade", "source", "destination")}
        begun = (START + timedelta(seconds=self.begin)).isoformat(timespec="milliseconds")
        told = {"outTradeNo": key, "status": status, **amounts}
        told |= {"transactionUtcTime": begun, **more.pop("told", {})}
        return self.call("orders.query", {"outTradeNo": key}, told, at=at, **more)

    def absent(self, *, at: float) -> Draft:
        return self.ask(at=at, code="ORDER_NOT_EXIST")

    def refund(self, key: str = "", amount: float = 4.25, *, at: float = 300, **more: Any) -> Draft:
        key = key or self.key("REF")
        data = {"outRefundNo": key, "refundAmount": amount, "outTradeNo": self.key(), **more.pop("data", {})}
        told = {"outRefundNo": key, "refundTradeNo": f"RT{key}", **more.pop("told", {})}
        return self.call("refunds.create", data, told, at=at, **more)

    def ask_refund(self, key: str = "", *, at: float = 360, status: str = "REFUND_SUCCESS", **more: Any) -> Draft:
        key = key or self.key("REF")
        words = "no" if status == "REFUND_FAILED" else ""
        told = {"outRefundNo": key, "outTradeNo": self.key(), "status": status, "resultMsg": words}
        return self.call("refunds.query", {"outRefundNo": key}, {**told, **more.pop("told", {})}, at=at, **more)

    def paid(self, *, at: float = 90, status: str = "SUCCESS", amount: str = "10.50", currency: str = "USD") -> Draft:
        """The notification that an order is paid."""
        data = {"outTradeNo": self.key(), "status": status, "totalAmount": amount, "currency": currency}
        return self.unshown("PAYMENT", data, at=at)

    def exchange(self, *, at: float = 0, status: str = "SUCCESS", **more: Any) -> Draft:
        key = self.key("EXC")
        data = {"outTradeNo": key, "rateVersion": key, **more.pop("data", {})}
        return self.call("exchanges.create", data, {"outTradeNo": key, "status": status}, at=at, **more)

    def ask_exchange(self, *, at: float = 60, status: str = "SUCCESS") -> Draft:
        key = self.key("EXC")
        return self.call("exchanges.query", {"outTradeNo": key}, {"outTradeNo": key, "status": status}, at=at)

    def plan(self, *, at: float = 0, **more: Any) -> Draft:
        key = self.key("SUB")
        data = {"subscriptionRequestId": key, "userId": f"user_{self.number}"}
        return self.call("subscriptions.create", data, {"subscriptionRequestId": key}, at=at, **more)

    def period(self, *, at: float = 60, status: str = "PENDING") -> Draft:
        draft = self.notify("notifications.subscription_payment", {"subscriptionRequestId": self.key("SUB")}, at=at)
        data = draft.data
        data["subscriptionPlan"]["subscriptionNo"] = self.key("PLAN")
        data["subscriptionPaymentDetail"]["paymentStatus"] = status
        return draft

    def transfer(self, *, at: float = 0, status: str = "TO_BE_PROVED") -> Draft:
        return self.notify("notifications.receive", {"requestNo": self.key("TRF"), "status": status}, at=at)

    def withdrawal(self, *, at: float = 0, status: str = "PROCESSING") -> Draft:
        key = self.key("WD")
        return self.call("withdrawals.query", {"outTradeNo": key}, {"outTradeNo": key, "status": status}, at=at)

    def bank(self, *, at: float = 0, status: str = "03") -> Draft:
        key = self.key("OPR")
        told = {"originalPartnerReferenceNo": key, "latestTransactionStatus": status, "refundHistory": None}
        return self.call("snap.status", {"originalPartnerReferenceNo": key}, told, at=at)

    def cancel(self, *, at: float = 0) -> Draft:
        key = self.key("OPR")
        told = {"originalPartnerReferenceNo": key, "additionalInfo": {"latestTransactionStatus": "05"}}
        return self.call("snap.cancel", {"originalPartnerReferenceNo": key}, told, at=at)

    def bill(self, *, at: float = 0) -> Draft:
        draft = self.notify("merchant.validate_bill_payment", {"referenceNo": self.key("BILL")}, at=at)
        draft.side("response").value["data"]["referenceNo"] = self.key("BILL")
        return draft

    def any(self, operation: str, at: float = 0) -> Draft:
        """A good call of any operation."""
        steps: dict[str, Callable[[], Draft]] = {
            "orders.checkout": lambda: self.order(at=at),
            "orders.drop_in": lambda: self.order(at=at, operation="orders.drop_in"),
            "orders.query": lambda: self.ask(at=at),
            "refunds.create": lambda: self.refund(at=at),
            "refunds.query": lambda: self.ask_refund(at=at),
            "exchanges.create": lambda: self.exchange(at=at),
            "exchanges.query": lambda: self.ask_exchange(at=at),
            "subscriptions.create": lambda: self.plan(at=at),
            "notifications.subscription_payment": lambda: self.period(at=at),
            "notifications.receive": lambda: self.transfer(at=at),
            "merchant.validate_bill_payment": lambda: self.bill(at=at),
            "withdrawals.query": lambda: self.withdrawal(at=at),
            "snap.status": lambda: self.bank(at=at),
            "snap.cancel": lambda: self.cancel(at=at),
        }
        if operation in steps:
            return steps[operation]()
        draft = self.call(operation, at=at)
        for token in draft.side("response").value.get("data", {}).get("tokenList", ()):
            token["paymentTokenID"] = self.key("PTK")
        return draft


def _over(message: dict[str, Any], inside: bool, data: dict[str, Any] | None) -> None:
    target = message["data"] if inside else message
    for name, value in (data or {}).items():
        if value is None:
            target.pop(name, None)
        else:
            target[name] = value


def _words(operation: str) -> dict[str, str]:
    return {"responseMessage": "Failed"} if operation.startswith("snap.") else {"msg": "Failed"}
