"""What an exchange says of the things it is about, as rows that the rules across exchanges are judged by.

Only a message that may be held against others counts: one whose signature is invalid or absent, that cannot be read, or
that is the answer to another request, proves nothing. The table of outcomes is in docs/audit.md, "Writes".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from functools import cache
from typing import Final, NamedTuple
from zlib import adler32, crc32

from paywright_tools.audit.across.owners import Owners, partner_named
from paywright_tools.audit.across.subjects import NOTICES, ORDERS, Sight, Trail, sights_of, trail_of
from paywright_tools.audit.judging import Judged, value_at, within_data
from paywright_tools.audit.plan import plan_of
from paywright_tools.audit.records import Exact, Exchange, Perhaps
from paywright_tools.audit.times import seconds

__all__ = ["EXISTS", "LENGTHS", "Row", "Values", "rows_of"]

MADE, REFUSED, REPEATED, UNKNOWN, LOST, ABSENT, SEEN, TOLD, ACTED = (
    "made", "refused", "repeated", "unknown", "lost", "absent", "seen", "told", "acted"
)  # fmt: skip
EXISTS: Final = (MADE, REPEATED, SEEN, TOLD)
"""The outcomes that show that the subject is there."""
_LONGEST: Final = 128
BY_ALIAS: Final = "\2"
"""What the key of a subject begins with that a message names by the service's own id alone."""


class Row(NamedTuple):
    """One thing said of a subject.

    `outcome` of a write: made, refused (nothing happened), repeated (it was there already), unknown, or lost (it was answered,
    and the capture does not have what); of a cancel: acted, if it may have been; of a query: seen or absent; of a notification:
    told. `final` is 1 for a state that its set marks final, 0 for another. `digest` is a hash of both messages' bytes, None where
    the capture does not have them; `proven` 1 if the gateway's signature over its message was verified. `spelled` is the key of a
    write as it was written. `ref` is the subject that a refund is of, `token` the service's id of an order (where `ref` is None: of
    what a refund is of), `alias` the service's id of the subject. `content` is a hash of a write's request but for its key and its
    time. Amounts and `began`, when the transaction was made as an inquiry tells it, are texts of the messages. `said` is the
    time that a notification bears.
    """

    subject: str
    at: float
    until: float
    spot: int
    number: int
    operation: str
    outcome: str
    digest: int | None = None
    proven: int = 0
    state: str | None = None
    final: int | None = None
    amount: str | None = None
    currency: str | None = None
    began: str | None = None
    spelled: str | None = None
    ref: str | None = None
    token: str | None = None
    alias: str | None = None
    content: int | None = None
    said: float | None = None


LENGTHS: Final = (11, 14, 20)
"""Rows end behind `final` or `began` where they say nothing more."""

Values = tuple[str | float | None, ...]
"""A row on its way into the ledger, in the order of `Row`."""


_Where = tuple[float, float, int, int]
"""The columns that say when and where: at, until, spot, number."""


def rows_of(exchange: Exchange, judged: Judged, spot: int, owners: Owners) -> Sequence[Values]:
    """All rows of an exchange, which must have a time. `spot` orders exchanges as the input is ordered."""
    at, until = exchange.at, exchange.until
    assert at is not None
    assert until is not None
    where = (at, until, spot, exchange.number)
    plan = judged.plan
    if plan is None:
        return _notice(judged, exchange, where, owners)
    trail, sights, snap = _story(plan.name)
    asked = judged.trust_asked
    row = None
    if trail is not None and asked:
        owner = owners.of(judged.asked) if not snap else owners.of_bank(judged.asked, exchange.request)
        row = _main(trail, exchange, judged, where, owner)
    if not sights and not snap:
        return () if row is None else (row,)
    rows = [] if row is None else [row]
    inbound = plan.operation.inbound
    if asked if inbound else judged.trust_answered:
        for sight in sights:
            owner = owners.of(judged.asked) if not snap else owners.of_bank(judged.asked, exchange.request)
            rows.extend(_listed(sight, exchange, judged, plan.name, inbound, where, owner))
    if asked and snap:
        rows.extend(_external(plan.name, exchange, where, owners))
    return rows


@cache
def _story(name: str) -> tuple[Trail | None, Sequence[Sight], bool]:
    headers = plan_of(name).asked.headers
    return trail_of(name), sights_of(name), headers is not None and headers.snap


def _main(trail: Trail, exchange: Exchange, judged: Judged, where: _Where, owner: str) -> Values | None:
    asked = judged.asked
    answered = judged.answered if judged.trust_answered else None
    given = within_data(asked, trail.asked_data)
    told = within_data(answered, trail.answered_data)
    key = given.get(trail.key) or told.get(trail.key)
    alias = None
    if trail.alias is not None:
        alias = _text(told.get(trail.alias)) or _text(given.get(trail.alias))
    if key is None and alias is not None:
        key = BY_ALIAS + alias
    if type(key) is not str or not 0 < len(key) <= _LONGEST:
        return None
    code = answered.get(trail.code) if type(answered) is dict else None
    good = code == trail.success
    outcome = (
        (MADE if trail.write else ACTED if trail.acts else SEEN) if good else _outcome(trail, exchange, judged, code)
    )
    if outcome is None:
        return None
    subject = f"{trail.family}\0{owner}\0{key.lower() if trail.folds else key}"
    state = final = None
    if good and trail.state is not None:
        state = _text(told.get(trail.state))
        final = None if state is None else 1 if state in trail.final else 0
    head = (subject, *where, trail.operation, outcome, _digest(exchange), judged.proven, state, final)
    if trail.write:
        return head + _written(trail, exchange, asked, given, told, owner, alias, key)
    if not (final or trail.always) or trail.told is None:
        return head
    # What was paid is known when it is final.
    amount, currency = _amount(value_at(answered, trail.told[0])), _text(value_at(answered, trail.told[1]))
    began = _text(told.get(trail.began)) if trail.began is not None else None
    return (*head, amount, currency, began)


