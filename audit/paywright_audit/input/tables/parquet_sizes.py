"""Limit the memory of reading Parquet: the size of its pages, which pyarrow unpacks whole, and the rows of a batch."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pyarrow as pa

if TYPE_CHECKING:
    from pyarrow.parquet import ColumnChunkMetaData, ParquetFile

__all__ = ["MOST_OF_A_ROW", "Damaged", "TooLarge", "parts_of", "rows_at_a_time"]

MOST_OF_A_ROW: Final = 1 << 25
"""The most bytes of a row; larger rows are skipped."""
_ROWS: Final = 1024  # of a batch, or fewer if they take more bytes than these:
_BYTES: Final = 1 << 24
_MOST_OF_PAGES: Final = 3 << 24
"""The most bytes of the pages that are held at a time: of each column one, and its dictionary."""
_BELIEVED: Final = 1 << 22
_SMALL: Final = _BYTES // _ROWS
_CODECS: Final = {"LZ4": "lz4_raw"}


class TooLarge(Exception):
    """Raised for a page that takes too much memory."""


class Damaged(Exception):
    """Raised for a page that cannot be read."""


def rows_at_a_time(
    file: ParquetFile, group: int, names: Collection[str], source: pa.NativeFile, *, remote: bool
) -> int:
    """Return the number of rows of a row group to read at a time, so that they take about 16 MB, however they are packed.

    `names` are the columns to read. The headers of pages are read from `source`; if it is `remote`, only unless the end of the
    file says that the column is small. Raises `TooLarge` and `Damaged`.
    """
    metadata = file.metadata.row_group(group)
    held = [name for name in names if "dictionary<" in str(file.schema_arrow.field(name).type)]
    most, left = 1.0 * _ROWS, _MOST_OF_PAGES
    for place in range(metadata.num_columns):
        column, schema = metadata.column(place), file.schema.column(place)
        if not _is_of(column, names):
            continue
        nested = schema.max_repetition_level > 0
        each = max(1.0, column.num_values / max(1, metadata.num_rows)) if nested else 1.0
        value, largest = _largest(source, column, left, whole=_is_of(column, held), remote=remote, count=nested)
        width = (schema.length or 1) if schema.physical_type == "FIXED_LEN_BYTE_ARRAY" else 8
        most, left = min(most, _BYTES / (max(value, width) * each)), left - largest
    return max(1, int(most))


def parts_of(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a batch in parts of about 16 MB; a larger row is a part of its own."""
    if batch.num_rows < 2 or batch.nbytes <= _BYTES:
        yield batch
        return
    half = batch.num_rows // 2
    yield from parts_of(batch.slice(0, half))
    yield from parts_of(batch.slice(half))


def _is_of(column: ColumnChunkMetaData, names: Collection[str]) -> bool:
    path = column.path_in_schema
    return any(path == name or path.startswith(f"{name}.") for name in names)


