"""Write JSON exactly and once: the signed bytes are the bytes that are sent [5]."""

from collections.abc import Callable, Iterable
from decimal import Decimal
from json.encoder import encode_basestring as _quote
from typing import Final

from paywright_runtime.strict_json.errors import MAX_DEPTH, MAX_DIGITS, JsonProblem, digits, escaped, has_half_pair


def write(value: object, *, around: int = 0) -> bytes:
    """Write one JSON value as compact UTF-8, with keys in their order.

    Takes `dict` with `str` keys, `list`, `tuple`, `str`, `int`, `Decimal`, `bool` and `None`, and subclasses by value
    (a `StrEnum` as its text). A `Decimal` keeps its digits, without an exponent; text outside ASCII is not escaped.
    `parse` reads everything that it writes. Raises `JsonProblem` with the pointer of a value without a form: a float, NaN,
    more than 64 digits, more than 64 levels (including `around` levels outside it), half a surrogate pair, another type.
    """
    try:
        return _written(value, around)
    except (UnicodeEncodeError, JsonProblem):
        problem = _problem(value, "", around)
    del value
    raise problem


def _written(value: object, depth: int) -> bytes:
    out: list[str] = []
    _write(value, out.append, depth)
    return "".join(out).encode()


def _problem(value: object, at: str, depth: int) -> JsonProblem:
    """Return the error for a value that cannot be written, with the pointer of what in it cannot: valid values cost nothing for it."""
    steps: Iterable[tuple[object, object]] = ()
    if depth < MAX_DEPTH and isinstance(value, dict | list | tuple):
        steps = value.items() if isinstance(value, dict) else enumerate(value)
    for step, item in steps:
        if isinstance(value, dict) and not isinstance(step, str):
            return JsonProblem("key", at)
        if isinstance(value, dict) and has_half_pair(step):
            return JsonProblem("surrogate", at)
        try:
            _written(item, depth + 1)
        except (UnicodeEncodeError, JsonProblem):
            return _problem(item, f"{at}/{escaped(str(step))}", depth + 1)
    try:
        _written(value, depth)
    except JsonProblem as caught:
        return JsonProblem(caught.why, at)
    except UnicodeEncodeError:
        pass
    return JsonProblem("surrogate", at)


def _write(value: object, put: Callable[[str], None], depth: int) -> None:
    if isinstance(value, str):
        put(_quote(value))
    elif isinstance(value, Decimal):
        put(_fixed(value))
    elif isinstance(value, dict):
        _write_object(value, put, depth + 1)
    elif isinstance(value, list | tuple):
        _write_array(value, put, depth + 1)
    elif value is None or value is True or value is False:
        put("null" if value is None else "true" if value else "false")
    elif isinstance(value, int):
        value = int.__index__(value)
        if not -_TOO_LONG < value < _TOO_LONG:
            raise JsonProblem("digits")
        put(int.__repr__(value))
    else:
        raise JsonProblem("float" if isinstance(value, float) else "type")


def _write_object(value: dict[object, object], put: Callable[[str], None], depth: int) -> None:
    if depth > MAX_DEPTH:
        raise JsonProblem("depth")
    mark = "{"
    for key, item in value.items():
        if not isinstance(key, str):
            raise JsonProblem("key")
        if isinstance(item, str):
            put(f"{mark}{_quote(key)}:{_quote(item)}")
        else:
            put(f"{mark}{_quote(key)}:")
            _write(item, put, depth)
        mark = ","
    put("}" if mark == "," else "{}")


def _write_array(value: list[object] | tuple[object, ...], put: Callable[[str], None], depth: int) -> None:
    if depth > MAX_DEPTH:
        raise JsonProblem("depth")
    mark = "["
    for item in value:
        put(mark)
        _write(item, put, depth)
        mark = ","
    put("]" if mark == "," else "[]")


_TOO_LONG: Final = 10**MAX_DIGITS


def _fixed(value: Decimal) -> str:
    value = value if type(value) is Decimal else Decimal(value)  # by value, whatever a subclass prints
    if not value.is_finite():
        raise JsonProblem("constant")
    text = str(value)
    if "E" not in text and len(text) <= MAX_DIGITS:
        return text
    if digits(value) > MAX_DIGITS:
        raise JsonProblem("digits")
    return format(value, "f")
