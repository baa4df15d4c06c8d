"""Hash of a notification's content, equal for two notifications that say the same in other bytes.

A notification that is sent again may be written anew, with another time of sending, other spacing or `10.5` for `10.50`. So
the hash covers its data alone, with the values as a handler reads them: numbers by value, also where they are text; times as
moments in UTC; null, "" and absent members alike; members in any order. Members that the contract does not name are left out,
because no typed handler sees them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import datetime
from decimal import Decimal
from hashlib import sha256
from typing import TYPE_CHECKING, Final, TypeAlias, cast

from paywright_runtime.contract.conversion import number_text, read_number
from paywright_runtime.contract.formats import read_day

if TYPE_CHECKING:
    from paywright_runtime.contract.index import Contract
    from paywright_runtime.contract.model import Field, Struct

_Normal: TypeAlias = Callable[[object], object]
_Member: TypeAlias = "tuple[str, str | None, str, _Normal | list[_Member]]"
"""Names of a member, its path, and its normal form or, of an object, its members."""
_PLAIN_NUMBER: Final = re.compile(r"(?:0|[1-9][0-9]{0,63})(?:[.][0-9]{1,64})?").fullmatch
"""Text of a number that is shortest once the zeros at its end are removed: a tenth of a digest's time is saved by it."""
_ENCODE: Final = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode


def digest(content: object) -> str:
    """Hash parsed JSON that the contract does not describe: 64 hexadecimal digits.

    Members that are null are left out. Numbers are compared by value, text as it is.
    """
    return _hash(_plain(content))


def fingerprint(contract: Contract, struct: Struct) -> Callable[[object], str]:
    """Return what hashes the values of one struct of the contract: 64 hexadecimal digits; those of `digest` for data that is no object."""
    normal = _object(contract, struct)
    return lambda data: _hash(normal(data))


def _hash(normal: object) -> str:
    return sha256(_ENCODE(normal).encode()).hexdigest()


def _object(contract: Contract, struct: Struct) -> _Normal:
    """Return what makes the normal form of an object: the names of its members that are present, then their values; None if there are none.

    Objects in it add their members to the same list. Ledgers keep hashes of this form: it must not change.
    """
    members: list[_Member] = []

    def normal(value: object) -> object:
        if type(value) is not dict:
            return _plain(value)
        if not members:  # made at first use, because objects may be in lists of their like
            members.extend(_members(contract, struct))
        found: dict[str, object] = {}
        _collect(value, members, found)
        return [",".join(found), *found.values()] if found else None

    return normal


def _members(contract: Contract, struct: Struct, at: str = "") -> list[_Member]:
    """Return the members of an object by name, after them those that are objects."""

    def of(field: Field) -> _Normal | list[_Member]:
        if field.kind == "struct" and not field.array:
            return _members(contract, contract.struct(field.of or ""), f"{at}{field.wire}/")
        if field.kind == "struct":
            one = _object(contract, contract.struct(field.of or ""))
        else:
            one = _KINDS.get(field.kind, _plain) if field.kind != "text" or field.of is None else _moment
        return _array(one) if field.array else one

    # Without members of the delivery itself: its time and its receiver.
    own = [(one.wire, one.also, at + one.wire, of(one)) for one in struct.fields if one.source is None]
    return sorted(own, key=lambda one: (type(one[3]) is list, one[0]))


def _collect(value: dict[str, object], members: list[_Member], found: dict[str, object]) -> None:
    """Add the normal form of each member that is present, by its path."""
    for name, also, path, one in members:
        item = value.get(name)
        if item is None and also is not None:
            item = value.get(also)
        if type(item) is str and one is _text:  # most members are
            if item:
                found[path] = item
        elif item is not None and item != "":
            if not isinstance(one, list):
                item = one(item)
            elif type(item) is dict:
                _collect(item, one, found)
                continue
            else:  # what should be an object stands for the first member of one
                while isinstance(one, list):
                    _, _, path, one = one[0]
                item = {"": _plain(item)}
            if item is not None:
                found[path] = item


def _array(one: _Normal) -> _Normal:
    return lambda value: [one(item) for item in value] or None if type(value) is list else _plain(value)


def _text(value: object) -> object:
    if type(value) is str:
        return value
    if type(value) is int:
        return str(value)
    return format(value, "f") if isinstance(value, Decimal) else _plain(value)


def _number(value: object) -> object:
    if type(value) is str and _PLAIN_NUMBER(value):
        return value.rstrip("0").rstrip(".") if "." in value else value
    number = read_number(value)
    return _plain(value) if number is None else number_text(number)


def _moment(value: object) -> object:
    """Return a time as seconds since 1970, whatever its offset; other text unchanged."""
    if type(value) is not str:
        return _text(value)
    if len(value) < 20 or value[10] != "T":  # most formats are no times
        return value
    try:
        time = datetime.fromisoformat(value.replace(" ", "") if " " in value else value)
    except ValueError:
        return value
    return value if time.tzinfo is None else time.timestamp()


def _day(value: object) -> object:
    day = read_day(value) if type(value) is str else None
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


_KINDS: Final[dict[str, _Normal]] = {
    "text": _text, "set": _text, "number": _number, "decimal": _number, "date": _day, "datetime": _moment, "boolean": _boolean,
}  # fmt: skip
