"""Open an input: a file or standard input; plain, gzip or zstd; capture records, HAR or a table."""

from __future__ import annotations

import os
import re
import sys
import zlib
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from io import BufferedReader, RawIOBase
from pathlib import Path
from typing import IO, Final, Literal, NamedTuple, Protocol, TypeVar, cast

from paywright_audit.input.captures.capture_reader import MAX_LINE, is_record, read_captures
from paywright_audit.input.captures.chunks import Chunk, entry_chunks, line_chunks
from paywright_audit.input.captures.har import read_har
from paywright_audit.input.records import REST, Exchange, Unreadable
from paywright_audit.input.tables.parquet_files import MAGIC, is_table, read_table
from paywright_audit.input.tables.table_schema import Columns

_BUFFER: Final = 1 << 20
_GZIP: Final = b"\x1f\x8b"
_HAR: Final = re.compile(rb'(?:\xef\xbb\xbf)?\s*\{\s*"log"\s*:\s*\{').match
_ZSTD: Final = b"\x28\xb5\x2f\xfd"
_SKIPPABLE: Final = b"\x2a\x4d\x18"  # behind 0x50 to 0x5f: a frame without content, as seekable files have it


class _Broken(Exception):
    """Raised for compressed data that cannot be unpacked. The message names the format."""


def read_input(name: str, columns: Columns | None = None) -> Iterator[Exchange | Unreadable]:
    """Yield all exchanges of a file (`-`: standard input), and its parts that could not be read.

    It does not raise, whatever the file contains. `columns` maps our names of columns to those of a table.
    """
    if is_table(name):
        return read_table(name, columns or {})
    return _guarded(_opened(name, partial(_read, beside=_folder(name))))


def read_chunks(name: str, size: int) -> Iterator[Chunk | Unreadable]:
    """Yield the chunks of a file, unpacked, each of about `size` bytes; `read_chunk` parses them."""
    return _guarded(_opened(name, partial(_cut, size=size, name=name)))


def read_chunk(chunk: Chunk) -> Iterator[Exchange | Unreadable]:
    """Yield the exchanges of a chunk, as `read_input` does."""
    return _guarded(chunk.exchanges())


_Found = TypeVar("_Found")


def _opened(name: str, read: Callable[[BufferedReader], Iterator[_Found]]) -> Iterator[_Found]:
    if name == "-":
        if sys.stdin is None:
            raise _Broken("it is closed")
        yield from read(cast(BufferedReader, sys.stdin.buffer))
        return
    if Path(name).is_fifo() and not name.startswith("/dev/"):  # opening it would wait for whoever writes
        raise _Broken("it is a pipe: give what writes to it as standard input, for which - stands")
    with open(name, "rb", buffering=_BUFFER) as file:
        yield from read(cast(BufferedReader, file))


def _guarded(found: Iterator[_Found]) -> Iterator[_Found | Unreadable]:
    try:
        yield from found
    except _Broken as broken:
        yield Unreadable("", str(broken), REST)
    except OSError as error:
        yield Unreadable("", error.strerror or "it cannot be read", REST)
    except ValueError:  # a name with a null character
        yield Unreadable("", "it cannot be read", REST)


class _Format(NamedTuple):
    """Format of an opened file: its unit, the file at the first unit, and for lines the first line."""

    unit: Literal["line", "entry"]
    file: BufferedReader
    first: bytes = b""


def _format_of(file: BufferedReader) -> _Format:
    head = file.peek(4)[:4]
    if head == MAGIC:
        raise _Broken("it is Parquet, which cannot be read from a stream: give it as a file")
    if head[:2] == _GZIP:
        file = BufferedReader(cast(RawIOBase, _Gzip(file)), _BUFFER)
    elif head == _ZSTD or (head[1:] == _SKIPPABLE and head[0] >> 4 == 5):
        file = BufferedReader(cast(RawIOBase, _Zstd(file)), _BUFFER)
    named = foreign_format(file.peek(4096)[:4096])
    if named:
        raise _Broken(named)
    if _HAR(file.peek(4096)):
        return _Format("entry", file)
    first = file.readline(MAX_LINE + 1).removeprefix(BOM_UTF8)
    if not first:
        raise _Broken("it is empty")
    if len(first) <= MAX_LINE and (is_record(first) or not _may_be_har(first)):
        return _Format("line", file, first)
    return _Format("entry", file, first)  # no record is that long


