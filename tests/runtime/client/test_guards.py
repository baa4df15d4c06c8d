"""Amounts of 0 or less are refused before anything is sent, though others' messages may have them."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import anyio
import pytest

from paywright import (
    BuyerInfo,
    Client,
    ContractViolation,
    DropInPaymentDetail,
    HostedPlan,
    InvalidArgument,
    Merchant,
    Money,
    MoneyPart,
    NewPlan,
    PeriodRule,
    SnapAmount,
    SnapAsymmetric,
    TrialDays,
    validate,
)
from paywright.aio import Client as AsyncClient
from tests.runtime.helpers.canned_gateway import Gateway, Reply
from tests.runtime.helpers.client_calls import ORDER, ORDER_CREATED, REFUND

EXCHANGE: dict[str, Any] = {
    "ccy_pair": "EURUSD",
    "out_trade_no": "EXC_1",
    "side": "SELL",
    "transaction_amount": Decimal("100.00"),
    "transaction_ccy": "EUR",
    "target_ccy": "USD",
}
DROP_IN: dict[str, Any] = {
    **ORDER,
    "country": "SG",
    "terminal_type": "WEB",
    "payment_detail": DropInPaymentDetail(buyer_info=BuyerInfo(client_ip="203.0.113.7", user_agent="UA")),
}


def plan(amount: str = "1.00", trial: str | None = None) -> NewPlan:
    return NewPlan(
        subject="Weekly",
        total_periods=4,
        period_rule=PeriodRule(period_unit="W", period_count=1),
        period_amount=Money(amount=Decimal(amount), currency="USD"),
        trial_config=(
            None
            if trial is None
            else TrialDays(trial_amount=Money(amount=Decimal(trial), currency="USD"), trial_days=7)
        ),
        prices=[],
    )


REFUSED: list[tuple[str, dict[str, Any], str, str]] = [
    *(
        (operation, {**arguments, name: amount}, f"/data/{wire}", "amount-above-zero")
        for operation, arguments, name, wire in (
            ("orders.checkout", ORDER, "total_amount", "totalAmount"),
            ("orders.drop_in", DROP_IN, "total_amount", "totalAmount"),
            ("refunds.create", REFUND, "refund_amount", "refundAmount"),
            ("exchanges.create", EXCHANGE, "transaction_amount", "transactionAmount"),
        )
        for amount in (0, Decimal("0.00"), Decimal("-0.01"), Decimal(-5))
    ),
    ("snap.cancel", {"original_partner_reference_no": "O1", "amount": SnapAmount(value=Decimal(0), currency="IDR")}, "/amount/value", "amount-above-zero"),
    (
        "orders.checkout",
        {**ORDER, "subscription_plan": HostedPlan(period_amount=MoneyPart(amount=0, currency="USD"))},
        "/data/subscriptionPlan/periodAmount/amount",
        "plan-amounts",
    ),
    *(
        ("subscriptions.create", {"subscription_request_id": "S1", "user_id": "u1", "callback_url": "https://shop.example/n", "subscription_plan": made}, f"/data/subscriptionPlan/{where}", "plan-amounts")
        for made, where in (
            (plan("0"), "periodAmount/amount"),
            (plan("-1"), "periodAmount/amount"),
            (plan(trial="-0.01"), "trialConfig/trialAmount/amount"),
        )
    ),
]  # fmt: skip


def call(client: Client, operation: str, arguments: dict[str, Any]) -> object:
    resource, _, verb = operation.partition(".")
    return getattr(getattr(client, resource), verb)(**arguments)


@pytest.mark.parametrize(("operation", "arguments", "pointer", "code"), REFUSED)
def test_what_is_charged_or_given_back_is_above_0(
    gateway: Gateway, merchant: Merchant, operation: str, arguments: dict[str, Any], pointer: str, code: str
) -> None:
    merchant.snap_signature = SnapAsymmetric(merchant.signer)
    with Client(base_url=gateway.base_url, merchant=merchant) as client, pytest.raises(ContractViolation) as refused:
        call(client, operation, arguments)
    assert [(one.pointer, one.code) for one in refused.value.violations] == [(pointer, code)]
    assert "is not sent" in refused.value.violations[0].message
    assert not gateway.seen


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ({"ccy_pair": "USDEUR"}, ("/data/ccyPair", "pair-of-the-two")),
        ({"ccy_pair": "USDUSD", "transaction_ccy": "USD"}, ("/data/transactionCcy", "two-currencies")),
    ],
)
def test_an_exchange_that_contradicts_itself_is_refused_before_anything_is_sent(
    client: Client, gateway: Gateway, change: dict[str, Any], found: tuple[str, str]
) -> None:
    with pytest.raises(ContractViolation) as refused:
        client.exchanges.create(**{**EXCHANGE, **change})
    assert [(one.pointer, one.code) for one in refused.value.violations] == [found]
    assert not gateway.seen


def test_a_trial_may_be_free(client: Client, gateway: Gateway) -> None:
    gateway.reply = Reply({"code": "PARAMS_INVALID", "msg": "judged by the gateway"})
    with pytest.raises(Exception, match="PARAMS_INVALID"):
        client.subscriptions.create(
            subscription_request_id="S1", user_id="u1", callback_url="https://shop.example/n", subscription_plan=plan(trial="0")
        )  # fmt: skip
    assert len(gateway.seen) == 1


def test_a_guard_says_on_which_side_of_zero_an_amount_must_be(client: Client, gateway: Gateway) -> None:
    with pytest.raises(ContractViolation) as refused:
        client.orders.checkout(**{**ORDER, "total_amount": 0})
    (violation,) = refused.value.violations
    assert refused.value.operation == "orders.checkout"
    assert "is not above 0, and is not sent" in violation.message
    with pytest.raises(ContractViolation) as refused:
        client.subscriptions.create(
            subscription_request_id="S1", user_id="u1", callback_url="https://shop.example/n", subscription_plan=plan(trial="-0.01")
        )  # fmt: skip
    assert any("is below 0, and is not sent" in one.message for one in refused.value.violations)
    assert not any("is not above 0" in one.message for one in refused.value.violations)
    assert not gateway.seen


@pytest.mark.parametrize("validation", ["report", "off"])
def test_the_setting_for_other_violations_holds_for_these(
    gateway: Gateway, merchant: Merchant, validation: Any
) -> None:
    gateway.reply = Reply(ORDER_CREATED)
    with Client(base_url=gateway.base_url, merchant=merchant, validation=validation) as client:
        made = client.orders.checkout(**{**ORDER, "total_amount": 0})
    assert [one.code for one in made.answer.warnings] == (["amount-above-zero"] if validation == "report" else [])


def test_messages_of_others_are_not_judged_by_it() -> None:
    data = {"outRefundNo": "R1", "refundAmount": 0, "refundCurrency": "USD", "outTradeNo": "O1"}
    body = {
        "version": "1.5",
        "keyVersion": "1",
        "requestTime": "2025-06-01T12:00:00.000+08:00",
        "appId": "a",
        "data": data,
    }
    assert validate("refunds.create", "request", body) == []


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"outTradeNo": "ORD_1", "totalAmonut": 5}, "does not take totalAmonut.*Did you mean totalAmount"),
        ({"out_trade_no": "ORD_1"}, "does not take out_trade_no.*Did you mean outTradeNo"),
        ({"integrate": "Direct_Payment"}, "does not take integrate"),
    ],
)
def test_a_call_by_id_refuses_names_that_the_operation_does_not_take(
    client: Client, gateway: Gateway, merchant: Merchant, values: dict[str, object], said: str
) -> None:
    with pytest.raises(InvalidArgument, match=said):
        client.call("orders.checkout", values)

    async def awaited() -> None:
        async with AsyncClient(base_url=gateway.base_url, merchant=merchant) as other:
            with pytest.raises(InvalidArgument, match=said):
                await other.call("orders.checkout", values)

    anyio.run(awaited)
    assert not gateway.seen
