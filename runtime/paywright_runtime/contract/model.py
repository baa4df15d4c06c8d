"""The contract as plain values in generated code: objects on the wire, value lists, limits and moves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass


@dataclass(slots=True, eq=False, repr=False)
class Field:
    """One member of an object on the wire, and its name in Python.

    `kind` is text, number, boolean, any, struct, set, decimal, date or datetime; `of` names the struct, set or format.
    `limits` is the contract's line without the name. `sends` and `source` are values that the SDK fills in. A `needed` member
    of an answer or a notification carries identity, state or money: what is not it may be missing.
    """

    wire: str
    python: str
    kind: str
    limits: str
    of: str | None = None
    _: KW_ONLY
    required: bool = False
    array: bool = False
    blank: bool = False
    also: str | None = None
    sends: str | None = None
    source: str | None = None
    redaction: str | None = None
    needed: bool = False

    def __repr__(self) -> str:
        return f"<Field {self.wire}{'!' if self.required else ''}: {self.limits}>"


@dataclass(slots=True, eq=False)
class Rule:
    """A rule about the members of one object.

    `text` states it with the names on the wire, `python` with those of the SDK. `checked` is False if no member shows
    a breach.
    """

    id: str
    text: str
    python: str
    sections: tuple[str, ...] = ()
    _: KW_ONLY
    checked: bool = True


class Struct:
    """An object on the wire: its members in the contract's order, and its rules.

    `plan` belongs to `contract.conversion`, which makes it at first use.
    """

    __slots__ = ("by_wire", "fields", "name", "plan", "rules", "sections")

    def __init__(self, name: str, *fields: Field, sections: tuple[str, ...] = (), rules: tuple[Rule, ...] = ()) -> None:
        self.name: str = name
        self.fields: tuple[Field, ...] = fields
        self.sections: tuple[str, ...] = sections
        self.rules: tuple[Rule, ...] = rules
        self.by_wire: dict[str, Field] = {field.wire: field for field in fields}
        self.plan: object = None

    def signed_by(self) -> tuple[Field, str] | None:
        """Return the header that carries a signature of the contract, and the signature's name; None without one."""
        found = ((field, field.source or "") for field in self.fields)
        return next(((field, name[10:]) for field, name in found if name.startswith("signature.")), None)

    def rule(self, rule_id: str) -> Rule | None:
        """Return the rule of that id, or None."""
        return next((rule for rule in self.rules if rule.id == rule_id), None)

    def __repr__(self) -> str:
        return f"<Struct {self.name}>"


@dataclass(slots=True, eq=False)
class Set:
    """A value list.

    `values` maps each value on the wire to its meaning; the gateway may send others where the list is `open`. Of states:
    no state follows a `final` one, only the contract's moves lead out of a `settled` one, `paid` means that money moved and
    `returned` that it moved back. The specification itself says of `stated` ones that they are final or settled.
    """

    name: str
    values: Mapping[str, str]
    _: KW_ONLY
    open: bool = False
    states: bool = False
    final: tuple[str, ...] = ()
    settled: tuple[str, ...] = ()
    paid: tuple[str, ...] = ()
    returned: tuple[str, ...] = ()
    stated: tuple[str, ...] = ()
    sections: tuple[str, ...] = ()

    @property
    def ends(self) -> tuple[str, ...]:
        """The states that end an item: final ones, and settled ones. Paid and returned ones are among them."""
        return *self.final, *self.settled


@dataclass(slots=True, eq=False)
class Limit:
    """A limit beyond one field: a span in `seconds`, or `decimals`, the most that a number in our own requests may have."""

    name: str
    _: KW_ONLY
    sections: tuple[str, ...]
    seconds: int | None = None
    decimals: int | None = None


@dataclass(slots=True, eq=False)
class Move:
    """A move that the specification shows in the set `set`, from `before` (`none`, `any` or a state) to one of `after`."""

    set: str
    before: str
    after: tuple[str, ...]
    trigger: str
    _: KW_ONLY
    sections: tuple[str, ...]


@dataclass(slots=True, eq=False)
class Following:
    """Rules for following an item of the resource `kind` to its last state.

    `operation` is the query for it by the member `by`, or the notification that alone reports it (`told`).
    `state`, `each` (the state of each of the item's parts, such as the transactions of a link), `amount`, `currency` and
    `open_until` are paths in the answer, with dots between steps. `open_for` is the most seconds that an item can stay open.
    `write` is the operation that makes an item, if there is one whose outcome the query settles.
    """

    kind: str
    operation: str
    by: str
    state: str
    _: KW_ONLY
    sections: tuple[str, ...]
    told: bool = False
    each: str | None = None
    amount: str | None = None
    currency: str | None = None
    open_for: int | None = None
    open_until: str | None = None
    write: str | None = None


@dataclass(slots=True, eq=False)
class Question:
    """An open point of the specification: what it `says`, what the SDK `does` meanwhile, and what was publicly `seen`."""

    name: str
    _: KW_ONLY
    sections: tuple[str, ...]
    says: str
    does: str
    seen: str | None = None
