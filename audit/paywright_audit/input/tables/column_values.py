"""Read the values of a column, of each kind and type that tables of captured traffic have."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, Protocol, TypeAlias, cast

import pyarrow as pa
from pyarrow import types

from paywright_audit.input.tables.table_schema import TableColumn
from paywright_audit.input.times import seconds
from paywright_runtime import strict_json

__all__ = ["BAD", "Array", "reader_of"]

Array: TypeAlias = "pa.Array[pa.Scalar[pa.DataType]]"
_UNITS: Final = {"s": 1, "ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}
_FIRST, _LAST = -62_135_596_800, 253_402_300_800  # the years 1 to 9999


class _Listable(Protocol):
    """A method of all arrays, which the stubs declare only for each type."""

    def to_pylist(self) -> list[object]: ...


class _Bad:
    """A value that cannot be read."""


BAD: Final = _Bad()
"""Stands for a value that cannot be read."""


def reader_of(column: TableColumn, kind: pa.DataType) -> Callable[[Array], Sequence[object]] | None:
    """Return the function that reads a column of this type; None if the type is not accepted."""
    if isinstance(kind, pa.BaseExtensionType):  # JSON, as DuckDB and hyparquet-writer mark their texts
        stored = reader_of(column, kind.storage_type)
        return stored and (lambda array: stored(cast("pa.ExtensionArray[Any]", array).storage))
    if types.is_binary(kind) and column.kind != "body":  # texts that a writer did not mark as such, or nulls alone
        unmarked = reader_of(column, pa.string())
        return unmarked and (lambda array: unmarked(array.view(pa.string())))
    plain = kind.value_type if isinstance(kind, pa.DictionaryType) else kind
    if types.is_null(kind):  # an empty column
        return lambda array: [None] * len(array)
    text = _is_text(kind)
    binary = (
        types.is_binary(plain)
        or types.is_large_binary(plain)
        or types.is_fixed_size_binary(plain)
        or types.is_binary_view(plain)
    )
    if column.kind == "time":
        if isinstance(kind, pa.TimestampType):
            return _times
        return _written_times if text else None
    if column.kind == "text":
        return _texts if text else None
    if column.kind == "flag":
        return _plain if types.is_boolean(kind) else None
    if column.kind == "status":
        return _plain if types.is_integer(kind) else None
    if column.kind == "body":
        return _texts if text else _plain if binary else None
    return _headers_reader(kind)


def _headers_reader(kind: pa.DataType) -> Callable[[Array], Sequence[object]] | None:
    if isinstance(kind, pa.MapType):
        return _pairs if _is_text(kind.key_type) and _is_text(kind.item_type) else None
    if _is_text(kind):
        return _pairs_of_json
    if not isinstance(kind, (pa.ListType, pa.LargeListType)):
        return None
    inner = kind.value_type
    if isinstance(inner, pa.StructType):
        both = inner.num_fields == 2 and all(_is_text(inner.field(place).type) for place in (0, 1))
        return _pairs_of_structs if both else None
    if isinstance(inner, (pa.ListType, pa.LargeListType)):
        return _pairs if _is_text(inner.value_type) else None
    return None


def _is_text(kind: pa.DataType) -> bool:
    plain = kind.value_type if isinstance(kind, pa.DictionaryType) else kind
    return types.is_string(plain) or types.is_large_string(plain) or types.is_string_view(plain)


def _plain(array: Array) -> Sequence[object]:
    return cast(_Listable, array).to_pylist()


def _texts(array: Array) -> Sequence[object]:
    """Return texts, with `BAD` for those that are not UTF-8, which a file can contain."""
    try:
        return _plain(array)
    except UnicodeDecodeError:
        return [_one(array, place) for place in range(len(array))]


def _one(array: Array, place: int) -> object:
    try:
        value: object = array[place].as_py()
    except UnicodeDecodeError:
        return BAD
    return value


def _times(array: Array) -> Sequence[object]:
    assert isinstance(array.type, pa.TimestampType)
    unit = _UNITS[array.type.unit]
    # Divided as datetime.timestamp() does, so that a time is the same number from every source.
    numbers: Sequence[int | None] = array.cast(pa.int64()).to_pylist()
    return [None if one is None or not _FIRST <= one // unit < _LAST else one / unit for one in numbers]


def _written_times(array: Array) -> Sequence[object]:
    return [None if one is BAD else seconds(one) for one in _texts(array)]


def _pairs(array: Array) -> Sequence[object]:
    return [_checked(one) for one in _texts(array)]


def _pairs_of_json(array: Array) -> Sequence[object]:
    return [_checked(one if one is None or one is BAD else _listed(one)) for one in _texts(array)]


def _listed(text: object) -> object:
    """Return the pairs in a JSON text: an object, a list of lists of two, or a list of objects with `name` and `value`."""
    try:
        value = strict_json.parse(str(text).encode())
    except strict_json.JsonProblem:
        return BAD
    if isinstance(value, dict):
        value = [[*pair] for pair in value.items()]
    if not isinstance(value, list):
        return BAD
    pairs = [[one.get("name"), one.get("value")] if isinstance(one, dict) else one for one in value]
    texts = all(isinstance(pair, list) and all(isinstance(part, str) for part in pair) for pair in pairs)
    return pairs if texts else BAD


def _checked(value: object) -> object:
    if value is None or value is BAD:
        return value
    assert isinstance(value, list)
    pairs = [tuple(pair) if pair is not None else () for pair in value]
    return pairs if all(len(pair) == 2 and None not in pair for pair in pairs) else BAD


def _pairs_of_structs(array: Array) -> Sequence[object]:
    """Read all names and all values at once, which is several times faster than a dictionary for each pair."""
    assert isinstance(array, (pa.ListArray, pa.LargeListArray))
    flat = array.values
    assert isinstance(flat, pa.StructArray)
    try:
        offsets = cast("list[int]", array.offsets.to_pylist())
        start, end = offsets[0], offsets[-1]
        both = [part.slice(start, end - start).to_pylist() for part in flat.flatten()]
    except UnicodeDecodeError:
        return [_dictionaries(_one(array, place)) for place in range(len(array))]
    pairs = list(zip(*both, strict=True))
    there = array.is_valid().to_pylist()
    broken = None in both[0] or None in both[1]
    found: list[object] = []
    for place, valid in enumerate(there):
        here = pairs[offsets[place] - start : offsets[place + 1] - start] if valid else None
        found.append(BAD if broken and here and any(None in pair for pair in here) else here)
    return found


def _dictionaries(value: object) -> object:
    if value is None or value is BAD:
        return value
    assert isinstance(value, list)
    return _checked([None if one is None else list(one.values()) for one in value])
