"""One long life of a sandbox, played against the engine: every operation, every notification, the clock, and faults.

As a program (`sandbox_scenario.py FOLDER`, a folder as `init` leaves it) it prints a digest of every answer and of every
notification as it arrived, one a line; the same folder must give the same lines wherever and whenever it is played.
"""

from __future__ import annotations

import base64
import json
import shutil
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing
from datetime import UTC, datetime
from decimal import Decimal
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from time import sleep
from typing import Any

from paywright import SnapAsymmetric, SnapSymmetric
from paywright.contract import CONTRACT
from paywright_runtime import strict_json
from paywright_runtime.clock import FixedClock
from paywright_runtime.contract import formats
from paywright_sandbox.control.api import control
from paywright_sandbox.engine.engine import Engine
from paywright_sandbox.engine.settings import BIZ_PATH
from paywright_sandbox.gateway import make_engine, make_policies, open_store, read_settings
from tests.sandbox.helpers.desk import Desk
from tests.sandbox.helpers.merchant_server import ACKNOWLEDGED, Got, MerchantServer, merchant_server

START = datetime(2025, 6, 1, 12, tzinfo=UTC)
USD = "USD"


class Shop(MerchantServer):
    """A server of the merchant. Which notification is refused at first depends on what is told, not on when."""

    def take(self, got: Got) -> tuple[int, bytes]:
        if self is self.shops.slow:
            sleep(0.005)
        digest = sha256(got.raw).hexdigest()
        if got.path == "/bills":
            yes = "Y" if got.body["referenceNo"] == "BILL_1" else "N"
            data = {**got.body, "minAmount": 1, "maxAmount": 1000, "confirmation": yes, "failureReason": "closed"}
            data.pop("amount")
            return 200, json.dumps({"code": "SUCCESS", "msg": "Success", "data": data}).encode()
        if digest[0] in "01234" and digest not in self.shops.refused:
            self.shops.refused.add(digest)
            return 503, b"later"
        return ACKNOWLEDGED

    shops: Shops


class Shops:
    """Two of them, one of which is slow, while the block runs."""

    def __init__(self, folder: Path) -> None:
        self.refused: set[str] = set()
        self.folder, self.stack = folder, ExitStack()

    def __enter__(self) -> Shops:
        key = self.folder / "keys" / "gateway.pub"
        fast, self.slow = (self.stack.enter_context(merchant_server(key, Shop)) for _ in range(2))
        for shop in (fast, self.slow):
            assert isinstance(shop, Shop)
            shop.shops = self
        self.urls = [fast.url, self.slow.url]
        return self

    def __exit__(self, *error: object) -> None:
        self.stack.close()


