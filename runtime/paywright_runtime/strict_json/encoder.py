"""Write JSON exactly and once: the signed bytes are the bytes that are sent [5]."""

from collections.abc import Callable
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
    out: list[str] = []
    try:
        _write(value, out.append, around)
        return "".join(out).encode()
    except UnicodeEncodeError:
        problem = JsonProblem("surrogate", _half_pair_at(value, ""))
    except _Unwritable as caught:
        problem = JsonProblem(caught.why, "".join(f"/{escaped(str(step))}" for step in reversed(caught.steps)))
    del value, out
    raise problem


class _Unwritable(Exception):
    """Error that collects the steps of its pointer while it is raised, so that valid values cost nothing."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why
        self.steps: list[str | int] = []


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
            raise _Unwritable("digits")
        put(int.__repr__(value))
    else:
        raise _Unwritable("float" if isinstance(value, float) else "type")


def _write_object(value: dict[object, object], put: Callable[[str], None], depth: int) -> None:
    if depth > MAX_DEPTH:
        raise _Unwritable("depth")
    mark = "{"
    key: object = None
    try:
        for key, item in value.items():
            if not isinstance(key, str):
                raise _Unwritable("key")
            if isinstance(item, str):
                put(f"{mark}{_quote(key)}:{_quote(item)}")
            else:
                put(f"{mark}{_quote(key)}:")
                _write(item, put, depth)
            mark = ","
    except _Unwritable as error:
        if isinstance(key, str):
            error.steps.append(key)
        raise
    put("}" if mark == "," else "{}")


def _write_array(value: list[object] | tuple[object, ...], put: Callable[[str], None], depth: int) -> None:
    if depth > MAX_DEPTH:
        raise _Unwritable("depth")
    mark = "["
    index = 0
    try:
        for item in value:
            put(mark)
            _write(item, put, depth)
            mark = ","
            index += 1
    except _Unwritable as error:
        error.steps.append(index)
        raise
    put("]" if mark == "," else "[]")


_TOO_LONG: Final = 10**MAX_DIGITS


def _fixed(value: Decimal) -> str:
    value = value if type(value) is Decimal else Decimal(value)  # by value, whatever a subclass prints
    if not value.is_finite():
        raise _Unwritable("constant")
    text = str(value)
    if "E" not in text and len(text) <= MAX_DIGITS:
        return text
    if digits(value) > MAX_DIGITS:
        raise _Unwritable("digits")
    return format(value, "f")


def _half_pair_at(value: object, at: str) -> str:
    """Return the pointer of the first text with half a surrogate pair, or of the object if a key has it."""
    if isinstance(value, dict):
        steps = ((f"{at}/{escaped(key)}", item) for key, item in value.items() if not has_half_pair(key))
    elif isinstance(value, list | tuple):
        steps = ((f"{at}/{index}", item) for index, item in enumerate(value))
    else:
        return at
    return next((_half_pair_at(item, step) for step, item in steps if has_half_pair(item)), at)
