"""What is meant is what is sent: texts, numbers and times of subclasses and enums leave by their value, whatever they show."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum, IntEnum, StrEnum
from typing import Any

import pytest

from paywright import (
    Client,
    GatewayError,
    HostedPlan,
    Merchant,
    Money,
    MoneyPart,
    NewPlan,
    NoAnswer,
    OrderGoods,
    PeriodRule,
    SnapAsymmetric,
)
from paywright.contract import CONTRACT
from paywright_runtime.contract.same_content import content_given, content_of
from tests.runtime.helpers.canned_gateway import Gateway, Reply
from tests.runtime.helpers.client_calls import EXCHANGE, ORDER, example_of

LIE = "9999"


class _Lying:
    """Shows something else than it is, wherever it is asked."""

    def __str__(self) -> str:
        return LIE

    def __format__(self, specification: str) -> str:
        return LIE

    def __repr__(self) -> str:
        return LIE

    def isoformat(self, *args: Any, **named: Any) -> str:
        return LIE


class LyingText(_Lying, str):
    pass


class LyingDecimal(_Lying, Decimal):
    pass


class LyingInt(_Lying, int):
    pass


class LyingTime(_Lying, datetime):
    pass


class LyingDay(_Lying, date):
    pass


class Named(str, Enum):  # noqa: UP042  # its `__str__` is not that of a StrEnum
    VALUE = "EUR"

    def __str__(self) -> str:
        return self.name


class Texts(StrEnum):
    VALUE = "EUR"


class Plain(Enum):
    VALUE = "EUR"
    WHOLE = 3
    EXACT = Decimal("100.05")


class Mixed(Decimal, Enum):
    VALUE = "100.05"


class Whole(IntEnum):
    VALUE = 3


TEXTS: dict[str, Any] = {
    "a subclass": LyingText("EUR"), "an enum of texts": Named.VALUE, "a StrEnum": Texts.VALUE, "an enum": Plain.VALUE
}  # fmt: skip
AMOUNTS: dict[str, Any] = {
    "a subclass": LyingDecimal("100.05"), "an enum of amounts": Mixed.VALUE, "an enum": Plain.EXACT
}  # fmt: skip
NUMBERS: dict[str, Any] = {"a subclass": LyingInt(3), "an IntEnum": Whole.VALUE, "an enum": Plain.WHOLE}


def plan(count: Any, amount: Any) -> NewPlan:
    return NewPlan(
        subject="Weekly",
        total_periods=count,
        period_rule=PeriodRule(period_unit="W", period_count=1),
        period_amount=Money(amount=amount, currency="USD"),
        prices=[],
    )


def goods(price: Any) -> list[OrderGoods]:
    return [OrderGoods(goods_id="G1", goods_name="Ticket", quantity="2", price=price)]


PLAN: dict[str, Any] = {"subscription_request_id": "S1", "user_id": "u1", "callback_url": "https://shop.example/n"}

# The operation, its arguments, and what must stand in the body, by where the value stands.
PLACES: list[Any] = [
    *(
        pytest.param(operation, arguments, f'"{member}":"EUR"', id=f"{kind} as {place}")
        for kind, value in TEXTS.items()
        for place, operation, arguments, member in (
            ("a text", "orders.checkout", {**ORDER, "subject": value}, "subject"),
            ("a currency", "orders.checkout", {**ORDER, "currency": value}, "currency"),
            ("a key", "orders.checkout", {**ORDER, "out_trade_no": value}, "outTradeNo"),
            ("a text of an inner object", "orders.checkout", {**ORDER, "goods_details": [OrderGoods(goods_id="1", goods_name=value, quantity="1", price=1)]}, "goodsName"),
            ("a text in an object", "orders.checkout", {**ORDER, "risk_params": {"a": value} if isinstance(value, str) else {"a": "EUR"}}, "a"),
        )
    ),
    *(
        pytest.param(operation, arguments, said, id=f"{kind} as {place}")
        for kind, value in AMOUNTS.items()
        for place, operation, arguments, said in (
            ("a number", "orders.checkout", {**ORDER, "total_amount": value}, '"totalAmount":100.05'),
            ("decimal text", "exchanges.create", {**EXCHANGE, "transaction_amount": value}, '"transactionAmount":"100.05"'),
            ("decimal text in a list", "orders.checkout", {**ORDER, "goods_details": goods(value)}, '"price":"100.05"'),
            ("a number of an inner object", "orders.checkout", {**ORDER, "subscription_plan": HostedPlan(period_amount=MoneyPart(amount=value, currency="USD"))}, '"amount":100.05'),
            ("a number in an object", "orders.checkout", {**ORDER, "risk_params": {"a": [value if isinstance(value, Decimal) else Decimal("100.05")]}}, '"a":[100.05]'),
            ("a member newer than the contract", "orders.checkout", {**ORDER, "extra": {"a": value if isinstance(value, Decimal) else Decimal("100.05")}}, '"a":100.05'),
        )
    ),
    *(
        pytest.param(operation, arguments, said, id=f"{kind} as {place}")
        for kind, value in NUMBERS.items()
        for place, operation, arguments, said in (
            ("an amount", "orders.checkout", {**ORDER, "total_amount": value}, '"totalAmount":3'),
            ("an amount as text", "exchanges.create", {**EXCHANGE, "transaction_amount": value}, '"transactionAmount":"3"'),
            ("a count", "subscriptions.create", {**PLAN, "subscription_plan": plan(value, 5)}, '"totalPeriods":3'),
            ("a number in an object", "orders.checkout", {**ORDER, "risk_params": {"a": value if isinstance(value, int) else 3}}, '"a":3'),
        )
    ),
    pytest.param("snap.status", {"original_partner_reference_no": "O1", "service_code": "54", "transaction_date": LyingTime(2025, 6, 1, tzinfo=UTC)}, '"transactionDate":"2025-06-01T00:00:00+00:00"', id="a time"),
    pytest.param("orders.checkout", {**ORDER, "subscription_plan": HostedPlan(first_period_start_date=LyingTime(2025, 6, 1, tzinfo=UTC))}, '"firstPeriodStartDate":"2025-06-01T00:00:00+00:00"', id="a time in place of a day"),
    pytest.param("orders.checkout", {**ORDER, "subscription_plan": HostedPlan(first_period_start_date=LyingDay(2025, 6, 1))}, '"firstPeriodStartDate":"2025-06-01"', id="a day or a time"),
    pytest.param("rates.query", {"ccy_pair_list": [], "product": "PAY_IN", "valid_time": LyingDay(2025, 6, 1)}, '"validTime":"20250601"', id="a day"),
]  # fmt: skip


@pytest.mark.parametrize(("operation", "arguments", "said"), PLACES)
def test_a_value_leaves_as_what_it_is(
    gateway: Gateway, merchant: Merchant, operation: str, arguments: dict[str, Any], said: str
) -> None:
    merchant.snap_signature = SnapAsymmetric(merchant.signer)
    gateway.reply = Reply({"code": "PARAMS_INVALID", "msg": ""})
    resource, _, verb = operation.partition(".")
    with Client(base_url=gateway.base_url, merchant=merchant) as client, suppress(GatewayError, NoAnswer):
        getattr(getattr(client, resource), verb)(**arguments)
    sent = gateway.seen[-1].body.decode()
    assert said in sent
    assert LIE not in sent


@pytest.mark.parametrize("value", TEXTS.values(), ids=list(TEXTS))
def test_the_numbers_of_the_merchant_are_written_by_value(merchant: Merchant, gateway: Gateway, value: Any) -> None:
    known = Merchant(
        app_id=value, merchant_no=value, merchant_id=value, snap_partner_id=value, snap_channel_id=value,
        private_key=merchant.signer, gateway_keys=merchant.verifier, snap_signature=SnapAsymmetric(merchant.signer),
    )  # fmt: skip
    gateway.reply = example_of
    with Client(base_url=gateway.base_url, merchant=known) as client:
        client.snap.status(original_partner_reference_no="O1", service_code="54")
        client.orders.checkout(**ORDER)
    snap, order = gateway.seen
    assert (snap.headers["x-partner-id"], snap.headers["channel-id"]) == ("EUR", "EUR")
    assert (order.json["appId"], order.json["merchantNo"]) == ("EUR", "EUR")
    assert known.numbers()["app_id"] == "EUR"


@pytest.mark.parametrize("value", AMOUNTS.values(), ids=list(AMOUNTS))
def test_what_was_asked_for_is_compared_by_value(value: Any) -> None:
    checkout, exchange = CONTRACT.operation("orders.checkout"), CONTRACT.operation("exchanges.create")
    assert content_given(checkout, {"totalAmount": value, "currency": Named.VALUE}) == {"totalAmount": "100.05", "currency": "EUR"}  # fmt: skip
    assert content_of(exchange, {"transactionAmount": value, "side": LyingText("BUY")}) == {"transactionAmount": "100.05", "side": "BUY"}  # fmt: skip
