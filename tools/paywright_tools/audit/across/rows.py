"""What an exchange says of the things it is about, as rows that the rules across exchanges are judged by.

Only a message that may be held against others counts: one whose signature is invalid or absent, that cannot be read, or
that is the answer to another request, proves nothing and makes no row.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from functools import cache
from typing import Final, NamedTuple
from zlib import adler32, crc32

from paywright_tools.audit.across.subjects import NOTICES, ORDERS, Sight, Trail, sights_of, trail_of
from paywright_tools.audit.judging import Judged, value_at, within_data
from paywright_tools.audit.plan import plan_of
from paywright_tools.audit.records import Exact, Exchange, Perhaps

__all__ = ["SHORT", "Row", "Values", "rows_of", "subject_of"]

MADE, REFUSED, REPEATED, UNKNOWN, ABSENT, SEEN, TOLD = (
    "made",
    "refused",
    "repeated",
    "unknown",
    "absent",
    "seen",
    "told",
)
_LONGEST: Final = 128


class Row(NamedTuple):
    """One thing said of a subject.

    `outcome` of a write: made, refused (nothing happened), repeated (it was there already), unknown; of a query: seen or
    absent; of a notification: told. `spelled` is the key of a write as it was written. `final` is 1 for a state that
    nothing follows, 0 for another. `ref` is the subject that a refund is of, `token` the service's id of an order (where
    `ref` is None: of the order that a refund is of). `content` is a hash of a write's request but for its key and its time.
    Amounts and `began`, when the transaction was made as an inquiry tells it, are texts of the messages.
    """

    subject: str
    at: float
    until: float
    spot: int
    number: int
    operation: str
    outcome: str
    state: str | None = None
    final: int | None = None
    spelled: str | None = None
    amount: str | None = None
    currency: str | None = None
    ref: str | None = None
    token: str | None = None
    content: int | None = None
    began: str | None = None


SHORT: Final = 9
"""Most rows say nothing behind `final`, and are no longer than that."""

Values = tuple[str | float | None, ...]
"""A row on its way into the ledger, in the order of `Row`."""


def subject_of(family: str, owner: str, key: str) -> str:
    """The name of a subject in the ledger."""
    return f"{family}\0{owner}\0{key}"


_Where = tuple[float, float, int, int]
"""The columns that say when and where: at, until, spot, number."""


def rows_of(exchange: Exchange, judged: Judged, file: int) -> Sequence[Values]:
    """All rows of an exchange, which must have a time."""
    at, until = exchange.at, exchange.until
    assert at is not None
    assert until is not None
    where = (at, until, file << 48 | exchange.offset, exchange.number)
    plan = judged.plan
    if plan is None:
        return _notice(judged, where)
    trail, sights, snap = _story(plan.name)
    asked = judged.trust_asked
    row = None
    if trail is not None and asked:
        row = _main(trail, exchange, judged.asked, judged.answered if judged.trust_answered else None, where)
    if not sights and not snap:
        return () if row is None else (row,)
    rows = [] if row is None else [row]
    inbound = plan.operation.inbound
    if asked if inbound else judged.trust_answered:
        for sight in sights:
            rows.extend(_listed(sight, judged, plan.name, inbound, where))
    if asked and snap:
        rows.extend(_external(plan.name, exchange, where))
    return rows


@cache
def _story(name: str) -> tuple[Trail | None, Sequence[Sight], bool]:
    headers = plan_of(name).asked.headers
    return trail_of(name), sights_of(name), headers is not None and headers.snap


def _main(trail: Trail, exchange: Exchange, asked: object, answered: object, where: _Where) -> Values | None:
    given = within_data(asked, trail.asked_data)
    told = within_data(answered, trail.answered_data)
    key = given.get(trail.key) or told.get(trail.key)
    if type(key) is not str or not 0 < len(key) <= _LONGEST:
        return None
    code = answered.get(trail.code) if type(answered) is dict else None
    if type(code) is not str:
        code = None
    good = code == trail.success
    outcome = (MADE if trail.write else SEEN) if good else _outcome(trail, code)
    if outcome is None:
        return None
    owner = (_text(asked.get(trail.owner)) or "") if trail.owner is not None and type(asked) is dict else ""
    subject = f"{trail.family}\0{owner}\0{key.lower() if trail.folds else key}"
    state = final = None
    if good and trail.state is not None:
        state = _text(told.get(trail.state))
        final = None if state is None else 1 if state in trail.final else 0
    if trail.write:
        written = _written(trail, exchange, asked, given, told, owner, key)
        return subject, *where, trail.operation, outcome, state, final, key, *written, None
    if not final or trail.told is None:
        return subject, *where, trail.operation, outcome, state, final
    # What was paid is known when it is final.
    amount, currency = _amount(value_at(answered, trail.told[0])), _text(value_at(answered, trail.told[1]))
    began = _text(told.get(trail.began)) if trail.began is not None else None
    return subject, *where, trail.operation, outcome, state, final, None, amount, currency, None, None, None, began


def _written(
    trail: Trail,
    exchange: Exchange,
    asked: object,
    given: dict[str, object],
    told: dict[str, object],
    owner: str,
    key: str,
) -> tuple[str | None, str | None, str | None, str | None, int | None]:
    """What only a write has: amount, currency, ref, token and content."""
    amount = currency = ref = token = None
    if trail.amount is not None:
        amount, currency = _amount(given.get(trail.amount)), _text(given.get(trail.currency or ""))
    if trail.ref is not None:
        order = _text(given.get(trail.ref))
        if order is not None:
            ref = f"{ORDERS}\0{owner}\0{order.lower()}"
        else:
            token = _text(given.get(trail.ref_token or ""))
    elif trail.token is not None:
        token = _text(told.get(trail.token))
    if token is not None:
        token = f"{owner}\0{token}"
    return amount, currency, ref, token, _content(exchange, key, asked)


def _outcome(trail: Trail, code: object) -> str | None:
    if trail.write:
        return REFUSED if code in trail.refuses else REPEATED if code in trail.repeats else UNKNOWN
    return ABSENT if code in trail.absent else None


def _listed(sight: Sight, judged: Judged, operation: str, inbound: bool, where: _Where) -> Iterator[Values]:
    inside = value_at(judged.asked if inbound else judged.answered, sight.items)
    owner = _text(value_at(judged.asked, ("appId",))) or ""
    for item in inside if isinstance(inside, list) else [inside]:
        keys = [_number_or_text(value_at(item, place)) for place in sight.key]
        state = _text(value_at(item, sight.state))
        if state is None or None in keys:
            continue
        subject = subject_of(sight.family, owner, "\0".join(map(str, keys)))
        final = 1 if state in sight.final else 0
        yield _row(subject, where, operation, TOLD if inbound else SEEN, state, final)


def _notice(judged: Judged, where: _Where) -> list[Values]:
    body = judged.asked
    kind = value_at(body, ("notifyType",))
    notice = NOTICES.get(kind) if isinstance(kind, str) else None
    key = _text(value_at(body, notice.key)) if notice is not None else None
    trail = trail_of(notice.family) if notice is not None else None
    if notice is None or trail is None or key is None or not judged.trust_asked:
        return []
    state = _text(value_at(body, notice.state))
    if state not in trail.states:
        return []
    subject = subject_of(notice.family, _text(value_at(body, ("appId",))) or "", key.lower() if trail.folds else key)
    amount, currency = _amount(value_at(body, notice.amount)), _text(value_at(body, notice.currency))
    return [_row(subject, where, "", TOLD, state, 1 if state in trail.final else 0, amount, currency)]


def _external(operation: str, exchange: Exchange, where: _Where) -> Iterator[Values]:
    partner, number, stamp = (
        exchange.request.get_all(name) for name in ("x-partner-id", "x-external-id", "x-timestamp")
    )
    if len(number) == 1 and len(stamp) == 1:
        subject = subject_of("external", partner[0] if partner else "", f"{number[0][:_LONGEST]}\0{stamp[0][:10]}")
        yield _row(subject, where, operation, SEEN)


def _row(
    subject: str,
    where: _Where,
    operation: str,
    outcome: str,
    state: str | None = None,
    final: int | None = None,
    amount: str | None = None,
    currency: str | None = None,
) -> Values:
    return subject, *where, operation, outcome, state, final, None, amount, currency, None, None, None, None


def _content(exchange: Exchange, key: str, asked: object) -> int | None:
    """A hash of a request but for its key and its time: two sums, which no two requests share by accident."""
    body = exchange.request.body
    if not isinstance(body, (Exact, Perhaps)):
        return None
    raw = body.raw.replace(key.encode(), b"")
    time = asked.get("requestTime") if type(asked) is dict else None
    if type(time) is str:
        raw = raw.replace(time.encode(), b"")
    return crc32(raw) << 30 ^ adler32(raw)


def _text(value: object) -> str | None:
    return value if type(value) is str and 0 < len(value) <= _LONGEST else None


def _number_or_text(value: object) -> str | None:
    return _amount(value) if type(value) is not str else _text(value)


def _amount(value: object) -> str | None:
    """An amount as text, as it was spelled; None for what is none."""
    kind = type(value)
    if kind is str or kind is int or kind is Decimal:
        text = str(value)
        return text if len(text) <= _LONGEST else None
    return None
