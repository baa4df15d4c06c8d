"""Read the flow files that mitmproxy 10 to 12 writes (`mitmdump -w`). Bodies are the exact bytes received."""

from __future__ import annotations

import re
from collections.abc import Iterator
from io import BufferedReader
from typing import Final

from paywright_audit.input.records import Body, Exact, Exchange, Lost, Message, Pairs, Unreadable, named
from paywright_audit.input.tnetstring import parse

__all__ = ["MAX_FLOW", "flow_of", "flow_payloads", "is_flow", "read_flows"]

MAX_FLOW: Final = 32 * 1024 * 1024
_START: Final = re.compile(rb"[0-9]{1,12}:[0-9]{1,12}:")
_DICT: Final = ord("}")
_VERSIONS: Final = range(18, 22)
"""The versions of the format: mitmproxy 10.0 writes 20, 12 writes 21; 18 and 19 differ in nothing that is read here."""
_PIECE: Final = 1 << 20
_LAST: Final = 253_402_300_800  # the end of the year 9999


class _Wrong(Exception):
    """Raised for a flow that cannot be read; says why."""


def is_flow(head: bytes) -> bool:
    """Return whether a file that begins so is a flow file: a length, and another inside."""
    return _START.match(head) is not None


def read_flows(source: BufferedReader) -> Iterator[Exchange | Unreadable]:
    """Yield every HTTP flow of a file; others are skipped. It takes the memory of the largest flow."""
    for flow in flow_payloads(source):
        exchange = flow if isinstance(flow, Unreadable) else flow_of(*flow)
        if exchange is not None:
            yield exchange


def flow_payloads(source: BufferedReader) -> Iterator[tuple[bytes, int] | Unreadable]:
    """Yield the bytes of every flow with its number. `flow_of` finds the exchange in them."""
    number = 0
    while True:
        digits, end = _read_digits(source)
        if not digits and not end:
            return
        if end != b":" or not digits:
            yield Unreadable("", f"after flow {number}, it is no flow file of mitmproxy", (1 << 48) - 1)
            return
        number += 1
        length = int(digits)
        if length > MAX_FLOW:
            yield Unreadable("flow", f"it has more than {MAX_FLOW} bytes", number, number)
            if not _skip(source, length + 1):
                yield Unreadable("", "its last flow is cut off", (1 << 48) - 1)
                return
            continue
        payload = source.read(length + 1)
        if len(payload) <= length:
            yield Unreadable("", "its last flow is cut off", (1 << 48) - 1)
            return
        yield payload, number


def flow_of(payload: bytes, number: int) -> Exchange | Unreadable | None:
    """Return the exchange of a flow; None if it is not of HTTP."""
    try:
        return _exchange(payload[:-1], payload[-1], number)
    except (_Wrong, UnicodeDecodeError) as wrong:
        return Unreadable("flow", str(wrong) if isinstance(wrong, _Wrong) else "it is damaged", number, number)
    except ValueError:
        return Unreadable("flow", "it is damaged", number, number)


def _read_digits(source: BufferedReader) -> tuple[bytes, bytes]:
    """Read the digits before a flow, at most 12, and the byte behind them; no byte at the end of the file.

    `peek` would show fewer bytes than there are wherever the buffer happens to end.
    """
    digits, byte = b"", source.read(1)
    while byte.isdigit() and len(digits) < 12:
        digits += byte
        byte = source.read(1)
    return digits, byte


def _skip(source: BufferedReader, length: int) -> bool:
    while length:
        read = len(source.read(min(length, _PIECE)))
        if not read:
            return False
        length -= read
    return True


def _exchange(payload: bytes, kind: int, number: int) -> Exchange | None:
    if kind != _DICT:
        raise _Wrong("it is no flow")
    flow = parse(payload, kind)
    assert isinstance(flow, dict)
    if flow.get("type") not in ("http", b"http"):
        return None
    version = flow.get("version")
    if not isinstance(version, int) or version not in _VERSIONS:
        raise _Wrong("its format is of an unsupported version of mitmproxy: 10 to 12 are supported")
    request, response = flow.get("request"), flow.get("response")
    if not isinstance(request, dict):
        raise _Wrong("it has no request")
    asked = _message(request)
    answer = None
    if isinstance(response, dict):
        answer = _message(response)
        status = response.get("status_code")
        if not isinstance(status, int) or isinstance(status, bool):
            raise _Wrong("its response has no status")
        answer.status = status
    at = _time(request.get("timestamp_start"))
    ended = _time((response if isinstance(response, dict) else request).get("timestamp_end"))
    until = ended if at is not None and ended is not None and ended >= at else at
    method = _text(request.get("method")).upper() or None
    sent = False if answer is None and _refused(flow) else None
    return Exchange("flow", _url(request), asked, answer, None, at, until, number, number, method, sent)


def _refused(flow: dict[str, object]) -> bool:
    """Return whether mitmproxy never had a connection to the server."""
    server = flow.get("server_conn")
    return (
        isinstance(flow.get("error"), dict)
        and isinstance(server, dict)
        and server.get("timestamp_tcp_setup", 0) is None
    )


def _time(value: object) -> float | None:
    """Return a time before the year 10000; None for anything else."""
    return float(value) if isinstance(value, (int, float)) and 0 <= value < _LAST else None


def _message(state: dict[str, object]) -> Message:
    pairs: list[tuple[str, str]] = []
    headers = state.get("headers")
    for pair in headers if isinstance(headers, list) else ():
        if not isinstance(pair, list) or len(pair) != 2 or not all(isinstance(part, bytes) for part in pair):
            raise _Wrong("one of its headers is no pair of texts")
        pairs.append((_text(pair[0]), _text(pair[1])))
    return Message(pairs, _body(state.get("content"), pairs))


def _body(content: object, headers: Pairs) -> Body:
    if not isinstance(content, bytes):
        return Lost()  # mitmproxy streamed it without keeping it
    return Lost("truncated") if len(content) < _length(headers) else Exact(content)


def _length(headers: Pairs) -> int:
    """Return the length that the message declares; 0 if it declares none."""
    lengths = named(headers, "content-length")
    sound = len(lengths) == 1 and lengths[0].isascii() and lengths[0].isdigit() and len(lengths[0]) < 12
    return int(lengths[0]) if sound else 0


def _url(request: dict[str, object]) -> str:
    scheme, host, path = (_text(request.get(name)) for name in ("scheme", "host", "path"))
    return f"{scheme or 'http'}://{host}:{request.get('port')}{path}" if host else path


def _text(value: object) -> str:
    if isinstance(value, bytes):
        return value.decode("latin-1")
    return value if isinstance(value, str) else ""
