"""Marked text: what a contract file says, every scalar as text with its place and its comments, and no meaning yet."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from paywright_codegen.model import Place, Prose


@dataclass(frozen=True, slots=True)
class Text:
    """A scalar as written, its lines folded into one."""

    text: str
    place: Place
    quoted: bool = False


@dataclass(frozen=True, slots=True)
class Entry:
    """A key, what stands under it, the comment block above it and the comment behind it."""

    key: Text
    value: Text | Block
    above: tuple[str, ...] = ()
    behind: str | None = None

    @property
    def place(self) -> Place:
        return self.key.place

    @property
    def comments(self) -> tuple[str, ...]:
        return self.above if self.behind is None else (*self.above, self.behind)

    @property
    def block(self) -> Block:
        """The entries under this key; an empty block where there is text instead."""
        return self.value if isinstance(self.value, Block) else Block(self.place, ())

    @property
    def text(self) -> str:
        """The text behind this key; nothing where there are entries instead."""
        return "" if isinstance(self.value, Block) else self.value.text


@dataclass(frozen=True, slots=True)
class Block:
    """Entries of one indentation."""

    place: Place
    entries: tuple[Entry, ...]

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries)

    def get(self, key: str) -> Entry | None:
        return next((entry for entry in self.entries if entry.key.text == key), None)


@dataclass(frozen=True, slots=True)
class Document:
    """One file: the comment lines at its top that belong to no key, and its entries."""

    file: str
    header: tuple[str, ...]
    block: Block


_KEY = re.compile(r"(?P<name>.+?)(?: from (?P<parent>\S+))?(?: \[(?P<sections>[^\]]*)\])?(?P<questions>(?: \?\S+)*)")
_MENTION = re.compile(r"\[([0-9]+(?:\.[0-9]+)*(?:, ?[0-9]+(?:\.[0-9]+)*)*)\]")


@dataclass(frozen=True, slots=True)
class Key:
    """A key taken apart: `B from A [4.1, 8] ?question`, `field!`."""

    name: str
    required: bool
    parent: str | None
    sections: tuple[str, ...]
    questions: tuple[str, ...]


def split_key(text: str) -> Key:
    match = _KEY.fullmatch(text)
    if match is None:  # an empty key; the shape refuses it
        return Key(text, False, None, (), ())
    name = match["name"]
    sections = tuple(part.strip() for part in (match["sections"] or "").split(",") if part.strip())
    questions = tuple(word[1:] for word in match["questions"].split())
    required = len(name) > 1 and name.endswith("!")
    return Key(name[:-1] if required else name, required, match["parent"], sections, questions)


def mentions(line: str) -> tuple[str, ...]:
    """The sections that a line of prose cites: `required here [2.1]` cites 2.1."""
    return tuple(part.strip() for group in _MENTION.findall(line) for part in group.split(","))


def prose_of(entry: Entry) -> Prose:
    """The comments of a key. A line that is nothing but a citation is no prose."""
    return Prose(tuple(line for line in entry.comments if _MENTION.fullmatch(line) is None))


def bare_citations(entry: Entry) -> tuple[str, ...]:
    """The sections of those comment lines that are nothing but a citation."""
    return tuple(part for line in entry.comments if _MENTION.fullmatch(line) for part in mentions(line))
