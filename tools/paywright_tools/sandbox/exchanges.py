"""Exchanges between two balances, one of them in USD [4.11, 4.12, 2.9].

What is paid leaves its balance when the exchange is made, what is bought arrives when it succeeds; so no balance can be
spent twice, and when an exchange fails all comes back.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from decimal import Context, Decimal
from typing import TYPE_CHECKING, Final

from paywright_runtime import formats
from paywright_tools.sandbox.balances import move, suffices
from paywright_tools.sandbox.fields import amount_of, check_decimals, given, text, time_of, whole
from paywright_tools.sandbox.money import decimals_of, rounded, written
from paywright_tools.sandbox.rates import Rate, latest_rate, rate_of_version
from paywright_tools.sandbox.store import Cell, Row, Timer, instant
from paywright_tools.sandbox.turn import Due, Handler, Refused, Turn

if TYPE_CHECKING:
    from paywright_tools.sandbox.settings import RegisteredMerchant

__all__ = ["DUE", "HANDLERS", "TABLES", "fail", "settle", "shown"]

TABLES: Final = """
CREATE TABLE exchanges (
    id INTEGER PRIMARY KEY, merchant TEXT NOT NULL, out_trade_no TEXT NOT NULL, trade_no TEXT NOT NULL UNIQUE,
    side TEXT NOT NULL, transaction_ccy TEXT NOT NULL, target_ccy TEXT NOT NULL, transaction_amount TEXT NOT NULL,
    target_amount TEXT NOT NULL, rate TEXT NOT NULL, rate_version TEXT NOT NULL, status TEXT NOT NULL,
    error_code TEXT NOT NULL, error_msg TEXT NOT NULL, created_at INTEGER NOT NULL, finished_at INTEGER,
    UNIQUE (out_trade_no, merchant)
);
"""

_SETTLES: Final = "exchange.settles"
# An amount has up to 162 characters: the product with a rate is still exact.
_EXACT: Final = Context(prec=400)


# Creating


def _create(turn: Turn, merchant: RegisteredMerchant, data: Mapping[str, object]) -> dict[str, object]:
    key = text(data, "outTradeNo")
    if exchange_by_key(turn, merchant.app_id, key) is not None:
        raise Refused("This outTradeNo was used before: query that exchange.", policy="exchange-repeat")
    transaction, target, side = text(data, "transactionCcy"), text(data, "targetCcy"), text(data, "side")
    rate = _rate(turn, side, transaction, target, given(data, "rateVersion"))
    amount = amount_of(data, "transactionAmount")
    check_decimals(turn, amount, transaction, "transactionAmount")
    other = _target_amount(turn, amount, rate)
    paid, paid_in = (amount, transaction) if side == "SELL" else (other, target)
    enough = suffices(turn, merchant, paid_in, paid)
    if not enough and turn.policies.text("exchange-over-balance-is") == "refused":
        raise Refused(f"The balance in {paid_in} does not suffice: nothing happened.", policy="exchange-over-balance")
    exchange: dict[str, Cell] = {
        "merchant": merchant.app_id,
        "out_trade_no": key,
        "trade_no": turn.number("EX", "exchanges"),
        "side": side,
        "transaction_ccy": transaction,
        "target_ccy": target,
        "transaction_amount": written(amount),
        "target_amount": written(other),
        "rate": written(rate.value),
        "rate_version": rate.version,
        "status": "PENDING",
        "error_code": "",
        "error_msg": "",
        "created_at": instant(turn.now),
        "finished_at": None,
    }
    if not enough:
        turn.decided = "exchange-over-balance-is"
        code = turn.policies.text("exchange-over-balance")
        exchange |= {"status": "FAILED", "error_code": code, "finished_at": instant(turn.now)}
        exchange["error_msg"] = f"The balance in {paid_in} does not suffice."
    row = turn.state.insert("exchanges", exchange)
    if enough:
        move(turn, merchant.app_id, paid_in, paid.copy_negate(), "exchange.paid", key)
        settles = turn.now + timedelta(seconds=turn.policies.seconds("exchange-settles-after"))
        turn.state.set_timer(Timer(settles, _SETTLES, row))
    detail = {
        "merchant": merchant.app_id,
        "side": side,
        "pair": data["ccyPair"],
        "amount": written(amount),
        "target": written(other),
    }
    turn.state.record(turn.now, "exchange.created" if enough else "exchange.failed", key, detail)
    return shown(turn, exchange)


def _rate(turn: Turn, side: str, transaction: str, target: str, version: str | None) -> Rate:
    if version is not None:
        return rate_of_version(turn, version, side, transaction, target)
    return latest_rate(turn, turn.policies.text("exchange-rates-of"), side, transaction, target)


def _target_amount(turn: Turn, amount: Decimal, rate: Rate) -> Decimal:
    exact = _EXACT.multiply(amount, rate.value)
    how = turn.policies.text("exchange-rounding")
    if how == "against-client":
        how = "up" if rate.side == "BUY" else "down"
    made = rounded(exact, decimals_of(rate.target), how)
    if not made:
        raise Refused(
            f"/data/transactionAmount is too small: in {rate.target} it is rounded to nothing.",
            policy="exchange-too-small",
        )
    return made


# What becomes of an exchange


def settle(turn: Turn, exchange: Row) -> None:
    """The exchange succeeds: what was bought arrives."""
    currency, amount = _bought(exchange)
    _finish(turn, exchange, {"status": "SUCCESS"})
    move(turn, text(exchange, "merchant"), currency, amount, "exchange.bought", text(exchange, "out_trade_no"))


def fail(turn: Turn, exchange: Row, why: str) -> None:
    """The exchange fails: what was paid comes back."""
    code = turn.policies.text("exchange-failed-code")
    _finish(turn, exchange, {"status": "FAILED", "error_code": code, "error_msg": why})
    currency, amount = _paid(exchange)
    move(turn, text(exchange, "merchant"), currency, amount, "exchange.returned", text(exchange, "out_trade_no"))


def _finish(turn: Turn, exchange: Row, changes: dict[str, Cell]) -> None:
    row = whole(exchange, "id")
    assert exchange["status"] == "PENDING"  # whoever calls has looked
    turn.state.update("exchanges", row, {**changes, "finished_at": instant(turn.now)})
    turn.state.drop_timers(_SETTLES, row)
    detail = {"merchant": exchange["merchant"], **changes}
    turn.state.record(turn.now, f"exchange.{str(changes['status']).lower()}", text(exchange, "out_trade_no"), detail)


def _paid(exchange: Row) -> tuple[str, Decimal]:
    what = "transaction" if exchange["side"] == "SELL" else "target"
    return text(exchange, f"{what}_ccy"), Decimal(text(exchange, f"{what}_amount"))


def _bought(exchange: Row) -> tuple[str, Decimal]:
    what = "target" if exchange["side"] == "SELL" else "transaction"
    return text(exchange, f"{what}_ccy"), Decimal(text(exchange, f"{what}_amount"))


def _due(turn: Turn, row: int) -> None:
    exchange = turn.state.one("SELECT * FROM exchanges WHERE id = ?", row)
    assert exchange is not None  # exchanges are never deleted
    settle(turn, exchange)


# Asking


def _query(turn: Turn, merchant: RegisteredMerchant, data: Mapping[str, object]) -> dict[str, object]:
    exchange = exchange_by_key(turn, merchant.app_id, text(data, "outTradeNo"))
    if exchange is None:
        raise Refused("There is no such exchange.", policy="exchange-absent")
    return shown(turn, exchange)


def exchange_by_key(turn: Turn, merchant: str, out_trade_no: str) -> Row | None:
    """A merchant's exchange by its own id."""
    return turn.state.one("SELECT * FROM exchanges WHERE merchant = ? AND out_trade_no = ?", merchant, out_trade_no)


