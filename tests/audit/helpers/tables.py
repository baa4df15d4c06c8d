"""Captures as tables in Parquet: a row for each exchange that the audit reads, with the columns that it documents."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from paywright_audit.input.captures.reading import read_input
from paywright_audit.input.records import Decoded, Exact, Exchange, Lost, Message, Parsed
from paywright_audit.input.tables.table_schema import BODY, COLUMNS, FLAG, HEADERS, STATUS, TEXT, TIME, ColumnKind

__all__ = ["SCHEMA", "table_of", "write_table"]

_TYPES: dict[ColumnKind, pa.DataType] = {
    TIME: pa.timestamp("us", tz="UTC"),
    TEXT: pa.string(),
    FLAG: pa.bool_(),
    STATUS: pa.int32(),
    HEADERS: pa.list_(pa.struct([pa.field("name", pa.string()), pa.field("value", pa.string())])),
    BODY: pa.binary(),
}
SCHEMA = pa.schema([pa.field(column.name, _TYPES[column.kind]) for column in COLUMNS])


def write_table(file: Path, captures: Mapping[str, str] | Iterable[str]) -> None:
    """Write the exchanges of captures. A mapping gives each capture a name for the column `file`."""
    names = captures if isinstance(captures, Mapping) else {one: one for one in captures}
    pq.write_table(
        table_of((name, one) for capture, name in names.items() for one in read_input(capture)),
        file,
        compression="zstd",
    )


def table_of(exchanges: Iterable[tuple[str, object]]) -> Any:
    rows = [_row(file, one) for file, one in exchanges if isinstance(one, Exchange)]
    columns = zip(*rows, strict=True) if rows else ((),) * len(SCHEMA)
    arrays = [pa.array(list(values), field.type) for values, field in zip(columns, SCHEMA, strict=True)]
    return pa.Table.from_arrays(arrays, schema=SCHEMA)


def _row(file: str, exchange: Exchange) -> tuple[object, ...]:
    answer = exchange.response
    return (
        _time(exchange.at), _time(exchange.until) if exchange.until != exchange.at else None,
        exchange.kind, _sound(exchange.url), exchange.method, exchange.sent, *_side(exchange.request),
        *((None, None, None, None) if answer is None else (answer.status, *_side(answer))),
        _sound(file), f"{exchange.place} {exchange.number}",
    )  # fmt: skip


def _side(message: Message) -> tuple[object, object, str | None]:
    body = message.body
    headers = [{"name": _sound(name), "value": _sound(value)} for name, value in message.headers]
    if isinstance(body, Exact):
        return headers, body.raw, None
    if isinstance(body, Decoded):
        return headers, body.raw, "unpacked" if body.why == "reencoded" else "text"
    if isinstance(body, Parsed):
        return headers, _json(body.value).encode(), "parsed"
    assert isinstance(body, Lost)
    return headers, None, "truncated" if body.why == "truncated" else None


def _time(at: float | None) -> int | None:
    return None if at is None else round(at * 1_000_000)


def _sound(text: str) -> str:
    """The text without lone surrogates, which no table can hold."""
    return text if text.isascii() else text.encode(errors="replace").decode()


def _json(value: object) -> str:
    """A parsed body as JSON, with every digit of its numbers, and lone surrogates as escapes."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{json.dumps(name)}:{_json(one)}" for name, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(_json, value)) + "]"
    return str(value) if isinstance(value, Decimal) else json.dumps(value)
