"""Make rows from an exchange: what it says about its subjects, for the rules across exchanges.

Only trusted messages count. A message with an invalid or absent signature, one that cannot be read, and a response to
another request prove nothing. The table of outcomes is in docs/audit.md, "Writes".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from functools import cache
from hashlib import sha256
from typing import Final, NamedTuple

from paywright_audit.cross_exchange.owners import Owners, partner_named
from paywright_audit.cross_exchange.subjects import (
    ListedSpec,
    SubjectSpec,
    listed_specs_of,
    seen_spec_of,
    subject_spec_of,
)
from paywright_audit.input.records import Decoded, Exact, Exchange
from paywright_audit.input.times import seconds
from paywright_audit.judging.judge import Judged, object_at, value_at
from paywright_audit.judging.operation_facts import facts_of

__all__ = ["EXISTS", "LENGTHS", "Row", "Values", "rows_of"]

MADE, REFUSED, REPEATED, UNKNOWN, LOST, ABSENT, SEEN, NOTIFIED, ACTED = (
    "made", "refused", "repeated", "unknown", "lost", "absent", "seen", "notified", "acted"
)  # fmt: skip
EXISTS: Final = (MADE, REPEATED, SEEN, NOTIFIED)
"""The outcomes that show that the subject is there."""
_LONGEST: Final = 128
BY_ALIAS: Final = "\2"
"""What the key of a subject begins with that a message names by the gateway's own id alone."""


class Row(NamedTuple):
    """One statement about a subject: its family, its owner and its key, with NUL characters between.

    `file`, `offset` and `number` are the place of the exchange in the input, "" and 0 if the input has none.
    `outcome` of a write: made, refused (nothing happened), repeated (it existed already), unknown, or lost (it was
    answered, but the capture has no answer); of a cancel: acted, if it may have taken effect; of a query: seen or
    absent; of a notification: told. `final` is 1 for a state that its set marks final, else 0. `digest` is a hash of
    both messages' bytes, None if the capture does not have them. `proven` is 1 if the gateway's signature of its
    message was verified. `spelled` is a write's key as written. `ref` is the subject that a refund is of, `token` the
    gateway's id of an order (if `ref` is None: of what a refund is of), `alias` the gateway's id of the subject.
    `content` is a hash of a write's request without its key and time. Amounts, and `began`, when the transaction was
    made according to an inquiry, are texts of the messages. `said` is the time in a notification.
    """

    subject: str
    at: float
    until: float
    file: str
    offset: int
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


LENGTHS: Final = (12, 15, 21)
"""Rows end behind `final` or `began` where they say nothing more."""

Values = tuple[str | float | None, ...]
"""A row on its way into the store, in the order of `Row`."""


_Where = tuple[float, float, str | int, int, int]
"""The columns that say when and where: at, until, file, offset, number."""


def rows_of(exchange: Exchange, judged: Judged, file: str | int, owners: Owners) -> Sequence[Values]:
    """Return all rows of an exchange, which must have a time. `file` is its input, or a store's number for it."""
    at, until = exchange.at, exchange.until
    assert at is not None
    assert until is not None
    where = (at, until, file, exchange.offset, exchange.number)
    facts = judged.facts
    if facts is None:
        return _notice(judged, exchange, where, owners)
    subject_spec, listed_specs, snap = _story(facts.name)
    asked = judged.trust_asked
    row = None
    if subject_spec is not None and asked:
        owner = owners.of(judged.asked) if not snap else owners.of_bank(judged.asked, exchange.request)
        row = _main(subject_spec, exchange, judged, where, owner)
    if not listed_specs and not snap:
        return () if row is None else (row,)
    rows = [] if row is None else [row]
    inbound = facts.operation.inbound
    if asked if inbound else judged.trust_answered:
        for listed_spec in listed_specs:
            owner = owners.of(judged.asked) if not snap else owners.of_bank(judged.asked, exchange.request)
            rows.extend(_listed(listed_spec, exchange, judged, facts.name, inbound, where, owner))
    if asked and snap:
        rows.extend(_external(facts.name, exchange, where, owners))
    return rows


@cache
def _story(name: str) -> tuple[SubjectSpec | None, Sequence[ListedSpec], bool]:
    headers = facts_of(name).asked.headers
    return subject_spec_of(name), listed_specs_of(name), headers is not None and headers.snap


