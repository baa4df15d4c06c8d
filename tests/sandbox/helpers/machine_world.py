"""One sandbox in memory with two merchants and their server, the model beside it, and every exchange judged."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

from cryptography.exceptions import InvalidSignature

from paywright import SnapAsymmetric
from paywright.contract import CONTRACT
from paywright_runtime import strict_json
from paywright_runtime.clock import FixedClock
from paywright_runtime.contract import formats
from paywright_runtime.signing.keys import load_private_key, load_public_key
from paywright_runtime.signing.rsa import RsaSigner, RsaVerifier
from paywright_sandbox.control.snapshot_routes import reset, restore
from paywright_sandbox.engine.engine import Engine
from paywright_sandbox.engine.merchant import ADDRESSES
from paywright_sandbox.engine.responses import HttpReply
from paywright_sandbox.engine.settings import BIZ_PATH, SandboxSettings
from paywright_sandbox.gateway import make_engine, open_store, read_settings
from paywright_sandbox.init import make_folder
from tests.sandbox.helpers.desk import Desk
from tests.sandbox.helpers.machine_faults import Book, Planted, Struck, judge_spoiled, key_of
from tests.sandbox.helpers.machine_model import DAY, TOKEN_LASTS, Model
from tests.sandbox.helpers.merchant_server import ACKNOWLEDGED, Got, MerchantServer, merchant_server
from tests.support.keys import key_pair

NOBODY = "http://127.0.0.1:9/notify"
BEGINS = datetime(2025, 6, 1, 12, tzinfo=UTC)
FIRST = {0: Decimal("100000.00"), 1: Decimal("500.00")}


class Shop(MerchantServer):
    """The server of both merchants: careful, so that it acknowledges nothing whose signature does not hold."""

    mood = "takes"
    acknowledged: set[bytes]

    def take(self, got: Got) -> tuple[int, bytes]:
        try:
            super().take(got)
        except InvalidSignature:
            self.got.append(got)
            return 401, b""
        if "referenceNo" in got.body:
            return self._decides(got.body)
        if self.mood == "takes":
            self.acknowledged.add(got.raw)
            return ACKNOWLEDGED
        return {"breaks": (500, b""), "refuses": (200, b'{"code":"FAIL","msg":"later"}')}.get(self.mood, (200, b"{}"))

    def _decides(self, bill: dict[str, Any]) -> tuple[int, bytes]:
        if self.mood not in ("takes", "refuses"):
            return 500, b""
        said = {"referenceNo": bill["referenceNo"], "minAmount": 1, "maxAmount": 50, "currency": bill["currency"]}
        said["confirmation"] = "Y" if self.mood == "takes" else "N"
        return 200, json.dumps({"code": "SUCCESS", "msg": "Success", "data": said}).encode()


class Till(Desk):
    """One merchant's side: it writes and signs whatever an operation asks for."""

    def __init__(
        self, engine: Engine, clock: FixedClock, number: int, signer: RsaSigner, verifier: RsaVerifier
    ) -> None:
        self.engine, self.clock, self.signer, self.verifier = engine, clock, signer, verifier
        self.merchant = engine.settings.merchants[number]

    def message(self, operation: str, data: dict[str, Any]) -> dict[str, Any]:
        facts = CONTRACT.operation(operation)
        made: dict[str, Any] = {} if facts.data is not None else dict(data)
        for field in CONTRACT.struct(facts.request).fields:
            source = field.source or ""
            if source.startswith("merchant."):
                made[field.wire] = self.merchant.numbers[source.removeprefix("merchant.")]
            elif source == "operation.version":
                made[field.wire] = facts.version
            elif source == "clock":
                made[field.wire] = formats.write_request_time(self.clock.now())
            elif field.wire == "keyVersion":
                made[field.wire] = "1"
        if facts.data is not None:
            made["data"] = data
        else:
            made |= {pointer[1:]: value for pointer, value in facts.discriminators.items()}
        return made

    def headers(self, operation: str, path: str, raw: bytes, external: str | None) -> list[tuple[str, str]]:
        made = [("content-type", "application/json")]
        if operation != "snap.cancel":
            made.append(("sign", self.signer.sign(raw)))
        if external is not None:
            time = formats.write_request_time(self.clock.now())
            made += [("X-TIMESTAMP", time), ("X-PARTNER-ID", self.merchant.numbers["snap_partner_id"])]
            made += [("X-EXTERNAL-ID", external), ("CHANNEL-ID", "95221")]
            made += SnapAsymmetric(self.signer).headers("POST", path, raw, time).items()
        return made


