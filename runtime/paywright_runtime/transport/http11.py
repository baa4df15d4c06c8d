"""Read one HTTP/1.1 answer: strictly, within bounds, without decoding [4].

The parser does no I/O: it yields when it needs bytes. Blocking and awaited sockets feed the same parser.

It replaces `http.client`, which takes the first of two lengths, takes a 103 for the answer, reads a chunk size of -1 as
"until the end", and builds an e-mail message out of six headers, which costs more than the rest of a call. This parser
refuses whatever RFC 9112 leaves ambiguous, so that no byte of one answer is taken for part of another.
"""

import re
from collections.abc import Generator
from typing import TypeVar

from paywright_runtime.transport.api import Reason
from paywright_runtime.transport.endpoint import Endpoint, Proxy

BLOCK = 65536

_MAX_HEAD = 65536
_MAX_CHUNK_LINE = 1024
_STATUS_LINE = r"HTTP/1\.([01]) ([1-9][0-9]{2})(?: [\t\x20-\x7e\x80-\xff]*)?"
_USUAL = "HTTP/1.1 200 OK"
TOKEN = r"[!#$%&'*+.^_`|~0-9A-Za-z-]+"
# Names of headers as gateways write them: looking one up is faster than checking and lower-casing it.
_KNOWN_NAMES = {
    written: name
    for name in ("connection", "content-length", "content-type", "date", "server", "sign", "transfer-encoding")
    for written in (name, name.title())
}
_CHUNK = rb"([0-9A-Fa-f]{1,15})[ \t]*(?:;[\t\x20-\x7e\x80-\xff]*)?"

T = TypeVar("T")
Steps = Generator[None, bytes, T]
"""Generator that yields when it needs bytes: send it at most BLOCK bytes at a time, and b"" for the end."""


class ProtocolError(Exception):
    """The answer is incomplete, too large, or not HTTP/1.1. The message holds nothing of it."""

    def __init__(self, reason: Reason, detail: str) -> None:
        super().__init__(reason, detail)
        self.reason: Reason = reason
        self.detail = detail


def _malformed(detail: str) -> ProtocolError:
    return ProtocolError("malformed_http", detail)


def _some(data: bytes, within: str) -> bytes:
    if not data:
        raise ProtocolError("connection_lost", f"closed within the {within}")
    return data


