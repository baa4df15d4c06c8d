"""Amounts of 0 or less, and numbers of more than 8 decimals, are refused before anything is sent, though others may send them."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from decimal import Decimal
from typing import Any

import anyio
import pytest

from paywright import (
    Client,
    ContractViolation,
    GatewayError,
    HostedPlan,
    InvalidArgument,
    Merchant,
    Money,
    MoneyPart,
    NewPlan,
    OrderGoods,
    OutcomeUnknown,
    PeriodRule,
    SnapAmount,
    SnapAsymmetric,
    TrialDays,
    contract,
    operations,
    validate,
)
from paywright.aio import Client as AsyncClient
from tests.runtime.helpers.canned_gateway import Gateway, Reply
from tests.runtime.helpers.client_calls import DROP_IN, EXCHANGE, ORDER, ORDER_CREATED, REFUND


def plan(amount: str = "1.00", trial: str | None = None) -> NewPlan:
    return NewPlan(
        subject="Weekly", total_periods=4,
        period_rule=PeriodRule(period_unit="W", period_count=1),
        period_amount=Money(amount=Decimal(amount), currency="USD"),
        trial_config=None if trial is None else TrialDays(trial_amount=Money(amount=Decimal(trial), currency="USD"), trial_days=7),
        prices=[],
    )  # fmt: skip


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


def goods(price: Decimal) -> dict[str, Any]:
    one = OrderGoods(goods_id="G1", goods_name="Ticket", quantity="1", price=Decimal("5.25"))
    return {"goods_details": [one, replace(one, price=price)]}


def first_period(amount: Decimal) -> dict[str, Any]:
    return {"subscription_plan": HostedPlan(period_amount=MoneyPart(amount=amount, currency="USD"))}


# Each number and amount of a request: the operation, the arguments with an amount in one place, and where that stands.
PLACES: dict[str, tuple[str, Any, str]] = {
    "an order": ("orders.checkout", lambda amount: {**ORDER, "total_amount": amount}, "/data/totalAmount"),
    "a Drop-In order": ("orders.drop_in", lambda amount: {**DROP_IN, "total_amount": amount}, "/data/totalAmount"),
    "an amount as text": ("exchanges.create", lambda amount: {**EXCHANGE, "transaction_amount": amount}, "/data/transactionAmount"),
    "an amount as text in a list": ("orders.checkout", lambda amount: {**ORDER, **goods(amount)}, "/data/goodsDetails/1/price"),
    "an inner amount": ("orders.checkout", lambda amount: {**ORDER, **first_period(amount)}, "/data/subscriptionPlan/periodAmount/amount"),
    "a refund": ("refunds.create", lambda amount: {**REFUND, "refund_amount": amount}, "/data/refundAmount"),
    "a request without envelope": ("snap.cancel", lambda amount: {"original_partner_reference_no": "O1", "amount": SnapAmount(value=amount, currency="IDR")}, "/amount/value"),
}  # fmt: skip
TOO_EXACT = (
    Decimal("10.123456789"),
    Decimal("10.100000000"),
    Decimal("1E-9"),
    Decimal.from_float(10.1),
    Decimal(1) / 3,
)
EXACT = (Decimal("10.12345678"), Decimal("1E+2"), Decimal("1E-8"), Decimal(10), 10)


@pytest.mark.parametrize(("operation", "arguments", "pointer"), PLACES.values(), ids=list(PLACES))
def test_a_number_of_more_than_eight_decimals_is_not_sent(
    gateway: Gateway, merchant: Merchant, operation: str, arguments: Any, pointer: str
) -> None:
    merchant.snap_signature = SnapAsymmetric(merchant.signer)
    gateway.reply = Reply({"code": "PARAMS_INVALID", "msg": ""})
    with Client(base_url=gateway.base_url, merchant=merchant) as client:
        for amount in TOO_EXACT:
            with pytest.raises(ContractViolation) as refused:
                call(client, operation, arguments(amount))
            found = [one for one in refused.value.violations if one.code != "max"]  # an amount as text has a length too
            assert [(one.pointer, one.code) for one in found] == [(pointer, "sent-decimals")]
            assert "and at most 8 are sent" in found[0].message
        assert not gateway.seen
        for amount in EXACT:
            with suppress(GatewayError, OutcomeUnknown):
                call(client, operation, arguments(amount))
        assert len(gateway.seen) == len(EXACT)


def test_every_number_that_the_client_sends_has_the_limit_in_its_schema() -> None:
    """Text and numbers, in lists and inner objects; what the gateway sends has none."""
    schema: Any = contract.schema("orders.checkout.request")
    assert schema["$defs"]["orders.checkout.request.data"]["properties"]["totalAmount"]["x-sent-decimals"] == 8
    assert schema["$defs"]["OrderGoods"]["properties"]["price"]["x-sent-decimals"] == 8
    assert "x-sent-decimals" not in str(contract.schema("orders.query.response"))


def test_a_text_with_many_decimals_that_is_no_amount_is_sent(client: Client, gateway: Gateway) -> None:
    gateway.reply = Reply(ORDER_CREATED)
    client.orders.checkout(**{**ORDER, "subject": "1.123456789", "risk_params": {"score": Decimal("0.1234567891")}})
    assert len(gateway.seen) == 1


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
@pytest.mark.parametrize(("amount", "code"), [(0, "amount-above-zero"), (Decimal("1.123456789"), "sent-decimals")])
def test_validation_covers_these(gateway: Gateway, merchant: Merchant, validation: Any, amount: Any, code: str) -> None:
    gateway.reply = Reply(ORDER_CREATED)
    with Client(base_url=gateway.base_url, merchant=merchant, validation=validation) as client:
        made = client.orders.checkout(**{**ORDER, "total_amount": amount})
    assert [one.code for one in made.answer.warnings] == ([code] if validation == "report" else [])


@pytest.mark.parametrize("amount", [0, -5, Decimal("1.123456789"), Decimal.from_float(10.1)])
def test_messages_of_others_are_not_judged_by_it(amount: Any) -> None:
    data = {"outRefundNo": "R1", "refundAmount": amount, "refundCurrency": "USD", "outTradeNo": "O1"}
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
        client.call(operations.ORDERS_CHECKOUT, values)

    async def awaited() -> None:
        async with AsyncClient(base_url=gateway.base_url, merchant=merchant) as other:
            with pytest.raises(InvalidArgument, match=said):
                await other.call(operations.ORDERS_CHECKOUT, values)

    anyio.run(awaited)
    assert not gateway.seen
