"""Data of the notification of an order, as similar gateways send it: the specification does not show it [6.3]."""

from __future__ import annotations

from decimal import Decimal

from paywright_runtime.contract import formats
from paywright_sandbox.resources.payments.order import PaymentOrder

__all__ = ["order_result"]


def order_result(order: PaymentOrder) -> dict[str, object]:
    """Return the data of an order's result; its status is that of the inquiry."""
    data: dict[str, object] = {
        "outTradeNo": order.out_trade_no,
        "tradeToken": order.trade_token,
        "totalAmount": Decimal(order.amount),
        "currency": order.currency,
        "country": order.country,
        "status": order.status,
        "completeTime": formats.write_request_time(order.finished_at) if order.finished_at else "",
        "paymentDetails": [{"paymentMethodType": method}] if (method := order.method) else [],
        "reference": order.reference,
    }
    return {name: value for name, value in data.items() if value is not None}
