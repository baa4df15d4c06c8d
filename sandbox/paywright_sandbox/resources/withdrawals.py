"""Withdraw orders: made by the control API, because no operation makes them, and queried [4.15, 2.10].

Amount and fee leave the balance when the order is made, and come back when it fails.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Context, Decimal
from typing import TYPE_CHECKING, Final

from paywright_runtime.contract import formats
from paywright_sandbox.engine.context import RequestContext
from paywright_sandbox.engine.currency_decimals import decimals_of, rounded, written
from paywright_sandbox.engine.fields import given, text
from paywright_sandbox.engine.resource import Resource
from paywright_sandbox.engine.routes import (
    MERCHANT_OR_FIRST,
    WHOSE,
    Call,
    Route,
    RouteField,
    Rows,
    amount_field,
    in_context,
    merchant_field,
)
from paywright_sandbox.engine.state.refusal import Refusal
from paywright_sandbox.engine.state.state import Timer
from paywright_sandbox.engine.state.tables import UNIQUE, MerchantRow
from paywright_sandbox.engine.used_keys import refuse_used
from paywright_sandbox.resources.accounts import account_no
from paywright_sandbox.resources.balances import balance, move
from paywright_sandbox.resources.rates import latest_rate

if TYPE_CHECKING:
    from paywright_sandbox.engine.merchant import RegisteredMerchant


@dataclass(frozen=True, kw_only=True)
class Withdrawal(MerchantRow, table="withdrawals", unique=("out_trade_no, merchant",)):
    """A withdraw order. `trade_no` is the gateway's id of it; amounts are decimal text."""

    member_id: str
    out_trade_no: str
    trade_no: str = field(metadata=UNIQUE)
    status: str
    transaction_currency: str
    transaction_amount: str
    target_currency: str
    target_amount: str
    rate: str
    fee: str
    remark: str
    call_back_url: str
    payer_account: str
    payee_account: str
    created_at: datetime
    finished_at: datetime | None = None


_SETTLES: Final = "withdrawal.settles"
_EXACT: Final = Context(prec=400)
_FEE: Final = Decimal("1.00")
"""The fee of a withdraw order, in its transaction currency."""


def _make(context: RequestContext, call: Call) -> Mapping[str, object]:
    """Make a withdraw order in PROCESSING. Amount and fee leave the balance."""
    body, merchant = call.body, merchant_field(context, call)
    key, currency, url = text(body, "outTradeNo"), text(body, "transactionCurrency"), given(body, "callBackUrl")
    amount, target = (
        amount_field(context, call, currency, "transactionAmount"),
        given(body, "targetCurrency") or currency,
    )
    if url and not url.startswith(("http://", "https://")):
        raise Refusal("callBackUrl must begin with http:// or https://.", code="400")
    refuse_used(withdrawal_by_key(context, merchant.app_id, key), "outTradeNo", code="409")
    rate = Decimal(1) if target == currency else _rate(context, currency, target)
    fee = rounded(_FEE, decimals_of(currency), "half-up")
    received = rounded(_EXACT.multiply(amount, rate), decimals_of(target), "down")
    if not received:
        raise Refusal(f"The amount is too small: in {target} it is rounded to nothing.", code="400")
    total = _EXACT.add(amount, fee)
    if balance(context, merchant, currency) < total:
        raise Refusal(f"The balance in {currency} is too low for amount and fee.", code="409")
    order = context.state.add(
        Withdrawal(
            merchant=merchant.app_id,
            member_id=merchant.numbers.get("member_id", ""),
            out_trade_no=key,
            trade_no=context.number("WD", "withdrawals"),
            status="PROCESSING",
            transaction_currency=currency,
            transaction_amount=written(amount),
            target_currency=target,
            target_amount=written(received),
            rate=written(rate),
            fee=written(fee),
            remark=given(body, "remark") or "",
            call_back_url=url or merchant.addresses.get("call-back-url", ""),
            payer_account=account_no(merchant, "payout"),
            payee_account=given(body, "payeeBankAccountNo") or "",
            created_at=context.now,
        )
    )
    move(context, merchant.app_id, currency, total.copy_negate())
    settles = context.now + timedelta(seconds=context.policies.seconds("settles-after"))
    context.state.set_timer(Timer(settles, _SETTLES, order.id))
    detail = {
        "merchant": merchant.app_id,
        "amount": order.transaction_amount,
        "fee": order.fee,
        "currency": currency,
    }
    context.state.record(context.now, "withdrawal.created", key, detail)
    return _ROWS.shown(context, order)


