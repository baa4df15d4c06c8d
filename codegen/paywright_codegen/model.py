"""The contract as plain values: what the reader makes of the YAML, and all that lint and templates see.

Everything is frozen. Names here are the contract's own (wire names, operation ids, type names); what they
become in Python is decided in `naming` alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

Role = Literal["request", "response", "notification", "answer"]
Redaction = Literal["secret", "pan", "pii"]


@dataclass(frozen=True, slots=True)
class Place:
    """Where something stands: a file under `spec/` and a line, counted from 1."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class Prose:
    """The comments of a key: their first line is the summary."""

    lines: tuple[str, ...] = ()

    @property
    def summary(self) -> str:
        return self.lines[0] if self.lines else ""

    @property
    def more(self) -> tuple[str, ...]:
        return self.lines[1:]

    @property
    def text(self) -> str:
        return " ".join(self.lines)


@dataclass(frozen=True, slots=True)
class Cited:
    """What everything that stands in the contract has: a place, its prose, its sections, its questions."""

    place: Place
    prose: Prose = Prose()
    sections: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()


TypeKind = Literal["string", "number", "boolean", "object", "format", "set", "struct"]


@dataclass(frozen=True, slots=True)
class TypeRef:
    """The type of a field: a builtin, a format, a set (enum or states), or a struct, and whether an array of it."""

    kind: TypeKind
    name: str
    array: bool = False


@dataclass(frozen=True, slots=True)
class Field(Cited):
    """One line of the contract. `values` are closed (`in`, `is`); `examples` are `eg`."""

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
        """True if the SDK writes it by itself, so that it is no argument."""
        return self.fixed or self.sends is not None or self.source is not None


Path = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Given:
    """`f is given` (or, negated, `f is empty`)."""

    path: Path
    negated: bool = False


@dataclass(frozen=True, slots=True)
class OneOf:
    """`f in V W`, `f is V`."""

    path: Path
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Unknowable:
    """`?name`: a condition that no field tells; the rule is documented, not checked."""

    question: str


Condition = Given | OneOf | Unknowable


@dataclass(frozen=True, slots=True)
class Need:
    """`need f or g`: at least one of them is given."""

    paths: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class Refuse:
    """`refuse f`: absent or null."""

    path: Path


@dataclass(frozen=True, slots=True)
class Blank:
    """`f is empty`: absent, null, empty text or empty array."""

    path: Path


@dataclass(frozen=True, slots=True)
class AnyIs:
    """`f is V or g in W X`: at least one holds."""

    choices: tuple[OneOf, ...]


@dataclass(frozen=True, slots=True)
class Restrict:
    """`f max 43`, `f in A B`: where f is there and not null, its value obeys; `""` is none of the values."""

    path: Path
    max: int | None = None
    values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Differs:
    """`f differs from g`: where both are texts and given, they are not the same."""

    path: Path
    other: Path


@dataclass(frozen=True, slots=True)
class Joined:
    """`f is g then h`: where all three are texts and given, the first is the second followed by the third."""

    path: Path
    parts: tuple[Path, Path]


Demand = Need | Refuse | Blank | AnyIs | Restrict | Differs | Joined


@dataclass(frozen=True, slots=True)
class Rule(Cited):
    """A sentence about the fields of one struct. `text` is the sentence as written, white space folded."""

    id: str = ""
    text: str = ""
    when: tuple[Condition, ...] = ()
    demands: tuple[Demand, ...] = ()

    @property
    def checked(self) -> bool:
        return not any(isinstance(condition, Unknowable) for condition in self.when)


@dataclass(frozen=True, slots=True)
class Struct(Cited):
    """An object on the wire.

    `name` is the contract's (`Money`), or for what has no name there `orders.checkout.request` (a whole message) and
    `orders.checkout.request.data`. `parent` is the struct it was written `from`; `fields` already include the parent's.
    """

    name: str = ""
    fields: tuple[Field, ...] = ()
    rules: tuple[Rule, ...] = ()
    parent: str | None = None

    @property
    def named(self) -> bool:
        return "." not in self.name

    def field(self, wire: str) -> Field | None:
        return next((field for field in self.fields if field.wire == wire), None)


@dataclass(frozen=True, slots=True)
class Value(Cited):
    """One value of a set: its wire text, its own member name where the contract gives one, and what it means.

    `final`: nothing follows. `settled`: only the moves that the contract lists lead out of it, so that one need not ask again.
    """

    wire: str = ""
    member: str | None = None
    final: bool = False
    settled: bool = False
    paid: bool = False


@dataclass(frozen=True, slots=True)
class Set(Cited):
    """A value list with a name: an enum, or the states of a resource. `open` lists take other values too."""

    name: str = ""
    values: tuple[Value, ...] = ()
    open: bool = False
    states: bool = False


