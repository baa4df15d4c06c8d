"""Make exchanges of rows: those of a table, or flat JSON objects with the same columns."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from paywright_audit.input.members import answer_of, pairs_of, time_of
from paywright_audit.input.records import KINDS, Body, Decoded, Exact, Exchange, Lost, Message, Parsed, Unreadable
from paywright_audit.input.tables.table_schema import FORMS, NoTable
from paywright_runtime import strict_json

LARGEST: Final = 32 * 1024 * 1024
"""The most bytes of a row."""
_MAX_DEPTH: Final = 64
_PLACE: Final = re.compile("(line|entry|row) ([0-9]{1,15})").fullmatch


def row_exchange(row: Sequence[Any], unit: str, number: int) -> Exchange | Unreadable:
    """Return the exchange of a row, which has a value for each of `COLUMNS`. It does not raise, whatever the values are.

    `unit` ("": none) and `number` are its place in its input. A row that names its place in a capture has that.
    """
    at, until, kind, url, method, sent, headers, body, form, *answered, file, place = row
    if isinstance(place, str) and (found := _PLACE(place)):
        unit, number = found[1], int(found[2])
    file = file if isinstance(file, str) else ""
    odd: list[str] = []
    try:
        if kind is not None and str(kind) not in KINDS:
            raise NoTable("its kind is neither call nor notify")
        if not isinstance(url, str):
            raise NoTable("it has no url")
        request, answer = Message(pairs_of(headers, odd), _body(body, form, "its request")), None
        status, headers, body, form = answered
        headers = pairs_of(headers, odd)
        if status is not None or headers or body:  # an answer whose status was not recorded has come, too
            answer = answer_of(status, headers, _body(body, form, "its response"), odd)
    except NoTable as why:
        return unreadable(str(why), unit, number, file)
    began, ended = time_of(at, odd), time_of(until, [])
    return Exchange(unit, url, request, answer, KINDS.get(str(kind)), began, ended, number, method, sent, file, odd)


def unreadable(why: str, unit: str, number: int, file: str = "") -> Unreadable:
    """Return a row that is no exchange, with the reason."""
    return Unreadable(unit, why if unit else f"a row cannot be read: {why}", number, file)


def _body(body: object, form: str | None, what: str) -> Body:
    form = form or ("exact" if isinstance(body, bytes) else "text")
    if form not in FORMS:
        raise NoTable(f"the form of the body of {what} is not one of {', '.join(FORMS)}")
    if form == "truncated" or body is None or form == "lost":
        return Lost("truncated") if form == "truncated" else Lost()
    if not isinstance(body, (str, bytes)):
        return Parsed(body)
    raw = body.encode("utf-8", "replace") if isinstance(body, str) else body
    if form == "parsed":
        try:
            return Parsed(strict_json.parse(raw, max_bytes=LARGEST, max_depth=_MAX_DEPTH))
        except strict_json.JsonProblem as problem:
            raise NoTable(f"the parsed body of {what} is not strict JSON: {strict_json.WHY[problem.why]}") from None
    return Exact(raw) if form == "exact" else Decoded(raw, "reencoded" if form == "unpacked" else "bytes_lost")
