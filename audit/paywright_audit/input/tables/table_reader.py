"""Read tables of captured traffic batch by batch: our own, or others with a mapping of their columns.

No content of a table raises. A table of something else is one `Unreadable`, as is each row that is not an exchange. The
module needs pyarrow, and is imported only if there is a table.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import types

from paywright_audit.input.members import answer_of, pairs_of, time_of
from paywright_audit.input.records import KINDS, Body, Decoded, Exact, Exchange, Lost, Message, Parsed, Unreadable
from paywright_audit.input.tables.table_schema import ACCEPTED, COLUMNS, FORMS, Columns, NoTable, TableColumn
from paywright_runtime import strict_json

LARGEST: Final = 32 * 1024 * 1024
"""The most bytes of a body or of the headers of a message; rows with more are skipped."""
SEVERAL: Final = "it has several columns of the same name"
_MAX_DEPTH: Final = 64
_UNITS_OF_PLACES: Final = ("line", "entry", "row")
_UNITS: Final = {"s": 1, "ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}
_FIRST, _LAST = -62_135_596_800, 253_402_300_800  # the years 1 to 9999
_LISTS: Final = (pa.ListType, pa.LargeListType, pa.FixedSizeListType)
_TESTS: Final[Mapping[str, Any]] = {
    "text": (types.is_string, types.is_large_string, types.is_string_view),
    "binary": (types.is_binary, types.is_large_binary, types.is_fixed_size_binary, types.is_binary_view),
    "timestamp": (types.is_timestamp,),
    "integer": (types.is_integer,),
    "float": (types.is_floating,),
    "bool": (types.is_boolean,),
    "list": (types.is_list, types.is_large_list, types.is_fixed_size_list, types.is_map),
}
_TAKEN: Final = {
    "time": ("timestamp", "text", "binary", "integer"),
    "text": ("text", "binary"),
    "flag": ("bool",),
    "status": ("integer", "float"),
    "headers": ("list", "text", "binary"),
    "body": ("binary", "text"),
}
_BAD: Final = object()  # stands for a text that is not UTF-8, which a file can contain


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


class Binding:
    """The columns of one table, found by `bind`, each as a path into structs. `names` are the columns that are read."""

    def __init__(self, schema: pa.Schema, found: Mapping[str, Sequence[str]]) -> None:
        self.schema = schema
        self._found = found
        self.names: list[str] = sorted({path[0] for path in found.values()})

    def rows(self, batch: pa.RecordBatch, first: int | None) -> Iterator[Exchange | Unreadable]:
        """Yield the exchange of every row of a batch. `first` is the number of its first row, None if rows have none."""
        values = [self._values(batch, column) for column in COLUMNS]
        for place, row in enumerate(zip(*values, strict=True)):
            yield _exchange(row, *_place(row, None if first is None else first + place))

    def _values(self, batch: pa.RecordBatch, column: TableColumn) -> Sequence[object]:
        path = self._found.get(column.name)
        if path is None:
            return [None] * batch.num_rows
        array: Any = batch.column(path[0])
        for name in path[1:]:  # a member of a null struct is null
            array = array.flatten()[array.type.get_field_index(name)]
        while isinstance(array, (pa.ExtensionArray, pa.DictionaryArray)):
            array = array.storage if isinstance(array, pa.ExtensionArray) else array.dictionary_decode()
        if isinstance(array, pa.TimestampArray):
            # Divided as datetime.timestamp() does, so that a time is the same number from every source.
            unit = _UNITS[array.type.unit]
            numbers = array.cast(pa.int64()).to_pylist()
            return [None if one is None or not _FIRST <= one // unit < _LAST else one / unit for one in numbers]
        try:
            found = _pairs(array) if _is_of_structs(array.type) else array.to_pylist()
        except UnicodeDecodeError:
            found = [_one(array, place) for place in range(len(array))]
        return found if column.kind == "body" or _form_of(array.type) != "binary" else list(map(_text, found))


def _pairs(array: Any) -> list[object]:
    """Read all names and all values at once, which is several times faster than a dictionary for each pair."""
    flat = array.flatten()
    both = [flat.flatten()[place].to_pylist() for place in _names_of(flat.type)]
    pairs = zip(*both, strict=True)
    return [
        None if length is None else list(islice(pairs, length)) for length in pc.list_value_length(array).to_pylist()
    ]


def _one(array: Any, place: int) -> object:
    try:
        value: object = array[place].as_py()
    except UnicodeDecodeError:
        return _BAD
    return value


def _text(value: object) -> object:
    try:
        return value.decode() if isinstance(value, bytes) else value
    except UnicodeDecodeError:
        return _BAD


def bind(schema: pa.Schema, columns: Columns) -> Binding:
    """Find our columns in a table. Raises `NoTable` for a column that is missing or has another type."""
    found: dict[str, Sequence[str]] = {}
    missing = []
    for column in COLUMNS:
        theirs = columns.get(column.name, column.name)
        path, kind = (None, None) if theirs is None else _path(schema, theirs)
        if path is not None and kind is not None:
            if not _is_accepted(column, kind):
                words = f"its column {column.name} is {str(kind).partition('<')[0]}; it must be {ACCEPTED[column.kind]}"
                raise NoTable(words)  # without the names that the type contains
            found[column.name] = path
        elif theirs is not None and (column.required or column.name in columns):
            missing.append((column.name, theirs))
    if not any(column.required and column.name in found for column in COLUMNS):
        raise NoTable(
            "it is a table of something else: it has none of the columns that `paywright audit --schema` prints"
        )
    for ours, theirs in missing:
        if ours != theirs:
            raise NoTable(f"it has no column of the name that was given for {ours}")
        more = ", ".join(name for name, _ in missing[1:])
        raise NoTable(
            f"it has no column {ours}: give its name there with --column {ours}=NAME, or {ours}= if it has none"
            f"{more and f'. The same of {more}'}"
        )
    return Binding(schema, found)


def _path(schema: pa.Schema, name: str) -> tuple[Sequence[str] | None, pa.DataType | None]:
    """Return the path and type of a column: the column of this name, or a member of structs with dots between."""
    for first, *members in ((name,), name.split(".")):
        places = schema.get_all_field_indices(first) or [
            place
            for place, one in enumerate(schema.names)
            if one.lower() == first.lower()  # such as Snowflake's, in capitals
        ]
        if len(places) > 1:
            raise NoTable(SEVERAL)
        if places:
            kind: pa.DataType = schema.field(places[0]).type
            for member in members:
                if not isinstance(kind, pa.StructType) or kind.get_field_index(member) < 0:
                    return None, None
                kind = kind.field(member).type
            return (schema.field(places[0]).name, *members), kind
    return None, None


def _is_accepted(column: TableColumn, kind: pa.DataType) -> bool:
    while isinstance(kind, (pa.BaseExtensionType, pa.DictionaryType)):  # such as JSON, as DuckDB marks its texts
        kind = kind.storage_type if isinstance(kind, pa.BaseExtensionType) else kind.value_type
    if types.is_null(kind):  # an empty column
        return True
    pairs = not isinstance(kind, _LISTS) or not types.is_struct(kind.value_type) or _is_of_structs(kind)
    return _form_of(kind) in _TAKEN[column.kind] and pairs


def _form_of(kind: pa.DataType) -> str:
    return next((form for form, tests in _TESTS.items() if any(test(kind) for test in tests)), "")


def _is_of_structs(kind: pa.DataType) -> bool:
    """Return whether a type is a list of structs of a name (or key) and a value."""
    inner = kind.value_type if isinstance(kind, _LISTS) else None
    return isinstance(inner, pa.StructType) and inner.num_fields == 2 and min(_names_of(inner)) >= 0


def _names_of(kind: pa.StructType) -> tuple[int, int]:
    """Return the places of the name and the value in structs of a header, -1 for one that is not there."""
    return max(kind.get_field_index("name"), kind.get_field_index("key")), kind.get_field_index("value")


def _place(row: tuple[object, ...], number: int | None) -> tuple[str, int]:
    """Return the unit ("": none) and the number of the place that a row names, such as `line 7`, else its own in this table."""
    if isinstance(row[-1], str):
        unit, _, digits = row[-1].rpartition(" ")
        if unit in _UNITS_OF_PLACES and digits.isascii() and digits.isdigit() and len(digits) < 16:
            return unit, int(digits)
    return ("", 0) if number is None else ("row", number)


def _exchange(row: tuple[object, ...], unit: str, number: int) -> Exchange | Unreadable:
    at, until, kind, url, method, sent, *sides, named, _ = row
    file = named if isinstance(named, str) else ""
    odd: list[str] = []
    try:
        if _BAD in row:
            raise NoTable(f"its {COLUMNS[row.index(_BAD)].name} is not UTF-8")
        if kind is not None and kind not in KINDS:
            raise NoTable("its kind is neither call nor notify")
        if url is None:
            raise NoTable("it has no url")
        request = _message(sides[0], sides[1], sides[2], "its request", odd)
        answer = None
        if sides[3] is not None:
            told = _message(sides[4], sides[5], sides[6], "its response", odd)
            answer = answer_of(sides[3], told.headers, told.body, odd)
    except NoTable as why:
        return Unreadable(unit, str(why) if unit else f"a row cannot be read: {why}", number, file)
    which = None if kind is None else KINDS[str(kind)]
    began, ended = time_of(at, odd), time_of(until, [])
    return Exchange(unit, str(url), request, answer, which, began, ended, number, method, sent, file, odd)


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
    if form == "truncated" or body is None or form == "lost":
        return Lost("truncated") if form == "truncated" else Lost()
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
