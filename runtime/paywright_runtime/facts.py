"""What generated code says about the contract, as plain values; loaded a file at a time, when first needed.

`paywright.contract` is a `Contract`. Nothing here is read from YAML: the generator writes these values out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar, cast

from paywright_runtime.errors import InvalidArgument, PaywrightError

if TYPE_CHECKING:
    from paywright_runtime.aio.resolver import AsyncResolver
    from paywright_runtime.resolver import Resolver
    from paywright_runtime.sets import WireSet
    from paywright_runtime.violations import Report

__all__ = [
    "AsyncCall",
    "AsyncResolve",
    "Call",
    "Contract",
    "Decision",
    "Field",
    "Guard",
    "Limit",
    "Move",
    "Operation",
    "OperationRef",
    "Question",
    "Resolution",
    "Resolve",
    "Rule",
    "Set",
    "Shown",
    "Struct",
    "nearest",
]

R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)


class Field:
    """One member of an object on the wire, and its name in Python.

    `kind` is text, number, boolean, any, struct, set, decimal, date or datetime; `of` names the struct, set or format.
    `limits` is the contract's line without the name. `sends` and `source` are what the SDK writes by itself.
    `file` is where it stands if that is not its struct's own.
    """

    __slots__ = (
        "also", "array", "blank", "file", "kind", "limits", "line", "of", "python", "redaction", "required", "sends", "source", "wire",
    )  # fmt: skip

    def __init__(
        self,
        wire: str,
        python: str,
        kind: str,
        limits: str,
        line: int,
        *,
        required: bool = False,
        of: str | None = None,
        array: bool = False,
        blank: bool = False,
        also: str | None = None,
        sends: str | None = None,
        source: str | None = None,
        redaction: str | None = None,
        file: str | None = None,
    ) -> None:
        self.wire: str = wire
        self.python: str = python
        self.kind: str = kind
        self.limits: str = limits
        self.line: int = line
        self.required: bool = required
        self.of: str | None = of
        self.array: bool = array
        self.blank: bool = blank
        self.also: str | None = also
        self.sends: str | None = sends
        self.source: str | None = source
        self.redaction: str | None = redaction
        self.file: str | None = file

    def __repr__(self) -> str:
        return f"<Field {self.wire}{'!' if self.required else ''}: {self.limits}>"


class Rule:
    """A sentence about the members of one object. `text` uses wire names, `python` the SDK's; `checked` is False if no field tells."""

    __slots__ = ("checked", "file", "id", "line", "python", "sections", "text")

    def __init__(
        self,
        id: str,
        text: str,
        python: str,
        line: int,
        sections: tuple[str, ...] = (),
        *,
        checked: bool = True,
        file: str | None = None,
    ) -> None:
        self.id: str = id
        self.text: str = text
        self.python: str = python
        self.line: int = line
        self.sections: tuple[str, ...] = sections
        self.checked: bool = checked
        self.file: str | None = file

    def __repr__(self) -> str:
        return f"<Rule {self.id}: {self.text}>"


class Struct:
    """An object on the wire: its members in the contract's order, its rules, and the class that shows it in Python.

    `model` is `package.module:Class`, or None for what has no class (a whole request). `file` and `line` say where it stands.
    """

    __slots__ = ("by_wire", "fields", "file", "line", "model", "name", "plan", "rules", "sections")

    def __init__(
        self,
        name: str,
        file: str,
        line: int,
        fields: tuple[Field, ...],
        *,
        sections: tuple[str, ...] = (),
        rules: tuple[Rule, ...] = (),
        model: str | None = None,
    ) -> None:
        self.name: str = name
        self.file: str = file
        self.line: int = line
        self.fields: tuple[Field, ...] = fields
        self.sections: tuple[str, ...] = sections
        self.rules: tuple[Rule, ...] = rules
        self.model: str | None = model
        self.by_wire: dict[str, Field] = {field.wire: field for field in fields}
        self.plan: object = None  # how it is read and written; made by `wire` at first use

    def rule(self, rule_id: str) -> Rule | None:
        """The rule of that id, or None."""
        return next((rule for rule in self.rules if rule.id == rule_id), None)

    def __repr__(self) -> str:
        return f"<Struct {self.name} {self.file}:{self.line}>"


