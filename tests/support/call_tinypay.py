"""Imports the generated package `tinypay` in a process of its own, and calls a small signing server with it.

The shop's service is another gateway than ours in each point that its contract states: which headers are signed, over what and
how they are written, how time is written, by which numbers it knows a shop, where orders and goods stand, and what means yes.
Nothing here but the standard library, cryptography and the package: it is what a merchant would have.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import re
import time
from base64 import b64decode, urlsafe_b64decode
from collections.abc import Callable
from datetime import UTC, date, datetime
from decimal import Decimal
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import TypeVar

import tinypay
import tinypay.aio
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from tinypay import (
    Client,
    Colour,
    ConfigurationError,
    ContractViolation,
    Event,
    FindKey,
    FindSecret,
    FixedClock,
    GatewayError,
    Item,
    Merchant,
    MissingSetting,
    OutcomeUnknown,
    Parcel,
    ParcelAskedQuestion,
    ParcelDecision,
    Person,
    Receiver,
)

from paywright_receiver import MemoryLedger

MERCHANT, GATEWAY = generate_private_key(65537, 2048), generate_private_key(65537, 2048)
seen: list[tuple[str, dict[str, object]]] = []
items: dict[str, dict[str, object]] = {}


headers: list[dict[str, str]] = []
spoil: tuple[str, str] | None = None
"""A header of answers and what stands in it instead; an empty text leaves it out."""


def sealed(raw: bytes, now: int | None = None) -> dict[str, str]:
    """The headers by which the service signs a body."""
    sent_at = str(int(time.time() * 1000) if now is None else now)
    text = f"{sent_at}.{sha256(raw).hexdigest()}".encode()
    return {"X-Sent-At": sent_at, "X-Seal": GATEWAY.sign(text, PKCS1v15(), SHA256()).hex()}


class Shop(BaseHTTPRequestHandler):
    """Verifies, remembers, answers and signs."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers["Content-Length"]))
        sent_at = self.headers["X-Sent-At"]
        seal = re.fullmatch("alg=RS256, seal=([A-Za-z0-9_-]{342})", self.headers["X-Seal"])
        assert seal is not None, self.headers["X-Seal"]
        text = f"POST {self.path}\n{sent_at} ".encode() + raw
        MERCHANT.public_key().verify(urlsafe_b64decode(seal[1] + "=="), text, PKCS1v15(), SHA256())
        body = json.loads(raw, parse_float=Decimal)
        assert abs(int(sent_at) / 1000 - time.time()) < 3600
        assert int(body["sentAt"]) == int(sent_at) // 1000
        if self.path == "/find":
            self.check_search(raw, sent_at)
        seen.append((self.path, body))
        headers.append(dict(self.headers.items()))
        data = body["order"]
        answer = self.buy(data) if self.path == "/buy" else self.query(data) if self.path == "/query" else self.find()
        self.answer(json.dumps(answer).encode())

    def check_search(self, raw: bytes, sent_at: str) -> None:
        """The seal of a search is made with the shop's key, or with the secret of a session."""
        given, session = b64decode(self.headers["X-Find"]), self.headers["X-Session"]
        if session is None:
            text = f"POST:/find:{sha256(raw).hexdigest()}:{sent_at}".encode()
            MERCHANT.public_key().verify(given, text, PKCS1v15(), SHA256())
        else:
            text = f"{session}:/find:".encode() + raw + f":{sent_at}".encode()
            assert given == hmac.digest(b"secret", text, "sha256")
        assert re.fullmatch("[0-9]{12}", self.headers["X-Search"])

    def buy(self, data: dict[str, object]) -> dict[str, object]:
        key = str(data["key"])
        if key == "POOR":
            return {"result": {"status": "F", "code": "POOR", "words": "no money"}}
        if key == "ODD":
            return {"result": {"status": "U", "code": "WHAT"}}
        if key == "MUTE":
            return {"result": {"status": "F", "words": "no code"}}
        items[key] = {
            "key": key.lower(),
            "status": "OPEN",
            "price": "10.50",
            "buyers": [{"name": "Ada"}],
            "itemID": "I1",
        }
        return {"result": {"status": "S", "code": "OK"}, "order": items[key]}

    def query(self, data: dict[str, object]) -> dict[str, object]:
        found = items.get(str(data.get("key")))
        if found is None:
            return {"result": {"status": "F", "code": "NONE"}}
        late = {
            "status": "SENT", "colour": "VIOLET", "boughtOn": "2025-06-01", "sentAt": "2025-06-01T12:00:00.000+08:00",
            "paid": 10.5,
        }  # fmt: skip
        return {"result": {"code": "OK"}, "order": {**found, **late, "newer": 1}}

    def find(self) -> dict[str, object]:
        return {"result": {"status": "S", "code": "OK"}, "order": {"list": list(items.values())}}

    def answer(self, raw: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(raw)))
        for name, value in sealed(raw).items():
            if spoil is None or name != spoil[0]:
                self.send_header(name, value)
            elif spoil[1]:
                self.send_header(name, spoil[1])
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, format: str, *args: object) -> None:
        pass


