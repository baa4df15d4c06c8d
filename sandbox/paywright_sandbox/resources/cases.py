"""Chargeback cases: opened and moved through the control API, and queried in both forms [4.9, 4.10, 2.12].

The policy case-freezes decides what a case freezes. By default nothing, since the earnings of paid orders are not in the
balances; with `balance`, amount and fee leave the balance of the order's currency when the case is opened, and come back
when it ends, unless it is lost (FAI).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Context, Decimal
from typing import TYPE_CHECKING, Final

from paywright.contract import CONTRACT
from paywright_runtime.contract import formats
from paywright_sandbox.engine.context import RequestContext
from paywright_sandbox.engine.currency_decimals import check_entered, decimals_of, places, rounded, written
from paywright_sandbox.engine.fields import given, text
from paywright_sandbox.engine.policies import Policy
from paywright_sandbox.engine.resource import Resource
from paywright_sandbox.engine.routes import WHOSE, Call, Route, RouteField, Rows, in_context
from paywright_sandbox.engine.state.refusal import Refusal
from paywright_sandbox.engine.state.tables import MerchantRow, joined, references
from paywright_sandbox.engine.used_keys import refuse_used
from paywright_sandbox.resources.balances import balance, move
from paywright_sandbox.resources.orders.refund_rest import OVER, refundable
from paywright_sandbox.resources.orders.routes import ORDERS

if TYPE_CHECKING:
    from paywright_sandbox.engine.merchant import RegisteredMerchant


@dataclass(frozen=True, kw_only=True)
class ChargebackCase(
    MerchantRow,
    table="cases",
    unique=("case_id, merchant",),
    indexes={"cases_of": "(order_id)"},
    join="JOIN orders ON orders.id = cases.order_id",
):
    """A chargeback case, with fields of its order. Amounts are decimal text; `frozen` is None if nothing is frozen."""

    case_id: str
    order_id: int = field(metadata=references("orders"))
    status: str
    result: str | None = None
    batch_id: str | None = None
    amount: str
    currency: str
    fee: str
    frozen: str | None = None
    opened_at: datetime
    reply_by: datetime
    out_trade_no: str = field(metadata=joined("orders.out_trade_no"))
    trade_token: str = field(metadata=joined("orders.trade_token"))
    user_id: str = field(metadata=joined("orders.user_id"))
    order_amount: str = field(metadata=joined("orders.amount"))
    order_created_at: datetime = field(metadata=joined("orders.created_at"))


STATUSES: Final = ("DISPUTE_INQUIRY", "DISPUTE_RECEIVED", "DISPUTE_END", "CASE_CLOSED", "CASE_CANCEL")
_EXACT: Final = Context(prec=200)
_FEE: Final = Decimal("0.10")
_REPLY_WITHIN: Final = timedelta(days=10)


def _open(context: RequestContext, call: Call) -> Mapping[str, object]:
    """Open a chargeback case on a paid order; without amount on the rest of it, without caseId with a number of its own."""
    order = ORDERS.find(context, text(call.body, "outTradeNo"), given(call.body, "merchant"))
    if order.status != "SUCCESS":
        raise Refusal("The order is not paid: there is nothing to dispute.", code="409")
    merchant, paid, currency = order.merchant, Decimal(order.amount), order.currency
    left = refundable(context, order)
    disputed = Decimal(str(call.body.get("amount", left)))
    if "amount" in call.body and not 0 < disputed <= paid:
        raise Refusal("amount must be above 0 and at most the amount of the order.", code="400")
    if places(disputed) > places(paid):
        check_entered(context, disputed, currency, "amount")
    fee = rounded(_FEE, decimals_of(currency), "half-up")
    if len(written(_EXACT.add(disputed, fee))) > 20 or len(written(paid)) > 20:
        raise Refusal(
            "The amounts of a case have at most 20 characters [2.12]; that of the order is longer.", code="409"
        )
    number = given(call.body, "caseId") or context.number("CB", "cases")
    refuse_used(case_by_id(context, merchant, number), "caseId", code="409")
    if not left or disputed > left:
        raise Refusal("Refunds and other cases leave less of the order than that: see its refundable.", code="409")
    total = _EXACT.add(disputed, fee)
    freezes = context.policies.text("case-freezes") == "balance"
    if freezes and balance(context, merchant, currency) < total:
        raise Refusal(f"The balance in {currency} is too low for the frozen amount and fee.", code="409")
    opened = context.state.add(
        ChargebackCase(
            merchant=merchant,
            case_id=number,
            order_id=order.id,
            status="DISPUTE_INQUIRY",
            batch_id=given(call.body, "batchId"),
            amount=written(disputed),
            currency=currency,
            fee=written(fee),
            frozen=written(total) if freezes else None,
            opened_at=context.now,
            reply_by=context.now + _REPLY_WITHIN,
            out_trade_no=order.out_trade_no,
            trade_token=order.trade_token,
            user_id=order.user_id,
            order_amount=order.amount,
            order_created_at=order.created_at,
        )
    )
    if freezes:
        move(context, merchant, currency, total.copy_negate())
    detail = {
        "merchant": merchant,
        "order": order.out_trade_no,
        "status": opened.status,
        "amount": opened.amount,
        "frozen": opened.frozen,
        "currency": currency,
    }
    context.state.record(context.now, "case.opened", number, detail)
    return _ROWS.shown(context, opened)


def _move(context: RequestContext, case: ChargebackCase, call: Call) -> ChargebackCase:
    """Move a case that is not over to a status. Raises `Refusal` (400) if the result does not fit."""
    status, result = text(call.body, "status"), given(call.body, "caseResult")
    if status == "DISPUTE_END" and result is None:
        raise Refusal("DISPUTE_END needs caseResult: WIN or FAI.", code="400")
    if status not in ("DISPUTE_END", "CASE_CLOSED") and result is not None:
        raise Refusal(f"A case that is {status} has no caseResult.", code="400")
    moved = context.state.change(case, status=status, result=result)
    if case.frozen is not None and status in OVER and result != "FAI":
        move(context, case.merchant, case.currency, Decimal(case.frozen))
    detail = {"merchant": case.merchant, "order": case.out_trade_no, "status": status, "result": result}
    context.state.record(context.now, "case.moved", case.case_id, detail)
    return moved


def case_by_id(context: RequestContext, merchant: str, case_id: str) -> ChargebackCase | None:
    """Return a merchant's case by its number, or None."""
    return context.state.find(ChargebackCase, "WHERE cases.merchant = ? AND cases.case_id = ?", merchant, case_id)


