"""Results as plain values: every member by its Python name, nothing of the library's own classes."""

from __future__ import annotations

import json
from datetime import datetime
from decimal import Decimal
from typing import Any

from paywright import Client, Merchant, Money, NewPlan, PeriodRule, SnapAsymmetric
from paywright_runtime.contract.message import Model
from tests.runtime.helpers.canned_gateway import Gateway, Reply
from tests.runtime.helpers.client_calls import ORDER_FOUND, call_everything, example_of


def test_a_result_is_a_dict_of_its_members_without_the_answer(client: Client, gateway: Gateway) -> None:
    gateway.reply = Reply(ORDER_FOUND)
    order = client.orders.query(out_trade_no="ORD_1")
    shown = order.to_dict()
    assert "answer" not in shown
    assert shown["out_trade_no"] == "ORD_1"
    assert (shown["status"], type(shown["status"])) == ("SUCCESS", str)
    assert shown["transaction_utc_time"] == order.transaction_utc_time
    trade = shown["trade"]
    assert isinstance(trade, dict)
    assert (trade["amount"], trade["currency"]) == (Decimal("10.50"), "USD")


def test_a_value_that_the_contract_does_not_list_is_its_text(client: Client, gateway: Gateway) -> None:
    data: Any = ORDER_FOUND["data"]
    gateway.reply = Reply({**ORDER_FOUND, "data": {**data, "status": "NEW_STATE"}})
    status = client.orders.query(out_trade_no="ORD_1").to_dict()["status"]
    assert (status, type(status)) == ("NEW_STATE", str)


def plain(value: object) -> bool:
    if isinstance(value, dict):
        return all(type(name) is str and plain(item) for name, item in value.items())
    if isinstance(value, list):
        return all(map(plain, value))
    return value is None or type(value) in (str, bool, int, Decimal) or type(value).__module__ == "datetime"


def test_the_result_of_every_operation_is_plain_all_through(
    client: Client, gateway: Gateway, merchant: Merchant
) -> None:
    merchant.snap_signature = SnapAsymmetric(merchant.signer)
    gateway.reply = example_of
    results = call_everything(client)
    assert len(results) > 15
    for name, result in results.items():
        assert isinstance(result, Model), name
        shown = result.to_dict()
        assert plain(shown), name
        assert json.loads(json.dumps(shown, default=str)), name


def test_messages_of_a_request_have_it_too() -> None:
    rule = PeriodRule(period_unit="W", period_count=1)
    plan = NewPlan(
        subject="Weekly",
        total_periods=12,
        first_period_start_date=datetime(2025, 2, 26),
        period_rule=rule,
        period_amount=Money(amount=Decimal(5), currency="USD"),
        prices=[],
    )
    shown = plan.to_dict()
    assert shown["prices"] == []
    assert shown["period_rule"] == {"period_unit": "W", "period_count": 1}
