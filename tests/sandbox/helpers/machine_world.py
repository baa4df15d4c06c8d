"""One sandbox in memory with two merchants and their server, and every exchange judged."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from cryptography.exceptions import InvalidSignature

from paywright import SnapAsymmetric, validate
from paywright.contract import CONTRACT
from paywright_runtime import strict_json
from paywright_runtime.clock import FixedClock
from paywright_runtime.contract import formats
from paywright_runtime.signing.keys import load_private_key, load_public_key
from paywright_runtime.signing.rsa import RsaSigner, RsaVerifier, SignatureProblem
from paywright_sandbox.control.snapshot_routes import reset, restore
from paywright_sandbox.engine.engine import Engine
from paywright_sandbox.engine.merchant import ADDRESSES
from paywright_sandbox.engine.responses import HttpReply
from paywright_sandbox.engine.settings import BIZ_PATH, SandboxSettings
from paywright_sandbox.gateway import make_engine, open_store, read_settings
from paywright_sandbox.init import make_folder
from tests.sandbox.helpers.desk import Desk
from tests.sandbox.helpers.machine_rows import WIRE, Row, Rows, fold, look
from tests.sandbox.helpers.merchant_server import ACKNOWLEDGED, Got, MerchantServer, merchant_server
from tests.support.keys import key_pair

TOKEN_LASTS = 20 * 86400
NOBODY = "http://127.0.0.1:9/notify"
BEGINS = datetime(2025, 6, 1, 12, tzinfo=UTC)
FIRST = Decimal("5000.00")


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
        table = re.search(r"(?ms)^\[\[merchants\]\].*?^snap-access-token = \S+$", file.read_text(encoding="utf-8"))
        assert table
        mine = table[0]
        theirs = re.sub(r'(?m)^([a-z-]+ = ".*)1"$', r'\g<1>2"', mine.replace("merchant.pub", "other.pub"))
        both = re.sub(r"(?m)^(\[\[merchants\]\].*)$", rf"\1\n{addresses}", f"{mine}\n{theirs}")
        policies = f'\n[policies]\ntoken-expires-after = {TOKEN_LASTS}\nsnap-cancel-of-paid = "refund"\n'
        policies += f'case-freezes = "balance"\ninitial-balance = "{FIRST}"\n'
        text = file.read_text(encoding="utf-8").replace(mine, both)
        file.write_text(re.sub(r"(?m)^\[policies\].*$", lambda _: policies, text), encoding="utf-8")
        keys = [load_private_key(folder / "keys" / name) for name in ("merchant.key", "other.key")]
        assert load_public_key(folder / "keys" / "other.pub").public_numbers() == keys[1].public_key().public_numbers()
        yield Place(read_settings(folder), [RsaSigner(key) for key in keys], shop)


class World:
    """`rows` are the tables as they were looked at last: what must become of an act is worked out of them."""

    def __init__(self, at: Place) -> None:
        self.at, self.shop = at, at.shop
        self.shop.got, self.shop.acknowledged, self.shop.mood = [], set(), "takes"
        self.wall = FixedClock(BEGINS)
        self.store = open_store()
        self.engine = make_engine(at.settings, self.store, address="http://127.0.0.1:8787", wall=self.wall)
        self.tills = [Till(self.engine, self.wall, n, signer, at.verifier) for n, signer in enumerate(at.signers)]
        self.saved: list[tuple[bytes, Any]] = []
        self.calls = 0
        self.exchanges: list[tuple[bytes, HttpReply]] = []
        self.begin()

    def begin(self) -> None:
        """Everything that a restored snapshot brings back."""
        self.first = {(who, currency): FIRST for who in (0, 1) for currency in ("USD", "EUR", "JPY")}
        self.ahead = timedelta(0)
        self.frozen_at: datetime | None = None
        self.rows: Rows = {}
        self.records = self.events = self.attempts = 0
        look(self)

    @property
    def now(self) -> datetime:
        """Business time as it must be."""
        return self.frozen_at or self.wall.now() + self.ahead

    def advance(self, seconds: int) -> None:
        assert self.control("POST", "clock/advance", {"seconds": seconds})["complete"]
        if self.frozen_at is None:
            self.ahead += timedelta(seconds=seconds)
        else:
            self.frozen_at += timedelta(seconds=seconds)
        look(self)

    def mine(self, table: str, who: int, column: str, number: str) -> Row | None:
        """The row of a merchant's own number."""
        fits = (
            row
            for row in self.rows[table].values()
            if (int(row["merchant"][-1]) - 1, fold(row[column])) == (who, fold(number))
        )
        return next(fits, None)

    # Asking

    def control(self, method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        return self.tills[0].control(method, path, body)

    def did(self, path: str, body: dict[str, Any] | None, status: int) -> dict[str, Any]:
        """The answer to a POST to the control API, which must have this status. What is refused changes nothing."""
        before = self.rows
        answer = self.control("POST", path, body)
        assert answer["httpStatus"] == status, (path, body, answer)
        look(self)
        assert status == 200 or self.rows == before, path
        return answer

    def ask(
        self, who: int, operation: str, data: dict[str, Any], code: str, external: str | None = None
    ) -> tuple[dict[str, Any] | None, bool]:
        """The answer, which must have this code, as far as it can be had; and whether an effect of it was kept.

        What is refused, or undone by a fault, changes nothing.
        """
        till, before = self.tills[who], self.rows
        path = CONTRACT.operation(operation).path or BIZ_PATH
        raw = strict_json.write(till.message(operation, data))
        reply = self.send(path, till.headers(operation, path, raw, external), raw)
        self.engine.captures.write()
        with self.store.transaction() as state:
            found = state.one("SELECT fault FROM captures ORDER BY id DESC LIMIT 1")
        kind, _, when = str((found or {})["fault"] or "").partition(" ")
        answer = judge_spoiled(till, operation, kind, reply) if kind else till.judged(operation, reply)
        if answer is not None:
            said = next(answer[name] for name in ("code", "bizCode", "responseCode") if name in answer)
            assert said == code, (operation, data, answer)
        look(self)
        kept = code == (CONTRACT.operation(operation).succeeds or ("", ""))[1] and when != "before"
        assert kept or self.rows == before, operation
        return answer, kept

    def send(self, path: str, headers: list[tuple[str, str]], raw: bytes) -> HttpReply:
        """One exchange. Every eighth is made twice with the past put back between: the same bytes must come."""
        self.calls += 1
        past = self.store.snapshot() if self.calls % 8 == 0 else None
        reply = self.engine.handle("POST", path, headers, raw)
        if past is not None:
            restore(self.engine, past)
            again = self.engine.handle("POST", path, headers, raw)
            assert (again.status, again.headers, again.body) == (reply.status, reply.headers, reply.body)
            assert again.fault == reply.fault
        self.exchanges.append((raw, reply))
        return reply

    # The whole workspace

    def save(self) -> None:
        rest = (dict(self.first), self.ahead, self.frozen_at, self.rows, self.records, self.events, self.attempts)
        self.saved.append((self.store.snapshot(), rest))

    def put_back(self, number: int) -> None:
        raw, rest = self.saved[number % len(self.saved)]
        restore(self.engine, raw)
        self.first, self.ahead, self.frozen_at, self.rows, self.records, self.events, self.attempts = rest
        self.first = dict(self.first)

    def start_anew(self) -> None:
        reset(self.engine, keep_merchants=False)
        self.begin()

    def count(self, what: str, number: int = 1) -> None:
        self.at.counted[what] = self.at.counted.get(what, 0) + number


def judge_spoiled(desk: Desk, operation: str, kind: str, reply: HttpReply) -> dict[str, Any] | None:
    """The true answer where it is still in the reply; None where the client could not know it."""
    if kind in WIRE:
        assert reply.fault is not None
        assert reply.fault.kind == kind
        return desk.judged(operation, reply)
    assert reply.fault is None
    signatures = [value for name, value in reply.headers if name == "sign"]
    if kind == "html":
        assert (reply.status, signatures, reply.body[:6]) == (502, [], b"<html>")
        return None
    assert reply.status == 200
    if kind == "no-signature":
        assert signatures == []
        assert validate(operation, "response", reply.body) == []
    elif kind == "bad-signature":
        assert validate(operation, "response", reply.body, headers=reply.headers) == []
        with pytest.raises(SignatureProblem):
            desk.verifier.verify(reply.body, signatures[0])
    else:
        answer = desk.judged(operation, reply)
        member, good = CONTRACT.operation(operation).succeeds or ("code", "APPLY_SUCCESS")
        assert kind != "code" or (answer[member] != good and answer.get("code", "SYSTEM_ERROR") == "SYSTEM_ERROR")
    return None


def day_of(now: datetime) -> str:
    """The day in which an X-EXTERNAL-ID is used once: it begins at 17:00 UTC."""
    return (now + timedelta(seconds=25200)).date().isoformat()
