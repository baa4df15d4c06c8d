"""The statements of a specification in Markdown: its table rows, list items and sentences, by section, in order."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256

from markdown_it import MarkdownIt
from markdown_it.token import Token

__all__ = ["Heading", "Statement", "read_specification"]

_NUMBERED = re.compile(r"([0-9]+(?:[.][0-9]+)*)[.]? +(.+)", re.DOTALL)
_PREFACE = "0"
_END_OF_SENTENCE = re.compile(r"(?<=[.?!])(?<!e[.]g[.])(?<!i[.]e[.])\s+(?=[^\s,;:])")


@dataclass(frozen=True, slots=True)
class Heading:
    """A numbered heading. `items` is the number of points in its numbered lists."""

    number: str
    title: str
    line: int
    items: int = 0


@dataclass(frozen=True, slots=True)
class Statement:
    """A table row, list item or sentence. `number` counts from 1 in each section; "0" is the text before the first heading.

    `digest` identifies its text, whatever its spacing; `line` is the first line of its block.
    """

    section: str
    number: int
    text: str
    line: int

    @property
    def place(self) -> str:
        """`4.3:2`, the second statement of section 4.3."""
        return f"{self.section}:{self.number}"

    @property
    def digest(self) -> str:
        """The first ten digits of the hash of its text."""
        return sha256(self.text.encode()).hexdigest()[:10]


def read_specification(markdown_text: str) -> tuple[Sequence[Heading], Sequence[Statement]]:
    """Return the numbered headings of a document in Markdown, and its statements, both in order.

    Text below a heading without a number belongs to the section above it. The header row of a table states nothing.
    """
    found: list[Heading] = []
    statements: list[Statement] = []
    numbers: dict[str, int] = {}
    for kind, text, line, item in _blocks(MarkdownIt("commonmark").enable("table").parse(markdown_text)):
        section = found[-1].number if found else _PREFACE
        if kind == "heading":
            numbered = _NUMBERED.fullmatch(text)
            if numbered is not None:
                found.append(Heading(numbered[1], numbered[2], line))
            continue
        if item and found:
            last = found[-1]
            found[-1] = Heading(last.number, last.title, last.line, max(last.items, item))
        for one in [text] if kind in ("row", "code") else _END_OF_SENTENCE.split(text):
            numbers[section] = numbers.get(section, 0) + 1
            statements.append(Statement(section, numbers[section], one, line))
    return found, statements


def _blocks(tokens: Sequence[Token]) -> Iterator[tuple[str, str, int, int]]:
    """Kind (heading, text, row, code), text on one line, line, and the number of the list item that it begins, or 0."""
    cells: list[str] = []
    header = False
    kind, line, item = "text", 0, 0
    for token in tokens:
        if token.map:
            line = token.map[0] + 1
        if token.type == "heading_open":
            kind = "heading"
        elif token.type == "list_item_open" and token.info.isdecimal():
            item = int(token.info)
        elif token.type in ("thead_open", "thead_close"):
            header = token.nesting > 0
        elif token.type == "tr_open":
            kind, cells = "row", []
        elif token.type == "tr_close":
            kind = "text"
            if not header and any(cells):
                yield "row", " | ".join(cells), line, 0
        elif token.type in ("fence", "code_block", "html_block"):
            yield "code", _one_line([token.content]), line, 0
        elif token.type == "inline":
            text = _one_line([token.content])
            if kind == "row":
                cells.append(text)
            elif text:
                yield kind, text, line, item
                kind, item = "text", 0


def _one_line(texts: Iterable[str]) -> str:
    return " ".join(" ".join(texts).split())
