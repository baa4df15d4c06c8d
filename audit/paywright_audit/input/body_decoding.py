"""Read bodies of messages as strict JSON, and tell what the capture hid or cut of them."""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Sequence
from typing import Final, NamedTuple

from paywright_audit.input.records import Decoded, Exact, Lost, Message, Parsed, named
from paywright_audit.input.wrappings import decompressed, json_text, unwrapped
from paywright_runtime import strict_json

try:
    from paywright_audit.input.typed_bodies import usual_body
except ImportError:  # msgspec is not installed

    def usual_body(raw: bytes) -> object:
        """Return None, so that the runtime reads every body."""
        return None


class Reading(NamedTuple):
    """A body as it is read: its value, the pointers of members that appear more than once, and why it is not strict JSON.

    `value` is None if it cannot be read; `why` is a word of `strict_json.WHY`, `PACKED`, or "". `wrapped` is how tools seem to have wrapped it, in words, "" if it is read as it is; a `usual` one is strict JSON, whatever the headers.
    """

    value: object
    repeated: Sequence[str] = ()
    why: str = ""
    wrapped: str = ""
    usual: bool = False


PACKED: Final = "packed"
"""Reason for a body that is compressed in an unsupported way."""

_LONGEST_MARK: Final = 64
_LONGEST_WRAPPED: Final = 1 << 20
_WORDS: Final = "redacted|masked|removed|hidden|filtered|secret|sanitized|scrubbed|omitted"
_MARKED: Final = re.compile(rf'\*{{3}}|"\W{{0,3}}(?:{_WORDS})\W{{0,3}}"', re.IGNORECASE).search
_LAST_OF_MARKS: Final = frozenset("dtnxDTNX])}>*\u2022\u2026")
_MARK: Final = re.compile(
    rf"""\W*(?:{_WORDS}|x{{3,}})\W*  # [REDACTED], <masked>
    | .*(?:\*{{3,}}|\u2022{{3,}}|\u2026).*""",  # ***, card****11, abc...
    re.IGNORECASE | re.VERBOSE,
).fullmatch
_TEXTS: Final = re.compile(rb'"(?:[^"\\]|\\.)*+"', re.DOTALL).sub


_NOTHING: Final = frozenset((b"", b"null", b"NaN", b"None", b"nan", b"undefined"))
"""Texts of tools that do not have a body."""


def read(message: Message, *, strictly: bool = False) -> Reading:
    """Parse the body of a message as strict JSON, after unpacking it if it was compressed.

    Unless `strictly`, tools may have wrapped it: then the object that is inside is read.
    """
    body = message.body
    if type(body) is Exact or type(body) is Decoded:
        usual = usual_body(body.raw)
        if usual is not None:
            return Reading(usual, usual=True)
        try:
            value = strict_json.parse(body.raw)
        except strict_json.JsonProblem as caught:
            found = _read_otherwise(message, body.raw, caught.why)
            return found if strictly or not found.why else _inside(body.raw) or found
        if strictly or type(value) is dict or type(value) is list:
            return Reading(value, usual=True)
        return _inside(body.raw) or Reading(value)
    if type(body) is Parsed:
        return Reading(body.value if body.redacted else _as_sent(body.value))
    return Reading(None)


def _inside(raw: bytes) -> Reading | None:
    for words, inner in unwrapped(raw) if len(raw) < _LONGEST_WRAPPED else ():
        if inner[:1] == b"{":
            try:
                value = strict_json.parse(inner)
            except strict_json.JsonProblem:
                continue
            return Reading(value, wrapped=words)
    return None


def _as_sent(value: object) -> object:
    """Return a parsed body without what engines of columns make of it: a text of the whole, and members that are null."""
    if isinstance(value, str) and value[:1] == "{":
        try:
            value = strict_json.parse(value.encode(errors="replace"))
        except strict_json.JsonProblem:
            return value
    return _without_nulls(value)


def _without_nulls(value: object) -> object:
    if isinstance(value, dict):
        return {name: _without_nulls(one) for name, one in value.items() if one is not None}
    return [_without_nulls(one) for one in value] if isinstance(value, list) else value


def bytes_of(message: Message) -> bytes | None:
    """Return the bytes, the text or the value of a body as bytes; None for a body that the capture lost."""
    body = message.body
    if isinstance(body, Parsed):
        try:
            return json_text(_as_sent(body.value), colon=":", indent="").encode("utf-8", "replace")
        except (TypeError, ValueError, RecursionError):
            return None
    return body.raw if isinstance(body, (Exact, Decoded)) else None


def _read_otherwise(message: Message, raw: bytes, why: str) -> Reading:
    """Return the reading of a body that is not strict JSON because of `why`.

    Equal keys are reported, and compressed bodies are unpacked.
    """
    if why == "duplicate":
        try:
            return Reading(*strict_json.parse_reporting(raw))
        except strict_json.JsonProblem as caught:
            why = caught.why
    inside = unpacked(message)
    if inside is not None:
        return read(Message((), Exact(inside)), strictly=True)._replace(usual=False)
    return Reading(None, why=PACKED if packed(message) else why)


def cut_short(message: Message) -> bool:
    """Return whether a body is shorter than its Content-Length; without one, whether it is JSON that ends inside a value.

    No receiver accepts such a message: the capture lost the rest.

    Decoded text that ends as it should may have had more bytes than in UTF-8. So text that is not ASCII is whole, and so is
    text that is a whole object, whatever its length is said to be.
    """
    body, lengths = message.body, named(message.headers, "content-length")
    if not isinstance(body, (Exact, Decoded)):
        return False
    if named(message.headers, "content-encoding"):
        inside = unpacked(message)
        return not lengths and inside is not None and _unfinished(inside)
    if not lengths:
        return _unfinished(body.raw)
    if len(lengths) != 1:
        return False
    digits = lengths[0].strip()
    said = int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 16 else 0
    if isinstance(body, Exact) or _unfinished(body.raw):
        return said > len(body.raw)
    return body.raw.isascii() and not body.raw.rstrip().endswith(b"}") and said > len(body.raw) + len(BOM_UTF8)


def is_lost(message: Message, why: str) -> bool:
    """Return whether the capture lost a body or made it unreadable: it is cut off, hidden, or compressed in an unsupported way.

    `why` is the reason why it is not strict JSON, "" if it is. Exact bytes hide nothing.
    """
    body = message.body
    if isinstance(body, Lost):
        return True
    if isinstance(body, Decoded) and body.raw.strip() in _NOTHING:
        return True
    return bool(why) and (why == PACKED or cut_short(message) or _hidden(body))


def _hidden(body: object) -> bool:
    """Return whether a mark stands in place of a decoded body, such as `[REDACTED]`."""
    return (
        isinstance(body, Decoded)
        and len(body.raw) <= 2 * _LONGEST_MARK
        and is_masked(body.raw.decode(errors="replace"))
    )


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


def unpacked(message: Message) -> bytes | None:
    """Return the contents of a body that a header declares as compressed, if it can be unpacked within the size limit."""
    body = message.body
    return decompressed(body.raw) if isinstance(body, (Exact, Decoded)) and packed(message) else None