def _rate(context: RequestContext, currency: str, target: str) -> Decimal:
    try:
        return latest_rate(context, "PAY_OUT", "SELL", currency, target).value
    except Refusal as refused:
        raise Refusal(refused.msg, code="400") from None


# Outcomes


def settle(context: RequestContext, order: Withdrawal) -> Withdrawal:
    """Let a withdraw order succeed, and return it."""
    return _finish(context, order, "SUCCESS")


def fail(context: RequestContext, order: Withdrawal) -> Withdrawal:
    """Let a withdraw order fail: give amount and fee back. Return it."""
    total = _EXACT.add(Decimal(order.transaction_amount), Decimal(order.fee))
    move(context, order.merchant, order.transaction_currency, total)
    return _finish(context, order, "FAILED")


def _finish(context: RequestContext, order: Withdrawal, status: str) -> Withdrawal:
    assert order.status == "PROCESSING"  # the caller has checked it
    order = context.state.change(order, status=status, finished_at=context.now)
    context.state.drop_timers(_SETTLES, order.id)
    key, merchant = order.out_trade_no, order.merchant
    context.state.record(context.now, "withdraw.finished", key, {"merchant": merchant, "status": status})
    context.notify(merchant, "WITHDRAW", order.call_back_url or None, {"data": shown(order)}, key)
    return order


# Queries


def _query(context: RequestContext, merchant: RegisteredMerchant, data: Mapping[str, object]) -> dict[str, object]:
    order = withdrawal_by_key(context, merchant.app_id, text(data, "outTradeNo"))
    if order is None:
        raise Refusal("There is no such withdraw order.", policy="absent")
    return shown(order)


def withdrawal_by_key(context: RequestContext, merchant: str, out_trade_no: str) -> Withdrawal | None:
    """Return a merchant's withdraw order by its own id, or None."""
    return context.state.find(Withdrawal, "WHERE merchant = ? AND out_trade_no = ?", merchant, out_trade_no)


def shown(order: Withdrawal) -> dict[str, object]:
    """Return a withdraw order for answers and notifications [2.10]."""
    return {
        "outTradeNo": order.out_trade_no,
        "tradeNo": order.trade_no,
        "status": order.status,
        "transactionCurrency": order.transaction_currency,
        "transactionAmount": order.transaction_amount,
        "targetCurrency": order.target_currency,
        "targetAmount": order.target_amount,
        "rate": order.rate,
        "rateTime": formats.write_request_time(order.created_at),
        "remark": order.remark,
        "callBackUrl": order.call_back_url,
        "payerFundsAccountNo": order.payer_account,
        "payeeBankAccountNo": order.payee_account,
        "fee": {"serviceFeeAmount": order.fee, "serviceFeeCurrency": order.transaction_currency},
        "memberId": order.member_id,
    }


# The control API


_ROWS: Final = Rows(
    kind=Withdrawal,
    path="withdrawals",
    what="withdraw order",
    plural="withdraw orders",
    number="outTradeNo",
    column="out_trade_no",
    show=lambda _, order: shown(order),
    ended=lambda order: order.status if order.finished_at else "",
    fields=(WHOSE,),
)
_ROUTES: Final = (
    *_ROWS.reads(),
    Route("POST", "withdrawals", "Makes a withdraw order; amount and fee leave the balance", in_context(_make), (
        MERCHANT_OR_FIRST,
        RouteField("outTradeNo", "line", "the merchant's number of the order", required=True, longest=64),
        RouteField("transactionCurrency", "currency", "currency that leaves the balance", required=True),
        RouteField("transactionAmount", "decimal", "amount that leaves the balance, without the fee", required=True),
        RouteField("targetCurrency", "currency", "currency to pay out; the same when left out"),
        RouteField("remark", "line", "a remark"),
        RouteField("callBackUrl", "line", "address of its notification; the merchant's call-back-url when left out"),
        RouteField("payeeBankAccountNo", "line", "the account to pay out to", longest=64),
    )),
    _ROWS.act("/settle", "Completes a withdraw order", lambda context, order, _: settle(context, order)),
    _ROWS.act("/fail", "Fails a withdraw order; amount and fee come back", lambda context, order, _: fail(context, order)),
)  # fmt: skip

RESOURCE: Final = Resource(
    name="withdrawals",
    handlers={"withdrawals.query": _query},
    timers={_SETTLES: lambda context, row: settle(context, context.state.get(Withdrawal, row))},
    tables=(Withdrawal,),
    routes=_ROUTES,
)