class Player(Desk):
    """Calls the engine as merchants, payers and people at its controls do, and keeps every answer, good or spoiled."""

    def __init__(self, engine: Engine, folder: Path) -> None:
        assert isinstance(engine.wall, FixedClock)
        super().__init__(engine, folder, engine.wall)
        self.answers: list[tuple[str, bytes]] = []
        self.played: set[str] = set()
        self.snap_calls = 0

    def keep(self, label: str, status: int, headers: Any, body: bytes) -> None:
        self.answers.append((label, json.dumps([status, list(headers)]).encode() + b"\n" + body))

    def raw(self, operation: str, raw: bytes, headers: list[tuple[str, str]], path: str = "") -> dict[str, Any]:
        path = path or CONTRACT.operation(operation).path or BIZ_PATH
        reply = self.engine.handle("POST", path, [("content-type", "application/json"), *headers], raw)
        fault = [] if reply.fault is None else [("fault", reply.fault.kind)]
        self.keep(operation, reply.status, [*reply.headers, *fault], reply.body)
        self.played.add(operation)
        try:
            found: dict[str, Any] = json.loads(reply.body, parse_float=Decimal)
        except ValueError:  # a fault may have put a page in its place
            return {}
        return found

    def snap(self, operation: str, number: str, *, symmetric: bool = False, again: bool = False) -> None:
        body: dict[str, Any] = {
            "originalPartnerReferenceNo": number, "additionalInfo": {"version": "1.4", "keyVersion": "1"}
        }  # fmt: skip
        if operation == "snap.status":
            body |= {"merchantId": "MI0000000000001", "serviceCode": "54"}
        raw = strict_json.write(body)
        path, time = CONTRACT.operation(operation).path or "", formats.write_request_time(self.clock.now())
        way: SnapAsymmetric | SnapSymmetric = SnapAsymmetric(self.signer)
        if symmetric:
            way = SnapSymmetric("sandbox-client-secret", "sandbox-access-token")
        self.snap_calls += not again
        headers = {
            "X-TIMESTAMP": time, "X-PARTNER-ID": "SNAP_PARTNER_1", "X-EXTERNAL-ID": str(self.snap_calls), "CHANNEL-ID": "95221",
            "sign": self.signer.sign(raw), **way.headers("POST", path, raw, time),
        }  # fmt: skip
        self.raw(operation, raw, list(headers.items()))

    def control(
        self, method: str, path: str, body: dict[str, Any] | None = None, *, may: tuple[int, ...] = (200,), **more: Any
    ) -> dict[str, Any]:
        raw = b"" if body is None and not more else strict_json.write({**(body or {}), **more})
        reply = control(self.engine, method, f"/_sandbox/{path}", [("X-Sandbox", "1")], raw)
        assert reply.status in may, (path, reply.body)
        # Attempts say where they went, and the ports are never the same.
        if not path.startswith("notifications"):
            self.keep(f"control {method} {path}", reply.status, reply.headers, reply.body)
        found: dict[str, Any] = json.loads(reply.body, parse_float=Decimal)
        return found

    def advance(self, seconds: int) -> None:
        assert self.control("POST", "clock/advance", seconds=seconds)["complete"]


def orders(player: Player, shops: Shops) -> None:
    first, second = shops.urls
    for number in range(6):
        url = (first, second, "http://127.0.0.1:9/")[number % 3]
        player.checkout(f"ORD_{number}", Decimal("10.50") + number, notifyUrl=url, reference=f"ref {number}")
    player.checkout("ord_0")
    player.checkout("ORD_X", Decimal("1.001"))
    player.call("orders.query", {"outTradeNo": "NONE"})
    for number in range(4):
        player.control("POST", f"orders/ORD_{number}/pay", card="5555555555554444")
    player.control("POST", "orders/ORD_4/fail")
    for amount in (15, 6, 222, 10):
        player.drop_in(f"DROP_{amount}", amount, detail={"sessionKey": "sandbox:CARD:MASTERCARD"})
    player.drop_in("DROP_QR", 10, detail={"sessionKey": "sandbox:QR:QRIS"})
    player.drop_in("DROP_VA", 10, detail={"sessionKey": "sandbox:VA"})
    for number in range(6):
        player.call("orders.query", {"outTradeNo": f"ORD_{number}"})
    for number, amount in enumerate((4, Decimal("6.50"), 1)):
        data = {"outRefundNo": f"REF_{number}", "refundAmount": amount, "refundCurrency": USD, "outTradeNo": "ORD_0"}
        player.call("refunds.create", {**data, "refundNotifyUrl": first, "comments": "zu viel"})
    player.call("refunds.query", {"outRefundNo": "REF_0"})
    player.advance(4000)
    player.call("refunds.query", {"outRefundNo": "REF_0"})
    player.call("refunds.query", {"outRefundNo": "NONE"})


def tokens(player: Player) -> None:
    player.checkout("BIND_1", paymentDetail={"tokenForFutureUse": True, "allowedCardOrg": ["JCB", "visa"]})
    player.control("POST", "orders/BIND_1/pay", card="5555555555554444", may=(409,))
    player.control("POST", "orders/BIND_1/pay")
    token, *_ = player.call("payment_tokens.list", {"userId": "user_1"})["data"]["tokenList"]
    number = token["paymentTokenID"]
    asked = {"merchantId": "MI0000000000001", "bizType": "inquirePaymentToken", "version": "2.6", "tokenScope": "tokenAcq"}  # fmt: skip
    player.send("payment_tokens.inquire", {**asked, "userId": "user_1", "paymentTokenID": number})
    player.send("payment_tokens.inquire", {**asked, "userId": "user_2", "paymentTokenID": number})
    detail = {"paymentTokenID": number, "merchantInitiated": True, "mitType": "UNSCHEDULED"}
    player.checkout("MIT_1", paymentDetail=detail)
    player.checkout("MIT_2", paymentDetail={**detail, "allowedCardOrg": ["MASTERCARD"]})
    player.drop_in("DROP_T", 20, detail={"paymentToken": number})
    player.control("POST", f"tokens/{number}/delete")
    player.drop_in("DROP_U", 20, detail={"paymentToken": number})


