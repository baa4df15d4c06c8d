"""From the model and from marked text back to the lines of a contract file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from textwrap import TextWrapper

from paywright_codegen.fields import parse_field
from paywright_codegen.marked import Document, Entry, Text
from paywright_codegen.model import (
    AnyIs,
    Blank,
    Condition,
    Demand,
    Differs,
    Field,
    Given,
    Joined,
    Need,
    OneOf,
    Refuse,
    Rule,
    TypeKind,
    Unknowable,
)
from paywright_codegen.problems import Problem

_WIDTH = 130
_COMMENT = 63  # where the comment behind a key begins, if the key leaves room
_FIELDS = frozenset(
    {"headers", "request", "response", "response headers", "notification", "answer"}
    | {"with request", "with response", "with headers", "with response headers"}
)
_CLOSE = frozenset({"versions", "limits"})  # sections without blank lines between their entries
_RULES = frozenset({"rules", "request rules", "response rules", "before sending"})


def print_facets(field: Field) -> str:
    """The type and the facets of a field, in the one order they are written in: `string max 64 eg A ?decimals`."""
    words = [field.type.name + ("[]" if field.type.array else "")]
    if field.min is not None and field.min == field.max:
        words += ["exactly", str(field.min)]
    else:
        words += [] if field.min is None else ["min", str(field.min)]
        words += [] if field.max is None else ["max", str(field.max)]
    if field.range is not None:
        words += ["range", f"{field.range[0]}..{field.range[1]}"]
    words += ["blank"] if field.blank else []
    words += ["is" if field.fixed else "in", *field.values] if field.values else []
    words += ["eg", *field.examples] if field.examples else []
    words += [] if field.sends is None else ["sends", field.sends]
    words += [] if field.default is None else ["default", field.default]
    words += [] if field.also is None else ["also", field.also]
    words += [] if field.redaction is None else [field.redaction]
    words += [] if field.source is None else ["from", field.source]
    return " ".join([*words, *(f"?{question}" for question in field.questions)])


def print_field(field: Field) -> str:
    """A field as its line: `outRefundNo!: string max 64`. Sections that it inherits are not repeated."""
    return f"{field.wire}{'!' if field.required else ''}: {print_facets(field)}"


def print_sentence(rule: Rule) -> str:
    """A rule as a sentence, from its conditions and demands, with every path written out."""
    when = " and ".join(map(_condition, rule.when))
    demands = " and ".join(map(_demand, rule.demands))
    asked = "".join(f" ?{question}" for question in rule.questions)
    return f"when {when}, {demands}{asked}" if when else f"{demands}{asked}"


def _condition(condition: Condition) -> str:
    if isinstance(condition, Unknowable):
        return f"?{condition.question}"
    if isinstance(condition, Given):
        return f"{'.'.join(condition.path)} is {'empty' if condition.negated else 'given'}"
    return _one_of(condition)


def _one_of(one: OneOf) -> str:
    return f"{'.'.join(one.path)} {'is' if len(one.values) == 1 else 'in'} {' '.join(one.values)}"


def _demand(demand: Demand) -> str:
    if isinstance(demand, Need):
        return f"need {' or '.join('.'.join(path) for path in demand.paths)}"
    if isinstance(demand, AnyIs):
        return " or ".join(map(_one_of, demand.choices))
    path = ".".join(demand.path)
    if isinstance(demand, Refuse):
        return f"refuse {path}"
    if isinstance(demand, Blank):
        return f"{path} is empty"
    if isinstance(demand, Differs):
        return f"{path} differs from {'.'.join(demand.other)}"
    if isinstance(demand, Joined):
        return f"{path} is {' then '.join('.'.join(part) for part in demand.parts)}"
    return f"{path} max {demand.max}" if demand.max is not None else f"{path} in {' '.join(demand.values)}"


def print_document(document: Document, kinds: Mapping[str, TypeKind]) -> str:
    """A file in its canonical layout; `kinds` are the named types, which the fields refer to.

    Fields are printed from what they were understood to say. Reading the text gives the same contract again, and
    printing that gives the same text.
    """
    lines: list[str] = [*document.header, ""] if document.header else []
    for section in document.block:
        if lines and lines[-1]:
            lines.append("")
        lines += _entry(section, 0, (), kinds)
        for entry in section.block:
            if section.key.text not in _CLOSE:
                lines.append("")
            lines += _entry(entry, 2, (section.key.text,), kinds)
    return "\n".join(lines) + "\n"


def _entry(entry: Entry, indent: int, path: tuple[str, ...], kinds: Mapping[str, TypeKind]) -> Iterator[str]:
    space = " " * indent
    yield from (f"{space}# {line}" for line in entry.above)
    key = f"{space}{entry.key.text}:"
    if isinstance(entry.value, Text):
        *first, last = _folded(f"{key} {_value(entry, entry.value, path, kinds)}", indent, path)
        yield from first
        yield _with_comment(last, entry.behind)
        return
    yield _with_comment(key, entry.behind)
    if indent:
        for each in entry.value:
            yield from _entry(each, indent + 2, (*path, entry.key.text), kinds)


def _value(entry: Entry, text: Text, path: tuple[str, ...], kinds: Mapping[str, TypeKind]) -> str:
    if text.quoted:
        return _quoted(text.text)
    if (path[-1] in _FIELDS or (path[0] == "types" and len(path) == 2)) and text.text != "none":
        problems: list[Problem] = []
        field = parse_field(entry, kinds, (), problems)
        return text.text if problems else print_facets(field)
    return " ".join(text.text.split())


def _quoted(text: str) -> str:
    if '"' in text and "'" not in text:
        return f"'{text}'"
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _folded(line: str, indent: int, path: tuple[str, ...]) -> list[str]:
    """A rule that is too long goes on below, from the comma after its conditions where it has one."""
    if len(line) <= _WIDTH or not (path and (path[-1] in _RULES or path[0] == "rules")):
        return [line]
    condition, comma, demand = line.partition(", ")
    parts = [f"{condition},", demand] if comma else [line]
    folding = TextWrapper(_WIDTH, subsequent_indent=" " * (indent + 2), break_long_words=False, break_on_hyphens=False)
    lines: list[str] = []
    for part in parts:
        folding.initial_indent = " " * (indent + 2 if lines else indent)
        lines += folding.wrap(part.strip())
    return lines


def _with_comment(line: str, comment: str | None) -> str:
    return line if comment is None else f"{line:<{_COMMENT - 2}}  # {comment}"
