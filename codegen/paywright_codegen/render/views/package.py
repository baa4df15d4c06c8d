"""The whole package: its modules, its resources, its two clients and the names it exports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from paywright_codegen import naming
from paywright_codegen.lookup import by_resource, header_structs
from paywright_codegen.model.cited import Cited
from paywright_codegen.model.contract import Contract
from paywright_codegen.model.operations import Operation
from paywright_codegen.model.types import MARKS, Set, Struct, Value
from paywright_codegen.python_types import Directions, model_line
from paywright_codegen.render.views.doc_text import argument_description, comment_words, listed, python_rule, wrapped
from paywright_codegen.render.views.methods import ResourceView
from paywright_codegen.render.views.validators import EnvelopeView, ValidatorView, function_of, shared_envelopes

_WIDTH = 120


@dataclass(frozen=True, slots=True)
class CodeLine:
    """A line of code, the comment above it and the comment behind it."""

    code: str
    behind: str = ""
    above: tuple[str, ...] = ()


class EnumView:
    """A value list as an enum."""

    def __init__(self, chosen: Set) -> None:
        self.name = chosen.name
        self.members = [
            CodeLine(f"{naming.member(value)} = {value.wire!a}", _set_words(value)) for value in chosen.values
        ]
        self._set = chosen

    @property
    def doc(self) -> list[str]:
        """Return the docstring of the enum."""
        lines = wrapped(f"{self._set.prose.summary.rstrip('.')} [{', '.join(self._set.sections)}].", 4)
        if self._set.open:
            lines += ["", "The specification does not show all values: expect others."]
        return lines

    @property
    def flags(self) -> str:
        """Return the class keywords that list final and settled states, and the states in which money moved."""
        marks = {mark: tuple(one.wire for one in self._set.values if mark in one.marks) for mark in MARKS[:3]}
        return "".join(f", {name}={wires!a}" for name, wires in marks.items() if wires)


def _set_words(value: Value) -> str:
    marks = " and ".join(mark for mark in value.marks if mark != "returned")
    return "; ".join(filter(None, (value.prose.text, marks)))


class ModelView:
    """A named struct as a dataclass."""

    def __init__(self, contract: Contract, struct: Struct, directions: Directions) -> None:
        self.name = struct.name
        self.is_result = struct.name in directions.results
        self._struct = struct
        self._contract = contract
        self._directions = directions

    @property
    def doc(self) -> list[str]:
        """Return the docstring of the dataclass."""
        cited = f" [{', '.join(self._struct.sections)}]"
        lines = wrapped(self._struct.prose.summary.rstrip(".") + f"{cited}.", 4)
        if self._struct.prose.more:
            lines += ["", *wrapped(" ".join(self._struct.prose.more), 4)]
        if self.name in self._directions.written:  # editors show the docstring, not comments, where it is constructed
            sent = self.name in self._directions.sent
            named = (
                f"{naming.variable(field.wire)}: {argument_description(self._contract, field, sent=sent)}"
                for field in self._struct.fields
            )
            lines += listed("Args", named, 8)
        lines += listed("Rules", (f"{rule.id}: {python_rule(rule)}." for rule in self._struct.rules), 8)
        if self.is_result:
            lines += ["", "`answer` is the whole verified answer: code, msg, raw bytes, headers, violations."]
        return lines

    @property
    def lines(self) -> list[CodeLine]:
        """Return the fields of the dataclass."""
        lines = []
        for field in self._struct.fields:
            code = model_line(self._contract, self._struct, field, naming.variable(field.wire), self._directions)
            words = comment_words(self._contract, field)
            if len(code) + len(words) + 8 <= _WIDTH:
                lines.append(CodeLine(code, words))
            else:
                lines.append(CodeLine(code, "", tuple(wrapped(words, 6))))
        return lines


class ClientKind(NamedTuple):
    """One kind of client: its folder, its words, the template of its resources, and the class of the runtime that it derives from."""

    folder: str
    title: str
    who: str
    template: str
    base: str
    about: list[str]


_BLOCKING = [
    "A client of the payment gateway; each resource is an attribute.", "", "Threads may share it. Use it as a context manager, or `close()` it.",
]  # fmt: skip
_AWAITED = [
    "A client of the payment gateway whose calls are awaited; each resource is an attribute.", "",
    "Tasks of one event loop may share it. Use it with `async with`, or `await aclose()`.",
]  # fmt: skip
KINDS = (
    ClientKind("", "The client", "a client", "resource", "SyncClient", _BLOCKING),
    ClientKind("aio.", "The awaited client", "an awaited client", "aio_resource", "AsyncClient", _AWAITED),
)


class ModuleView:
    """Everything generated from one file of the contract."""

    def __init__(
        self,
        contract: Contract,
        module: str,
        parts: Sequence[Cited],
        directions: Directions,
        envelopes: Mapping[str, EnvelopeView],
    ) -> None:
        self.module = module
        self.file = f"spec/{module}.yaml"
        validated = [part for part in parts if isinstance(part, Struct)]
        self.operations = [part for part in parts if isinstance(part, Operation)]
        self.enums = [EnumView(part) for part in parts if isinstance(part, Set)]
        self.models = [ModelView(contract, struct, directions) for struct in validated if struct.named]
        self.classes: list[ModelView | EnumView] = [*self.models, *self.enums]
        self.validators = [ValidatorView(contract, struct) for struct in validated if struct.name not in envelopes]
        self.validator_table = [(struct.name, _validator(contract, struct, envelopes)) for struct in validated]


def _validator(contract: Contract, struct: Struct, envelopes: Mapping[str, EnvelopeView]) -> str:
    """Return the validator of a struct as an expression: its own, or the envelope's around that of its payload."""
    envelope = envelopes.get(struct.name)
    data = None if envelope is None else struct.field(envelope.payload)
    if envelope is None or data is None:
        return naming.function(struct)
    return f"_envelopes.{envelope.function}({function_of(contract, data)})"


