"""Captures of a world at three points: the gateway's log, the client's side and the receiver's side; audited in the end."""

from __future__ import annotations

import json
from base64 import b64encode
from datetime import datetime
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, Final

from paywright_audit import AuditSettings, Report, audit_files
from tests.audit.helpers.operators import ALL, LOSSLESS
from tests.outcomes.messages import Request

if TYPE_CHECKING:
    from paywright_receiver.webhooks.reply import Reply
    from paywright_runtime.transport.api import RawAnswer, SignedRequest
    from tests.world.shop import Shop
    from tests.world.world import World

__all__ = ["POINTS", "Captures"]

POINTS: Final = {
    "all points": ("gateway", "client", "receiver"), "the shop's points": ("client", "receiver"), "the gateway's point": ("gateway",),
}  # fmt: skip
_NOTIFIED: Final = "https://shop.example/notifications"


class Captures:
    """What was recorded at each point, by the clock of whoever recorded it. Nothing is unless an auditor will look."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.wanted = False
        self._records: dict[str, list[dict[str, Any]]] = {}

    def called(self, shop: Shop, request: SignedRequest, answer: RawAnswer | None, at: datetime) -> None:
        """Record a call as its client saw it: with the answer that came, or with none."""
        if self.wanted:
            asked = Request(*request[:3])
            response = None if answer is None else (answer.status, answer.headers, answer.body)
            self._add(
                f"client-{shop.number}.jsonl",
                "call",
                shop.address + asked.path,
                (asked.headers, asked.body),
                response,
                at,
            )

    def notified(self, shop: Shop, raw: bytes, sign: str, reply: Reply, *, forged: bool = False) -> None:
        """Record a notification and its reply, as the shop saw them, and the gateway if it sent it."""
        if not self.wanted:
            return
        response, request = (reply.status, reply.headers, reply.body), (
            (("content-type", "application/json"), ("sign", sign)),
            raw,
        )
        points = (f"receiver-{shop.number}", self.world.now() + self.world.wrong), ("gateway", self.world.now())
        for point, at in points[: 1 if forged else 2]:
            self._add(f"{point}.jsonl", "notify", _NOTIFIED, request, response, at)

    def _add(
        self,
        file: str,
        kind: str,
        url: str,
        request: tuple[Any, bytes],
        response: tuple[int, Any, bytes] | None,
        at: datetime,
    ) -> None:
        record = {
            "v": 1,
            "at": at.isoformat(timespec="milliseconds"),
            "kind": kind,
            "url": url,
            "request": _message(*request),
            "response": None if response is None else {"status": response[0], **_message(*response[1:])},
        }
        self._records.setdefault(file, []).append(record)

    def audited(self, points: str, name: str, folder: Path) -> Report:
        """Audit some of the points, after an operator of `tests.audit` has changed what is left of them."""
        log = [json.loads(line) for line in self.world.sandbox.log().splitlines()]
        records = {
            **self._records,
            "gateway.jsonl": [*(one for one in log if one["kind"] == "call"), *self._records.get("gateway.jsonl", [])],
        }
        records = {file: some for file, some in records.items() if file.startswith(POINTS[points])}
        capture = ALL[name](records, Random(len(self.world.story))) if records else {}
        files = []
        for file, some in capture.items():
            if some:
                path = folder / file
                path.write_text("".join(json.dumps(one) + "\n" for one in some))
                files.append(path)
        keys = self.world.gateway.keys
        settings = AuditSettings(
            require=(), merchant_keys=[keys.public["merchant"]], gateway_keys=keys.of_gateway,
            complete=name in LOSSLESS and not self.world.counts["deaths"],  # who dies records nothing of its call
        )  # fmt: skip
        return audit_files(files, settings)


def _message(headers: Any, body: bytes) -> dict[str, Any]:
    return {"headers": [list(pair) for pair in headers], "body": {"base64": b64encode(body).decode()}}
