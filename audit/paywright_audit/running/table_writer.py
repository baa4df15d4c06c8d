"""Write exchanges as a table of captured traffic, in Parquet, batch by batch."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from decimal import Decimal
from pathlib import Path
from typing import Final, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from paywright_audit.input.addresses import check_address, is_there
from paywright_audit.input.captures.reading import read_input
from paywright_audit.input.errors import AuditSetupError
from paywright_audit.input.records import Decoded, Exact, Exchange, Lost, Message, Parsed
from paywright_audit.input.tables.table_schema import COLUMNS, VERSION, VERSION_KEY
from paywright_runtime.private_files import open_private

__all__ = ["SCHEMA", "Written", "batches_of", "write_table"]

_TYPES: Final[dict[str, pa.DataType]] = {
    "time": pa.timestamp("us", tz="UTC"),
    "text": pa.string(),
    "flag": pa.bool_(),
    "status": pa.int32(),
    "headers": pa.list_(pa.struct([pa.field("name", pa.string()), pa.field("value", pa.string())])),
    "body": pa.binary(),
}
SCHEMA: Final = pa.schema(
    [pa.field(column.name, _TYPES[column.kind]) for column in COLUMNS], metadata={VERSION_KEY: str(VERSION).encode()}
)
"""The schema of the table that we write, as `paywright audit --schema` prints it."""

_ROWS: Final = 1024
_BYTES: Final = 1 << 24


class Written(NamedTuple):
    """Number of exchanges that were written, and of unreadable parts of the captures, which are missing."""

    exchanges: int
    unreadable: int


def write_table(file: Path, captures: Mapping[str, str] | Iterable[str]) -> Written:
    """Write the exchanges of captures as a table in Parquet, a row for each exchange that the audit would read.

    A new file is private to its owner, because captures contain personal data. An existing one keeps its mode.

    Args:
        file: the Parquet file.
        captures: files that `audit_files` takes. A mapping gives each a name for the column `file`.

    Raises:
        AuditSetupError: the file cannot be written, or a capture may be an address with credentials in it.
    """
    unreadable = 0

    def exchanges() -> Iterator[tuple[str, Exchange]]:
        nonlocal unreadable
        for capture in captures:
            if not is_there(capture):
                check_address(capture)
            name = captures[capture] if isinstance(captures, Mapping) else capture
            for one in read_input(capture):
                if isinstance(one, Exchange):
                    yield name, one
                else:
                    unreadable += 1

    return Written(_write(file, exchanges()), unreadable)


def _write(file: Path, exchanges: Iterable[tuple[str, Exchange]]) -> int:
    count = 0
    try:
        with open_private(file) as sink, pq.ParquetWriter(sink, SCHEMA, compression="zstd") as writer:
            for batch in batches_of(exchanges):
                writer.write_batch(batch)
                count += batch.num_rows
    except OSError as error:
        with suppress(OSError):
            file.unlink()
        raise AuditSetupError(f"{file}: {error.strerror or 'it cannot be written'}") from None
    return count


def batches_of(exchanges: Iterable[tuple[str, Exchange]]) -> Iterator[pa.RecordBatch]:
    """Yield batches of at most a thousand rows and about 16 MB."""
    rows: list[tuple[object, ...]] = []
    size = 0
    for file, exchange in exchanges:
        row = _row(file, exchange)
        rows.append(row)
        size += sum(len(part) for part in row if isinstance(part, (bytes, str)))
        if len(rows) == _ROWS or size > _BYTES:
            yield _batch(rows)
            rows.clear()
            size = 0
    if rows:
        yield _batch(rows)


def _batch(rows: list[tuple[object, ...]]) -> pa.RecordBatch:
    columns = zip(*rows, strict=True)
    arrays = [pa.array(list(values), field.type) for values, field in zip(columns, SCHEMA, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=SCHEMA)


def _row(file: str, exchange: Exchange) -> tuple[object, ...]:
    answer = exchange.response
    return (
        _time(exchange.at),
        _time(exchange.until) if exchange.until != exchange.at else None,
        exchange.kind,
        _sound(exchange.url),
        exchange.method,
        exchange.sent,
        *_side(exchange.request),
        *((None, None, None, None) if answer is None else (answer.status, *_side(answer))),
        _sound(file),
        f"{exchange.place} {exchange.number}",
    )


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
    """Return the text without lone surrogates, which no table can hold."""
    return text if text.isascii() else text.encode(errors="replace").decode()


def _json(value: object) -> str:
    """Return a parsed body as JSON, with every digit of its numbers, and lone surrogates as escapes."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{json.dumps(name)}:{_json(one)}" for name, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(_json, value)) + "]"
    return str(value) if isinstance(value, Decimal) else json.dumps(value)
