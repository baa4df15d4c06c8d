"""Tables of the state as frozen dataclasses: one class makes its table, and its objects are the rows.

    @dataclass(frozen=True, kw_only=True)
    class Refund(TableRow, table="refunds", unique=("out_refund_no, merchant",), indexes={"refunds_of": "(order_id)"}):
        merchant: str
        out_refund_no: str
        order_id: int = field(metadata=references("orders"))
        comments: str | None = None
        created_at: datetime

Fields are columns, in their order: `str` is TEXT, `int` and `bool` INTEGER, `bytes` BLOB, `datetime` INTEGER, and NOT NULL
without `| None`. A default that is a number is the column's default too. `State.add`, `find`, `get`, `select` and `change`
write and read rows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, fields
from datetime import UTC, datetime, timedelta
from types import NoneType
from typing import Any, ClassVar, Final, Generic, Self, TypeAlias, TypeVar, get_args, get_type_hints

Cell: TypeAlias = str | int | bytes | None
Row: TypeAlias = Mapping[str, Cell]

R = TypeVar("R", bound="TableRow")

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
_TYPES: Final[Mapping[type, str]] = {
    str: "TEXT", int: "INTEGER", bool: "INTEGER", bytes: "BLOB", datetime: "INTEGER",
}  # fmt: skip

UNIQUE: Final[Mapping[str, str]] = {"constraint": "UNIQUE"}
"""Metadata of a field with unique values."""


def references(table: str) -> Mapping[str, str]:
    """Return the metadata of a field that holds the id of a row of `table`."""
    return {"constraint": f"REFERENCES {table} (id)"}


def joined(column: str) -> Mapping[str, str]:
    """Return the metadata of a field that is read from `column` of the class's `join`, not from the table."""
    return {"joined": column}


def instant(time: datetime) -> int:
    """Return a time in stored form: whole microseconds since 1970 in UTC."""
    return (time - _EPOCH) // _MICROSECOND


def moment(stored: int) -> datetime:
    """Return a stored time, in UTC."""
    return _EPOCH + timedelta(microseconds=stored)


@dataclass(frozen=True, kw_only=True)
class TableRow:
    """A row of a table. `id` is 0 until the row is stored.

    A subclass names its `table`, keys of several columns (`unique`, each as `first, second`), `indexes` by name with the
    SQL after the table's name, and in `join` the SQL that joins other tables for fields that are `joined`.
    """

    TABLE: ClassVar[str]
    _UNIQUE: ClassVar[Sequence[str]]
    _INDEXES: ClassVar[Mapping[str, str]]
    _JOIN: ClassVar[str]

    id: int = 0

    def __init_subclass__(
        cls, *, table: str, unique: Sequence[str] = (), indexes: Mapping[str, str] | None = None, join: str = ""
    ) -> None:
        cls.TABLE = table
        cls._UNIQUE = tuple(unique)
        cls._INDEXES = dict(indexes or {})
        cls._JOIN = join

    def with_fields(self, **changes: object) -> Self:
        """Return a copy with changed fields. Raises `KeyError` for an unknown field.

        Faster than `dataclasses.replace`, whose constructor sets each of an order's 36 fields by a call.
        """
        values = vars(self)
        for name in changes:
            values[name]
        made = object.__new__(type(self))
        vars(made).update(values, **changes)
        return made

    @classmethod
    def table_sql(cls) -> tuple[str, ...]:
        """Return the statements that create the table and its indexes."""
        hints = get_type_hints(cls)
        parts = [_column_sql(one, hints[one.name]) for one in fields(cls) if "joined" not in one.metadata]
        parts += [f"UNIQUE ({columns})" for columns in cls._UNIQUE]
        lines = ",\n    ".join(parts)
        indexes = (f"CREATE INDEX {name} ON {cls.TABLE} {columns}" for name, columns in cls._INDEXES.items())
        return f"CREATE TABLE {cls.TABLE} (\n    {lines}\n)", *indexes

    @classmethod
    def select_sql(cls) -> str:
        """Return a query of all rows, to which `WHERE` or `ORDER BY` can be added."""
        columns = ", ".join(one.metadata.get("joined", f"{cls.TABLE}.{one.name}") for one in fields(cls))
        return f"SELECT {columns} FROM {cls.TABLE} {cls._JOIN}".rstrip()


