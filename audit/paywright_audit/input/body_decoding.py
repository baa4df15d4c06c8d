"""Decode bodies of messages, and find the bytes that their sender may have signed."""

from __future__ import annotations

import re
import zlib
from codecs import BOM_UTF8
from collections.abc import Iterator, Sequence
from typing import Final

from paywright_audit.input.records import Body, Decoded, Exact, Lost, Message, Pairs, Parsed, named
from paywright_runtime import strict_json
from paywright_runtime.strict_json.errors import MAX_BYTES

try:
    from paywright_audit.input.typed_bodies import usual_body
except ImportError:  # msgspec is not installed

    def usual_body(raw: bytes) -> object:
        """Return None, so that the runtime reads every body."""
        return None


__all__ = [
    "MASKED",
    "PACKED",
    "Reading",
    "candidates",
    "cut_short",
    "has_masked",
    "hidden",
    "is_lost",
    "is_masked",
    "packed",
    "partly_hidden",
    "read",
    "unpacked",
]

Reading = tuple[object, Sequence[str], str]
"""The value (None if it cannot be read), the pointers of members that appear more than once, and why it is not strict
JSON: a word of `strict_json.WHY`, `PACKED`, or ""."""

PACKED: Final = "packed"
"""Reason for a body that is compressed in an unsupported way."""

MASKED: Final = "masked"
"""Reason for a body or a signature that the capture hides."""

_NONE: Final[Sequence[str]] = ()
_LONGEST_MARK: Final = 64
_WORDS: Final = "redacted|masked|removed|hidden|filtered|secret|sanitized|scrubbed|omitted"
_MARKED: Final = re.compile(rf'\*{{3}}|"\W{{0,3}}(?:{_WORDS})\W{{0,3}}"', re.IGNORECASE).search
_LAST_OF_MARKS: Final = frozenset("dtnxDTNX])}>*\u2022\u2026")
_MARK: Final = re.compile(
    rf"""\W*(?:{_WORDS}|x{{3,}})\W*  # [REDACTED], <masked>
    | .*(?:\*{{3,}}|\u2022{{3,}}|\u2026).*""",  # ***, card****11, abc...
    re.IGNORECASE | re.VERBOSE,
).fullmatch
_BEGINNINGS: Final = "|".join(
    sorted({word[:end] for word in _WORDS.split("|") for end in range(1, len(word))}, reverse=True)
)
_MARK_BEGUN: Final = re.compile(rf"\*{{1,3}}|[\[<(*]{{1,3}}(?:{_BEGINNINGS})", re.IGNORECASE).fullmatch
_TEXTS: Final = re.compile(rb'"(?:[^"\\]|\\.)*+"', re.DOTALL).sub


def read(message: Message) -> Reading:
    """Parse the body of a message as strict JSON, after unpacking it if it was compressed."""
    body = message.body
    if type(body) is Exact or type(body) is Decoded:
        usual = usual_body(body.raw)
        if usual is not None:
            return usual, _NONE, ""
        try:
            return strict_json.parse(body.raw), _NONE, ""
        except strict_json.JsonProblem as caught:
            return _read_otherwise(message, body.raw, caught.why)
    return (body.value if type(body) is Parsed else None), _NONE, ""


def _read_otherwise(message: Message, raw: bytes, why: str) -> Reading:
    """Return the reading of a body that is not strict JSON because of `why`.

    Equal keys are reported, and compressed bodies are unpacked.
    """
    if why == "duplicate":
        try:
            return *strict_json.parse_reporting(raw), ""
        except strict_json.JsonProblem as caught:
            why = caught.why
    for inside in unpacked(raw, message.headers):
        return read(Message((), Exact(inside)))
    return None, _NONE, PACKED if packed(message) else why


def candidates(body: Body, headers: Pairs) -> Iterator[bytes]:
    """Yield every byte string that the sender may have signed, the likeliest first; none for a body that is missing.

    For compressed exact bytes, these include their contents. For text that the source decoded, they include the text with
    the byte order mark that decoders drop, and in the character set that the message declares.
    """
    if isinstance(body, Exact):
        yield body.raw
        yield from unpacked(body.raw, headers)
    elif isinstance(body, Decoded):
        yield body.raw
        yield BOM_UTF8 + body.raw
        name = _charset(headers)
        if name is not None:
            try:
                yield body.raw.decode().encode(name)
            except UnicodeError:
                return


