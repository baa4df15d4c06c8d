"""The page and the anchor that define each part of a contract, and links between pages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from posixpath import dirname, relpath

from paywright_codegen.documents.markdown import code
from paywright_codegen.model.contract import Contract
from paywright_codegen.model.operations import MessageSpec, Operation
from paywright_codegen.model.types import Field, Struct, TypeRef

_CODES, _INDEX, _LIMITS, _OBJECTS, _QUESTIONS, _STATES = (
    f"{name}.md" for name in ("codes", "README", "limits", "objects", "questions", "states")
)


ROLES = {"request": "request", "response": "answer", "notification": "notification", "answer": "answer"}
"""The word for a message, by its role in the contract."""


@dataclass(frozen=True, slots=True)
class Home:
    """The place of a definition: a page, by its path under the reference, and an anchor in it ("" for the whole page)."""

    page: str
    anchor: str = ""

    def seen_from(self, page: str) -> str:
        """Return the target of a link from a page."""
        where = "" if page == self.page else relpath(self.page, dirname(page) or ".")
        return f"{where}#{self.anchor}" if self.anchor else where


def slug(heading: str) -> str:
    """Return the anchor that Markdown gives a heading."""
    return re.sub(r"[^\w -]", "", heading.replace("`", "").lower()).replace(" ", "-")


def anchor_of(struct: Struct, operation: str = "") -> str:
    """Return the anchor of a struct: its name, or for a message `request` or `request.data`."""
    return struct.name.removeprefix(f"{operation}.") if not struct.named else struct.name


def title_of(struct: Struct) -> str:
    """Return the heading above a struct: its name, or which message or member it is."""
    if struct.named:
        return struct.name
    role, *member = struct.name.split(".")[2:]
    return f"`{member[0]}` of the {ROLES[role]}" if member else f"The whole {ROLES[role]}"


class Homes:
    """The homes of a contract's parts. An object that one operation alone uses is defined on its page, others on `objects.md`."""

    index = Home(_INDEX)

    def __init__(self, contract: Contract) -> None:
        self._contract = contract
        self.users: dict[str, tuple[str, ...]] = {}
        for operation in contract.operations.values():
            for struct in self.structs_of(operation):
                self.users[struct.name] = (*self.users.get(struct.name, ()), operation.name)

    def structs_of(self, operation: Operation) -> tuple[Struct, ...]:
        """Return every struct that the messages of an operation reach, each once, in the order of reading."""
        return tuple({one.name: one for message in operation.messages for one in self.structs_in(message)}.values())

    def structs_in(self, message: MessageSpec) -> tuple[Struct, ...]:
        """Return every struct that a message reaches."""
        result = () if message.result is None else (self._contract.struct_named(message.result),)
        return tuple(self._contract.reached_from(message.root, *result).values())

    def own_structs(self, operation: Operation) -> tuple[Struct, ...]:
        """Return the structs that are defined on the page of an operation."""
        return tuple(
            one
            for one in self.structs_of(operation)
            if self.struct(one.name).page == self.operation(operation.name).page
        )

    def shared_structs(self) -> Iterator[Struct]:
        """Yield the structs of `objects.md`."""
        for struct in self._contract.structs.values():
            if self.struct(struct.name).page == _OBJECTS:
                yield struct

    def operation(self, name: str) -> Home:
        """Return the page of an operation or of a notification that the specification shows."""
        folder = "notifications" if self._contract.operations[name].inbound else "operations"
        return Home(f"{folder}/{name}.md")

    def seen(self, kind: str) -> Home:
        """Return the page of a notification that the specification does not show."""
        return Home(f"notifications/{kind}.md")

    def struct(self, name: str) -> Home:
        """Return the home of a struct."""
        users = self.users.get(name, ())
        if name in self._contract.structs and len(users) != 1:
            return Home(_OBJECTS, name)
        struct = self._contract.struct_named(name)
        return Home(self.operation(users[0]).page, name if struct.named else slug(title_of(struct)))

    def field(self, struct: Struct, field: Field) -> Home:
        """Return the home of a field."""
        home = self.struct(struct.name)
        return Home(home.page, f"{self._prefix(struct)}.{field.wire}")

    def rule(self, struct: Struct, rule: str) -> Home:
        """Return the home of a rule."""
        return Home(self.struct(struct.name).page, f"{self._prefix(struct)}.{rule}")

    def _prefix(self, struct: Struct) -> str:
        return anchor_of(struct, "" if struct.named else self.users[struct.name][0])

    def header(self, message: MessageSpec, field: Field) -> Home:
        """Return the home of a header."""
        return Home(self.operation(message.operation).page, f"{message.role}.header.{field.wire}")

    def guard(self, operation: Operation, guard: str) -> Home:
        """Return the home of a guard."""
        return Home(self.operation(operation.name).page, f"guard.{guard}")

    def set(self, name: str) -> Home:
        """Return the home of a value list."""
        return Home(_STATES, slug(name))

    def value(self, name: str, wire: str) -> Home:
        """Return the home of a value of a list."""
        return Home(_STATES, f"{name}.{wire}")

    def code(self, wire: str) -> Home:
        """Return the home of a code."""
        return Home(_CODES, slug(wire))

    def limit(self, name: str) -> Home:
        """Return the home of a limit."""
        return Home(_LIMITS, slug(name))

    def format(self, name: str) -> Home:
        """Return the home of a format of text."""
        return Home(_LIMITS, f"format.{name}")

    def question(self, name: str) -> Home:
        """Return the home of an open question."""
        return Home(_QUESTIONS, slug(name))

    def type(self, ref: TypeRef) -> Home | None:
        """Return the home of a type; None for a builtin."""
        kinds = {"struct": self.struct, "set": self.set, "format": self.format}
        return kinds[ref.kind](ref.name) if ref.kind in kinds else None


def link(text: str, home: Home, page: str) -> str:
    """Return a link to a definition, with its name as code."""
    return f"[{code(text)}]({home.seen_from(page)})"