def main() -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Shop)
    Thread(target=server.serve_forever, daemon=True).start()
    base = f"http://127.0.0.1:{server.server_address[1]}"
    merchant = Merchant(
        shop_id="shop-1",
        till="T1",
        private_key=MERCHANT.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()),
        gateway_keys=[GATEWAY.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)],
    )
    with Client(base_url=base, merchant=merchant, paths={"goods.find": "/find"}) as client:
        bought(client)
        queried(client)
        assert "find_signature" in str(raised(MissingSetting, lambda: client.goods.find(colour="R")))
        refused(client)
        not_verified(client)
    for chosen in (FindKey(merchant.signer), FindSecret("secret", "session-1")):
        merchant.find_signature = chosen
        with Client(base_url=base, merchant=merchant, paths={"goods.find": "/find"}) as client:
            found(client)
    assert headers[-1]["X-Session"] == "session-1"
    asyncio.run(awaited(base, merchant))
    environment(base)
    before = len(seen)
    with Client(base_url=base, merchant=merchant) as hidden:
        assert "goods.find" in str(raised(MissingSetting, lambda: hidden.goods.find(colour="R")))
    assert len(seen) == before
    server.shutdown()
    server.server_close()
    sent = {"kind": "SENT", "packedBy": {"name": "Eva", "job": "x" * 21}}
    assert {one.code for one in tinypay.validate("goods.sent", "notification", sent)} == {"required", "max"}
    received()
    print("all calls behaved")


async def awaited(base: str, merchant: Merchant) -> None:
    """The awaited client makes the same signed calls and verifies the same answers."""
    async with tinypay.aio.Client(base_url=base, merchant=merchant, paths={"goods.find": "/find"}) as client:
        item = await client.goods.buy(key="K9", amount=2)
        assert item.answer.code == "OK"
        assert [one.key for one in (await client.goods.find(colour="R")).list] == ["k1", "k9"]
        ended: GatewayError | None = None
        try:
            await client.goods.buy(key="POOR", amount=1)
        except GatewayError as error:
            ended = error
        assert ended is not None
        assert (ended.code, ended.msg) == ("POOR", "no money")


def environment(base: str) -> None:
    """A client and a receiver are set up by names that begin like the package."""
    private = MERCHANT.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
    public = GATEWAY.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()
    env = {
        "TINYPAY_BASE_URL": base, "TINYPAY_SHOP_ID": "shop-1", "TINYPAY_PRIVATE_KEY": private, "TINYPAY_GATEWAY_KEYS": public,
        "TINYPAY_FIND_SIGNATURE": "secret", "TINYPAY_FIND_CLIENT_SECRET": "secret", "TINYPAY_FIND_ACCESS_TOKEN": "session-2",
        "TINYPAY_PATHS": "goods.find=/find", "PAYWRIGHT_APP_ID": "another package's",
    }  # fmt: skip
    with Client.from_env(env) as client:
        found(client)
    assert headers[-1]["X-Session"] == "session-2"
    assert Receiver.from_env(MemoryLedger(), env).shop_id == "shop-1"
    del env["TINYPAY_SHOP_ID"]
    assert "TINYPAY_SHOP_ID" in str(raised(MissingSetting, lambda: Client.from_env(env)))
    assert "TINYPAY_SHOP" in str(raised(ConfigurationError, lambda: Client.from_env({"TINYPAY_SHOP": "shop-1"})))


