"""Drawn histories of orders, refunds, exchanges, bank-style payments, withdrawals, transfers and periods, and their exchanges.

A history is a list of events: what was sent, what came, and what the capture has of it. Nothing here judges.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import cache
from random import Random
from typing import Any, Final

from paywright.contract import CONTRACT
from paywright_audit.input.records import Body, Exact, Exchange, Lost, Message
from paywright_audit.judging.signatures import VALID, Keys, SignatureVerdict

__all__ = ["Event", "Trusting", "draw", "exchange_of"]

START: Final = datetime(2025, 6, 1, 12, tzinfo=UTC)
ANSWERS: Final = (
    "yes", "yes", "yes", "refused", "repeated", "other", "none", "none", "gateway timeout", "redirected", "not sent", "lost",
    "forged", "unsigned", "echo",
)  # fmt: skip
_WHOLE: Final = tuple(one for one in ANSWERS if one not in ("lost", "forged"))
"""The answers of a capture from which nothing is missing: of a forged one, somebody may have had the key."""
STATE_LISTS: Final = {
    "orders": "OrderStatus", "refunds": "RefundStatus", "exchanges": "ExchangeStatus", "withdrawals": "WithdrawStatus",
    "bank": "SnapTransactionStatus", "transfers": "TransferStatus", "periods": "PeriodPaymentStatus",
}  # fmt: skip
"""The list of the states of each family, in the contract."""
_SHOWN_BY: Final = {
    "orders.query": "orders", "refunds.query": "refunds", "exchanges.query": "exchanges", "withdrawals.query": "withdrawals",
    "snap.status": "bank", "notifications.receive": "transfers", "notifications.subscription_payment": "periods",
}  # fmt: skip
_BLANK: Final = ("orders", "refunds")  # their inquiries may leave the state empty
STATES: Final = {
    operation: (*CONTRACT.set(STATE_LISTS[family]).values, *([""] if family in _BLANK else []))
    for operation, family in _SHOWN_BY.items()
}
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


def draw(random: Random, number: int, first: int) -> list[Event]:
    """A history of several rounds, in the order of its writing down; ids count from `first`."""
    kind = random.choice(
        ("order",) * 4 + ("refund",) * 3 + ("exchange", "plan", "bank", "withdrawal", "transfer", "period")
    )
    clocks = [random.choice((0.0, 0.0, 0.0, 3.0, -6.0, 40.0)) for _ in range(2)]
    names = [(f"app{number}", None), (f"app{number}", f"m{number}")]
    if random.random() < 0.15:
        names += [(f"other{number}", f"m{number}"), (f"third{number}", f"n{number}")]
    drawer = _Drawer(random, number, names, clocks)
    now = 0.0
    for _ in range(random.randrange(2, 11)):
        now += random.choice((0.1, 0.4, 2, 5, 9.99, 10, 14, 60, 150, 289.96, 299.95, 300, 311, 600, 16_000_000))
        drawer.step(kind, now)
    events = drawer.events
    if random.random() < 0.2:  # a capture that begins in the middle
        events = events[random.randrange(len(events)) :]
    for event in list(events):
        if random.random() < 0.04:  # the same exchange in another file, or twice in one
            late = random.choice((0.0, 0.0, 0.5, 9.0))
            other = random.choice((event.file, 1 - event.file))
            at, until = event.at + late, event.until + late
            events.append(replace(event, file=other, at=at, until=until, copy=event.id))
    order = list(range(len(events)))
    random.shuffle(order)
    numbered = {event.id: first + place for place, event in zip(order, events, strict=True) if event.copy is None}
    made = []
    for place, event in zip(order, events, strict=True):
        copy = None if event.copy is None else numbered.get(event.copy)
        made.append(replace(event, id=first + place, copy=copy))
    return sorted(made, key=lambda event: event.id)


class _Drawer:
    """Draws events of one kind of subject, of which there are two keys."""

    def __init__(
        self, random: Random, number: int, names: list[tuple[str | None, str | None]], clocks: list[float]
    ) -> None:
        self.random = random
        self.number = number
        self.names = names
        self.clocks = clocks
        self.events: list[Event] = []

    def add(self, now: float, operation: str, key: str, **more: Any) -> None:
        random = self.random
        file = int(random.random() < 0.3)
        at = round(now + self.clocks[file] + len(self.events) * 1e-6, 6)  # so that no two have equal bytes by chance
        until = at + (random.choice((0.2, 3.0, 30.0)) if random.random() < 0.4 else 0.0)
        if more.get("said") is not None:
            more["said"] = round(more["said"] + now + len(self.events) * 1e-6, 6)
        app, merchant = random.choice(self.names)
        if operation == "withdrawals.query":
            merchant = None  # it names a member
        self.events.append(
            Event(
                len(self.events), file, at, until, operation, key,
                app=app, merchant=merchant, proven=random.random() < 0.8,
                wrote=at, **more,
            )
        )  # fmt: skip

    def step(self, kind: str, now: float) -> None:
        random = self.random
        key = random.choice(("A", "A", "A", "B")) + str(self.number)
        if kind == "order":
            if random.random() < 0.1:
                key = key.lower()
            self._order(now, key)
        elif kind == "refund":
            self._refund(now, key)
        elif kind in ("exchange", "plan"):
            write = "exchanges.create" if kind == "exchange" else "subscriptions.create"
            if kind == "plan" or random.random() < 0.5:
                self.write(now, write, key)
            else:
                self.query(now, "exchanges.query", key)
        elif kind == "bank":
            if random.random() < 0.3:
                self.add(now, "snap.cancel", key, answer=random.choice(_WHOLE), state="05")
            else:
                self.query(now, "snap.status", key)
        elif kind == "withdrawal":
            if random.random() < 0.3:
                self.notice(now, "WITHDRAW", key, STATES["withdrawals.query"])
            else:
                self.query(now, "withdrawals.query", key)
        else:
            operation = "notifications.receive" if kind == "transfer" else "notifications.subscription_payment"
            self.notice(now, operation, key, STATES[operation])

    def _order(self, now: float, key: str) -> None:
        draw = self.random.random()
        if draw < 0.45:
            self.write(now, self.random.choice(("orders.checkout", "orders.drop_in")), key)
        elif draw < 0.85:
            self.query(now, "orders.query", key)
        else:
            self.notice(now, "PAYMENT", key, STATES["orders.query"][:-1])

    def _refund(self, now: float, key: str) -> None:
        random = self.random
        draw, order = random.random(), f"O{self.number}"
        if draw < 0.15:
            self.add(now, "orders.checkout", order, amount="10.00", token=f"T{order}", state="PENDING", answer="yes")
        elif draw < 0.3:
            amount = random.choice(("10.00", "10.00", "4.00"))
            self.query(now, "orders.query", order, amount=amount, state=random.choice(("SUCCESS", "FAILED", "PENDING")))
        elif draw < 0.35:
            self.add(
                now, "notifications.subscription_payment", f"P{self.number}", token=f"T{order}", amount="3.00",
                state=random.choice(("SUCCESS", "FAILED")), said=random.choice((None, 0)),
            )  # fmt: skip
        elif draw < 0.75:
            by_token = random.random() < 0.3
            self.write(
                now, "refunds.create", key, amount=random.choice(("4.00", "6.00", "7.00", "-1.00")),
                currency=random.choice(("USD",) * 8 + ("EUR",)), token=f"T{order}" if by_token else None,
                order=None if by_token else order,
            )  # fmt: skip
        elif draw < 0.95:
            self.query(now, "refunds.query", key, alias=random.random() < 0.2)
        else:
            self.notice(now, "REFUND", key, STATES["refunds.query"][:-1])

    def write(self, now: float, operation: str, key: str, **more: Any) -> None:
        random = self.random
        more.setdefault("amount", "10.00" if operation.startswith("orders") else None)
        self.add(
            now, operation, key, answer=random.choice(_WHOLE), content=random.choice("aaab"),
            state=random.choice(CREATED[operation]), **more,
        )  # fmt: skip

    def query(self, now: float, operation: str, key: str, **more: Any) -> None:
        random = self.random
        answers = ("yes",) * 5 + ("absent",) * 4 + ("none", "unsigned", "other", "echo")
        more.setdefault("state", random.choice(STATES[operation]))
        more.setdefault("amount", random.choice(("10.00", "10.00", "10", "9.00")))
        self.add(now, operation, key, answer=random.choice(answers), **more)

    def notice(self, now: float, kind: str, key: str, states: Sequence[str]) -> None:
        random = self.random
        self.add(
            now, kind, key, state=random.choice(states), amount=random.choice(("10.00", "10.0", "9.00")),
            said=random.choice((None, 0, 0, -40.0)), answer=random.choice(("yes",) * 6 + ("forged",)),
        )  # fmt: skip


_KEYS: Final = {
    "refunds.create": "outRefundNo",
    "refunds.query": "outRefundNo",
    "subscriptions.create": "subscriptionRequestId",
    "snap.status": "originalPartnerReferenceNo",
    "snap.cancel": "originalPartnerReferenceNo",
}
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
        START.timestamp() + event.at, START.timestamp() + event.until, event.id, event.id, None,
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
    body: dict[str, Any] = {
        "notifyType": event.operation,
        "code": "APPLY_SUCCESS",
        "data": {**data, "status": event.state},
    }
    _owner(event, body)
    if event.said is not None:
        body["notifyTime"] = (START + timedelta(seconds=event.said)).isoformat(timespec="microseconds")
    return body