class Place:
    """What all lives share: settings, keys and the shop, made once."""

    def __init__(self, settings: SandboxSettings, signers: list[RsaSigner], shop: Shop) -> None:
        self.settings, self.signers, self.shop = settings, signers, shop
        self.verifier = RsaVerifier([settings.signer.public])
        self.counted: dict[str, int] = {}


@contextmanager
def place(folder: Path) -> Iterator[Place]:
    make_folder(folder)
    other = key_pair(2)
    (folder / "keys" / "other.key").write_text(other.private_pem, encoding="utf-8")
    (folder / "keys" / "other.pub").write_text(other.public_pem, encoding="utf-8")
    (folder / "keys" / "other.key").chmod(0o600)
    file = folder / "sandbox.toml"
    with merchant_server(folder / "keys" / "gateway.pub", Shop) as shop:
        assert isinstance(shop, Shop)
        addresses = "".join(f'{name} = "{shop.url}"\n' for name in ADDRESSES)
        table = re.search(r"(?ms)^\[\[merchants\]\].*?^USD = \S+$", file.read_text(encoding="utf-8"))
        assert table
        mine = table[0]
        theirs = re.sub(r'(?m)^([a-z-]+ = ".*)1"$', r'\g<1>2"', mine.replace("merchant.pub", "other.pub"))
        theirs = theirs.replace("100000.00", str(FIRST[1]))
        both = re.sub(r"(?m)^(\[\[merchants\]\].*)$", rf"\1\n{addresses}", f"{mine}\n{theirs}")
        policies = f'\n[policies]\ntoken-expires-after = {TOKEN_LASTS}\nsnap-cancel-of-paid = "refund"\n'
        policies += 'case-freezes = "balance"\n'
        text = file.read_text(encoding="utf-8").replace(mine, both)
        file.write_text(re.sub(r"(?m)^\[policies\].*$", lambda _: policies, text), encoding="utf-8")
        keys = [load_private_key(folder / "keys" / name) for name in ("merchant.key", "other.key")]
        assert load_public_key(folder / "keys" / "other.pub").public_numbers() == keys[1].public_key().public_numbers()
        yield Place(read_settings(folder), [RsaSigner(key) for key in keys], shop)


