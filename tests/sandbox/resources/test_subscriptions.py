"""Subscription plans in the sandbox, from their creation to their end [2.5, 4.5, 6.2]."""

import json
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from paywright import validate
from paywright_sandbox.engine.state.refusal import Refusal
from paywright_sandbox.resources.subscriptions.plans import plan_to_activate
from tests.sandbox.helpers.desk import HOOK, Desk, create, created, plan_data

DAY = 86400


def activate(desk: Desk, number: str, amount: Any = Decimal("9.90"), key: str = "ACT_1") -> dict[str, Any]:
    """Activates a plan as its payer does: at the cashier."""
    placed = desk.checkout(key, amount, subscriptionPlan={"subscriptionNo": number})
    assert placed["code"] == "APPLY_SUCCESS", placed
    desk.control("POST", f"orders/{key}/pay", {"card": "5555555555554444"})
    return shown(desk, number)


def shown(desk: Desk, number: str) -> dict[str, Any]:
    return desk.control("GET", f"subscriptions/{number}")


def told(desk: Desk) -> list[dict[str, Any]]:
    """The period notifications that were put into the outbox, each valid by the contract."""
    desk.control("GET", "orders")  # lets what is due happen
    with desk.engine.store.transaction() as state:
        rows = state.all("SELECT * FROM notifications WHERE kind = 'SUBSCRIPTION_PAYMENT' ORDER BY id")
    for row in rows:
        assert row["url"] == HOOK
        assert validate("notifications.subscription_payment", "notification", row["body"]) == []
    return [json.loads(str(row["body"], "utf-8"), parse_float=Decimal) for row in rows]  # type: ignore[arg-type]  # a BLOB


def results(desk: Desk) -> list[tuple[int, str]]:
    details = [message["data"]["subscriptionPaymentDetail"] for message in told(desk)]
    return [(detail["subscriptionIndex"], detail["paymentStatus"]) for detail in details]


# Creating


def test_a_regular_plan_is_answered_as_it_was_asked_for(desk: Desk) -> None:
    answer = create(desk)["data"]
    assert answer["subscriptionRequestId"] == "SREQ_1"
    assert answer["subscriptionPlan"].pop("subscriptionNo").startswith("SUB")
    assert answer["subscriptionPlan"] == {
        "subscriptionStatus": "INACTIVE",
        "subject": "Daily",
        "totalPeriods": "3",
        "periodRule": {"periodUnit": "D", "periodCount": "1"},
        "periodAmount": {"amount": Decimal("9.90"), "currency": "USD"},
    }


def money(amount: Any, currency: str = "USD") -> dict[str, Any]:
    return {"amount": amount, "currency": currency}


def trial(amount: Any, days: int, currency: str = "USD") -> dict[str, Any]:
    return {"trialConfig": {"trialAmount": money(amount, currency), "trialDays": days}}


def offer(amount: Any, count: int) -> dict[str, Any]:
    return {"trialPeriodConfig": {"trialPeriodCount": count, "trialPeriodAmount": money(amount)}}


@pytest.mark.parametrize(
    "more", [{"periodAmount": money(Decimal("0.01"))}, {"totalPeriods": 1}, trial(0, 1), offer(0, 3)]
)
def test_the_least_and_the_most_of_a_plan_are_taken(desk: Desk, more: dict[str, Any]) -> None:
    assert create(desk, asked=plan_data() | more)["code"] == "APPLY_SUCCESS"


def test_trials_promotions_and_prices_are_answered_too(desk: Desk) -> None:
    asked = trial(Decimal("0.99"), 7)
    found = create(desk, "S1", plan_data(**asked))["data"]["subscriptionPlan"]["trialConfig"]
    assert {"trialConfig": found} == asked
    without = {"trialPeriodCount": 2, "trialPeriodAmount": {"amount": 1}}
    found = create(desk, "S2", plan_data(trialPeriodConfig=without))["data"]["subscriptionPlan"]["trialPeriodConfig"]
    assert found == {"trialPeriodCount": "2", "trialPeriodAmount": {"amount": 1, "currency": "USD"}}
    prices = [{"priceId": "price_1", "quantity": 2}]
    by_price = create(desk, "S3", {"subject": "Priced", "totalPeriods": 2, "prices": prices})["data"][
        "subscriptionPlan"
    ]
    assert by_price["prices"] == prices
    assert "periodRule" not in by_price