def _written(
    trail: Trail,
    exchange: Exchange,
    asked: object,
    given: dict[str, object],
    told: dict[str, object],
    owner: str,
    alias: str | None,
    key: str,
) -> Values:
    """What only a write has, from the amount on."""
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
    return amount, currency, None, key, ref, token, alias, _content(trail, exchange, asked, key), None


def _outcome(trail: Trail, exchange: Exchange, judged: Judged, code: object) -> str | None:
    """The outcome of what did not succeed; None for what says nothing of its subject."""
    if not (trail.write or trail.acts):
        return ABSENT if code in trail.absent else None
    answer = exchange.response
    if answer is None:
        outcome = None if exchange.sent is False else UNKNOWN
    elif answer.status != 200:
        status = answer.status or 0
        # A redirection and a proxy that wants to be authenticated come before the request was passed on.
        outcome = None if 300 <= status < 400 or status == 407 else UNKNOWN
    elif judged.lost:
        outcome = LOST
    elif code is None:
        outcome = UNKNOWN
    else:
        outcome = REFUSED if code in trail.refuses else REPEATED if code in trail.repeats else UNKNOWN
    if trail.acts:
        return None if outcome is None or outcome == REFUSED else ACTED
    return outcome


def _listed(
    sight: Sight, exchange: Exchange, judged: Judged, operation: str, inbound: bool, where: _Where, owner: str
) -> Iterator[Values]:
    inside = value_at(judged.asked if inbound else judged.answered, sight.items)
    said = seconds(value_at(judged.asked, ("notifyTime",))) if inbound else None
    for item in inside if isinstance(inside, list) else [inside]:
        keys = [_number_or_text(value_at(item, place)) for place in sight.key]
        state = _text(value_at(item, sight.state))
        if state is None or None in keys:
            continue
        subject = f"{sight.family}\0{owner}\0" + "\0".join(map(str, keys))
        final = 1 if state in sight.final else 0
        token = amount = currency = None
        if sight.paid is not None:
            token, currency = _text(value_at(item, sight.paid[0])), _text(value_at(item, sight.paid[2]))
            amount = _amount(value_at(item, sight.paid[1]))
        yield Row(
            subject, *where, operation, TOLD if inbound else SEEN, _digest(exchange), judged.proven, state, final,
            amount, currency, token=token and f"{owner}\0{token}", said=said,
        )  # fmt: skip


def _notice(judged: Judged, exchange: Exchange, where: _Where, owners: Owners) -> list[Values]:
    body = judged.asked
    kind = value_at(body, ("notifyType",))
    notice = NOTICES.get(kind) if isinstance(kind, str) else None
    key = _text(value_at(body, notice.key)) if notice is not None else None
    trail = trail_of(notice.family) if notice is not None else None
    if notice is None or trail is None or key is None or not judged.trust_asked:
        return []
    state = _text(value_at(body, notice.state))
    if state is None or state not in trail.states:
        return []
    owner = owners.of(body)
    subject = f"{notice.family}\0{owner}\0{key.lower() if trail.folds else key}"
    amount, currency = _amount(value_at(body, notice.amount)), _text(value_at(body, notice.currency))
    said = seconds(value_at(body, ("notifyTime",)))
    final = 1 if state in trail.final else 0
    return [Row(subject, *where, "", TOLD, _digest(exchange), judged.proven, state, final, amount, currency, said=said)]


def _external(operation: str, exchange: Exchange, where: _Where, owners: Owners) -> Iterator[Values]:
    number, stamp = (exchange.request.get_all(name) for name in ("x-external-id", "x-timestamp"))
    if len(number) == 1 and len(stamp) == 1:
        owner = owners[f"p:{partner_named(exchange.request)}", ""]
        subject = f"external\0{owner}\0{number[0][:_LONGEST]}"
        yield Row(subject, *where, operation, SEEN, _digest(exchange), began=stamp[0][:_LONGEST])


def _digest(exchange: Exchange) -> int | None:
    """A hash of the bytes of both messages, None where the capture does not have them."""
    body, answer = exchange.request.body, exchange.response
    if type(body) is not Exact and type(body) is not Perhaps:
        return None
    if answer is None:
        return crc32(body.raw) << 31
    back = answer.body
    if type(back) is not Exact and type(back) is not Perhaps:
        return None
    return crc32(body.raw) << 31 ^ crc32(back.raw)


def _content(trail: Trail, exchange: Exchange, asked: object, key: str) -> int | None:
    """A hash of what a request says, but for its key and its time: two sums, which no two requests share by accident.

    It is even where it is of the bytes, odd where it is of the parsed value, as of a body that is not written without spaces: two of
    different kinds are not to be compared.
    """
    if type(asked) is not dict:
        return None
    time = asked.get(trail.clock) if trail.clock is not None else None
    body = exchange.request.body
    if type(body) is Exact or type(body) is Perhaps:
        whole = body.raw
        raw = whole.replace(f'"{trail.key}":"{key}"'.encode(), b"", 1)
        if len(raw) != len(whole):
            if type(time) is str:
                raw = raw.replace(f'"{trail.clock}":"{time}"'.encode(), b"", 1)
            return (crc32(raw) << 30 ^ adler32(raw)) << 1
    said = repr(asked).replace(f"{trail.key!r}: {key!r}", "", 1).replace(f"{trail.clock!r}: {time!r}", "", 1)
    raw = said.encode(errors="surrogatepass")
    return (crc32(raw) << 30 ^ adler32(raw)) << 1 | 1


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
