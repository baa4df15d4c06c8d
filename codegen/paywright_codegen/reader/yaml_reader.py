"""Read the files of a contract as document trees, line by line, with the comments as prose.

A plain YAML loader silently changes what was written: `00` becomes 0, `NO` becomes False, the last of two equal keys wins, and a Unicode
line separator ends a comment, so that a field appears that nobody sees. A contract is written in a small part of YAML: a key and its text
on a line, and entries deeper than their key. Every text stays text, and whatever a person could overlook is refused, all of it at once.
YAML ignores comments; here they are the prose of the contract. That of a key is the block of lines directly above it and the comment
behind it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from paywright_codegen.model.cited import SourcePlace
from paywright_codegen.problems import Problem
from paywright_codegen.reader.document import Document, Text, TreeBlock, TreeEntry, TreeKey, plain, split_key
from paywright_codegen.reader.grammar import RULES

_DEEPEST = 6
_REFUSED = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp", "Zs"})  # control, format, surrogate, separators
_FOLDABLE = RULES | {"questions"}
_COLON = re.compile(":(?= |$)")
_QUOTED = re.compile(r"""("(?:[^"\\]|\\.)*"|'(?:[^']|'')*') *(#.*)?""")

# What YAML has and a contract has not: how it begins, what it is, and what to do. First a text or a line, then a line alone.
_UNUSED = (
    (r"&\S*", "an anchor, `{}`", "remove it"),
    (r"\*", "an alias", "write out what it stands for"),
    (r"!\S*", "a tag, `{}`", "remove it; everything is text"),
    (r"[\[{]", "a flow collection", "write one entry a line, without braces and brackets"),
    (r"[|>]", "a block scalar", "write the text on the key's line"),
)
_UNUSED_LINES = (
    *_UNUSED,
    (r"---|%", "a document marker or directive", "write one document, without `---` and `%`"),
    (r"[.]{3}(?!:)", "a document end marker", "take `...` away"),
    (r"\?(?: |$)", "a key that does not stand alone before its colon", "write `key:` at the start of its line"),
    (r"-(?: |$)", "a list with dashes", "write entries, or words on one line"),
)
_ODD_KEYS = (
    (r"[\"'].*", "a key in quotes", "write the key without quotes"),
    (r"<<", "a merge key", "write out what it merges, or use `B from A`"),
    (r".* ", "a key that does not stand alone before its colon", "write `key:` at the start of its line"),
)


@dataclass(slots=True)
class _Draft:
    """An entry under construction: its text, None as long as it has none, or what stands under it. `known` is False if it was refused."""

    key: TreeKey
    column: int
    above: tuple[str, ...]
    text: str | None = None
    quoted: bool = False
    behind: str | None = None
    inner: list[_Draft] = field(default_factory=list)
    names: dict[str, int] = field(default_factory=dict)  # of what stands under it, each with its first line
    known: bool = True


