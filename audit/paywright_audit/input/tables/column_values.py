"""Read the values of a column, of each kind and type that tables of captured traffic have."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, Protocol, TypeAlias, cast

import pyarrow as pa
from pyarrow import types

from paywright_audit.input.tables.table_schema import TableColumn
from paywright_audit.input.times import seconds

Array: TypeAlias = "pa.Array[pa.Scalar[pa.DataType]]"
_UNITS: Final = {"s": 1, "ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}
_LISTS: Final = (pa.ListType, pa.LargeListType, pa.FixedSizeListType)
_FIRST, _LAST = -62_135_596_800, 253_402_300_800  # the years 1 to 9999


_NOT_A_TIME: Final = float("nan")


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
        return _written_times if text else _counted_times if types.is_integer(kind) else None
    if column.kind == "text":
        return _texts if text else None
    if column.kind == "flag":
        return _plain if types.is_boolean(kind) else None
    if column.kind == "status":
        return _plain if types.is_integer(kind) or types.is_floating(kind) else None
    if column.kind == "body":
        return _texts if text else _plain if binary else None
    if _is_text(kind):
        return _texts
    if not isinstance(kind, (*_LISTS, pa.MapType)):
        return None
    inner = kind.value_type if isinstance(kind, _LISTS) else None
    if isinstance(inner, pa.StructType):
        both = inner.num_fields == 2 and all(_is_text(inner.field(place).type) for place in (0, 1))
        return _pairs_of_structs if both and _name_of(inner) is not None else None
    return _texts


def _name_of(kind: pa.StructType) -> int | None:
    """Return the place of the name in structs of a header: the member `name` or `key`, beside `value`; None if that is unclear."""
    names = [kind.field(place).name.lower() for place in (0, 1)]
    known = [place for place, name in enumerate(names) if name in ("name", "key")]
    return known[0] if known and "value" in names else None if known or "value" in names else 0


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
    """Return times of texts, NaN for one that is not understood, such as a time without an offset."""
    found = [(one, None if one is BAD else seconds(one)) for one in _texts(array)]
    return [_NOT_A_TIME if at is None and one is not None else at for one, at in found]


def _counted_times(array: Array) -> Sequence[object]:
    """Return times that are counted since 1970, in the unit that their size shows."""
    found: list[object] = []
    for one in cast("Sequence[int | None]", _plain(array)):
        unit = (
            None
            if one is None
            else next((unit for unit in (1, 1_000, 1_000_000, 1_000_000_000) if abs(one) // unit < 1 << 35), None)
        )
        found.append(None if one is None else _NOT_A_TIME if unit is None else one / unit)
    return found


def _pairs_of_structs(array: Array) -> Sequence[object]:
    """Read all names and all values at once, which is several times faster than a dictionary for each pair."""
    if not isinstance(array, (pa.ListArray, pa.LargeListArray)):
        return _texts(array)
    flat = array.values
    assert isinstance(flat, pa.StructArray)
    try:
        offsets = cast("list[int]", array.offsets.to_pylist())
        start, length = offsets[0], offsets[-1] - offsets[0]
        both = [part.slice(start, length).to_pylist() for part in flat.flatten()]
        pairs = list(zip(*(reversed(both) if _name_of(flat.type) else both), strict=True))
    except UnicodeDecodeError:
        return _texts(array)
    there = array.is_valid().to_pylist()
    return [pairs[offsets[at] - start : offsets[at + 1] - start] if valid else None for at, valid in enumerate(there)]
