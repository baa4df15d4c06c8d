"""The model of the contract: the reader builds it; lint and templates use it.

Everything is frozen. Names are the contract's own (wire names, operation ids, type names). `naming` alone turns them
into Python names.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

Role = Literal["request", "response", "notification", "answer"]
Redaction = Literal["secret", "pan", "pii"]


@dataclass(frozen=True, slots=True)
class Place:
    """A file under `spec/` and a line, counted from 1."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class Prose:
    """The comments of a key. The first line is the summary."""

    lines: tuple[str, ...] = ()

    @property
    def summary(self) -> str:
        """Return the first line, or ""."""
        return self.lines[0] if self.lines else ""

    @property
    def more(self) -> tuple[str, ...]:
        """Return the lines after the first."""
        return self.lines[1:]

    @property
    def text(self) -> str:
        """Return all lines, joined by spaces."""
        return " ".join(self.lines)


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a part of the contract: its words, and by which key it stands there.

    The key is "" for the first line of the part, and `block/key` inside a block.
    """

    key: str
    words: tuple[str, ...]
    place: Place


@dataclass(frozen=True, slots=True)
class Cited:
    """The base of all parts of the contract: place, prose, sections, questions, and the lines of those that have keys.

    The lines of an operation are its own, then those of its envelope.
    """

    place: Place
    prose: Prose = Prose()
    sections: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    lines: tuple[Line, ...] = field(default=(), compare=False, repr=False)

    def at(self, *said: str) -> Place:
        """Return where the first of these keys stands that there is; the place of the part if there is none.

        `refuses` is a key; `refuses: BAD` is that of the lines with this key that has the word, else the first of them.
        """
        for key, _, word in (each.partition(": ") for each in said):
            found = [line for line in self.lines if line.key == key]
            if found:
                return next((line.place for line in found if word in line.words), found[0].place)
        return self.place

    def asked_at(self, question: str) -> tuple[Place, ...]:
        """Return where a question is asked: the lines with `?question`, or the place of the part."""
        found = tuple(line.place for line in self.lines if f"?{question}" in line.words)
        return found or (self.place,)


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
    """`?name`: a condition that no field shows. The rule is documented, not checked."""

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
    """`f max 43`, `f in A B`: a value that is present and not null must obey. `""` is none of the values."""

    path: Path
    max: int | None = None
    values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Differs:
    """`f differs from g`: if both are given and texts, they are not equal."""

    path: Path
    other: Path


@dataclass(frozen=True, slots=True)
class Joined:
    """`f is g then h`: if all three are given and texts, the first is the second followed by the third."""

    path: Path
    parts: tuple[Path, Path]


Demand = Need | Refuse | Blank | AnyIs | Restrict | Differs | Joined


@dataclass(frozen=True, slots=True)
class Rule(Cited):
    """A sentence about the fields of one struct. `text` is the sentence as written, with white space folded."""

    id: str = ""
    text: str = ""
    when: tuple[Condition, ...] = ()
    demands: tuple[Demand, ...] = ()

    @property
    def checked(self) -> bool:
        """Return whether validators can check the rule."""
        return not any(isinstance(condition, Unknowable) for condition in self.when)


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

    `final`: no state follows. `settled`: only the moves that the contract lists lead out of it, so one need not ask
    again. `paid`: money moved. `returned`: money moved back.
    """

    wire: str = ""
    member: str | None = None
    final: bool = False
    settled: bool = False
    paid: bool = False
    returned: bool = False


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


@dataclass(frozen=True, slots=True)
class Message:
    """One message of an operation: its headers and its root struct.

    `payload` is the member in which the operation's own fields stand, and `data` its struct; both are None where the
    fields are at the root. (A notification whose body is a named type has a `payload` and no `data`.) `result` is the
    name of the struct that a caller gets (the named response type, or the named body).
    """

    operation: str
    role: Role
    root: Struct
    headers: tuple[Field, ...] = ()
    data: Struct | None = None
    result: str | None = None
    payload: str | None = None

    @property
    def name(self) -> str:
        """Return the name, such as `orders.checkout.request`."""
        return f"{self.operation}.{self.role}"