def test_a_request_id_is_used_once_whatever_the_body(desk: Desk) -> None:
    create(desk)
    for asked in (plan_data(), plan_data(5, 7)):
        assert create(desk, asked=asked)["code"] == "ORDER_REPEAT"
        assert desk.policy == "repeat"
    assert create(desk, "sreq_1")["code"] == "APPLY_SUCCESS"


@pytest.mark.parametrize(
    ("wrong", "policy", "said"),
    [
        ({"totalPeriods": 0}, "invalid-request", "/totalPeriods must be a whole number from 1 to "),
        ({"totalPeriods": Decimal("1.5")}, "invalid-request", "/totalPeriods must be a whole number from 1 to "),
        ({"totalPeriods": 10**30}, "invalid-request", ""),
        ({"totalPeriods": 10_001}, "plan-limits, invalid-request", ""),
        ({"periodRule": {"periodUnit": "D", "periodCount": 0}}, "invalid-request", "/periodRule/periodCount must be a whole number"),
        ({"periodRule": {"periodUnit": "H", "periodCount": 1}}, "invalid-request", ""),
        ({"periodRule": {"periodUnit": "Y", "periodCount": 3660}}, "invalid-request", ""),
        ({"periodRule": {"periodUnit": "D", "periodCount": 3661}}, "plan-limits, invalid-request", ""),
        ({"periodAmount": money(0)}, "invalid-request", "/periodAmount/amount must be above 0"),
        ({"periodAmount": money(-1)}, "invalid-request", "/periodAmount/amount must be above 0"),
        ({"periodAmount": money(Decimal("1.005"))}, "decimals, invalid-request", ""),
        (trial(Decimal("-0.01"), 1), "invalid-request", "/trialConfig/trialAmount/amount must be 0 or more"),
        (trial(1, 1, "EUR"), "other-currency", ""),
        (trial(1, 0), "invalid-request", "/trialConfig/trialDays must be a whole number"),
        (trial(1, 3661), "plan-limits, invalid-request", ""),
        (offer(-1, 1), "invalid-request", "/trialPeriodConfig/trialPeriodAmount/amount must be 0 or more"),
        (offer(1, 4), "plan-limits, invalid-request", "/trialPeriodConfig/trialPeriodCount must be a whole number from 1 to 3"),
        ({"firstPeriodStartDate": "9999-12-31T00:00:00+00:00"}, "invalid-request", ""),
        ({"firstPeriodStartDate": "2025-06-01"}, "invalid-request", ""),
        ({"prices": [{"priceId": "p", "quantity": 1}]}, "invalid-request", ""),
    ],
)  # fmt: skip
def test_a_plan_that_cannot_be_is_refused_by_name_and_not_kept(
    desk: Desk, wrong: dict[str, Any], policy: str, said: str
) -> None:
    answer = create(desk, asked=plan_data() | wrong)
    assert (answer["code"] != "APPLY_SUCCESS", desk.policy) == (True, policy)
    if said:
        assert (answer["code"], f"/data/subscriptionPlan{said}" in answer["msg"]) == ("PARAMS_INVALID", True)
    assert desk.control("GET", "subscriptions")["subscriptions"] == []


@pytest.mark.parametrize(
    ("more", "limited", "taken"),
    [
        ({"totalPeriods": 100_000}, True, True),
        ({"periodRule": {"periodUnit": "D", "periodCount": 3661}}, True, True),
        (trial(1, 3661), True, True),
        (offer(1, 4), True, True),
        ({"totalPeriods": 10**9}, True, False),  # longer than the calendar
        ({"totalPeriods": 10**30}, False, False),
        (offer(1, 10**30), False, False),
    ],
)
def test_the_limits_of_a_plan_are_a_policys_and_not_the_specifications(
    open_desk: Callable[..., Desk], more: dict[str, Any], limited: bool, taken: bool
) -> None:
    refused = create(open_desk(), asked=plan_data() | more)
    assert refused["code"] == "PARAMS_INVALID"
    assert ("(policy plan-limits)" in refused["msg"]) == limited
    desk = open_desk(plan_limits="taken")
    assert create(desk, asked=plan_data() | more)["code"] == ("APPLY_SUCCESS" if taken else "PARAMS_INVALID")
    if taken:
        assert desk.policy == "plan-limits"


