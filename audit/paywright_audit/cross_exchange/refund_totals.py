"""Check the refunds of an order, or of a period of a plan: currency, time and total [4.13, 6.2].

Requests that the gateway refused are not judged. The table is in docs/audit.md, "Refunds".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Final

from paywright.contract import CONTRACT
from paywright_audit.cross_exchange.amounts import amount_of
from paywright_audit.cross_exchange.related_rows import PaidRow, RefundRow
from paywright_audit.cross_exchange.rows import EXISTS, LOST, MADE, NOTIFIED, REFUSED, SEEN, Row
from paywright_audit.cross_exchange.subjects import refund_window, states_of
from paywright_audit.cross_exchange.timing import Order, order_of
from paywright_audit.input.times import seconds
from paywright_audit.judging.findings import Finding
from paywright_audit.judging.operation_facts import facts_of
from paywright_runtime.contract.operation import Amount

__all__ = ["PaidHistory", "RefundHistory", "refunds_of"]


class PaidHistory:
    """What the capture shows about a payment, of an order or of a period. It takes the subject's rows in order of time."""

    __slots__ = ("_amount", "_certain", "_currency", "_paid", "_states", "_subject", "_time", "_unpaid")

    def __init__(self, subject: str) -> None:
        self._subject = subject
        self._states = CONTRACT.set(states_of(subject.partition("\0")[0]) or "")
        self._amount: Decimal | None = None
        self._currency: str | None = None
        self._time: float | None = None
        self._unpaid: Row | None = None
        self._certain = self._paid = False

    def take(self, row: Row) -> None:
        """Take the next row."""
        began = seconds(row.began)
        if began is not None and (self._time is None or began < self._time):
            self._time = began
        if row.spelled is not None and row.outcome == MADE and (self._time is None or row.until < self._time):
            self._time = row.until
        if row.outcome in (SEEN, NOTIFIED):
            self._paid = self._paid or row.state in self._states.paid
            if self._unpaid is None and row.final:
                self._unpaid = row
        if self._certain or row.amount is None or (row.spelled is not None and row.outcome != MADE):
            return
        amount = amount_of(row.amount)
        if amount is None:
            return
        # The amount that the gateway reports paid takes precedence over the amount requested.
        self._certain = row.outcome in (SEEN, NOTIFIED)
        if self._certain or self._amount is None or amount > self._amount:
            self._amount, self._currency = amount, row.currency

    def row(self) -> PaidRow:
        """Return what the rows show."""
        unpaid = None if self._paid else self._unpaid
        return PaidRow(self._subject, self._amount, self._currency, self._time, unpaid)


class RefundHistory:
    """The requests of one refund, and what became of it. It takes the refund's rows in order of time.

    One request counts: the first with outcome made, or else the first of unknown outcome if the gateway shows that the
    refund exists. None counts if the gateway reports the refund as failed, and never as paid.
    """

    __slots__ = ("_failed", "_first", "_paid", "_requests", "_shown", "_states", "_there")

    def __init__(self, family: str) -> None:
        states = CONTRACT.set(states_of(family) or "") if states_of(family) else None
        paid = frozenset(states.paid if states is not None else ())
        self._states = paid, frozenset(states.final if states is not None else ()) - paid
        self._requests: list[Row] = []
        self._first: int | None = None  # the first request with outcome made
        self._there = self._failed = self._paid = False
        self._shown: str | None = None

    def take(self, row: Row) -> None:
        """Take the next row."""
        self._there = self._there or row.outcome in EXISTS
        paid, failed = self._states
        self._failed = self._failed or row.state in failed
        self._paid = self._paid or row.state in paid
        if row.outcome in (SEEN, NOTIFIED) and row.amount is not None:
            self._shown = max((one for one in (self._shown, row.amount) if one is not None), key=_size)
        if row.spelled is not None and row.outcome != REFUSED:
            if row.outcome == MADE and self._first is None:
                self._first = len(self._requests)
            self._requests.append(row)

    def rows(self) -> Iterator[RefundRow]:
        """Yield the requests that name what they refund, by its key or by its token."""
        happened = (self._there and not self._failed) or self._paid
        for number, row in enumerate(self._requests):
            if row.ref is None and row.token is None:
                continue
            made = row.amount if row.outcome == MADE else None
            amount = next((one for one in (made, self._shown, row.amount) if one is not None), None)
            yield RefundRow(row.ref, row, happened and number == (self._first or 0), amount)


def refunds_of(paid: PaidRow | None, refunds: Iterable[RefundRow], slack: float) -> Iterator[tuple[Row, Finding]]:
    """Yield every request of a refund that breaks a rule about the refunded payment.

    The requests are those of one order or period, in order of time. `paid` is None if the capture shows nothing of it.
    """
    paid = paid or PaidRow("")
    refunded = Decimal(0)
    for refund in refunds:
        if not (refund.counts or refund.row.outcome != LOST):
            continue
        found = list(_judge(refund, paid, slack))
        yield from ((refund.row, one) for one in found)
        amount = amount_of(refund.amount)
        if amount is None or paid.amount is None or not refund.counts or any(one.code in _ENDS for one in found):
            continue
        refunded += amount
        if refunded > paid.amount:
            words = "with this one, the refunds of the order add up to more than was paid"
            yield refund.row, _finding(refund.row, "refund-exceeds-paid", _amount_of(refund.row).pointer, words, amount)


_ENDS: Final = ("refund-negative", "refund-currency", "refund-not-paid")
"""Findings after which the amount of a refund is not added to the others."""


def _judge(refund: RefundRow, paid: PaidRow, slack: float) -> Iterator[Finding]:
    row, asked = refund.row, amount_of(refund.row.amount)
    if asked is not None and asked < 0:
        yield _finding(row, "refund-negative", _amount_of(row).pointer, "is less than zero", asked)
        return
    if row.currency is not None and paid.currency is not None and row.currency != paid.currency:
        words = "is not the currency of the order"
        yield _finding(row, "refund-currency", _amount_of(row).currency, words, row.currency)
        return
    window = refund_window(row.operation)
    if window is not None and paid.time is not None and row.at - slack - paid.time > window:
        words = f"the order is more than {window // 86400} days old"
        yield _finding(row, "refund-too-late", _key_of(row), words, row.spelled)
    if paid.unpaid is not None and order_of(row, paid.unpaid, slack) is Order.AFTER:
        words = f"the payment ended as {paid.unpaid.state} before, unpaid"
        yield _finding(row, "refund-not-paid", _key_of(row), words, row.spelled)


def _amount_of(row: Row) -> Amount:
    amount = facts_of(row.operation).operation.amount
    assert amount is not None  # the linter requires it of what gives back
    return amount


def _key_of(row: Row) -> str:
    operation = facts_of(row.operation).operation
    return "/".join(("", *operation.payload_paths[0], str(operation.key)))


def _finding(row: Row, code: str, pointer: str, words: str, value: object) -> Finding:
    facts = facts_of(row.operation)
    *_, (struct, field) = CONTRACT.at(facts.asked.struct, pointer)
    assert field is not None  # the contract says where it is
    line = CONTRACT.place(struct.name, member=field.wire)
    return Finding(row.operation, facts.asked.part, pointer, code, words, line, value)


def _size(amount: str) -> Decimal:
    return amount_of(amount) or Decimal(0)
