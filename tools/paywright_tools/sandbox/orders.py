"""Payment orders: hosted and Drop-In, and their inquiry [4.1, 4.2, 4.3, 2.3]."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from decimal import Decimal
from typing import Final

from paywright_tools.sandbox.fields import amount_of, check_decimals, given, text, zoned
from paywright_tools.sandbox.money import written
from paywright_tools.sandbox.settings import RegisteredMerchant
from paywright_tools.sandbox.store import Cell, Row, Timer, instant
from paywright_tools.sandbox.turn import Due, Handler, Refused, Turn

__all__ = ["DUE", "HANDLERS", "close", "fail", "fold", "is_open", "order_by_key", "order_by_token", "pay"]

_EXPIRES: Final = "order.expires"
# Letters of ASCII only: lower() would make a k of the Kelvin sign.
_FOLDED: Final = str.maketrans({chr(upper): chr(upper + 32) for upper in range(ord("A"), ord("Z") + 1)})


def fold(out_trade_no: str) -> str:
    """A merchant's order id as it is compared: AAA and AAa are the same [4.1]."""
    return out_trade_no.translate(_FOLDED)


def order_by_key(turn: Turn, merchant: str, out_trade_no: str) -> Row | None:
    """A merchant's order by its own id."""
    return turn.state.one("SELECT * FROM orders WHERE merchant = ? AND key = ?", merchant, fold(out_trade_no))


def order_by_token(turn: Turn, merchant: str, trade_token: str) -> Row | None:
    """A merchant's order by the service's id."""
    return turn.state.one("SELECT * FROM orders WHERE merchant = ? AND trade_token = ?", merchant, trade_token)


def is_open(order: Row) -> bool:
    """Whether an order can still be paid."""
    return order["finished_at"] is None


# Creating


def _checkout(turn: Turn, merchant: RegisteredMerchant, data: Mapping[str, object]) -> dict[str, object]:
    order = _create(turn, merchant, data)
    return {
        "redirectUrl": _cashier(turn, order),
        "outTradeNo": order["out_trade_no"],
        "tradeToken": order["trade_token"],
        "status": "PENDING",
    }


def _drop_in(turn: Turn, merchant: RegisteredMerchant, data: Mapping[str, object]) -> dict[str, object]:
    order = _create(turn, merchant, data)
    amount = Decimal(text(order, "amount"))
    answer: dict[str, object] = {
        "outTradeNo": order["out_trade_no"],
        "tradeToken": order["trade_token"],
        "status": "PENDING",
    }
    if amount in turn.policies.amounts("drop-in-fails-at"):
        turn.decided = "drop-in-fails-at"
        fail(turn, order, "The payment failed: its amount is one that fails in this sandbox.")
        answer["status"] = turn.policies.text("failed-drop-in-answers")
    elif amount in turn.policies.amounts("drop-in-pends-at"):
        turn.decided = "drop-in-pends-at"
    elif amount in turn.policies.amounts("drop-in-challenges-at"):
        turn.decided = "drop-in-challenges-at"
        answer["redirectUrl"] = _cashier(turn, order)
    else:
        pay(turn, order)
        answer["status"] = "SUCCESS"
    return answer


