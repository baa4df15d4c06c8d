"""Make rows from an exchange: its statements about subjects, for the rules across exchanges.

Only trusted messages count. A message with an invalid or absent signature, an unreadable one, and a response to
another request prove nothing. The table of outcomes is in docs/audit.md, "Writes".
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from decimal import Decimal
from functools import cache
from hashlib import sha256
from typing import Final, NamedTuple

from paywright_audit.cross_exchange.history.owners import NAMED, Environments, Owners
from paywright_audit.cross_exchange.history.subjects import (
    ListedSpec,
    SubjectSpec,
    listed_specs_of,
    seen_spec_of,
    subject_spec_of,
)
from paywright_audit.input.body_decoding import has_masked, is_masked
from paywright_audit.input.records import Exchange
from paywright_audit.judging.judged_exchange import JudgedExchange, object_at
from paywright_audit.judging.operation_facts import facts_of
from paywright_runtime.contract.operation import Amount
from paywright_runtime.contract.value_checks import within

MADE, REFUSED, REPEATED, UNKNOWN, LOST, ABSENT, SEEN, NOTIFIED, ACTED, BLIND, UNTIMELY, STRAY = (
    "made", "refused", "repeated", "unknown", "lost", "absent", "seen", "notified", "acted", "blind", "untimely", "stray"
)  # fmt: skip
EXISTS: Final = (MADE, REPEATED, SEEN, NOTIFIED)
"""The outcomes that show that the subject exists."""
_LONGEST: Final = 128
BY_ALIAS: Final = "\2"
"""Beginning of a subject's key if the message names it by the gateway's own id alone."""


class Row(NamedTuple):
    """One statement about a subject, which is its kind, its owner and its key, with NUL characters between.

    It took place between `at` and `until`, and at `seen` by the capture; `signed` is the time in the request or notification,
    None if it has none. `file` and `number` are the place of the exchange in the input, "" and 0 if the input has
    none. `environment` is the number of its environment.

    `outcome` of a write: made, refused (nothing happened), repeated (it existed already), unknown, or lost (it was
    answered, but the capture has no answer); of a cancel: acted, if it may have taken effect; of a query: seen, absent,
    untimely if it was refused for its time, or blind if the capture lost the answer; of a notification: notified; of an answer to another request: stray. `state` is
    None, and `final` 0, for a state that the contract does not list; `final` is 1 for one that its set marks final, else 0. `proven` is not 0 if the gateway's signature of
    its message was verified. `spelled` is a write's key as written. `ref` is the refunded subject, `token` the gateway's id of
    an order (or, if `ref` is None, of the refunded subject), `alias` the gateway's id of the subject. `content` is a hash of a
    write's request without its key and time. Amounts, and `began`, the time of the transaction according to an inquiry, are
    texts of the messages.
    """

    subject: str
    at: float
    until: float
    file: str
    number: int
    seen: float
    signed: float | None
    environment: int
    operation: str
    outcome: str
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


def is_unlisted(row: Row) -> bool:
    """Return whether a row reports a state that the contract does not list: only that the subject exists is known."""
    return row.state is None and row.final == 0


class Names(NamedTuple):
    """Owners and environments as messages name them."""

    owners: Owners
    environments: Environments


_Where = tuple[float, float, str, int, float, float | None, int]
"""The columns of time and place, from `at` to `environment`."""


def rows_of(exchange: Exchange, judged: JudgedExchange, file: str, names: Names) -> Sequence[Row] | None:
    """Return all rows of an exchange. `file` is its input.

    None if it may be about a subject with a history, and the capture lost the subject or the time.
    """
    facts, times = judged.facts, judged.times
    subject_spec, listed_specs, snap = (None, (), False) if facts is None else _story(facts.name)
    if times is None or judged.unclear:
        return () if subject_spec is None else None
    inbound = facts is None or facts.operation.inbound
    environment = names.environments["" if inbound else exchange.url, judged.proven]
    where = (times.early, times.late, file, exchange.number, times.seen, times.signed, environment)
    if facts is None:
        return _notice(judged, where, names.owners)
    asked = judged.trust_asked
    owner = ""
    rows: list[Row] = []
    if subject_spec is not None and exchange.method in (None, "POST"):
        owner = names.owners.of_bank(judged.asked, exchange.request) if snap else names.owners.of(judged.asked)
        if asked:
            main = _main(subject_spec, exchange, judged, where, owner)
        else:
            main = _unread(subject_spec, judged, where, owner)
        if main is None:
            return None
        rows.extend(main)
        if judged.stray is not None:
            rows.extend(_stray(*judged.stray, where, owner))
    if not listed_specs and not snap:
        return rows
    if asked if inbound else judged.trust_answered:
        for listed_spec in listed_specs:
            owner = names.owners.of_bank(judged.asked, exchange.request) if snap else names.owners.of(judged.asked)
            rows.extend(_listed(listed_spec, judged, facts.name, inbound, where, owner))
    if asked and snap and judged.asked is not None:
        rows.extend(_external(facts.name, exchange, where, names.owners))
    return rows


@cache
def _story(name: str) -> tuple[SubjectSpec | None, Sequence[ListedSpec], bool]:
    headers = facts_of(name).asked.headers
    return subject_spec_of(name), listed_specs_of(name), headers is not None and headers.snap


def _key(value: object) -> str | None:
    return value if type(value) is str and 0 < len(value) <= _LONGEST and not is_masked(value) else None


def _unread(subject_spec: SubjectSpec, judged: JudgedExchange, where: _Where, owner: str) -> Sequence[Row] | None:
    """Return the row of a request that proves nothing, although it may have been the merchant's."""
    key = _key(object_at(judged.asked, subject_spec.asked).get(subject_spec.key))
    if key is None or subject_spec.write:
        return () if subject_spec.write else None
    subject = f"{subject_spec.kind}\0{owner}\0{key.lower() if subject_spec.ignores_case else key}"
    return (Row(subject, *where, subject_spec.facts.name, BLIND),)


