"""What a person does to balances, exchanges, withdraw orders and chargeback cases through the control API."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Final, TypeAlias

from paywright.contract import CONTRACT
from paywright_tools.sandbox import cases, exchanges, withdrawals
from paywright_tools.sandbox.balances import balance, balances, move
from paywright_tools.sandbox.engine import Engine
from paywright_tools.sandbox.fields import check_entered, given, text
from paywright_tools.sandbox.money import written
from paywright_tools.sandbox.orders import fold
from paywright_tools.sandbox.rates import CURRENCIES
from paywright_tools.sandbox.routes import WHOSE, Call, Field, Route, one_of
from paywright_tools.sandbox.settings import RegisteredMerchant
from paywright_tools.sandbox.store import Row
from paywright_tools.sandbox.turn import Refused, Turn

__all__ = ["ROUTES"]

_MOST: Final = 200

What: TypeAlias = "Callable[[Turn, Call], Mapping[str, object]]"


def _in_turn(what: What) -> Callable[[Engine, Call], Mapping[str, object]]:
    return lambda engine, call: engine.act(lambda turn: what(turn, call))[0]


# Reading what was asked


def _merchant(turn: Turn, call: Call) -> RegisteredMerchant:
    app_id = given(call.body, "merchant")
    found = turn.merchants[0] if app_id is None else turn.merchant(app_id)
    if found is None:
        raise Refused("No merchant has this app id.", code="404")
    return found


def _amount(turn: Turn, call: Call, currency: str, name: str = "amount") -> Decimal:
    amount = Decimal(str(call.body[name]))
    if amount <= 0:
        raise Refused(f"{name} must be above 0.", code="400")
    check_entered(turn, amount, currency, name)
    return amount


def _currency(call: Call, name: str) -> str:
    currency = text(call.body, name)
    if len(currency) != 3 or not currency.isascii() or not currency.isalpha() or not currency.isupper():
        raise Refused(f"{name} must be three capitals, such as USD.", code="400")
    return currency


def _short(call: Call, name: str, most: int) -> str:
    value = given(call.body, name) or ""
    if len(value) > most or not value.isprintable():
        raise Refused(f"{name} has at most {most} characters on one line.", code="400")
    return value


def _one(turn: Turn, table: str, column: str, value: str, what: str, merchant: str | None = None) -> Row:
    rows = turn.state.all(f"SELECT * FROM {table} WHERE {column} = ? ORDER BY id", value)
    return one_of(rows, merchant, what, "number")


# Balances


def _balances(turn: Turn, _: Call) -> Mapping[str, object]:
    return {"balances": {merchant.app_id: balances(turn, merchant) for merchant in turn.merchants}}


def _credit(turn: Turn, call: Call) -> Mapping[str, object]:
    merchant, currency = _merchant(turn, call), _currency(call, "currency")
    amount = _amount(turn, call, currency)
    move(turn, merchant.app_id, currency, amount, "credited", "control")
    detail = {"merchant": merchant.app_id, "currency": currency, "amount": written(amount)}
    turn.state.record(turn.now, "balance.credited", currency, detail)
    return {"merchant": merchant.app_id, "currency": currency, "balance": written(balance(turn, merchant, currency))}


# Exchanges


def _exchanges(turn: Turn, _: Call) -> Mapping[str, object]:
    rows = turn.state.all("SELECT * FROM exchanges ORDER BY id DESC LIMIT ?", _MOST)
    return {"exchanges": [_exchange(turn, row) for row in rows]}


def _exchange(turn: Turn, row: Row) -> dict[str, object]:
    return {"merchant": row["merchant"], **exchanges.shown(turn, row)}


def _find_exchange(turn: Turn, call: Call) -> Row:
    return _one(turn, "exchanges", "out_trade_no", call.path["outTradeNo"], "exchange", given(call.body, "merchant"))


def _end_exchange(succeeds: bool) -> What:
    def end(turn: Turn, call: Call) -> Mapping[str, object]:
        row = _find_exchange(turn, call)
        if row["status"] != "PENDING":
            raise Refused(f"The exchange is {text(row, 'status')} already: nothing happened.", code="409")
        if succeeds:
            exchanges.settle(turn, row)
        else:
            exchanges.fail(turn, row, "The exchange failed: the sandbox was told so.")
        return _exchange(turn, _find_exchange(turn, call))

    return end


# Withdraw orders


def _withdrawals(turn: Turn, _: Call) -> Mapping[str, object]:
    rows = turn.state.all("SELECT * FROM withdrawals ORDER BY id DESC LIMIT ?", _MOST)
    return {"withdrawals": [_withdrawal(row) for row in rows]}


def _withdrawal(row: Row) -> dict[str, object]:
    return {"merchant": row["merchant"], **withdrawals.shown(row)}


def _withdraw(turn: Turn, call: Call) -> Mapping[str, object]:
    currency = _currency(call, "transactionCurrency")
    key, url = _short(call, "outTradeNo", 64), _short(call, "callBackUrl", 256)
    if not key:
        raise Refused("outTradeNo must not be empty.", code="400")
    if url and not url.startswith(("http://", "https://")):
        raise Refused("callBackUrl must begin with http:// or https://.", code="400")
    order = withdrawals.make(
        turn,
        _merchant(turn, call),
        out_trade_no=key,
        currency=currency,
        amount=_amount(turn, call, currency, "transactionAmount"),
        target_currency=_currency(call, "targetCurrency") if "targetCurrency" in call.body else None,
        remark=_short(call, "remark", 256),
        call_back_url=url,
        payee_account=_short(call, "payeeBankAccountNo", 64),
    )
    return _withdrawal(order)


def _find_withdrawal(turn: Turn, call: Call) -> Row:
    return _one(
        turn, "withdrawals", "out_trade_no", call.path["outTradeNo"], "withdraw order", given(call.body, "merchant")
    )


def _end_withdrawal(succeeds: bool) -> What:
    def end(turn: Turn, call: Call) -> Mapping[str, object]:
        row = _find_withdrawal(turn, call)
        if row["status"] != "PROCESSING":
            raise Refused(f"The withdraw order is {text(row, 'status')} already: nothing happened.", code="409")
        (withdrawals.settle if succeeds else withdrawals.fail)(turn, row)
        return _withdrawal(_find_withdrawal(turn, call))

    return end


# Cases


def _cases(turn: Turn, _: Call) -> Mapping[str, object]:
    rows = turn.state.all("SELECT merchant, case_id FROM cases ORDER BY id DESC LIMIT ?", _MOST)
    found = [cases.case_by_id(turn, text(row, "merchant"), text(row, "case_id")) for row in rows]
    return {"cases": [_case(row) for row in found if row is not None]}


def _case(row: Row) -> dict[str, object]:
    return {"merchant": row["merchant"], **cases.shown(row)}


def _open_case(turn: Turn, call: Call) -> Mapping[str, object]:
    number = text(call.body, "outTradeNo")
    order = _one(turn, "orders", "key", fold(number), "order", given(call.body, "merchant"))
    amount = Decimal(str(call.body["amount"])) if "amount" in call.body else None
    case_id, batch_id = _short(call, "caseId", 64) or None, _short(call, "batchId", 64) or None
    return _case(cases.open_case(turn, order, case_id=case_id, amount=amount, batch_id=batch_id))


def _find_case(turn: Turn, call: Call) -> Row:
    row = _one(turn, "cases", "case_id", call.path["caseId"], "case", given(call.body, "merchant"))
    found = cases.case_by_id(turn, text(row, "merchant"), text(row, "case_id"))
    assert found is not None  # it was there a moment ago, in the same transaction
    return found


def _move_case(turn: Turn, call: Call) -> Mapping[str, object]:
    case = _find_case(turn, call)
    return _case(cases.change(turn, case, text(call.body, "status"), given(call.body, "caseResult")))


_WHOSE: Final = Field("merchant", "string", "app id of the merchant; the first one when left out")
_RESULTS: Final = tuple(CONTRACT.set("CaseResult").values)

ROUTES: Final = (
    Route("GET", "balances", "What every merchant has in each currency", _in_turn(_balances)),
    Route("POST", "balances", "Credits a balance", _in_turn(_credit), (
        _WHOSE,
        Field("currency", "string", f"currency code; {len(CURRENCIES)} of them have rates", required=True),
        Field("amount", "decimal", "what is added", required=True),
    )),
    Route("GET", "exchanges", f"The latest {_MOST} exchanges, the newest first", _in_turn(_exchanges)),
    Route("GET", "exchanges/{outTradeNo}", "One exchange",
          _in_turn(lambda turn, call: _exchange(turn, _find_exchange(turn, call)))),
    Route("POST", "exchanges/{outTradeNo}/settle", "Lets a pending exchange succeed now", _in_turn(_end_exchange(True)),
          (WHOSE,)),
    Route("POST", "exchanges/{outTradeNo}/fail", "Lets a pending exchange fail; what was paid comes back",
          _in_turn(_end_exchange(False)), (WHOSE,)),
    Route("GET", "withdrawals", f"The latest {_MOST} withdraw orders, the newest first", _in_turn(_withdrawals)),
    Route("POST", "withdrawals", "Makes a withdraw order; amount and fee leave the balance", _in_turn(_withdraw), (
        _WHOSE,
        Field("outTradeNo", "string", "the merchant's number of the order, at most 64 characters", required=True),
        Field("transactionCurrency", "string", "currency that leaves the balance", required=True),
        Field("transactionAmount", "decimal", "amount that leaves the balance, without the fee", required=True),
        Field("targetCurrency", "string", "currency that is paid out; the same when left out"),
        Field("remark", "string", "at most 256 characters"),
        Field("callBackUrl", "string", "where its end is told; the merchant's call-back-url when left out"),
        Field("payeeBankAccountNo", "string", "at most 64 characters"),
    )),
    Route("GET", "withdrawals/{outTradeNo}", "One withdraw order",
          _in_turn(lambda turn, call: _withdrawal(_find_withdrawal(turn, call)))),
    Route("POST", "withdrawals/{outTradeNo}/settle", "Lets a withdraw order succeed now", _in_turn(_end_withdrawal(True)),
          (WHOSE,)),
    Route("POST", "withdrawals/{outTradeNo}/fail", "Lets a withdraw order fail; amount and fee come back",
          _in_turn(_end_withdrawal(False)), (WHOSE,)),
    Route("GET", "cases", f"The latest {_MOST} chargeback cases, the newest first", _in_turn(_cases)),
    Route("POST", "cases", "Opens a chargeback case on a paid order", _in_turn(_open_case), (
        WHOSE,
        Field("outTradeNo", "string", "the order", required=True),
        Field("caseId", "string", "number of the case, at most 64 characters; one is made when left out"),
        Field("amount", "decimal", "what is disputed; the order's amount when left out"),
        Field("batchId", "string", "at most 64 characters"),
    )),
    Route("GET", "cases/{caseId}", "One chargeback case", _in_turn(lambda turn, call: _case(_find_case(turn, call)))),
    Route("POST", "cases/{caseId}", "Moves a case", _in_turn(_move_case), (
        WHOSE,
        Field("status", "string", "where it moves", required=True, choices=cases.STATUSES),
        Field("caseResult", "string", "who wins; due with DISPUTE_END", choices=_RESULTS),
    )),
)  # fmt: skip
"""For `control` to mount."""
