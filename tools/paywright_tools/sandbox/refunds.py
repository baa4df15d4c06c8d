"""Refunds and their inquiry [4.13, 4.14, 2.4]."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from decimal import Decimal
from typing import Final

from paywright.contract import CONTRACT
from paywright_tools.sandbox.fields import amount_of, check_decimals, given, text, time_of, whole, zoned
from paywright_tools.sandbox.money import written
from paywright_tools.sandbox.order_rest import refundable
from paywright_tools.sandbox.orders import order_by_key, order_by_token
from paywright_tools.sandbox.results import refund_result
from paywright_tools.sandbox.settings import RegisteredMerchant
from paywright_tools.sandbox.store import Cell, Row, Timer, instant
from paywright_tools.sandbox.turn import Due, Handler, Refused, Turn

__all__ = ["DUE", "HANDLERS", "fail", "refunds_of_number", "settle", "shown"]

_SETTLES: Final = "refund.settles"


# Creating


def _create(turn: Turn, merchant: RegisteredMerchant, data: Mapping[str, object]) -> dict[str, object]:
    key = text(data, "outRefundNo")
    if _refund_by(turn, merchant, "out_refund_no", key) is not None:
        raise Refused("This outRefundNo was used before: query that refund.", policy="refund-repeat")
    order = _order_of(turn, merchant, data)
    amount, currency = amount_of(data, "refundAmount"), text(data, "refundCurrency")
    _check(turn, order, amount, currency)
    settles = turn.now + timedelta(seconds=turn.policies.seconds("refund-settles-after"))
    refund: dict[str, Cell] = {
        "merchant": merchant.app_id,
        "out_refund_no": key,
        "refund_trade_no": turn.number("RT", "refunds"),
        "order_id": order["id"],
        "status": "REFUND_PENDING",
        "amount": written(amount),
        "currency": currency,
        "comments": given(data, "comments"),
        "notify_url": given(data, "refundNotifyUrl"),
        "created_at": instant(turn.now),
    }
    row = turn.state.insert("refunds", refund)
    turn.state.set_timer(Timer(settles, _SETTLES, row))
    shown = {
        "merchant": merchant.app_id,
        "order": order["out_trade_no"],
        "amount": refund["amount"],
        "currency": currency,
    }
    turn.state.record(turn.now, "refund.created", key, shown)
    return {
        "outRefundNo": key,
        "tradeOrderNo": order["trade_token"],  # the service's id, as refundTradeNo beside it is
        "refundTradeNo": refund["refund_trade_no"],
        "status": "REFUND_PENDING",
    }


def _order_of(turn: Turn, merchant: RegisteredMerchant, data: Mapping[str, object]) -> Row:
    key, token = given(data, "outTradeNo"), given(data, "tradeToken")
    by_key = order_by_key(turn, merchant.app_id, key) if key else None
    by_token = order_by_token(turn, merchant.app_id, token) if token else None
    if (key and by_key is None) or (token and by_token is None):
        raise Refused("There is no such order: nothing was refunded.", policy="refund-of-unknown-order")
    if by_key is not None and by_token is not None and by_key["id"] != by_token["id"]:
        raise Refused("/data/outTradeNo and /data/tradeToken name two different orders.", policy="refund-ids-disagree")
    order = by_key or by_token
    assert order is not None  # the rule which-order has seen one of the two
    return order


def _check(turn: Turn, order: Row, amount: Decimal, currency: str) -> None:
    if order["status"] != "SUCCESS":
        raise Refused("The order is not paid: there is nothing to refund.", policy="refund-of-unpaid-order")
    if currency != order["currency"]:
        raise Refused(
            "/data/refundCurrency is not the currency of the original transaction.", policy="refund-in-other-currency"
        )
    check_decimals(turn, amount, currency, "refundAmount")
    window = CONTRACT.limits()["refund-window"].seconds
    created = time_of(order["created_at"])
    if window is not None and created is not None and turn.now - created > timedelta(seconds=window):
        raise Refused("The order is older than 180 days: it can be refunded no longer.", policy="refund-window-over")
    if amount > refundable(turn, order):
        raise Refused(
            "/data/refundAmount is more than what refunds and chargeback cases have left of the order.",
            policy="refund-over-rest",
        )


# What becomes of a refund


def settle(turn: Turn, refund: Row) -> Row:
    """The refund succeeds. Returns it as it is then; so does `fail`."""
    return _finish(turn, whole(refund, "id"), "succeeded", {"status": "REFUND_SUCCESS"})


def fail(turn: Turn, refund: Row, why: str) -> Row:
    """The refund fails: its amount can be refunded again."""
    return _finish(turn, whole(refund, "id"), "failed", {"status": "REFUND_FAILED", "result_msg": why})


def _finish(turn: Turn, row: int, outcome: str, changes: dict[str, Cell]) -> Row:
    turn.state.update("refunds", row, {**changes, "finished_at": instant(turn.now)})
    turn.state.drop_timers(_SETTLES, row)
    refund = _again(turn, row)
    turn.state.record(turn.now, f"refund.{outcome}", text(refund, "out_refund_no"), {"merchant": refund["merchant"]})
    turn.notify(
        text(refund, "merchant"),
        "REFUND",
        given(refund, "notify_url"),
        {"data": refund_result(refund)},
        about=text(refund, "out_refund_no"),
    )
    return refund


def _due(turn: Turn, row: int) -> None:
    refund = _again(turn, row)
    if Decimal(text(refund, "amount")) in turn.policies.amounts("refund-fails-at"):
        fail(turn, refund, "The refund failed: its amount is one that fails in this sandbox.")
    else:
        settle(turn, refund)


_JOINED: Final = (
    "SELECT refunds.*, orders.out_trade_no FROM refunds JOIN orders ON orders.id = refunds.order_id WHERE refunds."
)


def _again(turn: Turn, row: int) -> Row:
    refund = turn.state.one(_JOINED + "id = ?", row)
    assert refund is not None  # refunds are never deleted
    return refund


# Asking


def refunds_of_number(turn: Turn, out_refund_no: str) -> list[dict[str, Cell]]:
    """The refunds of a merchant's number, of whatever merchant."""
    return turn.state.all(_JOINED + "out_refund_no = ? ORDER BY refunds.id", out_refund_no)


