"""The statements of a specification in Markdown: its headings, table rows, list items and sentences, by section, in order."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

_NUMBERED = re.compile(r"([0-9]+(?:[.][0-9]+)*)[.]? +(.+)", re.DOTALL)
_PREFACE = "0"
_BETWEEN_CELLS = " | "
_SPACE_IN_CODE, _END_OF_CODE = "\ue000", "\ue001"
_UNMARKED = str.maketrans({_SPACE_IN_CODE: " ", _END_OF_CODE: None})
_IDENTIFIER = re.compile(r" *\{[#.][^{}]*\}$")
_TYPOGRAPHIC = {
    **str.maketrans("\u2018\u2019\u201c\u201d\u2013\u2014\xa0", "''\"\"-- ", "\ufeff"), ord("\u2026"): "...",
}  # fmt: skip
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
    """A heading, table row, list item or sentence. Its section is "0" before the first heading.

    `number` counts from 1 in each section; 0 is the section's own heading. `digest` identifies the text, whatever its spacing and
    marks; `line` is the first line of its block. `columns` are the column titles of a row's table.
    """

    section: str
    number: int
    text: str
    line: int
    columns: tuple[str, ...] = ()

    @property
    def place(self) -> str:
        """`4.3:2`, the second statement of section 4.3."""
        return f"{self.section}:{self.number}"

    @property
    def digest(self) -> str:
        """The first ten digits of the hash of its text."""
        return sha256(self.text.encode()).hexdigest()[:10]

    @property
    def cells(self) -> tuple[str, ...]:
        """The cells of a row; of anything else its text."""
        return tuple(self.text.split(_BETWEEN_CELLS)) if self.columns else (self.text,)


def read_specification(markdown_text: str) -> tuple[Sequence[Heading], Sequence[Statement]]:
    """Return the numbered headings of a document in Markdown, and its statements, both in order.

    Text below a heading without a number belongs to the section above it, as does that heading. The titles of a table's columns
    and the definition of a link are statements too. A point of a numbered list begins with its number, by which it is cited.
    """
    found: list[Heading] = []
    statements: list[Statement] = []
    numbers: dict[str, int] = {}
    for block in _blocks(markdown_text):
        text = block.text.translate(_UNMARKED)
        numbered = _NUMBERED.fullmatch(text) if block.kind == "heading" else None
        if numbered is not None:
            found.append(Heading(numbered[1], numbered[2], block.line))
            statements.append(Statement(numbered[1], 0, text, block.line))
            continue
        section = found[-1].number if found else _PREFACE
        if block.item and found:
            found[-1] = replace(found[-1], items=max(found[-1].items, block.item))
        parts = _END_OF_SENTENCE.split(block.text) if block.kind == "text" else [block.text]
        parts = [part.translate(_UNMARKED) for part in parts]
        if block.item:
            parts[0] = f"{block.item}. {parts[0]}"
        for one in parts:
            numbers[section] = numbers.get(section, 0) + 1
            statements.append(Statement(section, numbers[section], one, block.line, block.columns))
    return found, statements


@dataclass(frozen=True, slots=True)
class _Block:
    """A heading, row, code or text, on one line; `item` is the number of the list item that it begins, or 0."""

    kind: str
    text: str
    line: int
    item: int = 0
    columns: tuple[str, ...] = ()


def _blocks(markdown_text: str) -> Sequence[_Block]:
    env: dict[str, Any] = {}
    text = markdown_text.removeprefix("\ufeff")
    tokens = MarkdownIt("commonmark").enable("table").parse(text, env)
    lines = text.splitlines()
    blocks = [*_blocks_of(tokens, lines)]
    for one in (*env.get("references", {}).values(), *env.get("duplicate_refs", ())):
        first, after = one["map"]
        blocks.append(_Block("code", _one_line(lines[first:after]), first + 1))
    return sorted(blocks, key=lambda block: block.line)


def _blocks_of(tokens: Sequence[Token], lines: Sequence[str]) -> Iterator[_Block]:
    cells: list[str] = []
    columns: tuple[str, ...] = ()
    kind, line, item = "text", 0, 0
    for token in tokens:
        if token.map:
            line = token.map[0] + 1
        if token.type == "heading_open":
            kind = "heading"
        elif token.type == "list_item_open" and token.info.isdecimal():
            item = int(token.info)
        elif token.type == "table_open":
            columns = ()
        elif token.type == "tr_open":
            kind, cells = "row", []
        elif token.type == "tr_close":
            kind = "text"
            cells += _beyond(lines[line - 1], len(cells))
            if any(cells):
                yield _Block("row", _BETWEEN_CELLS.join(cells), line, 0, columns)
            columns = columns or tuple(cell.translate(_UNMARKED) for cell in cells)
        elif token.type in ("fence", "code_block", "html_block"):
            yield _Block("code", _one_line([token.content]), line)
        elif token.type == "inline":
            text = _plain(token)
            if kind == "row":
                cells.append(text)
            elif text:
                yield _Block(kind, text, line, item)
                kind, item = "text", 0


def _plain(token: Token) -> str:
    """Return the text of a line without its marks: emphasis, code, links, and what some writers put behind a heading.

    No sentence ends in code, whose spaces and end are marked until sentences are parted.
    """
    parts = []
    for each in token.children or ():
        code = each.content.replace(" ", _SPACE_IN_CODE) + _END_OF_CODE if each.type == "code_inline" else each.content
        parts.append(" " if each.type.endswith("break") else code)
    return _IDENTIFIER.sub("", _one_line(["".join(parts).translate(_TYPOGRAPHIC)]))


def _beyond(line: str, columns: int) -> Sequence[str]:
    """Return the cells of a row that no column holds, which Markdown would leave out."""
    cells = re.split(r"(?<!\\)[|]", line.strip().removeprefix("|").removesuffix("|"))
    return [_one_line([cell.replace("`", "")]) for cell in cells[columns:]]


def _one_line(texts: Iterable[str]) -> str:
    return " ".join(" ".join(texts).split())
