"""The page and the anchor that define each part of a contract, and links between pages."""

from __future__ import annotations

import re
from dataclasses import dataclass
from posixpath import dirname, relpath
from typing import Final, Literal

from paywright_codegen.model.contract import Contract
from paywright_codegen.model.operations import MessageSpec, Operation
from paywright_codegen.model.types import Struct, TypeRef
from paywright_codegen.reference.words import code

ROLES = {"request": "request", "response": "answer", "notification": "notification", "answer": "answer"}
"""The word for a message, by its role in the contract."""
Kind = Literal["code", "format", "limit", "question", "set"]
_PAGES: Final[dict[Kind, str]] = {
    "code": "codes.md", "format": "limits.md", "limit": "limits.md", "question": "questions.md", "set": "states.md",
}  # fmt: skip


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


def title_of(struct: Struct) -> str:
    """Return the heading above a struct: its name, or which message or member it is."""
    if struct.named:
        return struct.name
    role, *member = struct.name.split(".")[2:]
    return f"`{member[0]}` of the {ROLES[role]}" if member else f"The whole {ROLES[role]}"


class Homes:
    """The homes of a contract's parts. An object that one operation alone uses is defined on its page, others on `objects.md`."""

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

    def named(self, kind: Kind, name: str) -> Home:
        """Return the home of a value list, a code, a limit, a format of text or an open question."""
        return Home(_PAGES[kind], f"format.{name}" if kind == "format" else slug(name))

    def operation(self, name: str, anchor: str = "") -> Home:
        """Return the page of an operation or a notification, shown or seen elsewhere, or a place on it."""
        operation = self._contract.operations.get(name)
        folder = "notifications" if operation is None or operation.inbound else "operations"
        return Home(f"{folder}/{name}.md", anchor)

    def struct(self, name: str) -> Home:
        """Return the home of a struct."""
        users = self.users.get(name, ())
        if name in self._contract.structs and len(users) != 1:
            return Home("objects.md", name)
        struct = self._contract.struct_named(name)
        return Home(self.operation(users[0]).page, name if struct.named else slug(title_of(struct)))

    def part(self, struct: Struct, name: str) -> Home:
        """Return the home of a field or a rule of a struct: its name, behind that of the struct, `request` or `request.data`."""
        inside = struct.name if struct.named else struct.name.removeprefix(f"{self.users[struct.name][0]}.")
        return Home(self.struct(struct.name).page, f"{inside}.{name}")

    def value(self, name: str, wire: str) -> Home:
        """Return the home of a value of a list."""
        return Home("states.md", f"{name}.{wire}")

    def type(self, ref: TypeRef) -> Home | None:
        """Return the home of a type; None for a builtin."""
        if ref.kind in ("set", "format"):
            return self.named("set" if ref.kind == "set" else "format", ref.name)
        return self.struct(ref.name) if ref.kind == "struct" else None


def link(text: str, home: Home, page: str) -> str:
    """Return a link to a definition, with its name as code."""
    return f"[{code(text)}]({home.seen_from(page)})"
