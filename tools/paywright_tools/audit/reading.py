"""Opens what the audit is given: a file or standard input, plain or gzip, capture records or HAR."""

from __future__ import annotations

import gzip
import sys
import zlib
from collections.abc import Iterator
from io import BufferedReader
from typing import IO, cast

from paywright_tools.audit.capture_reader import MAX_LINE, is_record, read_captures
from paywright_tools.audit.har import read_har
from paywright_tools.audit.records import Exchange, Unreadable

__all__ = ["read_input"]


def read_input(name: str) -> Iterator[Exchange | Unreadable]:
    """All exchanges of a file, `-` for standard input, and what of it could not be read. Raises nothing that a file could provoke."""
    try:
        if name == "-":
            yield from _read(cast(BufferedReader, sys.stdin.buffer))
        else:
            with open(name, "rb") as file:
                yield from _read(file)
    except (OSError, EOFError, zlib.error) as error:  # gzip.BadGzipFile is an OSError
        broken = isinstance(error, (EOFError, zlib.error, gzip.BadGzipFile))
        why = "its gzip is broken" if broken else getattr(error, "strerror", None) or "it cannot be read"
        yield Unreadable("the file", str(why))
    except ValueError:  # a name with a null character
        yield Unreadable("the file", "it cannot be read")


def _read(file: BufferedReader) -> Iterator[Exchange | Unreadable]:
    packed = file.peek(2)[:2] == b"\x1f\x8b"
    source = cast("IO[bytes]", gzip.GzipFile(fileobj=file) if packed else file)  # closed by whoever opened the file
    first = source.readline(MAX_LINE + 1)
    if not first:
        yield Unreadable("the file", "it is empty")
    elif len(first) <= MAX_LINE and (is_record(first) or not _may_be_har(first)):
        yield from read_captures(first, source)
    else:
        yield from read_har(first, source)  # no record is longer than that


def _may_be_har(first: bytes) -> bool:
    """Whether a first line, which is no record, begins a HAR file: an object that is not over, or has a log."""
    head = first.removeprefix(b"\xef\xbb\xbf").lstrip()[:4096]
    return head.startswith(b"{") and (b'"log"' in head or head.strip() == b"{")