@dataclass(frozen=True, slots=True)
class Format(Cited):
    """A format of text: an ASCII pattern for the whole text, or a check of the runtime by name."""

    name: str = ""
    pattern: str | None = None
    check: str | None = None
    python: Literal["str", "date", "datetime", "Decimal"] = "str"
    shown: str = ""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of an operation: its headers and its root struct.

    `data` is the struct inside the member `data` where the envelope has one, else None (the fields stand at the root).
    `result` is the name of the struct that a caller sees (the named response type, or the named body).
    """

    operation: str
    role: Role
    root: Struct
    headers: tuple[Field, ...] = ()
    data: Struct | None = None
    result: str | None = None

    @property
    def name(self) -> str:
        return f"{self.operation}.{self.role}"


@dataclass(frozen=True, slots=True)
class Resolution:
    """How the unknown outcome of a write is settled [4.3]. `operation` is None where nothing queries it."""

    operation: str | None
    by: str | None = None
    placed_again_after: str | None = None  # the name of a limit
    queried_again: bool = False
    done: tuple[str, tuple[str, ...]] | None = None  # the member of its answer, and the values that say it took effect


@dataclass(frozen=True, slots=True)
class Shown:
    """A member of a write's request that an answer shows: `asked` in the request, `answered` in the answer."""

    asked: Path
    answered: Path

    @property
    def wire(self) -> str:
        """The member's path in the request, as text."""
        return ".".join(self.asked)


@dataclass(frozen=True, slots=True)
class Decision:
    """How an answer decides: `member` is `yes` or `no`, and `reason` is the member that says why not.

    A yes may have limits: the members `least` and `most`, for the `amount` that was asked about.
    """

    member: str
    yes: str
    no: str
    reason: str
    amount: str | None = None
    least: str | None = None
    most: str | None = None


GuardKind = Literal["above", "not below"]


@dataclass(frozen=True, slots=True)
class GuardDemand:
    """One demand of a guard: an amount is `above` 0 or `not below` it."""

    kind: GuardKind
    path: Path


@dataclass(frozen=True, slots=True)
class Guard(Cited):
    """What the client refuses to send although the specification does not say so; nobody else's message is judged by it."""

    id: str = ""
    text: str = ""
    demands: tuple[GuardDemand, ...] = ()


@dataclass(frozen=True, slots=True)
class Operation(Cited):
    """One operation. `inbound` is True where the service calls the merchant."""

    name: str = ""
    inbound: bool = False
    post: str | None = None  # None: the address is not shown
    version: str | None = None
    envelope: str = ""
    key: str | None = None
    key_ignores_case: bool = False
    resolution: Resolution | None = None
    echoes: tuple[str, ...] = ()
    each_echoes: tuple[Path, ...] = ()  # a list of the answer, and the field of each element that repeats the request's
    shows: tuple[Shown, ...] = ()
    succeeds: tuple[str, str] | None = None  # the member and the value that mean yes
    refuses: tuple[str, ...] = ()
    repeats: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    stale: tuple[str, ...] = ()  # codes that mean: the request's time is too old or too new
    when: tuple[str, str] | None = None
    once_per: tuple[
        Path, ...
    ] = ()  # of a notification: fields of its payload, each combination of which has one effect
    decides: Decision | None = None
    guards: tuple[Guard, ...] = ()
    asks: Message = field(default=None)  # type: ignore[assignment]  # always given by the reader
    answers: Message = field(default=None)  # type: ignore[assignment]  # always given by the reader

    @property
    def resource(self) -> str:
        return self.name.split(".")[0]

    @property
    def verb(self) -> str:
        return self.name.split(".")[1]

    @property
    def write(self) -> bool:
        return self.key is not None

    @property
    def messages(self) -> tuple[Message, Message]:
        return self.asks, self.answers


@dataclass(frozen=True, slots=True)
class Limit(Cited):
    """A limit of section 8: a span of time in seconds, or a facet and the fields (or the rule) that must carry it."""

    name: str = ""
    seconds: int | None = None
    facet: str | None = None  # as written, such as `max 40`
    carried_by: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Move(Cited):
    """A move that the specification shows: from a state, `none` or `any`, to one of several states."""

    set: str = ""
    before: str = ""
    after: tuple[str, ...] = ()
    trigger: str = ""


@dataclass(frozen=True, slots=True)
class Question(Cited):
    """Something the specification does not show, what we do meanwhile, and what was publicly seen."""

    name: str = ""
    says: str = ""
    does: str = ""
    seen: str | None = None


@dataclass(frozen=True, slots=True)
class Contract:
    """The whole contract, each part in the order it is written, files in alphabetical order."""

    formats: dict[str, Format]
    sets: dict[str, Set]
    structs: dict[str, Struct]  # the named ones
    operations: dict[str, Operation]
    limits: dict[str, Limit]
    moves: tuple[Move, ...]
    questions: dict[str, Question]
    versions: dict[str, tuple[str, Place]]
    citations: tuple[tuple[str, Place], ...]  # every [n] of keys and prose

    def struct_of(self, ref: TypeRef) -> Struct:
        return self.structs[ref.name]

    def all_structs(self) -> Iterator[Struct]:
        """Named structs, then the roots and data of all messages."""
        yield from self.structs.values()
        for operation in self.operations.values():
            for message in operation.messages:
                if message.root.name not in self.structs:
                    yield message.root
                if message.data is not None and message.data.name not in self.structs:
                    yield message.data
