"""Keys that rows are related by, in rounds; and the rows for later rounds.

Each round groups rows by `key_of`; no group is larger than the history of one subject. A group may pass smaller rows to later
rounds: the rows of a refund tell its order which of the refund's requests count. `bucket_of` shares the keys out, and `written`
makes rows a text, which every way of running hands on.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from decimal import Decimal
from enum import IntEnum
from hashlib import sha256
from operator import attrgetter
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar

from paywright_audit.cross_exchange.history.owners import ENVIRONMENT, Same
from paywright_audit.cross_exchange.history.rows import BY_ALIAS, Row
from paywright_audit.cross_exchange.history.subjects import ALIASED

BUCKETS: Final = 1 << 32
"""The number of buckets into which keys are shared out. A share of the work is a range of them."""


def _written(rows: list[tuple[int, Related]]) -> bytes:
    return json.dumps(rows, default=str).encode()


_encode: Callable[[list[tuple[int, Related]]], bytes] = _written
_decode: Callable[[bytes], Any] = json.loads
with suppress(ImportError):  # else it takes three times as long
    from msgspec.json import decode as _decode
    from msgspec.json import encode as _encode

_UNRESOLVED: Final = "\3"
"""Mark in place of `BY_ALIAS`, once it is known that the capture does not show the subject of an alias."""

Moment: TypeAlias = tuple[float, str, int]
"""Moment at which a row was recorded: its time, and its place, which decides between equal times."""


class Round(IntEnum):
    """The rounds in which rows are related, in their order."""

    ALIAS = 0
    SUBJECT = 1
    TOKEN = 2
    WHOLE = 3


Key: TypeAlias = tuple[Round, str]
"""The round in which rows are related next, and the name by which they are grouped there."""


class AliasRow(NamedTuple):
    """A subject with its alias: the subject as named by the gateway's own id alone."""

    alias: str
    subject: str
    environment: int = 0


class TokenRow(NamedTuple):
    """An order, or a period of a plan, with the token by which a refund may name it."""

    token: str
    subject: str


class PaidRow(NamedTuple):
    """A payment as the capture shows it: its amount and time, each of which may be unknown.

    `unpaid` is the first row that shows that it ended unpaid; None if a row shows that it was paid. `final` is True if no state
    may follow. `reported` is True if the gateway reported the time. `of` is the row with the amount.
    """

    subject: str
    amount: Decimal | None = None
    currency: str | None = None
    time: float | None = None
    unpaid: Row | None = None
    final: bool = False
    reported: bool = False
    of: Row | None = None


class RefundRow(NamedTuple):
    """A request of a refund that was not refused: the refunded subject, whether the request counts, and its amount.

    `whose` is None while only the token of the refunded subject is known. `shown` is True if the gateway shows that this request
    was made, `done` if the money went back, `doubt` if the capture lost a message about it.
    """

    whose: str | None
    row: Row
    counts: bool
    amount: str | None
    shown: bool = False
    done: bool = False
    doubt: bool = False


class WriteRow(NamedTuple):
    """A write with its content. `learned` is the moment at which its outcome was first learned afterwards, or None.

    `shown` is True if a verified message of the gateway shows that the subject exists. `close` is True if a row before it shows an
    outcome that may, by the times, be its own.
    """

    content: int
    row: Row
    learned: Moment | None
    shown: bool
    close: bool = False


Related: TypeAlias = Row | AliasRow | TokenRow | PaidRow | RefundRow | WriteRow
"""Every kind of row that is related."""


def alias_of(row: Row) -> Iterator[AliasRow]:
    """Yield the alias that a row of a refund states beside its key, if it states both."""
    kind, owner, key = row.subject.split("\0", 2)
    if kind in ALIASED and not key.startswith(BY_ALIAS):
        yield AliasRow(f"{kind}\0{owner}\0{BY_ALIAS}{row.alias}", row.subject, row.environment)


def unresolved(subject: str) -> str:
    """Return the name of a subject that is known by the gateway's id alone, once no row is left that could state its key."""
    head, _, alias = subject.rpartition(f"\0{BY_ALIAS}")
    return f"{head}\0{_UNRESOLVED}{alias}"


def united(row: Related, same: Same) -> Related:
    """Return a row whose merchant has its one name. It changes nothing the second time."""
    if isinstance(row, AliasRow):
        place = same.environments.get(row.environment, 0)
        alias, subject = (united_name(name, 1, same.owners, place) for name in (row.alias, row.subject))
        return AliasRow(alias, subject, row.environment)
    if not isinstance(row, Row):
        return row  # made from united rows
    place = same.environments.get(row.environment, 0)
    subject, ref, token = row.subject, row.ref, row.token
    after = (
        united_name(subject, 1, same.owners, place),
        None if ref is None else united_name(ref, 1, same.owners, place),
        None if token is None else united_name(token, 0, same.owners, place),
    )
    return row if after == (subject, ref, token) else row._replace(subject=after[0], ref=after[1], token=after[2])


