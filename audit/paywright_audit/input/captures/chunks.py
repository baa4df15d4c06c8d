"""Cut one input into chunks that other processes parse and judge; one process reads and unpacks the input."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from errno import ESTALE
from io import BufferedReader, RawIOBase
from typing import Final, NamedTuple, TypeVar, cast

from paywright_audit.input.captures.capture_reader import MAX_LINE, line_ends, lines_of, read_captures
from paywright_audit.input.captures.har import entry_of, har_texts
from paywright_audit.input.records import Exchange, Unreadable

_PIECE: Final = 1 << 18
_OBJECT: Final = 40
"""Bytes of memory that a short line or entry needs beside its own."""


class Span(NamedTuple):
    """The place of lines in a file: whoever judges them reads them. `status` is that of the file when it was opened."""

    file: str
    status: os.stat_result
    start: int
    size: int

    def read(self) -> bytes:
        """Return the lines. Raises `OSError`, also if another file has this name now."""
        with open(self.file, "rb") as file:
            file.seek(self.start)
            content = file.read(self.size)
            if not os.path.samestat(os.fstat(file.fileno()), self.status) or len(content) < self.size:
                raise OSError(ESTALE, "it was replaced while it was read")
        return content


class Chunk(NamedTuple):
    """Some units of one input, unparsed.

    `content` is lines or their place, or a list of entries. `number` is that of the first unit, `beside` the folder of a HAR file.
    """

    content: bytes | Span | list[str]
    number: int
    beside: str = ""

    def exchanges(self) -> Iterator[Exchange | Unreadable]:
        """Yield the exchanges of these units, as `read_input` does. Raises `OSError`."""
        if isinstance(self.content, list):
            for number, unit in enumerate(self.content, self.number):
                yield entry_of(unit, number, self.beside)
            return
        content = self.content.read() if isinstance(self.content, Span) else self.content
        source = BufferedReader(cast(RawIOBase, io.BytesIO(content)), _PIECE)
        first = source.readline(MAX_LINE + 1)
        yield from read_captures(first, source, self.number)


def line_chunks(first: bytes, source: BufferedReader, size: int, file: str = "") -> Iterator[Chunk | Unreadable]:
    """Yield chunks of lines. `first` is the first line, already read from `source`.

    If that is an open `file`, chunks have the places of their lines, up to the first line that is too long.
    """
    number, start = 1, source.tell() - len(first) if file else 0
    status = os.fstat(source.fileno()) if file else None
    size = min(size, MAX_LINE)  # so that one that is too long is the last of its chunk
    for lines in _batches(lines_of(first, source), size):
        if isinstance(lines, Unreadable):
            yield lines
            continue
        length = sum(map(len, lines))
        yield Chunk(b"".join(lines) if status is None else Span(file, status, start, length), number)
        start += length
        number += sum(map(line_ends, lines))
        if not lines[-1].endswith(b"\n"):
            status = None


def entry_chunks(first: bytes, source: BufferedReader, size: int, beside: str = "") -> Iterator[Chunk | Unreadable]:
    """Yield chunks of entries of a HAR file. `first` is its first line, already read from `source`."""
    number = 0
    for found in _batches(har_texts(first, source), size):
        if isinstance(found, Unreadable):
            yield found
        else:
            yield Chunk(found, number, beside=beside)
            number += len(found)


_Unit = TypeVar("_Unit", bytes, str)


def _batches(units: Iterator[_Unit | Unreadable], size: int) -> Iterator[list[_Unit] | Unreadable]:
    """Yield lists of units of at least the given size. Units before an error are yielded before it is raised."""
    pending: list[_Unit] = []
    length = 0
    try:
        for unit in units:
            if isinstance(unit, Unreadable):
                yield unit
                continue
            pending.append(unit)
            length += len(unit) + _OBJECT
            if length >= size:
                yield pending
                pending, length = [], 0
    except Exception:
        if pending:
            yield pending
        raise
    if pending:
        yield pending
