"""Read the files of a contract as document trees.

A plain YAML loader silently changes what was written: `00` becomes 0, `NO` becomes False, the last of two equal keys
wins, and a Unicode line separator ends a comment, so that a field appears that nobody sees. Here every scalar stays
text, and whatever a person could overlook is refused, all of it at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import yaml

from paywright_codegen.model.cited import SourcePlace
from paywright_codegen.problems import Problem
from paywright_codegen.reader.blocks import LineReader, named, refused
from paywright_codegen.reader.document import Document, TreeEntry, plain

_LARGEST = 1_000_000
COVERAGE_FILE = "coverage.yaml"
"""Coverage of the specification's statements. Only `documents.coverage` reads it; it is no part of the contract."""

_LOADER = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
_ONE_NAMESPACE = {"notifications": "operations", "enums": "types", "states": "types", "formats": "types"}


def read_folder(folder: Path) -> tuple[tuple[Document, ...], list[Problem]]:
    """Read the `*.yaml` files of a folder but `coverage.yaml`, in alphabetical order, as document trees, and their problems.

    A file with a problem of its own is not among the documents.
    """
    name = folder.resolve().name
    try:
        paths = sorted(folder.iterdir())
    except OSError as error:
        what = f"the folder cannot be read ({error.strerror})"
        return (), [Problem(SourcePlace(name, 1), what, "name the folder of the contract")]
    problems: list[Problem] = []
    documents: list[Document] = []
    for path in paths:
        if path.name == COVERAGE_FILE:
            continue
        document, found = _read_path(f"{name}/{path.name}", path)
        problems += found
        if document is not None and not found:
            documents.append(document)
    if not documents and not problems:
        problems.append(
            Problem(SourcePlace(name, 1), "the folder has no .yaml file", "name the folder of the contract")
        )
    return tuple(documents), problems + _defined_twice(documents)


def _read_path(file: str, path: Path) -> tuple[Document | None, list[Problem]]:
    if path.suffix != ".yaml":
        if path.suffix.lower() in (".yml", ".yaml"):
            do = "rename the file, or it is left out"
            return None, [Problem(SourcePlace(file, 1), "the name does not end in .yaml", do)]
        return None, []
    if path.exists() and not (path.is_file() or path.is_dir()):  # reading a pipe would wait for its writer
        return None, [Problem(SourcePlace(file, 1), "this is no file", "make it a readable file, or rename it")]
    try:
        with path.open("rb") as opened:
            raw = opened.read(_LARGEST + 1)
    except OSError as error:
        do = "make it a readable file"
        return None, [Problem(SourcePlace(file, 1), f"the file cannot be read ({error.strerror})", do)]
    return read_file(file, raw)


def read_file(file: str, raw: bytes) -> tuple[Document | None, list[Problem]]:
    """Return the document of one file, or None, and its problems. `file` is its name in places."""
    problems: list[Problem] = []
    text = _decoded(file, raw, problems)
    if text is None:
        return None, problems
    reader = LineReader(file, text, problems)
    if not problems:  # otherwise the known problems are the likely cause of others
        problems += _as_yaml(file, text, reader)
    return Document(file, reader.header, reader.block), problems


def _as_yaml(file: str, text: str, reader: LineReader) -> list[Problem]:
    """Return why YAML does not read the same: editors and other tools do read it as YAML."""
    try:
        read = yaml.load(text, Loader=_LOADER)  # noqa: S506  # it makes texts alone
    except yaml.YAMLError as error:
        return [_syntax(file, text, error)]
    if reader.unread or read == plain(reader.block):
        return reader.unread
    return [Problem(reader.block.place, "YAML reads this file in another way", "write a key and its text on each line")]


def _decoded(file: str, raw: bytes, problems: list[Problem]) -> str | None:
    """Decode a file. Characters that are not allowed become spaces, so that the rest can still be checked."""
    if len(raw) > _LARGEST:
        problems.append(Problem(SourcePlace(file, 1), f"the file has more than {_LARGEST} bytes", "divide it"))
        return None
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        place = SourcePlace(file, raw.count(b"\n", 0, error.start) + 1)
        what = f"byte {raw[error.start]:#04x} is not UTF-8"
        problems.append(Problem(place, what, "save the file as UTF-8"))
        return None
    if "\r\n" in text:
        place = SourcePlace(file, text.count("\n", 0, text.index("\r\n")) + 1)
        do = "save the file with the line ends of Unix (LF); this line is the first"
        problems.append(Problem(place, f"the line has {named(chr(13))}", do))
        text = text.replace("\r\n", "\n")
    clean = []
    for number, line in enumerate(text.split("\n"), 1):
        for character in refused(line):
            problems.append(Problem(SourcePlace(file, number), f"the line has {named(character)}", "take it out"))
            line = line.replace(character, " ")
        clean.append(line)
    return "\n".join(clean)


_MENDS = (
    ("could not find expected ':'", "write a colon and a space behind the key"),
    ("found unexpected end of stream", "close the quote that begins here"),
    ("mapping values are not allowed", "quote text that has `: ` in it, and mind the indentation"),
    ("did not find expected key", "indent the line like those beside it"),
)


def _syntax(file: str, text: str, error: yaml.YAMLError) -> Problem:
    what = getattr(error, "problem", None) or "it is no YAML"
    marks = [getattr(error, "problem_mark", None), getattr(error, "context_mark", None)]
    if (getattr(error, "context", None) or "").startswith("while scanning"):
        marks.reverse()  # where the key or the quote begins that has no end
    mark = marks[0] or marks[1]
    line = mark.line + 1 if mark is not None else 1
    do = next((do for part, do in _MENDS if part in what), "mind the indentation, and quote text that has `: ` in it")
    if any(" #" in near or near.startswith("#") for near in text.split("\n")[max(line - 3, 0) : line]):
        do += "; a comment cannot stand inside a text"
    return Problem(SourcePlace(file, line), f"this cannot be read ({what})", do)


def _defined_twice(documents: Sequence[Document]) -> list[Problem]:
    """Return names defined in two sections or files. `LineReader` finds those defined twice in one block."""
    problems: list[Problem] = []
    seen: dict[tuple[str, str], tuple[SourcePlace, TreeEntry]] = {}
    for document in documents:
        for section in document.block:
            space = _ONE_NAMESPACE.get(section.key.text, section.key.text)
            for entry in section.block:
                name = entry.key.name
                place, where = seen.setdefault((space, name), (entry.place, section))
                if where is not section:
                    what = f"`{name}` is defined twice, first in {place}"
                    problems.append(Problem(entry.place, what, "keep one, or give one of them another name"))
    return problems
