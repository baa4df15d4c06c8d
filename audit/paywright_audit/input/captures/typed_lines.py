"""Read capture lines in their usual form through msgspec's typed decoder, where it is installed."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from msgspec import DecodeError, Meta, Struct
from msgspec.json import Decoder, Encoder

from paywright_audit.input.records import Decoded, Exact, Exchange, Message
from paywright_audit.input.times import seconds


class _Body(Struct, forbid_unknown_fields=True, omit_defaults=True, gc=False):
    base64: bytes | None = None
    text: str | None = None


class _Request(Struct, forbid_unknown_fields=True, gc=False):
    headers: list[tuple[str, str]]
    body: _Body


class _Response(Struct, forbid_unknown_fields=True, gc=False):
    status: Annotated[int, Meta(ge=200, le=599)]
    headers: list[tuple[str, str]]
    body: _Body


class _CaptureRecord(Struct, forbid_unknown_fields=True, gc=False):
    v: Literal[1]
    at: str
    kind: Literal["call", "notify"]
    url: str
    request: _Request
    response: _Response | None
    source: str


_decode: Final = Decoder(_CaptureRecord).decode
_encode: Final = Encoder().encode


def usual_exchange(line: bytes, number: int) -> Exchange | None:
    """Return the exchange of a line in its usual form; None for a line in any other form.

    msgspec checks the types and refuses unknown members, but takes the last of equal keys. So the record is written again and
    compared. The general reader reads lines that are not written as the sandbox writes them.
    """
    try:
        record = _decode(line)
        request, answer = record.request, record.response
        at = seconds(record.at)
        if at is None or _encode(record) != line.rstrip(b"\r\n"):
            return None
        asked = Message(request.headers, _body(request.body))
        answered = None if answer is None else Message(answer.headers, _body(answer.body), answer.status)
    except (ValueError, DecodeError, RecursionError):
        return None
    return Exchange("line", record.url, asked, answered, record.kind, at, at, number)


def _body(body: _Body) -> Exact | Decoded:
    if (body.base64 is None) == (body.text is None):
        raise ValueError
    return Decoded((body.text or "").encode()) if body.base64 is None else Exact(body.base64)