@dataclass(frozen=True, kw_only=True)
class MerchantRow(TableRow, table=""):
    """Base of rows that belong to a merchant, by its app id."""

    merchant: str


class Layout(Generic[R]):
    """Conversion of one class to rows and back. Use `layout_of`, which makes it once for each class."""

    __slots__ = ("_kind", "_names", "_queries", "_readers", "_stored", "_writers", "insert", "insert_with_id")

    def __init__(self, kind: type[R]) -> None:
        hints = get_type_hints(kind)
        found = {one.name: _python_type(hints[one.name])[0] for one in fields(kind)}
        self._kind = kind
        self._names = tuple(found)
        self._readers = tuple((name, _READ[made]) for name, made in found.items() if made in _READ)
        self._writers = {name: _WRITE[made] for name, made in found.items() if made in _WRITE}
        self._stored = tuple(one.name for one in fields(kind) if "joined" not in one.metadata)
        self._queries: dict[str, str] = {}
        self.insert: str = _insert_sql(kind.TABLE, self._stored[1:])
        self.insert_with_id: str = _insert_sql(kind.TABLE, self._stored)

    def query(self, where: str) -> str:
        """Return the query of the rows that `where` selects: always the same text, which SQLite caches."""
        found = self._queries.get(where)
        if found is None:
            found = self._queries[where] = f"{self._kind.select_sql()} {where}".rstrip()
        return found

    def read(self, row: Sequence[Any]) -> R:
        """Make an object of a row of `query`."""
        values = dict(zip(self._names, row, strict=True))
        for name, convert in self._readers:
            if values[name] is not None:
                values[name] = convert(values[name])
        made = object.__new__(self._kind)  # all fields are there: see `with_fields`
        vars(made).update(values)
        return made

    def cells(self, record: R) -> list[Cell]:
        """Return the cells of a row for `insert_with_id`; `insert` takes all but the first, the id."""
        values = dict(vars(record))
        for name, convert in self._writers.items():
            if values[name] is not None:
                values[name] = convert(values[name])
        return [values[name] for name in self._stored]

    def cell(self, name: str, value: Any) -> Cell:
        """Return the stored form of a field's value. Raises `KeyError` for an unknown column."""
        if name not in self._stored:
            raise KeyError(f"{self._kind.TABLE} has no column {name}")
        convert = self._writers.get(name)
        found: Cell = value if convert is None or value is None else convert(value)
        return found


def layout_of(kind: type[R]) -> Layout[R]:
    """Return the layout of a class of rows, the same one at every call."""
    found: Layout[R] | None = _LAYOUTS.get(kind)
    if found is None:
        found = _LAYOUTS[kind] = Layout(kind)
    return found


_LAYOUTS: Final[dict[type, Layout[Any]]] = {}
_READ: Final[Mapping[type, Callable[[Any], object]]] = {datetime: moment, bool: bool}
_WRITE: Final[Mapping[type, Callable[[Any], Cell]]] = {datetime: instant, bool: int}


def normalised(sql: str) -> str:
    """Return a statement without meaningless white space: around brackets and commas, and double spaces."""
    return re.sub(r"\s*([(),])\s*", r"\1", " ".join(sql.split()))


def _python_type(hint: Any) -> tuple[type, bool]:
    """Return the type of a field without `| None`, and whether it allows None."""
    parts = get_args(hint)
    if not parts:
        return hint, False
    (made,) = (part for part in parts if part is not NoneType)
    return made, NoneType in parts


def _column_sql(one: Field[Any], hint: Any) -> str:
    made, optional = _python_type(hint)
    words = [one.name, _TYPES[made]]
    if one.name == "id":
        words.append("PRIMARY KEY")
    elif not optional:
        words.append("NOT NULL")
    if "constraint" in one.metadata:
        words.append(one.metadata["constraint"])
    if one.name != "id" and one.default is not MISSING and isinstance(one.default, int):
        words.append(f"DEFAULT {int(one.default)}")
    return " ".join(words)


def _insert_sql(table: str, columns: Sequence[str]) -> str:
    return f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"
