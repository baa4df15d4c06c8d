"""Signs drafts and writes them down, in the three forms of a capture."""

from __future__ import annotations

import gzip
import json
from base64 import b64encode
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

from paywright import SnapAsymmetric
from paywright_runtime.signing.keys import load_private_key
from paywright_runtime.signing.rsa import RsaSigner
from tests.audit.helpers.planted_story import Draft, Side

__all__ = ["Pen", "pen"]

_KEPT = 20_000


class Pen:
    """Signs with the keys of a folder. The same text under the same key has the same signature, and is signed once."""

    def __init__(self, folder: Path) -> None:
        self._signers = {
            whose: RsaSigner(load_private_key(folder / f"{whose}.key")) for whose in ("merchant", "gateway", "stranger")
        }
        self._signed: dict[tuple[str, bytes], str] = {}

    def write(self, draft: Draft) -> bytes:
        """A line or an entry."""
        asked, told = self._finish(draft, draft.asked), None if draft.told is None else self._finish(draft, draft.told)
        return _WRITERS[draft.form](draft, asked, told)

    def _sign(self, whose: str, raw: bytes) -> str:
        known = self._signed.get((whose, raw))
        if known is None:
            if len(self._signed) > _KEPT:
                self._signed.clear()
            known = self._signed[whose, raw] = self._signers[whose].sign(raw)
        return known

    def _finish(self, draft: Draft, side: Side) -> tuple[list[list[str]], bytes]:
        raw = side.encoded()
        headers = [list(pair) for pair in side.headers]
        if side.signer is not None:
            true = self._sign(side.signer, raw)
            headers += [["sign", value] for value in ([true] if side.signs is None else side.signs(true))]
        if side.snap_verdict is not None:
            stamp = next((value for name, value in headers if name == "X-TIMESTAMP"), "")
            form = SnapAsymmetric(self._signers["merchant"])
            true = form.headers("POST", urlsplit(draft.url).path, raw, stamp)[form.HEADER]
            headers += [["X-SIGNATURE", value] for value in ([true] if side.snap is None else side.snap(true))]
        headers += [["Host", "host.example"], ["Transfer-Encoding", "chunked"]]
        return headers, raw if side.sent is None else side.sent(raw)


_Finished = tuple[list[list[str]], bytes]


def _line(draft: Draft, asked: _Finished, told: _Finished | None) -> bytes:
    record = {
        "v": 1,
        "at": draft.time().isoformat(timespec="milliseconds"),
        "kind": draft.kind,
        "url": draft.url,
        "request": {"headers": asked[0], "body": _shown(draft.asked, asked[1])},
        "response": None,
        "source": "planted",
    }
    if told is not None and draft.told is not None:
        status = draft.told.status
        record["response"] = {"status": status, "headers": told[0], "body": _shown(draft.told, told[1])}
    return json.dumps(record, separators=(",", ":")).encode() + b"\n"


def _shown(side: Side, raw: bytes) -> Mapping[str, object] | None:
    if side.shown == "exact":
        return {"base64": b64encode(raw).decode()}
    if side.shown == "text":
        return {"text": raw.decode()}
    if side.shown == "parsed":
        return {"parsed": json.loads(raw)}
    assert side.shown == "lost"
    return None


def _entry(draft: Draft, asked: _Finished, told: _Finished | None) -> bytes:
    request = {
        "method": "POST",
        "url": draft.url,
        "httpVersion": "HTTP/2",
        "headers": _har_headers(asked[0]),
        "bodySize": len(asked[1]),
        "postData": {"mimeType": "application/json", "text": _text(draft.asked, asked[1])},
    }
    if draft.asked.shown == "lost":
        del request["postData"]
    response: dict[str, object] = {"status": 0, "headers": [], "content": {"size": 0, "mimeType": "x-unknown"}}
    if told is not None and draft.told is not None:
        content: dict[str, object] = {"size": len(told[1]), "mimeType": "application/json"}
        if draft.told.shown == "base64":
            content |= {"encoding": "base64", "text": b64encode(told[1]).decode()}
        elif draft.told.shown != "lost":
            content["text"] = _text(draft.told, told[1])
        response = {"status": draft.told.status, "headers": _har_headers(told[0]), "content": content}
    entry = {
        "startedDateTime": draft.time().isoformat(timespec="milliseconds"),
        "time": draft.took * 1000,
        "request": request,
        "response": response,
        "cache": {},
        "timings": {"send": 0, "wait": draft.took * 1000, "receive": 0},
    }
    return json.dumps(entry, indent=1).encode()


def _har_headers(headers: list[list[str]]) -> list[dict[str, str]]:
    return [{"name": name.lower(), "value": value} for name, value in headers]


def _text(side: Side, raw: bytes) -> str:
    if side.shown == "truncated":
        return raw[: len(raw) // 2].decode()
    if side.shown == "unpacked":
        return gzip.decompress(raw).decode()
    if side.shown == "latin-1":
        return raw.decode("latin-1")
    return raw.decode("utf-8-sig")


_WRITERS = {"records": _line, "har": _entry, "packed": _line}


@cache
def pen(folder: Path) -> Pen:
    """The pen of a process."""
    return Pen(folder)
