"""Take off what tools put around a whole body: compression, framing, encodings, quotes. And write JSON in any style."""

from __future__ import annotations

import ast
import html
import json
import re
import zlib
from binascii import Error as Base64Error
from binascii import a2b_base64, a2b_qp
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from functools import cache, partial
from importlib import import_module
from types import ModuleType
from typing import Final
from urllib.parse import unquote_to_bytes

from paywright_runtime.strict_json.errors import MAX_BYTES

_DEEPEST: Final = 3
_WRAPPINGS: Final = 24


def decompressed(raw: bytes) -> bytes | None:
    """Return the contents of gzip, deflate, zstd or br, as far as this process can unpack it within the limit; else None."""
    for unpack in (_inflated, _zstd, _brotli):
        found = unpack(raw)
        if found is not None:
            return found
    return None


def _inflated(raw: bytes) -> bytes | None:
    for window in (31, 15, -15):  # gzip, zlib, and the raw deflate that some servers send under the same name
        decoder = zlib.decompressobj(window)
        try:
            found = decoder.decompress(raw, MAX_BYTES)
        except zlib.error:
            continue
        # Raw deflate has no checksum: most bytes begin with some.
        if decoder.eof and not decoder.unconsumed_tail and (window == 31 or not decoder.unused_data):
            return found
    return None


def _zstd(raw: bytes) -> bytes | None:
    if not raw.startswith(b"\x28\xb5\x2f\xfd"):
        return None
    library = _library("compression.zstd", "zstandard")
    if library is None:
        return None
    try:
        if hasattr(library, "ZstdFile"):
            found: bytes = library.ZstdDecompressor().decompress(raw, MAX_BYTES)
        else:
            found = library.ZstdDecompressor(max_window_size=1 << 23).stream_reader(raw).read(MAX_BYTES)
    except Exception as error:  # each library has its own exception
        if isinstance(error, MemoryError):
            raise
        return None
    return found or None


def _brotli(raw: bytes) -> bytes | None:
    library = _library("brotli", "brotlicffi")
    if library is None:
        return None
    try:
        decoder = library.Decompressor()
        found: bytes = decoder.process(raw, output_buffer_limit=MAX_BYTES)
        return found if decoder.is_finished() else None
    except Exception as error:  # an older library, or its own exception
        if isinstance(error, MemoryError):
            raise
        return None


@cache
def _library(*names: str) -> ModuleType | None:
    for name in names:
        try:
            return import_module(name)
        except ImportError:
            continue
    return None


def _unchunked(raw: bytes) -> bytes | None:
    """Return a body without the framing of `Transfer-Encoding: chunked`."""
    parts: list[bytes] = []
    at = 0
    while True:
        end = raw.find(b"\r\n", at, at + 64)
        size = raw[at:end].partition(b";")[0].strip()
        if end < 0 or not _HEX(size):
            return None
        length = int(size, 16)
        at = end + 2
        if not length:
            return b"".join(parts)
        if raw[at + length : at + length + 2] != b"\r\n":
            return None
        parts.append(raw[at : at + length])
        at += length + 2


def from_base64(raw: bytes) -> bytes | None:
    """Return what Base64 stands for, whatever its line ends and its padding; None for anything else."""
    compact = b"".join(raw.split()).rstrip(b"=")
    try:
        return a2b_base64(compact + b"=" * (-len(compact) % 4), strict_mode=True)
    except (Base64Error, ValueError):
        return None


def _hexadecimal(raw: bytes) -> bytes | None:
    digits = raw.strip().removeprefix(b"\\x").removeprefix(b"0x")
    return bytes.fromhex(digits.decode("ascii")) if digits and len(digits) % 2 == 0 and _HEX(digits) else None


def _byte_escapes(raw: bytes) -> bytes | None:
    r"""Return the bytes that a database wrote as `\x22`."""
    return _BYTE.sub(lambda found: bytes((int(found[1], 16),)), raw) if b"\\x" in raw else None


def _python(raw: bytes) -> bytes | None:
    """Return what a literal of Python stands for: bytes, a text, or a dictionary."""
    if not raw.startswith((b"b'", b'b"', b"'", b"{'")) or len(raw) > 1 << 16:
        return None
    try:
        value = ast.literal_eval(raw.decode())
    except (ValueError, SyntaxError, MemoryError, RecursionError, UnicodeDecodeError):
        return None
    if isinstance(value, dict):
        try:
            return json_text(value, colon=":", indent="").encode("utf-8", "replace")
        except (TypeError, ValueError):
            return None
    return value if isinstance(value, bytes) else value.encode("utf-8", "replace") if isinstance(value, str) else None


def _text_in_json(raw: bytes) -> bytes | None:
    if raw[:1] != b'"':
        return None
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    return value.encode("utf-8", "replace") if isinstance(value, str) else None


