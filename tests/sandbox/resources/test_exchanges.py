"""Exchanges and balances in the sandbox [4.11, 4.12, 2.9]."""

from collections.abc import Callable
from decimal import ROUND_DOWN, Decimal
from typing import Any

import pytest

from tests.sandbox.helpers.desk import Desk, exchange, shown_rate


def query(desk: Desk, key: str) -> dict[str, Any]:
    return desk.call("exchanges.query", {"outTradeNo": key})


def balance(desk: Desk, currency: str) -> Decimal:
    return Decimal(desk.control("GET", "balances")["balances"]["app_sandbox_1"].get(currency, "0"))


def test_selling_pays_with_the_transaction_currency(desk: Desk) -> None:
    euros, dollars = balance(desk, "EUR"), balance(desk, "USD")
    created = exchange(desk, "EXC_1", "EURUSD", "SELL", "100.00")["data"]
    assert (created["status"], created["completeTime"], created["errorCode"]) == ("PENDING", "", "")
    received = (Decimal("100.00") * Decimal(created["rate"])).quantize(Decimal("0.01"), ROUND_DOWN)
    assert Decimal(created["targetAmount"]) == received
    assert (balance(desk, "EUR"), balance(desk, "USD")) == (euros - 100, dollars)
    desk.clock.advance(2)
    final = query(desk, "EXC_1")["data"]
    assert (final["status"], final["completeTime"]) == ("SUCCESS", "2025-06-01T12:00:02.000+00:00")
    assert {name: final[name] for name in created if name not in ("status", "completeTime")} == {
        name: created[name] for name in created if name not in ("status", "completeTime")
    }
    assert (balance(desk, "EUR"), balance(desk, "USD")) == (euros - 100, dollars + received)


def test_buying_pays_with_the_target_currency(desk: Desk) -> None:
    euros, dollars = balance(desk, "EUR"), balance(desk, "USD")
    created = exchange(desk, "EXC_1", "EURUSD", "BUY", "100.00")["data"]
    desk.clock.advance(2)
    assert query(desk, "EXC_1")["data"]["status"] == "SUCCESS"
    assert balance(desk, "EUR") == euros + 100
    assert balance(desk, "USD") == dollars - Decimal(created["targetAmount"])


def test_amounts_have_the_decimals_of_their_currency(desk: Desk) -> None:
    assert "." not in exchange(desk, "EXC_1", "USDJPY", "SELL", "10.01")["data"]["targetAmount"]
    assert exchange(desk, "EXC_2", "JPYUSD", "SELL", "1000")["data"]["targetAmount"][-3] == "."
    assert exchange(desk, "EXC_3", "JPYUSD", "SELL", "1000.5")["code"] == "PARAMS_INVALID"


@pytest.mark.parametrize(
    ("how", "amount"), [("half-up", "0.01"), ("half-even", "0.01"), ("down", None), ("against-client", None)]
)
def test_rounding_is_a_policy(open_desk: Callable[..., Desk], how: str, amount: str | None) -> None:
    answer = exchange(open_desk(exchange_rounding=how), "EXC_1", "JPYUSD", "SELL", "1")
    assert answer.get("data", {}).get("targetAmount") == amount
    assert answer["code"] == ("AMOUNT_LIMIT" if amount is None else "APPLY_SUCCESS")


def test_what_is_bought_costs_at_least_the_least_there_is(desk: Desk) -> None:
    assert exchange(desk, "EXC_1", "IDRUSD", "BUY", "1")["data"]["targetAmount"] == "0.01"
    assert exchange(desk, "EXC_2", "IDRUSD", "SELL", "1")["code"] == "AMOUNT_LIMIT"


def test_an_exchange_for_nothing_is_refused(open_desk: Callable[..., Desk]) -> None:
    desk = open_desk(exchange_rounding="down")
    for side in ("BUY", "SELL"):
        assert exchange(desk, "EXC_1", "IDRUSD", side, "1")["code"] == "AMOUNT_LIMIT"
        assert desk.policy == "exchange-rounding, amount-limit"


def test_more_than_the_balance_is_refused_and_nothing_is_created(desk: Desk) -> None:
    assert exchange(desk, "EXC_1", "EURUSD", "SELL", "100000.01")["code"] == "BALANCE_INSUFFICIENT"
    assert desk.policy == "exchange-over-balance"
    assert query(desk, "EXC_1")["code"] == "ORDER_NOT_EXIST"
    assert exchange(desk, "EXC_1", "EURUSD", "SELL", "100000")["code"] == "APPLY_SUCCESS"
    assert exchange(desk, "EXC_2", "EURUSD", "SELL", "0.01")["code"] == "BALANCE_INSUFFICIENT"


