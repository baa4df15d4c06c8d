"""Check the refunds of an order, or of a period of a plan: currency, time and total [4.13, 6.2].

Requests that the gateway refused are not judged. The table is in docs/audit.md, "Refunds".
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from paywright.contract import CONTRACT
from paywright_audit.cross_exchange.amounts import amount_of
from paywright_audit.cross_exchange.row_store import RefundRow, RowStore
from paywright_audit.cross_exchange.rows import LOST, MADE, NOTIFIED, SEEN, Row
from paywright_audit.cross_exchange.subjects import states_of
from paywright_audit.cross_exchange.timing import Order, order_of
from paywright_audit.input.times import seconds
from paywright_audit.judging.findings import Finding
from paywright_audit.judging.operation_facts import facts_of

__all__ = ["refunds_of_orders"]

_WINDOW: Final = CONTRACT.limits()["refund-window"].seconds or 0
_STATES: Final = CONTRACT.set("RefundStatus")
_FAILED: Final = frozenset(_STATES.final) - frozenset(_STATES.paid)


class _Paid:
    """What the capture shows about the refunded payment: what was paid, and when. Each may be unknown.

    `unpaid` is the first row that shows that it ended unpaid; None if a row shows that it was paid.
    """

    __slots__ = ("amount", "currency", "refunded", "time", "unpaid")

    def __init__(self, whose: str, rows: Iterator[Row]) -> None:
        states = CONTRACT.set(states_of(whose.partition("\0")[0]) or "")
        self.amount: Decimal | None = None
        self.currency: str | None = None
        self.time: float | None = None
        self.unpaid: Row | None = None
        self.refunded = Decimal(0)
        certain = paid = False
        for row in rows:
            began = seconds(row.began)
            if began is not None and (self.time is None or began < self.time):
                self.time = began
            if row.spelled is not None and row.outcome == MADE and (self.time is None or row.until < self.time):
                self.time = row.until
            if row.outcome in (SEEN, NOTIFIED):
                paid = paid or row.state in states.paid
                if self.unpaid is None and row.final:
                    self.unpaid = row
            amount = amount_of(row.amount)
            if amount is None or certain or (row.spelled is not None and row.outcome != MADE):
                continue
            # The amount that the gateway reports paid takes precedence over the amount requested.
            certain = row.outcome in (SEEN, NOTIFIED)
            if certain or self.amount is None or amount > self.amount:
                self.amount, self.currency = amount, row.currency
        if paid:
            self.unpaid = None


def refunds_of_orders(store: RowStore, slack: float) -> Iterator[tuple[Row, Finding]]:
    """Yield every request of a refund that breaks a rule about the refunded payment."""
    name, paid = None, None
    for refund in store.refunds(_FAILED, _STATES.paid):
        if paid is None or refund.whose != name:
            name, paid = refund.whose, _Paid(refund.whose, store.of(refund.whose))
        if refund.counts or refund.row.outcome != LOST:
            yield from _judge(refund, paid, slack)


def _judge(refund: RefundRow, paid: _Paid, slack: float) -> Iterator[tuple[Row, Finding]]:
    row, asked, amount = refund.row, amount_of(refund.row.amount), amount_of(refund.amount)
    if asked is not None and asked < 0:
        yield row, _finding(row, "refund-negative", "refundAmount", "is less than zero", asked)
        return
    if row.currency is not None and paid.currency is not None and row.currency != paid.currency:
        words = "is not the currency of the order"
        yield row, _finding(row, "refund-currency", "refundCurrency", words, row.currency)
        return
    if paid.time is not None and row.at - slack - paid.time > _WINDOW:
        words = f"the order is more than {_WINDOW // 86400} days old"
        yield row, _finding(row, "refund-too-late", "outRefundNo", words, row.spelled)
    if paid.unpaid is not None and order_of(row, paid.unpaid, slack) is Order.AFTER:
        words = f"the payment ended as {paid.unpaid.state} before, unpaid"
        yield row, _finding(row, "refund-not-paid", "outRefundNo", words, row.spelled)
        return
    if amount is None or paid.amount is None or not refund.counts:
        return
    paid.refunded += amount
    if paid.refunded > paid.amount:
        words = "with this one, the refunds of the order add up to more than was paid"
        yield row, _finding(row, "refund-exceeds-paid", "refundAmount", words, amount)


def _finding(row: Row, code: str, member: str, words: str, value: object) -> Finding:
    facts = facts_of(row.operation)
    field = CONTRACT.struct(str(facts.operation.data)).by_wire[member]
    line = f"{field.file or facts.operation.file}:{field.line}"
    return Finding(row.operation, facts.asked.part, f"/data/{member}", code, words, line, value)
