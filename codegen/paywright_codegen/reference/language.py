"""Reference of the contract's language in Markdown: all that can be written, and what is generated from it.

Its text stands in `language.md`; a line `<<method words>>` is filled by a method of the page: words of the legend of
`spec/service.yaml`, of the grammar and of the linter, and examples from a contract that has one of everything.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent
from typing import Any, Final, TypeVar, cast

from paywright_codegen.documents.questions import letter
from paywright_codegen.documents.show import show
from paywright_codegen.model.contract import Contract
from paywright_codegen.model.types import Field
from paywright_codegen.reader.document import Document, TreeEntry
from paywright_codegen.reader.grammar import FACETS, FILE, Block
from paywright_codegen.reader.printer import print_facets
from paywright_codegen.reader.rules import CONDITIONS, DEMANDS, GUARDS, made_by
from paywright_codegen.reader.structs import BUILTINS
from paywright_codegen.reference.tables import code, fenced, row, table
from paywright_runtime.contract.formats import FORMS

T = TypeVar("T")

_ANY = "*"  # stands for every name, such as that of an operation under `gives back:`
_HEADINGS = ("An operation also says", "Behind a value of a list of states", "A rule is one sentence")


@dataclass(frozen=True, slots=True)
class Material:
    """Sources of the reference.

    `legend` are the comment lines at the top of the contract, with their `#`. `documents`, `contract`, `texts` (by file) and
    `generated` (by path in the package) are a contract that has one of everything; `more` are documents for what it lacks.
    `mistypings` are a name, the mistyped line, and the beginning of the linter's message; so is `unsaid`, what the language lacks.
    """

    legend: Sequence[str]
    documents: Sequence[Document]
    more: Sequence[Document]
    contract: Contract
    texts: Mapping[str, str]
    generated: Mapping[str, str]
    mistypings: Sequence[tuple[str, str, str]]
    unsaid: Sequence[tuple[str, str, str]]


def reference(material: Material) -> str:
    """Return the page. Raises LookupError for a construct of the grammar without an example."""
    page = _LanguagePage(material)
    text = Path(__file__).with_name("language.md").read_text(encoding="utf-8")
    return _FILLED.sub(lambda found: "\n".join(getattr(page, found[1])(found[2])), text)


_FILLED: Final = re.compile(r"^<<(\w+) ?(.*)>>$", re.MULTILINE)


class _LanguagePage:
    def __init__(self, material: Material) -> None:
        self.material = material
        self.contract = material.contract
        self._legend = _legend(material.legend)

    # what the text names, with the words behind the name

    def legend(self, heading: str) -> Iterator[str]:
        return fenced(self._legend[heading], "text")

    def show(self, operation: str) -> Iterator[str]:
        return fenced(show(self.contract, operation), "text")

    def example(self, message: str) -> Iterator[str]:
        return fenced(json.dumps(json.loads(self.material.generated["examples.json"])[message], indent=1), "json")

    def checks(self, _: str) -> Iterator[str]:
        yield f"The checks are {', '.join(f'`{name}`' for name in sorted(FORMS))}."

    def refused(self, what: str) -> Iterator[str]:
        """Show what is mistyped, or not said, and what the linter says."""
        rows = self.material.mistypings if what == "mistyped" else self.material.unsaid
        said = ((name, code(line), says + "..." * says.endswith((": ", "; "))) for name, line, says in rows)
        return _table((what, "as in", "what the linter says"), said)

    def source(self, words: str) -> Iterator[str]:
        """Show an entry of the contract as its file has it, or a whole section."""
        section, _, name = words.partition(" ")
        for document in self.material.documents:
            entries = [one for one in document.block if one.key.text == section]
            if name:
                entries = [each for one in entries for each in one.block if each.key.name == name]
            if entries:
                lines = self.material.texts[document.file].split("\n")
                first = last = entries[0].place.line - 1
                indent = len(lines[first]) - len(lines[first].lstrip())
                while last + 1 < len(lines) and (not lines[last + 1] or lines[last + 1].startswith(" " * (indent + 1))):
                    last += 1
                return fenced(dedent("\n".join(lines[first - len(entries[0].above) : last + 1])), "yaml")
        raise LookupError(f"the contract of the reference has no `{name or section}` under `{section}:`")

    def definition(self, words: str) -> Iterator[str]:
        """Show a class or function of the generated package; of a function, its signature and docstring."""
        path, *names = words.split()
        text = self.material.generated[path]
        node: ast.AST = ast.parse(text)
        for name in names:
            body = cast(ast.Module, node).body
            node = next(one for one in body if isinstance(one, ast.ClassDef | ast.FunctionDef) and one.name == name)
        assert isinstance(node, ast.ClassDef | ast.FunctionDef)
        end = node.body[0].end_lineno if isinstance(node, ast.FunctionDef) else node.end_lineno
        return fenced(dedent("\n".join(text.splitlines()[node.lineno - 1 : end])), "python")

    # tables of keys

    def files(self, _: str) -> Iterator[str]:
        return self.keys(FILE, ())

    def part(self, section: str) -> Iterator[str]:
        return self.keys(cast(Block, cast(Block, FILE.keys[section]).each), (section,))

    def keys(self, block: Block, path: tuple[str, ...]) -> Iterator[str]:
        """Show what the grammar says of each key, and an example."""
        return _table(("key", "what it is", "how it is written", "example"), self.rows(block, path, ()))

    def rows(self, block: Block, path: tuple[str, ...], above: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
        for key, node in block.keys.items():
            keys = (*above, key)
            said_key = code(" ".join(f"{one}:" for one in keys if one != _ANY))
            yield said_key, node.title, node.do, self._example(path, keys)
            if path and isinstance(node, Block):
                if isinstance(node.each, Block):
                    yield from self.rows(node.each, path, (*keys, _ANY))
                yield from self.rows(node, path, keys)

    def _example(self, path: tuple[str, ...], keys: tuple[str, ...]) -> str:
        for document in (*self.material.documents, *self.material.more):
            for section in document.block:
                if not path and section.key.text == keys[0]:
                    return code(next(iter(section.block)).key.text + ":")
                for entry in section.block if section.key.text in path else ():
                    found = next(_under(entry, keys), None)
                    if found is not None:
                        inner = next(iter(found.block), None)
                        return code(f"{keys[-1]}: {found.text}" if inner is None else f"{inner.key.text}: {inner.text}")
        return ""

    # fields, rules and guards

    def types(self, _: str) -> Iterator[str]:
        every = [field for struct in self.contract.all_structs() for field in struct.fields]
        single = [one for one in every if not one.type.array]
        wanted = {name: [one for one in single if one.type.name == name] for name in BUILTINS}
        wanted |= {said: [one for one in single if one.type.kind == kind] for said, kind in _NAMED.items()}
        wanted["T[]"] = [one for one in every if one.type.array and one.type.kind == "struct"]
        return self._lines("type", wanted)

    def facets(self, _: str) -> Iterator[str]:
        every = [field for struct in self.contract.all_structs() for field in struct.fields]
        wanted = {facet: [one for one in every if facet in _line(one).split()[2:]] for facet in sorted(FACETS)}
        return self._lines("facet", {"!": [one for one in every if one.required], **wanted})

    def _lines(self, what: str, wanted: Mapping[str, Sequence[Field]]) -> Iterator[str]:
        rows = ((f"`{name}`", code(_line(_first(name, fields)))) for name, fields in wanted.items())
        return _table((what, "field"), rows)

    def forms(self, what: str) -> Iterator[str]:
        """Show the forms of conditions, demands or guards, each with a sentence that has it."""
        rules = [rule for struct in self.contract.all_structs() for rule in struct.rules]
        guards = [guard for one in self.contract.operations.values() for guard in one.guards]
        every: dict[str, tuple[Mapping[str, Any], Sequence[tuple[object, str]]]] = {
            "conditions": (CONDITIONS, [(part, rule.text) for rule in rules for part in rule.when]),
            "demands": (DEMANDS, [(part, rule.text) for rule in rules for part in rule.demands]),
            "guards": (GUARDS, [(part, guard.text) for guard in guards for part in guard.demands]),
        }
        forms, said = every[what]
        kinds = {form: _kind(made_by(form, forms)) for form in forms}
        rows = (
            (code(form), code(_first(form, (text for part, text in said if _kind(part) == kind))))
            for form, kind in kinds.items()
        )
        return _table(("form", "sentence"), rows)

    # questions

    def letter(self, question: str) -> Iterator[str]:
        """Show what the letter says of a question."""
        return fenced(next(part for part in letter(self.contract).split("\n\n") if question in part), "text")


_NAMED: Final = {"a format": "format", "a value list": "set", "a type": "struct"}


def _kind(part: object) -> tuple[object, ...]:
    """Return what tells the kinds of conditions and demands apart."""
    values, kind = getattr(part, "values", ()), getattr(part, "kind", "")
    return type(part), getattr(part, "negated", None), len(values) > 1, getattr(part, "max", None) is None, kind


def _first(what: str, found: Iterable[T]) -> T:
    for one in found:
        return one
    raise LookupError(f"the contract of the reference has no example of `{what}`")


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    head, _, *lines = table(columns, (row(*cells) for cells in rows))
    yield from (head, f"|{'---|' * len(columns)}", *lines)


def _legend(lines: Sequence[str]) -> dict[str, str]:
    """Return the legend without its `#`, by the heading of each part; the first part has none."""
    parts: dict[str, list[str]] = {"": []}
    heading = ""
    for line in lines[2:]:
        text = line.removeprefix("#").removeprefix(" ")
        heading = next((one for one in _HEADINGS if text.startswith(one)), heading)
        parts.setdefault(heading, []).append(text)
    missing = [one for one in _HEADINGS if one not in parts]
    if missing:
        raise LookupError(f"the legend has no `{missing[0]}`")
    return {name: dedent("\n".join(part).strip("\n")) for name, part in parts.items()}


def _under(entry: TreeEntry, keys: tuple[str, ...]) -> Iterator[TreeEntry]:
    """Find the entries under these keys."""
    for each in entry.block:
        if keys[0] in (each.key.text, _ANY):
            yield from _under(each, keys[1:]) if keys[1:] else (each,)


def _line(field: Field) -> str:
    """Return a field as the contract has it."""
    return f"{field.wire}{'!' if field.required else ''}: {print_facets(field)}"
