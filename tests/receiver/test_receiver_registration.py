"""Handlers are registered once, before the first delivery, and are plain functions."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from receiver_desk import APP, Desk, key, transfer

from paywright import ConfigurationError, InvalidArgument, Receiver, RsaVerifier
from paywright_receiver import MemoryLedger


def nothing(event: object) -> None: ...


def test_a_kind_has_one_handler(desk: Desk) -> None:
    receiver: Any = desk.receiver
    for register in (
        receiver.on_receive,
        receiver.on_subscription_payment,
        receiver.on_validate_bill_payment,
        receiver.on_other,
        receiver.on_kind("PAYMENT"),
    ):
        assert register(nothing) is nothing
        with pytest.raises(ConfigurationError, match="registered twice"):
            register(nothing)


def test_after_the_first_delivery_it_is_too_late(desk: Desk) -> None:
    desk.deliver(b"")
    receiver: Any = desk.receiver
    for register in (
        receiver.on_receive,
        receiver.on_other,
        receiver.on_kind("PAYMENT"),
        receiver.on_validate_bill_payment,
    ):
        with pytest.raises(ConfigurationError, match="received already"):
            register(nothing)


def test_a_kind_that_the_contract_shows_is_registered_with_its_type(desk: Desk) -> None:
    with pytest.raises(ConfigurationError, match="on_subscription_payment"):
        desk.receiver.on_kind("SUBSCRIPTION_PAYMENT")
    with pytest.raises(InvalidArgument, match="sequence of names"):
        desk.receiver.on_kind("PAYMENT", once_per="outTradeNo")


def test_an_async_function_is_no_handler(desk: Desk) -> None:
    async def later(event: object) -> None: ...

    receiver: Any = desk.receiver
    with pytest.raises(ConfigurationError, match="plain function"):
        receiver.on_receive(later)
    with pytest.raises(InvalidArgument, match="takes a function"):
        receiver.on_receive(None)


def test_a_decorator_gives_the_function_back_and_it_is_called_with_the_event(desk: Desk) -> None:
    got: list[str] = []

    @desk.receiver.on_receive
    def handle(event: Any) -> None:
        got.append(event.key)

    assert desk.deliver(transfer()).outcome == "handled"
    assert got == [f"{APP}/RECEIVE/R1/SETTLED"]
    assert callable(handle)


@pytest.mark.parametrize(
    "wrong",
    [
        {"app_id": ""},
        {"unhandled": "maybe"},
        {"conflicts": ""},
        {"lease": 0},
        {"bill_deadline": -1},
        {"max_bytes": 0},
        {"max_age": timedelta(0)},
        {"max_ahead": timedelta(seconds=-1)},
    ],
    ids=str,
)
def test_a_setting_that_means_nothing_is_refused(wrong: dict[str, Any]) -> None:
    settings: dict[str, Any] = {
        "app_id": APP,
        "gateway_keys": RsaVerifier([key().public_key()]),
        "ledger": MemoryLedger(),
    }
    with pytest.raises(InvalidArgument):
        Receiver(**{**settings, **wrong})