def _create(turn: Turn, merchant: RegisteredMerchant, data: Mapping[str, object]) -> Row:
    key = text(data, "outTradeNo")
    if order_by_key(turn, merchant.app_id, key) is not None:
        raise Refused(
            "This outTradeNo was used before (upper and lower case are the same): query that order.",
            policy="order-repeat",
        )
    amount, currency = amount_of(data, "totalAmount"), text(data, "currency")
    _check_limit(turn, amount)
    check_decimals(turn, amount, currency, "totalAmount")
    lifetime = given(data, "expireTime")
    expires = turn.now + timedelta(seconds=int(lifetime) if lifetime else turn.policies.seconds("order-expires-after"))
    order: dict[str, Cell] = {
        "id": turn.state.next_id("orders"),
        "merchant": merchant.app_id,
        "key": fold(key),
        "out_trade_no": key,
        "trade_token": turn.number("TT", "orders"),
        "trade_no": turn.number("TN", "orders"),
        "integrate": text(data, "integrate"),
        "status": "PENDING",
        "amount": written(amount),
        "currency": currency,
        "country": given(data, "country"),
        "subject": text(data, "subject"),
        "user_id": text(data, "userId"),
        "reference": given(data, "reference"),
        "front_callback_url": text(data, "frontCallbackUrl"),
        "notify_url": given(data, "notifyUrl"),
        "created_at": instant(turn.now),
        "expires_at": instant(expires),
        "finished_at": None,
    }
    row = turn.state.insert("orders", order)
    turn.state.set_timer(Timer(expires, _EXPIRES, row))
    shown = {"merchant": merchant.app_id, "amount": order["amount"], "currency": currency}
    turn.state.record(turn.now, "order.created", key, shown)
    return order


def _check_limit(turn: Turn, amount: Decimal) -> None:
    limit = Decimal(turn.policies.text("largest-amount"))
    if limit and amount > limit:
        raise Refused(
            "/data/totalAmount is above the limit this sandbox is set to (policy largest-amount).",
            policy="amount-over-limit",
        )


def _cashier(turn: Turn, order: Row) -> str:
    return f"{turn.address}/_sandbox/cashier/{text(order, 'trade_token')}"


# What becomes of an order


def pay(turn: Turn, order: Row) -> None:
    """The order is paid."""
    _finish(turn, order, "order.paid", {"status": "SUCCESS"})


def fail(turn: Turn, order: Row, why: str) -> None:
    """The payment failed."""
    code = turn.policies.text("failed-order-code")
    _finish(turn, order, "order.failed", {"status": "FAILED", "response_code": code, "response_msg": why})


def close(turn: Turn, order: Row, why: str) -> None:
    """The order can be paid no longer."""
    status, code = turn.policies.text("closed-order-status"), turn.policies.text("closed-order-code")
    _finish(turn, order, "order.closed", {"status": status, "response_code": code, "response_msg": why})


def _finish(turn: Turn, order: Row, event: str, changes: dict[str, Cell]) -> None:
    row = order["id"]
    assert isinstance(row, int)
    assert is_open(order)  # whoever calls has looked
    turn.state.update("orders", row, {**changes, "finished_at": instant(turn.now)})
    turn.state.drop_timers(_EXPIRES, row)
    turn.state.record(turn.now, event, text(order, "out_trade_no"), {"merchant": order["merchant"], **changes})


def _expire(turn: Turn, row: int) -> None:
    order = turn.state.one("SELECT * FROM orders WHERE id = ?", row)
    assert order is not None  # orders are never deleted
    close(turn, order, "The order was not completed in time.")


# Asking


def _query(turn: Turn, merchant: RegisteredMerchant, data: Mapping[str, object]) -> dict[str, object]:
    order = order_by_key(turn, merchant.app_id, text(data, "outTradeNo"))
    if order is None:
        raise Refused("The order does not exist.", code="ORDER_NOT_EXIST")
    amount = {"amount": order["amount"], "currency": order["currency"]}
    answer: dict[str, object] = {
        "outTradeNo": order["out_trade_no"],
        "tradeNo": order["trade_no"],
        "status": order["status"],
        "responseCode": order["response_code"],
        "responseMsg": order["response_msg"],
        "reference": order["reference"],
        "expiryTime": zoned(order["expires_at"]),
        "transactionUtcTime": zoned(order["created_at"]),
        "payFinishTime": zoned(order["finished_at"]) if order["status"] == "SUCCESS" else None,
        "trade": amount,
        "source": amount,
        "destination": amount,
    }
    return {name: value for name, value in answer.items() if value is not None}


HANDLERS: Final[Mapping[str, Handler]] = {
    "orders.checkout": _checkout,
    "orders.drop_in": _drop_in,
    "orders.query": _query,
}

DUE: Final[Mapping[str, Due]] = {_EXPIRES: _expire}
