"""Slips of programs that sign: variants of a JSON body between signing and sending, and of a signature on its way."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from binascii import a2b_base64
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from typing import Final
from urllib.parse import unquote

from paywright_runtime import strict_json

__all__ = ["body_variants", "signature_variants"]

_LONGEST: Final = 64 * 1024  # writing a longer body in every style would delay other requests
_MARK: Final = re.compile(r'"\\u0000[0-9]+\\u0000"')


_SIGNATURES: Final[Mapping[str, Callable[[str], str]]] = {
    "it is URL-encoded": unquote,
    "a + in it became a space": lambda text: text.replace(" ", "+"),
    "it stands behind the name of its header": lambda text: text.partition(":")[2].strip(),
    "it is in quotes": lambda text: text.strip("\"'"),
    "it is Base64 twice": lambda text: a2b_base64(text, strict_mode=True).decode("ascii"),
    "it is hexadecimal": lambda text: b64encode(bytes.fromhex(text)).decode(),
    "it holds white space": lambda text: "".join(text.split()),
    "it holds several values separated by commas": lambda text: text.partition(",")[0],
    "its padding is missing or wrong": lambda text: _padded(text.rstrip("=")),
    "it uses the URL-safe alphabet": lambda text: _padded(text.replace("-", "+").replace("_", "/")),
}

_NUMBERS: Final[Mapping[str, Callable[[str, str], str]]] = {
    "shorter numbers (10.5 for 10.50)": lambda whole, rest: f"{whole}.{rest.rstrip('0')}",
    "two decimals (10.50 for 10.5)": lambda whole, rest: f"{whole}.{rest:0<2}",
}


def _padded(text: str) -> str:
    return text + "=" * (-len(text) % 4)


def signature_variants(signature: str) -> Iterator[tuple[str, str]]:
    """Yield what a signature may have been before a slip, after words that follow "the signature is right, but"."""
    for words, undo in _SIGNATURES.items():
        try:
            before = undo(signature)
        except ValueError:
            continue
        if before != signature:
            yield words, before


def body_variants(body: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield each variant after its description, as in "the signature is over the body ..."."""
    bare = body.strip(b" \t\r\n")
    if bare != body:
        yield "without the white space around it", bare
    for name, tail in (("a newline at its end", b"\n"), ("CR LF at its end", b"\r\n")):
        yield f"with {name}", bare + tail
    yield "with a byte order mark before it", b"\xef\xbb\xbf" + body
    yield "without the byte order mark before it", body.removeprefix(b"\xef\xbb\xbf")
    for name in ("latin-1", "gbk"):  # String.getBytes() of Java, and a proxy that writes another character set
        yield f"in {name.upper()}, not in UTF-8", body.decode("utf-8", "replace").encode(name, "replace")
        yield f"in UTF-8, not in {name.upper()}", body.decode(name, "replace").encode()
    yield "with LF in place of CR LF", body.replace(b"\r\n", b"\n")
    yield "with CR LF in place of LF", body.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
    yield "with slashes escaped", body.replace(b"\\/", b"/").replace(b"/", b"\\/")
    yield "without escaped slashes", body.replace(b"\\/", b"/")
    yield "with < > & as \\u003c", _escaped(body, b"<>&")
    yield "with < > & = ' as \\u003c", _escaped(body, b"<>&='")
    yield "in Base64", b64encode(body)
    yield "as a JSON string", json.dumps(body.decode("utf-8", "replace"), ensure_ascii=False).encode("utf-8", "replace")
    if len(body) > _LONGEST:
        return
    try:
        value = strict_json.parse(body)
    except strict_json.JsonProblem:
        return
    yield from _rewritten(value)
    yield "without white space in its texts", b"".join(body.split())
    if isinstance(value, dict):
        yield from ((f"with its members sorted, {words}", text) for words, text in _written(value, sort=True))
        if isinstance(value.get("data"), dict):
            yield from ((f"of its data alone, {words}", text) for words, text in _written(value["data"], sort=False))


def _escaped(body: bytes, letters: bytes) -> bytes:
    r"""Write letters that occur only in strings as \u and four digits."""
    for letter in letters:
        body = body.replace(bytes([letter]), b"\\u%04x" % letter)
    return body


def _rewritten(value: object) -> Iterator[tuple[str, bytes]]:
    yield from ((f"written {words}", text) for words, text in _written(value, sort=False))
    for name, digits in _NUMBERS.items():
        other = _numbered(value, digits)
        if str(other) != str(value):
            yield from ((f"with {name}, {words}", text) for words, text in _written(other, sort=False))


def _written(value: object, *, sort: bool) -> Iterator[tuple[str, bytes]]:
    styles: list[tuple[str, tuple[str, str], int | None]] = [
        ("without spaces", (",", ":"), None),
        ("with a space after commas and colons", (", ", ": "), None),
        ("indented by 2", (",", ": "), 2),
        ("indented by 4", (",", ": "), 4),
    ]
    numbers: dict[str, str] = {}
    marked = _mark_numbers(value, numbers)
    for words, separators, indent in styles:
        for escaped in (False, True):
            text = json.dumps(marked, separators=separators, indent=indent, sort_keys=sort, ensure_ascii=escaped)
            text = _MARK.sub(lambda mark: numbers.get(mark[0], mark[0]), text)
            yield words + (" and escaped to ASCII" if escaped else ""), text.encode("utf-8", "replace")


def _mark_numbers(value: object, numbers: dict[str, str]) -> object:
    """Replace decimals by marks: the standard library cannot write them digit for digit."""
    if isinstance(value, Decimal):
        mark = f"\x00{len(numbers)}\x00"
        numbers[json.dumps(mark)] = format(value, "f")
        return mark
    if isinstance(value, dict):
        return {name: _mark_numbers(item, numbers) for name, item in value.items()}
    if isinstance(value, list):
        return [_mark_numbers(item, numbers) for item in value]
    return value


def _numbered(value: object, digits: Callable[[str, str], str]) -> object:
    if isinstance(value, Decimal):
        whole, _, rest = format(value, "f").partition(".")
        return Decimal(digits(whole, rest).rstrip("."))
    if isinstance(value, dict):
        return {name: _numbered(item, digits) for name, item in value.items()}
    if isinstance(value, list):
        return [_numbered(item, digits) for item in value]
    return value