class Set:
    """A value list. `values` maps what stands on the wire to its meaning; an `open` one has values nobody has shown.

    Of states: nothing follows a `final` one, out of a `settled` one lead only the contract's moves, and `paid` means that
    money moved.
    """

    __slots__ = ("file", "final", "line", "model", "name", "open", "paid", "sections", "settled", "states", "values")

    def __init__(
        self,
        name: str,
        file: str,
        line: int,
        values: Mapping[str, str],
        *,
        model: str,
        open: bool = False,
        states: bool = False,
        final: tuple[str, ...] = (),
        settled: tuple[str, ...] = (),
        paid: tuple[str, ...] = (),
        sections: tuple[str, ...] = (),
    ) -> None:
        self.name: str = name
        self.file: str = file
        self.line: int = line
        self.values: Mapping[str, str] = values
        self.model: str = model
        self.open: bool = open
        self.states: bool = states
        self.final: tuple[str, ...] = final
        self.settled: tuple[str, ...] = settled
        self.paid: tuple[str, ...] = paid
        self.sections: tuple[str, ...] = sections

    def __repr__(self) -> str:
        return f"<Set {self.name} {self.file}:{self.line}>"


class Resolution:
    """How the unknown outcome of a write is settled [4.3].

    `operation` is the query that settles it by the member `by`; None where the contract has none. `placed_again_after` is in
    seconds: only where it is given may the same key be placed again, after that many seconds of verified "not there".
    `longest_key` is what the query can ask for at most. `done` is a member of the query's answer and the values by which it
    says that the write took effect; None where it is enough that the query knows the key. `resolver` is the client's method
    that settles it (`client.orders.resolve`; None without a query), and `asks` the arguments that it needs beside the key.
    """

    __slots__ = ("asks", "by", "done", "longest_key", "operation", "placed_again_after", "resolver")

    def __init__(
        self,
        operation: str | None,
        *,
        by: str | None = None,
        placed_again_after: int | None = None,
        longest_key: int | None = None,
        done: tuple[str, tuple[str, ...]] | None = None,
        resolver: str | None = None,
        asks: tuple[str, ...] = (),
    ) -> None:
        self.asks: tuple[str, ...] = asks
        self.done: tuple[str, tuple[str, ...]] | None = done
        self.operation: str | None = operation
        self.by: str | None = by
        self.placed_again_after: int | None = placed_again_after
        self.longest_key: int | None = longest_key
        self.resolver: str | None = resolver


class Shown:
    """A member of a write's request that answers show.

    `asked` is its path in the request and `answered` that in the answer (of the write itself or of its query), steps parted by
    dots; `python` is the argument of the resolver that says what was asked for. A `number` is compared by its value.
    """

    __slots__ = ("answered", "answered_path", "asked", "asked_path", "number", "python")

    def __init__(self, asked: str, python: str, answered: str, *, number: bool = False) -> None:
        self.asked: str = asked
        self.asked_path = tuple(asked.split("."))
        self.python: str = python
        self.answered: str = answered
        self.answered_path = tuple(answered.split("."))
        self.number: bool = number


class Decision:
    """How the merchant's answer decides: `member` is `yes` or `no`, and `reason` is the member that says why not.

    `within` are the member of the question that is the amount, and the members of the answer between which a yes allows it.
    """

    __slots__ = ("member", "no", "reason", "within", "yes")

    def __init__(
        self, member: str, yes: str, no: str, reason: str, *, within: tuple[str, str, str] | None = None
    ) -> None:
        self.within: tuple[str, str, str] | None = within
        self.member: str = member
        self.yes: str = yes
        self.no: str = no
        self.reason: str = reason


