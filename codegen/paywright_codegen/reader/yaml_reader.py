"""From the files of a contract to marked text.

A plain YAML loader changes what was written without a word: `00` becomes 0, `NO` becomes False, the last of two equal
keys wins, and a line separator ends a comment so that a field appears that nobody sees. Here every scalar stays text,
and whatever a reader could overlook is refused, all of it at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import yaml

from paywright_codegen.blocks import BlockReader
from paywright_codegen.characters import named, refused
from paywright_codegen.comments import Comments
from paywright_codegen.marked import Document, Entry, split_key
from paywright_codegen.model import Place
from paywright_codegen.problems import Problem

_LARGEST = 1_000_000
_ONE_NAMESPACE = {"notifications": "operations", "enums": "types", "states": "types", "formats": "types"}


def read_folder(folder: Path) -> tuple[tuple[Document, ...], list[Problem]]:
    """The `*.yaml` files of a folder in alphabetical order, as marked text, and what is wrong with any of them.

    A file with a problem of its own is not among the documents.
    """
    name = folder.resolve().name
    try:
        paths = sorted(folder.iterdir())
    except OSError as error:
        what = f"the folder cannot be read ({error.strerror})"
        return (), [Problem(Place(name, 1), what, "name the folder of the contract")]
    problems: list[Problem] = []
    documents: list[Document] = []
    for path in paths:
        document, found = _read_path(f"{name}/{path.name}", path)
        problems += found
        if document is not None and not found:
            documents.append(document)
    if not documents and not problems:
        problems.append(Problem(Place(name, 1), "the folder has no .yaml file", "name the folder of the contract"))
    return tuple(documents), problems + _defined_twice(documents)


def _read_path(file: str, path: Path) -> tuple[Document | None, list[Problem]]:
    if path.suffix != ".yaml":
        if path.suffix.lower() in (".yml", ".yaml"):
            do = "rename the file, or it is left out"
            return None, [Problem(Place(file, 1), "the name does not end in .yaml", do)]
        return None, []
    try:
        raw = path.read_bytes()
    except OSError as error:
        do = "make it a readable file"
        return None, [Problem(Place(file, 1), f"the file cannot be read ({error.strerror})", do)]
    return read_file(file, raw)


def read_file(file: str, raw: bytes) -> tuple[Document | None, list[Problem]]:
    """The marked text of one file, or None, and what is wrong with it; `file` is its name in places."""
    problems: list[Problem] = []
    text = _decoded(file, raw, problems)
    if text is None:
        return None, problems
    reader = BlockReader(file, text, problems)
    try:
        block = reader.read()
    except yaml.YAMLError as error:
        if not problems:  # else it is likely to come from them
            problems.append(_syntax(file, text, error))
        return None, problems
    if block is None:
        return None, problems
    comments = Comments(file, text, reader.spans, problems)
    return Document(file, comments.header, comments.attached(block, reader.last_lines)), problems


def _decoded(file: str, raw: bytes, problems: list[Problem]) -> str | None:
    """The text, with whatever may not stand in it replaced by spaces so that the rest can still be judged."""
    if len(raw) > _LARGEST:
        problems.append(Problem(Place(file, 1), f"the file has more than {_LARGEST} bytes", "divide it"))
        return None
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        place = Place(file, raw.count(b"\n", 0, error.start) + 1)
        what = f"byte {raw[error.start]:#04x} is not UTF-8"
        problems.append(Problem(place, what, "save the file as UTF-8"))
        return None
    clean = []
    for number, line in enumerate(text.split("\n"), 1):
        for character in refused(line):
            problems.append(Problem(Place(file, number), f"the line has {named(character)}", "take it out"))
            line = line.replace(character, " ")
        clean.append(line)
    return "\n".join(clean)


def _syntax(file: str, text: str, error: yaml.YAMLError) -> Problem:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    line = mark.line + 1 if mark is not None else 1
    what = getattr(error, "problem", None) or "it is no YAML"
    do = "mind the indentation, and quote text that has `: ` in it"
    if any(" #" in near or near.startswith("#") for near in text.split("\n")[max(line - 3, 0) : line]):
        do += "; a comment cannot stand inside a text"
    return Problem(Place(file, line), f"this cannot be read ({what})", do)


def _defined_twice(documents: Sequence[Document]) -> list[Problem]:
    """What stands in two sections or files; twice in one block is found where the block is built."""
    problems: list[Problem] = []
    seen: dict[tuple[str, str], tuple[Place, Entry]] = {}
    for document in documents:
        for section in document.block:
            space = _ONE_NAMESPACE.get(section.key.text, section.key.text)
            for entry in section.block:
                name = split_key(entry.key.text).name
                place, where = seen.setdefault((space, name), (entry.place, section))
                if where is not section:
                    what = f"`{name}` is defined twice, first in {place}"
                    problems.append(Problem(entry.place, what, "keep one, or give one of them another name"))
    return problems
