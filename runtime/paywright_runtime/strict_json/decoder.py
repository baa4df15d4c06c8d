"""Read strict JSON: one meaning for every text, exact digits, bounded cost.

It refuses text that parsers disagree about (equal keys, NaN, a byte order mark, half a surrogate pair) and text of unbounded
cost (depth, size, digits, exponents). Numbers are `int` or `Decimal`, never a float. The standard library's C scanner does
the work; this module adds the checks around it.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from decimal import Decimal
from json import JSONDecoder
from typing import NoReturn

from paywright_runtime.errors import InvalidArgument
from paywright_runtime.json_value import JSON
from paywright_runtime.strict_json.errors import (
    MAX_BYTES,
    MAX_DEPTH,
    MAX_DIGITS,
    CutText,
    JsonProblem,
    digits,
    escaped,
    has_half_pair,
    mended,
)


def parse(raw: bytes, *, max_bytes: int = MAX_BYTES, max_depth: int = MAX_DEPTH, mends: bool = False) -> JSON:
    """Read one JSON text.

    A number has at most `MAX_DIGITS` digits when it is written out without an exponent, so that no later arithmetic or
    formatting is expensive; digits are kept as written (`10.50`). Containers nest at most `max_depth` deep. `mends`: a text that
    ends in the middle of a character, or a number of too many digits, is a `CutText` instead of an error.
    Raises `JsonProblem`; `InvalidArgument` for anything but bytes.
    """
    usual = _usual(raw, max_bytes, max_depth)
    if usual is not None:
        return usual
    try:
        return _read(raw, _MENDING if mends else _DECODER, max_bytes, max_depth, mends)
    except JsonProblem as caught:
        why, position = caught.why, caught.position
    del raw
    raise _afresh(why, position)


def parse_reporting(raw: bytes) -> tuple[JSON, list[str]]:
    """Read one JSON text as `parse` does, but report equal keys instead of refusing them.

    Returns the value, with the last of equal keys, and the JSON pointers of the keys that appear more than once.
    """
    repeated = _Repeated()
    try:
        value = _read(raw, _decoder(repeated), MAX_BYTES, MAX_DEPTH)
        return value, list(repeated.pointers(value, ""))
    except JsonProblem as caught:
        why, position = caught.why, caught.position
    del raw
    raise _afresh(why, position)


def _usual(raw: bytes, max_bytes: int, max_depth: int) -> JSON:
    """Read a valid object without escapes, which is the usual case; return None for any other text."""
    if type(raw) is not bytes or raw[:1] != b"{" or len(raw) > max_bytes:
        return None
    try:
        text = raw.decode()
        if "\\" in text or text.count("{") + ("[" in text and text.count("[")) > max_depth:
            return None
        value, end = _DECODER.scan_once(text, 0)  # type: ignore[attr-defined]  # typeshed does not name it
    except (ValueError, StopIteration, RecursionError, JsonProblem):
        return None
    return value if end == len(text) else None


def _read(raw: bytes, decoder: JSONDecoder, max_bytes: int, max_depth: int, mends: bool = False) -> JSON:
    if not isinstance(raw, bytes):
        raise JsonProblem("not_bytes")
    if len(raw) > max_bytes:
        raise JsonProblem("too_large")
    if raw.startswith(b"\xef\xbb\xbf"):
        raise JsonProblem("bom")
    # Most messages have fewer brackets than the limit and cannot be too deep.
    if raw.count(b"{") + raw.count(b"[") > max_depth and _deeper(raw, max_depth):
        raise JsonProblem("depth")
    cut = False
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        cut, text = True, _with_halves(raw) if mends else ""
    if cut and not text:
        raise JsonProblem("encoding")
    start = 0 if text[:1] in ("{", "[") else len(text) - len(text.lstrip(" \t\r\n"))
    try:
        value, end = decoder.raw_decode(text, start)
    except ValueError as error:  # JSONDecodeError
        empty = start == len(text)
        raise JsonProblem("empty" if empty else "syntax", position=getattr(error, "pos", None)) from None
    except RecursionError:  # malformed text hid the depth from the count
        raise JsonProblem("depth") from None
    if end != len(text) and text[end:].strip(" \t\r\n"):
        raise JsonProblem("syntax", position=end)
    if (cut or (b"\\" in raw and (b"\\ud" in raw or b"\\uD" in raw))) and has_half_pair(value):
        if not mends:
            raise JsonProblem("surrogate")
        return mended(value)
    return value  # type: ignore[no-any-return]  # typeshed: raw_decode gives Any


# Writers in C and Perl copy the first bytes of a cut character, or the bytes of half a surrogate pair.
_CUT = re.compile(rb'(?:[\xc2-\xdf]|[\xe0-\xef][\x80-\xbf]?|[\xf0-\xf4][\x80-\xbf]{0,2})(?=")')


def _with_halves(raw: bytes) -> str:
    """Decode bytes in which texts end inside a character, with half a surrogate pair in its place; "" if they are no UTF-8 else."""
    try:
        return _CUT.sub(b"\xed\xa0\xbd", raw).decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return ""


def _afresh(why: str, position: int | None) -> Exception:
    """Return the error for text that is not strict JSON, once the frames of one that hold the text are gone."""
    if why == "not_bytes":
        return InvalidArgument("JSON is read from the raw bytes of the body, not from parsed or decoded text.")
    return JsonProblem(why, position=position)


_BRACES = bytes.maketrans(b"[]", b"{}")
_NOISE = bytes(set(range(256)) - set(b'[]{}"'))


def _deeper(raw: bytes, limit: int) -> bool:
    """Return whether containers nest deeper than `limit`, or could in malformed text."""
    plain = raw.replace(rb"\\", b"").replace(rb"\"", b"") if b"\\" in raw else raw
    # Adjacent quotes can be removed: a brace is in a string if an odd number of quotes comes before it.
    braces = plain.translate(_BRACES, _NOISE).replace(b'""', b"")
    if b'"' in braces:
        braces = b"".join(braces.split(b'"')[::2])
    # Each round removes the innermost pairs, which is exactly one level.
    for _ in range(limit):
        if not braces:
            return False
        braces = braces.replace(b"{}", b"")
    return b"{}" in braces or braces.count(b"{") > limit


def _unique(pairs: list[tuple[str, JSON]]) -> dict[str, JSON]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise JsonProblem("duplicate")
    return made


class _Repeated:
    """Collects objects with equal keys while reading. Their pointers are known only once the whole value is read."""

    def __init__(self) -> None:
        # The object is kept, so that no other object gets its id.
        self._found: dict[int, tuple[dict[str, JSON], list[str]]] = {}

    def __call__(self, pairs: list[tuple[str, JSON]]) -> dict[str, JSON]:
        made = dict(pairs)
        if len(made) != len(pairs):
            counts = Counter(key for key, _ in pairs)
            self._found[id(made)] = made, [key for key, count in counts.items() if count > 1]
        return made

    def pointers(self, value: JSON, at: str) -> Iterator[str]:
        if not self._found:
            return
        if isinstance(value, dict):
            for key in self._found.get(id(value), (value, []))[1]:
                yield f"{at}/{escaped(key)}"
            for key, item in value.items():
                yield from self.pointers(item, f"{at}/{escaped(key)}")
        elif isinstance(value, list):
            for index, item in enumerate(value):
                yield from self.pointers(item, f"{at}/{index}")


def _refuse_constant(_: str) -> NoReturn:
    raise JsonProblem("constant")


def _decoder(pairs: Callable[[list[tuple[str, JSON]]], dict[str, JSON]], *, mends: bool = False) -> JSONDecoder:
    limit = MAX_DIGITS

    def too_many() -> CutText:
        if not mends:
            raise JsonProblem("digits")
        return CutText("\ufffd")  # nobody can take it for a number

    # Functions, not methods, because they run once for each number. Digits are counted before a number is converted.
    def integer(text: str) -> JSON:
        return too_many() if len(text) > limit and len(text.lstrip("-")) > limit else int(text)

    def decimal(text: str) -> JSON:
        if len(text) <= limit and "e" not in text and "E" not in text:
            return Decimal(text)
        # str() of 1E+3 is no amount that people read
        return Decimal(format(Decimal(text), "f")) if bounded(text) else too_many()

    def bounded(text: str) -> bool:
        mantissa, _, exponent = text.replace("E", "e").partition("e")
        # Decimal() itself fails on an exponent of twenty digits; no bound in use needs more than nine characters.
        fits = len(mantissa.lstrip("-").replace(".", "")) <= limit and len(exponent) <= 9
        return fits and digits(Decimal(text)) <= limit

    return JSONDecoder(
        object_pairs_hook=pairs,
        parse_int=integer,
        parse_float=decimal,
        parse_constant=_refuse_constant,
    )


_DECODER = _decoder(_unique)
_MENDING = _decoder(_unique, mends=True)
