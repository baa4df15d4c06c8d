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

from paywright_audit.input.records import Exchange, Unreadable
from paywright_audit.input.tables.rows import LARGEST, row_exchange, unreadable
from paywright_audit.input.tables.table_schema import BODY, COLUMNS, Columns, NoTable, TableColumn

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
            yield unreadable(str(why), *_place(first))
            return
        half = table.num_rows // 2
        yield from exchanges(table.slice(0, half), first)
        yield from exchanges(table.slice(half), None if first is None else first + half)
        return
    for place, row in enumerate(zip(*values, strict=True)):
        yield row_exchange(row, *_place(None if first is None else first + place))


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


def _place(number: int | None) -> tuple[str, int]:
    return ("", 0) if number is None else ("row", number)