class ResponseParser:
    """Parser of one answer. Its attributes can be read even after it failed."""

    __slots__ = ("_chunked", "_closing", "_interim", "_length", "_limit", "headers", "reusable", "status")

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._interim = 0
        self._length: int | None = None
        self._chunked = False
        self._closing = False
        self.status: int | None = None
        self.headers: tuple[tuple[str, str], ...] = ()
        self.reusable: bool = False

    def answer(self) -> Steps[bytes]:
        """Read the body, at most `limit` bytes; `status` and `headers` are set before it is read."""
        data, end = yield from self.head()
        if self._length is not None:
            return (yield from self._read_counted(data, end, self._length))
        if self._chunked:
            return (yield from self._read_chunked(data[end:]))
        return (yield from self._read_to_close(data[end:]))

    def head(self) -> Steps[tuple[bytes, int]]:
        """Read status and headers; return the received bytes, and the position of the body in them."""
        data = yield
        if not data:
            raise ProtocolError("connection_lost", "closed without an answer")
        while True:
            end = data.find(b"\r\n\r\n")
            if end < 0:
                if not data.startswith(b"HTTP/1."[: len(data)]):
                    raise _malformed("not an HTTP/1.1 answer")
                if b"\n\n" in data:
                    raise _malformed("lines that end in LF without CR")
                if len(data) > _MAX_HEAD:
                    raise ProtocolError("too_large", "headers")
                data += _some((yield), "headers")
                continue
            if end > _MAX_HEAD:
                raise ProtocolError("too_large", "headers")
            status = self._parse_head(data[:end].decode("latin-1"))
            if status >= 200:
                self.status = status
                return data, end + 4
            if status == 101:
                raise _malformed("a change of protocol that was not requested")
            self._interim += end + 4
            if self._interim > _MAX_HEAD:
                raise _malformed("too many interim answers")
            data = data[end + 4 :] or _some((yield), "interim answers")

    def _parse_head(self, head: str) -> int:
        status_line, *lines = head.split("\r\n")
        if head.count("\n") != len(lines) or head.count("\r") != len(lines) or "\0" in head:
            raise _malformed("control characters among the headers")
        status, old = 200, False
        if status_line != _USUAL:
            found = re.fullmatch(_STATUS_LINE, status_line)
            if found is None:
                raise _malformed("status line")
            status, old = int(found[2]), found[1] == "0"
        if status < 200:
            return status
        headers: list[tuple[str, str]] = []
        encodings = 0
        self._closing = old
        for line in lines:
            name, colon, value = line.partition(":")
            lowered = _KNOWN_NAMES.get(name)
            if lowered is None:
                if re.fullmatch(TOKEN, name) is None:
                    raise _malformed("header line")
                lowered = name.lower()
            if not colon:
                raise _malformed("header line")
            value = value.strip(" \t")
            headers.append((name, value))
            if lowered == "content-length":
                if self._length is not None or not (value.isascii() and value.isdigit() and len(value) <= 18):
                    raise _malformed("Content-Length")
                self._length = int(value)
            elif lowered == "transfer-encoding":
                encodings += 1
                self._chunked = value.lower() == "chunked"
            elif lowered == "connection":
                self._closing = self._closing or "close" in value.lower()
        if encodings and (encodings > 1 or not self._chunked or self._length is not None or old):
            raise _malformed("Transfer-Encoding")
        if status == 204 or status == 304:
            self._length, self._chunked = 0, False
        self.headers = tuple(headers)
        return status

    def _read_counted(self, data: bytes | bytearray, start: int, length: int) -> Steps[bytes]:
        if length > self._limit:
            raise ProtocolError("too_large", f"more than {self._limit} bytes")
        if len(data) < start + length:  # seldom: most answers come in one piece
            data, start = bytearray(data[start:]), 0
            while len(data) < length:
                data += _some((yield), "body")
        self.reusable = not self._closing and len(data) == start + length
        return bytes(data[start : start + length])

    def _read_to_close(self, data: bytes) -> Steps[bytes]:
        body = bytearray(data)
        while len(body) <= self._limit:
            data = yield
            if not data:
                return bytes(body)
            body += data
        raise ProtocolError("too_large", f"more than {self._limit} bytes")

    def _read_chunked(self, data: bytes) -> Steps[bytes]:
        ahead = bytearray(data)
        body = bytearray()
        while size := _chunk_size((yield from self._line(ahead))):
            if len(body) + size > self._limit:
                raise ProtocolError("too_large", f"more than {self._limit} bytes")
            while len(ahead) < size + 2:
                ahead += _some((yield), "body")
            if ahead[size : size + 2] != b"\r\n":
                raise _malformed("chunk")
            body += ahead[:size]
            del ahead[: size + 2]
        trailers = 0
        while line := (yield from self._line(ahead)):
            trailers += len(line)
            if trailers > _MAX_HEAD:
                raise ProtocolError("too_large", "trailers")
        self.reusable = not self._closing and not ahead
        return bytes(body)

    def _line(self, ahead: bytearray) -> Steps[bytes]:
        """Remove the first line and return it without its end."""
        while (end := ahead.find(b"\r\n")) < 0:
            if len(ahead) > _MAX_CHUNK_LINE:
                raise _malformed("chunk line")
            ahead += _some((yield), "body")
        line = bytes(ahead[:end])
        if end > _MAX_CHUNK_LINE or b"\n" in line:
            raise _malformed("chunk line")
        del ahead[: end + 2]
        return line


def _chunk_size(line: bytes) -> int:
    found = re.fullmatch(_CHUNK, line)
    if found is None:
        raise _malformed("chunk size")
    return int(found[1], 16)


def connect_request(base: Endpoint, proxy: Proxy) -> bytes:
    """Return the CONNECT request to the proxy."""
    target = f"[{base.host}]:{base.port}" if ":" in base.host else f"{base.host}:{base.port}"
    authorization = f"Proxy-Authorization: {proxy.authorization}\r\n" if proxy.authorization else ""
    return f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n{authorization}\r\n".encode("ascii")


def read_connect_answer() -> Steps[None]:
    """Read the proxy's answer. Raises ProtocolError unless it is a well-formed 2xx with nothing after it.

    Bytes after the head would be taken for the gateway's first bytes.
    """
    answer = ResponseParser(0)
    try:
        data, end = yield from answer.head()
    except ProtocolError as bad:
        why = f"the proxy's answer: {bad.detail}"
    else:
        if answer.status is not None and 200 <= answer.status < 300 and len(data) == end:
            return
        why = f"the proxy answered {answer.status}"
        if answer.status in (401, 403, 407):
            raise ProtocolError("proxy_refused", why)
    raise ProtocolError("connection_failed", why)
