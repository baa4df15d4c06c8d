"""What ledgers in databases share: their tables, their statements, and what becomes of a claim.

The statements are written once, with `?` for a parameter; `Statements` names the tables and writes parameters as a driver
wants them. A ledger calls `claimed` inside a transaction that no other claim about the same subject runs beside.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple, Protocol, cast

from paywright_runtime.errors import InvalidArgument
from paywright_runtime.ledger import REFUSED, Claim, Entry, Judgement, Refusal, Status, judge

__all__ = ["Statements", "claimed", "duplicate", "entries", "micros"]

_TABLES: Final = """
CREATE TABLE IF NOT EXISTS {n} (
    key TEXT NOT NULL, first SMALLINT NOT NULL, digest TEXT NOT NULL, subject TEXT NOT NULL, kind TEXT NOT NULL, state TEXT,
    status TEXT NOT NULL, attempts BIGINT NOT NULL, owner TEXT, lease_until BIGINT NOT NULL, notify_time BIGINT NOT NULL,
    first_at BIGINT NOT NULL, changed_at BIGINT NOT NULL, why TEXT NOT NULL, body {bytes}{more},
    PRIMARY KEY (key, first, digest)
);
CREATE INDEX IF NOT EXISTS {prefix}claimed ON {n} (subject) WHERE status = 'claimed';
CREATE INDEX IF NOT EXISTS {prefix}changed ON {n} (changed_at);
CREATE TABLE IF NOT EXISTS {s} (subject TEXT PRIMARY KEY, state TEXT NOT NULL, notify_time BIGINT NOT NULL)
"""
_START: Final = datetime(1970, 1, 1, tzinfo=UTC)
_LATE: Final = "its handler took longer than the lease, and another one about the same was taken up"
_OTHER: Final = "other content for its key"


class Statements:
    """The statements over the tables `PREFIXnotifications` and `PREFIXsubjects`.

    `lock` is what makes a SELECT wait for whoever changes the same rows, or "" where only one transaction writes at a time.
    """

    def __init__(
        self,
        *,
        prefix: str = "paywright_",
        schema: str = "",
        mark: str = "?",
        bytes_type: str = "BLOB",
        more: str = "",
        lock: str = "",
    ) -> None:
        names = {"n": f"{schema}{prefix}notifications", "s": f"{schema}{prefix}subjects", "prefix": prefix}
        self.lock = lock
        self.tables = [
            made.strip() for made in _TABLES.format(**names, bytes=bytes_type, more=more).split(";") if made.strip()
        ]

        def made(text: str) -> str:
            return text.format(**names).replace("?", mark)

        self.record = made("SELECT status, digest, lease_until FROM {n} WHERE key = ? AND first = 1")
        self.progress = made("SELECT state, notify_time FROM {s} WHERE subject = ?")
        self.others = made("SELECT lease_until FROM {n} WHERE subject = ? AND status = 'claimed' AND key <> ?")
        self.insert = made(
            "INSERT INTO {n} (key, first, digest, subject, kind, state, status, attempts, owner, lease_until, notify_time, "
            "first_at, changed_at, why, body) VALUES (?, ?, ?, ?, ?, ?, ?, 0, NULL, 0, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"
        )
        self.claim = made(
            "UPDATE {n} SET status = 'claimed', attempts = attempts + ?, owner = ?, lease_until = ?, notify_time = ?, "
            "changed_at = ?, why = '', body = ? WHERE key = ? AND first = 1"
        )
        self.attempts = made("SELECT attempts FROM {n} WHERE key = ? AND first = 1")
        self.overtake = made(
            "UPDATE {n} SET status = 'failed', owner = NULL, why = ? WHERE subject = ? AND status = 'claimed' AND key <> ?"
        )
        self.put = made(
            "UPDATE {n} SET status = ?, why = ?, changed_at = ?, owner = NULL, body = ? WHERE key = ? AND first = 1"
        )
        self.mine = made("SELECT 1 FROM {n} WHERE key = ? AND first = 1 AND owner = ? AND status = 'claimed'")
        self.done = made(
            "UPDATE {n} SET status = 'done', owner = NULL, why = '', body = NULL WHERE key = ? AND first = 1 AND owner = ?"
        )
        self.moved = made(
            "INSERT INTO {s} VALUES (?, ?, ?) "
            "ON CONFLICT (subject) DO UPDATE SET state = excluded.state, notify_time = excluded.notify_time"
        )
        self.given_back = made(
            "UPDATE {n} SET status = ?, owner = NULL, why = ? WHERE key = ? AND first = 1 AND owner = ?"
        )
        self.list = made(
            "SELECT key, subject, kind, state, status, digest, attempts, why, notify_time, first_at, changed_at FROM {n} "
            "WHERE COALESCE(?, status) = status ORDER BY changed_at DESC, key LIMIT ?"
        )
        self.body = made("SELECT body FROM {n} WHERE key = ? AND first = 1")
        self.settle = made(
            "UPDATE {n} SET status = 'done', owner = NULL, body = NULL WHERE key = ? AND status <> 'claimed'"
        )
        self.forget = made("DELETE FROM {n} WHERE status IN ('done', 'stale') AND changed_at < ?")


class Found(Protocol):
    """What a statement found."""

    @property
    def rowcount(self) -> int: ...
    def fetchone(self) -> tuple[object, ...] | None: ...
    def fetchall(self) -> Sequence[tuple[object, ...]]: ...


class Runs(Protocol):
    """What runs a statement: a connection, or what stands for one."""

    def execute(self, statement: str, parameters: Sequence[object], /) -> Found: ...


class _Record(NamedTuple):
    status: str
    digest: str
    lease_until: int


class _Progress(NamedTuple):
    state: str | None
    notify_time: int


def duplicate(db: Runs, sql: Statements, claim: Claim) -> bool:
    """Whether it was handled before. Most that comes a second time was, and need not wait for anybody."""
    row = db.execute(sql.record, (claim.key,)).fetchone()
    return row is not None and row[0] == "done" and row[1] == claim.digest


def claimed(db: Runs, sql: Statements, claim: Claim, owner: str) -> int | Refusal:
    """Judge a claim and write down what follows: which attempt it is, if it is granted to `owner`, or why it is not."""
    verdict, found = _judged(db, sql, claim, "")
    if verdict == "claim" and found and sql.lock:
        # Who is late may be committing right now: wait for the end of that, and look again.
        verdict, found = _judged(db, sql, claim, sql.lock)
    if verdict == "claim":
        if found:
            # Whoever is late with another state of this subject must not come to an end after this one.
            db.execute(sql.overtake, (_LATE, claim.subject, claim.key))
        db.execute(sql.insert, _row(claim, "claimed"))
        lease = (owner, claim.lease_until, claim.notify_time, claim.now, claim.raw)
        db.execute(sql.claim, (int(claim.handled), *lease, claim.key))
        row = db.execute(sql.attempts, (claim.key,)).fetchone()
        assert row is not None
        return cast(int, row[0])
    if verdict == "other content":
        db.execute(sql.insert, _row(claim, "conflict", first=0, why=_OTHER, body=claim.raw))
    elif verdict == "contradiction":
        db.execute(sql.insert, _row(claim, "conflict"))
        db.execute(sql.put, ("conflict", "another end was there", claim.now, claim.raw, claim.key))
    elif verdict == "stale":
        db.execute(sql.insert, _row(claim, "stale"))
        db.execute(sql.put, ("stale", "a newer state was there", claim.now, None, claim.key))
    return REFUSED[verdict]


def _judged(db: Runs, sql: Statements, claim: Claim, lock: str) -> tuple[Judgement, bool]:
    """The judgement, and whether there were rows that somebody else may be about to change."""
    row = db.execute(sql.record + lock, (claim.key,)).fetchone()
    others = db.execute(sql.others + lock, (claim.subject, claim.key)).fetchall()
    moved = db.execute(sql.progress, (claim.subject,)).fetchone()
    record = None if row is None else _Record(*cast(tuple[str, str, int], row))
    progress = None if moved is None else _Progress(*cast(tuple[str, int], moved))
    busy = any(cast(int, lease_until) > claim.now for (lease_until,) in others)
    return judge(claim, record, progress, busy), row is not None or bool(others)


def _row(
    claim: Claim, status: Status, *, first: int = 1, why: str = "", body: bytes | None = None
) -> tuple[object, ...]:
    about = (claim.key, first, claim.digest, claim.subject, claim.kind, claim.state, status)
    return (*about, claim.notify_time, claim.now, claim.now, why, body)


def entries(rows: Iterable[tuple[object, ...]]) -> list[Entry]:
    """What `Statements.list` found."""
    return [
        Entry(
            key=key,
            subject=subject,
            kind=kind,
            state=state,
            status=status,
            digest=digest,
            attempts=attempts,
            why=why,
            notify_time=_time(notify_time),
            first_at=_time(first_at),
            changed_at=_time(changed_at),
        )
        for key, subject, kind, state, status, digest, attempts, why, notify_time, first_at, changed_at in cast(
            Iterable[tuple[str, str, str, str | None, str, str, int, str, int, int, int]], rows
        )
    ]


def micros(time: datetime) -> int:
    """Whole microseconds since 1970. Raises `InvalidArgument` for a time without an offset."""
    if time.utcoffset() is None:
        raise InvalidArgument("forget needs an aware datetime.")
    return round(time.timestamp() * 1_000_000)


def _time(since: int) -> datetime:
    return _START + timedelta(microseconds=since)
