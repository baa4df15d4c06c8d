"""Read tables of captured traffic batch by batch: our own, or others with a mapping of their columns.

A table of something else is refused by `chosen`; each row that is not an exchange is an `Unreadable`. The module needs pyarrow, and is
imported only if there is a table.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from paywright_audit.input.members import answer_of, pairs_of, time_of
from paywright_audit.input.records import KINDS, Body, Decoded, Exact, Exchange, Lost, Message, Parsed, Unreadable
from paywright_audit.input.tables.table_schema import BODY, COLUMNS, FORMS, Columns, NoTable, TableColumn
from paywright_runtime import strict_json

LARGEST: Final = 32 * 1024 * 1024
"""The most bytes of a row."""
_MAX_DEPTH: Final = 64
_PLACE: Final = re.compile("(line|entry|row) ([0-9]{1,15})").fullmatch
_UNITS: Final = {"s": 1, "ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}
_STRUCTS: Final = tuple(
    f"{kind}<{name}: struct<name: string, value: string>>"
    for kind in ("list", "large_list")
    for name in ("element", "item")
)
_VIEWS: Final = {pa.string_view(): pa.string(), pa.binary_view(): pa.binary()}  # whose bytes not every pyarrow counts


def chosen(table: pa.Table, columns: Columns) -> pa.Table:
    """Return our columns of a table, with plain values, whose bytes can be counted.

    Raises `NoTable` for a column that is missing or has another type.
    """
    while any(isinstance(kind, pa.StructType) for kind in table.schema.types):
        table = table.flatten()  # its members are columns with a dot in their names; those of a null are null
    arrays: list[Any] = []
    missing = []
    for column in COLUMNS:
        theirs = columns.get(column.name, column.name)
        places = [] if theirs is None else table.schema.get_all_field_indices(theirs) or _alike(table, theirs)
        if len(places) != 1 and theirs is not None and (column.required or column.name in columns):
            if any(name.lower().startswith(f"{theirs}.".lower()) for name in table.schema.names):
                raise NoTable(f"its column {column.name} is struct; it must be {column.kind.accepted}")
            missing.append(column.name)
        array = _plain(table.column(places[0])) if len(places) == 1 else pa.nulls(table.num_rows)
        if not re.fullmatch(f"{column.kind.types}|null", str(array.type)):
            kind = str(array.type).partition("<")[0]  # without the names that the type contains
            raise NoTable(f"its column {column.name} is {kind}; it must be {column.kind.accepted}")
        arrays.append(array)
    if missing:
        raise NoTable(
            f"it has no column {', '.join(missing)}: give its name there with --column {missing[0]}=NAME, or "
            f"{missing[0]}= if it has none; `paywright audit --schema` prints all"
        )
    return pa.Table.from_arrays(arrays, [column.name for column in COLUMNS])


def _alike(table: pa.Table, name: str) -> list[int]:
    """Return the places of columns of a name in other case, such as Snowflake's, in capitals."""
    return [place for place, one in enumerate(table.schema.names) if one.lower() == name.lower()]


def _plain(array: Any) -> Any:
    """Return a column without marks, such as DuckDB's for JSON, dictionaries and views."""
    kind = array.type
    while isinstance(kind, (pa.BaseExtensionType, pa.DictionaryType)):
        kind = kind.storage_type if isinstance(kind, pa.BaseExtensionType) else kind.value_type
    kind = _VIEWS.get(kind, kind)
    return array if array.type == kind else array.cast(kind)


def exchanges(table: pa.Table, first: int | None) -> Iterator[Exchange | Unreadable]:
    """Yield the exchange of every row of `chosen` columns. `first` is the number of the first row, None if rows have none.

    Rows that cannot be read together are read in halves: too many bytes, or a text that is not UTF-8, which a file can contain.
    """
    try:
        if table.nbytes > LARGEST:
            raise NoTable(f"it has more than {LARGEST >> 20} MB")
        values = list(map(_values, table.columns, COLUMNS))
    except NoTable as why:
        if table.num_rows == 1:
            yield _unreadable(str(why), *_place(None, first))
            return
        half = table.num_rows // 2
        yield from exchanges(table.slice(0, half), first)
        yield from exchanges(table.slice(half), None if first is None else first + half)
        return
    for place, row in enumerate(zip(*values, strict=True)):
        yield _exchange(row, *_place(row[-1], None if first is None else first + place))


def _values(array: Any, column: TableColumn) -> Sequence[object]:
    if isinstance(array.type, pa.TimestampType):
        # Divided as datetime.timestamp() does, so that a time is the same number from every source.
        unit = _UNITS[array.type.unit]
        return [None if one is None else one / unit for one in array.cast(pa.int64()).to_pylist()]
    try:
        found = _pairs(array) if str(array.type).startswith(_STRUCTS) else array.to_pylist()
        return found if column.kind is BODY else [one.decode() if isinstance(one, bytes) else one for one in found]
    except UnicodeDecodeError:
        raise NoTable(f"its {column.name} is not UTF-8") from None


def _pairs(array: Any) -> list[object]:
    """Read all names and all values at once: in older versions of pyarrow, a dictionary for each pair takes several times as long."""
    flat = pc.list_flatten(array)
    pairs = zip(*(pc.struct_field(flat, [name]).to_pylist() for name in ("name", "value")), strict=True)
    return [None if one is None else list(islice(pairs, one)) for one in pc.list_value_length(array).to_pylist()]


def _place(named: object, number: int | None) -> tuple[str, int]:
    """Return the unit ("": none) and the number of the place that a row names, such as `line 7`, else its own in this table."""
    found = _PLACE(named) if isinstance(named, str) else None
    if found:
        return found[1], int(found[2])
    return ("", 0) if number is None else ("row", number)


def _unreadable(why: str, unit: str, number: int, file: str = "") -> Unreadable:
    return Unreadable(unit, why if unit else f"a row cannot be read: {why}", number, file)


def _exchange(row: tuple[Any, ...], unit: str, number: int) -> Exchange | Unreadable:
    at, until, kind, url, method, sent, headers, body, form, *answered, file, _ = row
    odd: list[str] = []
    try:
        if kind is not None and kind not in KINDS:
            raise NoTable("its kind is neither call nor notify")
        if url is None:
            raise NoTable("it has no url")
        request, answer = Message(pairs_of(headers, odd), _body(body, form, "its request")), None
        status, headers, body, form = answered
        if status is not None:
            answer = answer_of(status, pairs_of(headers, odd), _body(body, form, "its response"), odd)
    except NoTable as why:
        return _unreadable(str(why), unit, number, file or "")
    began, ended = time_of(at, odd), time_of(until, [])
    return Exchange(
        unit, url, request, answer, KINDS.get(kind or ""), began, ended, number, method, sent, file or "", odd
    )


def _body(body: str | bytes | None, form: str | None, what: str) -> Body:
    form = form or ("text" if isinstance(body, str) else "exact")
    if form not in FORMS:
        raise NoTable(f"the form of the body of {what} is not one of {', '.join(FORMS)}")
    if form == "truncated" or body is None or form == "lost":
        return Lost("truncated") if form == "truncated" else Lost()
    raw = body.encode() if isinstance(body, str) else body
    if form == "parsed":
        try:
            return Parsed(strict_json.parse(raw, max_bytes=LARGEST, max_depth=_MAX_DEPTH))
        except strict_json.JsonProblem as problem:
            raise NoTable(f"the parsed body of {what} is not strict JSON: {strict_json.WHY[problem.why]}") from None
    return Exact(raw) if form == "exact" else Decoded(raw, "reencoded" if form == "unpacked" else "bytes_lost")
