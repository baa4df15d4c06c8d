"""Bases of generated classes: messages, and value lists that accept values missing from the contract."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal
from enum import StrEnum
from typing import TYPE_CHECKING, ClassVar, Self

from paywright_runtime.json_value import by_value

if TYPE_CHECKING:
    from dataclasses import Field


class OpenEnum(StrEnum):
    """A value list of the contract: members are text, equal to the text on the wire (`OrderStatus.PENDING == "PENDING"`).

    A value that the contract does not list becomes a member too: equal by value, picklable, made anew each time. Its
    `is_known` is False, and it is never final, settled or paid. Code that meets it must wait and query.
    """

    # Of the class. Enums ignore names without a value, but would take a ClassVar for a member.
    _final_values: frozenset[str]
    _settled_values: frozenset[str]
    _paid_values: frozenset[str]

    def __init_subclass__(
        cls, *, final: tuple[str, ...] = (), settled: tuple[str, ...] = (), paid: tuple[str, ...] = ()
    ) -> None:
        super().__init_subclass__()
        cls._final_values = frozenset(final)
        cls._settled_values = frozenset((*final, *settled))
        cls._paid_values = frozenset(paid)

    @classmethod
    def _missing_(cls, value: object) -> Self | None:
        if type(value) is not str:
            return None
        unknown = str.__new__(cls, value)
        unknown._name_ = "UNKNOWN"
        unknown._value_ = value
        return unknown

    def __reduce_ex__(self, protocol: object) -> tuple[type[Self], tuple[str]]:
        # By value: Python 3.11 before 3.11.4 pickles by name, which an unknown value does not have.
        return type(self), (self.value,)

    @property
    def is_known(self) -> bool:
        """True if the contract lists the value."""
        return self.value in type(self)._value2member_map_

    @property
    def is_final(self) -> bool:
        """True if no state follows, by the specification or by our reading of it (the question `final-states`)."""
        return str(self) in self._final_values

    @property
    def is_settled(self) -> bool:
        """True if no further query is needed: the state is final, or only a return of the money may follow.

        `OrderStatus.SUCCESS` is paid and settled, not final: it may become BOUNCEBACK [2.3].
        """
        return str(self) in self._settled_values

    @property
    def is_paid(self) -> bool:
        """True if the specification says that the money moved."""
        return str(self) in self._paid_values


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
