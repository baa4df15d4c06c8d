"""Run the rules across exchanges over the rows of one key: of one alias, subject, token, order, content or copy."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias, TypeVar

from paywright_audit.cross_exchange.copies import Sighting, copies_of
from paywright_audit.cross_exchange.duplicate_keys import KeyHistory
from paywright_audit.cross_exchange.external_ids import repeated_ids
from paywright_audit.cross_exchange.refund_totals import PaidHistory, RefundHistory, refunds_of
from paywright_audit.cross_exchange.related_rows import (
    AliasRow,
    CopyRow,
    PaidRow,
    RefundRow,
    Related,
    Round,
    TokenRow,
    WriteRow,
    in_time,
    in_time_of_rows,
    key_of,
    unresolved,
)
from paywright_audit.cross_exchange.retry_keys import WriteHistory, changed_keys
from paywright_audit.cross_exchange.rows import ACTED, Row
from paywright_audit.cross_exchange.state_moves import StateHistory
from paywright_audit.cross_exchange.subjects import PAID, REFUNDS, states_of
from paywright_audit.cross_exchange.timing import SLACK
from paywright_audit.cross_exchange.verdicts import at_key, at_state
from paywright_audit.judging.findings import Finding

__all__ = ["OnFinding", "Outcome", "relate_key"]

_EXTERNAL = "external"

OnFinding: TypeAlias = Callable[[Row, Finding], None]
OnRow: TypeAlias = Callable[[Related], None]


class Outcome:
    """What relating came to: findings at the rows of their exchanges, rows for later rounds, and how many copies there were."""

    __slots__ = ("copies", "found", "rows")

    def __init__(self) -> None:
        self.found: list[tuple[Row, Finding]] = []
        self.rows: list[Related] = []
        self.copies = 0


def relate_key(rows: Sequence[Related], slack: float = SLACK) -> Outcome:
    """Relate all rows of one key, in any order. They all have the same `key_of`."""
    out = Outcome()
    round_, name = key_of(rows[0])
    if round_ is Round.ALIAS:
        subject = min((one.subject for one in _only(rows, AliasRow)), default=unresolved(name))
        out.rows.extend(row._replace(subject=subject) for row in _only(rows, Row))
    elif round_ is Round.SUBJECT:
        history = _without_copies(in_time(_only(rows, Row)), slack, out.rows.append)
        _relate_subject(name, history, slack, out)
    elif round_ is Round.TOKEN:
        whose = min((one.subject for one in _only(rows, TokenRow)), default=None)
        if whose is not None:
            out.rows.extend(one._replace(whose=whose) for one in _only(rows, RefundRow))
    elif isinstance(rows[0], CopyRow):
        out.copies = 1
    elif isinstance(rows[0], WriteRow):
        writes = in_time_of_rows(_only(rows, WriteRow))
        out.found.extend((row, at_key(row, verdict)) for row, verdict in changed_keys(writes))
    else:
        refunds = in_time_of_rows(_only(rows, RefundRow))
        out.found.extend(refunds_of(next(iter(_only(rows, PaidRow)), None), refunds, slack))
    return out


def _relate_subject(subject: str, rows: Sequence[Row], slack: float, out: Outcome) -> None:
    """Relate the rows of one subject, which are in order of time and no copies."""
    family = subject.partition("\0")[0]
    if family == _EXTERNAL:
        out.found.extend(repeated_ids(rows))
        return
    acted = min((row.at for row in rows if row.outcome == ACTED), default=None)
    keys, states, writes = KeyHistory(slack), StateHistory(states_of(family), acted, slack), WriteHistory()
    refund = RefundHistory(family) if family in REFUNDS else None
    paid = PaidHistory(subject) if family in PAID else None
    token = None
    for number, row in enumerate(rows):
        verdict = keys.take(rows, number)
        if verdict is not None:
            out.found.append((row, at_key(row, verdict)))
        for verdict in states.take(row):
            out.found.append((row, at_state(row, verdict)))
        writes.take(row)
        if refund is not None:
            refund.take(row)
        if paid is not None:
            paid.take(row)
            if row.token is not None and row.token != token:
                token = row.token
                out.rows.append(TokenRow(token, subject))
    if paid is not None:
        out.rows.append(paid.row())
    out.rows.extend(writes.rows())
    if refund is not None:
        out.rows.extend(refund.rows())


_Kind = TypeVar("_Kind")


def _only(rows: Iterable[Related], kind: type[_Kind]) -> list[_Kind]:
    return [row for row in rows if isinstance(row, kind)]


def _without_copies(rows: Sequence[Row], slack: float, pass_on: OnRow) -> Sequence[Row]:
    """Return the rows without those of exchanges that an earlier file has too, and pass these on to be counted."""
    if len({row.file for row in rows}) < 2:
        return rows
    seen = [Sighting(row.digest, row.at, row.file, at) for at, row in enumerate(rows) if row.digest is not None]
    dropped = set(copies_of(sorted(seen), slack))
    for at in dropped:
        row = rows[at]
        assert row.digest is not None
        pass_on(CopyRow(row.digest, row.at, row.file, row.offset))
    return [row for at, row in enumerate(rows) if at not in dropped]