BOTH = trial(1, 7) | offer(2, 1)


@pytest.mark.parametrize(
    "more",
    [
        BOTH,
        {"trialPeriodConfig": {}},
        {"trialPeriodConfig": {"trialPeriodCount": 1}},
        {"trialPeriodConfig": {"trialPeriodAmount": money(1)}},
    ],
)
def test_an_unclear_plan_names_its_policy(open_desk: Callable[..., Desk], more: dict[str, Any]) -> None:
    desk = open_desk()
    assert create(desk, asked=plan_data() | more)["code"] == "APPLY_SUCCESS"
    assert desk.policy == "unclear-plan"
    strict = open_desk(unclear_plan="refused")
    assert "(policy unclear-plan)" in create(strict, asked=plan_data() | more)["msg"]
    assert strict.policy == "unclear-plan, invalid-request"
    for clear in ({}, *({name: BOTH[name]} for name in BOTH), {"trialConfig": None, "trialPeriodConfig": None}):
        assert create(strict, f"SREQ_{len(str(clear))}", plan_data() | clear)["code"] == "APPLY_SUCCESS"
        assert strict.policy is None


def test_a_trial_may_last_ten_years(desk: Desk) -> None:
    assert create(desk, asked=plan_data() | trial(1, 3660))["code"] == "APPLY_SUCCESS"


# Activating


def test_a_paid_order_activates_its_plan_and_pays_the_first_period(desk: Desk) -> None:
    number = created(desk)
    active = activate(desk, number)
    assert (active["subscriptionStatus"], active["firstPeriodAt"]) == ("ACTIVE", "2025-06-01T12:00:00.000+00:00")
    (message,) = told(desk)
    assert (message["code"], message["msg"], message["notifyType"]) == ("APPLY_SUCCESS", "Success.", "SUBSCRIPTION_PAYMENT")  # fmt: skip
    data = message["data"]
    assert (data["subscriptionRequestId"], data["subscriptionPlan"]) == ("SREQ_1", {"subscriptionNo": number})
    detail = data["subscriptionPaymentDetail"]
    assert (detail["periodStartTime"], detail["periodEndTime"]) == ("2025-06-01T12:00:00+0000", "2025-06-02T11:59:59+0000")  # fmt: skip
    assert (detail["payAmount"], detail["cardOrg"]) == ({"amount": Decimal("9.90"), "currency": "USD"}, "MASTERCARD")
    assert detail["cardInfo"]["cardNumber"] == "555555******4444"
    assert "cardIdentifierNo" not in detail["cardInfo"]
    events = desk.control("GET", "events")["events"]
    assert [event["subject"] for event in events if event["kind"] == "plan.moved"] == ["SREQ_1"]
    token = detail["lastPaymentInfo"]["tradeToken"]
    assert desk.refund("REF_1", Decimal("9.90"), tradeToken=token)["code"] == "APPLY_SUCCESS"


def test_a_drop_in_order_activates_too(desk: Desk) -> None:
    number = created(desk)
    data = {"subscriptionPlan": {"subscriptionNo": number}}
    placed = desk.drop_in("ACT_1", Decimal("9.90"), **data)
    assert placed["data"]["status"] == "SUCCESS"
    assert shown(desk, number)["subscriptionStatus"] == "ACTIVE"


def test_a_failing_order_fails_the_activation_and_another_may_succeed(desk: Desk) -> None:
    number = created(desk)
    desk.checkout("ACT_0", subscriptionPlan={"subscriptionNo": number})
    desk.control("POST", "orders/ACT_0/close")
    assert shown(desk, number)["subscriptionStatus"] == "INACTIVE"
    desk.checkout("ACT_1", Decimal("9.90"), subscriptionPlan={"subscriptionNo": number})
    desk.control("POST", "orders/ACT_1/fail")
    assert shown(desk, number)["subscriptionStatus"] == "ACTIVE_FAILED"
    assert told(desk) == []
    assert activate(desk, number, key="ACT_2")["subscriptionStatus"] == "ACTIVE"


