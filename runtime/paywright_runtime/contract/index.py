"""The contract that a package was generated from, as its generated JSON has it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from paywright_runtime.contract.model import Field, Following, Limit, Move, Question, Rule, Set, Struct
from paywright_runtime.contract.operation import (
    Amount,
    Decision,
    GivesBack,
    Guard,
    Listed,
    Operation,
    Resolution,
    SeenNotification,
    Shown,
)
from paywright_runtime.errors import InvalidArgument

if TYPE_CHECKING:
    from importlib.abc import ResourceLoader

    from paywright_runtime.contract.open_enum import OpenEnum
    from paywright_runtime.contract.value_checks import Report

Row = Mapping[str, Any]

_PARTS: Mapping[str, type[Any]] = {
    "amount": Amount, "decision": Decision, "gives_back": GivesBack, "guards": Guard, "lists": Listed, "resolution": Resolution,
    "shows": Shown,
}  # fmt: skip


def _plain(value: Any) -> Any:
    """Return a value with its lists as tuples."""
    return tuple(map(_plain, value)) if type(value) is list else value


def _members(row: Row) -> dict[str, Any]:
    return {name: _plain(value) for name, value in row.items()}


def _with_parts(row: Row) -> dict[str, Any]:
    """Return the members of a row: those of `_PARTS` are values of their classes, codes are sets."""
    made: dict[str, Any] = {}
    for name, value in row.items():
        part = _PARTS.get(name)
        if part is not None and type(value) is not str:  # a path of a Following
            made[name] = (
                tuple(part(**_members(one)) for one in value) if type(value) is list else part(**_members(value))
            )
        else:
            made[name] = frozenset(value) if name.endswith("_codes") else _plain(value)
    return made


T = TypeVar("T")
_GENERAL = "_general"
DOCUMENTS: Final[tuple[str, ...]] = ("examples", "openapi", "schemas")
"""The documents of a package for other tools, in the order of their lines where they are packed."""
PACKED: Final[str] = "documents.json.bz2"
"""The file that has them in a wheel, where each by itself would take twice the room."""


class Contract:
    """The contract that `package` was generated from. Each part is read from its JSON when first asked for.

    The files lie under `contract/` in the package: one for each file of the contract, and `_general.json`, which has the names of
    operations, objects and value lists with the file that holds each. `files` are their contents, by name, where no package holds
    them.
    """

    def __init__(self, package: str, files: Mapping[str, dict[str, Any]] | None = None) -> None:
        self.package: str = package
        self._files = files or {}
        self._found: dict[str, object] = {}
        self._validators_found: dict[str, Callable[[dict[str, object], str, Report], None]] = {}
        self._operations_found: dict[str, Operation] = {}
        self._structs_found: dict[str, Struct] = {}

    @property
    def digest(self) -> str:
        """Return the SHA-256 of all that the contract says, in hexadecimal: two packages with the same one judge messages alike."""
        return self.once("digest", self._digest)

    def _digest(self) -> str:
        import json
        from hashlib import sha256

        homes = {home for part in ("operations", "structs", "sets") for home in self._general[part].values()}
        files = [self._read(f"contract/{name}.json") for name in sorted({_GENERAL, *homes})]
        return sha256(json.dumps([self.document("schemas"), *files], sort_keys=True).encode()).hexdigest()

    def operations(self) -> tuple[str, ...]:
        """Return the names of all operations, in the contract's order."""
        return tuple(self._general["operations"])

    def structs(self) -> tuple[str, ...]:
        """Return the names of all objects on the wire."""
        return tuple(self._general["structs"])

    def sets(self) -> tuple[str, ...]:
        """Return the names of all value lists."""
        return tuple(self._general["sets"])

    def operation(self, name: str) -> Operation:
        """Return an operation. Raises `InvalidArgument` for an unknown name, with the nearest ones."""
        found = self._operations_found.get(name)
        if found is None:
            row = self._row("operations", name, "operation")
            found = self._operations_found[name] = Operation(name, **_with_parts(row))
        return found

    def struct(self, name: str) -> Struct:
        """Return an object on the wire. Raises `InvalidArgument`."""
        found = self._structs_found.get(name)
        if found is None:
            row = self._row("structs", name, "object")
            rules = tuple(Rule(**_members(one)) for one in row.get("rules", ()))
            fields, sections = (Field(**one) for one in row["fields"]), tuple(row.get("sections", ()))
            found = self._structs_found[name] = Struct(name, *fields, sections=sections, rules=rules)
        return found

    def set(self, name: str) -> Set:
        """Return a value list. Raises `InvalidArgument`."""
        return self.once(f"set {name}", lambda: Set(name, **_members(self._row("sets", name, "value list"))))

    def may_show(self, operation: Operation, name: str | None) -> bool:
        """Return whether the value of a member of a request may be shown: it is not classed as secret, pan or pii."""
        field = self.struct(operation.data or operation.request).by_wire.get(name or "")
        return field is not None and field.redaction is None

    def limits(self) -> Mapping[str, Limit]:
        """Return the limits of section 8."""
        return self.once("limits", lambda: self._named("limits", Limit))

    def moves(self) -> tuple[Move, ...]:
        """Return the moves that section 3 shows."""
        return self.once("moves", lambda: tuple(Move(**_members(row)) for row in self._general["moves"]))

    def followed(self) -> Mapping[str, Following]:
        """Return the following of each resource whose items can be followed to their last state."""
        return self.once("followed", lambda: self._named("followed", Following))

    def following(self, kind: str) -> Following:
        """Return the following of one resource. Raises `InvalidArgument` if its items cannot be followed."""
        followed = self.followed()
        if not isinstance(kind, str) or kind not in followed:
            raise InvalidArgument(
                f"The contract has nothing to follow that is called {kind!r}.{nearest(kind, followed)}"
            )
        return followed[kind]

    def questions(self) -> Mapping[str, Question]:
        """Return the open points of the specification."""
        return self.once("questions", lambda: self._named("questions", Question))

    def seen(self) -> Mapping[str, SeenNotification]:
        """Return the notifications that the specification does not show, as seen elsewhere, by their kind."""
        return self.once("seen", lambda: self._named("seen", SeenNotification))

    def kinds(self) -> Mapping[str, Operation | SeenNotification]:
        """Return all notifications by their kind, such as RECEIVE: first those that the specification shows."""
        inbound = (one for one in map(self.operation, self.operations()) if one.inbound)
        return {**{kind: one for one in inbound for kind in one.discriminators.values()}, **self.seen()}

    def _named(self, part: str, kind: Callable[..., T]) -> dict[str, T]:
        return {name: kind(name, **_with_parts(row)) for name, row in self._general[part].items()}

    def once(self, name: str, make: Callable[[], T]) -> T:
        """Return the result of `make` from the first call with this name. It must depend on the contract alone."""
        found = self._found.get(name)
        if found is None:
            found = self._found[name] = make()
        return cast(T, found)

    def validator(self, struct: str) -> Callable[[dict[str, object], str, Report], None]:
        """Return the generated validator of a struct: it takes the parsed object, its JSON pointer and the report it adds to."""
        found = self._validators_found.get(struct)
        if found is None:
            module = import_module(f"{self.package}.validators.{self._general['structs'][struct]}")
            found = self._validators_found[struct] = module.VALIDATORS[struct]
        return found

    def model(self, name: str) -> type[object] | None:
        """Return the class of an object or value list; None for an object without one (a whole message). Raises `InvalidArgument`."""
        if "." in name:
            return None
        module = self._general["structs"].get(name) or self._general["sets"][self.set(name).name]
        return cast("type[object]", getattr(import_module(f"{self.package}.models.{module}"), name))

    def wire_set(self, name: str) -> type[OpenEnum]:
        """Return the enum of a value list."""
        return cast("type[OpenEnum]", self.model(name))

    def shown(self, field: Field) -> str:
        """Return how the format of a field is shown, such as `3 uppercase letters`."""
        found: str = self._general["formats"][field.limits.split(" ", 1)[0].removesuffix("[]")]
        return found

    def signature(self, name: str) -> tuple[str, str]:
        """Return the text that a signature covers and the form of its header, as the contract states both."""
        covers, written = self._general["signatures"][name]
        return covers, written

    def place(self, name: str, *, member: str | None = None, rule: str | None = None) -> str:
        """Return the file and line that state an operation, an object, one of its members or rules, or a value list.

        The contract's folder is called `spec`, whatever its name is. In a checkout without the extra `codegen` no line is known.
        Raises `InvalidArgument` for an unknown one.
        """
        home, *lines = self.once("places", self._places).get(name) or (self._home(name),)
        parts = ["at"]
        if name in self._general["structs"]:
            struct = self.struct(name)
            parts += (*(f"member {one.wire}" for one in struct.fields), *(f"rule {one.id}" for one in struct.rules))
        part = f"rule {rule}" if rule is not None else f"member {member}" if member is not None else "at"
        if part not in parts:
            raise InvalidArgument(f"{name} has no {part}.{nearest(part, dict.fromkeys(parts))}")
        at = dict(zip(parts, lines, strict=False)).get(part)  # nobody knows the lines of some checkouts
        file, _, line = at.partition(":") if isinstance(at, str) else (home, "", at)
        return f"spec/{file}.yaml{'' if line is None else f':{line}'}"

    def _places(self) -> dict[str, list[str | int]]:
        try:
            return self._read("places.json")
        except FileNotFoundError:
            from pathlib import Path
        # A checkout has no lines but those that the generator finds: it stands above this package, and is found by its name.
        try:
            generator = import_module("paywright_codegen.generation.places")
        except ImportError:
            return {}
        top = Path(import_module(self.package).__path__[0]).parents[1]
        return cast("dict[str, list[str | int]]", generator.places_of_checkout(top))

    def _home(self, name: str) -> str:
        """Return the file of the contract that has an operation, an object or a value list. Raises `InvalidArgument`."""
        homes: dict[str, str] = {
            one: home for part in ("operations", "structs", "sets") for one, home in self._general[part].items()
        }
        if name not in homes:
            raise InvalidArgument(f"The contract does not state {name!r}.{nearest(name, homes)}")
        return homes[name]

    def schema(self, message: str) -> dict[str, object]:
        """Return the complete JSON Schema (2020-12) of a message by its name, such as `refunds.create.request`."""
        return self._of_message("schemas", message)

    def example(self, message: str) -> dict[str, object]:
        """Return a valid body of a message, as parsed JSON; the request and response of an operation match."""
        return self._of_message("examples", message)

    def document(self, name: str) -> dict[str, object]:
        """Return a document for other tools: `openapi`, or the `schemas` or `examples` of all messages by name. Raises `InvalidArgument`."""
        if name not in DOCUMENTS:
            raise InvalidArgument(f"There is no document {name!r}.{nearest(name, dict.fromkeys(DOCUMENTS))}")
        try:
            return self._read(f"{name}.json")
        except FileNotFoundError:  # a wheel has all of them in one file, a line each
            import bz2
            import json
        lines = self.once("documents", lambda: bz2.decompress(self._data(PACKED)).splitlines())
        found: dict[str, object] = json.loads(lines[DOCUMENTS.index(name)])
        return found

    def _of_message(self, name: str, message: str) -> dict[str, object]:
        found = self.document(name)
        if message not in found:
            raise InvalidArgument(
                f"The contract has no message {message!r}.{nearest(message, dict.fromkeys(found, ''))}"
            )
        return cast("dict[str, object]", found[message])

    def _read(self, file: str) -> dict[str, Any]:
        import json

        found: dict[str, Any] = json.loads(self._data(file))
        return found

    def _data(self, file: str) -> bytes:
        # Not by `importlib.resources`, which takes longer to import than a program to make its first call.
        home = import_module(self.package)
        loader = cast("ResourceLoader", home.__loader__)
        return loader.get_data(f"{home.__path__[0]}/{file}")

    @property
    def _general(self) -> dict[str, Any]:
        return self._file(_GENERAL)

    def _file(self, name: str) -> dict[str, Any]:
        return self._files.get(name) or self.once(f"file {name}", lambda: self._read(f"contract/{name}.json"))

    def _row(self, part: str, name: str, what: str) -> dict[str, Any]:
        """Return the row of an operation, an object or a value list. Raises `InvalidArgument`."""
        index = self._general[part]
        file = index.get(name) if isinstance(name, str) else None
        if file is None:
            raise InvalidArgument(f"The contract has no {what} {name!r}.{nearest(name, index)}")
        row: dict[str, Any] = self._file(file)[part][name]
        return row

    def at(self, struct: str, pointer: str) -> Iterator[tuple[Struct, Field | None]]:
        """Iterate over the steps of a JSON pointer into a message: each struct, with the member that the pointer takes in it."""
        where: Struct | None = self.struct(struct)
        for step in pointer.split("/")[1:]:
            if where is None or step.isdigit():
                continue
            field = where.by_wire.get(step)
            yield where, field
            where = self.struct(field.of) if field is not None and field.kind == "struct" and field.of else None


def nearest(name: object, names: Mapping[str, object]) -> str:
    """Return a sentence with the names closest to a mistyped one, or with all names."""
    from difflib import get_close_matches

    near = get_close_matches(name, names, 3) if isinstance(name, str) else []
    return f" Did you mean {' or '.join(near)}?" if near else f" It has {', '.join(names)}."
