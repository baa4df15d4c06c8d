"""Results and messages as JSON: every member by its Python name, nothing lost, nothing of the library's own classes."""

from __future__ import annotations

import json
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paywright import Client, HostedPlan, Merchant, Money, MoneyPart, NewPlan, PeriodRule, SnapAsymmetric
from paywright.contract import CONTRACT
from paywright_runtime import strict_json
from paywright_runtime.contract.conversion import read
from paywright_runtime.contract.message import Model
from paywright_runtime.contract.model import Struct
from paywright_runtime.contract.value_checks import Report
from tests.runtime.helpers.canned_gateway import Gateway, Reply
from tests.runtime.helpers.client_calls import ORDER_FOUND, call_everything, example_of
from tests.support.contract import contract
from tests.support.documents import objects
from tests.support.examples import examples

MODELS = sorted(contract().structs)


def test_a_result_is_a_dict_of_its_members_without_the_answer(client: Client, gateway: Gateway) -> None:
    gateway.reply = Reply(ORDER_FOUND)
    order = client.orders.query(out_trade_no="ORD_1")
    shown = order.to_dict()
    assert "answer" not in shown
    assert shown["out_trade_no"] == "ORD_1"
    assert (shown["status"], type(shown["status"])) == ("SUCCESS", str)
    assert shown["transaction_utc_time"] == "2025-06-01T12:00:00+08:00"
    trade = shown["trade"]
    assert isinstance(trade, dict)
    assert (trade["amount"], trade["currency"]) == ("10.50", "USD")


def test_a_value_that_the_contract_does_not_list_is_its_text(client: Client, gateway: Gateway) -> None:
    data: Any = ORDER_FOUND["data"]
    gateway.reply = Reply({**ORDER_FOUND, "data": {**data, "status": "NEW_STATE"}})
    status = client.orders.query(out_trade_no="ORD_1").to_dict()["status"]
    assert (status, type(status)) == ("NEW_STATE", str)


def test_every_operations_result_is_json(client: Client, gateway: Gateway, merchant: Merchant) -> None:
    merchant.snap_signature = SnapAsymmetric(merchant.signer)
    gateway.reply = example_of
    results = call_everything(client)
    assert len(results) > 15
    for name, result in results.items():
        assert isinstance(result, Model), name
        shown = result.to_dict()
        assert json.loads(json.dumps(shown, allow_nan=False)) == shown, name


def on_the_wire(struct: Struct, shown: dict[str, Any]) -> dict[str, object]:
    """What `to_dict` returned under the names of the wire."""
    return {field.wire: _on_the_wire(field.of, shown[field.python]) for field in struct.fields}


def _on_the_wire(of: str | None, value: Any) -> object:
    if isinstance(value, list):
        return [_on_the_wire(of, item) for item in value]
    inner = of is not None and isinstance(value, dict) and of in contract().structs
    return on_the_wire(CONTRACT.struct(of or ""), value) if inner else value


@pytest.mark.parametrize("name", MODELS)
@examples(12)
@given(data=st.data())
def test_what_it_returns_is_json_that_reads_back_as_the_same_message(name: str, data: st.DataObject) -> None:
    document = data.draw(objects(contract(), contract().structs[name]))
    struct = CONTRACT.struct(name)
    wire = strict_json.parse(json.dumps(document).encode())
    assert isinstance(wire, dict)
    message = read(CONTRACT, struct, wire, "", Report())
    assert isinstance(message, Model)
    shown = message.to_dict()
    back = json.loads(json.dumps(shown, allow_nan=False))
    assert back == shown
    again = read(CONTRACT, struct, on_the_wire(struct, back), "", Report())
    assert again == message
    assert isinstance(again, Model)
    assert again.to_dict() == shown


def test_messages_of_a_request_have_it_too() -> None:
    rule = PeriodRule(period_unit="W", period_count=1)
    plan = NewPlan(
        subject="Weekly",
        total_periods=12,
        first_period_start_date=datetime(2025, 2, 26, tzinfo=timezone(timedelta(hours=8))),
        period_rule=rule,
        period_amount=Money(amount=Decimal("1E+2"), currency="USD"),
        prices=(),
    )
    shown = plan.to_dict()
    assert (shown["prices"], shown["total_periods"]) == ([], "12")
    assert shown["period_rule"] == {"period_unit": "W", "period_count": "1"}
    assert shown["period_amount"] == {"amount": "100", "currency": "USD"}
    assert shown["first_period_start_date"] == "2025-02-26T00:00:00+08:00"
    day = HostedPlan(first_period_start_date=date(2025, 2, 26), period_amount=MoneyPart(amount=5)).to_dict()
    assert day["first_period_start_date"] == "2025-02-26"
    assert day["period_amount"] == {"amount": "5", "currency": None}
