"""What the notifications of orders and refunds say. The specification does not show it [6.3]; this is as seen elsewhere."""

from __future__ import annotations

from decimal import Decimal

from paywright_runtime import formats
from paywright_tools.sandbox.fields import given, text, time_of
from paywright_tools.sandbox.store import Row

__all__ = ["order_result", "refund_result"]


def order_result(order: Row) -> dict[str, object]:
    """The data of an order's result; its status is the one that the inquiry answers."""
    data: dict[str, object] = {
        "outTradeNo": order["out_trade_no"],
        "tradeToken": order["trade_token"],
        "totalAmount": Decimal(text(order, "amount")),
        "currency": order["currency"],
        "country": given(order, "country"),
        "status": order["status"],
        "completeTime": _time(order),
        "paymentDetails": [{"paymentMethodType": method}] if (method := given(order, "method")) else [],
        "reference": given(order, "reference"),
    }
    return {name: value for name, value in data.items() if value is not None}


def refund_result(refund: Row) -> dict[str, object]:
    """The data of a refund's result."""
    return {
        "outRefundNo": refund["out_refund_no"],
        "refundTradeNo": refund["refund_trade_no"],
        "outTradeNo": refund["out_trade_no"],
        "refundAmount": Decimal(text(refund, "amount")),
        "refundCurrency": refund["currency"],
        "status": refund["status"],
        "refundFinishTime": _time(refund),
    }


def _time(row: Row) -> str:
    finished = time_of(row["finished_at"])
    return formats.write_request_time(finished) if finished else ""