def _stray(operation: str, key: str, where: _Where, owner: str) -> Iterator[Row]:
    """Yield the row about the subject of an answer to another request."""
    spec = subject_spec_of(operation)
    if spec is not None and any(name == spec.key for name, *_ in spec.facts.echoes) and _key(key):
        yield Row(f"{spec.kind}\0{owner}\0{key.lower() if spec.ignores_case else key}", *where, operation, STRAY)


def _main(
    subject_spec: SubjectSpec, exchange: Exchange, judged: JudgedExchange, where: _Where, owner: str
) -> Sequence[Row] | None:
    """Return the row about the main subject: () if it states nothing, None if the capture lost the subject."""
    asked = judged.asked
    answered = judged.answered if judged.trust_answered else None
    given = object_at(asked, subject_spec.asked)
    shown = object_at(answered, subject_spec.answered)
    key = _key(given.get(subject_spec.key)) or _key(shown.get(subject_spec.key))
    alias = None
    if subject_spec.alias is not None:
        alias = _key(shown.get(subject_spec.alias)) or _key(given.get(subject_spec.alias))
    if key is None and alias is not None:
        key = BY_ALIAS + alias
    code = subject_spec.facts.code_of(answered)
    good = code == subject_spec.facts.success
    outcome = (
        (MADE if subject_spec.write else ACTED if subject_spec.acts else SEEN)
        if good
        else _outcome(subject_spec, exchange, judged, code)
    )
    if outcome is None:
        return ()
    if key is None:
        return None
    subject = f"{subject_spec.kind}\0{owner}\0{key.lower() if subject_spec.ignores_case else key}"
    state = final = amount = currency = began = None
    if good and subject_spec.state is not None:
        state = _text(shown.get(subject_spec.state))
        if state is not None:
            final = 1 if state in subject_spec.final else 0
            if state not in subject_spec.states:
                state = None
    what = (subject, *where, subject_spec.facts.name, outcome, judged.proven, state, final)
    if subject_spec.write:
        amount, currency = _money(asked, subject_spec.amount)
        ref, token = _payment(subject_spec, asked, answered, owner)
        return (Row(*what, amount, currency, None, key, ref, token, alias, _content(subject_spec, asked)),)
    # The paid amount is known when the state is final.
    if subject_spec.amount is not None and (final or subject_spec.always):
        amount, currency = _money(answered, subject_spec.amount)
        began = _shown(within(answered, subject_spec.began)) if subject_spec.began is not None else None
    return (Row(*what, amount, currency, began),)


def _payment(subject_spec: SubjectSpec, asked: object, answered: object, owner: str) -> tuple[str | None, str | None]:
    """Return the payment that a refund names, and the gateway's id of one that it does not name, or of its own subject."""
    token = None
    for of in subject_spec.refs:
        named = None if of.key is None else _key(within(asked, of.key))
        if named is not None:
            return f"{of.kind}\0{owner}\0{named.lower() if of.ignores_case else named}", None
        if token is None and of.token is not None:
            token = _key(within(asked, of.token))
    if subject_spec.token is not None:
        token = _key(within(answered, subject_spec.token))
    return None, token and f"{owner}\0{token}"


def _outcome(subject_spec: SubjectSpec, exchange: Exchange, judged: JudgedExchange, code: str | None) -> str | None:
    """Return the outcome of an exchange that did not succeed; None if it proves nothing about its subject."""
    lost = judged.lost or is_masked(code)
    operation = subject_spec.facts.operation
    if not (subject_spec.write or subject_spec.acts):
        if code in operation.clock_codes:
            return UNTIMELY
        return ABSENT if code in operation.not_found_codes else BLIND if lost else None
    answer = exchange.response
    if answer is None:
        outcome = None if exchange.sent is False else UNKNOWN
    elif answer.status != 200:
        status = answer.status or 0
        # Redirections and 407 come before the gateway gets the request.
        outcome = None if 300 <= status < 400 or status == 407 else UNKNOWN
    elif lost:
        outcome = LOST
    elif code is None:
        outcome = UNKNOWN
    else:
        repeated = code in operation.duplicate_codes
        outcome = REFUSED if code in operation.refusal_codes else REPEATED if repeated else UNKNOWN
    if subject_spec.acts:
        return None if outcome is None or outcome == REFUSED else ACTED
    return outcome


