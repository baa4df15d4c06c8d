"""Chargeback cases: opened and moved through the control API, and queried in both forms [4.9, 4.10, 2.12].

What a case freezes is the policy case-freezes. By default that is nothing, for what a paid order earns is not in the
balances here; with `balance`, amount and fee leave the balance of the order's currency when the case is opened, come back
when it ends without being lost, and are gone when it is (FAI).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from decimal import Context, Decimal
from typing import TYPE_CHECKING, Final

from paywright_runtime import formats
from paywright_tools.sandbox.balances import move, suffices
from paywright_tools.sandbox.fields import check_entered, given, text, whole
from paywright_tools.sandbox.money import decimals_of, places, rounded, written
from paywright_tools.sandbox.order_rest import OVER, disputable
from paywright_tools.sandbox.store import Cell, Row, instant, moment
from paywright_tools.sandbox.turn import Handler, Refused, Turn

if TYPE_CHECKING:
    from paywright_tools.sandbox.settings import RegisteredMerchant

__all__ = ["HANDLERS", "STATUSES", "TABLES", "case_by_id", "change", "open_case", "shown"]

TABLES: Final = """
CREATE TABLE cases (
    id INTEGER PRIMARY KEY, merchant TEXT NOT NULL, case_id TEXT NOT NULL,
    order_id INTEGER NOT NULL REFERENCES orders (id), status TEXT NOT NULL, result TEXT, batch_id TEXT,
    amount TEXT NOT NULL, currency TEXT NOT NULL, fee TEXT NOT NULL, frozen TEXT, opened_at INTEGER NOT NULL, reply_by INTEGER NOT NULL,
    UNIQUE (case_id, merchant)
);
CREATE INDEX cases_of ON cases (order_id);
"""

STATUSES: Final = ("DISPUTE_INQUIRY", "DISPUTE_RECEIVED", "DISPUTE_END", "CASE_CLOSED", "CASE_CANCEL")
_EXACT: Final = Context(prec=200)
_JOINED: Final = (
    "SELECT cases.*, orders.out_trade_no, orders.trade_token, orders.user_id, orders.amount AS order_amount, "
    "orders.created_at AS order_created_at FROM cases JOIN orders ON orders.id = cases.order_id "
)


def open_case(
    turn: Turn, order: Row, *, case_id: str | None = None, amount: Decimal | None = None, batch_id: str | None = None
) -> Row:
    """Opens a case on a paid order; `amount` None disputes all that is left of it. Raises `Refused` with an HTTP status."""
    if order["status"] != "SUCCESS":
        raise Refused("The order is not paid: there is nothing to dispute.", code="409")
    merchant, paid, currency = text(order, "merchant"), Decimal(text(order, "amount")), text(order, "currency")
    left = disputable(turn, order)
    disputed = left if amount is None else amount
    if amount is not None and not 0 < amount <= paid:
        raise Refused("amount must be above 0 and at most the order's.", code="400")
    if places(disputed) > places(paid):
        check_entered(turn, disputed, currency, "amount")
    fee = rounded(Decimal(turn.policies.text("case-fee")), decimals_of(currency), "half-up")
    if len(written(_EXACT.add(disputed, fee))) > 20 or len(written(paid)) > 20:
        raise Refused("The amounts of a case have at most 20 characters [2.12]; the order's is longer.", code="409")
    case = case_id or turn.number("CB", "cases")
    if case_by_id(turn, merchant, case) is not None:
        raise Refused("This caseId was used before.", code="409")
    if not left or disputed > left:
        raise Refused(
            "Refunds and other cases have left less of the order than that: see its refundable, and the policy "
            "disputed-amount.",
            code="409",
        )
    total = _EXACT.add(disputed, fee)
    freezes = turn.policies.text("case-freezes") == "balance"
    if freezes and not suffices(turn, merchant, currency, total):
        raise Refused(f"The balance in {currency} does not suffice for the frozen amount and fee.", code="409")
    opened: dict[str, Cell] = {
        "merchant": merchant,
        "case_id": case,
        "order_id": order["id"],
        "status": turn.policies.text("case-opens-as"),
        "batch_id": batch_id,
        "amount": written(disputed),
        "currency": currency,
        "fee": written(fee),
        "frozen": written(total) if freezes else None,
        "opened_at": instant(turn.now),
        "reply_by": instant(turn.now + timedelta(seconds=turn.policies.seconds("case-reply-within"))),
    }
    turn.state.insert("cases", opened)
    if freezes:
        move(turn, merchant, currency, total.copy_negate(), "case.frozen", case)
    detail = {
        "merchant": merchant,
        "order": order["out_trade_no"],
        "status": opened["status"],
        "amount": opened["amount"],
        "frozen": opened["frozen"],
        "currency": currency,
    }
    turn.state.record(turn.now, "case.opened", case, detail)
    return _found(turn, merchant, case)


def change(turn: Turn, case: Row, status: str, result: str | None) -> Row:
    """Moves a case. Raises `Refused` with an HTTP status where it is over, or where the result does not fit."""
    if case["status"] in OVER:
        raise Refused(f"The case is {case['status']}: it is over.", code="409")
    if status == "DISPUTE_END" and result is None:
        raise Refused("DISPUTE_END needs caseResult: WIN or FAI.", code="400")
    if status not in ("DISPUTE_END", "CASE_CLOSED") and result is not None:
        raise Refused(f"A case that is {status} has no caseResult.", code="400")
    turn.state.update("cases", whole(case, "id"), {"status": status, "result": result})
    frozen = given(case, "frozen")
    if frozen is not None and status in OVER and result != "FAI":
        merchant, currency = text(case, "merchant"), text(case, "currency")
        move(turn, merchant, currency, Decimal(frozen), "case.released", text(case, "case_id"))
    detail = {"merchant": case["merchant"], "order": case["out_trade_no"], "status": status, "result": result}
    turn.state.record(turn.now, "case.moved", text(case, "case_id"), detail)
    return _found(turn, text(case, "merchant"), text(case, "case_id"))


def case_by_id(turn: Turn, merchant: str, case_id: str) -> Row | None:
    """A merchant's case, with what it needs of its order."""
    return turn.state.one(_JOINED + "WHERE cases.merchant = ? AND cases.case_id = ?", merchant, case_id)


