"""Makes capture records for tests: signed, in time, of any operation; and runs the audit over them."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from paywright.contract import CONTRACT
from paywright_cli.main import main
from paywright_runtime.signing.keys import load_private_key
from paywright_runtime.signing.rsa import RsaSigner

__all__ = ["DAY", "START", "WHOLE", "Scribe", "as_body", "bytes_of", "content", "findings"]

DAY = 86400
Json = dict[str, Any]
START = datetime(2025, 6, 1, 12, tzinfo=UTC)
JSON = ["Content-Type", "application/json"]
WHOLE = (["Host", "host.example"], ["Transfer-Encoding", "chunked"])  # so that what is not there was not sent


def findings(lines: Iterable[Json]) -> list[tuple[str, str, str, str, str]]:
    """Of the audit's lines: place, operation, part, pointer and code of each finding."""
    return [
        (line["place"], line["operation"], line["part"], line["pointer"], line["code"])
        for line in lines
        if line["type"] == "finding"
    ]


class Scribe:
    """Writes records one after another, at times that are said in seconds from the first."""

    def __init__(self, keys: Path) -> None:
        self.keys = keys
        self.merchant = RsaSigner(load_private_key(keys / "keys" / "merchant.key"))
        self.gateway = RsaSigner(load_private_key(keys / "keys" / "gateway.key"))
        self.records: list[Json] = []

    def options(self) -> list[str]:
        """Both keys, for the command line."""
        keys = self.keys / "keys"
        return ["--merchant-key", str(keys / "merchant.pub"), "--gateway-key", str(keys / "gateway.pub")]

    def call(
        self,
        operation: str,
        data: Json,
        answer: Json | None = None,
        *,
        at: float = 0,
        code: str = "APPLY_SUCCESS",
        app: str = "app_1",
        answered: bool = True,
        signed: bool = True,
    ) -> Json:
        """A gateway call: its `data` over that of the contract's example, and the answer's likewise; None leaves out."""
        facts = CONTRACT.operation(operation)
        time = START + timedelta(seconds=at)
        asked = CONTRACT.example(f"{operation}.request")
        asked |= {"requestTime": time.isoformat(timespec="milliseconds"), "appId": app}
        asked["data"] = _over(asked["data"], data)
        told = CONTRACT.example(f"{operation}.response")
        told["code"] = code
        if code != "APPLY_SUCCESS":
            told.pop("data", None)
        else:
            told["data"] = _over(told["data"], answer or {})
        raw, back = _bytes(asked), _bytes(told)
        response = {
            "status": 200,
            "headers": [JSON, ["sign", self.gateway.sign(back if signed else back + b"?")], *WHOLE],
            "body": as_body(back),
        }
        return self._add(
            "call", f"https://gw.example{facts.path}", time, raw, self.merchant.sign(raw), response if answered else None,
        )  # fmt: skip

    def notify(self, body: Json, *, at: float = 0) -> Json:
        """A notification to the merchant, acknowledged."""
        raw = _bytes(body)
        response = {"status": 200, "headers": [JSON], "body": as_body(b'{"code":"SUCCESS","msg":"Success"}')}
        time = START + timedelta(seconds=at)
        return self._add("notify", "https://shop.example/n", time, raw, self.gateway.sign(raw), response)

    def _add(self, kind: str, url: str, time: datetime, raw: bytes, sign: str, response: object) -> Json:
        record = {
            "v": 1,
            "at": time.isoformat(timespec="milliseconds"),
            "kind": kind,
            "url": url,
            "request": {"headers": [JSON, ["sign", sign], *WHOLE], "body": as_body(raw)},
            "response": response,
            "source": f"test#{len(self.records) + 1}",
        }
        self.records.append(record)
        return record

    # What a shop asks and is told

    def order(self, key: str = "O1", at: float = 0, told: Json | None = None, **more: Any) -> Json:
        data = {"outTradeNo": key, "totalAmount": 10.5, "currency": "USD", **more.pop("data", {})}
        operation = more.pop("operation", "orders.checkout")
        return self.call(operation, data, {"outTradeNo": key, "tradeToken": f"T{key}", **(told or {})}, at=at, **more)

    def ask(self, key: str = "O1", at: float = 0, status: str = "PENDING", **more: Any) -> Json:
        told = {"outTradeNo": key, "status": status, "trade": {"amount": "10.50", "currency": "USD"}}
        return self.call("orders.query", {"outTradeNo": key}, told | more.pop("told", {}), at=at, **more)

    def absent(self, at: float) -> Json:
        return self.ask(at=at, code="ORDER_NOT_EXIST")

    def refund(self, key: str, amount: float, at: float = 0, **more: Any) -> Json:
        """Of the order O1, unless `data` says otherwise."""
        data = {"outRefundNo": key, "refundAmount": amount, "refundCurrency": "USD", "outTradeNo": "O1", "tradeToken": None}  # fmt: skip
        told = {"outRefundNo": key, "refundTradeNo": f"RT{key}", "status": "REFUND_PENDING", **more.pop("told", {})}
        return self.call("refunds.create", {**data, **more.pop("data", {})}, told, at=at, **more)

    def ask_refund(self, key: str, status: str, at: float, **more: Any) -> Json:
        told = {"outRefundNo": key, "refundTradeNo": f"RT{key}", "status": status, "resultMsg": "", "refundAmount": None}  # fmt: skip
        return self.call("refunds.query", {"outRefundNo": key, "refundTradeNo": None}, told, at=at, **more)

    def told(self, kind: str, data: Json, *, at: float = 0, **more: Any) -> Json:
        """A notification of a type that the contract does not show."""
        return self.notify({"notifyType": kind, "appId": "app_1", "code": "APPLY_SUCCESS", **more, "data": data}, at=at)

    def bank(
        self, operation: str, at: float, status: str = "", *, partner: str = "P", answer: object = 0, **more: Any
    ) -> Json:
        """A bank-style call; `answer` 0 is a good one, else its HTTP status, or None for none."""
        body = CONTRACT.example(f"{operation}.request") | more.pop("data", {})
        told = CONTRACT.example(f"{operation}.response")
        told["originalPartnerReferenceNo"] = body["originalPartnerReferenceNo"]
        if operation == "snap.status":
            told |= {"latestTransactionStatus": status, "refundHistory": []}
        stamp = more.pop("stamp", (START + timedelta(seconds=at)).isoformat(timespec="milliseconds"))
        asked, back = json.dumps(body).encode(), json.dumps(told).encode()
        headers = [*WHOLE, ["X-TIMESTAMP", stamp], ["X-PARTNER-ID", partner], ["CHANNEL-ID", "1"], JSON]
        headers += [["X-EXTERNAL-ID", more.pop("number", f"{at}-{len(self.records) + 1}")]]
        headers += [["X-SIGNATURE", more.pop("signature", "made-in-another-way")]]
        headers += [["sign", self.merchant.sign(asked)]] * (operation == "snap.status")
        response = {
            "status": answer or 200,
            "headers": [*WHOLE, JSON, ["sign", self.gateway.sign(back)]],
            "body": as_body(back),
        }
        record = self.notify({}, at=at)
        record |= {"kind": "call", "url": f"https://gw.example{CONTRACT.operation(operation).path}"}
        record["request"] = {"headers": headers, "body": as_body(asked)}
        record["response"] = None if answer is None else response
        return record

    def rewrite(self, record: Json, asked: Json | None = None, told: Json | None = None) -> None:
        """Replace what was asked or told, signed anew."""
        for side, value, signer in (("request", asked, self.merchant), ("response", told, self.gateway)):
            if value is not None:
                self.resign(record[side], json.dumps(value).encode(), signer)

    def resign(self, message: Json, body: bytes, signer: RsaSigner) -> None:
        """Replace the body of a message, signed by somebody."""
        message["body"] = as_body(body)
        message["headers"] = [
            [name, signer.sign(body) if name == "sign" else value] for name, value in message["headers"]
        ]

    def bytes(self) -> bytes:
        """The capture file."""
        return b"".join(json.dumps(record, separators=(",", ":")).encode() + b"\n" for record in self.records)

    def audit(self, folder: Path, capsys: Any, *options: str, complete: bool = True) -> list[Json]:
        """What the audit says of them, as JSON lines. They are all that happened, unless `complete` says otherwise."""
        file = folder / "records.jsonl"
        file.write_bytes(self.bytes())
        main(["audit", str(file), "--format", "json", *self.options(), *options, *["--complete"] * complete])
        return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def _over(base: Any, data: Json) -> Json:
    return {name: value for name, value in {**base, **data}.items() if value is not None}


def _bytes(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


def as_body(raw: bytes) -> dict[str, str]:
    """A body in a record."""
    return {"base64": b64encode(raw).decode()}


def bytes_of(message: Json) -> bytes:
    """The body of a message of a record."""
    return b64decode(message["body"]["base64"])


def content(message: Json) -> Any:
    """The body of a message of a record, as a value."""
    return json.loads(bytes_of(message))
