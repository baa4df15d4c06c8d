"""Exchanges between two balances, one of them in USD [4.11, 4.12, 2.9].

The paid amount leaves its balance when the exchange is made; the bought amount arrives when it succeeds. So no balance is
spent twice. The paid amount comes back if the exchange fails.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Context, Decimal
from typing import TYPE_CHECKING, Final

from paywright_runtime.contract import formats
from paywright_sandbox.engine.context import RequestContext
from paywright_sandbox.engine.currency_decimals import check_decimals, decimals_of, rounded, written
from paywright_sandbox.engine.fields import amount_of, given, text
from paywright_sandbox.engine.policies import Policy
from paywright_sandbox.engine.resource import Resource
from paywright_sandbox.engine.routes import WHOSE, Rows
from paywright_sandbox.engine.state.refusal import Refusal
from paywright_sandbox.engine.state.state import Timer
from paywright_sandbox.engine.state.tables import UNIQUE, MerchantRow, instant
from paywright_sandbox.engine.used_keys import refuse_used
from paywright_sandbox.resources.balances import balance, move
from paywright_sandbox.resources.rates import ExchangeRate, latest_rate, rate_of_version

if TYPE_CHECKING:
    from paywright_sandbox.engine.merchant import RegisteredMerchant


@dataclass(frozen=True, kw_only=True)
class CurrencyExchange(MerchantRow, table="exchanges", unique=("out_trade_no, merchant",)):
    """An exchange. `trade_no` is the gateway's id of it; amounts are decimal text."""

    out_trade_no: str
    trade_no: str = field(metadata=UNIQUE)
    side: str
    transaction_ccy: str
    target_ccy: str
    transaction_amount: str
    target_amount: str
    rate: str
    rate_version: str
    status: str
    error_code: str
    error_msg: str
    created_at: datetime
    finished_at: datetime | None = None


_SETTLES: Final = "exchange.settles"
# An amount has up to 162 characters: the product with a rate is still exact.
_EXACT: Final = Context(prec=400)


# Creating


def _create(context: RequestContext, merchant: RegisteredMerchant, data: Mapping[str, object]) -> dict[str, object]:
    key = text(data, "outTradeNo")
    refuse_used(exchange_by_key(context, merchant.app_id, key), "outTradeNo", ": query that exchange")
    transaction, target, side = text(data, "transactionCcy"), text(data, "targetCcy"), text(data, "side")
    rate = _rate(context, side, transaction, target, given(data, "rateVersion"))
    amount = amount_of(data, "transactionAmount")
    check_decimals(context, amount, transaction, "transactionAmount")
    other = _target_amount(context, amount, rate)
    paid, paid_in = (amount, transaction) if side == "SELL" else (other, target)
    if balance(context, merchant, paid_in) < paid:
        raise Refusal(f"The balance in {paid_in} is too low: nothing happened.", policy="exchange-over-balance")
    if other != _EXACT.multiply(amount, rate.value):
        context.decided_by("exchange-rounding")
    exchange = context.state.add(
        CurrencyExchange(
            merchant=merchant.app_id,
            out_trade_no=key,
            trade_no=context.number("EX", "exchanges"),
            side=side,
            transaction_ccy=transaction,
            target_ccy=target,
            transaction_amount=written(amount),
            target_amount=written(other),
            rate=written(rate.value),
            rate_version=rate.version,
            status="PENDING",
            error_code="",
            error_msg="",
            created_at=context.now,
            finished_at=None,
        )
    )
    move(context, merchant.app_id, paid_in, paid.copy_negate())
    settles = context.now + timedelta(seconds=context.policies.seconds("settles-after"))
    context.state.set_timer(Timer(settles, _SETTLES, exchange.id))
    detail = {
        "merchant": merchant.app_id,
        "side": side,
        "pair": data["ccyPair"],
        "amount": written(amount),
        "target": written(other),
    }
    context.state.record(context.now, "exchange.created", key, detail)
    return shown(context, exchange)


def _rate(context: RequestContext, side: str, transaction: str, target: str, version: str | None) -> ExchangeRate:
    if version is not None:
        return rate_of_version(context, version, side, transaction, target)
    return latest_rate(context, "PAY_IN", side, transaction, target)


def _target_amount(context: RequestContext, amount: Decimal, rate: ExchangeRate) -> Decimal:
    exact = _EXACT.multiply(amount, rate.value)
    how = context.policies.text("exchange-rounding")
    if how == "against-client":
        how = "up" if rate.side == "BUY" else "down"
    made = rounded(exact, decimals_of(rate.target), how)
    if not made:
        context.decided_by("exchange-rounding")
        raise Refusal(
            f"/data/transactionAmount is too small: in {rate.target} it is rounded to nothing.",
            policy="amount-limit",
        )
    return made


# Outcomes


def settle(context: RequestContext, exchange: CurrencyExchange) -> CurrencyExchange:
    """Let a pending exchange succeed: add the bought amount. Return it."""
    move(context, exchange.merchant, *_bought(exchange))
    return _finish(context, exchange, {"status": "SUCCESS"})


