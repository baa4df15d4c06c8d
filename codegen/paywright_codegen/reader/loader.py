"""From marked text to the model: `load` reads a folder, or says everything that is wrong with it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from paywright_codegen.marked import Block, Document, Entry, mentions, split_key
from paywright_codegen.model import Contract, Place, TypeKind
from paywright_codegen.operations import Surroundings, parse_envelope, parse_operation
from paywright_codegen.parts import parse_format, parse_limit, parse_moves, parse_question, parse_set
from paywright_codegen.problems import ContractProblems, Problem
from paywright_codegen.reading import read_folder
from paywright_codegen.shape import shape_problems
from paywright_codegen.structs import Structs

_MEANINGS = frozenset({"enums", "states", "moves", "questions"})  # their texts are prose, which may cite


def load(folder: Path) -> Contract:
    """The contract in the `*.yaml` files of a folder.

    Raises ContractProblems with everything that keeps it from being read. That it also makes sense is for `lint`.
    """
    contract, problems = parse(read_documents(folder))
    if problems:
        raise ContractProblems(problems)
    return contract


def read_documents(folder: Path) -> tuple[Document, ...]:
    """The files of a folder as marked text of the right shape. Raises ContractProblems."""
    documents, problems = read_folder(folder)
    for document in documents:
        problems += shape_problems(document)
    if problems:
        raise ContractProblems(problems)
    return documents


def parse(documents: Sequence[Document]) -> tuple[Contract, list[Problem]]:
    """The contract of documents that have the right shape, and what is wrong with it.

    Where something is wrong the contract leaves it out, so that the rest can still be judged.
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
        if split_key(entry.key.text).name not in used:
            what = f"no operation has the envelope `{split_key(entry.key.text).name}`"
            problems.append(Problem(entry.place, what, "use it, or remove it"))
    contract = Contract(
        formats={each.name: each for each in formats},
        sets={each.name: each for each in sets},
        structs=structs,
        operations={operation.name: operation for operation in operations},
        limits={limit.name: limit for limit in map(parse_limit, _entries(documents, "limits"))},
        moves=tuple(move for entry in _entries(documents, "moves") for move in parse_moves(entry)),
        questions={each.name: each for each in map(parse_question, _entries(documents, "questions"))},
        versions={entry.key.text: (entry.text, entry.place) for entry in _entries(documents, "versions")},
        citations=tuple(_citations(documents)),
    )
    return contract, problems


def _sections(documents: Sequence[Document], *names: str) -> Iterator[Entry]:
    """The top entries with one of these names, file by file."""
    return (section for document in documents for section in document.block if section.key.text in names)


def _entries(documents: Sequence[Document], name: str) -> Iterator[Entry]:
    return (entry for section in _sections(documents, name) for entry in section.block)


def kinds_of(documents: Sequence[Document]) -> dict[str, TypeKind]:
    sections: dict[str, TypeKind] = {"formats": "format", "enums": "set", "states": "set", "types": "struct"}
    return {
        split_key(entry.key.text).name: kind
        for section, kind in sections.items()
        for entry in _entries(documents, section)
    }


def _rules(documents: Sequence[Document], kinds: dict[str, TypeKind], problems: list[Problem]) -> dict[str, Block]:
    """The blocks of the section `rules:` by type."""
    rules: dict[str, Block] = {}
    for entry in _entries(documents, "rules"):
        name = split_key(entry.key.text).name
        if kinds.get(name) != "struct":
            problems.append(
                Problem(entry.place, f"no type is called `{name}`", "name a type that the contract defines")
            )
        rules[name] = entry.block
    return rules


def _citations(documents: Sequence[Document]) -> Iterator[tuple[str, Place]]:
    for document in documents:
        for section in document.block:
            for entry in _all_entries(section):
                lines = [*entry.comments, *([entry.text] if section.key.text in _MEANINGS else [])]
                cited = [*split_key(entry.key.text).sections, *(part for line in lines for part in mentions(line))]
                yield from ((part, entry.place) for part in dict.fromkeys(cited))


def _all_entries(entry: Entry) -> Iterator[Entry]:
    yield entry
    for each in entry.block:
        yield from _all_entries(each)