@pytest.mark.parametrize("failed", [False, True])
def test_a_plan_that_nobody_activates_expires_after_a_day(desk: Desk, failed: bool) -> None:
    number = created(desk)
    desk.clock.advance(3600)
    desk.checkout("ACT_1", Decimal("9.90"), subscriptionPlan={"subscriptionNo": number})
    if failed:
        desk.control("POST", "orders/ACT_1/fail")
    desk.clock.advance(DAY - 3601)
    assert shown(desk, number)["subscriptionStatus"] == ("ACTIVE_FAILED" if failed else "INACTIVE")
    desk.clock.advance(1)
    assert shown(desk, number)["subscriptionStatus"] == "EXPIRED"
    assert desk.control("POST", "orders/ACT_1/pay")["httpStatus"] == 409
    desk.clock.advance(10 * DAY)
    assert shown(desk, number)["subscriptionStatus"] == "EXPIRED"
    assert told(desk) == []


def test_an_order_that_cannot_activate_its_plan_is_not_placed(desk: Desk) -> None:
    number = created(desk)
    for key, more, policy in (
        ("ORD_1", {"subscriptionPlan": {"subscriptionNo": "SUB9"}}, "invalid-request"),
        ("ORD_2", {"subscriptionPlan": {"subscriptionNo": number}, "userId": "user_2"}, "invalid-request"),
        ("ORD_3", {"subscriptionPlan": {"subscriptionNo": number}, "currency": "EUR"}, "other-currency"),
    ):
        assert desk.checkout(key, **more)["code"] != "APPLY_SUCCESS"  # type: ignore[arg-type]  # the cases are mixed
        assert desk.policy == policy
        assert desk.query(key)["code"] == "ORDER_NOT_EXIST"
    activate(desk, number)
    assert desk.checkout("ORD_4", subscriptionPlan={"subscriptionNo": number})["code"] == "PARAMS_INVALID"


def test_another_merchants_plan_is_not_known(desk: Desk) -> None:
    number = created(desk)
    carried = {"subscriptionNo": number}
    with pytest.raises(Refusal, match="not known"), desk.engine.transaction() as context:
        plan_to_activate(context, "app_2", "user_1", "USD", carried)


def test_what_an_order_says_of_a_plan_of_the_merchants_own_changes_nothing(desk: Desk) -> None:
    assert desk.checkout("ORD_1", subscriptionPlan={"subject": "Mine"})["code"] == "APPLY_SUCCESS"


# The periods


def test_periods_are_charged_by_the_clock_until_the_plan_finishes(desk: Desk) -> None:
    number = created(desk)
    activate(desk, number)
    desk.clock.advance(DAY)
    assert shown(desk, number)["periods"][1]["status"] == "PENDING"
    desk.clock.advance(2)
    assert results(desk) == [(1, "SUCCESS"), (2, "SUCCESS")]
    assert shown(desk, number)["subscriptionStatus"] == "ACTIVE"
    desk.clock.advance(10 * DAY)
    assert results(desk) == [(1, "SUCCESS"), (2, "SUCCESS"), (3, "SUCCESS")]
    ended = shown(desk, number)
    assert (ended["subscriptionStatus"], ended["endedAt"]) == ("FINISH", "2025-06-03T12:00:02.000+00:00")
    tokens = {message["data"]["subscriptionPaymentDetail"]["lastPaymentInfo"]["tradeToken"] for message in told(desk)}
    assert len(tokens) == 3
    for at, token in enumerate(sorted(tokens)):
        assert desk.refund(f"REF_{at}", Decimal("9.90"), tradeToken=token)["code"] == "APPLY_SUCCESS"


def test_a_trial_is_paid_by_the_activation_and_the_periods_follow_it(desk: Desk) -> None:
    number = created(desk, plan_data(periods=1, unit="M", **trial(0, 7)))
    activate(desk, number, 0)
    desk.clock.advance(7 * DAY - 1)
    assert results(desk) == []
    desk.clock.advance(3)
    (message,) = told(desk)
    assert message["data"]["subscriptionPaymentDetail"]["periodEndTime"] == "2025-07-08T11:59:59+0000"