def _largest(
    source: pa.NativeFile, column: ColumnChunkMetaData, left: int, *, whole: bool, remote: bool, count: bool
) -> tuple[float, int]:
    """Return the bytes of the largest value, by the average of each page and the most of a dictionary, and of the largest pages.

    With `whole` all pages are held at a time; with `count` one row may have all values of a page. Raises `TooLarge` if the pages
    take more than `left`.
    """
    repeats = "DELTA_BYTE_ARRAY" in column.encodings  # a value may contain all of the one before it
    value, dictionary, largest, total = 0.0, 0, 0, 0
    for page in _believed(source, column) if remote else _pages(source, column):
        total += page.size
        dictionary = max(dictionary, page.size if page.kind == _DICTIONARY else 0)
        held = dictionary + (page.size if page.kind != _DICTIONARY else 0)
        largest = max(largest, total if whole else held, page.packed // 2, 8 * page.values if count else 0)
        if largest > left:
            raise TooLarge
        if page.kind == _DICTIONARY:
            value = max(value, _longest(source, column, page))
        elif page.values:
            value = max(value, page.size if repeats else page.size / page.values)
    return value, largest


def _longest(source: pa.NativeFile, column: ColumnChunkMetaData, page: _PageHeader) -> int:
    """Return the length of the longest text of a dictionary, or an upper bound."""
    if column.physical_type != "BYTE_ARRAY":
        return 0
    if page.size <= _SMALL:
        return page.size
    source.seek(page.start)
    content = source.read(page.packed)
    try:
        if column.compression != "UNCOMPRESSED":
            codec: Any = pa.Codec
            name = _CODECS.get(column.compression, column.compression.lower())
            content = codec(name).decompress(content, page.size, asbytes=True)
    except (pa.ArrowException, OSError, ValueError):  # packed in an unknown way
        return page.size
    at = longest = 0
    while at + 4 <= len(content):
        length = int.from_bytes(content[at : at + 4], "little")
        longest = max(longest, length)
        at += 4 + length
    return longest


class _PageHeader(NamedTuple):
    """A page of a column: its kind, its unpacked and packed size, its number of values, and the start of its content."""

    kind: int
    size: int
    packed: int
    values: int
    start: int


def _believed(source: pa.NativeFile, column: ColumnChunkMetaData) -> Iterator[_PageHeader]:
    """Yield the dictionary of a column and the rest as one page, by the end of the file; if that is large, all pages."""
    if column.total_uncompressed_size > _BELIEVED:
        yield from _pages(source, column)
        return
    if column.has_dictionary_page and column.total_uncompressed_size > _SMALL:
        yield from islice(_pages(source, column), 1)
    yield _PageHeader(_DATA, column.total_uncompressed_size, 0, column.num_values, 0)


# The headers of pages, in Thrift's compact protocol.

_DATA, _DICTIONARY = 0, 2
_MEMBERS: Final = {_DATA: 5, _DICTIONARY: 7, 3: 8}
"""The member with the number of values, by type of page. 3 is the second form of data."""
_FIRST_READ: Final = 1 << 12
_LARGEST_HEADER: Final = 1 << 24
_DEPTH: Final = 8


def _pages(source: pa.NativeFile, column: ColumnChunkMetaData) -> Iterator[_PageHeader]:
    start = column.data_page_offset
    if column.has_dictionary_page and column.dictionary_page_offset is not None:
        start = min(start, column.dictionary_page_offset)
    end = start + column.total_compressed_size
    while start < end:
        header, length = _header(source, start, end)
        kind, size, packed = (_whole_number(header, member) for member in (1, 2, 3))
        more = header.get(_MEMBERS.get(kind, 0))
        yield _PageHeader(kind, size, packed, _whole_number(more, 1) if isinstance(more, dict) else 0, start + length)
        start += length + packed


def _whole_number(struct: Mapping[int, object], member: int) -> int:
    value = struct.get(member)
    if not isinstance(value, int) or value < 0:
        raise Damaged
    return value


def _header(source: pa.NativeFile, start: int, end: int) -> tuple[dict[int, object], int]:
    wanted = _FIRST_READ
    while True:
        source.seek(start)
        data = source.read(min(wanted, end - start))
        try:
            return _struct(data, 0, _DEPTH)
        except IndexError:
            if len(data) < wanted or wanted >= _LARGEST_HEADER:
                raise Damaged from None
            wanted *= 16


def _struct(data: bytes, at: int, depth: int) -> tuple[dict[int, object], int]:
    if not depth:
        raise Damaged
    found: dict[int, object] = {}
    member = 0
    while head := data[at]:
        at += 1
        if head >> 4:
            member += head >> 4
        else:
            member, at = _number(data, at)
        found[member], at = _value(data, at, head & 15, depth)
    return found, at + 1


def _value(data: bytes, at: int, kind: int, depth: int) -> tuple[object, int]:
    if kind in (1, 2):  # true and false
        return None, at
    if kind == 3:
        return None, at + 1
    if kind in (4, 5, 6):
        return _number(data, at)
    if kind == 7:
        return None, at + 8
    if kind == 8:
        length, at = _unsigned(data, at)
        return None, at + length
    if kind == 12:
        return _struct(data, at, depth - 1)
    raise Damaged  # no header has lists


def _number(data: bytes, at: int) -> tuple[int, int]:
    number, at = _unsigned(data, at)
    return number >> 1 ^ -(number & 1), at


def _unsigned(data: bytes, at: int) -> tuple[int, int]:
    number = 0
    for shift in range(0, 70, 7):
        byte = data[at]
        at += 1
        number |= (byte & 127) << shift
        if byte < 128:
            return number, at
    raise Damaged
