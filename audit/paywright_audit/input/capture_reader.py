"""Reads capture records: one JSON object a line, as the sandbox writes them."""

from __future__ import annotations

from binascii import Error as Base64Error
from binascii import a2b_base64
from collections.abc import Iterator
from json import JSONDecoder
from json.scanner import make_scanner
from typing import IO, Final, Literal, NoReturn, cast

from paywright_runtime import strict_json
from paywright_tools.audit.records import Body, Exact, Exchange, Lost, Message, Pairs, Parsed, Perhaps, Unreadable
from paywright_tools.audit.times import seconds

__all__ = ["MAX_LINE", "Lines", "is_record", "read_captures"]

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


class Lines:
    """Counts lines."""

    __slots__ = ("count",)

    def __init__(self) -> None:
        self.count = 0


def read_captures(
    first: bytes, source: IO[bytes], *, offset: int = 0, end: int | None = None, lines: Lines | None = None
) -> Iterator[Exchange | Unreadable]:
    """Every line of `source`, of which `first` was read already; in constant memory. Raises `OSError` as reading does.

    `offset` is where `first` begins; of a range, lines that begin at `end` or behind it are left to others. `lines` is told
    how many lines there were, empty ones too.
    """
    number, line = 1, first
    readline, most = source.readline, MAX_LINE
    while line:
        length = len(line)
        if length > most:
            yield Unreadable("line", f"the line has more than {MAX_LINE} bytes", offset, number)
            while line and not line.endswith(b"\n"):
                line = readline(most)
                length += len(line)
        else:
            exchange = _usual(line, offset, number)
            if exchange is not None:
                yield exchange
            elif line.strip():
                yield _record(line, offset, number)
        offset += length
        if lines is not None:
            lines.count = number
        number += 1
        if end is not None and offset >= end:
            return
        line = readline(most + 1)


def _no_constant(_: str) -> NoReturn:
    raise ValueError


# Its own stub says that it takes another of its kind.
_scan: Final = make_scanner(cast(make_scanner, JSONDecoder(parse_constant=_no_constant)))
# The texts of a record as it is usually written, those of the headers apart: its keys, and its values that are texts.
_TEXTS: Final = 20
_TEXTS_UNANSWERED: Final = 15


def _usual(line: bytes, offset: int, number: int) -> Exchange | None:
    """The exchange of a line in the form that nearly all have: exact bytes, no escape. None says only that it is another.

    Nothing is taken on trust. Every text has two quotes, so that their number proves that no name stands twice and that
    nothing is there but what is looked at.
    """
    try:
        text = line.decode()
        record, end = _scan(text, 0)
        request, answer, at = record["request"], record["response"], record["at"]
        headers = request["headers"]
        if "\\" in text or text[end:] not in ("\n", "\r\n", "") or record["v"] != 1 or type(record["v"]) is not int:
            return None
        index = dict(headers)
        texts = _TEXTS_UNANSWERED + 2 * len(headers)
        "".join(index)  # fails unless all are texts
        "".join(index.values())
        if type(headers) is not list or len(index) != len(headers):
            return None
        asked = Message(headers, Exact(a2b_base64(request["body"]["base64"], strict_mode=True)))
        answered = None
        if answer is not None:
            headers, status = answer["headers"], answer["status"]
            texts = _TEXTS + 2 * (len(index) + len(headers))
            index = dict(headers)
            "".join(index)
            "".join(index.values())
            if type(status) is not int or type(headers) is not list or len(index) != len(headers):
                return None
            answered = Message(headers, Exact(a2b_base64(answer["body"]["base64"], strict_mode=True)), status)
        began = seconds(at)
        # With members beyond these there are more texts, so that until, sent and a method are never passed over here.
        if type(record["url"]) is not str or began is None or text.count('"') != 2 * texts:
            return None
        return Exchange("line", record["url"], asked, answered, _KINDS[record["kind"]], began, began, offset, number)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, StopIteration):
        return None


def _record(line: bytes, offset: int, number: int) -> Exchange | Unreadable:
    try:
        value = strict_json.parse(line, max_bytes=MAX_LINE, max_depth=_MAX_DEPTH)
    except strict_json.JsonProblem as problem:
        return Unreadable("line", f"it is not strict JSON: {strict_json.WHY[problem.why]}", offset, number)
    try:
        return _exchange(value, offset, number)
    except _Wrong as wrong:
        return Unreadable("line", str(wrong), offset, number)


def _exchange(value: object, offset: int, number: int) -> Exchange:
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
    at, until = seconds(record.get("at")), seconds(record.get("until"))
    if at is not None and until is not None and until < at:
        until = None
    method = _object(record.get("request"), "its request").get("method")
    return Exchange(
        "line",
        url,
        _message(record.get("request"), "its request"),
        None if answer is None else _answer(answer),
        kind,
        at,
        at if until is None else until,
        offset,
        number,
        method.upper() if isinstance(method, str) else None,
        False if record.get("sent") is False and answer is None else None,
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