def cut_short(message: Message) -> bool:
    """Return whether a body is shorter than its Content-Length; without one, whether it is JSON that ends inside a value.

    No receiver accepts such a message: the capture lost the rest.

    Decoded text that ends as it should may have had more bytes than in UTF-8. So text that is not ASCII is whole, and so is
    text that is shorter by the byte order mark that decoders drop.
    """
    body, lengths = message.body, named(message.headers, "content-length")
    if not isinstance(body, (Exact, Decoded)):
        return False
    if named(message.headers, "content-encoding"):
        return not lengths and any(map(_unfinished, unpacked(body.raw, message.headers)))
    if not lengths:
        return _unfinished(body.raw)
    if len(lengths) != 1:
        return False
    digits = lengths[0].strip()
    said = int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 16 else 0
    if isinstance(body, Exact) or _unfinished(body.raw):
        return said > len(body.raw)
    return body.raw.isascii() and _charset(message.headers) is None and said > len(body.raw) + len(BOM_UTF8)


def is_lost(message: Message, why: str) -> bool:
    """Return whether the capture lost a body or made it unreadable: it is cut off, hidden, or compressed in an unsupported way.

    `why` is the reason why it is not strict JSON, "" if it is.
    """
    if isinstance(message.body, Lost):
        return True
    return bool(why) and (why == PACKED or cut_short(message) or hidden(message))


def hidden(message: Message) -> bool:
    """Return whether a mark stands in place of the body, such as `[REDACTED]`, or its beginning."""
    body = message.body
    if not isinstance(body, (Exact, Decoded)) or len(body.raw) > 2 * _LONGEST_MARK:
        return False
    return any(is_masked(text) or _MARK_BEGUN(text) is not None for text in _texts(message, body))


def partly_hidden(message: Message) -> bool:
    """Return whether a mark stands in place of a value in the body: then nobody knows what was signed."""
    body = message.body
    return isinstance(body, (Exact, Decoded)) and any(map(has_masked, _texts(message, body)))


def _texts(message: Message, body: Exact | Decoded) -> Iterator[str]:
    """Yield the body as text, and unpacked."""
    return (raw.decode(errors="replace") for raw in (body.raw, *unpacked(body.raw, message.headers)))


def is_masked(text: object) -> bool:
    """Return whether a short text stands for a value that was hidden, all of it or its middle."""
    if type(text) is not str or len(text) > _LONGEST_MARK:
        return False
    # A fast check first: few texts end like a mark or have stars in them.
    return (text[-1:] in _LAST_OF_MARKS or "*" in text or "\u2022" in text) and _MARK(text) is not None


def has_masked(text: str) -> bool:
    """Return whether a text of JSON seems to contain a hidden value."""
    # A fast check first: few texts have one of these.
    return ("***" in text or '"[' in text or '"<' in text or "edacted" in text or "EDACTED" in text) and _MARKED(
        text
    ) is not None


def _unfinished(raw: bytes) -> bool:
    """Return whether the end of an object is missing: the body is empty, or ends in a text or before the last brace."""
    raw = raw.strip()
    if not raw:
        return True
    rest = _TEXTS(b"", raw)
    return raw.startswith(b"{") and (
        b'"' in rest or rest.count(b"{") + rest.count(b"[") > rest.count(b"}") + rest.count(b"]")
    )


def packed(message: Message) -> bool:
    """Return whether a message declares its body as compressed. A body that cannot be unpacked cannot be judged."""
    return any(value.strip().lower() not in ("", "identity") for value in message.get_all("content-encoding"))


def unpacked(raw: bytes, headers: Pairs) -> Iterator[bytes]:
    """Yield the contents of a body that a header declares as gzip or deflate, if it can be unpacked within the size limit."""
    if not any("gzip" in value.lower() or "deflate" in value.lower() for value in named(headers, "content-encoding")):
        return
    for window in (31, 15, -15):  # gzip, zlib, and the raw deflate that some servers send under the same name
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
        name = value.lower().partition("charset=")[2].split(";")[0].strip(" \"'")
        try:
            "".encode(name)  # raises for an empty name, and for codecs that are no character set, such as rot13
        except (LookupError, ValueError):
            continue
        if name not in ("utf-8", "utf8"):
            return name
    return None
