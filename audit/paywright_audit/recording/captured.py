"""An exchange as it is seen, and its capture record: with exact bytes, or without what is confidential."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from typing import Final, Literal, Protocol, Self

from paywright_audit.recording.redacting import redacted
from paywright_runtime import strict_json
from paywright_runtime.contract import formats

Pairs = Sequence[tuple[str, str]]
Facts = Callable[[], tuple[str, str, Pairs, bytes | None]]

LONGEST: Final = 1024 * 1024
"""The most bytes of a body that are recorded."""
_UNSENT: Final = {"ConnectError", "ConnectTimeout", "NewConnectionError", "PoolTimeout", "SSLCertVerificationError"}


class _Recorder(Protocol):
    def losing(self) -> AbstractContextManager[None]: ...
    def record(self, seen: Captured) -> None: ...


class Captured:
    """An exchange, under way until its `end`, which records it.

    `facts` returns the method, the URL, the headers and the body of the request, None if it is not seen. If it fails, the exchange is
    lost. `status`, `headers` and `answer` are those of the response, and count if all of it came. `sent` is False if nothing of the
    request was sent. Bodies are kept up to what is recorded and one byte more, which shows that they were cut.
    """

    _recorder: _Recorder | None = None
    method: str
    url: str
    begun: Pairs
    asked: bytearray | None = None
    status: int | None = None
    headers: Pairs = ()
    sent: bool = True
    whole: bool = False

    def __init__(self, recorder: _Recorder, kind: Literal["call", "notify"], facts: Facts) -> None:
        self.kind: Literal["call", "notify"] = kind
        self.at: datetime = datetime.now(UTC)
        self.answer: bytearray | None = bytearray()
        with recorder.losing():
            self.method, self.url, self.begun, body = facts()
            self.asked = None if body is None else bytearray(body)
            self._recorder = recorder

    def answered(self, status: int, headers: Pairs, body: bytes | None) -> None:
        """Record the exchange with its whole answer. `body` None was not seen."""
        self.sent, self.status, self.headers = True, status, headers
        self.answer = None if body is None else bytearray(body)
        self.end(whole=True)

    def end(self, *, whole: bool = False) -> None:
        """Record the exchange, with its answer if that is `whole`. Only the first end counts."""
        recorder, self._recorder = self._recorder, None
        if recorder is not None:
            self.whole = whole and self.status is not None
            recorder.record(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: object, *more: object) -> None:
        self.sent = getattr(error, "body_started", self.sent and not _is_unsent(error))
        self.end()


def _is_unsent(error: object) -> bool:
    inside = (*getattr(error, "args", ())[:1], getattr(error, "reason", None), getattr(error, "original_error", None))
    names = {kind.__name__ for kind in type(error).__mro__}
    return isinstance(error, Exception) and (bool(names & _UNSENT) or any(map(_is_unsent, inside)))


def keep(kept: bytearray | None, *parts: object) -> None:
    """Keep parts of a body that are read or sent."""
    for part in parts:
        if kept is not None and isinstance(part, (bytes, bytearray, memoryview)):
            kept.extend(part[: LONGEST + 1 - len(kept)])


def pairs(headers: Iterable[tuple[str | bytes, str | bytes]]) -> Pairs:
    """Return headers as text."""
    texts = ([one.decode("latin-1") if isinstance(one, bytes) else one for one in pair] for pair in headers)
    return [(name, value) for name, value in texts]


def capture_record(seen: Captured, *, exact: bool, longest: int = LONGEST) -> bytes:
    """Return the line of an exchange, with bodies up to `longest` bytes.

    Without `exact` it says that it is redacted (see `redacting`), and its signatures cannot be verified.
    """
    record: dict[str, object] = {
        "v": 1,
        "at": formats.write_request_time(seen.at),
        "kind": seen.kind,
        "until": formats.write_request_time(datetime.now(UTC)),
    }
    if not seen.sent:
        record["sent"] = False
    if not exact:
        return strict_json.write(record | redacted(seen, longest)) + b"\n"
    request = {"headers": [*map(list, seen.begun)], "body": _exact(seen.asked, longest), "method": seen.method}
    response = {"status": seen.status, "headers": [*map(list, seen.headers)], "body": _exact(seen.answer, longest)}
    record |= {"url": seen.url, "request": request, "response": response if seen.whole else None}
    return json.dumps(record, separators=(",", ":")).encode() + b"\n"


def _exact(body: bytearray | None, longest: int) -> dict[str, object] | None:
    cut = {"truncated": True} if body is not None and len(body) > longest else {}
    return None if body is None else {"base64": b64encode(body[:longest]).decode(), **cut}
