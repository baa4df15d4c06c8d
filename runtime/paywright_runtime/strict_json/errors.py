"""Limits and errors of reading and writing strict JSON."""

import re
from decimal import Decimal
from typing import Final

from paywright_runtime.json_value import JSON

MAX_BYTES: Final = 8 * 1024 * 1024
MAX_DEPTH: Final = 64
MAX_DIGITS: Final = 64
HALF: Final = "holds half of a character, or is a number of too many digits"

_HALF: Final = re.compile("[\ud800-\udfff]")

WHY: Final[dict[str, str]] = {
    "not_bytes": "the text is not given as bytes",
    "too_large": "the text is larger than allowed",
    "empty": "the text is empty",
    "bom": "the text begins with a byte order mark",
    "encoding": "the text is not UTF-8, but in another encoding, or compressed",
    "syntax": "the text is not well-formed JSON",
    "depth": "the value is nested too deeply",
    "duplicate": "an object has the same key twice",
    "constant": "NaN and Infinity are not JSON",
    "digits": "a number has too many digits",
    "surrogate": "a text holds half of a surrogate pair",
    "float": "a float cannot carry an exact amount: use Decimal",
    "type": "a value has no JSON form",
    "key": "an object's key is not text",
}


class CutText(str):
    """A text that its writer cut inside a character, with U+FFFD in its place; U+FFFD alone for a number of too many digits."""

    __slots__ = ()


class JsonProblem(Exception):
    """Error for a text that is not strict JSON, or a value that cannot be written as such.

    `why` is a word of `WHY`; `pointer` is the place in a value to be written (RFC 6901), `position` the character at which
    reading stopped, if it is known. It never holds the text, nor does anything chained to it.
    """

    def __init__(self, why: str, pointer: str = "", position: int | None = None) -> None:
        super().__init__(why, pointer, position)
        self.why = why
        self.pointer = pointer
        self.position = position

    def __str__(self) -> str:
        where = f" at {self.pointer}" if self.pointer else "" if self.position is None else f" at {self.position}"
        return f"{WHY[self.why]}{where}"


def digits(value: Decimal) -> int:
    """Return the count of digits of a finite number when it is written without an exponent."""
    _, digits, exponent = value.as_tuple()
    assert isinstance(exponent, int)
    return len(digits) + exponent if exponent >= 0 else max(len(digits), 1 - exponent)


def has_half_pair(value: object) -> bool:
    """Return whether a text anywhere in a value holds half of a surrogate pair."""
    if isinstance(value, str):
        return _HALF.search(value) is not None
    if isinstance(value, dict):
        return any(has_half_pair(key) or has_half_pair(item) for key, item in value.items())
    return isinstance(value, list | tuple) and any(map(has_half_pair, value))


def mended(value: JSON) -> JSON:
    """Return a value with a `CutText` for each text with half a surrogate pair. Raises `JsonProblem` if a key has one."""
    if isinstance(value, str):
        return CutText(_HALF.sub("\ufffd", value)) if has_half_pair(value) else value
    if isinstance(value, dict):
        if any(map(has_half_pair, value)):
            raise JsonProblem("surrogate")
        return {key: mended(item) for key, item in value.items()}
    return [mended(item) for item in value] if isinstance(value, list) else value


def escaped(step: str) -> str:
    """Escape one step of a JSON pointer (RFC 6901)."""
    return step.replace("~", "~0").replace("/", "~1")