def _found(turn: Turn, merchant: str, case_id: str) -> Row:
    case = case_by_id(turn, merchant, case_id)
    assert case is not None  # cases are never deleted
    return case


# Asking


def _search(turn: Turn, merchant: RegisteredMerchant, data: Mapping[str, object]) -> dict[str, object]:
    case = case_by_id(turn, merchant.app_id, text(data, "caseId"))
    if case is None:
        raise Refused("There is no such case.", policy="case-absent")
    return shown(case)


def _inquire(turn: Turn, merchant: RegisteredMerchant, asked: Mapping[str, object]) -> dict[str, object]:
    case = _search(turn, merchant, asked)
    return {name: value for name, value in case.items() if name not in ("originTradeAmount", "originTradeCurrency")}


def shown(case: Row) -> dict[str, object]:
    """A case as it is answered [2.12]."""
    opened, reply_by, ordered = (moment(whole(case, name)) for name in ("opened_at", "reply_by", "order_created_at"))
    answer: dict[str, object] = {
        "amount": case["amount"],
        "retrievalDate": formats.write_date(opened.date()),
        "fee": case["fee"],
        "caseResult": case["result"],
        "batchId": case["batch_id"],
        "outUserId": case["user_id"],
        "tradeCreateTime": formats.write_request_time(ordered),
        "totalAmount": written(_EXACT.add(Decimal(text(case, "amount")), Decimal(text(case, "fee")))),
        "caseId": case["case_id"],
        "outTradeNo": case["out_trade_no"],
        "currency": case["currency"],
        "tradeToken": case["trade_token"],
        "status": case["status"],
        "expirationDate": formats.write_date(reply_by.date()),
        "originTradeAmount": case["order_amount"],
        "originTradeCurrency": case["currency"],
    }
    return {name: value for name, value in answer.items() if value is not None}


HANDLERS: Final[Mapping[str, Handler]] = {"cases.search": _search, "cases.inquire": _inquire}
