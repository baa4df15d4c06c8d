"""Print the model and document trees as lines of a contract file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from textwrap import TextWrapper

from paywright_codegen.model.types import Field, TypeKind
from paywright_codegen.problems import Problem
from paywright_codegen.reader.document import Document, Text, TreeEntry
from paywright_codegen.reader.grammar import FACETS, FIELDS, RULES
from paywright_codegen.reader.structs import parse_field

_WIDTH = 130
_COMMENT = 63  # where the comment behind a key begins, if the key leaves room
_CLOSE = frozenset({"limits", "merchant"})  # sections without blank lines between their entries


def print_facets(field: Field) -> str:
    """Return the type and facets of a field in their canonical order: `string max 64 eg A ?decimals`."""
    exact = field.min if field.min == field.max else None
    said: dict[str | None, object] = {
        "exactly": exact,
        "min": field.min if exact is None else None,
        "max": field.max if exact is None else None,
        "range": None if field.range is None else f"{field.range[0]}..{field.range[1]}",
        "blank": "" if field.blank else None,
        "is" if field.fixed else "in": " ".join(field.values) or None,
        "eg": " ".join(field.examples) or None,
        "sends": field.sends,
        "default": field.default,
        "also": field.also,
        field.redaction: "",
        "from": field.source,
    }
    words = [f"{facet} {said[facet]}".rstrip() for facet in FACETS if said.get(facet) is not None]
    asked = (f"?{question}" for question in field.questions)
    return " ".join([field.type.name + ("[]" if field.type.array else ""), *words, *asked])


def print_limits(field: Field) -> str:
    """Return the type of a field and what others are judged by: `word max 64`."""
    return print_facets(replace(field, examples=(), sends=None, also=None, redaction=None, source=None, questions=()))


def print_document(document: Document, kinds: Mapping[str, TypeKind]) -> str:
    """Return a file in its canonical layout. `kinds` are the named types, which the fields refer to.

    Fields are printed from their parsed form. Reading the text gives the same contract again, and printing that gives
    the same text.
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


def _entry(entry: TreeEntry, indent: int, path: tuple[str, ...], kinds: Mapping[str, TypeKind]) -> Iterator[str]:
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


def _value(entry: TreeEntry, text: Text, path: tuple[str, ...], kinds: Mapping[str, TypeKind]) -> str:
    if text.quoted:
        return _quoted(text.text)
    if (path[-1] in FIELDS or (path[0] == "types" and len(path) == 2)) and text.text != "none":
        problems: list[Problem] = []
        field = parse_field(entry, kinds, (), problems)
        return text.text if problems else print_facets(field)
    return " ".join(text.text.split())


def _quoted(text: str) -> str:
    if '"' in text and "'" not in text:
        return f"'{text}'"
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _folded(line: str, indent: int, path: tuple[str, ...]) -> list[str]:
    """Fold a rule that is too long, after the comma that ends its conditions if it has any."""
    if len(line) <= _WIDTH or not (path and (path[-1] in RULES or path[0] == "rules")):
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
