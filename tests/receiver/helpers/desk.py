"""What the tests of the receiver share: a service with a real key that signs notifications, and receivers with real ledgers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from copy import deepcopy
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey

from paywright import FixedClock, Ledger, Receiver, Reply, RsaSigner, RsaVerifier, contract
from paywright_receiver import SqliteLedger
from tests.support.keys import key_pair
from tests.support.pairs import Choose, another_tenth, by_pairs, every

APP = "app_1"
MERCHANT = "M100200300"
POSTGRES = pytest.param("postgres", marks=pytest.mark.slow)
MARIADB = pytest.param("mariadb", marks=pytest.mark.slow)
SERVERS = (POSTGRES, MARIADB)
LONG = (POSTGRES, pytest.param("mariadb", marks=pytest.mark.full))


def cells_on(ledgers: str) -> pytest.MarkDecorator:
    """Part of a table on each ledger that a fixture makes, another tenth of it on SQLite (slow), and all of it (full)."""
    cases: list[tuple[str, Choose, str, tuple[pytest.MarkDecorator, ...]]] = [
        ("sqlite", by_pairs, "sqlite-in part", ()),
        ("sqlite", another_tenth, "sqlite-another tenth", (pytest.mark.slow,)),
        ("sqlite", every, "sqlite-all", (pytest.mark.full,)),
        ("postgres", by_pairs, "postgres-in part", (pytest.mark.slow,)),
        ("postgres", every, "postgres-all", (pytest.mark.full,)),
        ("mariadb", by_pairs, "mariadb-in part", (pytest.mark.full,)),
        ("mariadb", every, "mariadb-all", (pytest.mark.full,)),
    ]
    params = [pytest.param(kind, choose, id=id, marks=marks) for kind, choose, id, marks in cases]
    return pytest.mark.parametrize((ledgers, "choose"), params, indirect=[ledgers], scope="module")


NOW = datetime(2025, 6, 1, 12, 0, tzinfo=UTC)


def key(number: int = 0) -> RSAPrivateKey:
    """The service's key, or another one."""
    return key_pair(number).private


def sign(raw: bytes, number: int = 0) -> str:
    return RsaSigner(key(number)).sign(raw)


def written(time: datetime) -> str:
    return time.isoformat(timespec="milliseconds")


def transfer(number: str = "R1", status: str = "SETTLED", at: datetime = NOW, **changes: Any) -> dict[str, Any]:
    """The notification of a transfer [6.1]; `changes` are for its data."""
    body: dict[str, Any] = deepcopy(contract.example("notifications.receive.notification"))
    body |= {"appId": APP, "merchantNo": MERCHANT, "notifyTime": written(at)}
    body["data"] |= {"requestNo": number, "status": status, **changes}
    return body


def period(plan: str = "SUB1", index: object = 1, status: str = "SUCCESS", at: datetime = NOW) -> dict[str, Any]:
    """The notification of a period's payment [6.2]."""
    body: dict[str, Any] = deepcopy(contract.example("notifications.subscription_payment.notification"))
    body |= {"appId": APP, "merchantNo": MERCHANT, "notifyTime": written(at)}
    body["data"]["subscriptionPlan"]["subscriptionNo"] = plan
    body["data"]["subscriptionPaymentDetail"] |= {"subscriptionIndex": index, "paymentStatus": status}
    return body


def order(number: str = "ORD_1", status: str = "SUCCESS", at: datetime = NOW, kind: str = "PAYMENT") -> dict[str, Any]:
    """A notification whose contents the specification does not show [6.3]."""
    root = {"code": "APPLY_SUCCESS", "msg": "Success.", "keyVersion": "1", "appId": APP, "notifyTime": written(at)}
    return {
        **root,
        "notifyType": kind,
        "data": {"outTradeNo": number, "status": status, "totalAmount": 10.5, "currency": "USD"},
    }


def refund(number: str = "REF_1", status: str = "REFUND_SUCCESS", at: datetime = NOW) -> dict[str, Any]:
    """The same of a refund."""
    shown = {"outRefundNo": number, "status": status, "refundAmount": 10.5, "refundCurrency": "USD"}
    return {**order(at=at, kind="REFUND"), "data": shown}


def bill(reference: str = "BILL1", amount: object = 10.5, currency: str = "PHP") -> dict[str, Any]:
    """The question whether a bill may be paid [4.18]."""
    return {"referenceNo": reference, "amount": amount, "currency": currency}


class Desk:
    """A receiver, its clock, and the service that delivers to it.

    A ledger that goes by a `FixedClock` shares it with the receiver, so that leases and ages move with `pass_time` too.
    """

    def __init__(self, ledger: Ledger | Path, **settings: Any) -> None:
        if isinstance(ledger, Path):
            ledger = SqliteLedger(ledger, clock=FixedClock(NOW), timeout=600)
        clock = getattr(ledger, "clock", None)
        self.clock: FixedClock = clock if isinstance(clock, FixedClock) else FixedClock(NOW)
        self.ledger: Ledger = ledger
        settings.setdefault("gateway_keys", RsaVerifier([key().public_key()]))
        self.receiver = Receiver(app_id=APP, merchant_no=MERCHANT, ledger=self.ledger, clock=self.clock, **settings)

    def deliver(self, body: Mapping[str, Any] | bytes, **headers: str) -> Reply:
        """Remembered and delivered, as the service does; `headers` are added or replaced."""
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        given = {"Content-Type": "application/json", "sign": sign(raw), **headers}
        return self.receiver.receive(raw, given)

    def outcomes(self, *numbers: str) -> list[str]:
        """What becomes of transfers with these numbers, delivered one after the other."""
        return [self.deliver(transfer(number)).outcome for number in numbers]

    def statuses(self) -> dict[str, int]:
        """How many records the ledger has of each status."""
        entries = self.ledger.list(most=100_000)
        return {one: sum(entry.status == one for entry in entries) for one in {entry.status for entry in entries}}

    def pass_time(self, **by: float) -> None:
        self.clock.advance(timedelta(**by))
        moves = getattr(self.ledger, "pass_time", None)
        if moves is not None:
            moves(timedelta(**by))

    def ledger_now(self) -> datetime:
        """The time by which the ledger keeps its records."""
        return self.clock.now() if hasattr(self.ledger, "clock") else datetime.now(UTC)
