"""Opens what the audit is given: a file or standard input; plain, gzip or zstd; capture records, HAR or mitmproxy flows."""

from __future__ import annotations

import re
import sys
import zlib
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator
from importlib import import_module
from io import BufferedReader, RawIOBase
from pathlib import Path
from typing import IO, Final, Protocol, cast

from paywright_tools.audit.capture_reader import MAX_LINE, Lines, is_record, read_captures
from paywright_tools.audit.flows import is_flow, read_flows
from paywright_tools.audit.har import read_har
from paywright_tools.audit.records import Exchange, Unreadable

__all__ = ["cuts", "read_input", "read_range"]

_BUFFER: Final = 1 << 20
_GZIP: Final = b"\x1f\x8b"
_HAR: Final = re.compile(rb'(?:\xef\xbb\xbf)?\s*\{\s*"log"\s*:').match
_ZSTD: Final = b"\x28\xb5\x2f\xfd"


class _Broken(Exception):
    """Compressed data that cannot be unpacked. The message says which kind."""


def read_input(name: str, progress: Callable[[int], None] | None = None) -> Iterator[Exchange | Unreadable]:
    """All exchanges of a file, `-` for standard input, and what of it could not be read. Raises nothing that a file could provoke.

    `progress` is told how many bytes were read since it was told last.
    """

    def read() -> Iterator[Exchange | Unreadable]:
        if name == "-":
            yield from _read(cast(BufferedReader, sys.stdin.buffer))
            return
        with open(name, "rb", buffering=0) as file:
            raw = cast(RawIOBase, file if progress is None else _Watched(file, progress))
            yield from _read(BufferedReader(raw, _BUFFER))

    yield from _guarded(read())


def read_range(name: str, start: int, end: int, lines: Lines) -> Iterator[Exchange | Unreadable]:
    """The exchanges of the lines of a plain file of capture records that begin from `start` to before `end`; `lines` is told
    how many there were."""

    def read() -> Iterator[Exchange | Unreadable]:
        with open(name, "rb", buffering=0) as raw, BufferedReader(cast(RawIOBase, raw), _BUFFER) as file:
            if start:
                # The line that `start` stands in, or that ends right before it, is the range's before.
                file.seek(start - 1)
                while not file.readline(MAX_LINE).endswith(b"\n"):
                    if file.tell() >= end or not file.peek(1):
                        return
            first = file.readline(MAX_LINE + 1)
            offset = file.tell() - len(first)
            if offset < end:
                yield from read_captures(first, file, offset=offset, end=end, lines=lines)

    yield from _guarded(read())


def cuts(name: str, size: int) -> list[tuple[int, int]]:
    """Ranges of about `size` bytes that cover a file, if it is one that can be read in ranges; else none."""
    try:
        path = Path(name)
        if name == "-" or not path.is_file():
            return []
        with path.open("rb") as file:
            first = file.readline(MAX_LINE + 1)
        total = path.stat().st_size
    except (OSError, ValueError):
        return []
    if not first.startswith(b"{") or not is_record(first) or total <= size:
        return []
    return [(start, min(start + size, total)) for start in range(0, total, size)]


def _guarded(found: Iterator[Exchange | Unreadable]) -> Iterator[Exchange | Unreadable]:
    try:
        yield from found
    except _Broken as broken:
        yield _whole(str(broken))
    except OSError as error:
        yield _whole(error.strerror or "it cannot be read")
    except ValueError:  # a name with a null character
        yield _whole("it cannot be read")


def _whole(why: str) -> Unreadable:
    # Behind all that could be read.
    return Unreadable("", why, (1 << 48) - 1)