def united_name(name: str, place: int, owners: Mapping[str, str], environment: int) -> str:
    """Return a name with its owner, the part at `place`, replaced by the united one with its environment."""
    if not owners and not environment:
        return name
    parts = name.split("\0", place + 1)
    if ENVIRONMENT in parts[place]:
        return name
    owner = owners.get(parts[place], parts[place])
    parts[place] = f"{owner}{ENVIRONMENT}{environment}" if environment else owner
    return "\0".join(parts)


def key_of(row: Related) -> Key:
    """Return the key of a row. Rows with equal keys are related together."""
    if isinstance(row, Row):
        kind, _, key = row.subject.split("\0", 2)
        by_alias = kind in ALIASED and key.startswith(BY_ALIAS)
        return Round.ALIAS if by_alias else Round.SUBJECT, row.subject
    if isinstance(row, AliasRow):
        return Round.ALIAS, row.alias
    if isinstance(row, TokenRow):
        return Round.TOKEN, row.token
    if isinstance(row, RefundRow) and row.whose is None:
        return Round.TOKEN, str(row.row.token)
    if isinstance(row, (PaidRow, RefundRow)):
        return Round.WHOLE, f"order\0{row.subject if isinstance(row, PaidRow) else row.whose}"
    owner = row.row.subject.split("\0", 2)[1]
    return Round.WHOLE, f"content\0{owner}\0{row.content}"


def bucket_of(name: str) -> int:
    """Return the bucket of a name of a key: equal names share it, and so do those that differ in their merchant alone.

    So rows are shared out before it is known which names mean one merchant, and a large merchant is spread like others.
    """
    digest = sha256(name[name.rfind("\0") + 1 :].encode(errors="surrogatepass")).digest()
    return int.from_bytes(digest[:4])


_KINDS: Final[tuple[type, ...]] = (Row, AliasRow, TokenRow, PaidRow, RefundRow, WriteRow)


def written(rows: Iterable[Related]) -> bytes:
    """Return rows as JSON: they go through files and engines, where a pickle would run the code of who can write there."""
    numbered = [(_KINDS.index(type(row)), row) for row in rows]
    try:
        return _encode(numbered)
    except UnicodeEncodeError:  # the name of a file is not UTF-8
        return _written(numbered)


def rows_from(text: bytes) -> Iterator[Related]:
    """Yield the rows that were `written`. Raises `ValueError` for anything else."""
    try:
        found = _decode(text)
    except ValueError:  # as above
        found = json.loads(text)
    for number, values in found:
        kind: Any = _KINDS[number]
        if number:  # any but a Row
            values = (_nested(one) if type(one) is list else one for one in values)
        row: Related = kind(*values)
        if isinstance(row, PaidRow) and row.amount is not None:
            row = row._replace(amount=Decimal(row.amount))
        yield row


def _nested(values: list[Any]) -> Row | Moment:
    """Return the row or the moment within a row."""
    if len(values) > len(("at", "file", "number")):
        return Row(*values)
    at, file, number = values
    return at, file, number


def moment_of(row: Row) -> Moment:
    """Return the moment at which a row was recorded."""
    return row.at, row.file, row.number


_Sorted: TypeAlias = tuple[float, str, int, str, str, float, str, tuple[str, ...]]


_PLACE: Final = attrgetter("at", "file", "number", "operation")  # the first values of `_whole`
_RowHolder = TypeVar("_RowHolder", RefundRow, WriteRow)


def in_time(rows: Iterable[Row]) -> list[Row]:
    """Return rows in order of time; those of one time by place, and those without a place by all their values.

    Only the order of equal rows depends on the order of reading.
    """
    ordered = sorted(rows, key=_PLACE)
    return ordered if len(set(map(_PLACE, ordered))) == len(ordered) else sorted(ordered, key=_whole)


def in_time_of_rows(rows: Sequence[_RowHolder]) -> Sequence[_RowHolder]:
    """Return refund or write rows in the order of time of their rows."""
    return rows if len(rows) < 2 else sorted(rows, key=lambda one: _whole(one.row))


def _whole(row: Row) -> _Sorted:
    rest = tuple("" if one is None else f"{one}" for one in (row.seen, row.signed, *row[10:]))
    return row.at, row.file, row.number, row.operation, row.state or "", row.until, row.outcome, rest
