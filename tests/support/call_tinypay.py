"""Imports the generated package `tinypay` in a process of its own, and calls a small signing server with it.

Nothing here but the standard library, cryptography and the package: it is what a merchant would have.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Callable
from datetime import UTC, date, datetime
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import TypeVar

import tinypay
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from tinypay import (
    Client,
    Colour,
    ContractViolation,
    Event,
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


class Shop(BaseHTTPRequestHandler):
    """Verifies, remembers, answers and signs."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers["Content-Length"]))
        MERCHANT.public_key().verify(b64decode(self.headers["sign"]), raw, PKCS1v15(), SHA256())
        body = json.loads(raw, parse_float=Decimal)
        seen.append((self.path, body))
        data = body["data"]
        answer = self.buy(data) if self.path == "/buy" else self.query(data) if self.path == "/query" else self.find()
        self.answer(json.dumps(answer).encode())

    def buy(self, data: dict[str, object]) -> dict[str, object]:
        key = str(data["key"])
        if key == "POOR":
            return {"code": "POOR", "msg": "no money"}
        if key == "ODD":
            return {"code": "WHAT"}
        items[key] = {
            "key": key.lower(),
            "status": "OPEN",
            "price": "10.50",
            "buyers": [{"name": "Ada"}],
            "itemID": "I1",
        }
        return {"code": "OK", "data": items[key]}

    def query(self, data: dict[str, object]) -> dict[str, object]:
        found = items.get(str(data.get("key")))
        if found is None:
            return {"code": "NONE"}
        late = {
            "status": "SENT",
            "colour": "VIOLET",
            "boughtOn": "2025-06-01",
            "sentAt": "2025-06-01T12:00:00.000+08:00",
            "paid": 10.5,
        }
        return {"code": "OK", "data": {**found, **late, "newer": 1}}

    def find(self) -> dict[str, object]:
        return {"code": "OK", "data": {"list": list(items.values())}}

    def answer(self, raw: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(raw)))
        self.send_header("sign", b64encode(GATEWAY.sign(raw, PKCS1v15(), SHA256())).decode())
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, format: str, *args: object) -> None:
        pass


def main() -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Shop)
    Thread(target=server.serve_forever, daemon=True).start()
    base = f"http://127.0.0.1:{server.server_address[1]}"
    merchant = Merchant(
        app_id="shop-1",
        private_key=MERCHANT.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()),
        gateway_keys=[GATEWAY.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)],
    )
    with Client(base_url=base, merchant=merchant, paths={"goods.find": "/find"}) as client:
        bought(client)
        queried(client)
        found(client)
        refused(client)
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


def received() -> None:
    public = GATEWAY.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    receiver = Receiver(
        app_id="shop-1",
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
        reply = receiver.receive(raw, {"sign": b64encode(GATEWAY.sign(raw, PKCS1v15(), SHA256())).decode()})
        return reply.status, reply.body.decode()

    told = {"kind": "SENT", "shopId": "shop-1", "toldAt": "2025-06-01T12:00:00.000Z", "parcelNo": "P/1", "part": 2}
    for status, outcome in (("OPEN", 200), ("SENT", 200), ("OPEN", 200)):
        assert deliver({**told, "state": {"status": status}}) == (outcome, '{"code":"OK"}')
    assert [parcel.state.status for parcel in parcels] == ["OPEN", "SENT"]
    assert deliver({**told, "state": {"status": "SENT"}, "shopId": "shop-2"}) == (403, '{"code":"NOT_OURS"}')
    assert deliver({"parcelNo": "P1", "weight": 2.5}) == (200, '{"parcelNo":"P1","most":5,"allowed":"YES"}')
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
    data = body["data"]
    assert path == "/buy"
    assert isinstance(data, dict)
    assert (body["version"], body["keyVersion"], body["shopId"], "branch" in body) == ("1.0", "1", "shop-1", False)
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
    assert item.sent_at == datetime(2025, 6, 1, 4, tzinfo=UTC)
    assert list(item.answer.unknown) == ["/data/newer"]
    assert raised(GatewayError, lambda: client.goods.query(key="NOPE")).code == "NONE"


def found(client: Client) -> None:
    listed = client.goods.find(colour="R")
    assert [item.key for item in listed.list] == ["k1"]


def refused(client: Client) -> None:
    before = len(seen)
    broken = raised(
        ContractViolation,  # the note of an old one is missing, and without a buyer there are no tags
        lambda: client.goods.buy(key="too long to be one", amount=Decimal(1), kind="OLD", zip="1", tags=["x"]),
    )
    assert {(one.pointer, one.code) for one in broken.violations} == {
        ("/data/key", "max"), ("/data/key", "format"), ("/data/zip", "exact"), ("/data/note", "note-of-old"), ("/data/tags", "no-tags"),
    }, broken.violations  # fmt: skip
    assert len(seen) == before
    held_back = raised(
        ContractViolation,
        lambda: client.goods.buy(key="K1", amount=0, price=Decimal("-1"), kind="NEW", colour=Colour.BLUE, pin="BNEW", note="Ada", buyer=Person(name="Ada")),
    )  # fmt: skip
    assert {(one.pointer, one.code) for one in held_back.violations} == {
        ("/data/amount", "amounts"), ("/data/price", "format"), ("/data/price", "amounts"), ("/data/pin", "names"), ("/data/note", "names"),
    }, held_back.violations  # fmt: skip
    assert len(seen) == before
    poor = raised(GatewayError, lambda: client.goods.buy(key="POOR", amount=1))
    assert (poor.code, poor.key) == ("POOR", "POOR")
    odd = raised(OutcomeUnknown, lambda: client.goods.buy(key="ODD", amount=1))
    assert (odd.code, odd.key) == ("WHAT", "ODD")


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
