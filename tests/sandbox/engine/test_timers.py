"""Timers: one that fails is an event and stops nothing else; what the control API takes fits into the messages it leads to."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from datetime import timedelta
from decimal import Decimal

import pytest

from paywright_runtime.clock import FixedClock
from paywright_sandbox.control.api import ROUTES
from tests.sandbox.helpers.desk import Desk, created


def poisoned(desk: Desk) -> str:
    """A plan whose first charge cannot be told of, because its method is too long for 6.2; returns its number."""
    number = created(desk)
    desk.checkout("ACT_1", Decimal("9.90"), subscriptionPlan={"subscriptionNo": number})
    assert desk.control("POST", "orders/ACT_1/pay")["status"] == "SUCCESS"
    with desk.engine.store.transaction() as state:
        row = state.one("SELECT id FROM plans WHERE subscription_no = ?", number)
        assert row is not None
        state.update("plans", int(str(row["id"])), {"method": "M" * 65, "card": None})
    return number


def failed_timers(desk: Desk) -> list[str]:
    return [event["what"] for event in desk.control("GET", "events")["events"] if event["kind"] == "timer.failed"]


def test_a_timer_that_fails_is_an_event_and_everything_else_goes_on(desk: Desk, clock: FixedClock) -> None:
    poisoned(desk)
    desk.paid("ORD_1", Decimal("10.50"))
    clock.advance(timedelta(days=1))
    assert desk.refund("REF_1", Decimal("1.00"), outTradeNo="ORD_1")["code"] == "APPLY_SUCCESS"
    clock.advance(timedelta(seconds=10))  # the charge settles first, and fails; the refund is due as well
    assert desk.query("ORD_1")["data"]["status"] == "SUCCESS"
    assert desk.refund_query(outRefundNo="REF_1")["data"]["status"] == "REFUND_SUCCESS"
    (failed,) = failed_timers(desk)
    assert "timer period.settles" in failed
    assert "error AssertionError" in failed
    assert "M" * 65 not in failed
    for path in ("clock", "orders", "subscriptions", "notifications"):
        assert desk.control("GET", path)["httpStatus"] == 200
    assert desk.control("POST", "clock/advance", {"seconds": 86400})["complete"]
    assert len(failed_timers(desk)) == 2  # the next period begins all the same, and fails in the same way


def test_what_a_failing_timer_has_done_is_undone(desk: Desk, clock: FixedClock) -> None:
    number = poisoned(desk)
    clock.advance(timedelta(days=1, seconds=10))
    periods = desk.control("GET", f"subscriptions/{number}")["periods"]
    assert [(period["index"], period["status"]) for period in periods] == [(1, "SUCCESS"), (2, "PENDING")]
    assert desk.control("GET", f"orders/{periods[1]['outTradeNo']}")["status"] == "PENDING"


def test_a_workspace_with_a_failing_timer_starts_again_and_is_reset(on_disk: Callable[..., Desk]) -> None:
    desk = on_disk()
    poisoned(desk)
    desk.engine.store.close()
    desk.clock.advance(timedelta(days=2))
    again = on_disk()
    with closing(again.engine.store):
        assert again.checkout("ORD_2")["code"] == "APPLY_SUCCESS"
        answer = again.control("POST", "reset")
        assert (answer["httpStatus"], answer["reset"]) == (200, True)
        assert again.control("GET", "events")["events"] == []


@pytest.mark.parametrize(
    ("path", "field", "longest"),
    [
        ("orders/{outTradeNo}/pay", "method", 16), ("orders/{outTradeNo}/fail", "targetOrg", 16),
        ("links/{linkId}/open", "userId", 64), ("links/{linkId}/open", "userName", 64),
    ],
)  # fmt: skip
def test_what_messages_repeat_has_the_length_that_all_of_them_allow(path: str, field: str, longest: int) -> None:
    (route,) = [route for route in ROUTES if (route.method, route.path) == ("POST", path)]
    assert {found.name: found.longest for found in route.fields}[field] == longest


def test_a_method_that_no_message_could_name_is_refused_and_the_order_stays_open(desk: Desk) -> None:
    desk.checkout("ORD_1")
    answer = desk.control("POST", "orders/ORD_1/pay", {"method": "M" * 65, "card": None})
    assert answer["httpStatus"] == 400
    assert "at most 16 characters" in answer["error"]
    assert desk.query("ORD_1")["data"]["status"] == "PENDING"
    assert desk.control("POST", "orders/ORD_1/pay", {"method": "M" * 16})["status"] == "SUCCESS"


def test_every_text_and_amount_of_the_control_api_is_bounded(open_desk: Callable[..., Desk]) -> None:
    desk = open_desk()
    for route in ROUTES:
        for field in route.fields:
            if field.kind == "string" and not field.choices:
                assert 0 < field.longest <= 16_384
    answer = desk.control("POST", "balances", {"currency": "USD", "amount": 10**30})
    assert answer["httpStatus"] == 400
    assert desk.control("POST", "balances", {"currency": "USD", "amount": 10**29})["httpStatus"] == 200