def plans(player: Player, shops: Shops) -> None:
    numbers = []
    for key, more in (
        ("REGULAR", {}),
        ("TRIAL", {"trialConfig": {"trialAmount": {"amount": Decimal("0.99"), "currency": USD}, "trialDays": 2}}),
        ("OFFER", {"trialPeriodConfig": {"trialPeriodCount": 1, "trialPeriodAmount": {"amount": 1, "currency": USD}}}),
        ("NEVER", {}),
    ):
        plan = {
            "subject": key, "totalPeriods": 2, "periodRule": {"periodUnit": "D", "periodCount": 1},
            "periodAmount": {"amount": Decimal("9.90"), "currency": USD}, "prices": [], **more,
        }  # fmt: skip
        data = {"subscriptionRequestId": key, "userId": "user_1", "callbackUrl": shops.urls[1], "subscriptionPlan": plan}  # fmt: skip
        numbers.append(player.call("subscriptions.create", data)["data"]["subscriptionPlan"]["subscriptionNo"])
    player.call("subscriptions.create", data)
    for number, key in zip(numbers[:3], ("REGULAR", "TRIAL", "OFFER"), strict=True):
        amount = {"REGULAR": Decimal("9.90"), "TRIAL": Decimal("0.99"), "OFFER": 1}[key]
        player.checkout(f"ACT_{key}", amount, subscriptionPlan={"subscriptionNo": number}, notifyUrl=shops.urls[0])
        player.control("POST", f"orders/ACT_{key}/pay")
    player.control("POST", f"subscriptions/{numbers[0]}/fail-next", charges=2)
    for _ in range(4):
        player.advance(86_400)
    for number in numbers:
        player.control("GET", f"subscriptions/{number}")


def money(player: Player, shops: Shops) -> None:
    pairs = [
        {"side": side, "transactionCurrency": one, "targetCurrency": other}
        for side in ("BUY", "SELL")
        for one, other in (("EUR", USD), (USD, "JPY"), ("GBP", "IDR"))
    ]
    for product in ("PAY_IN", "PAY_OUT"):
        player.call("rates.query", {"ccyPairList": pairs, "product": product})
    exchange = {"ccyPair": "EURUSD", "transactionCcy": "EUR", "targetCcy": USD}
    for at, (side, amount) in enumerate((("SELL", "100.00"), ("BUY", "12.34"), ("SELL", "99999999.00"))):
        asked = {**exchange, "outTradeNo": f"EX_{at}", "side": side, "transactionAmount": amount}
        player.call("exchanges.create", asked)
    player.advance(5)
    player.call("exchanges.query", {"outTradeNo": "EX_0"})
    withdrawal = {"transactionCurrency": "EUR", "transactionAmount": "10.00", "targetCurrency": "JPY"}
    player.control("POST", "withdrawals", withdrawal, outTradeNo="WD_1", callBackUrl="http://127.0.0.1:9/")
    player.control("POST", "withdrawals", withdrawal, outTradeNo="WD_2")
    player.control("POST", "withdrawals/WD_2/fail")
    player.advance(5)
    message = {**player.envelope("withdrawals.query", {}), "memberId": "MB0000000000001", "data": {"outTradeNo": "WD_1"}}  # fmt: skip
    message.pop("merchantNo")
    player.send("withdrawals.query", message)
    player.call("accounts.list_authorized", {"productTypeList": ["payin", "payout", "collect"]})
    player.control("POST", "cases", outTradeNo="ORD_1", caseId="CASE_1", amount="5.00")
    player.call("cases.search", {"caseId": "CASE_1"})
    player.control("POST", "cases/CASE_1", status="DISPUTE_END", caseResult="WIN")
    asked = {"version": "1.0", "merchantNo": "MN0000000000001", "bizType": "caseSearch", "caseId": "CASE_1"}
    player.send("cases.inquire", asked)
    player.control("GET", "balances")
    for status in ("SETTLED", "REJECTED", "TO_BE_PROVED"):
        player.control("POST", "transfers", amount="40.00", currency=USD, status=status)
    player.control("POST", "bill-payments", referenceNo="BILL_1", amount="12.00")
    player.control("POST", "bill-payments", referenceNo="BILL_2", amount="12.00")