def _folder(name: str) -> str:
    return "" if name == "-" else os.path.dirname(name) or "."


def _read(file: BufferedReader, beside: str) -> Iterator[Exchange | Unreadable]:
    unit, file, first = _format_of(file)
    if unit == "entry":
        yield from read_har(first, file, beside)
    else:
        yield from read_captures(first, file)


def _cut(opened: BufferedReader, size: int, name: str) -> Iterator[Chunk | Unreadable]:
    unit, file, first = _format_of(opened)
    if unit == "entry":
        yield from entry_chunks(first, file, size, _folder(name))
    else:
        plain = file is opened and name != "-" and file.seekable()
        yield from line_chunks(
            first, file, size, os.path.realpath(name) if plain else ""
        )  # /dev/stdin is each process's own


def _may_be_har(first: bytes) -> bool:
    """Return whether a first line that is no record may begin a HAR file: an incomplete object, or one with a log."""
    head = first.removeprefix(b"\xef\xbb\xbf").lstrip()[:4096]
    return head.startswith(b"{") and (b'"log"' in head or head.strip() == b"{")


class _Unpacked(RawIOBase):
    """The contents of a compressed file, as far as it can be unpacked. Raises `_Broken` where it is damaged or cut off.

    It unpacks one piece at a time, so that memory is limited: for zstd to 32 MB for each thousand bytes.
    """

    def __init__(self, file: IO[bytes], kind: str, piece: int) -> None:
        self._file = file
        self._kind = kind
        self._piece = piece
        self._decoder: _Decoder | None = None
        self._left = b""
        self._out = memoryview(b"")  # whose slices are no copies

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]  # as BufferedReader calls it
        while not self._out:
            raw = self._left or self._file.read(self._piece)
            if not raw:
                if self._decoder is not None:
                    raise _Broken(f"its {self._kind} is cut off: everything before the cut was read")
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
            self._out = memoryview(self._decoder.decompress(raw))
        except Exception as error:  # each library has its own exception
            if isinstance(error, MemoryError):
                raise
            raise _Broken(f"its {self._kind} is broken") from None
        if self._decoder.eof:
            # Another member may follow, as in concatenated files; zeros are padding.
            self._left, self._decoder = self._decoder.unused_data.lstrip(b"\0"), None

    def _new(self) -> _Decoder:
        raise NotImplementedError