def _quoted_in_csv(raw: bytes) -> bytes | None:
    if raw[:1] == b'"' and raw[-1:] == b'"' and b'""' in raw:
        raw = raw[1:-1]
    return raw.replace(b'""', b'"') if raw.startswith(b'{""') else None


def _escaped_quotes(raw: bytes) -> bytes | None:
    return raw.replace(b'\\"', b'"').replace(b"\\\\", b"\\") if raw.startswith(b'{\\"') else None


def _html(raw: bytes) -> bytes | None:
    return html.unescape(raw.decode()).encode("utf-8", "replace") if b"&" in raw and b";" in raw else None


def _percent(raw: bytes) -> bytes | None:
    return unquote_to_bytes(raw.replace(b"+", b" ")) if b"%" in raw else None


def _from_latin_1(raw: bytes) -> bytes | None:
    """Return the bytes of a text that was decoded as Latin-1, whatever they were."""
    if raw.isascii():
        return None
    text = raw.decode()
    try:
        return text.encode("cp1252" if any(ord(letter) > 255 for letter in text) else "latin-1")
    except UnicodeEncodeError:
        return None


def _from_utf_16(raw: bytes) -> bytes | None:
    if raw[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return raw.decode("utf-16").encode()
    return None


def _to_utf_8(raw: bytes) -> bytes | None:
    try:
        raw.decode()
    except UnicodeDecodeError:
        return raw.decode("cp1252", "replace").encode()
    return None


_HEX: Final = re.compile(rb"[0-9A-Fa-f]+").fullmatch
_BYTE: Final = re.compile(rb"\\x([0-9A-Fa-f]{2})")
_QUOTED: Final = re.compile(rb"=(?:[0-9A-F]{2}|\r?\n)").search
_WRAPS: Final[Mapping[str, Callable[[bytes], bytes | None]]] = {
    "with its letters decoded once more (é for Ã©)": lambda raw: (
        None if raw.isascii() else raw.decode().encode("cp1252").decode().encode()
    ),
    "in Latin-1, and not in UTF-8": _from_latin_1,
    "without the byte order mark before it": lambda raw: raw[3:] if raw.startswith(BOM_UTF8) else None,
    "in UTF-8, and not in UTF-16": _from_utf_16,
    "in UTF-8, and not in Latin-1": _to_utf_8,
    "unpacked": decompressed,
    "without its chunks": _unchunked,
    "decoded from Base64": lambda raw: from_base64(raw) if len(raw) > 16 else None,
    "decoded from hexadecimal": _hexadecimal,
    "without a database's escapes": _byte_escapes,
    "as a text in JSON": _text_in_json,
    "without the quotes of CSV": _quoted_in_csv,
    "without escaped quotes": _escaped_quotes,
    "as Python writes it": _python,
    "without the escapes of HTML": _html,
    "without percent-encoding": _percent,
    "without the quoted-printable of mail": lambda raw: a2b_qp(raw) if _QUOTED(raw) else None,
    "without what stands around it": lambda raw: raw[raw.find(b"{") : raw.rfind(b"}") + 1]
    or None,  # of a log, of curl -i
}


def unwrapped(body: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield what a body may have been before tools wrapped it, up to three times, with words that follow "over the body"."""
    seen, waiting = {body}, [("", body)]
    for _ in range(_DEEPEST):
        following = []
        for words, raw in waiting:
            for what, undo in _WRAPS.items():
                try:
                    found = undo(raw)
                except (UnicodeError, ValueError):
                    continue
                if found is None or found in seen or len(found) > MAX_BYTES or len(seen) > _WRAPPINGS:
                    continue
                seen.add(found)
                following.append((", ".join(filter(None, (words, what))), found))
                yield following[-1]
        waiting = following


def json_text(
    value: object, *, comma: str = ",", colon: str = ": ", indent: str = "  ", ascii_only: bool = False
) -> str:
    """Return the JSON text of a value, in one line if `indent` is empty. The standard library cannot write a `Decimal`."""
    return "".join(_parts(value, "\n" if indent else "", comma, colon, indent, ascii_only))


def _parts(value: object, line: str, comma: str, colon: str, indent: str, ascii_only: bool) -> Iterator[str]:
    inner = line + indent
    write = partial(_parts, line=inner, comma=comma, colon=colon, indent=indent, ascii_only=ascii_only)
    if isinstance(value, dict) and value:
        for i, (name, item) in enumerate(value.items()):
            yield f"{comma if i else '{'}{inner}{json.dumps(name, ensure_ascii=ascii_only)}{colon}"
            yield from write(item)
        yield line + "}"
    elif isinstance(value, list) and value:
        for i, item in enumerate(value):
            yield f"{comma if i else '['}{inner}"
            yield from write(item)
        yield line + "]"
    else:
        yield format(value, "f") if isinstance(value, Decimal) else json.dumps(value, ensure_ascii=ascii_only)
