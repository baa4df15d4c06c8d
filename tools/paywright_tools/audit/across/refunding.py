"""The refunds of an order: in its currency, in time, and not more than was paid [4.13]."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from paywright.contract import CONTRACT
from paywright_tools.audit.across.amounts import amount_of
from paywright_tools.audit.across.ledger import Ledger
from paywright_tools.audit.across.rows import MADE, SEEN, TOLD, Row
from paywright_tools.audit.findings import Finding
from paywright_tools.audit.plan import plan_of
from paywright_tools.audit.times import seconds

__all__ = ["refunds_of_orders"]

_WINDOW: Final = CONTRACT.limits()["refund-window"].seconds or 0
_STATES: Final = CONTRACT.set("RefundStatus")
_FAILED: Final = frozenset(_STATES.final) - frozenset(_STATES.paid)


class _Order:
    """What the capture tells of an order: what was paid, and when. Each may be unknown."""

    __slots__ = ("amount", "currency", "refunded", "time")

    def __init__(self, rows: Iterator[Row]) -> None:
        self.amount: Decimal | None = None
        self.currency: str | None = None
        self.time: float | None = None
        self.refunded = Decimal(0)
        certain = False
        for row in rows:
            began = seconds(row.began)
            if began is not None and (self.time is None or began < self.time):
                self.time = began
            if row.spelled is not None and row.outcome == MADE and (self.time is None or row.at < self.time):
                self.time = row.at
            amount = amount_of(row.amount)
            if amount is None or certain or (row.spelled is not None and row.outcome != MADE):
                continue
            # What the gateway says was paid counts more than what was asked for.
            certain = row.outcome in (SEEN, TOLD)
            if certain or self.amount is None or amount > self.amount:
                self.amount, self.currency = amount, row.currency


def refunds_of_orders(ledger: Ledger) -> Iterator[tuple[Row, Finding]]:
    """Every request of a refund that breaks a rule about its order."""
    name, order = None, None
    for whose, counts, row in ledger.refunds(sorted(_FAILED)):
        if order is None or whose != name:
            name, order = whose, _Order(ledger.of(whose))
        if row.currency is not None and order.currency is not None and row.currency != order.currency:
            yield row, _finding(
                row, "refund-currency", "refundCurrency", "is not the currency of the order", row.currency
            )
            continue
        if order.time is not None and row.at - order.time > _WINDOW:
            days = _WINDOW // 86400
            words = f"the order is more than {days} days old"
            yield row, _finding(row, "refund-too-late", "outRefundNo", words, row.spelled)
        amount = amount_of(row.amount)
        if amount is None or order.amount is None or not counts:
            continue
        order.refunded += amount
        if order.refunded > order.amount:
            words = "with this one, the refunds of the order come to more than was paid"
            yield row, _finding(row, "refund-exceeds-paid", "refundAmount", words, amount)


def _finding(row: Row, code: str, member: str, words: str, value: object) -> Finding:
    plan = plan_of(row.operation)
    field = CONTRACT.struct(str(plan.operation.data)).by_wire[member]
    line = f"{field.file or plan.operation.file}:{field.line}"
    return Finding(row.operation, plan.asked.part, f"/data/{member}", code, words, line, value)