class Files:
    """The whole package: its modules, its resources, the names it exports."""

    def __init__(self, contract: Contract, package: str) -> None:
        self.contract = contract
        self.package = package
        directions = contract.once(Directions)
        envelopes = shared_envelopes(contract)
        self.envelopes = sorted(
            {id(each): each for each in envelopes.values()}.values(), key=lambda each: each.function
        )
        structs = (*contract.all_structs(), *header_structs(contract).values())
        parts: dict[str, list[Cited]] = {}
        for part in (*structs, *contract.sets.values(), *contract.operations.values()):
            parts.setdefault(naming.module(part.place), []).append(part)
        self.modules = [
            ModuleView(contract, module, own, directions, envelopes) for module, own in sorted(parts.items())
        ]
        resources = (ResourceView(contract, name) for name in sorted(contract.once(by_resource)))
        self.resources = [one for one in resources if one.operations]
        operations = contract.operations.values()
        messages = [(message.name, message.role) for operation in operations for message in operation.messages]
        self.operation_names = list(contract.operations)
        self.such_as = "".join(f", such as `{name}`" for name in self.operation_names[:1])
        skew = contract.limits.get("request-skew")
        seconds = skew.seconds if skew is not None else None
        cited = f" [{skew.sections[0]}]" if skew is not None and skew.sections else ""
        self.skew = f" (within {seconds} seconds{cited})" if seconds is not None else ""
        self.message_names = [name for name, _ in messages]
        self.message_roles = list(dict.fromkeys(role for _, role in messages))
        self.called = [view for resource in self.resources for view in resource.operations]
        self.patterns = [form for form in contract.formats.values() if form.pattern is not None]
        self.checks = [form for form in contract.formats.values() if form.check is not None]
        self.model_homes = {each.name: module.module for module in self.modules for each in module.classes}
