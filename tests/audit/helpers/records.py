"""Makes capture records for tests: signed, in time, of any operation; and runs the audit over them."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from paywright.contract import CONTRACT
from paywright_cli.main import main
from paywright_runtime.signing.keys import load_private_key
from paywright_runtime.signing.rsa import RsaSigner

__all__ = ["WHOLE", "Scribe", "findings"]

START = datetime(2025, 6, 1, 12, tzinfo=UTC)
JSON = ["Content-Type", "application/json"]
WHOLE = (["Host", "host.example"], ["Transfer-Encoding", "chunked"])  # so that what is not there was not sent


def findings(lines: Iterable[dict[str, Any]]) -> list[tuple[str, str, str, str, str]]:
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
        self.records: list[dict[str, Any]] = []

    def options(self) -> list[str]:
        """Both keys, for the command line."""
        keys = self.keys / "keys"
        return ["--merchant-key", str(keys / "merchant.pub"), "--gateway-key", str(keys / "gateway.pub")]

    def call(
        self,
        operation: str,
        data: dict[str, Any],
        answer: dict[str, Any] | None = None,
        *,
        at: float = 0,
        code: str = "APPLY_SUCCESS",
        app: str = "app_1",
        answered: bool = True,
        signed: bool = True,
    ) -> dict[str, Any]:
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
            "body": _body(back),
        }
        return self._add(
            "call",
            f"https://gw.example{facts.path}",
            time,
            raw,
            self.merchant.sign(raw),
            response if answered else None,
        )

    def notify(self, body: dict[str, Any], *, at: float = 0) -> dict[str, Any]:
        """A notification to the merchant, acknowledged."""
        raw = _bytes(body)
        response = {"status": 200, "headers": [JSON], "body": _body(b'{"code":"SUCCESS","msg":"Success"}')}
        time = START + timedelta(seconds=at)
        return self._add("notify", "https://shop.example/n", time, raw, self.gateway.sign(raw), response)

    def _add(self, kind: str, url: str, time: datetime, raw: bytes, sign: str, response: object) -> dict[str, Any]:
        record = {
            "v": 1,
            "at": time.isoformat(timespec="milliseconds"),
            "kind": kind,
            "url": url,
            "request": {"headers": [JSON, ["sign", sign], *WHOLE], "body": _body(raw)},
            "response": response,
            "source": f"test#{len(self.records) + 1}",
        }
        self.records.append(record)
        return record

    def bytes(self) -> bytes:
        """The capture file."""
        return b"".join(json.dumps(record, separators=(",", ":")).encode() + b"\n" for record in self.records)

    def audit(self, folder: Path, capsys: Any, *options: str, complete: bool = True) -> list[dict[str, Any]]:
        """What the audit says of them, as JSON lines. They are all that happened, unless `complete` says otherwise."""
        file = folder / "records.jsonl"
        file.write_bytes(self.bytes())
        main(["audit", str(file), "--format", "json", *self.options(), *options, *["--complete"] * complete])
        return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def _over(base: Any, data: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in {**base, **data}.items() if value is not None}


def _bytes(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


def _body(raw: bytes) -> dict[str, str]:
    return {"base64": b64encode(raw).decode()}
