"""Read what the keys of a block say, by the forms of the grammar."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from paywright_codegen.model.rules import Path
from paywright_codegen.reader.document import TreeEntry, without_questions
from paywright_codegen.reader.grammar import FILE, Block, Text, varying


def path_of(text: str | None) -> Path:
    """Return the steps of a path with dots; none of no text."""
    return tuple(text.split(".")) if text else ()


class Said:
    """Sayings of the entries of a block. `questions` are those of all its texts, in order, and of blocks that were looked into."""

    def __init__(self, entries: Iterable[TreeEntry], grammar: Block) -> None:
        self.entries = {entry.key.text: entry for entry in entries}
        self.questions: list[str] = []
        self._grammar = grammar
        self._texts: dict[str, str] = {}
        self._asked: dict[str, tuple[str, ...]] = {}
        for key, entry in self.entries.items():
            if entry.text:
                self._texts[key], self._asked[key] = without_questions(" ".join(entry.text.split()))
                self.questions += self._asked[key]

    def text(self, key: str) -> str | None:
        """Return the text of a key without its questions; None where there is none."""
        return self._texts.get(key) or None

    def asked(self, key: str) -> tuple[str, ...]:
        """Return the questions behind the text of a key."""
        return self._asked.get(key, ())

    def words(self, key: str) -> tuple[str, ...]:
        """Return the words of a key's text."""
        return tuple(self._texts.get(key, "").split())

    def each(self, key: str) -> list[dict[str, str]]:
        """Return what varies in the text of a key, by its form; once for each of several."""
        text, grammar = self._texts.get(key), self._grammar.keys.get(key)
        return varying(grammar, text) if text and isinstance(grammar, Text) else []

    def one(self, key: str) -> dict[str, str]:
        """Return what varies in the text of a key; nothing where there is none."""
        return next(iter(self.each(key)), {})

    def pair(self, key: str) -> tuple[str, str] | None:
        """Return the two things that vary in the text of a key; None where there is none."""
        found = tuple(self.one(key).values())
        return (found[0], found[1]) if found else None

    def block(self, key: str) -> Sequence[TreeEntry]:
        """Return the entries under a key."""
        return self.entries[key].block.entries if key in self.entries else ()

    def under(self, key: str, entry: TreeEntry | None = None) -> Said:
        """Return what the block under a key says, or under an entry of that block."""
        grammar = self._grammar.keys.get(key)
        if entry is not None and isinstance(grammar, Block) and isinstance(grammar.each, Block):
            inner = Said(entry.block, grammar.each)
        else:
            inner = Said(self.block(key), grammar if isinstance(grammar, Block) else Block("", ""))
        self.questions += inner.questions
        return inner


NOTHING = Said((), Block("", ""))


def said_of(entry: TreeEntry, section: str) -> Said:
    """Return what an entry of a section says."""
    grammar = FILE.keys[section]
    each = grammar.each if isinstance(grammar, Block) else None
    return Said(entry.block, each if isinstance(each, Block) else Block("", ""))
