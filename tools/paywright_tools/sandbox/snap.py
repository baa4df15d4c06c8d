"""The bank-style calls: status and cancel of an order, in their own form [4.17, 2.13].

A call that is refused leaves nothing behind, its X-EXTERNAL-ID included: the same one may then come again.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from paywright_runtime import formats
from paywright_tools.sandbox import refunds
from paywright_tools.sandbox.fields import given, text, time_of
from paywright_tools.sandbox.order_rest import refundable
from paywright_tools.sandbox.orders import close, is_open, order_by_key
from paywright_tools.sandbox.store import Cell, Row, instant
from paywright_tools.sandbox.turn import Handler, Refused, Turn

if TYPE_CHECKING:
    from paywright_tools.sandbox.settings import RegisteredMerchant

__all__ = ["HANDLERS", "TABLES"]

TABLES: Final = """
CREATE TABLE snap_calls (
    id INTEGER PRIMARY KEY, merchant TEXT NOT NULL, day TEXT NOT NULL, external_id TEXT NOT NULL, at INTEGER NOT NULL,
    UNIQUE (merchant, day, external_id)
);
"""

_REFUND_STATUS: Final = {"REFUND_SUCCESS": "00", "REFUND_PENDING": "03", "REFUND_FAILED": "06"}


def _status(turn: Turn, merchant: RegisteredMerchant, asked: Mapping[str, object]) -> dict[str, object]:
    _once_a_day(turn, merchant)
    order = _order(turn, merchant, asked)
    paid_at = order["finished_at"] if order["status"] == "SUCCESS" else None
    history = [
        _refund(row) for row in turn.state.all("SELECT * FROM refunds WHERE order_id = ? ORDER BY id", order["id"])
    ]
    answer: dict[str, object] = {
        "originalPartnerReferenceNo": order["out_trade_no"],
        "originalReferenceNo": order["trade_token"],
        "transAmount": {"value": Decimal(text(order, "amount")), "currency": order["currency"]},
        "latestTransactionStatus": _code(order),
        "paidTime": _time(paid_at),
        "originalResponseMessage": order["response_msg"],
        "refundHistory": history or None,
    }
    return {name: value for name, value in answer.items() if value is not None}


def _cancel(turn: Turn, merchant: RegisteredMerchant, asked: Mapping[str, object]) -> dict[str, object]:
    _once_a_day(turn, merchant)
    order = _order(turn, merchant, asked)
    if is_open(order):
        close(turn, order, "The order was cancelled.")
        order = _order(turn, merchant, asked)
    elif order["status"] == "SUCCESS":
        _cancel_paid(turn, merchant, order, given(asked, "reason"))
    external = given(asked, "originalExternalId")
    answer: dict[str, object] = {
        "originalPartnerReferenceNo": order["out_trade_no"],
        "cancelTime": formats.write_offset_time(turn.now),
        "originalReferenceNo": order["trade_token"],
        # One of 36 characters may be asked with, and 32 answered [2.13, 4.17].
        "originalExternalId": external if external and len(external) <= 32 else None,
        "transactionDate": _time(order["created_at"]),
        "additionalInfo": {"latestTransactionStatus": _code(order)},
    }
    return {name: value for name, value in answer.items() if value is not None}


def _cancel_paid(turn: Turn, merchant: RegisteredMerchant, order: Row, reason: str | None) -> None:
    what = turn.policies.text("snap-cancel-of-paid")
    if what == "refuse":
        raise Refused("The order is paid: refund it, it cannot be cancelled.", policy="snap-not-permitted")
    turn.decided = "snap-cancel-of-paid"
    rest = refundable(turn, order)
    if what == "refund" and rest:
        asked = {
            "outRefundNo": turn.number("SC", "refunds"),
            "refundAmount": rest,
            "refundCurrency": order["currency"],
            "tradeToken": order["trade_token"],
            "comments": reason,
        }
        try:
            refunds.HANDLERS["refunds.create"](turn, merchant, asked)
        except Refused as refused:
            raise Refused(refused.msg, policy="snap-not-permitted") from None


def _once_a_day(turn: Turn, merchant: RegisteredMerchant) -> None:
    external = turn.headers["x-external-id"]  # the contract has seen it
    today = (turn.now + timedelta(seconds=turn.policies.seconds("snap-day-ahead"))).date()
    day = formats.write_date(today)
    before = turn.state.one(
        "SELECT id FROM snap_calls WHERE merchant = ? AND day = ? AND external_id = ?", merchant.app_id, day, external
    )
    if before is not None:
        raise Refused("X-EXTERNAL-ID was used before on this day: every call has its own.", policy="snap-repeat")
    call: dict[str, Cell] = {"merchant": merchant.app_id, "day": day, "external_id": external, "at": instant(turn.now)}
    turn.state.insert("snap_calls", call)
    # Yesterday's stay: the policy that says when a day begins may be another one after a restart.
    over = turn.state.one(
        "SELECT max(id) AS last FROM snap_calls WHERE merchant = ? AND day < ?",
        merchant.app_id,
        formats.write_date(today - timedelta(days=1)),
    )
    if over is not None and isinstance(over["last"], int):
        turn.state.delete_up_to("snap_calls", over["last"])  # the clock never goes back, so days never do


def _order(turn: Turn, merchant: RegisteredMerchant, asked: Mapping[str, object]) -> Row:
    order = order_by_key(turn, merchant.app_id, text(asked, "originalPartnerReferenceNo"))
    if order is None or not _reached(turn.policies.text("snap-reaches"), order):
        raise Refused("There is no such order.", policy="snap-absent")
    number = given(asked, "originalReferenceNo")
    if number and number not in (order["trade_token"], order["trade_no"]):
        raise Refused("originalReferenceNo is not that of the order.", policy="snap-absent")
    amount = asked.get("amount")
    if isinstance(amount, dict) and (
        amount["currency"] != order["currency"] or Decimal(str(amount["value"])) != Decimal(text(order, "amount"))
    ):
        raise Refused("amount is not that of the order.", policy="snap-amount-differs")
    return order


def _reached(policy: str, order: Row) -> bool:
    return policy == "all" or (policy == "idr" and order["currency"] == "IDR")


def _code(order: Row) -> str:
    if is_open(order):
        return "03"
    if order["status"] == "SUCCESS":
        return "00"
    return "05" if order["outcome"] == "closed" else "06"


def _refund(refund: Row) -> dict[str, object]:
    answer: dict[str, object] = {
        "refundNo": refund["refund_trade_no"],
        "partnerRefundNo": refund["out_refund_no"],
        "refundAmount": {"value": Decimal(text(refund, "amount")), "currency": refund["currency"]},
        "refundStatus": _REFUND_STATUS[text(refund, "status")],
        "refundDate": _time(refund["finished_at"] or refund["created_at"]),
        "reason": refund["comments"],
    }
    return {name: value for name, value in answer.items() if value is not None}


def _time(stored: Cell) -> str | None:
    """At most 25 characters: without milliseconds."""
    time = time_of(stored)
    return None if time is None else formats.write_offset_time(time)


HANDLERS: Final[Mapping[str, Handler]] = {"snap.status": _status, "snap.cancel": _cancel}
