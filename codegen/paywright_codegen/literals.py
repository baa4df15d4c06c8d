"""Check the values in a contract against their fields."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import NamedTuple

from paywright_codegen.model.contract import Contract
from paywright_codegen.model.types import Field, Format
from paywright_codegen.patterns import cost_of

_LONG = 1000

_DAY = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_CLOCK = r"[0-9]{2}:[0-9]{2}:[0-9]{2}"
_COLON = r"(?:Z|[+-][0-9]{2}:[0-9]{2})"
_FRACTION = r"(?:[.][0-9]{1,9})?"
_DIGITS = r"[+-][0-9]{4}"
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:[.][0-9]+)?")


class FormatCheck(NamedTuple):
    """A check of the runtime: whether it accepts a text, an example, and the type of Python that reads and writes it."""

    accepts: Callable[[str], bool]
    example: str
    python: str = "str"


def _parsed(pattern: str, parse: Callable[[str], object]) -> Callable[[str], bool]:
    compiled = re.compile(pattern)

    def accepts(text: str) -> bool:
        try:
            return compiled.fullmatch(text) is not None and parse(text.replace(" ", "")) is not None
        except ValueError:
            return False

    return accepts


def _day(pattern: str) -> Callable[[str], bool]:
    return _parsed(pattern, date.fromisoformat)


def _time(pattern: str) -> Callable[[str], bool]:
    return _parsed(pattern, datetime.fromisoformat)


def _form(pattern: str) -> Callable[[str], bool]:
    return _parsed(pattern, str)


def _either(*checks: Callable[[str], bool]) -> Callable[[str], bool]:
    return lambda text: any(check(text) for check in checks)


_RFC_3339 = _time(rf"{_DAY}T{_CLOCK}{_FRACTION}{_COLON}")

_ZONED = _time(rf"{_DAY}T{_CLOCK} {_DIGITS}")
_PERIOD = _either(_RFC_3339, _time(rf"{_DAY}T{_CLOCK}{_DIGITS}"))
_MOMENT = _time(rf"{_DAY}T{_CLOCK}{_FRACTION}(?:{_COLON}| ?{_DIGITS})")

CHECKS: Mapping[str, FormatCheck] = {
    "ip_address": FormatCheck(_parsed("[^% ]*", ipaddress.ip_address), "203.0.113.7"),
    "calendar_date": FormatCheck(_day(_DAY), "2025-06-30", "date"),
    "calendar_day": FormatCheck(_day("[0-9]{8}"), "20250630", "date"),
    "request_time": FormatCheck(
        _time(rf"{_DAY}T{_CLOCK}[.][0-9]{{3}}{_COLON}"), "2025-06-01T12:00:00.000+08:00", "datetime"
    ),
    "zoned_time": FormatCheck(_ZONED, "2025-06-01T12:00:00 +0800", "datetime"),
    "offset_time": FormatCheck(_RFC_3339, "2025-06-01T12:00:00+00:00", "datetime"),
    "period_time": FormatCheck(_PERIOD, "2025-06-01T15:59:59+0000", "datetime"),
    "start_date": FormatCheck(_either(_RFC_3339, _day(_DAY)), "2025-06-01", "date"),
    "moment": FormatCheck(_MOMENT, "2025-06-01T12:00:00.000+08:00", "datetime"),
    "epoch_millis": FormatCheck(_form("[1-9][0-9]{12}"), "1748750400000", "datetime"),
    "epoch_seconds": FormatCheck(_form("[1-9][0-9]{9}"), "1748750400", "datetime"),
    "rate_moment": FormatCheck(_either(_RFC_3339, _form("[0-9]{13}")), "1748750400000", "datetime"),
    "rate_time": FormatCheck(_either(_RFC_3339, _form(".{0,13}")), "1748750400000", "datetime"),
    "http_url": FormatCheck(_form("https?://[^ /?#]+[^ ]*"), "https://shop.example/notify"),
    "callback_url": FormatCheck(
        _form("(?!javascript:|data:|vbscript:|file:)[A-Za-z][A-Za-z0-9+.-]*://[^ ]*"), "https://shop.example/back"
    ),
}
"""Checks that a format may name: functions of the runtime, and here the written values that they accept."""


def is_text(field: Field) -> bool:
    """Return whether the field, or each element of it, is a JSON string."""
    return field.type.kind in ("string", "format", "set")


def objection(contract: Contract, field: Field, value: str) -> str | None:
    """Return why a field, or an element of it, may not have a value; None if it may."""
    kind = field.type.kind
    if kind in ("object", "struct"):
        return "is the value of an object"
    if kind == "number":
        if not _NUMBER.fullmatch(value):
            return "is not a number as JSON writes it"
        return None if Decimal(repr(float(value))) == Decimal(value) else "has more digits than a number of JSON keeps"
    if kind == "boolean":
        return None if value in ("true", "false") else "is neither true nor false"
    return _too_long(field, value) or _outside(contract, field, value)


def _too_long(field: Field, value: str) -> str | None:
    if field.type.array:
        return None
    if field.max is not None and len(value) > field.max:
        return f"has {len(value)} characters, more than {field.max}"
    if field.min is not None and len(value) < field.min:
        return f"has {len(value)} characters, fewer than {field.min}"
    return None


def _outside(contract: Contract, field: Field, value: str) -> str | None:
    if field.range is not None:
        low, high = field.range
        if not (value.isascii() and value.isdecimal() and len(value) <= 18 and low <= int(value) <= high):
            return f"is outside the range {low}..{high}"
    if field.type.kind == "set":
        chosen = contract.sets[field.type.name]
        if not chosen.open and value not in {one.wire for one in chosen.values}:
            return f"is not a value of `{chosen.name}`"
    if field.type.kind == "format" and not _fits(contract.formats[field.type.name], value):
        return f"is no `{field.type.name}`"
    if field.values and value not in field.values:
        return f"is none of {', '.join(field.values)}"
    return None


def _fits(given: Format, value: str) -> bool:
    if given.check is not None:
        check = CHECKS.get(given.check)
        return check is None or check.accepts(value)
    if given.pattern is None:
        return True
    cost = cost_of(given.pattern)
    if cost in ("doubling", "unknown") or (cost == "power" and len(value) > _LONG):
        return True  # the pattern itself is checked with its format, and that there is a `max` with its field
    return re.fullmatch(given.pattern, value) is not None
