"""Withdraw orders: made through the control API, for no operation of the contract makes one, and queried [4.15, 2.10].

Amount and fee leave the balance when the order is made; when it fails they come back.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from decimal import Context, Decimal
from typing import TYPE_CHECKING, Final

from paywright_runtime import formats
from paywright_tools.sandbox.accounts import accounts_of
from paywright_tools.sandbox.balances import move, suffices
from paywright_tools.sandbox.fields import text, time_of, whole
from paywright_tools.sandbox.money import decimals_of, rounded, written
from paywright_tools.sandbox.rates import latest_rate
from paywright_tools.sandbox.store import Cell, Row, Timer, instant
from paywright_tools.sandbox.turn import Due, Handler, Refused, Turn

if TYPE_CHECKING:
    from paywright_tools.sandbox.settings import RegisteredMerchant

__all__ = ["DUE", "HANDLERS", "TABLES", "fail", "make", "settle", "shown", "withdrawal_by_key"]

TABLES: Final = """
CREATE TABLE withdrawals (
    id INTEGER PRIMARY KEY, merchant TEXT NOT NULL, member_id TEXT NOT NULL, out_trade_no TEXT NOT NULL,
    trade_no TEXT NOT NULL UNIQUE, status TEXT NOT NULL, transaction_currency TEXT NOT NULL,
    transaction_amount TEXT NOT NULL, target_currency TEXT NOT NULL, target_amount TEXT NOT NULL, rate TEXT NOT NULL,
    fee TEXT NOT NULL, remark TEXT NOT NULL, call_back_url TEXT NOT NULL, payer_account TEXT NOT NULL,
    payee_account TEXT NOT NULL, created_at INTEGER NOT NULL, finished_at INTEGER, UNIQUE (out_trade_no, merchant)
);
"""

_SETTLES: Final = "withdrawal.settles"
_EXACT: Final = Context(prec=400)


def make(
    turn: Turn,
    merchant: RegisteredMerchant,
    *,
    out_trade_no: str,
    currency: str,
    amount: Decimal,
    target_currency: str | None = None,
    remark: str = "",
    call_back_url: str = "",
    payee_account: str = "",
) -> Row:
    """A new withdraw order in PROCESSING. Raises `Refused` with an HTTP status, and nothing is made."""
    if withdrawal_by_key(turn, merchant.app_id, out_trade_no) is not None:
        raise Refused("This outTradeNo was used before.", code="409")
    target = target_currency or currency
    rate = Decimal(1) if target == currency else _rate(turn, currency, target)
    fee = rounded(Decimal(turn.policies.text("withdraw-fee")), decimals_of(currency), "half-up")
    received = rounded(_EXACT.multiply(amount, rate), decimals_of(target), "down")
    if not received:
        raise Refused(f"The amount is too small: in {target} nothing is left of it.", code="400")
    total = _EXACT.add(amount, fee)
    if not suffices(turn, merchant, currency, total):
        raise Refused(f"The balance in {currency} does not suffice for amount and fee.", code="409")
    order: dict[str, Cell] = {
        "id": turn.state.next_id("withdrawals"),
        "merchant": merchant.app_id,
        "member_id": merchant.numbers.get("member_id", ""),
        "out_trade_no": out_trade_no,
        "trade_no": turn.number("WD", "withdrawals"),
        "status": "PROCESSING",
        "transaction_currency": currency,
        "transaction_amount": written(amount),
        "target_currency": target,
        "target_amount": written(received),
        "rate": written(rate),
        "fee": written(fee),
        "remark": remark,
        "call_back_url": call_back_url or merchant.addresses.get("call-back-url", ""),  # where its end is told
        "payer_account": next((found.number for found in accounts_of(merchant) if found.product_type == "payout"), ""),
        "payee_account": payee_account,
        "created_at": instant(turn.now),
        "finished_at": None,
    }
    row = turn.state.insert("withdrawals", order)
    move(turn, merchant.app_id, currency, total.copy_negate(), "withdrawal.paid", out_trade_no)
    settles = turn.now + timedelta(seconds=turn.policies.seconds("withdraw-settles-after"))
    turn.state.set_timer(Timer(settles, _SETTLES, row))
    detail = {
        "merchant": merchant.app_id,
        "amount": order["transaction_amount"],
        "fee": order["fee"],
        "currency": currency,
    }
    turn.state.record(turn.now, "withdrawal.created", out_trade_no, detail)
    return order


def _rate(turn: Turn, currency: str, target: str) -> Decimal:
    try:
        return latest_rate(turn, "PAY_OUT", "SELL", currency, target).value
    except Refused as refused:
        raise Refused(refused.msg, code="400") from None


# What becomes of a withdraw order


def settle(turn: Turn, order: Row) -> None:
    """The order is paid out."""
    _finish(turn, order, "SUCCESS")


def fail(turn: Turn, order: Row) -> None:
    """The order fails: amount and fee come back."""
    total = _EXACT.add(Decimal(text(order, "transaction_amount")), Decimal(text(order, "fee")))
    key, currency = text(order, "out_trade_no"), text(order, "transaction_currency")
    move(turn, text(order, "merchant"), currency, total, "withdrawal.returned", key)
    _finish(turn, order, "FAILED")


def _finish(turn: Turn, order: Row, status: str) -> None:
    row, key = whole(order, "id"), text(order, "out_trade_no")
    assert order["status"] == "PROCESSING"  # whoever calls has looked
    turn.state.update("withdrawals", row, {"status": status, "finished_at": instant(turn.now)})
    turn.state.drop_timers(_SETTLES, row)
    merchant = text(order, "merchant")
    turn.state.record(turn.now, "withdraw.finished", key, {"merchant": merchant, "status": status})
    url = text(order, "call_back_url") or None
    turn.notify(merchant, "WITHDRAW", url, {"data": shown({**order, "status": status})}, key)


def _due(turn: Turn, row: int) -> None:
    order = turn.state.one("SELECT * FROM withdrawals WHERE id = ?", row)
    assert order is not None  # withdraw orders are never deleted
    settle(turn, order)


# Asking


def _query(turn: Turn, merchant: RegisteredMerchant, data: Mapping[str, object]) -> dict[str, object]:
    order = withdrawal_by_key(turn, merchant.app_id, text(data, "outTradeNo"))
    if order is None:
        raise Refused("There is no such withdraw order.", policy="withdraw-absent")
    return shown(order)


def withdrawal_by_key(turn: Turn, merchant: str, out_trade_no: str) -> Row | None:
    """A merchant's withdraw order by its own id."""
    return turn.state.one("SELECT * FROM withdrawals WHERE merchant = ? AND out_trade_no = ?", merchant, out_trade_no)


def shown(order: Row) -> dict[str, object]:
    """A withdraw order as it is answered and notified [2.10]."""
    created = time_of(order["created_at"])
    assert created is not None
    return {
        "outTradeNo": order["out_trade_no"],
        "tradeNo": order["trade_no"],
        "status": order["status"],
        "transactionCurrency": order["transaction_currency"],
        "transactionAmount": order["transaction_amount"],
        "targetCurrency": order["target_currency"],
        "targetAmount": order["target_amount"],
        "rate": order["rate"],
        "rateTime": formats.write_request_time(created),
        "remark": order["remark"],
        "callBackUrl": order["call_back_url"],
        "payerFundsAccountNo": order["payer_account"],
        "payeeBankAccountNo": order["payee_account"],
        "fee": {"serviceFeeAmount": order["fee"], "serviceFeeCurrency": order["transaction_currency"]},
        "memberId": order["member_id"],
    }


HANDLERS: Final[Mapping[str, Handler]] = {"withdrawals.query": _query}

DUE: Final[Mapping[str, Due]] = {_SETTLES: _due}
