"""The base of generated messages."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, ClassVar

from paywright_runtime.json_value import by_value

if TYPE_CHECKING:
    from dataclasses import Field


class Model:
    """Base of the generated messages, which are dataclasses."""

    __slots__ = ()
    __dataclass_fields__: ClassVar[dict[str, Field[object]]]

    def to_dict(self) -> dict[str, object]:
        """Return the members by their Python names, as JSON: what `json.dumps` writes, for storing or comparing.

        Messages inside are dicts too, sequences are lists, members of value lists their text. Numbers are text with every digit
        and no exponent (`"10.50"`), because a number of JSON is read as a float: `Decimal` reads them back. Times and days are
        text as `isoformat` writes it (RFC 3339, `"2025-06-01T12:00:00+08:00"`), which `fromisoformat` reads back; how they
        stood on the wire is in `answer.body`. Absent members are None. In an object whose members the contract does not name,
        whole numbers stay numbers. `answer` is left out. The result holds what `repr` hides: a person's data, credentials.
        """
        return {name: _json(getattr(self, name)) for name, field in self.__dataclass_fields__.items() if field.init}


def _json(value: object, *, named: bool = True) -> object:
    """Return a value as JSON. In a member that the contract names (`named`), a whole number becomes text, as decimals do."""
    value = by_value(value)
    if isinstance(value, Model):
        return value.to_dict()
    if isinstance(value, (list, tuple)):
        return [_json(item, named=named) for item in value]
    if isinstance(value, Mapping):
        return {name: _json(item, named=False) for name, item in value.items()}
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, date):
        return datetime.isoformat(value) if isinstance(value, datetime) else date.isoformat(value)
    return str(value) if named and type(value) is int else value
