"""Read tables of captured traffic batch by batch: our own, or others with a mapping of their columns.

No content of a table raises. A table of something else is one `Unreadable`, as is each row that is not an exchange. The
module needs pyarrow, and is imported only if there is a table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, NamedTuple

import pyarrow as pa

from paywright_audit.input.members import answer_of, pairs_of
from paywright_audit.input.records import (
    KINDS,
    Body,
    Decoded,
    Exact,
    Exchange,
    Lost,
    Message,
    Parsed,
    Unreadable,
)
from paywright_audit.input.tables.column_values import BAD, Array, reader_of
from paywright_audit.input.tables.table_schema import (
    ACCEPTED,
    COLUMNS,
    FORMS,
    Columns,
    TableColumn,
)
from paywright_runtime import strict_json

LARGEST: Final = 32 * 1024 * 1024
"""The most bytes of a body or of the headers of a message; rows with more are skipped."""
SEVERAL: Final = "it has several columns of the same name"
_MAX_DEPTH: Final = 64
_UNITS_OF_PLACES: Final = ("line", "entry", "row")


class NoTable(Exception):
    """Raised for a table that cannot be read as captured traffic. The message holds our own words only."""


_REQUIRED: Final = tuple(column.name for column in COLUMNS if column.required)


def read_batches(batches: Iterable[pa.RecordBatch], columns: Columns) -> Iterator[Exchange | Unreadable]:
    """Yield the exchange of every row. Rows have only the place that they name, because batches come in any order."""
    binding: Binding | None = None
    for batch in batches:
        if binding is None or binding.schema is not batch.schema:
            try:
                binding = bind(batch.schema, columns)
            except NoTable as why:
                yield Unreadable("", str(why))
                return
        yield from binding.rows(batch, None)


class _Found(NamedTuple):
    """Place of one of our columns in a table: the names of the structs that contain it, and its reader."""

    path: tuple[str, ...]
    read: Callable[[Array], Sequence[object]]


class Binding:
    """The columns of one table, found by `bind`. `names` are the columns that are read."""

    def __init__(self, schema: pa.Schema, found: dict[str, _Found]) -> None:
        self.schema = schema
        self._found = found
        self.names: list[str] = sorted({one.path[0] for one in found.values()})

    def rows(self, batch: pa.RecordBatch, first: int | None) -> Iterator[Exchange | Unreadable]:
        """Yield the exchange of every row of a batch. `first` is the number of its first row, None if rows have none."""
        values = [self._values(batch, column) for column in COLUMNS]
        # Most batches have no bad value, so that their rows need not be checked one by one.
        sound = not any(_doubtful(column, here) for column, here in zip(COLUMNS, values, strict=True))
        number = first
        for row in zip(*values, strict=True):
            yield _exchange(row, _place(row, number), "" if sound else _first_problem(row))
            if number is not None:
                number += 1

    def _values(self, batch: pa.RecordBatch, column: TableColumn) -> Sequence[object]:
        found = self._found.get(column.name)
        if found is None:
            return [None] * batch.num_rows
        array: Array = batch.column(found.path[0])
        for name in found.path[1:]:
            # A member of a null struct is null.
            assert isinstance(array, pa.StructArray)
            array = array.flatten()[array.type.get_field_index(name)]
        return found.read(array)


def bind(schema: pa.Schema, columns: Columns) -> Binding:
    """Find our columns in a table. Raises `NoTable` for a column that is missing or has another type."""
    found: dict[str, _Found] = {}
    missing = []
    for column in COLUMNS:
        theirs = columns.get(column.name, column.name)
        if theirs is None:
            continue
        path = _path(schema, theirs)
        if path is None:
            if column.required or column.name in columns:
                missing.append((column.name, theirs))
            continue
        read = reader_of(column, path[1])
        if read is None:
            raise NoTable(f"its column {column.name} is {_words(path[1])}; it must be {ACCEPTED[column.kind]}")
        found[column.name] = _Found(path[0], read)
    if not found.keys() & set(_REQUIRED):
        raise NoTable(
            "it is a table of something else: it has none of the columns that `paywright audit --schema` prints"
        )
    if missing:
        ours, theirs = missing[0]
        if ours != theirs:
            raise NoTable(f"it has no column of the name that was given for {ours}")
        raise NoTable(
            f"it has no column {ours}: give its name there with --column {ours}=NAME, or {ours}= if it has none"
        )
    return Binding(schema, found)


def _path(schema: pa.Schema, name: str) -> tuple[tuple[str, ...], pa.DataType] | None:
    """Return the path and type of a column: the column of this name, or a member of structs with dots between."""
    for path in ((name,), tuple(name.split("."))):
        places = schema.get_all_field_indices(path[0]) or [
            place
            for place, one in enumerate(schema.names)
            if one.lower() == path[0].lower()  # such as Snowflake's, in capitals
        ]
        if len(places) > 1:
            raise NoTable(SEVERAL)
        if not places:
            continue
        kind: pa.DataType = schema.field(places[0]).type
        for member in path[1:]:
            if not isinstance(kind, pa.StructType) or kind.get_field_index(member) < 0:
                return None
            kind = kind.field(member).type
        return (schema.field(places[0]).name, *path[1:]), kind
    return None


def _words(kind: pa.DataType) -> str:
    """Return the name of a type without names that it contains."""
    return str(kind).partition("<")[0]


class _Place(NamedTuple):
    """Place of a row: the capture that it comes from ("": this table), the capture's unit ("": none), and the number."""

    file: str
    unit: str
    number: int


