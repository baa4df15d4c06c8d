"""Attach comments to keys. YAML ignores comments; here they are the prose of the contract.

The prose of a key is the block of lines directly above it and the comment behind it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from paywright_codegen.model.cited import SourcePlace
from paywright_codegen.problems import Problem
from paywright_codegen.reader.document import TreeBlock


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