def _query(turn: Turn, merchant: RegisteredMerchant, data: Mapping[str, object]) -> dict[str, object]:
    key, number = given(data, "outRefundNo"), given(data, "refundTradeNo")
    refund = _refund_by(turn, merchant, "out_refund_no", key) if key else None
    if refund is None and number and not key:
        refund = _refund_by(turn, merchant, "refund_trade_no", number)
    if refund is None or (number and refund["refund_trade_no"] != number):
        raise Refused("There is no such refund.", policy="refund-absent")
    return shown(refund)


def shown(refund: Row) -> dict[str, object]:
    """A refund as its inquiry answers it [2.4]."""
    answer: dict[str, object] = {
        "outRefundNo": refund["out_refund_no"],
        "refundTradeNo": refund["refund_trade_no"],
        "outTradeNo": refund["out_trade_no"],
        "refundAmount": Decimal(text(refund, "amount")),
        "refundCurrency": refund["currency"],
        "status": refund["status"],
        "resultMsg": refund["result_msg"],
        "refundFinishTime": zoned(refund["finished_at"]) or "",
    }
    return {name: value for name, value in answer.items() if value is not None}


def _refund_by(turn: Turn, merchant: RegisteredMerchant, column: str, value: str) -> Row | None:
    return turn.state.one(_JOINED + f"merchant = ? AND refunds.{column} = ?", merchant.app_id, value)


HANDLERS: Final[Mapping[str, Handler]] = {"refunds.create": _create, "refunds.query": _query}

DUE: Final[Mapping[str, Due]] = {_SETTLES: _due}