def links_and_snap(player: Player) -> None:
    link = player.control(
        "POST", "links", merchantLinkId="LINK_1", amount="7.00", currency=USD, country="SG", description="A book"
    )
    player.call("payment_links.query", {"merchantLinkId": "LINK_1"}, merchantAppId="app_sandbox_1")
    envelope = player.envelope("payment_links.query", {})
    envelope["merchantAppId"] = envelope.pop("appId")
    opened = player.control("POST", f"links/{link['linkId']}/open", userName="Ana")
    player.control("POST", f"orders/{opened['outTradeNo']}/pay")
    player.send("payment_links.query", {**envelope, "data": {"merchantLinkId": "LINK_1"}})
    player.snap("snap.status", "ORD_0")
    player.snap("snap.status", "ORD_0", symmetric=True)
    player.snap("snap.status", "ORD_0", again=True)
    player.snap("snap.cancel", "ORD_5")
    player.snap("snap.status", "ORD_5")


def faults(player: Player, shops: Shops) -> None:
    rules: tuple[dict[str, Any], ...] = (
        {"kind": "reset", "operation": "orders.checkout", "when": "before", "probability": "0.3"},
        {"kind": "code", "operation": "orders.checkout", "code": "SYSTEM_BUSY", "times": 1},
        {"kind": "stale-answer", "operation": "orders.query", "probability": "0.4"},
        {"kind": "another-answer", "operation": "refunds.query", "times": 1},
        {"kind": "cut", "operation": "rates.query", "times": 1},
        {"kind": "html", "operation": "orders.drop_in", "status": 502, "times": 1},
        {"kind": "bad-signature", "operation": "cases.search", "times": 1},
        {"kind": "no-signature", "operation": "cases.search", "times": 1},
        {"kind": "duplicate", "operation": "PAYMENT", "probability": "0.4"},
        {"kind": "late", "operation": "PAYMENT", "seconds": 100, "probability": "0.3"},
        {"kind": "reordered", "operation": "PAYMENT", "probability": "0.4"},
        {"kind": "wrong-key", "operation": "REFUND", "times": 1},
        {"kind": "corrupted", "operation": "RECEIVE", "times": 1},
    )
    for rule in rules:
        player.control("POST", "faults", rule)
    for number in range(12):
        player.checkout(f"BAD_{number}", notifyUrl=shops.urls[number % 2])
        player.call("orders.query", {"outTradeNo": f"BAD_{number}"})
        player.control("POST", f"orders/BAD_{number}/pay", may=(200, 404))  # what a fault has undone is not there
    data = {"outRefundNo": "REF_9", "refundAmount": 1, "refundCurrency": USD, "outTradeNo": "ORD_1"}
    player.call("refunds.create", {**data, "refundNotifyUrl": shops.urls[0]})
    player.call("refunds.query", {"outRefundNo": "REF_9"})
    player.call("rates.query", {"ccyPairList": [], "product": "PAY_IN"})
    player.call("rates.query", {"ccyPairList": [{"side": "BUY", "transactionCurrency": "EUR", "targetCurrency": USD}], "product": "PAY_IN"})  # fmt: skip
    player.drop_in("DROP_F", 10)
    for _ in range(2):
        player.call("cases.search", {"caseId": "CASE_1"})
    player.control("POST", "transfers", amount="1.00", currency="JPY", status="REJECTED")
    player.control("POST", "transfers", amount="2", currency="JPY", status="REJECTED")
    player.advance(50_000)
    player.control("GET", "faults")