@dataclass(frozen=True, slots=True)
class Resolution:
    """How the unknown outcome of a write is resolved [4.3]. `operation` is None if no query does."""

    operation: str | None
    by: str | None = None
    placed_again_after: str | None = None  # the name of a limit
    queried_again: bool = False
    done: tuple[str, tuple[str, ...]] | None = (
        None  # the member of the query's response, and the values that say it took effect
    )


@dataclass(frozen=True, slots=True)
class Shown:
    """A member of a write's request that a response shows: `asked` in the request, `answered` in the response."""

    asked: Path
    answered: Path

    @property
    def wire(self) -> str:
        """Return the member's path in the request, joined by dots."""
        return ".".join(self.asked)


@dataclass(frozen=True, slots=True)
class Decision:
    """How a response decides: `member` is `yes` or `no`, and `reason` is the member that says why not.

    A yes may have limits: the members `least` and `most`, for the `amount` in question.
    """

    member: str
    yes: str
    no: str
    reason: str
    amount: str | None = None
    least: str | None = None
    most: str | None = None


@dataclass(frozen=True, slots=True)
class Amount:
    """The member of a message that is its amount, and the one with the currency: paths into the payload."""

    member: Path
    currency: Path


@dataclass(frozen=True, slots=True)
class GivesBack:
    """Of a refund: what its money comes out of, which an operation shows.

    `key` and `gateway_id` are the members of the request that name it. It must be asked for `within` a limit, counted
    from the member `since` of the operation's response.
    """

    operation: str
    key: str | None = None
    gateway_id: str | None = None
    within: str | None = None
    since: str | None = None


@dataclass(frozen=True, slots=True)
class Listed:
    """A list in a response whose elements have states: its member, and the member of an element that is its key."""

    items: str
    key: str


GuardKind = Literal["above", "not below"]


@dataclass(frozen=True, slots=True)
class GuardDemand:
    """One demand of a guard: an amount is `above` 0 or `not below` it."""

    kind: GuardKind
    path: Path


@dataclass(frozen=True, slots=True)
class Guard(Cited):
    """A request that the client refuses to send although the specification allows it.

    Received messages are not checked by it.
    """

    id: str = ""
    text: str = ""
    demands: tuple[GuardDemand, ...] = ()


@dataclass(frozen=True, slots=True)
class Operation(Cited):
    """One operation. `inbound` is True if the gateway calls the merchant."""

    name: str = ""
    inbound: bool = False
    post: str | None = None  # None: the specification does not show the path
    version: str | None = None
    envelope: str = ""
    key: str | None = None
    key_ignores_case: bool = False
    resolution: Resolution | None = None
    echoes: tuple[str, ...] = ()
    each_echoes: tuple[
        Path, ...
    ] = ()  # a list in the response, and the field of its elements that repeats the request's
    shows: tuple[Shown, ...] = ()
    succeeds: tuple[str, str] | None = None  # the member (its path, with dots) and the value that mean yes
    code: str | None = None  # the path of the member that says why not
    message: str | None = None  # the path of the member with the words for people
    refuses: tuple[str, ...] = ()
    repeats: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    stale: tuple[str, ...] = ()  # codes for a request time that is too old or too new
    when: tuple[str, str] | None = None
    once_per: tuple[Path, ...] = ()  # fields of a notification's payload that together identify its effect
    decides: Decision | None = None
    about: tuple[str, Path] | None = (
        None  # of a notification: the query that shows the same, and the member with its key
    )
    amount: Amount | None = None  # of a query in its response, of all others in what is asked or told
    gateway_id: Path | None = None  # of a notification in what it tells, of all others in the response
    acts_on: str | None = None  # the query that shows what this write changes, and does not make
    gives_back: tuple[GivesBack, ...] = ()
    lists: tuple[Listed, ...] = ()
    guards: tuple[Guard, ...] = ()
    asks: Message = field(default=None)  # type: ignore[assignment]  # always given by the reader
    answers: Message = field(default=None)  # type: ignore[assignment]  # always given by the reader

    @property
    def resource(self) -> str:
        """Return the resource, such as `orders`."""
        return self.name.split(".")[0]

    @property
    def verb(self) -> str:
        """Return the verb, such as `checkout`."""
        return self.name.split(".")[1]

    @property
    def write(self) -> bool:
        """Return whether it is a write, which has a key."""
        return self.key is not None

    @property
    def messages(self) -> tuple[Message, Message]:
        """Return request and response."""
        return self.asks, self.answers


