"""Syntax tree of a contract file: keys, text, places, comments."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypedDict

from paywright_codegen.model.cited import Prose, SourceLine, SourcePlace

_KEY = re.compile(r"(?P<name>.+?)(?: from (?P<parent>\S+))?(?: \[(?P<sections>[^\]]*)\])?(?P<questions>(?: \?\S+)*)")
Tree = dict[str, "str | Tree"]
_MENTION = re.compile(r"\[([0-9]+(?:\.[0-9]+)*(?:, ?[0-9]+(?:\.[0-9]+)*)*)\]")


@dataclass(frozen=True, slots=True)
class Text:
    """A scalar as written, its lines folded into one."""

    text: str
    place: SourcePlace
    quoted: bool = False


@dataclass(frozen=True, slots=True)
class TreeKey(Text):
    """A key and its parts: `B from A [4.1, 8] ?question`, `field!`."""

    name: str = ""
    required: bool = False
    parent: str | None = None
    sections: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()


def split_key(key: Text) -> TreeKey:
    """Split a key into name, `!`, parent, sections and questions."""
    match = _KEY.fullmatch(key.text)
    if match is None:  # an empty key, which the schema refuses
        return TreeKey(key.text, key.place, key.quoted, name=key.text)
    name = match["name"]
    required = len(name) > 1 and name.endswith("!")
    sections = tuple(part.strip() for part in (match["sections"] or "").split(",") if part.strip())
    questions = tuple(word[1:] for word in match["questions"].split())
    own = name[:-1] if required else name
    return TreeKey(key.text, key.place, key.quoted, own, required, match["parent"], sections, questions)


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """A key, its value, the comment block above it and the comment behind it."""

    key: TreeKey
    value: Text | TreeBlock
    above: tuple[str, ...] = ()
    behind: str | None = None

    @property
    def place(self) -> SourcePlace:
        """Return the place of the key."""
        return self.key.place

    @property
    def comments(self) -> tuple[str, ...]:
        """Return the comment lines above the key and behind it."""
        return self.above if self.behind is None else (*self.above, self.behind)

    @property
    def block(self) -> TreeBlock:
        """Return the entries under this key; an empty block if its value is text."""
        return self.value if isinstance(self.value, TreeBlock) else TreeBlock(self.place, ())

    @property
    def text(self) -> str:
        """Return the text of this key; "" if it has entries instead."""
        return "" if isinstance(self.value, TreeBlock) else self.value.text


@dataclass(frozen=True, slots=True)
class TreeBlock:
    """Entries of one indentation."""

    place: SourcePlace
    entries: tuple[TreeEntry, ...]

    def __iter__(self) -> Iterator[TreeEntry]:
        return iter(self.entries)

    def get(self, key: str) -> TreeEntry | None:
        """Return the entry with this key, or None."""
        return next((entry for entry in self.entries if entry.key.text == key), None)


def plain(block: TreeBlock) -> Tree:
    """Return the block as dictionaries of text."""
    return {entry.key.text: plain(entry.value) if isinstance(entry.value, TreeBlock) else entry.text for entry in block}


@dataclass(frozen=True, slots=True)
class Document:
    """One file: the comment lines at its top that belong to no key, and its entries."""

    file: str
    header: tuple[str, ...]
    block: TreeBlock


def mentions(line: str) -> tuple[str, ...]:
    """Return the sections that a line of prose cites: `required here [2.1]` cites 2.1."""
    return tuple(part.strip() for group in _MENTION.findall(line) for part in group.split(","))


def without_questions(text: str) -> tuple[str, tuple[str, ...]]:
    """Split a text from the `?question` words at its end."""
    words = text.split(" ")
    questions: list[str] = []
    while words and words[-1].startswith("?") and len(words[-1]) > 1:
        questions.insert(0, words.pop()[1:])
    return " ".join(words), tuple(questions)


def prose_of(entry: TreeEntry) -> Prose:
    """Return the comments of a key, without lines that only cite sections."""
    return Prose(tuple(line for line in entry.comments if _MENTION.fullmatch(line) is None))


def lines_of(entry: TreeEntry, key: str = "") -> Iterator[SourceLine]:
    """Yield the line of an entry, with `key` as its name, and those of the block under it."""
    yield SourceLine(key, (*entry.key.text.split(), *entry.text.split()), entry.place)
    for each in entry.block:
        yield from lines_of(each, f"{key}/{each.key.text}" if key else each.key.text)


class CitedParts(TypedDict):
    """Parts of a `Cited`, of an entry."""

    place: SourcePlace
    prose: Prose
    sections: tuple[str, ...]
    questions: tuple[str, ...]
    lines: tuple[SourceLine, ...]


def cited(entry: TreeEntry, asked: Iterable[str] = (), sections: tuple[str, ...] | None = None) -> CitedParts:
    """Return place, comments, sections and questions of an entry: those of its key, and those given."""
    return {
        "place": entry.place, "prose": prose_of(entry), "sections": entry.key.sections if sections is None else sections,
        "questions": (*entry.key.questions, *asked), "lines": tuple(lines_of(entry)),
    }  # fmt: skip


def bare_citations(entry: TreeEntry) -> tuple[str, ...]:
    """Return the sections of the comment lines that only cite sections."""
    return tuple(part for line in entry.comments if _MENTION.fullmatch(line) for part in mentions(line))
