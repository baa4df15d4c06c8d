"""Reads capture records: one JSON object a line, as the sandbox writes them."""

from __future__ import annotations

from binascii import Error as Base64Error
from binascii import a2b_base64
from collections.abc import Iterator
from typing import IO, Final, Literal

from paywright_runtime import strict_json
from paywright_tools.audit.records import Body, Exact, Exchange, Lost, Message, Pairs, Parsed, Perhaps, Unreadable

__all__ = ["MAX_LINE", "is_record", "read_captures"]

MAX_LINE: Final = 32 * 1024 * 1024
_MAX_DEPTH: Final = 72  # a body as deep as a body may be, inside a record
_KINDS: Final[dict[str, Literal["call", "notify"]]] = {"call": "call", "notify": "notify"}


class _Wrong(Exception):
    """Why something is no record."""


def is_record(line: bytes) -> bool:
    """Whether a first line is that of a capture file."""
    try:
        value = strict_json.parse(line, max_bytes=MAX_LINE, max_depth=_MAX_DEPTH)
    except strict_json.JsonProblem:
        return False
    return isinstance(value, dict) and "v" in value


def read_captures(first: bytes, source: IO[bytes]) -> Iterator[Exchange | Unreadable]:
    """Every line of `source`, of which `first` was read already; in constant memory. Raises `OSError` as reading does."""
    number, line = 1, first
    while line:
        if len(line) > MAX_LINE:
            yield Unreadable(f"line {number}", f"the line has more than {MAX_LINE} bytes")
            while line and not line.endswith(b"\n"):
                line = source.readline(MAX_LINE)
        elif line.strip():
            yield _record(f"line {number}", line)
        line = source.readline(MAX_LINE + 1)
        number += 1


def _record(place: str, line: bytes) -> Exchange | Unreadable:
    try:
        value = strict_json.parse(line, max_bytes=MAX_LINE, max_depth=_MAX_DEPTH)
    except strict_json.JsonProblem as problem:
        return Unreadable(place, f"it is not strict JSON: {strict_json.WHY[problem.why]}")
    try:
        return _exchange(place, value)
    except _Wrong as wrong:
        return Unreadable(place, str(wrong))


def _exchange(place: str, value: object) -> Exchange:
    record = _object(value, "the record")
    if record.get("v") != 1 or isinstance(record.get("v"), bool):
        raise _Wrong("its v is not 1: another version of the format, or none")
    url, kind = record.get("url"), _KINDS.get(str(record.get("kind")))
    if kind is None:
        raise _Wrong("its kind is neither call nor notify")
    if not isinstance(url, str):
        raise _Wrong("it has no url")
    if "response" not in record:
        raise _Wrong("it has no response; null stands for none")
    answer = record["response"]
    return Exchange(
        place,
        url,
        _message(record.get("request"), "its request"),
        None if answer is None else _answer(answer),
        kind,
    )


def _answer(value: object) -> Message:
    status = _object(value, "its response").get("status")
    if not isinstance(status, int) or isinstance(status, bool):
        raise _Wrong("its response has no status")
    message = _message(value, "its response")
    message.status = status
    return message


def _message(value: object, what: str) -> Message:
    found = _object(value, what)
    return Message(_headers(found.get("headers"), what), _body(found.get("body"), what))


def _headers(value: object, what: str) -> Pairs:
    if not isinstance(value, list):
        raise _Wrong(f"{what} has no headers")
    for pair in value:
        if not isinstance(pair, list) or len(pair) != 2 or not all(isinstance(part, str) for part in pair):
            raise _Wrong(f"a header of {what} is no pair of texts")
    return [(pair[0], pair[1]) for pair in value]


def _body(value: object, what: str) -> Body:
    if value is None:
        return Lost()
    found = _object(value, f"the body of {what}")
    if len(found) != 1:
        raise _Wrong(f"the body of {what} is not one of base64, text and parsed")
    ((form, content),) = found.items()
    if form == "parsed":
        return Parsed(content)
    if not isinstance(content, str) or form not in ("base64", "text"):
        raise _Wrong(f"the body of {what} is not one of base64, text and parsed")
    if form == "text":
        return Perhaps(content.encode())
    try:
        return Exact(a2b_base64(content.encode("ascii"), strict_mode=True))
    except (Base64Error, ValueError):
        raise _Wrong(f"the base64 of the body of {what} cannot be read") from None


def _object(value: object, what: str) -> dict[str, object]:
    if not isinstance(value, dict):
        raise _Wrong(f"{what} is no object")
    return value