def _main(subject_spec: SubjectSpec, exchange: Exchange, judged: Judged, where: _Where, owner: str) -> Values | None:
    asked = judged.asked
    answered = judged.answered if judged.trust_answered else None
    given = object_at(asked, subject_spec.asked)
    shown = object_at(answered, subject_spec.answered)
    key = given.get(subject_spec.key) or shown.get(subject_spec.key)
    alias = None
    if subject_spec.alias is not None:
        alias = _text(shown.get(subject_spec.alias)) or _text(given.get(subject_spec.alias))
    if key is None and alias is not None:
        key = BY_ALIAS + alias
    if type(key) is not str or not 0 < len(key) <= _LONGEST:
        return None
    code = answered.get(subject_spec.code) if type(answered) is dict else None
    good = code == subject_spec.success
    outcome = (
        (MADE if subject_spec.write else ACTED if subject_spec.acts else SEEN)
        if good
        else _outcome(subject_spec, exchange, judged, code)
    )
    if outcome is None:
        return None
    subject = f"{subject_spec.family}\0{owner}\0{key.lower() if subject_spec.folds else key}"
    state = final = None
    if good and subject_spec.state is not None:
        state = _text(shown.get(subject_spec.state))
        final = None if state is None else 1 if state in subject_spec.final else 0
    head = (subject, *where, subject_spec.operation, outcome, _digest(exchange), judged.proven, state, final)
    if subject_spec.write:
        return head + _written(subject_spec, exchange, asked, answered, owner, alias, key)
    if not (final or subject_spec.always) or subject_spec.amount is None or subject_spec.currency is None:
        return head
    # The paid amount is known when the state is final.
    amount = _amount(value_at(answered, subject_spec.amount))
    currency = _text(value_at(answered, subject_spec.currency))
    began = _text(value_at(answered, subject_spec.began)) if subject_spec.began is not None else None
    return (*head, amount, currency, began)


def _written(
    subject_spec: SubjectSpec,
    exchange: Exchange,
    asked: object,
    answered: object,
    owner: str,
    alias: str | None,
    key: str,
) -> Values:
    """Return the columns that only writes have, from the amount on."""
    amount = currency = ref = token = None
    if subject_spec.amount is not None and subject_spec.currency is not None:
        amount = _amount(value_at(asked, subject_spec.amount))
        currency = _text(value_at(asked, subject_spec.currency))
    for of in subject_spec.refs:
        named = None if of.key is None else _text(value_at(asked, of.key))
        if named is not None:
            ref = f"{of.family}\0{owner}\0{named.lower() if of.folds else named}"
            break
        if token is None and of.token is not None:
            token = _text(value_at(asked, of.token))
    if ref is not None:
        token = None
    elif subject_spec.token is not None:
        token = _text(value_at(answered, subject_spec.token))
    if token is not None:
        token = f"{owner}\0{token}"
    return amount, currency, None, key, ref, token, alias, _content(subject_spec, exchange, asked, key), None


def _outcome(subject_spec: SubjectSpec, exchange: Exchange, judged: Judged, code: object) -> str | None:
    """Return the outcome of an exchange that did not succeed; None if it says nothing about its subject."""
    if not (subject_spec.write or subject_spec.acts):
        return ABSENT if code in subject_spec.absent else None
    answer = exchange.response
    if answer is None:
        outcome = None if exchange.sent is False else UNKNOWN
    elif answer.status != 200:
        status = answer.status or 0
        # Redirections and 407 are answered before the gateway gets the request.
        outcome = None if 300 <= status < 400 or status == 407 else UNKNOWN
    elif judged.lost:
        outcome = LOST
    elif code is None:
        outcome = UNKNOWN
    else:
        outcome = REFUSED if code in subject_spec.refuses else REPEATED if code in subject_spec.repeats else UNKNOWN
    if subject_spec.acts:
        return None if outcome is None or outcome == REFUSED else ACTED
    return outcome


