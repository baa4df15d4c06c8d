"""Base of every part of the contract: its place, its comments, its sections and its questions."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class SourcePlace:
    """A file under `spec/` and a line, counted from 1."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class Prose:
    """The comments of a key. The first line is the summary."""

    lines: tuple[str, ...] = ()

    @property
    def summary(self) -> str:
        """Return the first line, or ""."""
        return self.lines[0] if self.lines else ""

    @property
    def more(self) -> tuple[str, ...]:
        """Return the lines after the first."""
        return self.lines[1:]

    @property
    def text(self) -> str:
        """Return all lines, joined by spaces."""
        return " ".join(self.lines)


@dataclass(frozen=True, slots=True)
class SourceLine:
    """A line of a part of the contract: its words and its key.

    The key is "" for the first line of the part, and `block/key` inside a block.
    """

    key: str
    words: tuple[str, ...]
    place: SourcePlace


@dataclass(frozen=True, slots=True)
class Cited:
    """The base of all parts of the contract: place, prose, sections, questions, and the lines of those that have keys.

    The lines of an operation are its own, then those of its envelope.
    """

    place: SourcePlace
    prose: Prose = Prose()
    sections: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    lines: tuple[SourceLine, ...] = field(default=(), compare=False, repr=False)

    @property
    def open_questions(self) -> tuple[str, ...]:
        """Return the questions that the part asks."""
        return self.questions

    def at(self, *said: str) -> SourcePlace:
        """Return the place of the first of these keys that exists; the place of the part if none does.

        `refuses` is a key. `refuses: BAD` is the line with this key and this word, else the first line with the key.
        """
        for key, _, word in (each.partition(": ") for each in said):
            found = [line for line in self.lines if line.key == key]
            if found:
                return next((line.place for line in found if word in line.words), found[0].place)
        return self.place

    def asked_at(self, question: str) -> tuple[SourcePlace, ...]:
        """Return the places that ask a question: the lines with `?question`, or the part itself."""
        found = tuple(line.place for line in self.lines if f"?{question}" in line.words)
        return found or (self.place,)