def fail(context: RequestContext, exchange: CurrencyExchange, why: str) -> CurrencyExchange:
    """Let a pending exchange fail with the message `why`: give the paid amount back. Return it."""
    move(context, exchange.merchant, *_paid(exchange))
    return _finish(context, exchange, {"status": "FAILED", "error_code": "SYSTEM_ERROR", "error_msg": why})


def _finish(context: RequestContext, exchange: CurrencyExchange, changes: Mapping[str, str]) -> CurrencyExchange:
    assert exchange.status == "PENDING"  # the caller has checked it
    detail = {"merchant": exchange.merchant, **changes}
    context.state.drop_timers(_SETTLES, exchange.id)
    context.state.record(context.now, f"exchange.{changes['status'].lower()}", exchange.out_trade_no, detail)
    return context.state.change(exchange, **changes, finished_at=context.now)


def _paid(exchange: CurrencyExchange) -> tuple[str, Decimal]:
    return _transaction(exchange) if exchange.side == "SELL" else _target(exchange)


def _bought(exchange: CurrencyExchange) -> tuple[str, Decimal]:
    return _target(exchange) if exchange.side == "SELL" else _transaction(exchange)


def _transaction(exchange: CurrencyExchange) -> tuple[str, Decimal]:
    return exchange.transaction_ccy, Decimal(exchange.transaction_amount)


def _target(exchange: CurrencyExchange) -> tuple[str, Decimal]:
    return exchange.target_ccy, Decimal(exchange.target_amount)


# Queries


def _query(context: RequestContext, merchant: RegisteredMerchant, data: Mapping[str, object]) -> dict[str, object]:
    exchange = exchange_by_key(context, merchant.app_id, text(data, "outTradeNo"))
    if exchange is None:
        raise Refusal("There is no such exchange.", policy="absent")
    return shown(context, exchange)


def exchange_by_key(context: RequestContext, merchant: str, out_trade_no: str) -> CurrencyExchange | None:
    """Return a merchant's exchange by its own id, or None."""
    return context.state.find(CurrencyExchange, "WHERE merchant = ? AND out_trade_no = ?", merchant, out_trade_no)


def shown(context: RequestContext, exchange: CurrencyExchange) -> dict[str, object]:
    """Return an exchange for the answers of both operations [2.9]."""
    created, finished = exchange.created_at, exchange.finished_at
    context.decided_by("rate-time")
    in_milliseconds = context.policies.text("rate-time") == "milliseconds"
    return {
        "transactionCcy": exchange.transaction_ccy,
        "side": exchange.side,
        "tradeNo": exchange.trade_no,
        "targetAmount": exchange.target_amount,
        "rateTime": (str(instant(created) // 1000) if in_milliseconds else formats.write_request_time(created)),
        "completeTime": formats.write_request_time(finished) if finished else "",
        "errorCode": exchange.error_code,
        "rateVersion": exchange.rate_version,
        "targetCcy": exchange.target_ccy,
        "errorMsg": exchange.error_msg,
        "ccyPair": exchange.transaction_ccy + exchange.target_ccy,
        "rate": exchange.rate,
        "outTradeNo": exchange.out_trade_no,
        "transactionAmount": exchange.transaction_amount,
        "status": exchange.status,
    }


# The control API


_ROWS: Final = Rows(
    kind=CurrencyExchange,
    path="exchanges",
    what="exchange",
    plural="exchanges",
    number="outTradeNo",
    column="out_trade_no",
    show=shown,
    ended=lambda exchange: exchange.status if exchange.finished_at else "",
    fields=(WHOSE,),
)
_ROUTES: Final = (
    *_ROWS.reads(),
    _ROWS.act("/settle", "Completes a pending exchange", lambda context, row, _: settle(context, row)),
    _ROWS.act("/fail", "Fails a pending exchange; the paid amount comes back",
              lambda context, row, _: fail(context, row, "The exchange failed on request.")),
)  # fmt: skip

_POLICIES: Final = (
    Policy("exchange-rounding", "against-client", "decimals",
           "how targetAmount is rounded to the decimals of its currency; against-client rounds up for BUY and down for SELL, "
           "so that no round trip makes money, as it may with the others", choices=("against-client", "half-up", "half-even", "down")),
    Policy("exchange-over-balance", "BALANCE_INSUFFICIENT", "refusal-codes", "code when the balance is too low"),
    Policy("rate-time", "milliseconds", "rate-time", "form of an exchange's rateTime: milliseconds since 1970, or RFC 3339",
           choices=("milliseconds", "rfc-3339")),
)  # fmt: skip

RESOURCE: Final = Resource(
    name="exchanges",
    handlers={"exchanges.create": _create, "exchanges.query": _query},
    timers={_SETTLES: lambda context, row: settle(context, context.state.get(CurrencyExchange, row))},
    tables=(CurrencyExchange,),
    policies=_POLICIES,
    routes=_ROUTES,
)
