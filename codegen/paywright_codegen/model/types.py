"""Types: fields, structs, sets of values and formats."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from paywright_codegen.model.cited import Cited
from paywright_codegen.model.rules import Rule

Redaction = Literal["secret", "pan", "pii"]

TypeKind = Literal["string", "number", "boolean", "object", "format", "set", "struct"]


@dataclass(frozen=True, slots=True)
class TypeRef:
    """The type of a field: a builtin, a format, a set (enum or states) or a struct; or an array of it."""

    kind: TypeKind
    name: str
    array: bool = False


@dataclass(frozen=True, slots=True)
class Field(Cited):
    """One line of the contract. `values` are the only ones allowed (`in`, `is`); `examples` are `eg`."""

    wire: str = ""
    type: TypeRef = TypeRef("string", "string")
    required: bool = False
    min: int | None = None
    max: int | None = None
    range: tuple[int, int] | None = None
    values: tuple[str, ...] = ()
    fixed: bool = False  # `is`: a single value that we fill in
    sends: str | None = None
    source: str | None = None
    examples: tuple[str, ...] = ()
    default: str | None = None
    blank: bool = False
    also: str | None = None
    redaction: Redaction | None = None

    @property
    def filled(self) -> bool:
        """Return whether the SDK writes it by itself, so that it is no argument."""
        return self.fixed or self.sends is not None or self.source is not None


@dataclass(frozen=True, slots=True)
class Struct(Cited):
    """An object in JSON.

    `name` is the contract's (`Money`). Objects without a name there are called `orders.checkout.request` (a whole
    message) and `orders.checkout.request.data`. `parent` is the struct it was written `from`; `fields` include the
    parent's.
    """

    name: str = ""
    fields: tuple[Field, ...] = ()
    rules: tuple[Rule, ...] = ()
    parent: str | None = None

    @property
    def named(self) -> bool:
        """Return whether the contract names it."""
        return "." not in self.name

    def field(self, wire: str) -> Field | None:
        """Return the field with this wire name, or None."""
        return next((field for field in self.fields if field.wire == wire), None)


@dataclass(frozen=True, slots=True)
class Value(Cited):
    """One value of a set: its wire text, its member name if the contract gives one, and its meaning.

    `final`: no state follows. `settled`: only the moves that the contract lists lead out of it, so no further inquiry is
    needed. `paid`: money moved. `returned`: money moved back.
    """

    wire: str = ""
    member: str | None = None
    final: bool = False
    settled: bool = False
    paid: bool = False
    returned: bool = False

    @property
    def ends(self) -> bool:
        """Return whether an item in this state need not be asked for again."""
        return self.final or self.settled

    @property
    def marks(self) -> tuple[str, ...]:
        """Return the marks of a state."""
        return tuple(mark for mark in MARKS if getattr(self, mark))


MARKS = ("final", "settled", "paid", "returned")
"""The marks of states, in the order in which they are shown."""


@dataclass(frozen=True, slots=True)
class Set(Cited):
    """A named value list: an enum, or the states of a resource. `open` lists allow other values too."""

    name: str = ""
    values: tuple[Value, ...] = ()
    open: bool = False
    states: bool = False


@dataclass(frozen=True, slots=True)
class Format(Cited):
    """A format of text: an ASCII regular expression for the whole text, or the name of a check of the runtime."""

    name: str = ""
    pattern: str | None = None
    check: str | None = None
    python: Literal["str", "date", "datetime", "Decimal"] = "str"
    shown: str = ""