def test_nothing_but_an_activation_costs_nothing(desk: Desk) -> None:
    assert desk.checkout("ORD_1", 0)["code"] == "PARAMS_INVALID"
    assert desk.checkout("ORD_1", 0, subscriptionPlan={"subject": "Mine"})["code"] == "PARAMS_INVALID"


def test_the_payment_of_a_trial_is_told_of_where_a_policy_says_so(open_desk: Callable[..., Desk]) -> None:
    desk = open_desk(trial_payment_notice="index-0")
    activate(desk, created(desk, plan_data(periods=1, **trial(Decimal("0.99"), 7))), Decimal("0.99"))
    desk.clock.advance(7 * DAY + 10)
    assert results(desk) == [(0, "SUCCESS"), (1, "SUCCESS")]
    first = told(desk)[0]["data"]["subscriptionPaymentDetail"]
    assert (first["periodStartTime"], first["periodEndTime"]) == ("2025-06-01T12:00:00+0000", "2025-06-08T11:59:59+0000")  # fmt: skip
    assert (first["payAmount"]["amount"], first["cardOrg"]) == (Decimal("0.99"), "MASTERCARD")
    desk.refund("REF_1", Decimal("0.99"), tradeToken=first["lastPaymentInfo"]["tradeToken"])


def test_by_default_the_notifications_are_of_periods_alone(desk: Desk) -> None:
    activate(desk, created(desk, plan_data(periods=1, **trial(Decimal("0.99"), 7))), Decimal("0.99"))
    assert results(desk) == []


def test_a_promotion_is_charged_first_and_then_the_full_amount(desk: Desk) -> None:
    number = created(desk, plan_data(**offer(Decimal("0.99"), 2)))
    activate(desk, number, Decimal("0.99"))
    desk.clock.advance(3 * DAY)
    amounts = [message["data"]["subscriptionPaymentDetail"]["payAmount"]["amount"] for message in told(desk)]
    assert amounts == [Decimal("0.99"), Decimal("0.99"), Decimal("9.90")]


def test_a_plan_starts_on_its_own_date_and_keeps_its_day(desk: Desk) -> None:
    number = created(desk, plan_data(unit="M", firstPeriodStartDate="2025-07-31T08:00:00+08:00"))
    activate(desk, number, 0)
    assert results(desk) == []
    desk.clock.advance(200 * DAY)
    starts = [message["data"]["subscriptionPaymentDetail"]["periodStartTime"] for message in told(desk)]
    assert starts == ["2025-07-31T00:00:00+0000", "2025-08-31T00:00:00+0000", "2025-09-30T00:00:00+0000"]


@pytest.mark.parametrize(
    ("policy", "amount", "taken", "told_at_once"),
    [
        ("either", 0, True, False),
        ("either", Decimal("9.90"), True, True),
        ("either", Decimal("1.00"), False, False),
        ("nothing", 0, True, False),
        ("nothing", Decimal("9.90"), False, False),
        ("first-period", 0, False, False),
        ("first-period", Decimal("9.90"), True, True),
    ],
)
def test_a_first_period_that_begins_later_is_paid_once(
    open_desk: Callable[..., Desk], policy: str, amount: Any, taken: bool, told_at_once: bool
) -> None:
    desk = open_desk(activation_before_start=policy)
    number = created(desk, plan_data(periods=2, firstPeriodStartDate="2025-06-06T12:00:00+00:00"))
    answer = desk.checkout("ACT_1", amount, subscriptionPlan={"subscriptionNo": number})
    named = "activation-before-start" if taken else "activation-before-start, activation-amount, invalid-request"
    assert (answer["code"], desk.policy) == ("APPLY_SUCCESS" if taken else "PARAMS_INVALID", named)
    if not taken:
        return
    desk.control("POST", "orders/ACT_1/pay")
    assert results(desk) == [(1, "SUCCESS")] * told_at_once
    desk.clock.advance(10 * DAY)
    assert results(desk) == [(1, "SUCCESS"), (2, "SUCCESS")]
    first, second = shown(desk, number)["periods"]
    assert (first["startsAt"], second["startsAt"]) == ("2025-06-06T12:00:00.000+00:00", "2025-06-07T12:00:00.000+00:00")
    orders = desk.control("GET", "orders")["orders"]
    charged = sum(Decimal(order["amount"]) for order in orders if order["status"] == "SUCCESS")
    assert charged == 2 * Decimal("9.90")
    assert shown(desk, number)["subscriptionStatus"] == "FINISH"