def test_what_is_on_its_way_cannot_be_spent(desk: Desk) -> None:
    exchange(desk, "EXC_1", "EURUSD", "SELL", "100000")
    assert exchange(desk, "EXC_2", "USDEUR", "SELL", "100000.01")["code"] == "BALANCE_INSUFFICIENT"
    desk.clock.advance(2)
    assert exchange(desk, "EXC_2", "USDEUR", "SELL", "100000.01")["code"] == "APPLY_SUCCESS"


def test_a_number_is_used_once_whatever_the_body(desk: Desk) -> None:
    exchange(desk, "EXC_1", "EURUSD", "SELL", "1")
    assert exchange(desk, "EXC_1", "EURUSD", "SELL", "1")["code"] == "ORDER_REPEAT"
    assert exchange(desk, "EXC_1", "GBPUSD", "BUY", "999999999")["code"] == "ORDER_REPEAT"
    assert exchange(desk, "exc_1", "EURUSD", "SELL", "1")["code"] == "APPLY_SUCCESS"


@pytest.mark.parametrize(
    ("asked", "code", "policy"),
    [
        ({"ccyPair": "USDEUR"}, "PARAMS_INVALID", "invalid-request"),
        ({"ccyPair": "EUR/US"}, "PARAMS_INVALID", "invalid-request"),
        ({"ccyPair": "USDUSD", "transactionCcy": "USD"}, "PARAMS_INVALID", "invalid-request"),
        ({"ccyPair": "XXXUSD", "transactionCcy": "XXX"}, "CURRENCY_INVALID", "other-currency"),
        ({"ccyPair": "EURGBP", "targetCcy": "GBP"}, "PARAMS_INVALID", "invalid-request"),
        ({"transactionAmount": "0"}, "PARAMS_INVALID", "invalid-request"),
        ({"transactionAmount": "-1"}, "PARAMS_INVALID", "invalid-request"),
        ({"transactionAmount": "0.001"}, "PARAMS_INVALID", "decimals, invalid-request"),
        ({"transactionAmount": "9" * 162}, "BALANCE_INSUFFICIENT", "exchange-over-balance"),
        ({"rateVersion": "V1"}, "PARAMS_INVALID", "invalid-request"),
        ({"rateVersion": "RRO20259901120000AAAAAAAAAA"}, "PARAMS_INVALID", "invalid-request"),
        ({"rateVersion": "RRO20250601120000AAAAAAAAAA"}, "PARAMS_INVALID", "invalid-request"),
        ({"rateVersion": "RLI99991231235959AAAAAAAAAA"}, "PARAMS_INVALID", "invalid-request"),
        ({"rateVersion": "RRI00000101000000AAAAAAAAAA"}, "PARAMS_INVALID", "invalid-request"),
        ({"rateVersion": "RRI00010101000000AAAAAAAAAA"}, "PARAMS_INVALID", "invalid-request"),
    ],
)
def test_a_refused_exchange_says_why(desk: Desk, asked: dict[str, str], code: str, policy: str) -> None:
    before = desk.control("GET", "balances")
    assert exchange(desk, "EXC_1", "EURUSD", "SELL", "1.00", **asked)["code"] == code
    assert desk.policy == policy
    assert desk.control("GET", "balances") == before
    assert query(desk, "EXC_1")["code"] == "ORDER_NOT_EXIST"


def test_a_rate_version_holds_until_it_expires_and_for_its_own_pair_and_side(desk: Desk) -> None:
    rate = shown_rate(desk, "PAY_OUT", "SELL", "EURUSD")
    version = rate["rateReferenceId"]
    made = exchange(desk, "EXC_1", "EURUSD", "SELL", "1", rateVersion=version)["data"]
    assert (made["rateVersion"], Decimal(made["rate"])) == (version, rate["rate"])
    assert exchange(desk, "EXC_2", "EURUSD", "BUY", "1", rateVersion=version)["code"] == "PARAMS_INVALID"
    assert exchange(desk, "EXC_2", "GBPUSD", "SELL", "1", rateVersion=version)["code"] == "PARAMS_INVALID"
    assert desk.policy == "invalid-request"
    desk.clock.advance(3599)
    assert exchange(desk, "EXC_2", "EURUSD", "SELL", "1", rateVersion=version)["code"] == "APPLY_SUCCESS"
    desk.clock.advance(1)
    assert exchange(desk, "EXC_3", "EURUSD", "SELL", "1", rateVersion=version)["code"] == "PARAMS_INVALID"
    assert desk.policy == "invalid-request"
    assert exchange(desk, "EXC_3", "EURUSD", "SELL", "1", rateVersion="")["data"]["rateVersion"] != version


