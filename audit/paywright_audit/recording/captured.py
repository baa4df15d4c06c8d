"""One exchange as it was seen, and its capture record: with exact bytes, or without what is confidential."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Sequence
from datetime import datetime
from functools import cache
from typing import Final, Literal, NamedTuple
from urllib.parse import urlsplit

from paywright.contract import CONTRACT
from paywright_runtime import strict_json
from paywright_runtime.card_numbers import SHORTEST, first_and_last, mask_card_numbers
from paywright_runtime.contract import formats

__all__ = ["LONGEST", "Captured", "CapturedMessage", "Pairs", "capture_record"]

Pairs = Sequence[tuple[str, str]]

LONGEST: Final = 1024 * 1024
"""The most bytes of a body that are recorded."""
_MARK: Final = "***"
_PLAIN_HEADERS: Final = frozenset(
    (
        "accept", "accept-encoding", "connection", "content-encoding", "content-length", "content-type", "date", "host",
        "transfer-encoding", "user-agent", "x-timestamp",
    )
)  # fmt: skip


class CapturedMessage(NamedTuple):
    """Headers and body of a request or a response. `body` None was not seen; `status` is that of a response."""

    headers: Pairs
    body: bytes | None
    status: int | str = 0

    def __repr__(self) -> str:
        return f"<CapturedMessage with {len(self.headers)} headers>"


class Captured(NamedTuple):
    """One exchange. `response` None never came; `sent` False if nothing of the request was sent."""

    kind: Literal["call", "notify"]
    method: str
    url: str
    request: CapturedMessage
    response: CapturedMessage | None
    at: datetime
    until: datetime
    sent: bool = True

    def __repr__(self) -> str:
        return f"<Captured {self.kind}>"


def capture_record(seen: Captured, number: int, *, exact: bool) -> bytes:
    """Return the line of an exchange. Without `exact` it says that it is redacted, and its signatures cannot be verified.

    Then values stay only under names that the contract has and does not class as secret, pan or pii; card numbers are masked
    there too. Of headers those of HTTP stay, of the address what stands before its query.
    """
    request, response = seen.request, seen.response
    record: dict[str, object] = {
        "v": 1,
        "at": formats.write_request_time(seen.at),
        "kind": seen.kind,
        "url": seen.url if exact else _plain_url(seen.url),
        "request": {**_part(request, exact), "method": seen.method},
        "response": None if response is None else {"status": int(response.status), **_part(response, exact)},
        "until": formats.write_request_time(seen.until),
        "source": f"recorder#{number}",
    }
    if not seen.sent:
        record["sent"] = False
    if not exact:
        record["redacted"] = True
    return (json.dumps(record, separators=(",", ":")).encode() if exact else strict_json.write(record)) + b"\n"


def _part(part: CapturedMessage, exact: bool) -> dict[str, object]:
    if exact:
        body = None if part.body is None else _exact(part.body)
        return {"headers": [list(pair) for pair in part.headers], "body": body}
    headers = [[name, value if name.lower() in _PLAIN_HEADERS else _MARK] for name, value in part.headers]
    return {"headers": headers, "body": _redacted(part.body)}


def _exact(body: bytes) -> dict[str, object]:
    kept: dict[str, object] = {"base64": b64encode(body[:LONGEST]).decode()}
    return kept if len(body) <= LONGEST else {**kept, "truncated": True}


def _plain_url(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def _redacted(body: bytes | None) -> dict[str, object] | None:
    try:
        return None if body is None else {"parsed": _masked(strict_json.parse(body, max_bytes=LONGEST), False)}
    except strict_json.JsonProblem:
        return None


def _masked(value: object, plain: bool) -> object:
    if isinstance(value, dict):
        names = _plain_names()
        return {
            name if name in names else mask_card_numbers(name, checked=False): _masked(one, name in names)
            for name, one in value.items()
        }
    if isinstance(value, list):
        return [_masked(one, plain) for one in value]
    if isinstance(value, str):
        if not plain:
            return "*" * len(value)
        return value if len(value) < SHORTEST else mask_card_numbers(value, first_and_last, checked=True)
    return value if plain or value is None or isinstance(value, bool) else 0


@cache
def _plain_names() -> frozenset[str]:
    fields = [field for name in CONTRACT.structs() for field in CONTRACT.struct(name).fields]
    return frozenset(field.wire for field in fields) - {field.wire for field in fields if field.redaction is not None}