class World:
    """`rows` are the tables as they were looked at last; `made` and `model` what has been done since the beginning."""

    def __init__(self, at: Place) -> None:
        self.at, self.shop = at, at.shop
        self.shop.got, self.shop.acknowledged, self.shop.mood = [], set(), "takes"
        self.wall = FixedClock(BEGINS)
        self.store = open_store()
        self.engine = make_engine(at.settings, self.store, address="http://127.0.0.1:8787", wall=self.wall)
        self.tills = [Till(self.engine, self.wall, n, signer, at.verifier) for n, signer in enumerate(at.signers)]
        self.saved: list[tuple[bytes, Any, Any]] = []
        self.calls = 0
        self.begin()

    def begin(self) -> None:
        """Everything that a restored snapshot brings back."""
        self.first = {(who, currency): FIRST[who] if currency == "USD" else Decimal("100000.00")
                 for who in (0, 1) for currency in ("USD", "EUR", "JPY")}  # fmt: skip
        self.model, self.book = Model(self.first), Book()
        self.ahead = timedelta(0)
        self.frozen_at: datetime | None = None
        self.rows: dict[str, dict[int, dict[str, Any]]] = {}
        self.exchanges: list[tuple[bytes, HttpReply, Struck | None]] = []
        self.records = self.events = self.attempts = 0

    # Time

    @property
    def now(self) -> datetime:
        """Business time as it must be."""
        return self.frozen_at or self.wall.now() + self.ahead

    def catch_up(self) -> None:
        assert self.engine.clock.now() == self.now
        self.model.catch_up(self.now)

    def advance(self, seconds: int) -> None:
        assert self.control("POST", "clock/advance", {"seconds": seconds})["complete"]
        if self.frozen_at is None:
            self.ahead += timedelta(seconds=seconds)
        else:
            self.frozen_at += timedelta(seconds=seconds)
        self.catch_up()

    # Faults

    def plant(self, rule: Planted) -> None:
        body = {name: value for name, value in vars(rule).items() if name not in ("id", "seen", "struck") and value}
        made = self.control("POST", "faults", body)
        assert made["httpStatus"] == 200, made
        rule.id = made["id"]
        self.book.rules.append(rule)

    def plant_once(self, fault: tuple[str, str] | None, operation: str | None) -> None:
        """For the next call of an operation, or the next notification."""
        if fault is not None:
            self.plant(Planted(0, *fault, operation=operation, times=1))

    # Asking

    def control(self, method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        self.catch_up()
        return self.tills[0].control(method, path, body)

    def did(self, path: str, body: dict[str, Any] | None = None) -> int:
        """The status of a POST to the control API."""
        return int(self.control("POST", path, body)["httpStatus"])

    def ask(
        self, who: int, operation: str, data: dict[str, Any], external: str | None = None
    ) -> tuple[dict[str, Any] | None, bool]:
        """The answer as far as it can be had, and whether an effect of it was kept."""
        self.catch_up()
        till = self.tills[who]
        path = CONTRACT.operation(operation).path or BIZ_PATH
        raw = strict_json.write(till.message(operation, data))
        struck = self.book.strikes(who, operation, key_of(operation, data))
        reply = self.send(path, till.headers(operation, path, raw, external), raw, struck)
        if struck is not None:
            return judge_spoiled(till, operation, struck, reply), struck.rule.when == "after"
        answer = till.judged(operation, reply)
        self.book.good.append((who, operation, key_of(operation, data), reply.headers, reply.body))
        return answer, True

    def send(self, path: str, headers: list[tuple[str, str]], raw: bytes, struck: Struck | None = None) -> HttpReply:
        """One exchange. Every eighth is made twice with the past put back between: the same bytes must come."""
        self.calls += 1
        past = self.store.snapshot() if self.calls % 8 == 0 else None
        reply = self.engine.handle("POST", path, headers, raw)
        if past is not None:
            restore(self.engine, past)
            again = self.engine.handle("POST", path, headers, raw)
            assert (again.status, again.headers, again.body) == (reply.status, reply.headers, reply.body)
            assert repr(again.fault) == repr(reply.fault)
        self.exchanges.append((raw, reply, struck))
        return reply

    def expect(self, answer: dict[str, Any] | None, code: str) -> None:
        """A code in whichever form the answer has."""
        if answer is not None:
            found = next(answer[name] for name in ("code", "bizCode", "responseCode") if name in answer)
            assert found == code, (answer, code)

    # The whole workspace

    def save(self) -> None:
        rest = (self.ahead, self.frozen_at, self.rows, self.records, self.events, self.attempts)
        self.saved.append((self.store.snapshot(), deepcopy((self.model, self.book)), rest))

    def put_back(self, number: int) -> None:
        raw, models, rest = self.saved[number % len(self.saved)]
        restore(self.engine, raw)
        self.model, self.book = deepcopy(models)
        self.ahead, self.frozen_at, self.rows, self.records, self.events, self.attempts = rest

    def start_anew(self) -> None:
        reset(self.engine)
        self.begin()

    def count(self, what: str, number: int = 1) -> None:
        self.at.counted[what] = self.at.counted.get(what, 0) + number


def day_of(now: datetime) -> str:
    """The day in which an X-EXTERNAL-ID is used once: it begins at 17:00 UTC."""
    return (now + timedelta(seconds=25200)).date().isoformat()


__all__ = ["DAY", "NOBODY", "Place", "World", "day_of", "place"]
