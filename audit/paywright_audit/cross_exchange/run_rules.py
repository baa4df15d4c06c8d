"""Run the rules across exchanges, round by round, over the rows of one key: of one alias, subject, token, order or content."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from typing import Final, NamedTuple, TypeVar

from paywright_audit.cross_exchange.history.copies import without_copies
from paywright_audit.cross_exchange.history.owners import AMBIGUOUS, Same
from paywright_audit.cross_exchange.history.related_rows import (
    AliasRow,
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
from paywright_audit.cross_exchange.history.rows import (
    ABSENT,
    ACTED,
    EXISTS,
    LOST,
    NOTIFIED,
    REFUSED,
    STRAY,
    UNKNOWN,
    UNTIMELY,
    Row,
)
from paywright_audit.cross_exchange.history.subjects import ACTED_ON, PAID, REFUNDS, states_of, subject_kind
from paywright_audit.cross_exchange.rules.duplicate_keys import repeated_writes
from paywright_audit.cross_exchange.rules.external_ids import repeated_ids
from paywright_audit.cross_exchange.rules.refund_totals import paid_row, refund_rows, refunds_of
from paywright_audit.cross_exchange.rules.retry_keys import changed_keys, write_rows
from paywright_audit.cross_exchange.rules.state_moves import StateHistory
from paywright_audit.cross_exchange.rules.timing import CaptureFacts, is_after
from paywright_audit.cross_exchange.rules.verdicts import at_key, at_state
from paywright_audit.judging.findings import Finding

_EXTERNAL = "external"
_ACCEPTED: Final = (ABSENT, *EXISTS)


class Whole(NamedTuple):
    """The whole capture: its united merchants and environments, its facts, and the `wanted` kinds of rows for later rounds."""

    same: Same
    facts: CaptureFacts
    wanted: Set[str]


_NEEDED: Final = {
    Round.ALIAS: {AliasRow.__name__},
    Round.TOKEN: {TokenRow.__name__},
    Round.WHOLE: {PaidRow.__name__, WriteRow.__name__},
}


def rounds(wanted: Set[str]) -> list[Round]:
    """Return the rounds that have rows to relate, in their order. Every way of running an audit goes through them."""
    return [one for one in Round if one not in _NEEDED or _NEEDED[one] & wanted]


class RelatedRows:
    """Result of relating rows: findings at the rows of their exchanges, wanted rows for later rounds, and the number of copies.

    `early` are answers about a subject that cannot have been asked for yet; its placing has no answer of its own.
    """

    def __init__(self) -> None:
        self.found: list[tuple[Row, Finding]] = []
        self.rows: list[Related] = []
        self.copies: int = 0
        self.early: int = 0


def relate_key(rows: Sequence[Related], whole: Whole) -> RelatedRows:
    """Relate all rows of one key, in any order. They all have the same `key_of`."""
    out, facts = RelatedRows(), whole.facts
    round_, name = key_of(rows[0])
    if round_ is Round.ALIAS:
        subject = min((one.subject for one in _only(rows, AliasRow)), default=unresolved(name))
        out.rows.extend(row._replace(subject=subject) for row in _only(rows, Row))
    elif round_ is Round.SUBJECT:
        mine = _only(rows, Row)
        refused = [row for row in mine if row.outcome in (REFUSED, UNTIMELY)]
        fast = max((row.signed - row.at for row in refused if row.signed is not None), default=0.0)
        history, copies = without_copies(in_time([_widened(row, facts, fast) for row in mine]))
        out.copies = sum(map(_is_main, copies))
        _relate_subject(name, history, whole, out)
    elif round_ is Round.TOKEN:
        whose = min((one.subject for one in _only(rows, TokenRow)), default=None)
        if whose is not None:
            out.rows.extend(one._replace(whose=whose) for one in _only(rows, RefundRow))
    elif isinstance(rows[0], WriteRow):
        writes = in_time_of_rows(_only(rows, WriteRow))
        out.found.extend((row, at_key(row, verdict)) for row, verdict in changed_keys(writes, facts))
    else:
        refunds = in_time_of_rows(_only(rows, RefundRow))
        paid = next(iter(_only(rows, PaidRow)), None)
        if refunds:
            out.found.extend(refunds_of(paid, refunds, facts))
    return out


def _widened(row: Row, facts: CaptureFacts, fast: float) -> Row:
    """Return the row with wider times, as far as the capture's clocks may be wrong, or the sender's in what it signed.

    If the gateway refused a request about the same subject, its sender's clock was `fast` by so many seconds.
    """
    if row.signed is None:
        return row._replace(at=row.at - facts.apart, until=row.until + facts.apart) if facts.apart else row
    early = row.at - facts.ahead
    if row.outcome not in _ACCEPTED:
        early = min(early, row.signed - fast)
    return row._replace(at=early) if early < row.at else row


def _is_main(row: Row) -> bool:
    """Return whether a row is the main one of its exchange, by which copies are counted."""
    return row.outcome == NOTIFIED or subject_kind(row.operation) == row.subject.partition("\0")[0]


def _relate_subject(subject: str, rows: Sequence[Row], whole: Whole, out: RelatedRows) -> None:
    """Relate the rows of one subject, which are in order of time and no copies."""
    facts, wanted = whole.facts, whole.wanted
    kind, owner, _ = subject.split("\0", 2)
    if AMBIGUOUS in owner:
        return
    if kind == _EXTERNAL:
        out.found.extend(repeated_ids(rows))
        return
    first = next((row for row in rows if row.spelled is not None), None)
    if first is not None and first.outcome in (UNKNOWN, LOST):
        began = rows[0].at == first.at and (STRAY, first.operation) in {(row.outcome, row.operation) for row in rows}
        out.early = sum(row.outcome == STRAY and _is_early(row, first, facts.slack, began=began) for row in rows)
    out.found.extend((row, at_key(row, verdict)) for row, verdict in repeated_writes(rows, facts))
    can_act = kind in ACTED_ON
    acted = min((row.at for row in rows if row.outcome == ACTED), default=None) if can_act else None
    states = StateHistory(states_of(kind), acted, facts, can_act=can_act, pays=kind in PAID)
    out.found.extend((row, at_state(row, verdict)) for row in rows for verdict in states.take(row))
    if kind in PAID and PaidRow.__name__ in wanted:
        out.rows.append(paid_row(subject, rows))
    if kind in PAID and TokenRow.__name__ in wanted:
        out.rows.extend(TokenRow(token, subject) for token in {row.token for row in rows} if token is not None)
    if WriteRow.__name__ in wanted:
        out.rows.extend(write_rows(rows, facts.slack))
    if kind in REFUNDS:
        out.rows.extend(refund_rows(kind, rows))


def _is_early(stray: Row, first: Row, slack: float, *, began: bool) -> bool:
    """Return whether an answer to another request is about what was placed later, or was not asked for yet when it was placed.

    `began` is True if the capture has nothing about the subject before it was placed, and the answer to its placing beside another request.
    """
    beside = (stray.seen, stray.signed) == (first.seen, first.signed)
    return is_after(first, stray, slack) or (began and beside and stray.operation != first.operation)


_Kind = TypeVar("_Kind")


def _only(rows: Iterable[Related], kind: type[_Kind]) -> list[_Kind]:
    return [row for row in rows if isinstance(row, kind)]