def _listed(
    listed_spec: ListedSpec,
    judged: JudgedExchange,
    operation: str,
    inbound: bool,
    where: _Where,
    owner: str,
) -> Iterator[Row]:
    inside = within(judged.asked if inbound else judged.answered, listed_spec.items)
    for item in inside if isinstance(inside, list) else [inside]:
        keys = [_number_or_text(within(item, place)) for place in listed_spec.key]
        state = _text(within(item, listed_spec.state))
        if state is None or None in keys or any(map(is_masked, keys)):
            continue
        key = "\0".join(map(str, keys))
        subject = f"{listed_spec.kind}\0{owner}\0{key.lower() if listed_spec.ignores_case else key}"
        final = 1 if state in listed_spec.final else 0
        if state not in listed_spec.known:
            state = None
        token = None
        amount, currency = _money(item, listed_spec.amount)
        if listed_spec.token is not None:
            token = _shown(within(item, listed_spec.token))
        outcome, token = NOTIFIED if inbound else SEEN, token and f"{owner}\0{token}"
        yield Row(subject, *where, operation, outcome, judged.proven, state, final, amount, currency, token=token)


def _notice(judged: JudgedExchange, where: _Where, owners: Owners) -> Sequence[Row]:
    """Return the rows of a notification that the specification does not show."""
    listed_spec = seen_spec_of(judged.asked)
    if listed_spec is None or not judged.trust_asked:
        return ()
    return list(_listed(listed_spec, judged, "", True, where, owners.of(judged.asked)))


def _external(operation: str, exchange: Exchange, where: _Where, owners: Owners) -> Iterator[Row]:
    number, stamp = (exchange.request.get_all(name) for name in ("x-external-id", "x-timestamp"))
    if len(number) == 1 and len(stamp) == 1 and not is_masked(number[0]) and not is_masked(stamp[0]):
        owner = owners.of_bank(None, exchange.request)
        subject = f"external\0{owner}\0{number[0][:_LONGEST]}"
        yield Row(subject, *where, operation, SEEN, began=stamp[0][:_LONGEST])


def _content(subject_spec: SubjectSpec, asked: object) -> int | None:
    """Return a hash of the value of a request without its key, time and owner; None if parts are masked or missing.

    It does not depend on the order of members or the writing of numbers.
    """
    if type(asked) is not dict:
        return None
    value: dict[str, object] = {
        name: each for name, each in asked.items() if name != subject_spec.facts.clock and name not in NAMED
    }
    inside = value
    for name in subject_spec.asked:
        below = inside.get(name)
        inside[name] = inside = dict(below) if type(below) is dict else {}
    inside.pop(subject_spec.key, None)
    text = _canonical(value)
    return None if has_masked(text) else _hash(text)


def _hash(text: str) -> int:
    """Return 62 bits of the SHA-256 of a text."""
    return int.from_bytes(sha256(text.encode(), usedforsecurity=False).digest()[:8], "big") >> 2


def _number(value: object) -> object:
    """Return the canonical form of a number with a fraction: an integer if it is one, so that `100.0` is `100`."""
    assert isinstance(value, Decimal)
    whole = -64 < value.adjusted() < 64 and value == value.to_integral_value()
    return int(value) if whole else f"\0{value.normalize()}"


_canonical: Final = json.JSONEncoder(sort_keys=True, default=_number, separators=(",", ":")).encode


def _text(value: object) -> str | None:
    return value if type(value) is str and 0 < len(value) <= _LONGEST else None


def _shown(value: object) -> str | None:
    """Return a text; None for one that is hidden, which proves nothing."""
    return None if is_masked(value) else _text(value)


def _number_or_text(value: object) -> str | None:
    if type(value) is Decimal:
        value = _number(value)
    return _amount(value) if type(value) is not str else _text(value)


def _money(value: object, amount: Amount | None) -> tuple[str | None, str | None]:
    """Return the amount and the currency in a message, each None if it is not there. A currency in small letters is the same one."""
    if amount is None:
        return None, None
    currency = _shown(within(value, amount.currency_path))
    return _amount(within(value, amount.path)), currency and currency.upper()


def _amount(value: object) -> str | None:
    """Return an amount as written; None for other types, very long texts, and one that is hidden."""
    kind = type(value)
    if kind is str:
        return _shown(value)
    if kind is int or kind is Decimal:
        text = str(value)
        return text if len(text) <= _LONGEST else None
    return None