class Guard:
    """A demand that the client makes of a request before it sends it, though the specification does not state it.

    `kind` is `above` (0) or `not below` (0); `pointer` is the JSON pointer of the amount, from the operation's own data.
    An amount that is absent meets it.
    """

    __slots__ = ("id", "kind", "pointer")

    def __init__(self, id: str, kind: str, pointer: str) -> None:
        self.id: str = id
        self.kind: str = kind
        self.pointer: str = pointer

    def __repr__(self) -> str:
        return f"<Guard {self.id}: {self.pointer} {self.kind} 0>"


class Operation:
    """One operation: its address, what tells it from others there, what settles it, and what its codes mean.

    `each_echoes` are lists of the answer, each with the member of its elements that repeats the request's member of that name.

    A notification also says what it tells of: `once_per` are JSON pointers into its body, each combination of whose values
    has one effect, and `state` is the one of them whose value moves on.
    """

    __slots__ = (
        "absent", "answers", "asks", "data", "decides", "each_echoes", "echoes", "envelope", "file", "guards", "inbound", "key", "key_ignores_case", "line", "name",
        "once_per", "path", "questions", "refuses", "repeats", "request_headers", "resolution", "response_headers", "result", "roles",
        "sections", "shows", "stale", "state", "succeeds", "tells", "version",
    )  # fmt: skip

    def __init__(
        self,
        name: str,
        file: str,
        line: int,
        *,
        path: str | None,
        envelope: str,
        roles: tuple[str, str],
        asks: str,
        answers: str,
        sections: tuple[str, ...] = (),
        questions: tuple[str, ...] = (),
        version: str | None = None,
        inbound: bool = False,
        data: str | None = None,
        result: str | None = None,
        request_headers: str | None = None,
        response_headers: str | None = None,
        tells: Mapping[str, str] | None = None,
        key: str | None = None,
        key_ignores_case: bool = False,
        resolution: Resolution | None = None,
        echoes: tuple[str, ...] = (),
        each_echoes: tuple[tuple[str, str], ...] = (),
        shows: tuple[Shown, ...] = (),
        succeeds: tuple[str, str] | None = None,
        refuses: frozenset[str] = frozenset(),
        repeats: frozenset[str] = frozenset(),
        absent: frozenset[str] = frozenset(),
        stale: frozenset[str] = frozenset(),
        once_per: tuple[str, ...] = (),
        state: str | None = None,
        decides: Decision | None = None,
        guards: tuple[Guard, ...] = (),
    ) -> None:
        self.name: str = name
        self.file: str = file
        self.line: int = line
        self.path: str | None = path
        self.envelope: str = envelope
        self.roles: tuple[str, str] = roles
        self.asks: str = asks
        self.answers: str = answers
        self.sections: tuple[str, ...] = sections
        self.questions: tuple[str, ...] = questions
        self.version: str | None = version
        self.inbound: bool = inbound
        self.data: str | None = data
        self.result: str | None = result
        self.request_headers: str | None = request_headers
        self.response_headers: str | None = response_headers
        self.tells: Mapping[str, str] = {} if tells is None else tells
        self.key: str | None = key
        self.key_ignores_case: bool = key_ignores_case
        self.resolution: Resolution | None = resolution
        self.echoes: tuple[str, ...] = echoes
        self.each_echoes: tuple[tuple[str, str], ...] = each_echoes
        self.shows: tuple[Shown, ...] = shows
        self.succeeds: tuple[str, str] | None = succeeds
        self.refuses: frozenset[str] = refuses
        self.repeats: frozenset[str] = repeats
        self.absent: frozenset[str] = absent
        self.stale: frozenset[str] = stale
        self.once_per: tuple[str, ...] = once_per
        self.state: str | None = state
        self.decides: Decision | None = decides
        self.guards: tuple[Guard, ...] = guards

    @property
    def write(self) -> bool:
        """True if it can move money: it has a key of the merchant's."""
        return self.key is not None

    def resolver(self, *, content: bool = False) -> str | None:
        """How to settle an unknown outcome of it, as a call to write: `client.orders.resolve(...)`; None without a query.

        With `content`, also with the arguments that say what was asked for.
        """
        resolution = self.resolution
        if resolution is None or resolution.resolver is None:
            return None
        names = [*resolution.asks, *(shown.python for shown in self.shows if content)]
        return f"{resolution.resolver}({', '.join(['...', *(f'{name}=...' for name in names)])})"

    def message(self, role: str) -> str | None:
        """The struct of a message by its role (`request`, `response`, `notification`, `answer`), or None."""
        return self.asks if role == self.roles[0] else self.answers if role == self.roles[1] else None

    def __repr__(self) -> str:
        return f"<Operation {self.name} {self.file}:{self.line}>"


