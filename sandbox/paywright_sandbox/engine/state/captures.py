"""The log: every exchange and notification with its exact bytes, in the order of the answers.

The records hold whole bodies, and so all that payers entered. They are in the state file, which only its owner can read,
limited in number (`log-keeps` in sandbox.toml), and given out on request only.

They are written in batches: when enough of them wait, once a second while the sandbox is served, and before the log or
the state is read. A killed process loses waiting records, never an effect.
"""

from __future__ import annotations

import json
import logging
import sqlite3
from base64 import b64encode
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass
from datetime import datetime
from json.encoder import encode_basestring as _quoted
from typing import Final, Literal

from paywright_runtime.contract import formats
from paywright_sandbox.engine.state.state import State
from paywright_sandbox.engine.state.store import Cell, Row, Store, disk_trouble, instant, moment

__all__ = ["TABLES", "Capture", "Captures", "Earlier", "earlier_answer"]

TABLES: Final = """
CREATE TABLE captures (
    id INTEGER PRIMARY KEY, at INTEGER NOT NULL, kind TEXT NOT NULL, url TEXT NOT NULL, operation TEXT NOT NULL, merchant TEXT,
    key TEXT, fault TEXT, request_headers TEXT NOT NULL, request BLOB NOT NULL,
    status INTEGER, response_headers TEXT, response BLOB
);
CREATE INDEX captures_of ON captures (operation)
"""

_PAGE: Final = 100
_MOST_WAITING: Final = 100
_MOST_BYTES_WAITING: Final = 1024 * 1024
_COLUMNS: Final = (
    "at", "kind", "url", "operation", "merchant", "key", "fault", "request_headers", "request", "status", "response_headers", "response",
)  # fmt: skip

_log: Final = logging.getLogger("paywright.sandbox")

Pairs = Sequence[tuple[str, str]]


@dataclass(slots=True, eq=False)
class Capture:
    """One exchange: a merchant's call, or a notification to a merchant. `status` is None without an answer."""

    kind: Literal["call", "notify"]
    at: datetime
    url: str
    request_headers: Pairs
    request: bytes
    _: KW_ONLY
    operation: str = ""
    merchant: str | None = None
    key: str | None = None
    fault: str | None = None
    status: int | None = None
    response_headers: Pairs = ()
    response: bytes = b""

    def __repr__(self) -> str:
        return f"<Capture {self.kind} {self.operation} {self.status}, {len(self.request)} bytes asked>"


class Earlier:
    """An earlier answer, to be sent again."""

    __slots__ = ("body", "headers")

    def __init__(self, headers: tuple[tuple[str, str], ...], body: bytes) -> None:
        self.headers: tuple[tuple[str, str], ...] = headers
        self.body: bytes = body


class Captures:
    """The log of one sandbox, with its latest `keeps` records. Threads may share it."""

    __slots__ = ("_bytes", "_store", "_waiting", "keeps")

    def __init__(self, store: Store, keeps: int) -> None:
        self._store = store
        self._waiting: deque[Capture] = deque()
        self._bytes = 0
        self.keeps: int = keeps
        store.before_it_goes(self.write)

    def add(self, capture: Capture) -> None:
        """Append a record. Not inside a transaction."""
        if self.keeps == 0:
            return
        self._waiting.append(capture)
        self._bytes += len(capture.request) + len(capture.response)
        if len(self._waiting) >= _MOST_WAITING or self._bytes >= _MOST_BYTES_WAITING:
            self.write()

    def write(self) -> None:
        """Write the records that wait. Not inside a transaction."""
        if not self._waiting:
            return
        try:
            with self._store.transaction() as state:
                rows = []
                while self._waiting:  # others may add to it meanwhile
                    rows.append(_row(self._waiting.popleft()))
                self._bytes = 0
                state.insert_all("captures", _COLUMNS, rows)
                state.delete_up_to("captures", state.next_id("captures") - 1 - self.keeps)
        except sqlite3.Error as error:  # the effects are committed and answered already
            trouble = disk_trouble(error, self._store.file)
            _log.error("exchanges could not be logged: %s", trouble or type(error).__name__)

    def lines(self, after: int = 0) -> Iterator[bytes]:
        """Yield the records after number `after` as JSON lines, in batches; those added meanwhile too."""
        while True:
            self.write()
            with self._store.transaction() as state:
                rows = state.all("SELECT * FROM captures WHERE id > ? ORDER BY id LIMIT ?", after, _PAGE)
            if not rows:
                return
            yield b"".join(map(_line, rows))
            last = rows[-1]["id"]
            assert isinstance(last, int)
            after = last


def earlier_answer(
    state: State,
    operation: str,
    merchant: str,
    key: str | None,
    *,
    of_another: bool,
    names_key: Callable[[bytes], bool],
) -> Earlier | None:
    """Find an earlier successful answer of an operation to this merchant.

    With `of_another`, the latest to another key; else the oldest to this key, or the oldest of all. An answer to another key
    must name its key, so that a client can notice. Only the latest, or the oldest, 1000 are searched.
    """
    good = (
        "SELECT response_headers, response, key IS ? COLLATE NOCASE AS own FROM captures "
        "WHERE operation = ? AND merchant = ? AND status = 200 AND fault IS NULL"
    )
    order = "AND NOT own ORDER BY id DESC" if of_another else "ORDER BY own DESC, id"
    for row in state.all(f"{good} {order} LIMIT 1000", key, operation, merchant):
        headers, body = row["response_headers"], row["response"]
        assert isinstance(headers, str)
        assert isinstance(body, bytes)
        if row["own"] or names_key(body):
            sent = tuple((name, value) for name, value in json.loads(headers) if name != "content-length")
            return Earlier(sent, body)
    return None


def _row(capture: Capture) -> tuple[Cell, ...]:
    answered = capture.status is not None
    return (
        instant(capture.at),
        capture.kind,
        capture.url,
        capture.operation,
        capture.merchant,
        capture.key,
        capture.fault,
        _pairs(capture.request_headers),
        capture.request,
        capture.status,
        _pairs(capture.response_headers) if answered else None,
        capture.response if answered else None,
    )


def _pairs(headers: Pairs) -> str:
    return "[" + ",".join([f"[{_quoted(name)},{_quoted(value)}]" for name, value in headers]) + "]"


def _line(row: Row) -> bytes:
    at, number = row["at"], row["id"]
    assert isinstance(at, int)
    assert isinstance(number, int)
    answered = row["status"] is not None
    record = {
        "v": 1,
        "at": formats.write_request_time(moment(at)),
        "kind": row["kind"],
        "url": row["url"],
        "request": {"headers": _read(row["request_headers"]), "body": _body(row["request"])},
        "response": (
            {"status": row["status"], "headers": _read(row["response_headers"]), "body": _body(row["response"])}
            if answered
            else None
        ),
        "source": f"sandbox#{number}",
    }
    return json.dumps(record, separators=(",", ":")).encode() + b"\n"


def _read(headers: Cell) -> object:
    assert isinstance(headers, str)
    return json.loads(headers)


def _body(body: Cell) -> dict[str, str]:
    assert isinstance(body, bytes)
    return {"base64": b64encode(body).decode()}
