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
from dataclasses import dataclass
from datetime import datetime
from json.encoder import encode_basestring as _quoted
from typing import Any, Final, Literal, NamedTuple, Self, TypeAlias

from paywright_runtime.contract import formats
from paywright_sandbox.engine.state.state import State
from paywright_sandbox.engine.state.store import Store, disk_trouble
from paywright_sandbox.engine.state.tables import TableRow

_PAGE: Final = 100
_MOST_WAITING: Final = 100
_MOST_BYTES_WAITING: Final = 1024 * 1024

_log: Final = logging.getLogger("paywright.sandbox")

Pairs: TypeAlias = Sequence[tuple[str, str]]


@dataclass(frozen=True, kw_only=True, repr=False)
class Capture(TableRow, table="captures", indexes={"captures_of": "(operation)"}):
    """One exchange: a merchant's call (`call`), or a notification to a merchant (`notify`). `status` is None without an answer.

    Headers are JSON: `of` writes them, and `headers` reads them.
    """

    at: datetime
    kind: str
    url: str
    operation: str = ""
    merchant: str | None = None
    key: str | None = None
    fault: str | None = None
    request_headers: str
    request: bytes
    status: int | None = None
    response_headers: str | None = None
    response: bytes | None = None

    @classmethod
    def of(
        cls,
        kind: Literal["call", "notify"],
        at: datetime,
        url: str,
        headers: Pairs,
        body: bytes,
        answer: tuple[int, Pairs, bytes] | None,
        **named: Any,
    ) -> Self:
        """Make a record; `answer` has status, headers and body, if one was sent, `named` are operation, merchant, key and fault."""
        status, received, response = answer or (None, None, None)
        return cls(
            at=at,
            kind=kind,
            url=url,
            request_headers=_written(headers),
            request=body,
            status=status,
            response_headers=None if received is None else _written(received),
            response=response,
            **named,
        )

    @property
    def headers(self) -> tuple[Pairs, Pairs]:
        """The headers of request and answer."""
        asked, answered = json.loads(self.request_headers), json.loads(self.response_headers or "[]")
        return [(str(name), str(value)) for name, value in asked], [(str(name), str(value)) for name, value in answered]

    def __repr__(self) -> str:
        return f"<Capture {self.kind} {self.operation} {self.status}, {len(self.request)} bytes asked>"


class Earlier(NamedTuple):
    """An earlier answer, to be sent again."""

    headers: tuple[tuple[str, str], ...]
    body: bytes


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
        self._bytes += len(capture.request) + len(capture.response or b"")
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
                    rows.append(self._waiting.popleft())
                self._bytes = 0
                state.add_all(rows)
                state.delete_up_to("captures", state.next_id("captures") - 1 - self.keeps)
        except sqlite3.Error as error:  # the effects are committed and answered already
            trouble = disk_trouble(error, self._store.file)
            _log.error("exchanges could not be logged: %s", trouble or type(error).__name__)

    def lines(self) -> Iterator[bytes]:
        """Yield the records as JSON lines, in batches; those added meanwhile too."""
        after = 0
        while True:
            self.write()
            with self._store.transaction() as state:
                rows = state.select(Capture, "WHERE id > ? ORDER BY id LIMIT ?", after, _PAGE)
            if not rows:
                return
            yield b"".join(map(_line, rows))
            after = rows[-1].id


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


def _written(headers: Pairs) -> str:
    return "[" + ",".join([f"[{_quoted(name)},{_quoted(value)}]" for name, value in headers]) + "]"


def _line(row: Capture) -> bytes:
    (asked, answered), status = row.headers, row.status
    record = {
        "v": 1,
        "at": formats.write_request_time(row.at),
        "kind": row.kind,
        "url": row.url,
        "request": {"headers": asked, "body": _body(row.request)},
        "response": (
            None if status is None else {"status": status, "headers": answered, "body": _body(row.response or b"")}
        ),
        "source": f"sandbox#{row.id}",
    }
    return json.dumps(record, separators=(",", ":")).encode() + b"\n"


def _body(body: bytes) -> dict[str, str]:
    return {"base64": b64encode(body).decode()}