def _read(file: BufferedReader) -> Iterator[Exchange | Unreadable]:
    head = file.peek(4)[:4]
    if head[:2] == _GZIP:
        file = BufferedReader(cast(RawIOBase, _Gzip(file)), _BUFFER)
    elif head == _ZSTD:
        file = BufferedReader(cast(RawIOBase, _Zstd(file)), _BUFFER)
    if is_flow(file.peek(16)[:16]):
        yield from read_flows(file)
        return
    if _HAR(file.peek(4096)):
        yield from read_har(b"", file)
        return
    first = file.readline(MAX_LINE + 1)
    marked = len(first)
    first = first.removeprefix(BOM_UTF8)
    marked -= len(first)
    if not first:
        yield _whole("it is empty")
    elif len(first) <= MAX_LINE and (is_record(first) or not _may_be_har(first)):
        yield from read_captures(first, file, offset=marked)
    else:
        yield from read_har(first, file)  # no record is longer than that


def _may_be_har(first: bytes) -> bool:
    """Whether a first line, which is no record, begins a HAR file: an object that is not over, or has a log."""
    head = first.removeprefix(b"\xef\xbb\xbf").lstrip()[:4096]
    return head.startswith(b"{") and (b'"log"' in head or head.strip() == b"{")


class _Watched(RawIOBase):
    """A file whose reader is watched."""

    def __init__(self, file: IO[bytes], progress: Callable[[int], None]) -> None:
        self._file = cast(RawIOBase, file)
        self._progress = progress

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]  # what BufferedReader hands over
        count = self._file.readinto(buffer) or 0
        self._progress(count)
        return count


class _Unpacked(RawIOBase):
    """What is in a compressed file, piece by piece, as far as it goes; then `_Broken` if it is damaged or cut off.

    A piece that is read at a time unpacks to what memory holds: of zstd at most 32 MB of a thousand bytes.
    """

    def __init__(self, file: IO[bytes], kind: str, piece: int) -> None:
        self._file = file
        self._kind = kind
        self._piece = piece
        self._decoder: _Decoder | None = None
        self._left = b""
        self._out = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]  # what BufferedReader hands over
        while not self._out:
            raw = self._left or self._file.read(self._piece)
            if not raw:
                if self._decoder is not None:
                    raise _Broken(f"its {self._kind} is cut off: what was before it was read")
                return 0
            self._left = b""
            self._unpack(raw)
        size = len(buffer)
        found, self._out = self._out[:size], self._out[size:]
        buffer[: len(found)] = found
        return len(found)

    def _unpack(self, raw: bytes) -> None:
        if self._decoder is None:
            self._decoder = self._new()
        try:
            self._out = self._decoder.decompress(raw)
        except Exception as error:  # each library has one of its own
            if isinstance(error, MemoryError):
                raise
            raise _Broken(f"its {self._kind} is broken") from None
        if self._decoder.eof:
            # Another member may follow, as in files that were put together; zeroes are padding.
            self._left, self._decoder = self._decoder.unused_data.lstrip(b"\0"), None

    def _new(self) -> _Decoder:
        raise NotImplementedError


class _Decoder(Protocol):
    """What zlib, compression.zstd and zstandard have in common."""

    @property
    def eof(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...

    def decompress(self, data: bytes, /) -> bytes: ...


class _Gzip(_Unpacked):
    """gzip; a piece of 64 KB unpacks to at most 64 MB."""

    def __init__(self, file: IO[bytes]) -> None:
        super().__init__(file, "gzip", 1 << 16)

    def _new(self) -> _Decoder:
        return zlib.decompressobj(31)


class _Zstd(_Unpacked):
    """zstd, by the standard library where it can (from Python 3.14), else by zstandard, of the extra `audit`."""

    def __init__(self, file: IO[bytes]) -> None:
        super().__init__(file, "zstd", 1 << 10)
        try:
            self._make = cast("Callable[[], _Decoder]", import_module("compression.zstd").ZstdDecompressor)
        except ImportError:
            try:
                unpacker = import_module("zstandard")
            except ImportError:
                raise _Broken("it is zstd, for which more is needed: pip install 'paywright[audit]'") from None
            # A window of 128 MB, what `zstd --long` makes, is the most that is unpacked.
            self._make = unpacker.ZstdDecompressor(max_window_size=1 << 27).decompressobj

    def _new(self) -> _Decoder:
        return self._make()