def test_a_locked_rate_can_be_traded_on_its_day(desk: Desk) -> None:
    desk.clock.advance(12 * 3600 - 900)
    asked = [{"side": "SELL", "transactionCurrency": "EUR", "targetCurrency": "USD"}]
    versions = []
    for day in ("20250601", "20250602"):
        answer = desk.call("rates.query", {"ccyPairList": asked, "product": "PAY_IN", "validTime": day})
        versions.append(answer["data"]["currencyList"][0]["rateReferenceId"])
    today, tomorrow = versions
    assert exchange(desk, "EXC_1", "EURUSD", "SELL", "1", rateVersion=today)["data"]["rateVersion"] == today
    assert exchange(desk, "EXC_2", "EURUSD", "SELL", "1", rateVersion=tomorrow)["code"] == "PARAMS_INVALID"
    desk.clock.advance(900)
    assert exchange(desk, "EXC_2", "EURUSD", "SELL", "1", rateVersion=tomorrow)["code"] == "APPLY_SUCCESS"
    assert exchange(desk, "EXC_3", "EURUSD", "SELL", "1", rateVersion=today)["code"] == "PARAMS_INVALID"
    assert desk.policy == "invalid-request"


def test_the_time_of_a_rate_has_two_forms(open_desk: Callable[..., Desk]) -> None:
    assert exchange(open_desk(), "EXC_1", "EURUSD", "SELL", "1")["data"]["rateTime"] == "1748779200000"
    other = open_desk(rate_time="rfc-3339")
    assert exchange(other, "EXC_1", "EURUSD", "SELL", "1")["data"]["rateTime"] == "2025-06-01T12:00:00.000+00:00"


def test_balances_of_thirty_digits_are_exact(desk: Desk) -> None:
    desk.control("POST", "balances", {"currency": "EUR", "amount": "9999999999999999999999999999.99"})
    assert balance(desk, "EUR") == Decimal("10000000000000000000000099999.99")
    assert exchange(desk, "EXC_1", "EURUSD", "SELL", "9000000000000000000000000000.01")["code"] == "APPLY_SUCCESS"
    assert balance(desk, "EUR") == Decimal("1000000000000000000000099999.98")


def test_a_person_can_settle_fail_and_credit(desk: Desk) -> None:
    euros = balance(desk, "EUR")
    exchange(desk, "EXC_1", "EURUSD", "SELL", "100")
    failed = desk.control("POST", "exchanges/EXC_1/fail")
    assert (failed["status"], failed["errorCode"]) == ("FAILED", "SYSTEM_ERROR")
    assert balance(desk, "EUR") == euros
    assert desk.control("POST", "exchanges/EXC_1/settle")["httpStatus"] == 409
    desk.clock.advance(10)
    assert query(desk, "EXC_1")["data"]["status"] == "FAILED"
    exchange(desk, "EXC_2", "EURUSD", "SELL", "100")
    assert desk.control("POST", "exchanges/EXC_2/settle")["status"] == "SUCCESS"
    credited = desk.control("POST", "balances", {"currency": "EUR", "amount": "0.50"})
    assert Decimal(credited["balance"]) == balance(desk, "EUR") == euros - 100 + Decimal("0.50")
    assert [found["outTradeNo"] for found in desk.control("GET", "exchanges")["exchanges"]] == ["EXC_2", "EXC_1"]
    assert desk.control("GET", "exchanges/EXC_9")["httpStatus"] == 404


def test_a_currency_that_was_never_there_begins_at_nothing(desk: Desk) -> None:
    assert "XTS" not in desk.control("GET", "balances")["balances"]
    assert desk.control("POST", "balances", {"currency": "XTS", "amount": "0.50"})["balance"] == "0.50"
    assert balance(desk, "XTS") == Decimal("0.50")


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({}, 400),
        ({"currency": "EUR", "amount": "0"}, 400),
        ({"currency": "JPY", "amount": "0.5"}, 400),
        ({"currency": "eur", "amount": "1"}, 400),
        ({"currency": "EUR", "amount": "1", "merchant": "app_9"}, 404),
        ({"currency": "EUR", "amount": "1", "more": "1"}, 400),
    ],
)
def test_a_credit_that_is_not_right_is_refused(desk: Desk, body: dict[str, str], status: int) -> None:
    before = desk.control("GET", "balances")
    assert desk.control("POST", "balances", body)["httpStatus"] == status
    assert desk.control("GET", "balances") == before
