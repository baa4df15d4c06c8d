"""Reference of the contract's language in Markdown: all that can be written, and what is generated from it.

Its words come from the legend of `spec/service.yaml`, from the grammar and from messages of the linter. Its examples
come from a contract that has one of everything.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from textwrap import dedent
from typing import cast

from paywright_codegen import naming
from paywright_codegen.directions import Directions
from paywright_codegen.documents.json_schema import Schema, component
from paywright_codegen.documents.markdown import code, compact_json, fenced, row
from paywright_codegen.documents.questions import letter, places_asked
from paywright_codegen.documents.reference_rules import rule_tables
from paywright_codegen.documents.show import show
from paywright_codegen.literals import CHECKS
from paywright_codegen.model.contract import Contract
from paywright_codegen.model.types import Field, Struct
from paywright_codegen.python_types import argument_type, model_line
from paywright_codegen.reader.document import Document, TreeEntry
from paywright_codegen.reader.fields import BUILTINS
from paywright_codegen.reader.grammar import FACETS, FILE, Block
from paywright_codegen.reader.printer import print_facets
from paywright_codegen.render.python.doc_text import argument_words, comment_words

__all__ = ["Material", "reference"]

_ANY = "*"  # stands for every name, such as that of an operation under `gives back:`
_HEADINGS = (
    "An operation also says",
    "Behind a value of a list of states",
    "A rule is one sentence",
)


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
    patterns: Mapping[str, str]
    mistypings: Sequence[tuple[str, str, str]]
    unsaid: Sequence[tuple[str, str, str]]


def _said(what: str, rows: Sequence[tuple[str, str, str]]) -> Iterator[str]:
    yield from ("", f"| {what} | as in | what the linter says |", "|---|---|---|")
    for name, line, says in rows:
        yield row(name, code(line), says + "..." if says.endswith((": ", "; ")) else says)


def reference(material: Material) -> str:
    """Return the page. Raises LookupError for a construct of the grammar without an example."""
    return "\n".join(_ReferencePage(material).lines()) + "\n"


class _ReferencePage:
    def __init__(self, material: Material) -> None:
        self.material = material
        self.contract = material.contract
        self.legend = _legend(material.legend)

    def lines(self) -> Iterator[str]:
        yield from _OPENING.splitlines()
        yield from ("", "## A first operation", "", "One operation, as it stands in the contract:", "")
        yield from self.source("operations", "goods.query")
        yield from ("", "It becomes a method of the client:", "")
        yield from fenced(self.definition("resources/goods.py", "Goods", "query"), "python")
        yield from ("", "The type of its answer stands under `types:`, with a rule under `rules:`:", "")
        yield from (*self.source("types", "Item"), "", *self.source("rules", "Item"), "")
        yield "It becomes a class, and a JSON Schema in `schemas.json`, with which the generated validator agrees:"
        yield ""
        yield from fenced(self.definition("models/goods.py", "Item"), "python")
        yield from ("", "`paywright contract show goods.query` prints all of it:", "")
        yield from fenced(show(self.contract, "goods.query"), "text")
        yield from ("", "## Files and sections", "")
        yield "Every `*.yaml` file of the folder has sections. A resource has a file, which becomes a module; names are global."
        yield ""
        yield from self.keys(FILE, ())
        yield from ("", "## Fields", "", *fenced(self.legend[""], "text"), "", "### Types", "")
        yield from self.types()
        yield from ("", "### Facets", "")
        yield from self.facets()
        yield from ("", "## Types, value lists and states", "")
        yield from ("A type `from` another one has its fields:", "", *self.source("types", "Worker"), "")
        yield from (*fenced(self.definition("models/goods.py", "Worker"), "python"), "")
        yield "A list of values becomes an enumeration. It is open where `...` stands for others:"
        yield from ("", *self.source("enums", "Colour"), "")
        yield from (*fenced(self.definition("models/goods.py", "Colour"), "python"), "")
        yield from ("States are values too.", "", *fenced(self.legend[_HEADINGS[1]], "text"), "")
        yield from (*self.source("states", "ItemStatus"), "", *self.source("moves", "ItemStatus"), "")
        yield from (*fenced(self.definition("models/goods.py", "ItemStatus"), "python"), "")
        yield "The moves are what the sandbox and the audit go by; the ledger of a receiver orders states by them."
        yield from ("", "## What is followed", "", *self.part("follows"), "")
        yield from self.source("follows", "goods")
        yield from ("", "The client, and the follower of all open items, ask by it: `paywright.contract.followed()`.")
        yield from ("", "## Formats", "", *self.part("formats"), "", *self.source("formats", "amount"))
        yield from ("", f"The checks are {', '.join(f'`{name}`' for name in sorted(CHECKS))}.")
        yield from (
            "",
            "## The merchant",
            "",
            "What the gateway knows a merchant by. Each is an argument of `Merchant`:",
            "",
        )
        yield from (*self.source("merchant", None), "", "A receiver takes those that notifications name.")
        yield from ("", "## Signatures", "", "What they cover, and how their header is written:", "")
        yield from (*self.part("signatures"), "", *self.source("signatures", "call"), "")
        yield "A header carries one with `from signature.call`: ours in a request, the gateway's in what it sends. Of a header with more"
        yield "than one form the merchant chooses (`from merchant.find_signature`); each form becomes a class:"
        yield from ("", *self.source("signatures", "find_secret"), "")
        yield from fenced(self.definition("signatures.py", "FindSecret"), "python")
        yield from (
            "",
            "## Envelopes",
            "",
            *self.part("envelopes"),
            "",
            *self.source("envelopes", "sealed"),
        )
        yield from ("", "## Operations", "", *fenced(self.legend[_HEADINGS[0]], "text"), "")
        yield from self.part("operations")
        yield from (
            "",
            "An example of each message is made of its `eg`, its values and its limits (`examples.json`):",
            "",
        )
        example = json.loads(self.material.generated["examples.json"])["goods.query.request"]
        yield from fenced(json.dumps(example, indent=1), "json")
        yield from (
            "",
            "Address, messages and codes stand in `openapi.json`. A write gets a resolver beside its method:",
            "",
        )
        yield from fenced(self.definition("resources/goods.py", "Goods", "resolve"), "python")
        yield from ("", "`paywright contract show goods.buy`:", "", *fenced(show(self.contract, "goods.buy"), "text"))
        yield from ("", "## Notifications", "", *self.part("notifications"), "")
        yield "A notification becomes a decorator of the receiver:"
        yield from ("", *fenced(self.definition("receiver.py", "Receiver", "on_sent"), "python"))
        yield from ("", "## Rules", "", *fenced(self.legend[_HEADINGS[2]], "text"), "")
        yield from rule_tables(self.contract, self.material.patterns)
        yield from ("", "## Limits and versions", "")
        yield "They say again what stands in fields and operations; the linter compares the two. A limit of decimals stands alone: no"
        yield "number or amount that the client sends is written with more, and messages of others are not judged by it."
        yield from ("", *self.source("limits", None), "", *self.source("versions", None))
        yield from ("", "## Questions", "")
        yield from self.questions()
        yield from ("", "## What the linter says", "")
        yield "`paywright contract lint` names file and line of each problem. What people mistype, in the contract above:"
        yield from _said("mistyped", self.material.mistypings)
        yield from ("", "## What the language does not say", "")
        yield "All that other gateways have, that is known, and that a contract cannot say. Nothing of it is generated wrongly: the linter"
        yield "refuses each, with file and line."
        yield from _said("not said", self.material.unsaid)

    # excerpts

    def source(self, section: str, name: str | None) -> Iterator[str]:
        """Show an entry of the contract as its file has it, or a whole section."""
        for document in self.material.documents:
            entries = [one for one in document.block if one.key.text == section]
            if name is not None:
                entries = [each for one in entries for each in one.block if each.key.name == name]
            if entries:
                lines = self.material.texts[document.file].split("\n")
                first = last = entries[0].place.line - 1
                indent = len(lines[first]) - len(lines[first].lstrip())
                while last + 1 < len(lines) and (not lines[last + 1] or lines[last + 1].startswith(" " * (indent + 1))):
                    last += 1
                return fenced(dedent("\n".join(lines[first - len(entries[0].above) : last + 1])), "yaml")
        raise LookupError(f"the contract of the reference has no `{name or section}` under `{section}:`")

    def definition(self, path: str, *names: str) -> str:
        """Show a class or function of the generated package; of a function, its signature and docstring."""
        text = self.material.generated[path]
        node: ast.AST = ast.parse(text)
        for name in names:
            body = cast(ast.Module, node).body
            node = next(one for one in body if isinstance(one, ast.ClassDef | ast.FunctionDef) and one.name == name)
        assert isinstance(node, ast.ClassDef | ast.FunctionDef)
        end = node.body[0].end_lineno if isinstance(node, ast.FunctionDef) else node.end_lineno
        return dedent("\n".join(text.splitlines()[node.lineno - 1 : end]))

    # tables of keys

    def part(self, section: str) -> Iterator[str]:
        return self.keys(cast(Block, cast(Block, FILE.keys[section]).each), (section,))

    def keys(self, block: Block, path: tuple[str, ...]) -> Iterator[str]:
        """Show what the grammar says of each key, and an example."""
        yield from ("| key | what it is | how it is written | example |", "|---|---|---|---|")
        yield from self.rows(block, path, ())

    def rows(self, block: Block, path: tuple[str, ...], above: tuple[str, ...]) -> Iterator[str]:
        for key, node in block.keys.items():
            keys = (*above, key)
            said_key = code(" ".join(f"{one}:" for one in keys if one != _ANY))
            yield row(said_key, node.title, node.do, self.example(path, keys))
            if path and isinstance(node, Block):
                if isinstance(node.each, Block):
                    yield from self.rows(node.each, path, (*keys, _ANY))
                yield from self.rows(node, path, keys)

    def example(self, path: tuple[str, ...], keys: tuple[str, ...]) -> str:
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

    # fields

    def fields(self) -> Iterator[tuple[str, Struct, Field]]:
        """List the fields with their places, arguments of methods first."""
        for operation in self.contract.operations.values():
            struct = operation.asks.data or operation.asks.root
            if not operation.inbound:
                yield from (("argument", struct, field) for field in struct.fields)
        for struct in self.contract.structs.values():
            yield from (("model", struct, field) for field in struct.fields)
        for operation in self.contract.operations.values():
            for message in operation.messages:
                yield from (("message", message.root, field) for field in message.root.fields)

    def shown(self, what: str, wanted: Iterable[tuple[str, Struct, Field]]) -> str:
        found = next(iter(wanted), None)
        if found is None:
            raise LookupError(f"the contract of the reference has no example of `{what}`")
        where, struct, field = found
        schema = cast(
            Mapping[str, Schema], component(self.contract, struct, self.material.patterns, "#/$defs/")["properties"]
        )
        return row(
            f"`{what}`", code(_line(field)), self.python(where, struct, field), code(compact_json(schema[field.wire]))
        )

    def python(self, where: str, struct: Struct, field: Field) -> str:
        """Show a field's type in Python, in a cell of a table."""
        name = naming.variable(field.wire)
        if where != "model" and field.filled:
            return "no argument: the client writes it"
        if where == "message":
            return "checked; no attribute"
        if where == "argument":
            default = "" if field.required else " = None"
            words = argument_words(self.contract, field)
            return code(f"{name}: {argument_type(self.contract, field)}{default}") + (f" {words}" if words else "")
        words = comment_words(self.contract, field)
        line = model_line(self.contract, struct, field, name, Directions(self.contract))
        return code(line + (f"  # {words}" if words else ""))

    def types(self) -> Iterator[str]:
        yield from ("| type | field | in Python | in JSON Schema |", "|---|---|---|---|")
        every = list(self.fields())
        for name in BUILTINS:
            yield self.shown(name, (one for one in every if one[2].type.name == name and not one[2].type.array))
        for said, kind in (("a format", "format"), ("a value list", "set"), ("a type", "struct")):
            yield self.shown(said, (one for one in every if one[2].type.kind == kind and not one[2].type.array))
        yield self.shown("T[]", (one for one in every if one[2].type.array and one[2].type.kind == "struct"))

    def facets(self) -> Iterator[str]:
        yield from ("| facet | field | in Python | in JSON Schema |", "|---|---|---|---|")
        every = list(self.fields())
        yield self.shown("!", (one for one in every if one[2].required))
        for facet in sorted(FACETS):
            yield self.shown(facet, (one for one in every if facet in _line(one[2]).split()[2:]))

    # questions

    def questions(self) -> Iterator[str]:
        yield "`?name` marks what the specification does not show, in each of these places:"
        yield from ("", "| place | example |", "|---|---|")
        yield from (
            row(place, code(line))
            for place, line in places_asked((*self.material.documents, *self.material.more)).items()
        )
        one = self.contract.questions["gifts"]
        yield from ("", "Each has an entry under `questions:`:", "", *self.source("questions", one.name), "")
        keys = cast(Block, cast(Block, FILE.keys["questions"]).each).keys
        yield f"Its keys are {', '.join(f'`{key}:`' for key in keys)}. `paywright contract questions` writes the letter:"
        text = letter(self.contract).split("\n\n")
        yield from ("", *fenced(next(part for part in text if one.name in part), "text"))


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


_OPENING = """\
# The language of the contract

A contract is a folder of YAML files; [spec](../spec) is the gateway's. From it come the client, the receiver, the validators, JSON
Schema, OpenAPI and the list of open questions. This page shows all that can be written and what is made of it, by a small contract
that has one of everything ([tests/codegen/tiny](../tests/codegen/tiny)). How an operation is added, step by step:
[CONTRIBUTING](../CONTRIBUTING.md#how-to-add-an-operation-worked-through).

| command | what it does |
|---|---|
| `paywright contract lint` | lists everything that is wrong, with file, line and what to do |
| `paywright contract fmt` | writes every file in the one layout |
| `paywright contract show goods.query` | prints what is known of an operation |
| `make generate` | writes the package |
| `paywright contract schema` | prints the JSON Schema of a file, for [completion in editors](../CONTRIBUTING.md#changing-the-contract) |

A key is `name`, then what it comes `from`, then the sections of the specification in brackets, then questions: `Worker from Person [2]
?name`. A comment directly above a key, in its column, or behind its value becomes documentation; `[4.1]` in it cites a section. All
scalars are text: `00` stays `00` and `NO` stays `NO`. There are no lists with dashes, braces, anchors, tags or block scalars."""
