"""Whose call does an answer show? Everything that `shows:` lists must agree; what is not shown proves nothing."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, Final

import pytest

from paywright import AlreadyPlaced, Client, FixedClock, Merchant, SnapAsymmetric, contract, operations
from paywright_runtime.contract.operation import Operation, Shown
from paywright_runtime.error_text import ADVICE
from tests.runtime.helpers.canned_gateway import Gateway, Reply
from tests.runtime.helpers.client_calls import ORDER, ORDER_FOUND

WRITES: Final = [one for name in contract.operations() if (one := contract.operation(name)).shows and one.resolution]
VALUES: Final[dict[str, tuple[object, object]]] = {
    # what an answer shows of a number, and of a text; None stands for a member that is missing
    "equal": ("10.50", "Abc_1"),
    "other": ("10.51", "Abc_2"),
    "absent": (None, None),
    "null": ("null", "null"),
    "blank": ("", "  "),
    "other digits": ("10.5", "Abc_1"),
}
CELLS: Final = [
    pytest.param(write, shown, how, id=f"{write.name}-{shown.asked}-{how}")
    for write in WRITES
    for shown in write.shows
    for how in VALUES
]


@pytest.fixture
def settings(gateway: Gateway, merchant: Merchant) -> dict[str, Any]:
    merchant.snap_signature = SnapAsymmetric(merchant.signer)
    return {"base_url": gateway.base_url, "merchant": merchant, "retries": 0}


@pytest.fixture
def shop(settings: dict[str, Any]) -> Iterator[Client]:
    with Client(**settings) as client:
        yield client


def answer(write: Operation, changed: Shown | None, how: str) -> dict[str, Any]:
    """The query's answer to KEY_1, with all values as they were asked for, except for one."""
    assert write.resolution is not None
    query = contract.operation(write.resolution.operation or "")
    body: dict[str, Any] = copy.deepcopy(contract.example(f"{query.name}.response"))
    inner = body.get("data", body)
    inner[write.resolution.by] = "KEY_1"
    if write.resolution.done is not None:
        inner[write.resolution.done[0]] = write.resolution.done[1][0]
    for shown in write.shows:
        *steps, last = shown.answered_path
        if steps and not isinstance(inner.get(steps[0]), dict):
            inner[steps[0]] = {}
        place = inner[steps[0]] if steps else inner
        value = VALUES[how if shown is changed else "equal"][not shown.number]
        place[last] = None if value == "null" else value
        if value is None:
            place.pop(last)
    return body


def content(write: Operation) -> dict[str, object]:
    return {one.asked: Decimal("10.50") if one.number else "Abc_1" for one in write.shows}


def asks(write: Operation) -> dict[str, str]:
    assert write.resolution is not None
    return {"serviceCode": "54"} if "snap" in (write.resolution.operation or "") else {}


@pytest.mark.parametrize(("write", "shown", "how"), CELLS)
def test_all_that_is_shown_agrees(write: Operation, shown: Shown, how: str, shop: Client, gateway: Gateway) -> None:
    gateway.reply = Reply(answer(write, shown, how))
    resolver = shop.resolve_by_name(write.name, key="KEY_1", asks=asks(write), content=content(write))
    resolver = shop.resume(resolver.to_json())
    step = resolver.step()
    expected = {"equal": ("settled",), "other digits": ("settled",), "other": ("decide",)}
    assert step.state in expected.get(how, ("settled", "wait")), step  # without a required member it cannot be read
    if how == "other":
        value, other = VALUES["equal"][not shown.number], VALUES[how][not shown.number]
        assert f"{shown.asked} {other!r} where this call has {value!r}" in step.why.replace("'10.5'", "'10.50'")
        assert ADVICE["decide.other_call"] in step.why


def test_another_call_stays_another_without_the_amount(settings: dict[str, Any], gateway: Gateway) -> None:
    gateway.clock = clock = FixedClock(datetime(2025, 6, 1, 12, tzinfo=UTC))
    write = contract.operation("orders.checkout")
    reference = next(one for one in write.shows if one.asked == "reference")
    with Client(**settings, clock=clock) as own:
        resolver = own.resolve(operations.ORDERS_CHECKOUT, key="KEY_1", content=content(write))
        for how, state in (("other", "decide"), ("absent", "decide"), ("null", "decide"), ("equal", "settled")):
            gateway.reply = Reply(answer(write, reference, how))
            clock.advance(3600)
            resolver = own.resume(resolver.to_json())
            assert resolver.step().state == state, how


@pytest.mark.parametrize("key", ["ord_1", "Ord_1"])
def test_another_spelling_of_the_key_is_another_call(key: str, shop: Client, gateway: Gateway) -> None:
    gateway.reply = Reply(ORDER_FOUND)  # of ORD_1
    step = shop.orders.resolve(out_trade_no=key, total_amount=Decimal("10.50"), currency="USD").step()
    assert (step.state, f"outTradeNo 'ORD_1' where this call has '{key}'" in step.why) == ("decide", True)


def test_a_reused_number_is_already_placed_with_what_the_call_asked_for(shop: Client, gateway: Gateway) -> None:
    gateway.reply = Reply({"code": "ORDER_REPEAT", "msg": ""})
    with pytest.raises(AlreadyPlaced, match=r"currency 'USD', reference 'prod-900'\.") as caught:
        shop.orders.checkout(**ORDER, reference="prod-900")
    assert caught.value.content == {"totalAmount": "10.5", "currency": "USD", "reference": "prod-900"}
    assert caught.value.shown == {}
    found = copy.deepcopy(ORDER_FOUND)
    found["data"] |= {"reference": "staging-7"}  # type: ignore[operator]  # it is a dict
    gateway.reply = Reply(found)
    step = shop.orders.resolve(caught.value).step()
    assert step.state == "decide"
    assert "reference 'staging-7' where this call has 'prod-900'" in step.why


def test_a_success_that_shows_another_call_is_already_placed_with_both_shown(shop: Client, gateway: Gateway) -> None:
    gateway.reply = Reply(contract.example("exchanges.create.response"))
    with pytest.raises(AlreadyPlaced, match="shows side 'BUY' where this call has 'SELL'") as caught:
        shop.exchanges.create(
            ccy_pair="EURUSD", out_trade_no="EXC_0001", side="SELL", transaction_amount=Decimal(100),
            transaction_ccy="EUR", target_ccy="USD",
        )  # fmt: skip
    assert (caught.value.reason, caught.value.shown) == ("other_content", {"side": "BUY"})
