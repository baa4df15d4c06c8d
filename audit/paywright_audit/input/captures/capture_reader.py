"""Read capture records, one JSON object a line, as the sandbox writes them; and rows of a table as such objects."""

from __future__ import annotations

from collections.abc import Iterator
from io import BufferedReader
from typing import IO, Final, cast

from paywright_audit.input.members import answer_of, pairs_of, record_body, time_of
from paywright_audit.input.records import KINDS, Body, Exchange, Message, Pairs, Unreadable
from paywright_audit.input.tables.rows import row_exchange
from paywright_audit.input.tables.table_schema import COLUMNS
from paywright_runtime import strict_json

try:
    from paywright_audit.input.captures.typed_lines import usual_exchange
except ImportError:  # msgspec is not installed

    def usual_exchange(line: bytes, number: int) -> Exchange | None:
        """Return None, so that the general reader reads every line."""
        return None


MAX_LINE: Final = 32 * 1024 * 1024
_EMPTY: Final = 1_000
"""The number of empty lines that are read one by one before all that follow in the buffer are passed over."""
_MAX_DEPTH: Final = 72  # the maximum depth of a body, plus that of the record around it


class _Wrong(Exception):
    """Raised for a line that is not a record, with the reason."""


def is_record(line: bytes) -> bool:
    """Return whether a first line is that of a capture file."""
    try:
        value = strict_json.parse(line, max_bytes=MAX_LINE, max_depth=_MAX_DEPTH)
    except strict_json.JsonProblem:
        return False
    return isinstance(value, dict) and not isinstance(value.get("log"), dict)


def read_captures(first: bytes, source: IO[bytes], number: int = 1) -> Iterator[Exchange | Unreadable]:
    """Yield the exchange of every line, in constant memory. Raises `OSError`.

    `first` is the first line, already read from `source`, and `number` its number.
    """
    for line in lines_of(first, source):
        if len(line) > MAX_LINE:
            yield Unreadable("line", f"the line has more than {MAX_LINE} bytes", number)
        elif (exchange := usual_exchange(line, number)) is not None:
            yield exchange
        elif line.strip():
            yield _record(line, number)
        number += line_ends(line)


def lines_of(first: bytes, source: IO[bytes]) -> Iterator[bytes]:
    """Yield all lines: of one that is too long only the beginning, and of many empty ones that follow each other some at once."""
    line, empty = first, 0
    while line:
        yield line
        while len(line) > MAX_LINE and not line.endswith(b"\n"):
            line = source.readline(MAX_LINE + 1)
        line = source.readline(MAX_LINE + 1)
        empty = empty + 1 if line == b"\n" else 0
        # A small file can unpack to a hundred million of them.
        if empty > _EMPTY and isinstance(source, BufferedReader):
            blank = source.peek()
            line += source.read(len(blank) - len(blank.lstrip(b"\n")))


def line_ends(line: bytes) -> int:
    """Return how many lines one is that `lines_of` yields: as many as it has characters, if it is empty."""
    return len(line) if line.startswith(b"\n") else 1


def _record(line: bytes, number: int) -> Exchange | Unreadable:
    try:
        value = strict_json.parse(line, max_bytes=MAX_LINE, max_depth=_MAX_DEPTH)
    except strict_json.JsonProblem as problem:
        return Unreadable("line", f"it is not strict JSON: {strict_json.WHY[problem.why]}", number)
    row = {name.lower(): one for name, one in value.items()} if isinstance(value, dict) else {}
    if "v" not in row and ("request_body" in row or "response_body" in row):
        return row_exchange([row.get(column.name) for column in COLUMNS], "line", number)
    try:
        return _exchange(value, number)
    except _Wrong as wrong:
        return Unreadable("line", str(wrong), number)


def _exchange(value: object, number: int) -> Exchange:
    record = _object(value, "the record")
    version = record.get("v")
    if type(version) is int and 1 < version < 1_000:
        raise _Wrong(f"its v is {version}, and this paywright reads 1: audit it with the newer paywright that wrote it")
    if isinstance(version, bool) or (version != 1 and version != "1"):
        raise _Wrong(
            "its v is not 1: another format, rows without the columns of `paywright audit --schema`, or what stands in a log (docs/recording.md, Out of a log)"
        )
    url, kind = record.get("url"), KINDS.get(str(record.get("kind")))
    if kind is None:
        raise _Wrong("its kind is neither call nor notify")
    if not isinstance(url, str):
        raise _Wrong("it has no url")
    odd: list[str] = []
    at, until = time_of(record.get("at"), odd), time_of(record.get("until"), [])
    redacted = record.get("redacted") is True
    asked = _object(record.get("request") or {}, "its request")
    answer: Message | None = None
    if "response" not in record or record["response"] is not None:
        told = _object(record.get("response", {}), "its response")
        headers, body = _parts(told, "its response", redacted, odd)
        answer = answer_of(told.get("status"), headers, body, odd)
    request = Message(*_parts(asked, "its request", redacted, odd))
    method, sent = cast("str | None", asked.get("method")), record.get("sent") is not False
    return Exchange("line", url, request, answer, kind, at, until, number, method, sent, odd=odd)


def _parts(found: dict[str, object], what: str, redacted: bool, odd: list[str]) -> tuple[Pairs, Body]:
    body = record_body(found.get("body"), redacted=redacted)
    if isinstance(body, str):
        raise _Wrong(f"the body of {what} {body}")
    return pairs_of(found.get("headers"), odd), body


def _object(value: object, what: str) -> dict[str, object]:
    if not isinstance(value, dict):
        raise _Wrong(f"{what} is no object")
    return value
