"""What an editor or `help()` says of arguments: their limits, nested ones included, or what their type is."""

from __future__ import annotations

import dataclasses
import inspect
from typing import Any

import pytest

from paywright import (
    BuyerInfo,
    Client,
    EnvInfo,
    HostedPlan,
    Money,
    NewPlan,
    OrderGoods,
    PeriodRule,
    Refund,
    ShippingInfo,
    aio,
)
from paywright.aio.resources.orders import Orders as AwaitedOrders
from paywright.resources.orders import Orders
from paywright.resources.subscriptions import Subscriptions


@pytest.mark.parametrize("kind", [BuyerInfo, EnvInfo, HostedPlan, Money, NewPlan, OrderGoods, PeriodRule, ShippingInfo])
def test_what_a_merchant_fills_in_says_of_every_member_what_it_takes(kind: type) -> None:
    assert dataclasses.is_dataclass(kind)
    told = {line.strip().partition(":")[0] for line in (kind.__doc__ or "").partition("Args:")[2].splitlines()}
    assert {field.name for field in dataclasses.fields(kind)} <= told


def test_a_limit_of_a_nested_field_is_in_the_docstring_of_its_type() -> None:
    assert "\n    subject: at most 256 characters" in (inspect.getdoc(NewPlan) or "")


def test_what_only_the_gateway_writes_has_no_arguments() -> None:
    assert "Args:" not in (Refund.__doc__ or "")


def test_an_argument_without_limits_says_what_its_type_is() -> None:
    assert "subscription_plan: NewPlan: A subscription plan to create." in (Subscriptions.create.__doc__ or "")
    assert "env_info: EnvInfo: The payer's device." in (Orders.checkout.__doc__ or "")
    assert Client.orders.__doc__


@pytest.mark.parametrize("client", [Client, aio.Client])
def test_a_client_documents_every_argument(client: Any) -> None:
    described = {
        line.strip().partition(":")[0] for line in (client.__init__.__doc__ or "").partition("Args:")[2].splitlines()
    }
    assert set(inspect.signature(client).parameters) <= described


def test_an_awaited_method_shows_the_arguments_and_the_words_of_the_blocking_one() -> None:
    for verb in ("checkout", "query", "resolve"):
        awaited, blocking = getattr(AwaitedOrders, verb), getattr(Orders, verb)
        assert list(inspect.signature(awaited).parameters) == list(inspect.signature(blocking).parameters)
        assert awaited.__doc__ == blocking.__doc__
        assert "Args:" in (blocking.__doc__ or "")