def _listed(
    listed_spec: ListedSpec,
    exchange: Exchange,
    judged: Judged,
    operation: str,
    inbound: bool,
    where: _Where,
    owner: str,
) -> Iterator[Values]:
    inside = value_at(judged.asked if inbound else judged.answered, listed_spec.items)
    said = seconds(value_at(judged.asked, listed_spec.said)) if listed_spec.said else None
    for item in inside if isinstance(inside, list) else [inside]:
        keys = [_number_or_text(value_at(item, place)) for place in listed_spec.key]
        state = _text(value_at(item, listed_spec.state))
        if state is None or None in keys or (listed_spec.known is not None and state not in listed_spec.known):
            continue
        key = "\0".join(map(str, keys))
        subject = f"{listed_spec.family}\0{owner}\0{key.lower() if listed_spec.folds else key}"
        final = 1 if state in listed_spec.final else 0
        token = amount = currency = None
        if listed_spec.amount is not None and listed_spec.currency is not None:
            amount = _amount(value_at(item, listed_spec.amount))
            currency = _text(value_at(item, listed_spec.currency))
        if listed_spec.token is not None:
            token = _text(value_at(item, listed_spec.token))
        yield (
            subject, *where, operation, NOTIFIED if inbound else SEEN, _digest(exchange), judged.proven, state, final,
            amount, currency, None, None, None, token and f"{owner}\0{token}", None, None, said,
        )  # fmt: skip


def _notice(judged: Judged, exchange: Exchange, where: _Where, owners: Owners) -> Sequence[Values]:
    """Return the rows of a notification that the specification does not show."""
    listed_spec = seen_spec_of(judged.asked)
    if listed_spec is None or not judged.trust_asked:
        return ()
    return list(_listed(listed_spec, exchange, judged, "", True, where, owners.of(judged.asked)))


def _external(operation: str, exchange: Exchange, where: _Where, owners: Owners) -> Iterator[Values]:
    number, stamp = (exchange.request.get_all(name) for name in ("x-external-id", "x-timestamp"))
    if len(number) == 1 and len(stamp) == 1:
        owner = owners[f"p:{partner_named(exchange.request)}", ""]
        subject = f"external\0{owner}\0{number[0][:_LONGEST]}"
        yield subject, *where, operation, SEEN, _digest(exchange), 0, None, None, None, None, stamp[0][:_LONGEST]


def _digest(exchange: Exchange) -> int | None:
    """Return a hash of the bytes of both messages; None if the capture does not have them."""
    body, answer = exchange.request.body, exchange.response
    if type(body) is not Exact and type(body) is not Decoded:
        return None
    if answer is None:
        return _hash(body.raw)
    back = answer.body
    if type(back) is not Exact and type(back) is not Decoded:
        return None
    return _hash(body.raw, back.raw)


def _hash(first: bytes, second: bytes | None = None) -> int:
    """Return 62 bits of the SHA-256 of one part, or of two parts with their boundary."""
    whole = b":" + first if second is None else b"%d:%b%b" % (len(first), first, second)
    return int.from_bytes(sha256(whole, usedforsecurity=False).digest()[:8], "big") >> 2


def _content(subject_spec: SubjectSpec, exchange: Exchange, asked: object, key: str) -> int | None:
    """Return a hash of a request without its key and time; None if it is no object.

    It is even if made from the bytes, and odd if made from the parsed value, as for a body with spaces. An even and an
    odd hash cannot be compared.
    """
    if type(asked) is not dict:
        return None
    time = asked.get(subject_spec.clock) if subject_spec.clock is not None else None
    body = exchange.request.body
    if type(body) is Exact or type(body) is Decoded:
        whole = body.raw
        raw = whole.replace(f'"{subject_spec.key}":"{key}"'.encode(), b"", 1)
        if len(raw) != len(whole):
            if type(time) is str:
                raw = raw.replace(f'"{subject_spec.clock}":"{time}"'.encode(), b"", 1)
            return _hash(raw) << 1
    said = (
        repr(asked).replace(f"{subject_spec.key!r}: {key!r}", "", 1).replace(f"{subject_spec.clock!r}: {time!r}", "", 1)
    )
    raw = said.encode(errors="surrogatepass")
    return _hash(raw) << 1 | 1


def _text(value: object) -> str | None:
    return value if type(value) is str and 0 < len(value) <= _LONGEST else None


def _number_or_text(value: object) -> str | None:
    return _amount(value) if type(value) is not str else _text(value)


def _amount(value: object) -> str | None:
    """Return an amount as written; None for other types and very long texts."""
    kind = type(value)
    if kind is str or kind is int or kind is Decimal:
        text = str(value)
        return text if len(text) <= _LONGEST else None
    return None
