"""Check the values in a contract against their fields."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Mapping
from datetime import date, datetime
from decimal import Decimal

from paywright_codegen.model.contract import Contract
from paywright_codegen.model.types import Field, Format
from paywright_codegen.pattern_cost import cost_of

_LONG = 1000

_DAY = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_CLOCK = r"[0-9]{2}:[0-9]{2}:[0-9]{2}"
_COLON = r"(?:Z|[+-][0-9]{2}:[0-9]{2})"
_FRACTION = r"(?:[.][0-9]{1,9})?"
_DIGITS = r"[+-][0-9]{4}"
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:[.][0-9]+)?")


def _time(pattern: str) -> Callable[[str], bool]:
    compiled = re.compile(pattern)

    def check(text: str) -> bool:
        if compiled.fullmatch(text) is None:
            return False
        try:
            datetime.fromisoformat(text.replace(" ", ""))
        except ValueError:
            return False
        return True

    return check


def _day(pattern: str) -> Callable[[str], bool]:
    compiled = re.compile(pattern)

    def check(text: str) -> bool:
        if compiled.fullmatch(text) is None:
            return False
        try:
            date.fromisoformat(text)
        except ValueError:
            return False
        return True

    return check


def _ip_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return "%" not in text


_RFC_3339 = _time(rf"{_DAY}T{_CLOCK}{_FRACTION}{_COLON}")

CHECKS: Mapping[str, Callable[[str], bool]] = {
    "ip_address": _ip_address,
    "calendar_date": _day(_DAY),
    "calendar_day": _day(r"[0-9]{8}"),
    "request_time": _time(rf"{_DAY}T{_CLOCK}[.][0-9]{{3}}{_COLON}"),
    "zoned_time": _time(rf"{_DAY}T{_CLOCK} {_DIGITS}"),
    "offset_time": _RFC_3339,
    "period_time": lambda text: _RFC_3339(text) or _time(rf"{_DAY}T{_CLOCK}{_DIGITS}")(text),
    "start_date": lambda text: _RFC_3339(text) or _day(_DAY)(text),
    "moment": _time(rf"{_DAY}T{_CLOCK}{_FRACTION}(?:{_COLON}| ?{_DIGITS})"),
    "epoch_millis": lambda text: re.fullmatch("[1-9][0-9]{12}", text) is not None,
    "epoch_seconds": lambda text: re.fullmatch("[1-9][0-9]{9}", text) is not None,
    "rate_moment": lambda text: _RFC_3339(text) or re.fullmatch("[0-9]{13}", text) is not None,
    "rate_time": lambda text: _RFC_3339(text) or (len(text) <= 13 and "\n" not in text),
    "http_url": lambda text: re.fullmatch("https?://[^ /?#]+[^ ]*", text) is not None,
    "callback_url": lambda text: re.fullmatch(
        "(?!javascript:|data:|vbscript:|file:)[A-Za-z][A-Za-z0-9+.-]*://[^ ]*", text
    )
    is not None,
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
        return check is None or check(value)
    if given.pattern is None:
        return True
    cost = cost_of(given.pattern)
    if cost in ("doubling", "unknown") or (cost == "power" and len(value) > _LONG):
        return True  # the pattern itself is checked with its format, and that there is a `max` with its field
    return re.fullmatch(given.pattern, value) is not None