def refusals(player: Player) -> None:
    raw = strict_json.write({**player.envelope("orders.query", {}), "data": {"outTradeNo": "ORD_0"}})
    for signature in ("", "AAAA", player.signer.sign(raw + b"\n"), player.signer.sign(raw) + "="):
        player.raw("orders.query", raw, [("sign", signature)])
    player.raw("orders.query", b"\xef\xbb\xbf{}", [])
    player.send(
        "orders.query", {**player.envelope("orders.query", {}), "appId": "another", "data": {"outTradeNo": "A"}}
    )
    player.send("orders.query", {**player.envelope("orders.query", {}), "requestTime": "2025-06-01T11:00:00.000+00:00", "data": {"outTradeNo": "A"}})  # fmt: skip
    player.call("orders.checkout", {"outTradeNo": "x y", "unknown": 1})
    player.raw("nowhere", b"{}", [], "/nowhere")
    player.played.discard("nowhere")


def play(engine: Engine, folder: Path, shops: Shops) -> list[tuple[str, bytes]]:
    """All of it: what was answered in order, and what arrived in the order in which it was recorded."""
    player = Player(engine, folder)
    player.control("POST", "clock/freeze")
    orders(player, shops)
    tokens(player)
    plans(player, shops)
    money(player, shops)
    links_and_snap(player)
    player.control("POST", "clock/resume")
    faults(player, shops)
    player.advance(200 * 86_400)
    data = {"outRefundNo": "REF_OLD", "refundAmount": 1, "refundCurrency": USD, "outTradeNo": "ORD_2"}
    player.call("refunds.create", data)
    for number in range(3):
        player.snap("snap.status", f"ORD_{number}")
    refusals(player)
    player.control("POST", "notifications/1/redeliver")
    player.advance(0)
    for path in ("events", "transfers", "orders", "subscriptions", "tokens", "links", "cases", "exchanges"):
        player.control("GET", path)
    missing = engine.handlers.keys() - player.played  # an operation of the contract alone is answered with a refusal
    assert not missing, missing
    return player.answers + list(_sent(engine))


def _sent(engine: Engine) -> Iterator[tuple[str, bytes]]:
    """Every notification as it was sent, with its headers, and the HTTP status that came back."""
    kinds = set()
    for line in b"".join(engine.captures.lines()).splitlines():
        record = json.loads(line)
        if record["kind"] == "notify":
            body = base64.b64decode(record["request"]["body"]["base64"])
            status = record["response"] and record["response"]["status"]
            try:
                kind = json.loads(body).get("notifyType", "bill")
            except ValueError:
                kind = "corrupted"
            kinds.add(kind)
            headers = [pair for pair in record["request"]["headers"] if pair[0] != "host"]  # of a shop's port
            yield f"notify {kind}", json.dumps([record["at"], headers, status]).encode() + body
    assert kinds >= {"PAYMENT", "REFUND", "WITHDRAW", "RECEIVE", "SUBSCRIPTION_PAYMENT", "bill"}, kinds


def prepared(folder: Path, place: Path, shops: Shops) -> Path:
    """A copy of the folder whose merchant has addresses."""
    copy = Path(shutil.copytree(folder, place / "copy"))
    key = 'public-key-file = "keys/merchant.pub"\n'
    addresses = f'va-result-notify-url = "{shops.urls[0]}/va"\nbill-payment-validation-url = "{shops.urls[1]}/bills"\n'
    file = copy / "sandbox.toml"
    file.write_text(file.read_text("utf-8").replace(key, key + addresses, 1), "utf-8")
    return copy


def digests(folder: Path) -> list[str]:
    with closing(open_store()) as store, TemporaryDirectory() as place, Shops(folder) as shops:
        settings = read_settings(prepared(folder, Path(place), shops))
        settings.policies = make_policies({"case-freezes": "balance", "trial-payment-notice": "index-0"})
        engine = make_engine(settings, store, address="http://127.0.0.1:8787", wall=FixedClock(START))
        return [f"{sha256(raw).hexdigest()} {label}" for label, raw in play(engine, folder, shops)]


if __name__ == "__main__":
    print("\n".join(digests(Path(sys.argv[1]))))
