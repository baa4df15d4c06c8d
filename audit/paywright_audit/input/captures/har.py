"""Read HAR 1.2, as browsers and proxies export it, entry by entry.

Its bodies are decoded text, whose original bytes may be lost.
"""

from __future__ import annotations

import json
from binascii import Error as Base64Error
from binascii import a2b_base64
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator
from typing import IO, Final, TypeVar

from paywright_audit.input.captures.json_stream import JsonStream, NotJson
from paywright_audit.input.records import Body, Decoded, Exact, Exchange, Lost, Message, Pairs, Unreadable, named
from paywright_audit.input.times import seconds

__all__ = ["MAX_ENTRY", "entry_of", "har_texts", "read_har"]

_Element = TypeVar("_Element")

MAX_ENTRY: Final = 32 * 1024 * 1024


def read_har(first: bytes, source: IO[bytes]) -> Iterator[Exchange | Unreadable]:
    """Yield every entry of a HAR file, in the memory of its largest entry. `first` is its first line, already read."""
    stream = JsonStream(first, source, MAX_ENTRY)
    number = 0
    for entry in _entries(stream, stream.value):
        if isinstance(entry, Unreadable):
            yield entry
        else:
            yield _entry(entry, number)
            number += 1


def har_texts(first: bytes, source: IO[bytes]) -> Iterator[str | Unreadable]:
    """Yield the text of every entry, for `entry_of`."""
    stream = JsonStream(first, source, MAX_ENTRY)
    return _entries(stream, stream.text)


def entry_of(text: str, number: int) -> Exchange | Unreadable:
    """Return the exchange of an entry from its well-formed text."""
    return _entry(json.loads(text), number)


def _entries(stream: JsonStream, read: Callable[[], _Element]) -> Iterator[_Element | Unreadable]:
    number = 0
    found = False
    try:
        for name in stream.members():
            if name != "log" or stream.next() != "{":
                stream.value()
                continue
            for member in stream.members():
                if member != "entries" or stream.next() != "[":
                    stream.value()
                    continue
                found = True
                for entry in stream.elements(read):
                    yield entry
                    number += 1
    except NotJson as why:
        yield Unreadable("", f"after entry {number - 1}, {why}" if number else _neither(str(why)), (1 << 48) - 1)
        return
    if not found:
        yield Unreadable("", _neither("it has no log.entries"), 0)
    elif stream.next():
        yield Unreadable("", "there is text after its end", (1 << 48) - 1)


def _neither(why: str) -> str:
    return f"it is neither capture records nor a HAR file: {why}"


def _entry(entry: object, number: int) -> Exchange | Unreadable:
    request = entry.get("request") if isinstance(entry, dict) else None
    response = entry.get("response") if isinstance(entry, dict) else None
    if not isinstance(entry, dict) or not isinstance(request, dict) or not isinstance(request.get("url"), str):
        return Unreadable("entry", "it has no request with a url", number, number)
    status = response.get("status") if isinstance(response, dict) else None
    answer = None
    if isinstance(response, dict) and isinstance(status, int) and not isinstance(status, bool) and status > 0:
        headers = _headers(response.get("headers"))
        answer = Message(headers, _content(response.get("content"), headers), status)
    headers = _headers(request.get("headers"))
    asked = Message(headers, _posted(request.get("postData"), request.get("bodySize"), headers))
    began = seconds(entry.get("startedDateTime"))
    took = entry.get("time")
    ended = began
    if began is not None and isinstance(took, (int, float)) and 0 < took < 86_400_000:
        ended = began + took / 1000
    method = request.get("method")
    return Exchange(
        "entry", str(request["url"]), asked, answer, None, began, ended, number, number,
        method.upper() if isinstance(method, str) else None, False if answer is None and _refused(entry, response) else None,
    )  # fmt: skip


def _refused(entry: dict[str, object], response: object) -> bool:
    """Return whether the browser reports that no connection was made, so that nothing was sent."""
    said = [one.get("_error") for one in (entry, response) if isinstance(one, dict)]
    return any(isinstance(one, str) and any(error in one for error in _UNSENT) for one in said)


_UNSENT: Final = (
    "ERR_CONNECTION_REFUSED", "ERR_NAME_NOT_RESOLVED", "ERR_ADDRESS_UNREACHABLE", "ERR_INTERNET_DISCONNECTED",
    "ERR_PROXY_CONNECTION_FAILED", "ERR_CONNECTION_TIMED_OUT",
)  # fmt: skip
"""Errors of Chromium's network stack before a byte is sent."""


def _headers(value: object) -> Pairs:
    pairs = []
    for item in value if isinstance(value, list) else ():
        if isinstance(item, dict) and isinstance(item.get("name"), str) and isinstance(item.get("value"), str):
            pairs.append((_sound(item["name"]), _sound(item["value"])))
    return pairs


def _sound(text: str) -> str:
    """Return the text without lone surrogates, which cannot be encoded."""
    return text if text.isascii() else text.encode(errors="replace").decode()


def _posted(data: object, size: object, headers: Pairs) -> Body:
    text = data.get("text") if isinstance(data, dict) else None
    if not isinstance(text, str) or not isinstance(data, dict):
        return _nothing(headers)
    if data.get("encoding") == "base64":  # not in HAR 1.2, but some tools write it
        return _decoded(text)
    raw = text.encode(errors="surrogateescape" if _escaped(text) else "surrogatepass")
    return Lost("truncated") if _cut(raw, size) else Decoded(raw)


def _content(content: object, headers: Pairs) -> Body:
    text = content.get("text") if isinstance(content, dict) else None
    if not isinstance(text, str) or not isinstance(content, dict):
        return _nothing(headers)
    # HAR has compressed bodies unpacked. Whether the signature covers the compressed bytes is unknown.
    packed = any(value.lower() != "identity" for value in named(headers, "content-encoding"))
    if content.get("encoding") != "base64":
        raw = text.encode(errors="surrogateescape" if _escaped(text) else "surrogatepass")
        if not packed and _cut(raw, content.get("size")):
            return Lost("truncated")
        return Decoded(raw, "reencoded" if packed else "bytes_lost")
    if text.startswith('["') and text.endswith('"]'):  # Polly.JS: the chunks of a compressed body, as they arrived
        chunks = [body.raw for chunk in text[2:-2].split('","') if isinstance(body := _decoded(chunk), Exact)]
        return Exact(b"".join(chunks)) if len(chunks) == text.count('","') + 1 else Lost()
    body = _decoded(text)
    return Decoded(body.raw, "reencoded") if packed and isinstance(body, Exact) else body


def _nothing(headers: Pairs) -> Body:
    """Return the body of an entry without one: empty if its Content-Length is 0, else lost."""
    return Exact(b"") if named(headers, "content-length") == ["0"] else Lost()


def _decoded(text: str) -> Body:
    try:
        return Exact(a2b_base64(text.encode("ascii"), strict_mode=True))
    except (Base64Error, ValueError):
        return Lost()


def _escaped(text: str) -> bool:
    """Return whether a text can be converted back to bytes that were not UTF-8 in the file."""
    try:
        text.encode(errors="surrogateescape")
    except UnicodeEncodeError:
        return False
    return True


def _cut(raw: bytes, size: object) -> bool:
    """Return whether the body is so short that the tool must have cut it.

    Tools count sizes of text outside ASCII differently, and a size that is three bytes larger may include the byte
    order mark that the tool dropped.
    """
    return isinstance(size, int) and not isinstance(size, bool) and raw.isascii() and len(raw) + len(BOM_UTF8) < size