# Queries


def _search(context: RequestContext, merchant: RegisteredMerchant, data: Mapping[str, object]) -> dict[str, object]:
    case = case_by_id(context, merchant.app_id, text(data, "caseId"))
    if case is None:
        raise Refusal("There is no such case.", policy="case-absent")
    return shown(case)


def _inquire(context: RequestContext, merchant: RegisteredMerchant, asked: Mapping[str, object]) -> dict[str, object]:
    case = _search(context, merchant, asked)
    return {name: value for name, value in case.items() if name not in ("originTradeAmount", "originTradeCurrency")}


def shown(case: ChargebackCase) -> dict[str, object]:
    """Return a case for answers [2.12]."""
    answer: dict[str, object] = {
        "amount": case.amount,
        "retrievalDate": formats.write_date(case.opened_at.date()),
        "fee": case.fee,
        "caseResult": case.result,
        "batchId": case.batch_id,
        "outUserId": case.user_id,
        "tradeCreateTime": formats.write_request_time(case.order_created_at),
        "totalAmount": written(_EXACT.add(Decimal(case.amount), Decimal(case.fee))),
        "caseId": case.case_id,
        "outTradeNo": case.out_trade_no,
        "currency": case.currency,
        "tradeToken": case.trade_token,
        "status": case.status,
        "expirationDate": formats.write_date(case.reply_by.date()),
        "originTradeAmount": case.order_amount,
        "originTradeCurrency": case.currency,
    }
    return {name: value for name, value in answer.items() if value is not None}


# The control API


_ROWS: Final = Rows(
    kind=ChargebackCase,
    path="cases",
    what="chargeback case",
    plural="chargeback cases",
    number="caseId",
    column="case_id",
    show=lambda _, case: shown(case),
    ended=lambda case: case.status if case.status in OVER else "",
    fields=(WHOSE,),
)
_ROUTES: Final = (
    *_ROWS.reads(),
    Route("POST", "cases", "Opens a chargeback case on a paid order", in_context(_open), (
        WHOSE,
        RouteField("outTradeNo", "string", "the order", required=True),
        RouteField("caseId", "line", "number of the case; generated when left out", longest=64),
        RouteField("amount", "decimal", "the disputed amount; the rest of the order when left out"),
        RouteField("batchId", "line", "a number of yours", longest=64),
    )),
    _ROWS.act("", "Moves a case", _move,
        RouteField("status", "string", "the new status", required=True, choices=STATUSES),
        RouteField("caseResult", "string", "the winner; required with DISPUTE_END",
                   choices=tuple(CONTRACT.set("CaseResult").values)),
    ),
)  # fmt: skip


_POLICIES: Final = (
    Policy("case-absent", "CASE_NOT_EXIST", "error-codes", "code when there is no such case"),
    Policy("case-freezes", "nothing", "case-freezing",
           "what a chargeback case freezes: nothing, since earnings of paid orders are not in the balances; or amount and fee in the balance of its currency",
           choices=("nothing", "balance")),
)  # fmt: skip

RESOURCE: Final = Resource(
    name="cases",
    handlers={"cases.search": _search, "cases.inquire": _inquire},
    tables=(ChargebackCase,),
    policies=_POLICIES,
    routes=_ROUTES,
)
