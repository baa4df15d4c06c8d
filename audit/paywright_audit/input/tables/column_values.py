"""Read the values of a column, of each kind and type that tables of captured traffic have."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, Protocol, TypeAlias, cast

import pyarrow as pa
from pyarrow import types

from paywright_audit.input.tables.table_schema import TableColumn
from paywright_audit.input.times import seconds
from paywright_runtime import strict_json

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
    return _headers_reader(kind)


def _headers_reader(kind: pa.DataType) -> Callable[[Array], Sequence[object]] | None:
    if _is_text(kind):
        return _pairs_of_json
    if isinstance(kind, pa.MapType):
        if not _is_text(kind.key_type):
            return None
        return _pairs if _is_text(kind.item_type) else _several if _is_texts(kind.item_type) else None
    if not isinstance(kind, _LISTS):
        return None
    inner = kind.value_type
    if isinstance(inner, pa.StructType):
        both = inner.num_fields == 2 and all(_is_text(inner.field(place).type) for place in (0, 1))
        if not both or _name_of(inner) is None:
            return None
        return _pairs_of_structs
    return _pairs if _is_texts(inner) else None


def _is_texts(kind: pa.DataType) -> bool:
    return isinstance(kind, _LISTS) and _is_text(kind.value_type)


def _name_of(kind: pa.StructType) -> int | None:
    """Return the place of the name in structs of a header: the member `name` or `key`, beside `value`; None if that is unclear."""
    names = [kind.field(place).name.lower() for place in (0, 1)]
    if set(names) & {"name", "key", "value"}:
        return next(
            (place for place, name in enumerate(names) if name in ("name", "key") or names[1 - place] == "value"), None
        )
    return 0


def _several(array: Array) -> Sequence[object]:
    """Return pairs of maps that have several values for a name."""
    return [
        (
            one
            if one is None or one is BAD
            else [(name, value) for name, values in cast("list[tuple[str, list[str]]]", one) for value in values or ()]
        )
        for one in _texts(array)
    ]


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
        if _name_of(flat.type):
            both.reverse()
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
    pairs = [None if one is None else list(one.items()) for one in value]
    backwards = any(pair and pair[0][0].lower() == "value" for pair in pairs)
    return _checked([pair and [one for _, one in (reversed(pair) if backwards else pair)] for pair in pairs])