class OperationRef(Generic[R_co]):
    """The name of an operation, and to a type checker what it returns. Nothing is loaded by making one."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name: str = name


class Call(Protocol):
    """The engine's one method for generated code: arguments by wire name in, the operation's result out."""

    def __call__(self, ref: OperationRef[R], values: Mapping[str, object], extra: Mapping[str, object] | None) -> R: ...


class Resolve(Protocol):
    """The engine's method for settling.

    It takes the write's name, the query (for the type alone), the key, what else the query asks for, what the write asked
    for, and the error that it ended with.
    """

    def __call__(
        self,
        write: str,
        query: OperationRef[R],
        key: str,
        asks: Mapping[str, str] | None = None,
        content: Mapping[str, object] | None = None,
        after: PaywrightError | None = None,
    ) -> Resolver[R]: ...


class AsyncCall(Protocol):
    """`Call`, awaited."""

    async def __call__(
        self, ref: OperationRef[R], values: Mapping[str, object], extra: Mapping[str, object] | None
    ) -> R: ...


class AsyncResolve(Protocol):
    """`Resolve`, for a client whose calls are awaited."""

    def __call__(
        self,
        write: str,
        query: OperationRef[R],
        key: str,
        asks: Mapping[str, str] | None = None,
        content: Mapping[str, object] | None = None,
        after: PaywrightError | None = None,
    ) -> AsyncResolver[R]: ...


class Limit:
    """A limit of section 8: a span in `seconds`, or a facet (`max 40`) and the fields that carry it."""

    __slots__ = ("carried_by", "facet", "name", "seconds", "sections")

    def __init__(
        self,
        name: str,
        *,
        sections: tuple[str, ...],
        seconds: int | None = None,
        facet: str | None = None,
        carried_by: tuple[str, ...] = (),
    ) -> None:
        self.name: str = name
        self.sections: tuple[str, ...] = sections
        self.seconds: int | None = seconds
        self.facet: str | None = facet
        self.carried_by: tuple[str, ...] = carried_by


class Move:
    """A move that the specification shows: of the set `set`, from `before` (`none`, `any` or a state) to one of `after`."""

    __slots__ = ("after", "before", "sections", "set", "trigger")

    def __init__(
        self, set: str, before: str, after: tuple[str, ...], trigger: str, *, sections: tuple[str, ...]
    ) -> None:
        self.set: str = set
        self.before: str = before
        self.after: tuple[str, ...] = after
        self.trigger: str = trigger
        self.sections: tuple[str, ...] = sections


class Question:
    """Something the specification does not show (`says`), what we do meanwhile (`does`), and what was publicly `seen`."""

    __slots__ = ("does", "name", "says", "sections", "seen")

    def __init__(self, name: str, *, sections: tuple[str, ...], says: str, does: str, seen: str | None = None) -> None:
        self.name: str = name
        self.sections: tuple[str, ...] = sections
        self.says: str = says
        self.does: str = does
        self.seen: str | None = seen


class Contract:
    """The contract that a package was generated from. Each part is imported when first asked for.

    `operations`, `structs` and `sets` map names to the module under `PACKAGE.contract` that holds them.
    """

    def __init__(
        self, package: str, *, operations: Mapping[str, str], structs: Mapping[str, str], sets: Mapping[str, str]
    ) -> None:
        self.package: str = package
        self._operations = operations
        self._structs = structs
        self._sets = sets
        self._found: dict[tuple[str, str], object] = {}

    def operations(self) -> tuple[str, ...]:
        """The names of all operations, in the contract's order."""
        return tuple(self._operations)

    def structs(self) -> tuple[str, ...]:
        """The names of all objects on the wire."""
        return tuple(self._structs)

    def sets(self) -> tuple[str, ...]:
        """The names of all value lists."""
        return tuple(self._sets)

    def operation(self, name: str) -> Operation:
        """One operation. Raises `InvalidArgument` for a name the contract does not have, with the nearest ones."""
        return cast(Operation, self._part(self._operations, name, "OPERATIONS", "operation"))

    def struct(self, name: str) -> Struct:
        """One object on the wire. Raises `InvalidArgument`."""
        return cast(Struct, self._part(self._structs, name, "STRUCTS", "object"))

    def set(self, name: str) -> Set:
        """One value list. Raises `InvalidArgument`."""
        return cast(Set, self._part(self._sets, name, "SETS", "value list"))

    def limits(self) -> Mapping[str, Limit]:
        """The limits of section 8."""
        return cast(Mapping[str, Limit], import_module(f"{self.package}.contract._general").LIMITS)

    def moves(self) -> tuple[Move, ...]:
        """The moves that section 3 shows."""
        return cast("tuple[Move, ...]", import_module(f"{self.package}.contract._general").MOVES)

    def questions(self) -> Mapping[str, Question]:
        """What the specification does not show."""
        return cast(Mapping[str, Question], import_module(f"{self.package}.contract._general").QUESTIONS)

    def validator(self, struct: str) -> Callable[[dict[str, object], str, Report], None]:
        """The generated validator of a struct: it takes the parsed object, its JSON pointer and the report it adds to."""
        found = self._found.get(("VALIDATORS", struct))
        if found is None:
            module = import_module(f"{self.package}.validators.{self._structs[struct]}")
            found = self._found["VALIDATORS", struct] = module.VALIDATORS[struct]
        return cast("Callable[[dict[str, object], str, Report], None]", found)

    def model(self, path: str) -> type[object]:
        """The class at `package.module:Class`."""
        module, _, name = path.partition(":")
        return cast("type[object]", getattr(import_module(module), name))

    def wire_set(self, name: str) -> type[WireSet]:
        """The enum of a value list."""
        return cast("type[WireSet]", self.model(self.set(name).model))

    def schema(self, message: str) -> dict[str, object]:
        """The JSON Schema (2020-12) of a message by its name, such as `refunds.create.request`; it needs nothing beside it."""
        return self._document("schemas.json", message)

    def example(self, message: str) -> dict[str, object]:
        """A valid body of a message, as parsed JSON; the two of an operation go together."""
        return self._document("examples.json", message)

    def _document(self, file: str, message: str) -> dict[str, object]:
        import json
        from importlib.resources import files

        found: dict[str, dict[str, object]] = json.loads((files(self.package) / file).read_text(encoding="utf-8"))
        if message not in found:
            raise InvalidArgument(
                f"The contract has no message {message!r}.{nearest(message, dict.fromkeys(found, ''))}"
            )
        return found[message]

    def at(self, struct: str, pointer: str) -> Iterator[tuple[Struct, Field | None]]:
        """What a JSON pointer passes through, from the struct of a whole message: each struct with the member taken in it."""
        where: Struct | None = self.struct(struct)
        for step in pointer.split("/")[1:]:
            if where is None or step.isdigit():
                continue
            field = where.by_wire.get(step)
            yield where, field
            where = self.struct(field.of) if field is not None and field.kind == "struct" and field.of else None

    def _part(self, index: Mapping[str, str], name: str, table: str, what: str) -> object:
        found = self._found.get((table, name))
        if found is None:
            module = index.get(name)
            if module is None:
                raise InvalidArgument(f"The contract has no {what} {name!r}.{nearest(name, index)}")
            found = self._found[table, name] = getattr(import_module(f"{self.package}.contract.{module}"), table)[name]
        return found


def nearest(name: str, names: Mapping[str, object]) -> str:
    """Say which of the names are closest to a mistyped one, or list them all."""
    from difflib import get_close_matches

    near = get_close_matches(name, names, 3)
    return f" Did you mean {' or '.join(near)}?" if near else f" It has {', '.join(names)}."
