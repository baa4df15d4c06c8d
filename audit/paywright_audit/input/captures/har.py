"""Read HAR 1.2, as browsers and proxies export it, entry by entry.

Its bodies are decoded text, whose original bytes may be lost.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator
from typing import IO, Final, TypeVar, cast

from paywright_audit.input.captures.json_stream import JsonStream, NotJson
from paywright_audit.input.members import answer_of, pairs_of, time_of
from paywright_audit.input.records import REST, Body, Decoded, Exact, Exchange, Lost, Message, Pairs, Unreadable, named
from paywright_audit.input.wrappings import from_base64

_Element = TypeVar("_Element")

MAX_ENTRY: Final = 32 * 1024 * 1024


def read_har(first: bytes, source: IO[bytes], beside: str = "") -> Iterator[Exchange | Unreadable]:
    """Yield every entry of a HAR file, in the memory of its largest entry. `first` is its first line, already read.

    Bodies may be in files `beside` it: the folder, "" if there is none.
    """
    stream = JsonStream(first, source, MAX_ENTRY)
    number = 0
    for entry in _entries(stream, stream.value):
        if isinstance(entry, Unreadable):
            yield entry
        else:
            yield _entry(entry, number, beside)
            number += 1


def har_texts(first: bytes, source: IO[bytes]) -> Iterator[str | Unreadable]:
    """Yield the text of every entry, for `entry_of`."""
    stream = JsonStream(first, source, MAX_ENTRY)
    return _entries(stream, stream.text)


def entry_of(text: str, number: int, beside: str = "") -> Exchange | Unreadable:
    """Return the exchange of an entry from its well-formed text."""
    return _entry(json.loads(text), number, beside)


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
        yield Unreadable("", f"after entry {number - 1}, {why}" if number else _neither(str(why)), REST)
        return
    if not found:
        yield Unreadable("", _neither("it has no log.entries"), REST)
    elif stream.next():
        yield Unreadable("", "there is text after its end", REST)


def _neither(why: str) -> str:
    return f"it is neither capture records, one a line (jq -c . makes them so), nor a HAR file: {why}"


def _entry(entry: object, number: int, beside: str) -> Exchange | Unreadable:
    request = entry.get("request") if isinstance(entry, dict) else None
    response = entry.get("response") if isinstance(entry, dict) else None
    if not isinstance(entry, dict) or not isinstance(request, dict) or not isinstance(request.get("url"), str):
        return Unreadable("entry", "it has no request with a url", number)
    odd: list[str] = []
    if response is not None and not isinstance(response, dict):
        odd.append("response")
    told = response if isinstance(response, dict) else {}
    headers = pairs_of(told.get("headers"), odd)
    answer = answer_of(told.get("status"), headers, _content(told.get("content"), headers, beside), odd)
    headers = pairs_of(request.get("headers"), odd)
    posted = request.get("postData")
    if isinstance(posted, dict) and not posted.get("text") and request.get("_content") is not None:
        posted = request["_content"]  # bodies that are no text, as httptoolkit writes them
    asked = Message(headers, _content(posted, headers, beside, unpacked=False))
    began = time_of(entry.get("startedDateTime"), odd)
    took = entry.get("time")
    ended = began
    if began is not None and isinstance(took, (int, float)) and 0 < took < 86_400_000:
        ended = began + took / 1000
    return Exchange(
        "entry", str(request["url"]), asked, answer, None, began, ended, number,
        cast("str | None", request.get("method")), not _refused(entry, told), odd=odd,
    )  # fmt: skip


def _refused(*parts: dict[str, object]) -> bool:
    """Return whether the tool reports that no connection was made, so that nothing was sent."""
    said = [one.get(name) for one in parts for name in ("_error", "_failureText", "comment")]
    return any(isinstance(one, str) and _UNSENT(one) is not None for one in said)


_UNSENT: Final = re.compile(
    r"CONNECTION_(?:REFUSED|TIMED_OUT|FAILED)|NAME_NOT_RESOLVED|ADDRESS_(?:UNREACHABLE|INVALID)|INTERNET_DISCONNECTED"
    r"|ERR_CERT_|ERR_SSL_|BLOCKED_BY_CLIENT|NS_ERROR_(?:UNKNOWN_HOST|OFFLINE)|ECONNREFUSED|ENOTFOUND|EHOSTUNREACH|ENETUNREACH"
    r"|[Cc]onnect(?:ion| call) (?:failed|refused)|Errno 1(?:11|13)|[Nn]ame or service not known|getaddrinfo",
).search
"""Errors of browsers, proxies and systems before a byte of the request is sent."""


def _content(content: object, headers: Pairs, beside: str, *, unpacked: bool = True) -> Body:
    """Return the body of `content` or `postData`. HAR has compressed answers unpacked, and whether the signature is older is unknown."""
    if not isinstance(content, dict):
        return _nothing(headers)
    text, size = content.get("text"), content.get("size")
    if not text and isinstance(content.get("_file"), str):
        raw = _beside(beside, content["_file"])
        return Lost() if raw is None else Decoded(raw)
    if not isinstance(text, str) or (not text and isinstance(size, int) and size > 0):
        return _nothing(headers)
    packed = unpacked and any(value.lower() != "identity" for value in named(headers, "content-encoding"))
    if content.get("encoding") != "base64":
        raw = text.encode(errors="surrogateescape" if _escaped(text) else "surrogatepass")
        return Decoded(raw, "reencoded" if packed else "bytes_lost")
    chunks = text[:1] == "["
    found = _chunks(text) if chunks else from_base64(text.encode(errors="replace"))
    if found is None:
        return Lost()
    return Decoded(found, "reencoded") if packed and not chunks else Exact(found)


def _chunks(text: str) -> bytes | None:
    """Return the bytes of a list of Base64, as Polly.JS writes the chunks of a compressed answer."""
    try:
        parts = [from_base64(one.encode(errors="replace")) for one in json.loads(text)]
    except (ValueError, AttributeError, TypeError, RecursionError):
        return None
    return None if None in parts else b"".join(part or b"" for part in parts)


def _beside(folder: str, name: str) -> bytes | None:
    """Return the contents of a body in a file of its own beside the HAR, as Playwright writes it; None if it is not there."""
    if not folder or not name or name != os.path.basename(name) or "\\" in name:
        return None
    try:
        path = os.path.join(folder, name)
        if not os.path.isfile(path) or os.path.getsize(path) > MAX_ENTRY:
            return None
        with open(path, "rb") as file:
            return file.read()
    except (OSError, ValueError):
        return None


def _nothing(headers: Pairs) -> Body:
    """Return the body of an entry without one: empty if its Content-Length is 0, else lost."""
    return Exact(b"") if named(headers, "content-length") == ["0"] else Lost()


def _escaped(text: str) -> bool:
    """Return whether a text can be converted back to bytes that were not UTF-8 in the file."""
    try:
        text.encode(errors="surrogateescape")
    except UnicodeEncodeError:
        return False
    return True