def not_verified(client: Client) -> None:
    """An answer counts only if its seal covers its time and its body and is written as the contract says."""
    global spoil
    before = {"X-Seal": sealed(b"another body")["X-Seal"], "X-Sent-At": "1748779200000"}
    wrong = [
        *before.items(),
        ("X-Seal", ""),
        ("X-Sent-At", ""),
        ("X-Seal", "AAAA"),
        ("X-Seal", before["X-Seal"].upper()),
    ]
    reasons = ["bad_signature", "bad_signature", "unsigned", "bad_signature", "not_canonical", "not_canonical"]
    for spoil, reason in zip(wrong, reasons, strict=True):
        unknown = raised(OutcomeUnknown, lambda: client.goods.buy(key="K1", amount=1))
        assert unknown.reason == reason, (spoil, unknown.reason)
        assert unknown.unverified_hint is not None
        assert unknown.unverified_hint.code == "OK"
    spoil = None


def received() -> None:
    public = GATEWAY.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    receiver = Receiver(
        shop_id="shop-1",
        gateway_keys=[public],
        ledger=MemoryLedger(),
        clock=FixedClock(datetime(2025, 6, 1, 12, tzinfo=UTC)),
    )
    parcels: list[Parcel] = []

    @receiver.on_sent
    def sent(event: Event[Parcel]) -> None:
        parcels.append(event.data)

    @receiver.on_may_send
    def may_send(question: ParcelAskedQuestion) -> ParcelDecision:
        return question.accept(most=5) if question.data.weight < 5 else question.refuse("It is too heavy.")

    def deliver(body: dict[str, object]) -> tuple[int, str]:
        raw = json.dumps(body).encode()
        reply = receiver.receive(raw, sealed(raw))
        return reply.status, reply.body.decode()

    told = {"kind": "SENT", "shopId": "shop-1", "toldAt": "2025-06-01T12:00:00.000Z", "parcelNo": "P/1", "part": 2}
    for status, outcome in (("OPEN", 200), ("SENT", 200), ("OPEN", 200)):
        assert deliver({**told, "state": {"status": status}}) == (outcome, '{"code":"OK","shop":{"name":"shop"}}')
    assert [parcel.state.status for parcel in parcels] == ["OPEN", "SENT"]
    assert deliver({**told, "state": {"status": "SENT"}, "shopId": "shop-2"}) == (403, '{"code":"NOT_OURS"}')
    assert deliver({"parcelNo": "P1", "weight": 2.5}) == (200, '{"parcelNo":"P1","most":5,"allowed":"YES"}')
    raw = json.dumps({**told, "state": {"status": "OPEN"}}).encode()
    for changed in ({"X-Sent-At": "1748779200001"}, {"X-Seal": sealed(b"{}", 1748779200000)["X-Seal"]}):
        assert receiver.receive(raw, {**sealed(raw, 1748779200000), **changed}).outcome == "bad_signature"
    assert receiver.receive(raw, {"x-seal": sealed(raw)["X-Seal"]}).outcome == "bad_signature"
    assert receiver.receive(raw, {"sign": "AAAA"}).outcome == "unsigned"
    branch = Receiver(shop_id="shop-1", branch="B1", gateway_keys=[public], ledger=MemoryLedger(), clock=receiver.clock)
    branch.on_sent(lambda event: None)
    assert branch.receive(raw, {**sealed(raw), "x-branch": "B1"}).status == 200
    assert branch.receive(raw, {**sealed(raw), "X-Branch": "B2"}).outcome == "not_ours"
    assert branch.receive(raw, sealed(raw)).outcome == "not_ours"
    refused = '{"parcelNo":"P1","most":0,"allowed":"NO","why":"It is too "}'
    assert deliver({"parcelNo": "P1", "weight": 25}) == (200, refused)


