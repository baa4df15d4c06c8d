"""When two notifications say the same: a hash over what they say, not over how they are written.

A notification that is sent again may be written anew, with another time of sending, other spacing or `10.5` for `10.50`. So
the hash is over its data alone, and over the values as a handler reads them: numbers by value, also where they are text;
times as moments in UTC; null, "" and what is absent alike; members in any order; members that the contract does not name left
out, because no typed handler sees them.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC
from decimal import Decimal
from hashlib import sha256
from typing import TYPE_CHECKING, Final, cast

from paywright_runtime.formats import read_time
from paywright_runtime.wire import read_date, read_number

if TYPE_CHECKING:
    from paywright_runtime.facts import Contract, Field, Struct

__all__ = ["Fingerprint", "digest", "number_text"]

_Normal = Callable[[object], object]
_Members = list[tuple[str, str | None, _Normal]]
_ENCODE: Final = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode
_NOTHING: Final[tuple[object, ...]] = ([], {})


def digest(content: object) -> str:
    """Hash parsed JSON of which the contract shows nothing: 64 hexadecimal digits.

    Members that are null are left out, numbers are taken by value; text is text.
    """
    return _hash(_plain(content))


class Fingerprint:
    """Hashes the values of one struct of the contract."""

    __slots__ = ("_members",)

    def __init__(self, contract: Contract, struct: Struct) -> None:
        self._members = _members(contract, struct, {})

    def of(self, data: object) -> str:
        """64 hexadecimal digits; for what is no object, those of `digest`."""
        return _hash(_struct(self._members, data)) if type(data) is dict else digest(data)


def number_text(value: Decimal) -> str:
    """The shortest writing of a number: `10.5` for `10.50`, `1` for `1.0`."""
    text = format(value, "f")
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text in ("-0", "") else text


def _hash(normal: object) -> str:
    return sha256(_ENCODE(normal).encode()).hexdigest()


def _members(contract: Contract, struct: Struct, made: dict[str, _Members]) -> _Members:
    """What makes each member of a struct comparable."""
    members = made[struct.name] = []
    for field in struct.fields:
        if field.source is not None:
            continue  # of the delivery, and not of what it tells: its time, and whom it is for
        one = _normal(contract, field, made)
        members.append((field.wire, field.also, _array(one) if field.array else one))
    return members


def _normal(contract: Contract, field: Field, made: dict[str, _Members]) -> _Normal:
    if field.kind == "struct":
        struct = contract.struct(field.of or "")
        inner = made[struct.name] if struct.name in made else _members(contract, struct, made)
        return lambda value: _struct(inner, value)
    if field.kind in ("number", "decimal"):
        return _number
    if field.kind == "date":
        return _day
    if field.kind == "datetime" or (field.kind == "text" and field.of is not None):
        return _moment
    if field.kind == "boolean":
        return _boolean
    return _text if field.kind in ("text", "set") else _plain


def _struct(members: _Members, value: object) -> object:
    if type(value) is not dict:
        return _plain(value)
    found = {}
    for name, also, normal in members:
        item = value.get(name)
        if item is None and also is not None:
            item = value.get(also)
        if item is None or item == "":
            continue
        if (item := normal(item)) not in _NOTHING:
            found[name] = item
    return found


def _array(one: _Normal) -> _Normal:
    return lambda value: [one(item) for item in value] if type(value) is list else _plain(value)


def _text(value: object) -> object:
    if type(value) is str:
        return value
    return format(value, "f") if isinstance(value, Decimal) else str(value) if type(value) is int else _plain(value)


def _number(value: object) -> object:
    number = read_number(value)
    return _plain(value) if number is None else number_text(number)


def _moment(value: object) -> object:
    if type(value) is not str:
        return _text(value)
    time = read_time(value)
    return value if time is None else time.astimezone(UTC).isoformat()


def _day(value: object) -> object:
    day = read_date(value) if type(value) is str else None
    return _text(value) if day is None else day.isoformat()


def _boolean(value: object) -> object:
    return {"true": True, "false": False}.get(value, value) if type(value) is str else _plain(value)


def _plain(value: object) -> object:
    kind = type(value)
    if kind is dict:
        members = cast("dict[str, object]", value)
        return {name: _plain(members[name]) for name in sorted(members) if members[name] is not None}
    if kind is list:
        return [_plain(item) for item in cast("list[object]", value)]
    if isinstance(value, Decimal):
        text = number_text(value)
        return {"\0": text} if "." in text else int(text)
    return value