def test_an_order_of_any_amount_activates_by_policy(open_desk: Callable[..., Desk]) -> None:
    desk = open_desk(activation_amount="any")
    number = created(desk, plan_data(firstPeriodStartDate="2025-06-06T12:00:00+00:00"))
    activate(desk, number, Decimal("999"))
    assert (results(desk), shown(desk, number)["periods"]) == ([], [])


def test_the_activation_can_be_a_payment_of_its_own(open_desk: Callable[..., Desk]) -> None:
    desk = open_desk(activation_pays="nothing")
    number = created(desk)
    activate(desk, number, Decimal("1"))
    assert desk.policy == "activation-pays"
    desk.clock.advance(2)
    assert results(desk) == [(1, "SUCCESS")]
    assert shown(desk, number)["periods"][0]["amount"] == "9.90"


def test_plans_made_of_prices_cost_ten_dollars_a_month_for_each(desk: Desk) -> None:
    prices = [{"priceId": "a", "quantity": 2}, {"priceId": "b", "quantity": 1}]
    number = created(desk, {"subject": "Priced", "totalPeriods": 2, "prices": prices})
    desk.checkout("ACT_1", 30, subscriptionPlan={"subscriptionNo": number})
    desk.control("POST", "orders/ACT_1/pay")
    desk.clock.advance(30 * DAY + 2)
    assert results(desk) == [(1, "SUCCESS"), (2, "SUCCESS")]
    assert shown(desk, number)["periods"][1]["amount"] == "30"


# Failing


@pytest.mark.parametrize("end", ["cancel", "terminate"])
def test_a_plan_that_has_ended_is_not_told_to_fail(desk: Desk, end: str) -> None:
    number = created(desk)
    assert desk.control("POST", f"subscriptions/{number}/fail-next")["failing"] == 1
    desk.control("POST", f"subscriptions/{number}/{end}")
    refused = desk.control("POST", f"subscriptions/{number}/fail-next")
    assert (refused["httpStatus"], "already: nothing happened" in refused["error"]) == (409, True)


def test_a_failed_charge_is_tried_again_and_only_the_last_is_told_of(desk: Desk) -> None:
    number = created(desk, plan_data(periods=2, unit="W"))
    activate(desk, number)
    assert desk.control("POST", f"subscriptions/{number}/fail-next", {"charges": 4})["failing"] == 4
    desk.clock.advance(7 * DAY + 3 * 21600 + 3 * 2)
    assert results(desk) == [(1, "SUCCESS")]
    period = shown(desk, number)["periods"][1]
    assert (period["status"], period["tries"]) == ("PENDING", 4)
    desk.clock.advance(2)
    assert results(desk) == [(1, "SUCCESS"), (2, "FAILED")]
    message = told(desk)[-1]
    assert (message["code"], message["msg"]) == ("PAYMENT_FAILED", "The payment failed on request.")
    last = message["data"]["subscriptionPaymentDetail"]["lastPaymentInfo"]
    assert (last["lastPaymentStatus"], last["errorCode"], "tradeToken" in last) == ("FAILED", "PAYMENT_FAILED", False)
    assert shown(desk, number)["subscriptionStatus"] == "FINISH"


def test_all_tries_lie_within_a_day(desk: Desk) -> None:
    number = created(desk, plan_data(Decimal("15"), periods=2, unit="W"))
    activate(desk, number, Decimal("15"))
    desk.clock.advance(8 * DAY)
    assert results(desk) == [(1, "SUCCESS"), (2, "FAILED")]
    assert shown(desk, number)["periods"][1]["tries"] == 4


def test_a_retry_that_succeeds_is_a_success(desk: Desk) -> None:
    number = created(desk)
    activate(desk, number)
    desk.control("POST", f"subscriptions/{number}/fail-next")
    desk.clock.advance(DAY + 2)
    assert results(desk) == [(1, "SUCCESS")]
    desk.clock.advance(21600 + 2)
    assert results(desk) == [(1, "SUCCESS"), (2, "SUCCESS")]
    assert shown(desk, number)["periods"][1]["tries"] == 2


