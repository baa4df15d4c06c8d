"""Worlds without a fault: what some merchants and the gateway did, captured whole, by the host that recorded it."""

from __future__ import annotations

import json
import shutil
from base64 import b64decode, b64encode
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from functools import cached_property
from pathlib import Path
from random import Random
from typing import Any

from paywright.contract import CONTRACT
from paywright_runtime.clock import FixedClock
from paywright_runtime.signing.keys import load_private_key, load_public_key
from paywright_runtime.signing.rsa import RsaSigner
from paywright_sandbox.init import make_folder
from paywright_sandbox.testing.inprocess import InProcessSandbox, in_process_sandbox
from tests.audit.helpers.sessions import Shopping

__all__ = ["Capture", "Record", "World", "body_of", "make_world", "put_body"]

Record = dict[str, Any]
Capture = dict[str, list[Record]]
"""Capture records by the name of their file. Those of whole worlds are in order of time."""

START = datetime(2025, 6, 1, 12, tzinfo=UTC)
JSON = ["content-type", "application/json"]


@dataclass(frozen=True)
class World:
    """A capture, and the folder with the keys that signed it."""

    capture: Capture
    folder: Path

    @cached_property
    def keys(self) -> dict[str, list[Any]]:
        """The public keys, as settings of an audit."""
        return {
            f"{side}_keys": [load_public_key(self.folder / "keys" / f"{side}.pub")] for side in ("merchant", "gateway")
        }

    @cached_property
    def signers(self) -> dict[str, RsaSigner]:
        """What the merchant and the gateway sign with."""
        return {
            side: RsaSigner(load_private_key(self.folder / "keys" / f"{side}.key")) for side in ("merchant", "gateway")
        }


def make_world(keys: Path, folder: Path, exchanges: int, seed: int) -> World:
    """A world of about so many exchanges: two apps, one of them with two merchants, each recorded by two hosts."""
    random, capture = Random(seed), Capture()
    start = START + timedelta(days=random.randrange(300), seconds=random.randrange(86_400))
    dated = seed % 2 == 0
    for app, number in (("app_sandbox_1", 1), ("app_platform", 2), ("app_platform", 3)):
        place = folder / f"{number}"
        if not place.exists():
            shutil.copytree(keys / "keys", place / "keys")
            _settle(place, app, number)
        records = _shopping(place, exchanges // 3, seed * 10 + number, start, f"M{number}_")
        for record in records:
            if dated and record["response"] is not None and record["kind"] == "call":
                date = format_datetime(datetime.fromisoformat(record["at"]), usegmt=True)
                record["response"]["headers"].append(["date", date])
            capture.setdefault(f"{app}-{random.choice('ab')}.jsonl", []).append(record)
    for name, records in capture.items():
        capture[name] = sorted(records, key=lambda record: str(record["at"]))
    return World(capture, keys)


def body_of(record: Record, side: str) -> bytes:
    """The bytes of a message of a whole world."""
    return b64decode(record[side]["body"]["base64"])


def put_body(record: Record, side: str, value: object, signer: RsaSigner) -> None:
    """Give a message another body, and sign it."""
    raw = json.dumps(value, separators=(",", ":")).encode()
    headers = [pair for pair in record[side]["headers"] if pair[0] != "sign"]
    record[side] = {**record[side], "body": _packed(raw), "headers": [*headers, ["sign", signer.sign(raw)]]}


def _settle(folder: Path, app: str, number: int) -> None:
    """Write the settings of a sandbox whose keys are there, for a merchant of another name."""
    made = folder.with_name(f"{folder.name}-made")
    make_folder(made)
    for name in ("sandbox.toml", ".env"):
        text = (made / name).read_text(encoding="utf-8")
        for before in ("MN000000000000", "MB000000000000", "SP000000000000", "MI000000000000", "SNAP_PARTNER_"):
            text = text.replace(f"{before}1", f"{before}{number}")
        text = text.replace("app_sandbox_1", app).replace(str(made.absolute()), str(folder.absolute()))
        (folder / name).write_text(text, encoding="utf-8")


def _shopping(folder: Path, exchanges: int, seed: int, start: datetime, prefix: str) -> list[Record]:
    clock = FixedClock(start)
    with in_process_sandbox(folder, clock=clock, seed=str(seed)) as sandbox, sandbox.client() as client:
        merchant = _Notified(sandbox, client, Random(seed), faults=True, prefix=prefix)
        while len(merchant.notices) + merchant.steps < exchanges:
            merchant.step()
            sandbox.advance(merchant.random.choice((0.02, 0.4, 3, 20)))
        records = [json.loads(line) for line in sandbox.log().splitlines()]
    return sorted([*records, *merchant.notices], key=lambda record: datetime.fromisoformat(record["at"]))


class _Notified(Shopping):
    """A merchant that is notified of what becomes of its orders, and now and then again. Nobody makes a mistake."""

    strikes = ("reset", "cut")

    def __init__(self, sandbox: InProcessSandbox, *given: Any, **more: Any) -> None:
        super().__init__(sandbox, *given, **more)
        self.signer = RsaSigner(load_private_key(sandbox.directory / "keys" / "gateway.key"))
        self.notices: list[Record] = []
        self.steps = 0

    def step(self) -> None:
        self.steps += 1
        if self.random.random() < 0.06:
            return self.period()
        if self.notices and self.random.random() < 0.04:
            return self._arrive(self.random.choice(self.notices[-5:]))
        return super().step()

    def pay(self) -> None:
        if not self.orders:
            return
        key = self.orders.pop(self.random.randrange(len(self.orders)))
        with suppress(LookupError):  # it may be paid already
            self.sandbox.pay(key)
        found = self.client.orders.query(out_trade_no=key)
        if found.status == "SUCCESS":
            self.paid.append((key, found.trade.amount))
            told = {"outTradeNo": key, "totalAmount": str(found.trade.amount), "currency": found.trade.currency}
            self._tell({"notifyType": "PAYMENT", "code": "APPLY_SUCCESS", "data": {**told, "status": "SUCCESS"}})

    def period(self) -> None:
        body = CONTRACT.example("notifications.subscription_payment.notification")
        body["data"]["subscriptionPlan"]["subscriptionNo"] = self.key("PLAN")
        detail = body["data"]["subscriptionPaymentDetail"]
        detail["lastPaymentInfo"]["tradeToken"] = self.key("TOKEN")
        self._tell(body)

    def _tell(self, body: dict[str, Any]) -> None:
        names = {"appId": self.sandbox.env["PAYWRIGHT_APP_ID"], "merchantNo": self.sandbox.env["PAYWRIGHT_MERCHANT_NO"]}
        raw = json.dumps({**body, **names, "notifyTime": self._now()}, separators=(",", ":")).encode()
        answer = {"status": 200, "headers": [JSON], "body": _packed(b'{"code":"SUCCESS","msg":"Success"}')}
        request = {"headers": [JSON, ["sign", self.signer.sign(raw)]], "body": _packed(raw)}
        self._arrive(
            {"v": 1, "kind": "notify", "url": "https://shop.example/n", "request": request, "response": answer}
        )

    def _arrive(self, notice: Record) -> None:
        self.notices.append({**notice, "at": self._now()})

    def _now(self) -> str:
        return self.sandbox.engine.wall.now().isoformat(timespec="milliseconds")


def _packed(raw: bytes) -> dict[str, str]:
    return {"base64": b64encode(raw).decode()}
