"""From the files of a contract to marked text.

A plain YAML loader changes what was written without a word: `00` becomes 0, `NO` becomes False, the last of two equal
keys wins, and a line separator ends a comment so that a field appears that nobody sees. Here every scalar stays text,
and whatever a reader could overlook is refused, all of it at once.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from pathlib import Path

import yaml

from paywright_codegen.comments import Comments
from paywright_codegen.marked import Block, Document, Entry, Text, split_key
from paywright_codegen.model import Place
from paywright_codegen.problems import Problem

_LOADER: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_DEEPEST = 6
_LARGEST = 1_000_000
_FOLDABLE = frozenset({"rules", "request rules", "response rules", "questions"})
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
            return None, [Problem(Place(file, 1), "the name does not end in .yaml", "rename the file, or it is left out")]
        return None, []
    try:
        raw = path.read_bytes()
    except OSError as error:
        return None, [Problem(Place(file, 1), f"the file cannot be read ({error.strerror})", "make it a readable file")]
    return read_file(file, raw)


def read_file(file: str, raw: bytes) -> tuple[Document | None, list[Problem]]:
    """The marked text of one file, or None, and what is wrong with it; `file` is its name in places."""
    problems: list[Problem] = []
    text = _decoded(file, raw, problems)
    if text is None:
        return None, problems
    reader = _Reader(file, text, problems)
    try:
        block = reader.read()
    except yaml.YAMLError as error:
        if not problems:
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
        line = raw.count(b"\n", 0, error.start) + 1
        problems.append(Problem(Place(file, line), f"byte {raw[error.start]:#04x} is not UTF-8", "save the file as UTF-8"))
        return None
    if text.isascii() and text.replace("\n", "").isprintable():
        return text
    clean = []
    for number, line in enumerate(text.split("\n"), 1):
        refused = sorted({character for character in line if not _readable(character)})
        for character in refused:
            problems.append(Problem(Place(file, number), f"the line has {_named(character)}", "take it out"))
            line = line.replace(character, " ")
        clean.append(line)
    return "\n".join(clean)


def _readable(character: str) -> bool:
    """True unless a reader would not see the character for what it is."""
    return character == " " or unicodedata.category(character) not in {"Cc", "Cf", "Cs", "Zl", "Zp", "Zs"}


def _named(character: str) -> str:
    if character == "\t":
        return "a tab"
    if character == "\r":
        return "a carriage return"
    if character == "\ufeff":
        return "a byte order mark (U+FEFF)"
    return f"the character U+{ord(character):04X} ({unicodedata.name(character, 'a control character').lower()})"


def _syntax(file: str, text: str, error: yaml.YAMLError) -> Problem:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    line = mark.line + 1 if mark is not None else 1
    what = getattr(error, "problem", None) or "it is no YAML"
    lines = text.split("\n")
    before = [number for number in range(min(line, len(lines)), 0, -1) if lines[number - 1].strip()][:3]
    if any(" #" in lines[number - 1] or lines[number - 1].startswith("#") for number in before):
        do = "mind the indentation, quote text that has `: ` in it, and keep comments out of folded rules"
    else:
        do = "mind the indentation, and quote text that has `: ` in it"
    return Problem(Place(file, line), f"this cannot be read ({what})", do)


class _Reader:
    """Builds the blocks of one file from the parser's events, and keeps where its scalars stand for the comments."""

    def __init__(self, file: str, text: str, problems: list[Problem]) -> None:
        self.file = file
        self.text = text
        self.lines = text.split("\n")
        self.problems = problems
        self.spans: list[tuple[int, int]] = []
        self.last_lines: dict[int, int] = {}  # the line of a key -> the last line of its scalar

    def problem(self, line: int, what: str, do: str) -> None:
        self.problems.append(Problem(Place(self.file, line), what, do))

    def read(self) -> Block | None:
        """The top block; None where the file has none. Raises YAMLError."""
        loader = _LOADER(self.text)
        try:
            return self._document(loader)
        finally:
            loader.dispose()

    def _document(self, loader: yaml.SafeLoader) -> Block | None:
        frames: list[_Frame] = []
        top: Block | None = None
        while loader.check_event():
            event = loader.get_event()
            line = event.start_mark.line + 1 if event.start_mark is not None else 1
            if isinstance(event, yaml.DocumentStartEvent) and (event.explicit or top is not None):
                self.problem(line, "a document marker or directive", "write one document, without `---` and `%`")
            elif isinstance(event, yaml.DocumentEndEvent) and event.explicit:
                self.problem(line, "a document end marker", "take `...` away")
            elif isinstance(event, yaml.AliasEvent):
                self.problem(line, "an alias", "write out what it stands for")
                self._add(frames, Text("*", Place(self.file, line)))
            elif isinstance(event, yaml.ScalarEvent):
                text = self._scalar(event, frames)
                if not frames:
                    self.problem(line, "text instead of a section", "begin with a section such as `types:`")
                    return None
                self._add(frames, text)
            elif isinstance(event, yaml.MappingStartEvent) and not event.flow_style:
                self._marks(event, line)
                if frames and frames[-1].key is None:
                    self.problem(line, "a collection as a key", "write a plain key")
                    return None
                if len(frames) == _DEEPEST:
                    self.problem(line, "the nesting is deeper than any entry of a contract", "check the indentation")
                    return None
                frames.append(_Frame(Place(self.file, line)))
            elif isinstance(event, (yaml.MappingStartEvent, yaml.SequenceStartEvent)):
                self._marks(event, line)
                if event.flow_style:
                    self.problem(line, "a flow collection", "write one entry a line, without braces and brackets")
                else:
                    self.problem(line, "a list with dashes", "write entries, or words on one line")
                self._skip(loader)
                if not frames:
                    return None
                self._add(frames, Text("", Place(self.file, line)))
            elif isinstance(event, yaml.MappingEndEvent):
                block = frames.pop().block(self.problems)
                if frames:
                    self._add(frames, block)
                else:
                    top = block
        if top is None:
            self.problem(1, "the file is empty", "write a section, or remove the file")
        return top

    def _skip(self, loader: yaml.SafeLoader) -> None:
        """Leave out the rest of a refused collection."""
        depth = 1
        while depth:
            event = loader.get_event()
            if isinstance(event, yaml.CollectionStartEvent):
                depth += 1
            elif isinstance(event, yaml.CollectionEndEvent):
                depth -= 1
            elif isinstance(event, yaml.ScalarEvent):
                self.spans.append((event.start_mark.index, event.end_mark.index))

    def _marks(self, event: yaml.NodeEvent, line: int) -> None:
        if event.anchor is not None:
            self.problem(line, f"an anchor, `&{event.anchor}`", "take it away")
        if getattr(event, "tag", None) is not None:
            self.problem(line, f"a tag, `{event.tag}`", "take it away; everything is text")

    def _scalar(self, event: yaml.ScalarEvent, frames: Sequence[_Frame]) -> Text:
        start, end = event.start_mark, event.end_mark
        line = start.line + 1
        self.spans.append((start.index, end.index))
        self._marks(event, line)
        if event.style in ("|", ">"):
            self.problem(line, "a block scalar", "write the text on the key's line")
        for character in sorted({one for one in event.value if not _readable(one)} - {"\n"}):
            self.problem(line, f"the text has {_named(character)} by an escape", "take it out")
        if "\n" in event.value and event.style not in ("|", ">"):
            self.problem(line, "the text has a line break", "write it on one line")
        quoted = event.style in ("'", '"')
        if frames and frames[-1].key is None:
            self._key(event, line, frames, quoted)
        elif frames:
            self._value(event, line, frames, quoted)
        return Text(event.value, Place(self.file, line), quoted)

    def _key(self, event: yaml.ScalarEvent, line: int, frames: Sequence[_Frame], quoted: bool) -> None:
        start, end = event.start_mark, event.end_mark
        before = self.lines[start.line][: start.column]
        if quoted:
            self.problem(line, "a key in quotes", "write the key without quotes")
        if before.strip() or self.text[end.index : end.index + 1] != ":":
            self.problem(line, "a key that does not stand alone before its colon", "write `key:` at the start of its line")
        if event.value == "<<":
            self.problem(line, "a merge key", "write out what it merges, or use `B from A`")

    def _value(self, event: yaml.ScalarEvent, line: int, frames: Sequence[_Frame], quoted: bool) -> None:
        start, end = event.start_mark, event.end_mark
        key = frames[-1].key
        if key is None:
            return
        if not event.value and not quoted:
            self.problem(key.place.line, f"`{key.text}` has nothing behind it", "write what it is, or remove the key")
            return
        if line != key.place.line and event.style not in ("|", ">"):
            self.problem(line, f"the text of `{key.text}` does not begin on its line", "begin it behind the colon")
        if end.line > start.line and event.style not in ("|", ">"):
            foldable = any(frame.key is not None and split_key(frame.key.text).name in _FOLDABLE for frame in frames)
            if quoted or not foldable:
                self.problem(line, f"the text of `{key.text}` runs over lines", "write it on one line; only rules fold")
        self.last_lines[key.place.line] = end.line + 1

    def _add(self, frames: Sequence[_Frame], value: Text | Block) -> None:
        frame = frames[-1]
        if frame.key is not None:
            frame.entries.append(Entry(frame.key, value))
            frame.key = None
        elif isinstance(value, Text):
            frame.key = value


class _Frame:
    """A block under construction."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self.entries: list[Entry] = []
        self.key: Text | None = None

    def block(self, problems: list[Problem]) -> Block:
        seen: dict[str, Place] = {}
        for entry in self.entries:
            name = split_key(entry.key.text).name
            if name in seen:
                problems.append(Problem(entry.place, f"`{name}` stands here already, in line {seen[name].line}", "keep one"))
            seen.setdefault(name, entry.place)
        return Block(self.place, tuple(self.entries))


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
