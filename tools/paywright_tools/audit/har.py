"""Reads HAR 1.2, as browsers and proxies export it. Its bodies are text that was decoded: the bytes may be lost."""

from __future__ import annotations

from binascii import Error as Base64Error
from binascii import a2b_base64
from collections.abc import Iterator
from typing import IO, Final

from paywright_runtime import strict_json
from paywright_tools.audit.records import Body, Exact, Exchange, Lost, Message, Pairs, Perhaps, Unreadable

__all__ = ["MAX_FILE", "read_har"]

MAX_FILE: Final = 256 * 1024 * 1024
_MAX_DEPTH: Final = 128


def read_har(first: bytes, source: IO[bytes]) -> Iterator[Exchange | Unreadable]:
    """Every entry of a HAR file, of which `first` was read already. The file is held in memory as a whole."""
    raw = first + source.read(MAX_FILE + 1 - len(first))
    try:
        # Browsers begin it with a byte order mark, and number its times with many digits.
        value, _ = strict_json.parse_reporting(
            raw.removeprefix(b"\xef\xbb\xbf"), max_bytes=MAX_FILE, max_depth=_MAX_DEPTH
        )
    except strict_json.JsonProblem as problem:
        why = strict_json.WHY[problem.why]
        yield Unreadable("the file", f"it is neither capture records nor a HAR file: {why}")
        return
    del raw
    log = value.get("log") if isinstance(value, dict) else None
    entries = log.get("entries") if isinstance(log, dict) else None
    if not isinstance(entries, list):
        yield Unreadable("the file", "it is neither capture records nor a HAR file: it has no log.entries")
        return
    for number, entry in enumerate(entries):
        yield _entry(f"entry {number}", entry)


def _entry(place: str, entry: object) -> Exchange | Unreadable:
    request = entry.get("request") if isinstance(entry, dict) else None
    response = entry.get("response") if isinstance(entry, dict) else None
    if not isinstance(request, dict) or not isinstance(request.get("url"), str):
        return Unreadable(place, "it has no request with a url")
    status = response.get("status") if isinstance(response, dict) else None
    answered = isinstance(response, dict) and isinstance(status, int) and not isinstance(status, bool) and status > 0
    answer = None
    if answered and isinstance(response, dict) and isinstance(status, int):
        headers = _headers(response.get("headers"))
        answer = Message(headers, _content(response.get("content"), headers), status)
    asked = Message(_headers(request.get("headers")), _posted(request.get("postData")))
    return Exchange(place, str(request["url"]), asked, answer, None)


def _headers(value: object) -> Pairs:
    pairs = []
    for item in value if isinstance(value, list) else ():
        if isinstance(item, dict) and isinstance(item.get("name"), str) and isinstance(item.get("value"), str):
            pairs.append((str(item["name"]), str(item["value"])))
    return pairs


def _posted(data: object) -> Body:
    text = data.get("text") if isinstance(data, dict) else None
    return Perhaps(text.encode()) if isinstance(text, str) else Lost()


def _content(content: object, headers: Pairs) -> Body:
    text = content.get("text") if isinstance(content, dict) else None
    if not isinstance(text, str) or not isinstance(content, dict):
        return Lost()
    if content.get("encoding") != "base64":
        return Perhaps(text.encode())
    try:
        raw = a2b_base64(text.encode("ascii"), strict_mode=True)
    except (Base64Error, ValueError):
        return Lost()
    # What was compressed is shown decompressed, and the signature is over what was before that; which it was, who knows.
    encoded = any(name.lower() == "content-encoding" and value.lower() != "identity" for name, value in headers)
    return Perhaps(raw) if encoded else Exact(raw)