def shown(turn: Turn, exchange: Row) -> dict[str, object]:
    """An exchange as both operations answer it."""
    created, finished = time_of(exchange["created_at"]), time_of(exchange["finished_at"])
    assert created is not None
    in_milliseconds = turn.policies.text("rate-time") == "milliseconds"
    return {
        "transactionCcy": exchange["transaction_ccy"],
        "side": exchange["side"],
        "tradeNo": exchange["trade_no"],
        "targetAmount": exchange["target_amount"],
        "rateTime": (
            str(whole(exchange, "created_at") // 1000) if in_milliseconds else formats.write_request_time(created)
        ),
        "completeTime": formats.write_request_time(finished) if finished else "",
        "errorCode": exchange["error_code"],
        "rateVersion": exchange["rate_version"],
        "targetCcy": exchange["target_ccy"],
        "errorMsg": exchange["error_msg"],
        "ccyPair": text(exchange, "transaction_ccy") + text(exchange, "target_ccy"),
        "rate": exchange["rate"],
        "outTradeNo": exchange["out_trade_no"],
        "transactionAmount": exchange["transaction_amount"],
        "status": exchange["status"],
    }


HANDLERS: Final[Mapping[str, Handler]] = {"exchanges.create": _create, "exchanges.query": _query}

DUE: Final[Mapping[str, Due]] = {_SETTLES: _due}
