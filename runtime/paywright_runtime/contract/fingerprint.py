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
from json.encoder import encode_basestring_ascii as _quote
from operator import itemgetter
from typing import TYPE_CHECKING, Final, cast

from paywright_runtime.contract.conversion import read_number
from paywright_runtime.contract.formats import read_day

if TYPE_CHECKING:
    from paywright_runtime.contract.index import Contract
    from paywright_runtime.contract.model import Field, Struct

_Normal = Callable[[object], object]
_USUAL: Final = frozenset({str, float, type(None)})
"""Types of members that are text, or comparable already."""
_PLAIN_NUMBER: Final = re.compile(r"(?:0|[1-9][0-9]{0,63})(?:[.][0-9]{1,64})?").fullmatch
"""Text of a number that is shortest once the zeros at its end are removed."""
_ENCODE: Final = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode


def digest(content: object) -> str:
    """Hash parsed JSON that the contract does not describe: 64 hexadecimal digits.

    Members that are null are left out. Numbers are compared by value, text as it is.
    """
    return _hash(_plain(content))


class Fingerprint:
    """Hash of the values of one struct of the contract."""

    __slots__ = ("_shape",)

    def __init__(self, contract: Contract, struct: Struct) -> None:
        self._shape = _Shape(contract, struct)

    def of(self, data: object) -> str:
        """Return 64 hexadecimal digits; those of `digest` if the data is no object."""
        return _hash(self._shape.normal(data)) if type(data) is dict else digest(data)


def number_text(value: Decimal) -> str:
    """Return the shortest text of a number: `10.5` for `10.50`, `1` for `1.0`."""
    text = _without_zeros(Decimal.__format__(value, "f"))
    return "0" if text in ("-0", "") else text


def _without_zeros(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text


def _hash(normal: object) -> str:
    if type(normal) is list:
        # As the encoder writes it, but faster: most members are text.
        written = f"[{','.join([_quote(item) if type(item) is str else _written(item) for item in normal])}]"
    else:
        written = _ENCODE(normal)
    return sha256(written.encode()).hexdigest()


def _written(value: object) -> str:
    return float.__repr__(value) if type(value) is float else _ENCODE(value)  # a moment, or what is rare


class _Shape:
    """Normal form of the members of a struct, and of the objects in it, so that they can be compared.

    All members are collected in one list; most are text and present, which leaves little work for each. The result names them,
    so that a member added by a later contract does not change the hash of data without it.
    """

    __slots__ = ("_all", "_also", "_get", "_inner", "_names", "_other", "_own", "_plain", "_text")

    def __init__(self, contract: Contract, struct: Struct) -> None:
        # Without members of the delivery itself: its time and its receiver.
        fields = sorted((one for one in struct.fields if one.source is None), key=lambda one: one.wire)
        inner = [one for one in fields if one.kind == "struct" and not one.array]
        plain = [one for one in fields if one not in inner]
        self._own = [one.wire for one in (*plain, *inner)]
        self._plain = len(plain)
        self._get = itemgetter(*self._own) if len(self._own) > 1 else None
        self._also = [(at, one.also) for at, one in enumerate((*plain, *inner)) if one.also is not None]
        self._names = [one.wire for one in plain]
        self._text: list[int] = []
        self._other: list[tuple[int, _Normal]] = []
        for at, field in enumerate(plain):
            one = _normal(contract, field)
            if field.array:
                self._other.append((at, _array(one)))
            elif one is _text:
                self._text.append(at)
            else:
                self._other.append((at, one))
        self._inner: list[_Shape] = []
        for field in inner:
            shape = _Shape(contract, contract.struct(field.of or ""))
            base = len(self._names)
            self._inner.append(shape)
            self._names += [f"{field.wire}/{name}" for name in shape._names]
            self._text += [base + at for at in shape._text]
            self._other += [(base + at, normal) for at, normal in shape._other]
        self._all = ",".join(self._names)

    def normal(self, value: object) -> object:
        """Return the names of the members that are present, then their values; None if there are none."""
        if type(value) is not dict:
            return _plain(value)
        found: list[object] = []
        self._collect(value, found)
        for at, normal in self._other:
            item = found[at]
            if item is not None and item != "":
                found[at] = normal(item)
        if not _USUAL.issuperset(map(type, found)):
            for at in self._text:
                found[at] = _text(found[at])
        if None not in found and "" not in found:
            return [self._all, *found]
        there = [at for at, item in enumerate(found) if item is not None and item != ""]
        return [",".join([self._names[at] for at in there]), *[found[at] for at in there]] if there else None

    def _collect(self, value: dict[str, object], found: list[object]) -> None:
        """Add the members of an object, in the order of `_names`."""
        try:
            own = self._get(value) if self._get is not None else [value.get(name) for name in self._own]
        except KeyError:
            own = [value.get(name) for name in self._own]
        if self._also:
            own = list(own)
            for at, also in self._also:
                if own[at] is None:
                    own[at] = value.get(also)
        found += own[: self._plain]
        for shape, item in zip(self._inner, own[self._plain :], strict=True):
            if type(item) is dict:
                shape._collect(item, found)
            else:  # a value that should be an object stands for the first member of one
                found += [item if item is None or item == "" else {"": _plain(item)}, *[None] * (len(shape._names) - 1)]


def _normal(contract: Contract, field: Field) -> _Normal:
    if field.kind == "struct":
        struct = contract.struct(field.of or "")
        return _Later(contract, struct)
    return _KINDS.get(field.kind, _plain) if field.kind != "text" or field.of is None else _moment


class _Later:
    """The normal form of an object, made at its first use, because objects may be nested in their like."""

    __slots__ = ("_contract", "_shape", "_struct")

    def __init__(self, contract: Contract, struct: Struct) -> None:
        self._contract = contract
        self._struct = struct
        self._shape: _Shape | None = None

    def __call__(self, value: object) -> object:
        if self._shape is None:
            self._shape = _Shape(self._contract, self._struct)
        return self._shape.normal(value)


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
        return _without_zeros(value)
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