class LineReader:
    """Reads the lines of one file. What it refuses is in `problems`."""

    def __init__(self, file: str, text: str, problems: list[Problem]) -> None:
        self._file = file
        self._problems = problems
        self._open: list[_Draft] = [_Draft(split_key(Text("", self._place(1))), -1, ())]
        self._alone: list[tuple[int, int, str]] = []  # comments with their lines and columns
        self._skipped = 1 << 30  # the column of what was refused: deeper lines belong to it
        self._blank = False
        lines = text.split("\n")
        self.header = self._header(lines)
        for number, line in enumerate(lines[len(self.header) :], len(self.header) + 1):
            said = line.strip(" ")
            column = len(line) - len(line.lstrip(" "))
            if said.startswith("#"):
                self._alone.append((number, column, self._words(number, said)))
            elif said and column <= self._skipped:
                self._skipped = 1 << 30
                self._line(number, column, said)
            self._blank = not said
        self._unattached(self._alone)
        self.block = self._block(self._open[0])
        if not self.block.entries and not problems:
            self._problem(1, "the file is empty", "write a section, or remove the file")

    def _header(self, lines: Sequence[str]) -> tuple[str, ...]:
        """Return the comment block at the top of the file, if a blank line separates it from the first key."""
        count = next((at for at, line in enumerate(lines) if not line.startswith("#")), len(lines))
        if count == len(lines) or lines[count].strip():
            return ()
        return tuple(line.rstrip() for line in lines[:count])

    def _line(self, number: int, column: int, said: str) -> None:
        while column <= self._open[-1].column:
            self._open.pop()
        above = self._open[-1]
        if self._is_unused(_UNUSED_LINES, number, column, said):
            above.known = False
            return
        colon = _COLON.search(said)
        if above.text is not None:
            self._fold(above, number, said)
        elif above.inner and above.inner[-1].column != column:
            self._problem(number, "the line is in no column of those above it", "indent it like those beside it")
        elif colon is None and len(self._open) > 1 and not above.inner:
            what = f"the text of `{above.key.text}` does not begin on its line"
            do = f"begin it behind the colon of `{above.key.text}:`, or write a colon behind the key of this line"
            self._problem(number, what, do)
            above.known = False
        elif colon is None:
            self._problem(
                number, "a line without a colon", "write a colon and a space behind the key, such as `types:`"
            )
        elif len(self._open) > _DEEPEST:
            self._problem(number, "the nesting is deeper than any of a contract", "check the indentation")
            above.known, self._skipped = False, column
        else:
            self._entry(above, number, column, said[: colon.start()], said[colon.end() :].strip(" "))

    def _is_unused(self, table: Sequence[tuple[str, str, str]], number: int, column: int, said: str) -> bool:
        for begin, what, do in table:
            found = re.match(begin, said)
            if found is not None:
                self._problem(number, what.format(found[0]), do)
                self._skipped = column
                return True
        return False

    def _entry(self, above: _Draft, number: int, column: int, key: str, rest: str) -> None:
        for form, what, do in _ODD_KEYS:
            if re.fullmatch(form, key):
                self._problem(number, what, do)
        one = _Draft(split_key(Text(key.strip(" "), self._place(number))), column, self._taken(number, column))
        first = above.names.setdefault(one.key.name, number)
        if first != number:
            self._problem(number, f"`{one.key.name}` is here already, in line {first}", "keep one")
        above.inner.append(one)
        self._open.append(one)
        if self._is_unused(_UNUSED, number, column, rest):
            one.known = False
        elif rest.startswith(("'", '"')):
            self._quoted(one, number, rest)
        else:
            text, one.behind = self._parted(number, rest)
            one.text = text or None
        self._refuse_characters(one, number)

    def _quoted(self, one: _Draft, number: int, rest: str) -> None:
        found = _QUOTED.fullmatch(rest)
        if found is None:
            one.known, self._skipped = False, one.column
            what = f"the text of `{one.key.text}` runs over lines"
            self._problem(number, what, "close the quote on its line")
            return
        one.text, one.quoted = found[1], True
        with suppress(yaml.YAMLError):  # an escape that YAML does not know, as it then says of the file
            one.text = str(yaml.safe_load(found[1]))
        one.behind = self._words(number, found[2]) if found[2] else None

    def _parted(self, number: int, rest: str) -> tuple[str, str | None]:
        """Return text and comment of the rest of a line."""
        text, mark, behind = f" {rest}".partition(" #")
        return text.strip(" "), self._words(number, f"#{behind}") if mark else None

    def _fold(self, one: _Draft, number: int, said: str) -> None:
        if one.quoted or not any(each.key.name in _FOLDABLE for each in self._open):
            what = f"the text of `{one.key.text}` runs over lines"
            self._problem(one.key.place.line, what, "write it on one line; only rules fold")
        text, one.behind = self._parted(number, said)
        one.text = f"{one.text}{chr(10) if self._blank else ' '}{text}"
        self._refuse_characters(one, number)

    def _refuse_characters(self, one: _Draft, number: int) -> None:
        for character in refused(one.text or ""):
            what = "a line break" if character == "\n" else named(character)
            self._problem(number, f"the text has {what} by an escape or an empty line", "take it out")

    def _words(self, line: int, comment: str) -> str:
        words = comment[1:].strip()
        if comment[1:2].strip(" "):
            self._problem(line, "a `#` with no space after it", "write `# text`, or quote the text that has it")
        elif not words:
            self._problem(line, "a comment without words", "write something, or remove it")
        return words

    def _taken(self, line: int, column: int) -> tuple[str, ...]:
        """Return the comment lines directly above a key, in its column. All others before it belong to no key."""
        found: list[str] = []
        while self._alone and self._alone[-1][:2] == (line - len(found) - 1, column):
            found.insert(0, self._alone.pop()[2])
        self._unattached(self._alone)
        self._alone = []
        return tuple(found)

    def _unattached(self, comments: Sequence[tuple[int, int, str]]) -> None:
        do = "put it directly above a key and in its column, or behind one"
        for line, _, _ in comments:
            self._problem(line, "a comment that belongs to no key", do)

    def _block(self, draft: _Draft) -> TreeBlock:
        entries = []
        for one in draft.inner:
            place = one.key.place
            if one.text is None and not one.inner and one.known:
                self._problem(place.line, f"`{one.key.text}` has no value", "write what it is, or remove the key")
            value = self._block(one) if one.inner else Text(one.text or "", place, one.quoted)
            entries.append(TreeEntry(one.key, value, one.above, one.behind))
        return TreeBlock(entries[0].place if entries else draft.key.place, tuple(entries))

    def _place(self, line: int) -> SourcePlace:
        return SourcePlace(self._file, line)

    def _problem(self, line: int, what: str, do: str) -> None:
        self._problems.append(Problem(self._place(line), what, do))


def refused(text: str) -> list[str]:
    """Return the characters of a text that a reader would not notice and a contract may not contain, each once, in order."""
    if text.isascii() and text.isprintable():
        return []
    return sorted({one for one in text if one != " " and unicodedata.category(one) in _REFUSED})


def named(character: str) -> str:
    """Name a refused character for a message."""
    common = {"\t": "a tab", "\r": "a carriage return", "\ufeff": "a byte order mark (U+FEFF)"}
    if character in common:
        return common[character]
    return f"the character U+{ord(character):04X} ({unicodedata.name(character, 'a control character').lower()})"


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
        what = "the folder has no .yaml file"
        problems.append(Problem(SourcePlace(name, 1), what, "name the folder of the contract"))
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
        problems += _as_yaml(file, text, reader.block)
    return Document(file, reader.header, reader.block), problems


def _as_yaml(file: str, text: str, block: TreeBlock) -> list[Problem]:
    """Return why YAML does not read the same: editors and other tools do read it as YAML."""
    try:
        read = yaml.load(text, Loader=_LOADER)  # noqa: S506  # it makes texts alone
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        what = f"this cannot be read ({getattr(error, 'problem', None) or 'it is no YAML'})"
        place = SourcePlace(file, mark.line + 1 if mark is not None else 1)
        return [Problem(place, what, "quote text that has `: ` in it, and mind the indentation")]
    if read == plain(block):
        return []
    return [Problem(block.place, "YAML reads this file in another way", "write a key and its text on each line")]


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