class _Decoder(Protocol):
    """The interface that zlib, compression.zstd and zstandard share."""

    @property
    def eof(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...

    def decompress(self, data: bytes, /) -> bytes: ...


class _Gzip(_Unpacked):
    """gzip. A piece of 64 KB unpacks to at most 64 MB."""

    def __init__(self, file: IO[bytes]) -> None:
        super().__init__(file, "gzip", 1 << 16)

    def _new(self) -> _Decoder:
        return zlib.decompressobj(31)


class _Zstd(_Unpacked):
    """zstd, by the standard library from Python 3.14 on, else by zstandard of the extra `audit`."""

    def __init__(self, file: IO[bytes]) -> None:
        super().__init__(file, "zstd", 1 << 10)
        try:
            self._make = cast("Callable[[], _Decoder]", import_module("compression.zstd").ZstdDecompressor)
        except ImportError:
            try:
                unpacker = import_module("zstandard")
            except ImportError:
                raise _Broken("it is zstd, which needs an extra: pip install 'paywright[audit]'") from None
            # At most a window of 128 MB, which `zstd --long` uses.
            self._make = unpacker.ZstdDecompressor(max_window_size=1 << 27).decompressobj

    def _new(self) -> _Decoder:
        return self._make()


_RECORDS: Final = "write capture records of it (docs/audit.md, Capture your traffic)"
_UNPACK: Final = "unpack it first"

_FORMATS: Final = (
    (rb"PK\x03\x04", "a zip archive: unzip it, and give the .har that is inside, with its other files beside it"),
    (rb"\xfd7zXZ\x00", f"xz: {_UNPACK} (xz -dc FILE | paywright audit -)"),
    (rb"BZh[1-9]", f"bzip2: {_UNPACK} (bzip2 -dc FILE | paywright audit -)"),
    (rb"\x04\x22\x4d\x18", f"lz4: {_UNPACK} (lz4 -dc FILE | paywright audit -)"),
    (rb"\xff\xfe|\xfe\xff|.\x00.\x00", "UTF-16: convert it (iconv -f UTF-16 -t UTF-8 FILE | paywright audit -)"),
    (
        rb"\xd4\xc3\xb2\xa1|\xa1\xb2[\xc3\x3c][\xd4\x4d]|\x4d\x3c\xb2\xa1|\x0a\x0d\x0d\x0a",
        "a pcap: convert it with tshark and packets.py (docs/recording.md, Out of packets)",
    ),
    (rb"ARROW1|\xff{4}|ORC\W|Obj\x01", "Arrow, ORC or Avro: write it as Parquet (docs/audit.md, Tables)"),
    (rb'"?[\w.@]+"?(?:[,;\t]"?[\w.@ ]+"?)+\r?\n', "CSV: export Parquet instead (docs/audit.md, Tables)"),
    (rb"\S+ \S+ \S+ \[\d\d/\w{3}/\d{4}:|\w+ \S+ app/", "an access log, which has no bodies: record with another tool"),
    (rb"(?:[*<>] |== Info|[A-Z]+ \S+ HTTP/1|HTTP/1|[\d:.]+ IP6? )", f"HTTP as a program printed it: {_RECORDS}"),
    (rb"SQLite format 3", f"an SQLite database: {_RECORDS}"),
    (rb"WARC/", f"a WARC: {_RECORDS}"),
    (rb"<\?xml|<!DOCTYPE|<items\b", f"XML, as Burp and Wireshark export it: {_RECORDS}"),
    (rb"(?:---\s+)?(?:http_)?interactions:", f"a cassette of vcrpy or VCR: {_RECORDS}"),
    (rb'\{\s*"version"\s*:\s*\d+,\s*"interactions"', f"a cassette of vcrpy: {_RECORDS}"),
    (rb"responses:", "a file of responses, which has no requests: record with another tool"),
    (rb"[123] [0-9a-f]{24,} \d+", f"a file of GoReplay: {_RECORDS}"),
    (rb'\{\s*"(?:http_interactions|recorded_with)"', f"a cassette of betamax or VCR: {_RECORDS}"),
    (rb'\{\s*"collection"\s*:', f"a report of newman: {_RECORDS}"),
    (rb'\{\s*"requests"\s*:', f"a journal of WireMock: {_RECORDS}"),
    (rb'\{\s*"(?:protocol|imposters)"\s*:', f"an imposter of mountebank, whose answers were written anew: {_RECORDS}"),
    (rb"\{\s*meta:", f"a tape of talkback, whose bodies were written anew: {_RECORDS}"),
    (rb'\[\s*\{\s*"scope"\s*:', f"a recording of nock, which has parsed bodies: {_RECORDS}"),
    (rb'\[\s*\{\s*"hash"\s*:', f"a snapshot of undici: {_RECORDS}"),
    (
        rb'\{\s*"info"\s*:\s*\{[^}]*"(?:_postman_id|schema)"',
        "a collection of Postman, which has no answers: run it with newman",
    ),
    (rb'\{\s*"constants"\s*:', "a net-log of Chromium: export a HAR file instead"),
    (
        rb'\{\s*"mappings"\s*:',
        f"mappings of WireMock, which have no requests as they were sent: take its journal, and {_RECORDS}",
    ),
    (rb"\d+:9:websocket;", "a file of mitmproxy: convert it with records.py (docs/audit.md, Capture your traffic)"),
    (rb'[\[{\s]*(?:"index"\W+)?"(?:_index"\W+packets-|http_\w+_trace")', f"from Wireshark or Envoy: {_RECORDS}"),
    (
        rb'[^{\[\s\xef][^{\n]{1,200}\{"v":',
        "a log: cut off what stands before records (sed 's/^[^{]*//' FILE | paywright audit -)",
    ),
    (rb"\[", "a JSON array: write one record a line (jq -c '.[]' FILE | paywright audit -)"),
)
_FOREIGN: Final = [
    (re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:" + form + rb")", re.DOTALL).match, words) for form, words in _FORMATS
]


def foreign_format(head: bytes) -> str:
    """Return what a file is by its beginning, and what to do with it, in words; "" for what may be a capture."""
    words = next((words for begins, words in _FOREIGN if begins(head)), "")
    return words and f"it is {words}"
