"""Cut one input into chunks that other processes parse and judge; one process reads and unpacks the input."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from io import BufferedReader, RawIOBase
from typing import Final, NamedTuple, TypeVar, cast

from paywright_audit.input.captures.capture_reader import MAX_LINE, read_captures
from paywright_audit.input.captures.har import entry_of, har_texts
from paywright_audit.input.records import Exchange, Unreadable

_PIECE: Final = 1 << 18


class Chunk(NamedTuple):
    """Some units of one input, unparsed.

    `content` is bytes with lines, or a list of entries. `number` is that of the first unit, `offset` the position of the first line, `beside`
    the folder of a HAR file.
    """

    content: bytes | list[str]
    number: int
    offset: int = 0
    beside: str = ""

    def exchanges(self) -> Iterator[Exchange | Unreadable]:
        """Yield the exchanges of these units, as `read_input` does."""
        if isinstance(self.content, bytes):
            source = BufferedReader(cast(RawIOBase, io.BytesIO(self.content)), _PIECE)
            first = source.readline(MAX_LINE + 1)
            yield from read_captures(first, source, offset=self.offset, number=self.number)
            return
        for number, unit in enumerate(self.content, self.number):
            yield entry_of(unit, number, self.beside)


def line_chunks(first: bytes, source: BufferedReader, offset: int, size: int) -> Iterator[Chunk]:
    """Yield chunks of lines. `first` is the first line, already read from `source`; it begins at `offset`.

    The cuts depend on the lines alone, not on the bytes that a read returns.
    """
    number, pending = 1, bytearray(first)
    broken: Exception | None = None
    more = True
    while more or pending:
        if more and len(pending) <= size + MAX_LINE and pending.find(b"\n", size - 1) < 0:
            try:
                piece = source.read1(_PIECE)
            except Exception as caught:  # complete lines that were read before are still judged
                piece, broken = b"", caught
            more = bool(piece)
            pending += piece
            continue
        end = pending.find(b"\n", size - 1, size + MAX_LINE) + 1
        if not end and not more:
            end = len(pending) if broken is None else pending.rfind(b"\n") + 1
        end = end or pending.rfind(b"\n", 0, size) + 1
        if end:
            content = bytes(pending[:end])
            del pending[:end]
            yield Chunk(content, number, offset)
            number += content.count(b"\n") + (not content.endswith(b"\n"))
            offset += end
        elif more:
            yield Chunk(bytes(pending[: MAX_LINE + 1]), number, offset)
            number += 1
            length, pending = _skip_line(source, pending)
            offset += length
        else:
            break
    if broken is not None:
        raise broken


def _skip_line(source: BufferedReader, pending: bytearray) -> tuple[int, bytearray]:
    """Return the length of the line that begins with `pending`, and the bytes that were read after it."""
    end = pending.find(b"\n") + 1
    if end:
        return end, pending[end:]
    length = len(pending)
    while line := source.readline(MAX_LINE):
        length += len(line)
        if line.endswith(b"\n"):
            break
    return length, bytearray()


def entry_chunks(first: bytes, source: BufferedReader, size: int, beside: str = "") -> Iterator[Chunk | Unreadable]:
    """Yield chunks of entries of a HAR file. `first` is its first line, already read from `source`."""
    number = 0
    for found in _batches(har_texts(first, source), len, size):
        if isinstance(found, Unreadable):
            yield found
        else:
            yield Chunk(found, number, beside=beside)
            number += len(found)


_Unit = TypeVar("_Unit")


def _batches(
    units: Iterator[_Unit | Unreadable], size_of: Callable[[_Unit], int], size: int
) -> Iterator[list[_Unit] | Unreadable]:
    """Yield lists of units of at least the given size. Units before an error are yielded before it is raised."""
    pending: list[_Unit] = []
    length = 0
    broken: Exception | None = None
    while True:
        try:
            unit = next(units, None)
        except Exception as caught:
            unit, broken = None, caught
        if isinstance(unit, Unreadable):
            yield unit
            continue
        if unit is not None:
            pending.append(unit)
            length += size_of(unit)
        if pending and (unit is None or length >= size):
            yield pending
            pending, length = [], 0
        if unit is None:
            break
    if broken is not None:
        raise broken