def test_a_person_may_decide_a_charge_before_it_settles(desk: Desk) -> None:
    number = created(desk)
    activate(desk, number)
    desk.clock.advance(DAY)
    order = shown(desk, number)["periods"][1]["outTradeNo"]
    assert desk.control("POST", f"orders/{order}/fail")["status"] == "FAILED"
    desk.clock.advance(2)
    assert shown(desk, number)["periods"][1]["tries"] == 1
    desk.clock.advance(21600 + 2)
    assert results(desk) == [(1, "SUCCESS"), (2, "SUCCESS")]


def test_what_follows_a_failed_period_is_a_policy(open_desk: Callable[..., Desk]) -> None:
    for policy, status, told_of in (("continues", "ACTIVE", 3), ("terminates", "TERMINATE", 2)):
        desk = open_desk(plan_after_failed_period=policy, period_retries=0)
        start = desk.clock.now()
        number = created(desk, plan_data(periods=9))
        activate(desk, number)
        desk.control("POST", f"subscriptions/{number}/fail-next")
        desk.clock.advance(2 * DAY + 2)
        assert len(told(desk)) == told_of, start
        assert shown(desk, number)["subscriptionStatus"] == status


# Ending


@pytest.mark.parametrize(("action", "status"), [("cancel", "CANCEL"), ("terminate", "TERMINATE")])
@pytest.mark.parametrize("active", [False, True])
def test_a_plan_that_is_ended_charges_nothing_any_longer(desk: Desk, action: str, status: str, active: bool) -> None:
    number = created(desk)
    if active:
        activate(desk, number)
    assert desk.control("POST", f"subscriptions/{number}/{action}")["subscriptionStatus"] == status
    assert desk.control("POST", f"subscriptions/{number}/{action}")["httpStatus"] == 409
    desk.clock.advance(10 * DAY)
    assert results(desk) == ([(1, "SUCCESS")] if active else [])
    assert shown(desk, number)["subscriptionStatus"] == status
    assert desk.control("POST", f"subscriptions/SUB9/{action}")["httpStatus"] == 404


@pytest.mark.parametrize(("after", "status"), [(2, "CLOSED"), (2 + 21600, "PENDING")], ids=["waits", "is under way"])
def test_a_retry_that_waits_is_closed_with_its_plan_and_one_under_way_ends(desk: Desk, after: int, status: str) -> None:
    number = created(desk)
    activate(desk, number)
    desk.control("POST", f"subscriptions/{number}/fail-next")
    desk.clock.advance(DAY + after)
    ended = desk.control("POST", f"subscriptions/{number}/cancel")
    assert [period["status"] for period in ended["periods"]] == ["SUCCESS", status]
    desk.clock.advance(10 * DAY)
    assert results(desk) == [(1, "SUCCESS"), (2, "SUCCESS")][: 1 + (status == "PENDING")]


@pytest.mark.parametrize(("fails", "result"), [(0, "SUCCESS"), (1, "FAILED")])
def test_a_charge_that_is_under_way_ends_as_it_ends(desk: Desk, fails: int, result: str) -> None:
    number = created(desk)
    activate(desk, number)
    desk.control("POST", f"subscriptions/{number}/fail-next", {"charges": fails})
    desk.clock.advance(DAY)
    desk.control("POST", f"subscriptions/{number}/cancel")
    desk.clock.advance(10 * DAY)
    assert results(desk) == [(1, "SUCCESS"), (2, result)]


def test_a_plan_finishes_with_its_last_result_whichever_period_that_is(open_desk: Callable[..., Desk]) -> None:
    desk = open_desk(period_retries=4)  # the last one, after six hours each, comes after the next period's charge
    number = created(desk)
    activate(desk, number)
    desk.control("POST", f"subscriptions/{number}/fail-next", {"charges": 4})
    desk.clock.advance(2 * DAY + 4)
    assert results(desk) == [(1, "SUCCESS"), (3, "SUCCESS")]
    assert shown(desk, number)["subscriptionStatus"] == "ACTIVE"
    desk.clock.advance(DAY)
    assert results(desk) == [(1, "SUCCESS"), (3, "SUCCESS"), (2, "SUCCESS")]
    assert shown(desk, number)["subscriptionStatus"] == "FINISH"


# The whole life
