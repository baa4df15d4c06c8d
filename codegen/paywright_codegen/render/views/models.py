"""Views of `models.py.jinja`: named structs as dataclasses, value lists as enums."""

from __future__ import annotations

from dataclasses import dataclass

from paywright_codegen import naming
from paywright_codegen.model.contract import Contract
from paywright_codegen.model.types import MARKS, Set, Struct, Value
from paywright_codegen.python_types import Directions, model_line
from paywright_codegen.render.views.doc_text import argument_description, comment_words, python_rule, wrapped

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
            named = [
                f"{naming.variable(field.wire)}: {argument_description(self._contract, field, sent=sent)}"
                for field in self._struct.fields
            ]
            lines += ["", "Args:", *(f"    {line}" for text in named for line in wrapped(text, 8, 4))]
        checked = [f"{rule.id}: {python_rule(rule)}." for rule in self._struct.rules]
        if checked:
            lines += ["", "Rules:", *(f"    {line}" for text in checked for line in wrapped(text, 8, 4))]
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
