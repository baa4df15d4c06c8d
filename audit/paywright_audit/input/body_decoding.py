"""What the body of a message says, and which bytes its sender may have signed."""

from __future__ import annotations

import zlib
from codecs import BOM_UTF8
from collections.abc import Iterator, Sequence
from decimal import Decimal
from json import JSONDecoder
from json.scanner import make_scanner
from typing import Final, NoReturn, cast

from paywright_runtime import strict_json
from paywright_runtime.json_problem import MAX_BYTES, MAX_DEPTH, MAX_DIGITS
from paywright_tools.audit.records import Body, Exact, Message, Pairs, Parsed, Perhaps, named

__all__ = ["PACKED", "Reading", "candidates", "cut_short", "packed", "read", "unpacked"]

Reading = tuple[object, Sequence[str], str]
"""The value (None if it cannot be read), the pointers of members that stand more than once, and why it is not strict
JSON: a word of `strict_json.WHY`, `PACKED`, or ""."""

PACKED: Final = "packed"
"""Why a body cannot be read that is compressed in a way that is not unpacked here."""

_NONE: Final[Sequence[str]] = ()


def read(message: Message) -> Reading:
    """The body of a message as strict JSON. What was compressed on the wire is unpacked first."""
    body = message.body
    if type(body) is Exact or type(body) is Perhaps:
        raw = body.raw
        # Most bodies are plain objects in which nothing is to be refused; strict_json says the same of them, and why of others.
        if raw[:1] == b"{" and b"\\u" not in raw and raw.count(b"{") + raw.count(b"[") <= MAX_DEPTH:
            try:
                text = raw.decode()
                value, end = _scan(text, 0)
                if end == len(text) and end <= MAX_BYTES:
                    return value, _NONE, ""
            except (ValueError, StopIteration):
                pass
        return _read_strictly(message, raw)
    return (body.value if type(body) is Parsed else None), _NONE, ""


def _read_strictly(message: Message, raw: bytes) -> Reading:
    try:
        return strict_json.parse(raw), _NONE, ""
    except strict_json.JsonProblem as caught:
        why = caught.why
    if why == "duplicate":
        try:
            return *strict_json.parse_reporting(raw), ""
        except strict_json.JsonProblem as caught:
            why = caught.why
    for inside in unpacked(raw, message.headers):
        return read(Message((), Exact(inside)))
    return None, _NONE, PACKED if packed(message) else why


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError
    return made


def _integer(text: str) -> int:
    if len(text) > MAX_DIGITS:
        raise ValueError
    return int(text)


def _decimal(text: str) -> Decimal:
    if len(text) > MAX_DIGITS or "e" in text or "E" in text:
        raise ValueError
    return Decimal(text)


def _constant(_: str) -> NoReturn:
    raise ValueError


_strict: Final = JSONDecoder(
    object_pairs_hook=_unique, parse_int=_integer, parse_float=_decimal, parse_constant=_constant
)
_scan: Final = make_scanner(cast(make_scanner, _strict))  # its own stub says that it takes another of its kind


def candidates(body: Body, headers: Pairs) -> Iterator[bytes]:
    """Every text that the sender may have signed, the likeliest first: none for a body that is not there.

    Of exact bytes that say they are compressed, what is in them too. Of a text that the source decoded, the same with the
    byte order mark that decoders drop, and in the character set that the message declares.
    """
    if isinstance(body, Exact):
        yield body.raw
        yield from unpacked(body.raw, headers)
    elif isinstance(body, Perhaps):
        yield body.raw
        yield BOM_UTF8 + body.raw
        name = _charset(headers)
        if name is not None:
            try:
                yield body.raw.decode().encode(name)
            except UnicodeError:
                return


def cut_short(message: Message) -> bool:
    """Whether there is less of a body than its own Content-Length says: no receiver takes such a message for a whole one,
    so that the capture must have lost the rest.

    A text may have been more bytes than it is in UTF-8: one that is not ASCII proves nothing, nor does one that is as much
    shorter as the byte order mark that decoders drop.
    """
    body, lengths = message.body, named(message.headers, "content-length")
    if not isinstance(body, (Exact, Perhaps)) or len(lengths) != 1 or named(message.headers, "content-encoding"):
        return False
    certain = isinstance(body, Exact)
    if not certain and not (body.raw.isascii() and _charset(message.headers) is None):
        return False
    digits = lengths[0].strip()
    said = int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 16 else 0
    return said > len(body.raw) + (0 if certain else len(BOM_UTF8))


def packed(message: Message) -> bool:
    """Whether a message says that its body is compressed: what is not unpacked here can be neither read nor judged."""
    return any(value.strip().lower() not in ("", "identity") for value in message.get_all("content-encoding"))


def unpacked(raw: bytes, headers: Pairs) -> Iterator[bytes]:
    """What is in a body that was compressed, where a header says so and it can be told; at most as large as any body."""
    if not any("gzip" in value.lower() or "deflate" in value.lower() for value in named(headers, "content-encoding")):
        return
    for window in (31, 15, -15):  # gzip, zlib, and the bare deflate that some servers send under the same name
        decoder = zlib.decompressobj(window)
        try:
            found = decoder.decompress(raw, MAX_BYTES)
        except zlib.error:
            continue
        if decoder.eof and not decoder.unconsumed_tail:
            yield found
            return


def _charset(headers: Pairs) -> str | None:
    for value in named(headers, "content-type"):
        _, mark, name = value.lower().partition("charset=")
        name = name.split(";")[0].strip(" \"'")
        try:
            "".encode(name)  # fails for what is no character set, such as rot13
        except (LookupError, ValueError):
            continue
        if mark and name not in ("utf-8", "utf8"):
            return name
    return None
