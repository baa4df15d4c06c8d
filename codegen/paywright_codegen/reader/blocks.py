"""Read blocks of entries from the text of one file, from the events of a YAML parser, and attach comments to their keys.

Scalars stay text. YAML ignores comments; here they are the prose of the contract. That of a key is the block of lines directly above it
and the comment behind it.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import yaml

from paywright_codegen.model.cited import SourcePlace
from paywright_codegen.problems import Problem
from paywright_codegen.reader.document import Text, TreeBlock, TreeEntry, TreeKey, split_key
from paywright_codegen.reader.grammar import RULES

_DEEPEST = 6
_REFUSED = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp", "Zs"})  # control, format, surrogate, separators
_FOLDABLE = RULES | {"questions"}


class _Span(NamedTuple):
    """Start and end of an event: lines from 1, columns and offsets from 0."""

    line: int
    column: int
    start: int
    end: int
    last: int


def _span(event: yaml.Event) -> _Span:
    start, end = event.start_mark, event.end_mark
    if start is None or end is None:  # the parser always sets them
        return _Span(1, 0, 0, 0, 1)
    return _Span(start.line + 1, start.column, start.index, end.index, end.line + 1)


class _Frame:
    """A block under construction."""

    def __init__(self, place: SourcePlace) -> None:
        self.place = place
        self.entries: list[TreeEntry] = []
        self.key: TreeKey | None = None

    def add(self, value: Text | TreeBlock) -> None:
        if self.key is not None:
            self.entries.append(TreeEntry(self.key, value))
            self.key = None
        elif isinstance(value, Text):
            self.key = split_key(value)


class BlockReader:
    """Reads the blocks of one file, and records where its scalars are, so that comments can be told from text."""

    def __init__(self, file: str, text: str, problems: list[Problem]) -> None:
        self._file = file
        self._text = text
        self._lines = text.split("\n")
        self._problems = problems
        self._frames: list[_Frame] = []
        self.spans: list[tuple[int, int]] = []
        self.last_lines: dict[int, int] = {}  # the line of a key -> the last line of its scalar

    def read(self) -> TreeBlock | None:
        """Return the top block; None if there is none. Raises yaml.YAMLError."""
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        parser = loader(self._text)
        try:
            return self._read(parser)
        finally:
            parser.dispose()

    def _read(self, parser: Any) -> TreeBlock | None:
        top: TreeBlock | None = None
        while parser.check_event():
            event = parser.get_event()
            span = _span(event)
            if isinstance(event, yaml.DocumentStartEvent) and (event.explicit or top is not None):
                self._problem(span.line, "a document marker or directive", "write one document, without `---` and `%`")
                if top is not None:
                    return None  # what follows is another document, and its comments too
            elif isinstance(event, yaml.DocumentEndEvent) and event.explicit:
                self._problem(span.line, "a document end marker", "take `...` away")
            elif isinstance(event, yaml.MappingEndEvent):
                top = self._ended()
            elif isinstance(event, yaml.NodeEvent) and not self._node(event, span, parser):
                return None
        if top is None:
            self._problem(1, "the file is empty", "write a section, or remove the file")
        return top

    def _node(self, event: yaml.NodeEvent, span: _Span, parser: Any) -> bool:
        """Add a node. Return False if reading cannot continue after it."""
        as_key = bool(self._frames) and self._frames[-1].key is None
        if isinstance(event, yaml.MappingStartEvent) and not event.flow_style:
            self._unmarked(event, event.tag, span)
            if as_key:
                self._problem(span.line, "a collection as a key", "write a plain key")
            elif len(self._frames) == _DEEPEST:
                self._problem(span.line, "the nesting is deeper than any of a contract", "check the indentation")
            else:
                self._frames.append(_Frame(SourcePlace(self._file, span.line)))
                return True
            return False
        text = Text("", SourcePlace(self._file, span.line))
        if isinstance(event, yaml.ScalarEvent):
            text = self._scalar(event, span, as_key)
        elif isinstance(event, yaml.CollectionStartEvent):
            if not self._collection(event, span, parser):
                return False
        else:
            self._problem(span.line, "an alias", "write out what it stands for")
        if not self._frames:
            self._problem(span.line, "this is not a section", "begin with a section such as `types:`")
            return False
        self._frames[-1].add(text)
        return True

    def _ended(self) -> TreeBlock | None:
        """Close the innermost block. Return it if it is the top one, else None."""
        frame = self._frames.pop()
        seen: dict[str, SourcePlace] = {}
        for entry in frame.entries:
            name = entry.key.name
            first = seen.setdefault(name, entry.place)
            if first is not entry.place:
                self._problem(entry.place.line, f"`{name}` is here already, in line {first.line}", "keep one")
        block = TreeBlock(frame.place, tuple(frame.entries))
        if not self._frames:
            return block
        self._frames[-1].add(block)
        return None

    def _collection(self, event: yaml.CollectionStartEvent, span: _Span, parser: Any) -> bool:
        """Report a collection that is no block of entries, and skip its contents. Return False if it is too deep."""
        self._unmarked(event, event.tag, span)
        if event.flow_style:
            self._problem(span.line, "a flow collection", "write one entry a line, without braces and brackets")
        else:
            self._problem(span.line, "a list with dashes", "write entries, or words on one line")
        depth = 1
        while 0 < depth < _DEEPEST * 2:  # parsing time grows with the square of the depth
            inner = parser.get_event()
            if isinstance(inner, yaml.ScalarEvent):
                within = _span(inner)
                self.spans.append((within.start, within.end))
            depth += isinstance(inner, yaml.CollectionStartEvent) - isinstance(inner, yaml.CollectionEndEvent)
        return depth == 0

    def _scalar(self, event: yaml.ScalarEvent, span: _Span, as_key: bool) -> Text:
        self.spans.append((span.start, span.end))
        self._unmarked(event, event.tag, span)
        quoted = event.style in ("'", '"')
        if event.style in ("|", ">"):
            self._problem(span.line, "a block scalar", "write the text on the key's line")
        else:
            for character in refused(event.value):
                what = "a line break" if character == "\n" else named(character)
                self._problem(span.line, f"the text has {what} by an escape or an empty line", "take it out")
            if as_key:
                self._key(event.value, span, quoted)
            elif self._frames:
                self._value(event.value, span, quoted)
        return Text(event.value, SourcePlace(self._file, span.line), quoted)

    def _key(self, key: str, span: _Span, quoted: bool) -> None:
        before = self._lines[span.line - 1][: span.column]
        if quoted:
            self._problem(span.line, "a key in quotes", "write the key without quotes")
        elif key == "<<":
            self._problem(span.line, "a merge key", "write out what it merges, or use `B from A`")
        elif before.strip() or self._text[span.end : span.end + 1] != ":":
            do = "write `key:` at the start of its line"
            self._problem(span.line, "a key that does not stand alone before its colon", do)

    def _value(self, value: str, span: _Span, quoted: bool) -> None:
        key = self._frames[-1].key
        if key is None:
            return
        line = key.place.line
        self.last_lines[line] = span.last
        if not value and not quoted:
            self._problem(line, f"`{key.text}` has no value", "write what it is, or remove the key")
        elif span.line != line:
            self._problem(
                span.line,
                f"the text of `{key.text}` does not begin on its line",
                f"begin it behind the colon of `{key.text}:`, or write a colon behind the key of this line",
            )
        elif span.last > span.line and (quoted or not self._foldable()):
            self._problem(line, f"the text of `{key.text}` runs over lines", "write it on one line; only rules fold")

    def _foldable(self) -> bool:
        keys: Sequence[TreeKey | None] = [frame.key for frame in self._frames]
        return any(key is not None and key.name in _FOLDABLE for key in keys)

    def _unmarked(self, event: yaml.NodeEvent, tag: str | None, span: _Span) -> None:
        if event.anchor is not None:
            self._problem(span.line, f"an anchor, `&{event.anchor}`", "remove it")
        if tag is not None:
            self._problem(span.line, f"a tag, `{tag}`", "remove it; everything is text")

    def _problem(self, line: int, what: str, do: str) -> None:
        self._problems.append(Problem(SourcePlace(self._file, line), what, do))


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


@dataclass(frozen=True, slots=True)
class _Comment:
    line: int
    column: int
    text: str  # with its `#`
    alone: bool  # there is nothing else on the line


class Comments:
    """The comments of one file. `spans` are the scalars, as offsets; a `#` inside one is no comment."""

    def __init__(self, file: str, text: str, spans: Sequence[tuple[int, int]], problems: list[Problem]) -> None:
        self._file = file
        self._problems = problems
        self._lines = text.split("\n")
        found = _found(text, spans)
        self._behind = {comment.line: comment for comment in found if not comment.alone}
        self._alone = {comment.line: comment for comment in found if comment.alone}
        self.header = self._header()
        for comment in (*self._behind.values(), *self._alone.values()):
            self._form(comment)

    def attached(self, block: TreeBlock, last_lines: dict[int, int]) -> TreeBlock:
        """Return the block with its comments. A comment that belongs to no key is a problem."""
        done = self._attach(block, last_lines)
        for comment in (*self._behind.values(), *self._alone.values()):
            self._problem(
                comment.line,
                "a comment that belongs to no key",
                "put it directly above a key and in its column, or behind one",
            )
        return done

    def _attach(self, block: TreeBlock, last_lines: dict[int, int]) -> TreeBlock:
        entries = []
        for entry in block:
            behind = self._behind.pop(last_lines.get(entry.place.line, entry.place.line), None)
            above = self._above(entry.place.line)
            value = self._attach(entry.value, last_lines) if isinstance(entry.value, TreeBlock) else entry.value
            text = None if behind is None else _words(behind)
            entries.append(replace(entry, value=value, above=tuple(map(_words, above)), behind=text))
        return TreeBlock(block.place, tuple(entries))

    def _above(self, line: int) -> list[_Comment]:
        """Return the comment lines directly above a key, in its column."""
        block: list[_Comment] = []
        key = self._lines[line - 1]
        column = len(key) - len(key.lstrip())
        while line - 1 in self._alone and self._alone[line - 1].column == column:
            line -= 1
            block.insert(0, self._alone.pop(line))
        return block

    def _header(self) -> tuple[str, ...]:
        """Return the comment block at the top of the file, if a blank line separates it from the first key."""
        last = 0
        while last + 1 in self._alone:
            last += 1
        if last == 0 or last >= len(self._lines) or self._lines[last].strip():
            return ()
        return tuple(self._alone.pop(line).text for line in range(1, last + 1))

    def _form(self, comment: _Comment) -> None:
        if len(comment.text) > 1 and comment.text[1] != " ":
            self._problem(comment.line, "a `#` with no space after it", "write `# text`, or quote the text that has it")
        elif not _words(comment):
            self._problem(comment.line, "a comment without words", "write something, or remove it")

    def _problem(self, line: int, what: str, do: str) -> None:
        self._problems.append(Problem(SourcePlace(self._file, line), what, do))


def _words(comment: _Comment) -> str:
    return comment.text[1:].strip()


def _found(text: str, spans: Sequence[tuple[int, int]]) -> list[_Comment]:
    """Return every `#` outside the scalars, with the rest of its line."""
    comments: list[_Comment] = []
    offset = 0
    following = iter([*spans, (len(text) + 1, len(text) + 1)])
    start, end = next(following)
    for number, line in enumerate(text.split("\n"), 1):
        at = offset
        stop = offset + len(line)
        while at < stop:
            while end <= at:
                start, end = next(following)
            if start <= at:
                at = end
            elif text[at] == "#":
                column = at - offset
                comments.append(_Comment(number, column, line[column:].rstrip(), not line[:column].strip()))
                break
            else:
                at += 1
        offset = stop + 1
    return comments
