"""Load a contract: `load` reads a folder into the model, or reports everything that is wrong."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from paywright_codegen.model.cited import SourcePlace
from paywright_codegen.model.contract import Contract
from paywright_codegen.model.operations import Operation
from paywright_codegen.model.types import TypeKind
from paywright_codegen.problems import ContractProblems, Problem, meant
from paywright_codegen.reader.document import Document, TreeBlock, TreeEntry, mentions
from paywright_codegen.reader.operations import Surroundings, parse_envelope, parse_operation
from paywright_codegen.reader.schema_check import shape_problems
from paywright_codegen.reader.sections import (
    parse_following,
    parse_format,
    parse_limit,
    parse_moves,
    parse_number,
    parse_question,
    parse_seen,
    parse_set,
    parse_signature,
)
from paywright_codegen.reader.structs import Structs
from paywright_codegen.reader.yaml_reader import read_folder

_MEANINGS = frozenset({"enums", "states", "moves", "questions"})  # their texts are prose, which may cite


def load(folder: Path) -> Contract:
    """Return the contract in the `*.yaml` files of a folder.

    Raises ContractProblems with everything that keeps it from being read. `lint` checks that it makes sense.
    """
    contract, problems = parse(read_documents(folder))
    if problems:
        raise ContractProblems(problems)
    return contract


def read_documents(folder: Path) -> tuple[Document, ...]:
    """Return the files of a folder as document trees that match the schema. Raises ContractProblems."""
    documents, problems = read_folder(folder)
    for document in documents:
        problems += shape_problems(document)
    if problems:
        raise ContractProblems(problems)
    return documents


def parse(documents: Sequence[Document]) -> tuple[Contract, list[Problem]]:
    """Return the contract of documents that match the schema, and its problems.

    Parts with a problem are left out of the contract, so that the rest can still be checked.
    """
    problems: list[Problem] = []
    kinds = kinds_of(documents)
    formats = [parse_format(entry, problems) for entry in _entries(documents, "formats")]
    sets = [
        parse_set(entry, section.key.text == "states", problems)
        for section in _sections(documents, "enums", "states")
        for entry in section.block
    ]
    structs = Structs(list(_entries(documents, "types")), kinds, problems).build(_rules(documents, kinds, problems))
    envelopes = [parse_envelope(entry, kinds, problems) for entry in _entries(documents, "envelopes")]
    around = Surroundings(kinds, structs, {envelope.name: envelope for envelope in envelopes})
    operations = [
        parse_operation(entry, section.key.text == "notifications", around, problems)
        for section in _sections(documents, "operations", "notifications")
        for entry in section.block
    ]
    used = {operation.envelope for operation in operations}
    for entry in _entries(documents, "envelopes"):
        if entry.key.name not in used:
            what = f"no operation has the envelope `{entry.key.name}`"
            problems.append(Problem(entry.place, what, "use it, or remove it"))
        problems += _payload_problems(entry, [one for one in operations if one.envelope == entry.key.name])
    contract = Contract(
        formats={each.name: each for each in formats},
        sets={each.name: each for each in sets},
        structs=structs,
        operations={operation.name: operation for operation in operations},
        limits={limit.name: limit for limit in map(parse_limit, _entries(documents, "limits"))},
        moves=tuple(move for entry in _entries(documents, "moves") for move in parse_moves(entry)),
        follows={each.kind: each for each in map(parse_following, _entries(documents, "follows"))},
        questions={each.name: each for each in map(parse_question, _entries(documents, "questions"))},
        seen={each.kind: each for each in map(parse_seen, _entries(documents, "seen elsewhere"))},
        citations=tuple(_citations(documents)),
        numbers={each.name: each for each in map(parse_number, _entries(documents, "merchant"))},
        signatures={each.name: each for each in map(parse_signature, _entries(documents, "signatures"))},
    )
    return contract, problems


def _payload_problems(entry: TreeEntry, operations: Sequence[Operation]) -> Iterator[Problem]:
    """Yield a problem for a payload that no message of the envelope has."""
    part = entry.block.get("payload")
    for name in dict.fromkeys(part.text.split()[:1]) if part is not None else ():
        messages = [message for one in operations for message in one.messages]
        if operations and part is not None and all(message.payload != name for message in messages):
            known = [field.wire for message in messages for field in message.root.fields]
            do = f"{meant(name, known)}name a field that is an object"
            yield Problem(part.place, f"no message in the envelope `{entry.key.name}` has the payload `{name}`", do)


def _sections(documents: Sequence[Document], *names: str) -> Iterator[TreeEntry]:
    """Yield the top entries with one of these names, file by file."""
    return (section for document in documents for section in document.block if section.key.text in names)


def _entries(documents: Sequence[Document], name: str) -> Iterator[TreeEntry]:
    return (entry for section in _sections(documents, name) for entry in section.block)


def kinds_of(documents: Sequence[Document]) -> dict[str, TypeKind]:
    """Return the kind of every named type."""
    sections: dict[str, TypeKind] = {"formats": "format", "enums": "set", "states": "set", "types": "struct"}
    return {entry.key.name: kind for section, kind in sections.items() for entry in _entries(documents, section)}


def _rules(documents: Sequence[Document], kinds: dict[str, TypeKind], problems: list[Problem]) -> dict[str, TreeBlock]:
    """Return the blocks of the section `rules:` by type."""
    rules: dict[str, TreeBlock] = {}
    for entry in _entries(documents, "rules"):
        name = entry.key.name
        if kinds.get(name) != "struct":
            types = (known for known, kind in kinds.items() if kind == "struct")
            do = f"{meant(name, types)}name a type that the contract defines"
            problems.append(Problem(entry.place, f"no type is called `{name}`", do))
        rules[name] = entry.block
    return rules


def _citations(documents: Sequence[Document]) -> Iterator[tuple[str, SourcePlace]]:
    for document in documents:
        for section in document.block:
            for entry in _all_entries(section):
                lines = [*entry.comments, *([entry.text] if section.key.text in _MEANINGS else [])]
                cited = [*entry.key.sections, *(part for line in lines for part in mentions(line))]
                yield from ((part, entry.place) for part in dict.fromkeys(cited))


def _all_entries(entry: TreeEntry) -> Iterator[TreeEntry]:
    yield entry
    for each in entry.block:
        yield from _all_entries(each)
