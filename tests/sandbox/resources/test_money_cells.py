"""The cells of money: order state x refund x dispute x token x plan x clock, each with its answer and its reason."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta
from decimal import Decimal
from functools import cache
from itertools import product
from typing import Any

import pytest

from paywright_runtime.clock import FixedClock
from paywright_runtime.contract import formats
from paywright_runtime.errors import ConfigurationError
from paywright_sandbox.engine.state.state import State
from paywright_sandbox.gateway import make_policies
from tests.sandbox.helpers.desk import Desk, bound, created, exchange, plan_data, shown_rate
from tests.support.pairs import Choose, in_part_or_whole

TEN, DAY = Decimal("10.00"), timedelta(days=1)
CENT = Decimal("0.01")

# What can still be refunded of a paid order of 10.00. A case disputes 3.00; a refund takes 4.00, or `all` that is left.
# Refunds: pending money is on its way and not there a second time; a failed refund gives back what it took.
# Disputes: an open one may take the money away and a lost one has; one that was won or cancelled takes nothing.
REFUNDS = ("none", "pending", "done", "failed", "all")
LEFT: dict[str, tuple[str, ...]] = {
    #             none     pending  done     failed   all      of refunds
    "none":      ("10.00", "6.00",  "6.00",  "10.00", "0.00"),
    "open":      ("7.00",  "3.00",  "3.00",  "7.00",  "0.00"),
    "won":       ("10.00", "6.00",  "6.00",  "10.00", "0.00"),
    "lost":      ("7.00",  "3.00",  "3.00",  "7.00",  "0.00"),
    "cancelled": ("10.00", "6.00",  "6.00",  "10.00", "0.00"),
}  # fmt: skip

# How the order came to be paid changes nothing of it: by whom, for what, and what has become of those since.
PAID_BY = {
    "a card": "an order like any other",
    "a token that was deleted since": "the money is there, whatever became of the token",
    "the order that activated a plan": "it is an order like any other",
    "the order of a plan that was cancelled since": "what was paid was paid",
    "a period of a plan": "every try of a period is an order [6.2: the tradeToken is for refunds]",
}

# The clock: refunds are possible within 180 days [4.13]; of disputes no window is shown.
CLOCKS = {timedelta(0): True, timedelta(days=180): True, timedelta(days=180, seconds=1): False}


def make(open_desk: Callable[..., Desk]) -> Desk:
    return open_desk(refund_settles_after=10**9, settles_after=0, case_freezes="balance", initial_balance="10000.00")


Paid = tuple[str, str, str]


@cache
def cells_of_paid_orders(choose: Choose) -> list[tuple[timedelta, *Paid]]:
    return choose(product(CLOCKS, PAID_BY, LEFT, REFUNDS), tuple)


def paid(desk: Desk, clock: FixedClock, every: list[Paid]) -> dict[Paid, str]:
    """A paid order for every cell, all created at the same moment, and what refunds and disputes have done to it."""
    cells: dict[Paid, str] = {}
    token = bound(desk)
    subscriptions: dict[int, str] = {}
    for number, (by, _, _) in enumerate(every):  # a period is charged a day after its plan was activated
        if by == "a period of a plan":
            subscriptions[number] = subscribed(desk, number, 2)
            activated(desk, f"ACT_{number}", subscriptions[number])
    clock.advance(DAY)
    for number, (by, dispute, refund) in enumerate(every):
        key = f"CELL_{number}"
        if by == "a period of a plan":
            key = desk.control("GET", f"subscriptions/{subscriptions[number]}")["periods"][1]["outTradeNo"]
        elif "plan" in by:
            plan = subscribed(desk, number, 2 if "cancelled" in by else 1)
            activated(desk, key, plan)
            if "cancelled" in by:
                assert desk.control("POST", f"subscriptions/{plan}/cancel")["httpStatus"] == 200
        else:
            detail = {"paymentTokenID": token} if "token" in by else {}
            desk.checkout(key, TEN, paymentDetail=detail)
            assert desk.control("POST", f"orders/{key}/pay")["status"] == "SUCCESS"
        cells[by, dispute, refund] = key
        disputed(desk, key, dispute, f"CB_{number}")
        refunded(desk, key, refund, f"REF_{number}", LEFT[dispute][0])
    assert desk.control("POST", f"tokens/{token}/delete")["httpStatus"] == 200
    return cells


def subscribed(desk: Desk, number: int, periods: int) -> str:
    return created(desk, plan_data(TEN, periods), f"SREQ_{number}")


def activated(desk: Desk, key: str, plan: str) -> None:
    desk.checkout(key, TEN, subscriptionPlan={"subscriptionNo": plan})
    assert desk.control("POST", f"orders/{key}/pay")["status"] == "SUCCESS"


def disputed(desk: Desk, key: str, how: str, case: str) -> None:
    if how == "none":
        return
    assert desk.control("POST", "cases", {"outTradeNo": key, "caseId": case, "amount": "3.00"})["httpStatus"] == 200
    moves = {
        "won": {"status": "DISPUTE_END", "caseResult": "WIN"},
        "lost": {"status": "DISPUTE_END", "caseResult": "FAI"},
        "cancelled": {"status": "CASE_CANCEL"},
    }
    if how in moves:
        assert desk.control("POST", f"cases/{case}", moves[how])["httpStatus"] == 200


def refunded(desk: Desk, key: str, how: str, number: str, left: str) -> None:
    if how == "none":
        return
    amount = Decimal(left) if how == "all" else Decimal("4.00")
    assert desk.refund(number, amount, outTradeNo=key)["code"] == "APPLY_SUCCESS"
    if how in ("done", "failed"):
        assert desk.control("POST", f"refunds/{number}/{'settle' if how == 'done' else 'fail'}")["httpStatus"] == 200


@in_part_or_whole
@pytest.mark.parametrize("after", CLOCKS)
def test_a_paid_order_gives_back_what_is_left_and_no_more(
    open_desk: Callable[..., Desk], clock: FixedClock, after: timedelta, choose: Choose
) -> None:
    desk = make(open_desk)
    first = accounts(desk)
    cells = paid(desk, clock, [cell for at, *cell in cells_of_paid_orders(choose) if at == after])
    clock.advance(after)
    in_time = CLOCKS[after]
    for number, ((_, dispute, refund), key) in enumerate(cells.items()):
        left = Decimal(LEFT[dispute][REFUNDS.index(refund)])
        assert Decimal(desk.control("GET", f"orders/{key}")["refundable"]) == left
        over = desk.refund(f"OVER_{number}", left + CENT, outTradeNo=key)["code"]
        assert over == ("REFUND_INSUFFICIENT_BALANCE" if in_time else "PARAMS_INVALID")
        case = {"outTradeNo": key, "caseId": f"MORE_{number}", "amount": format(left + CENT, "f")}
        assert desk.control("POST", "cases", case)["httpStatus"] in (400, 409)  # more than was paid, or than is left
        if not left:
            assert desk.control("POST", "cases", {"outTradeNo": key})["httpStatus"] == 409
        elif number % 2 and in_time:  # all that is left, by a refund or by a dispute, and then nothing is
            assert desk.refund(f"REST_{number}", left, outTradeNo=key)["code"] == "APPLY_SUCCESS"
        else:
            assert desk.control("POST", "cases", {"outTradeNo": key})["amount"] == format(left, "f")
        assert Decimal(desk.control("GET", f"orders/{key}")["refundable"]) == 0
    adds_up(desk, first)


# Whether an order that is not finished yet can be paid now, by what it was placed with.
TOKENS = {"none": True, "active": True, "deleted": False, "expired": False}  # what has ended pays nothing
PLANS = {
    "none": True, "waiting": True,
    "failed before": True,  # ACTIVE_FAILED: another order may activate it
    "activated by another": False,  # it would be paid for twice
    "cancelled": False, "terminated": False,
}  # fmt: skip
TIMES = {"in time": True, "too late": False}  # expireTime: the order is closed when not completed in time [4.1]


def cells_of_open_orders() -> Iterator[tuple[str, str, str, str]]:
    """Token, plan, time, and what comes of it: paid, open (it can be paid another way), or closed."""
    for token, plan, time in product(TOKENS, PLANS, TIMES):
        if not PLANS[plan] or not TIMES[time]:
            yield token, plan, time, "closed"
        else:
            yield token, plan, time, "paid" if TOKENS[token] else "open"


@pytest.mark.parametrize(("token", "plan", "time", "answer"), list(cells_of_open_orders()))
def test_every_cell_of_an_open_order_is_paid_or_is_not(
    open_desk: Callable[..., Desk], clock: FixedClock, token: str, plan: str, time: str, answer: str
) -> None:
    desk = open_desk(token_expires_after=600 if token == "expired" else 10**6)
    detail: dict[str, Any] = {}
    if token != "none":
        detail = {"paymentTokenID": bound(desk)}
    more: dict[str, Any] = {}
    if plan != "none":
        number = subscribed(desk, 1, 2)
        more = {"subscriptionPlan": {"subscriptionNo": number}}
    desk.checkout("ORD_1", TEN, paymentDetail=detail, expireTime="1800", **more)
    if plan == "failed before":
        desk.checkout("ORD_2", TEN, **more)
        assert desk.control("POST", "orders/ORD_2/fail")["status"] == "FAILED"
    elif plan == "activated by another":
        activated(desk, "ORD_2", number)
    elif plan in ("cancelled", "terminated"):
        how = {"cancelled": "cancel", "terminated": "terminate"}[plan]
        assert desk.control("POST", f"subscriptions/{number}/{how}")["httpStatus"] == 200
    if token == "deleted":
        assert desk.control("POST", f"tokens/{detail['paymentTokenID']}/delete")["httpStatus"] == 200
    clock.advance(timedelta(seconds=1799 if time == "in time" else 1800))
    for refused in (desk.refund("REF_1", CENT, outTradeNo="ORD_1")["code"] == "REFUND_INSUFFICIENT_BALANCE",
                    desk.control("POST", "cases", {"outTradeNo": "ORD_1"})["httpStatus"] == 409):  # fmt: skip
        assert refused  # nothing is paid: nothing can be given back
    paid_now = desk.control("POST", "orders/ORD_1/pay")
    assert paid_now["httpStatus"] == (200 if answer == "paid" else 409)
    status = {"paid": "SUCCESS", "open": "PENDING", "closed": "FAILED"}[answer]
    assert desk.query("ORD_1")["data"]["status"] == status
    if not PLANS[plan]:
        closed = desk.query("ORD_1")["data"]
        assert (closed["responseCode"], "cannot be activated" in closed["responseMsg"]) == ("ORDER_CLOSED", True)
    if answer == "open":
        assert desk.control("POST", "orders/ORD_1/pay", {"card": "5555555555554444"})["status"] == "SUCCESS"
    if plan in ("waiting", "failed before"):
        now = desk.control("GET", f"subscriptions/{number}")["subscriptionStatus"]
        assert now == ("ACTIVE" if answer != "closed" else "ACTIVE_FAILED" if plan == "failed before" else "INACTIVE")


# Whether a paid order can be returned: no amount is shown of a return, so it is the whole of the order, or nothing.
# What a refund has taken, or may, is not given back a second time; nor what a case disputes, or has lost. A refund that
# failed and a case that was won or cancelled have taken nothing. How it was paid changes nothing, and no time limit is shown.
RETURNS = {(dispute, refund): left[REFUNDS.index(refund)] == "10.00" for dispute, left in LEFT.items() for refund in REFUNDS}  # fmt: skip


@in_part_or_whole
@pytest.mark.parametrize("after", CLOCKS)
def test_a_paid_order_is_bounced_whole_or_not_at_all(
    open_desk: Callable[..., Desk], clock: FixedClock, after: timedelta, choose: Choose
) -> None:
    desk = make(open_desk)
    first = accounts(desk)
    cells = paid(desk, clock, [cell for at, *cell in cells_of_paid_orders(choose) if at == after])
    before = {
        row["outTradeNo"]: desk.query(row["outTradeNo"])["data"] for row in desk.control("GET", "orders")["orders"]
    }
    plans, held = desk.control("GET", "subscriptions"), accounts(desk)
    assert {cell for cell, returns in RETURNS.items() if returns} == set(
        product(("none", "won", "cancelled"), ("none", "failed"))
    )
    clock.advance(after)
    for number, ((_, dispute, refund), key) in enumerate(cells.items()):
        shown = desk.control("GET", f"orders/{key}")
        answer = desk.control("POST", f"orders/{key}/bounce")
        found = desk.query(key)["data"]
        if not RETURNS[dispute, refund]:
            assert answer["httpStatus"] == 409
            assert (desk.control("GET", f"orders/{key}"), found) == (shown, before[key])
            continue
        assert (answer["status"], answer["refundable"]) == ("BOUNCEBACK", "0")
        assert answer["finishedAt"] == shown["finishedAt"] < answer["bouncedAt"] or not after
        assert found == before[key] | {"status": "BOUNCEBACK", "bounceBackTime": formats.write_zoned_time(clock.now())}
        # It is over: nothing of it is given back a second time, and it is not paid again.
        for act in ("pay", "fail", "close", "bounce"):
            assert desk.control("POST", f"orders/{key}/{act}")["httpStatus"] == 409
        assert desk.refund(f"AGAIN_{number}", CENT, outTradeNo=key)["code"] == "REFUND_INSUFFICIENT_BALANCE"
        assert desk.control("POST", "cases", {"outTradeNo": key})["httpStatus"] == 409
    assert accounts(desk) == held  # what paid orders earn is not in the balances: what is returned does not leave them
    adds_up(desk, first)
    if not after:
        assert desk.control("GET", "subscriptions") == plans  # what was paid for stays as it was, as with a refund


def test_disputed_money_is_not_returned(desk: Desk) -> None:
    desk.paid("ORD_1", TEN)
    disputed(desk, "ORD_1", "open", "CB_1")
    assert desk.control("POST", "orders/ORD_1/bounce")["httpStatus"] == 409


@pytest.mark.parametrize("how", [None, "fail", "close"])
def test_an_order_that_is_not_paid_is_not_returned(desk: Desk, how: str | None) -> None:
    desk.checkout("ORD_1", TEN)
    if how:
        desk.control("POST", f"orders/ORD_1/{how}")
    answer = desk.control("POST", "orders/ORD_1/bounce")
    assert (answer["httpStatus"], "not paid" in answer["error"]) == (409, True)
    assert desk.query("ORD_1")["data"]["status"] == ("FAILED" if how else "PENDING")
    assert desk.control("POST", "orders/ORD_2/bounce")["httpStatus"] == 404


def test_an_order_that_was_never_paid_cannot_be_said_to_be_returned() -> None:
    with pytest.raises(ConfigurationError, match="closed-order-status must be one of FAILED, CLOSED"):
        make_policies({"closed-order-status": "BOUNCEBACK"})


def test_an_order_that_cost_nothing_has_nothing_to_return(desk: Desk) -> None:
    free = {"trialConfig": {"trialAmount": {"amount": Decimal(0), "currency": "USD"}, "trialDays": 7}}
    number = created(desk, plan_data(TEN, **free))
    desk.checkout("ORD_1", Decimal(0), subscriptionPlan={"subscriptionNo": number})
    assert desk.control("POST", "orders/ORD_1/pay")["status"] == "SUCCESS"
    assert desk.control("POST", "orders/ORD_1/bounce")["httpStatus"] == 409


@pytest.mark.parametrize(("policy", "told"), [("none", []), ("payment", ["BOUNCEBACK"])])
def test_a_return_is_told_of_by_policy(open_desk: Callable[..., Desk], policy: str, told: list[str]) -> None:
    desk = open_desk(bounce_notice=policy)
    desk.paid("ORD_1", TEN, notifyUrl="http://127.0.0.1:9/orders")
    assert desk.control("POST", "orders/ORD_1/bounce")["httpStatus"] == 200
    sent = desk.control("GET", "notifications")["notifications"]
    bodies = [
        desk.control("GET", f"notifications/{one['id']}")["body"] for one in sorted(sent, key=lambda one: one["id"])
    ]
    assert [(body["notifyType"], body["data"]["status"]) for body in bodies] == [
        ("PAYMENT", status) for status in ("SUCCESS", *told)
    ]


def query_link(desk: Desk, number: str) -> dict[str, Any]:
    message = desk.envelope("payment_links.query", {"merchantLinkId": number}, merchantAppId=desk.app_id)
    del message["appId"]
    return desk.send("payment_links.query", message)


@pytest.mark.parametrize("payments", ["many", "one"])
def test_a_link_shows_a_returned_payment_as_paid(open_desk: Callable[..., Desk], payments: str) -> None:
    desk = open_desk(link_payments=payments)
    made = {"merchantLinkId": "ML_1", "amount": "10.00", "currency": "USD", "country": "SG", "description": "A mug"}
    link = desk.control("POST", "links", made)["linkId"]
    opened = desk.control("POST", f"links/{link}/open", {"userId": "user_1"})["outTradeNo"]
    desk.control("POST", f"orders/{opened}/pay")
    paid_once = query_link(desk, "ML_1")
    assert paid_once["data"]["payByLinkInfo"][0]["status"] == "SUCCESS"
    assert desk.control("POST", f"orders/{opened}/bounce")["status"] == "BOUNCEBACK"
    assert query_link(desk, "ML_1") == paid_once
    again = desk.control("POST", f"links/{link}/open", {"userId": "user_2"})["httpStatus"]
    assert again == {"many": 200, "one": 409}[payments]


@pytest.mark.parametrize("how", ["fail", "close"])
def test_an_order_that_failed_or_was_closed_gives_nothing_back_and_is_never_paid(desk: Desk, how: str) -> None:
    desk.checkout("ORD_1", TEN)
    desk.control("POST", f"orders/ORD_1/{how}")
    for act in ("pay", "fail", "close"):
        assert desk.control("POST", f"orders/ORD_1/{act}")["httpStatus"] == 409
    assert desk.control("GET", "orders/ORD_1")["refundable"] == "0"
    assert desk.refund("REF_1", CENT, outTradeNo="ORD_1")["code"] == "REFUND_INSUFFICIENT_BALANCE"
    assert desk.control("POST", "cases", {"outTradeNo": "ORD_1"})["httpStatus"] == 409


# What an order must cost to activate a plan; where its first period begins later, nothing, or this period beforehand.
TRIAL = {"trialConfig": {"trialAmount": {"amount": Decimal("1.00"), "currency": "USD"}, "trialDays": 7}}
OFFER = {"trialPeriodConfig": {"trialPeriodCount": 1, "trialPeriodAmount": {"amount": Decimal("2.00"), "currency": "USD"}}}  # fmt: skip
LATER, EARLIER = ({"firstPeriodStartDate": f"2025-0{month}-01T12:00:00+00:00"} for month in (7, 5))
DUE: list[tuple[dict[str, Any], str, str]] = [
    ({}, "10.00", "the first period begins with the activation, and is paid by it"),
    (TRIAL, "1.00", "the trial is paid, the first period follows it"),
    (OFFER, "2.00", "the first period is one of the promotion"),
    (TRIAL | OFFER, "1.00", "the trial comes first"),
    (EARLIER, "10.00", "the first period's date is past: it begins now"),
    (LATER, "0 10.00", "nothing is due before the first period, which may be paid beforehand"),
    (LATER | TRIAL, "1.00", "the trial is paid, whenever the first period begins"),
]


@pytest.mark.parametrize(("terms", "due", "reason"), DUE)
def test_a_plans_cost_activates(open_desk: Callable[..., Desk], terms: dict[str, Any], due: str, reason: str) -> None:
    for policy, amounts in (("refused", ("10.00", "2.00", "1.00", "0", "3.33")), ("any", ("3.33",))):
        desk = open_desk(activation_amount=policy)
        number = created(desk, plan_data(TEN, **terms))
        for place, amount in enumerate(amounts):
            answer = desk.checkout(f"ACT_{place}", Decimal(amount), subscriptionPlan={"subscriptionNo": number})
            fits = amount in due.split() or policy == "any"
            assert answer["code"] == ("APPLY_SUCCESS" if fits else "PARAMS_INVALID"), (reason, amount)
            assert fits or "activation-amount" in answer["msg"]


def test_an_order_placed_before_the_first_periods_date_does_not_pay_that_period(desk: Desk, clock: FixedClock) -> None:
    number = ""
    for key, amount in (("SREQ_1", Decimal(0)), ("SREQ_2", TEN)):
        number = created(desk, plan_data(TEN, 2, firstPeriodStartDate="2025-06-01T12:30:00+00:00"), key)
        assert desk.checkout(key, amount, subscriptionPlan={"subscriptionNo": number})["code"] == "APPLY_SUCCESS"
    clock.advance(timedelta(hours=1))
    for plan, tries in (("SREQ_1", "SO"), ("SREQ_2", "SREQ_2")):
        assert desk.control("POST", f"orders/{plan}/pay")["status"] == "SUCCESS"
        clock.advance(timedelta(seconds=5))
        found = desk.control("GET", "subscriptions")["subscriptions"]
        (period,) = next(one["periods"] for one in found if one["subscriptionRequestId"] == plan)
        assert (period["status"], period["amount"]) == ("SUCCESS", "10.00")
        assert period["outTradeNo"].startswith(tries)  # charged by the clock, or paid by the order of its amount


# Balances


def accounts(desk: Desk) -> dict[tuple[str, str], Decimal]:
    found = desk.control("GET", "balances")["balances"]
    return {(app, currency): Decimal(amount) for app, held in found.items() for currency, amount in held.items()}


def adds_up(desk: Desk, first: dict[tuple[str, str], Decimal]) -> None:
    """Every balance is what the events make of what it was at first."""
    held = accounts(desk)  # and what was due has happened
    with desk.engine.store.transaction() as state:
        worked_out = balances_from_events(state, first)
    assert held == worked_out
    assert all(amount >= 0 for amount in worked_out.values())


# Rates


@pytest.mark.parametrize("locked", ["on", "off"])
@pytest.mark.parametrize("side", ["BUY", "SELL"])
def test_without_a_version_the_rate(open_desk: Callable[..., Desk], clock: FixedClock, locked: str, side: str) -> None:
    desk = open_desk(locked_rates=locked)
    for number in range(3):
        told = shown_rate(desk, "PAY_IN", side, "EURUSD")
        made = exchange(desk, f"EXC_{number}", "EURUSD", side, "100.00")["data"]
        assert (Decimal(made["rate"]), made["rateVersion"]) == (told["rate"], told["rateReferenceId"])
        clock.advance(timedelta(hours=13))


@pytest.mark.parametrize("times", [1, 10])
@pytest.mark.parametrize("pair", ["EURUSD", "USDEUR", "KWDUSD", "JPYUSD", "USDKRW"])
def test_no_way_there_and_back_makes_money(desk: Desk, pair: str, times: int) -> None:
    """At once or in ten small steps, in either pair and either direction."""
    back = pair[3:] + pair[:3]
    for currency in (pair[:3], pair[3:]):
        assert desk.control("POST", "balances", {"currency": currency, "amount": "100000000"})["httpStatus"] == 200
    amounts = ["1", "2", "3", "70"] if pair == "JPYUSD" else ["0.01", "0.02", "0.03", "0.05", "0.33", "7.77", "999.99"]
    for amount in amounts:
        sold = [exchange(desk, f"SOLD_{amount}_{number}", pair, "SELL", amount) for number in range(times)]
        got = sum(Decimal(one["data"]["targetAmount"]) for one in sold if one["code"] == "APPLY_SUCCESS")
        spent = Decimal(amount) * sum(one["code"] == "APPLY_SUCCESS" for one in sold)
        if not spent:
            continue
        bought = exchange(desk, f"BOUGHT_{amount}", pair, "BUY", format(spent, "f"))
        assert Decimal(bought["data"]["targetAmount"]) >= got  # the same bought back costs no less
        brought = exchange(desk, f"BACK_{amount}", back, "SELL", format(got, "f"))
        came = Decimal(brought["data"]["targetAmount"]) if brought["code"] == "APPLY_SUCCESS" else Decimal(0)
        assert came <= spent  # what it brought, sold again, brings no more


# Amounts and addresses


def test_bills_have_the_decimals_that_every_amount_has(open_desk: Callable[..., Desk]) -> None:
    desk = open_desk()
    merchant = desk.engine.settings.merchants[0]
    address = {"bill-payment-validation-url": "http://127.0.0.1:9/bill"}
    desk.engine.settings.merchants = (type(merchant)(merchant.numbers, merchant.public, address),)
    ask = {"referenceNo": "BILL_1", "amount": "100.001"}
    refused = desk.control("POST", "bill-payments", ask)
    assert (refused["httpStatus"], "decimal places" in refused["error"]) == (400, True)
    assert desk.control("GET", "bill-payments")["billPayments"] == []
    desk.engine.settings.policies = open_desk(decimals="any").engine.settings.policies
    assert desk.control("POST", "bill-payments", ask)["status"] == "UNANSWERED"


def test_a_withdrawal_names_the_address_that_its_end_is_told_to(desk: Desk) -> None:
    other = desk.another(callBackUrl="http://127.0.0.1:9/ends", memberId="MB0000000000002")
    body = {"merchant": "app_2", "outTradeNo": "WD_1", "transactionCurrency": "USD", "transactionAmount": "5.00"}
    assert desk.control("POST", "withdrawals", body)["callBackUrl"] == "http://127.0.0.1:9/ends"
    desk.clock.advance(timedelta(seconds=2))
    found = other.call("withdrawals.query", {"outTradeNo": "WD_1"}, memberId="MB0000000000002")
    (told,) = desk.control("GET", "notifications")["notifications"]
    assert found["data"]["callBackUrl"] == told["url"]
    own = desk.control("POST", "withdrawals", body | {"outTradeNo": "WD_2", "callBackUrl": "http://127.0.0.1:9/own"})
    assert own["callBackUrl"] == "http://127.0.0.1:9/own"


OVER = ("DISPUTE_END", "CASE_CLOSED", "CASE_CANCEL")
_KINDS = (
    "balance.credited", "exchange.created", "exchange.success", "exchange.failed", "withdrawal.created", "withdraw.finished",
    "case.opened", "case.moved",
)  # fmt: skip

Account = tuple[str, str]


def balances_from_events(state: State, first: Mapping[Account, Decimal]) -> dict[Account, Decimal]:
    """The balances by (app id, currency), from what they were at first and what happened since."""
    found = dict(first)
    paid: dict[tuple[str, str, str], tuple[Account, Decimal]] = {}
    bought: dict[tuple[str, str, str], tuple[Account, Decimal]] = {}

    def add(account: Account, amount: Decimal) -> None:
        found[account] += amount

    marks = ", ".join("?" * len(_KINDS))
    for row in state.all(f"SELECT kind, subject, detail FROM events WHERE kind IN ({marks}) ORDER BY seq", *_KINDS):
        detail: dict[str, Any] = json.loads(bytes(row["detail"]))  # type: ignore[arg-type]  # a blob
        kind, whose = str(row["kind"]), str(detail["merchant"])
        thing = (kind[:5], whose, str(row["subject"]))  # withdraw and withdrawal are one
        if kind == "balance.credited":
            add((whose, detail["currency"]), Decimal(detail["amount"]))
        elif kind == "exchange.created":
            sides = [
                ((whose, detail["pair"][:3]), Decimal(detail["amount"])),
                ((whose, detail["pair"][3:]), Decimal(detail["target"])),
            ]
            paid[thing], bought[thing] = sides if detail["side"] == "SELL" else sides[::-1]
            add(paid[thing][0], -paid[thing][1])
        elif kind == "exchange.success":
            add(*bought[thing])
        elif kind == "exchange.failed" and thing in paid:  # one that was refused at once has taken nothing
            add(*paid.pop(thing))
        elif kind == "withdrawal.created":
            paid[thing] = (whose, detail["currency"]), Decimal(detail["amount"]) + Decimal(detail["fee"])
            add(paid[thing][0], -paid[thing][1])
        elif kind == "withdraw.finished" and detail["status"] == "FAILED":
            add(*paid.pop(thing))
        elif kind == "case.opened" and detail["frozen"] is not None:
            paid[thing] = (whose, detail["currency"]), Decimal(detail["frozen"])
            add(paid[thing][0], -paid[thing][1])
        elif kind == "case.moved" and detail["status"] in OVER and detail["result"] != "FAI" and thing in paid:
            add(*paid.pop(thing))
    return found
