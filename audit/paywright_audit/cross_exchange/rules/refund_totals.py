"""Check the refunds of an order, or of a period of a plan: currency, time and total [4.13, 6.2].

Requests that the gateway refused are not judged. The table is in docs/audit.md, "Refunds". States that the gateway showed are
certain. Only silence shows that a refund did not fail later, or that a payment was not made later.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from math import inf
from typing import Final

from paywright.contract import CONTRACT
from paywright_audit.cross_exchange.history.related_rows import PaidRow, RefundRow
from paywright_audit.cross_exchange.history.rows import (
    BLIND,
    EXISTS,
    LOST,
    MADE,
    NOTIFIED,
    REFUSED,
    SEEN,
    Row,
    is_unlisted,
)
from paywright_audit.cross_exchange.history.subjects import refund_window, states_of
from paywright_audit.cross_exchange.rules.amounts import amount_of
from paywright_audit.cross_exchange.rules.timing import CaptureFacts, is_after
from paywright_audit.cross_exchange.rules.verdicts import RuleVerdict, other_of
from paywright_audit.input.times import seconds
from paywright_audit.judging.findings import Finding
from paywright_audit.judging.operation_facts import facts_of
from paywright_runtime.contract.operation import Amount


def paid_row(subject: str, rows: Sequence[Row]) -> PaidRow:
    """Return the payment of an order or of a period, as the capture shows it. `rows` are those of the subject in order of time."""
    states = CONTRACT.set(states_of(subject.partition("\0")[0]) or "")
    made = [row for row in rows if row.spelled is not None and row.outcome == MADE]
    shown = [row for row in rows if row.outcome in (SEEN, NOTIFIED)]
    paid = any(row.state in states.paid or is_unlisted(row) for row in shown)
    unpaid = None if paid else next((row for row in shown if row.final), None)
    final = unpaid is not None and unpaid.state in {*states.returned, *states.stated}
    times = [seconds(row.began) for row in rows if row.began is not None]
    began = min((at for at in times if at is not None), default=None)
    time = began if began is not None else min((row.until for row in made), default=None)
    # What the gateway reports takes precedence over what was requested; if it contradicts itself, the greatest amount does.
    of = _greatest(shown) or _greatest(made)
    if of is None:
        return PaidRow(subject, None, None, time, unpaid, final, began is not None)
    return PaidRow(subject, amount_of(of.amount), of.currency, time, unpaid, final, began is not None, of)


def _greatest(rows: Iterable[Row]) -> Row | None:
    """Return the first row with the greatest amount."""
    sized = [row for row in rows if amount_of(row.amount) is not None]
    return max(sized, key=lambda row: _size(row.amount), default=None)


def refund_rows(kind: str, rows: Sequence[Row]) -> Iterator[RefundRow]:
    """Yield the requests of one refund that name their payment, by its key or by its token. `rows` are in order of time.

    One request counts: the first with outcome made, or else the first of unknown outcome if the gateway shows that the
    refund exists. None counts if the gateway reports the refund as failed and never as paid. It counts with the amount that the
    gateway shows, but at most with what was requested: the rest is none of the merchant's.
    """
    requests = [row for row in rows if row.spelled is not None and row.outcome != REFUSED]
    if not requests:
        return
    first = next((row for row in requests if row.outcome == MADE), requests[0])
    states = states_of(kind)
    paid = frozenset(CONTRACT.set(states).paid if states is not None else ())
    failed = frozenset(CONTRACT.set(states).final if states is not None else ()) - paid
    done = any(row.state in paid for row in rows)
    there = any(row.outcome in EXISTS for row in rows) and not any(row.state in failed for row in rows)
    doubt = any(row.outcome == BLIND or is_unlisted(row) for row in rows)
    asked = _greatest(requests)
    shown = [row.amount for row in rows if row.outcome in (SEEN, NOTIFIED) and row.amount is not None]
    most = max(shown, key=_size, default=None)
    if most is not None and asked is not None:
        most = min(most, asked.amount, key=_size)
    for row in requests:
        if row.ref is None and row.token is None:
            continue
        made = row.amount if row.outcome == MADE else None
        amount = next((one for one in (made, most, row.amount) if one is not None), None)
        counts = row is first and (there or done)
        certain = row.outcome == MADE or (counts and len(requests) == 1)
        yield RefundRow(row.ref, row, counts, amount, certain, done, doubt)


def refunds_of(
    paid: PaidRow | None, refunds: Iterable[RefundRow], facts: CaptureFacts
) -> Iterator[tuple[Row, Finding]]:
    """Yield every request of a refund that breaks a rule about the refunded payment.

    The requests are those of one order or period, in order of time. `paid` is None if the capture does not show its payment.
    """
    paid = paid or PaidRow("")
    refunded = certain = Decimal(0)
    before: Row | None = None
    doubt = False
    for refund in refunds:
        row = refund.row
        if not (refund.counts or row.outcome != LOST):
            continue
        found = list(_judge(refund, paid, facts))
        yield from ((row, _finding(row, pointer, verdict, value)) for pointer, verdict, value in found)
        amount = amount_of(refund.amount)
        ended = any(verdict.code in _ENDS for _, verdict, _ in found)
        if amount is None or paid.amount is None or not refund.counts or ended:
            continue
        refunded += amount
        doubt = doubt or refund.doubt or not facts.silent(row.subject, row.at, inf)
        if refunded > paid.amount:
            words = "with this one, the refunds of the order add up to more than was paid"
            missing = ""
            if certain + amount <= paid.amount or not refund.shown:
                lost = "the capture lost that one of them was refused or failed"
                missing = lost if doubt else ""
            other = before or paid.of
            verdict = RuleVerdict("refund-exceeds-paid", words, other, missing=missing)
            yield row, _finding(row, _amount_of(row).pointer, verdict, amount)
        if refund.done:
            certain += amount
        before = row


_ENDS: Final = ("refund-negative", "refund-currency", "refund-not-paid")
"""Findings after which the amount of a refund is not added to the others."""

_DAY: Final = 86400


def _judge(refund: RefundRow, paid: PaidRow, facts: CaptureFacts) -> Iterator[tuple[str, RuleVerdict, object]]:
    row, asked = refund.row, amount_of(refund.row.amount)
    silent = facts.silent(row.subject, row.at, row.until) and not refund.doubt
    refused = "" if refund.shown or silent else "the capture lost that it was refused"
    if asked is not None and asked < 0:
        yield _amount_of(row).pointer, RuleVerdict("refund-negative", "is less than zero", missing=refused), asked
        return
    if row.currency is not None and paid.currency is not None and row.currency != paid.currency:
        words = "is not the currency of the order"
        verdict = RuleVerdict("refund-currency", words, paid.of, missing=refused)
        yield _amount_of(row).currency, verdict, row.currency
        return
    window = refund_window(row.operation)
    if window is not None and paid.time is not None and row.at - facts.slack - paid.time > window:
        # The specification does not say when a day ends. The payment may be later than the order, unless the gateway reports its time.
        days = window // _DAY
        known = paid.reported or facts.whole(paid.subject)
        unreported = "" if known else "the gateway said that the transaction took place later"
        unclear = row.at - facts.slack - paid.time <= window + _DAY
        words = f"the transaction is more than {days} days old"
        verdict = RuleVerdict("refund-too-late", words, paid.of, unclear, refused or unreported)
        yield _key_of(row), verdict, row.spelled
    if paid.unpaid is not None and is_after(row, paid.unpaid, facts.slack):
        words = f"the gateway reported {paid.unpaid.state} before, and never that the payment was made"
        silent = facts.silent(paid.unpaid.subject, paid.unpaid.at, row.until)
        unreported = "" if paid.final or silent else "the capture lost that it was paid later"
        yield _key_of(row), RuleVerdict(
            "refund-not-paid", words, paid.unpaid, missing=refused or unreported
        ), row.spelled


def _amount_of(row: Row) -> Amount:
    amount = facts_of(row.operation).operation.amount
    assert amount is not None  # the contract's linter requires it of refunds
    return amount


def _key_of(row: Row) -> str:
    operation = facts_of(row.operation).operation
    return "/".join(("", *operation.payload_paths[0], str(operation.key)))


def _finding(row: Row, pointer: str, verdict: RuleVerdict, value: object) -> Finding:
    facts = facts_of(row.operation)
    *_, (struct, field) = CONTRACT.at(facts.asked.struct, pointer)
    assert field is not None  # the contract has the member
    line = CONTRACT.place(struct.name, member=field.wire)
    code, words = verdict.said
    other = other_of(verdict.other)
    return Finding(row.operation, facts.asked.part, pointer, code, words, line, value, other=other)


def _size(amount: str | None) -> Decimal:
    return amount_of(amount) or Decimal(0)