def _exchange(row: tuple[object, ...], place: _Place, why: str) -> Exchange | Unreadable:
    if why:
        return _unreadable(place, why)
    at, until, kind, url, method, sent, *sides = row
    odd: list[str] = []
    try:
        request = _message(sides[0], sides[1], sides[2], "its request", odd)
        answer = None
        if sides[3] is not None:
            told = _message(sides[4], sides[5], sides[6], "its response", odd)
            answer = answer_of(sides[3], told.headers, told.body, odd)
    except NoTable as wrong:
        return _unreadable(place, str(wrong))
    assert at is None or isinstance(at, float)
    assert until is None or isinstance(until, float)
    if at is not None and at != at:
        at = None
        odd.append("time")
    if until is not None and until != until:
        until = None
    return Exchange(
        place.unit,
        str(url),
        request,
        answer,
        None if kind is None else KINDS[str(kind)],
        at,
        until,
        place.number,
        method,
        sent,
        place.file,
        odd,
    )


def _unreadable(place: _Place, why: str) -> Unreadable:
    if not place.unit:
        return Unreadable("", f"a row cannot be read: {why}", file=place.file)
    return Unreadable(place.unit, why, place.number, place.file)


def _doubtful(column: TableColumn, values: Sequence[object]) -> bool:
    """Return whether a row may have a value that `_first_problem` reports."""
    if BAD in values or (column.name == "url" and None in values):
        return True
    return column.name == "kind" and not set(values) <= {None, *KINDS}


def _first_problem(row: tuple[object, ...]) -> str:
    """Return the first value of a row that cannot be read or is missing, in words; "" if there is none."""
    for column, value in zip(COLUMNS, row, strict=True):
        if value is BAD:
            return f"its {column.name} is not UTF-8"
        if column.name == "kind" and value is not None and value not in KINDS:
            return "its kind is neither call nor notify"
        if column.name == "url" and value is None:
            return "it has no url"
    return ""


def _message(headers: object, body: object, form: object, what: str, odd: list[str]) -> Message:
    pairs = pairs_of(headers, odd)
    if sum(len(name) + len(value) for name, value in pairs) > LARGEST:
        raise NoTable(f"the headers of {what} have more than {LARGEST} bytes")
    return Message(pairs, _body(body, form, what))


def _body(body: object, form: object, what: str) -> Body:
    if form is None:
        form = "lost" if body is None else "text" if isinstance(body, str) else "exact"
    if form not in FORMS:
        raise NoTable(f"the form of the body of {what} is not one of {', '.join(FORMS)}")
    if form == "truncated":
        return Lost("truncated")
    if body is None or form == "lost":
        return Lost()
    assert isinstance(body, (str, bytes))
    raw = body.encode() if isinstance(body, str) else body
    if len(raw) > LARGEST:
        raise NoTable(f"the body of {what} has more than {LARGEST} bytes")
    if form == "parsed":
        try:
            return Parsed(strict_json.parse(raw, max_bytes=LARGEST, max_depth=_MAX_DEPTH))
        except strict_json.JsonProblem as problem:
            raise NoTable(f"the parsed body of {what} is not strict JSON: {strict_json.WHY[problem.why]}") from None
    return Exact(raw) if form == "exact" else Decoded(raw, "reencoded" if form == "unpacked" else "bytes_lost")


def _place(row: tuple[object, ...], number: int | None) -> _Place:
    """Return the place that a row names, such as `line 7`, else its own in this table if rows have numbers."""
    file, place = row[-2:]
    name = file if isinstance(file, str) else ""
    if isinstance(place, str):
        unit, _, digits = place.rpartition(" ")
        if unit in _UNITS_OF_PLACES and digits.isascii() and digits.isdigit() and len(digits) < 16:
            return _Place(name, unit, int(digits))
    return _Place(name, "", 0) if number is None else _Place(name, "row", number)