def bought(client: Client) -> None:
    item = client.goods.buy(
        key="K1", amount=Decimal("10.50"), price=Decimal("3.10"), day=date(2025, 6, 1), until=datetime(2025, 6, 1, 12, tzinfo=UTC),
        kind="NEW", wait="60", zip="1000", gift=True, buyer=Person(name="Ada", card="4111"), tags=["a", "b"], colours=[Colour.RED, "03"],
        extras={"k": 1}, class_="A", colour=Colour.BLUE, extra={"newer": True},
    )  # fmt: skip
    assert isinstance(item, Item)
    assert item.item_id == "I1"
    assert item.price == Decimal("10.50")
    assert item.buyers[0].name == "Ada"
    assert item.answer.code == "OK"
    assert item.status == "OPEN"
    assert not item.status.is_paid
    assert "Ada" not in repr(item)
    path, body = seen[-1]
    data = body["order"]
    assert path == "/buy"
    assert isinstance(data, dict)
    assert (body["version"], body["keyVersion"], body["shopId"], "branch" in body) == ("1.0", "1", "shop-1", False)
    assert headers[-1]["X-Till"] == "T1"
    assert data == {
        "key": "K1", "amount": Decimal("10.50"), "price": "3.10", "day": "2025-06-01", "until": "2025-06-01T12:00:00.000+00:00",
        "kind": "NEW", "flow": "FAST", "wait": "60", "zip": "1000", "gift": True, "buyer": {"name": "Ada", "card": "4111"},
        "tags": ["a", "b"], "colours": ["R", "03"], "extras": {"k": 1}, "class": "A", "colour": "B", "newer": True,
    }  # fmt: skip


def queried(client: Client) -> None:
    item = client.goods.query(key="K1")
    assert item.status.is_paid
    assert item.status.is_final
    assert item.colour == "VIOLET"
    assert item.colour is not None
    assert not item.colour.is_known
    assert item.bought_on == date(2025, 6, 1)
    assert item.paid == Decimal("10.5")
    assert item.answer.code == "OK"
    assert item.sent_at == datetime(2025, 6, 1, 4, tzinfo=UTC)
    assert list(item.answer.unknown) == ["/order/newer"]
    assert raised(GatewayError, lambda: client.goods.query(key="NOPE")).code == "NONE"


def found(client: Client) -> None:
    listed = client.goods.find(colour="R")
    assert listed.list[0].key == "k1"


def refused(client: Client) -> None:
    before = len(seen)
    broken = raised(
        ContractViolation,  # the note of an old one is missing, and without a buyer there are no tags
        lambda: client.goods.buy(key="too long to be one", amount=Decimal(1), kind="OLD", zip="1", tags=["x"]),
    )
    assert {(one.pointer, one.code) for one in broken.violations} == {
        ("/order/key", "max"), ("/order/key", "format"), ("/order/zip", "exact"), ("/order/note", "note-of-old"), ("/order/tags", "no-tags"),
    }, broken.violations  # fmt: skip
    assert len(seen) == before
    held_back = raised(
        ContractViolation,
        lambda: client.goods.buy(key="K1", amount=0, price=Decimal("-1"), kind="NEW", colour=Colour.BLUE, pin="BNEW", note="Ada", buyer=Person(name="Ada")),
    )  # fmt: skip
    assert {(one.pointer, one.code) for one in held_back.violations} == {
        ("/order/amount", "amounts"), ("/order/price", "format"), ("/order/price", "amounts"), ("/order/pin", "names"), ("/order/note", "names"),
    }, held_back.violations  # fmt: skip
    assert len(seen) == before
    poor = raised(GatewayError, lambda: client.goods.buy(key="POOR", amount=1))
    assert (poor.code, poor.key) == ("POOR", "POOR")
    odd = raised(OutcomeUnknown, lambda: client.goods.buy(key="ODD", amount=1))
    assert (odd.code, odd.key) == ("WHAT", "ODD")
    assert raised(OutcomeUnknown, lambda: client.goods.buy(key="MUTE", amount=1)).reason == "no_code"


E = TypeVar("E", bound=Exception)


def raised(kind: type[E], call: Callable[[], object]) -> E:
    """The exception of that kind that a call raises."""
    try:
        call()
    except kind as error:
        return error
    raise AssertionError(f"no {kind.__name__} was raised")


if __name__ == "__main__":
    main()