@dataclass(frozen=True, slots=True)
class SeenNotification(Cited):
    """A notification that the specification does not show, as gateways of this kind send it.

    `kind` tells it from others. It is about what the query `about` shows; `key`, `state` and `amount` are members of its
    data, `address` the member of a request, or of what the query shows, that names where it is sent.
    """

    kind: str = ""
    about: str = ""
    key: str = ""
    state: str = ""
    amount: Amount | None = None
    address: str = ""


@dataclass(frozen=True, slots=True)
class Limit(Cited):
    """A limit of section 8: a span of time in seconds, or a facet and the fields (or the rule) that must carry it."""

    name: str = ""
    seconds: int | None = None
    facet: str | None = None  # as written, such as `max 40`
    carried_by: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Move(Cited):
    """A transition that the specification shows: from a state, `none` or `any`, to one of several states."""

    set: str = ""
    before: str = ""
    after: tuple[str, ...] = ()
    trigger: str = ""


@dataclass(frozen=True, slots=True)
class Following(Cited):
    """How the items of a resource are followed to their last state: by a query, or by a notification alone.

    Paths are of the query's answer (`by`: of its request), or of the notification's payload.
    """

    kind: str = ""  # the resource
    operation: str = ""
    by: str = ""
    state: Path = ()
    each: Path = ()  # the state of what belongs to the item, such as the transactions of a link
    amount: Path = ()
    currency: Path = ()
    open_for: str | None = None  # the name of a limit: how long an item can stay open
    open_until: Path = ()  # the time until which it can stay open


@dataclass(frozen=True, slots=True)
class Question(Cited):
    """An open question: what the specification says, what we do meanwhile, and what was publicly seen."""

    name: str = ""
    says: str = ""
    does: str = ""
    seen: str | None = None


@dataclass(frozen=True, slots=True)
class Number(Cited):
    """What the gateway knows a merchant by: an `id`, another `text`, or the `signer` of the merchant's choice."""

    name: str = ""
    required: bool = False
    kind: Literal["id", "text", "signer"] = "id"


@dataclass(frozen=True, slots=True)
class Signature(Cited):
    """A signature: the text that it `covers`, and how its header is `written`.

    `chosen_by` is the merchant's signer that may take this form; such a form may send a header beside it.
    """

    name: str = ""
    covers: str = ""
    written: str = ""
    chosen_by: str | None = None
    sends: str | None = None

    @property
    def algorithm(self) -> str:
        """Return the algorithm, such as RSA-SHA256."""
        return self.written.rpartition(" of ")[2].partition("}")[0]


@dataclass(frozen=True, slots=True)
class Contract:
    """The whole contract. Parts are in the order they are written, files in alphabetical order."""

    formats: dict[str, Format]
    sets: dict[str, Set]
    structs: dict[str, Struct]  # the named ones
    operations: dict[str, Operation]
    limits: dict[str, Limit]
    moves: tuple[Move, ...]
    follows: dict[str, Following]  # by resource
    questions: dict[str, Question]
    versions: dict[str, tuple[str, Place]]
    seen: dict[str, SeenNotification]
    citations: tuple[tuple[str, Place], ...]  # every [n] of keys and prose
    numbers: dict[str, Number] = field(default_factory=dict)
    signatures: dict[str, Signature] = field(default_factory=dict)

    def struct_of(self, ref: TypeRef) -> Struct:
        """Return the struct that a type refers to. Raises KeyError for other types."""
        return self.structs[ref.name]

    def all_structs(self) -> Iterator[Struct]:
        """Yield named structs, then the roots and data of all messages."""
        yield from self.structs.values()
        for operation in self.operations.values():
            for message in operation.messages:
                if message.root.name not in self.structs:
                    yield message.root
                if message.data is not None and message.data.name not in self.structs:
                    yield message.data
