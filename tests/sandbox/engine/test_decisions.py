"""The header X-Sandbox-Policy: every policy that decided an answer, in order, for refusals too."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from tests.sandbox.helpers.desk import Desk, bound, checkout_data, create, created, exchange, listed, plan_data
from tests.sandbox.resources.test_rates import rates
from tests.sandbox.resources.test_snap import Snap
from tests.sandbox.resources.test_subscriptions import BOTH
from tests.sandbox.resources.test_tokens import dropped_in, inquired

DATA = checkout_data("ORD_1")
TRIMMED = "2025-06-01T12:00:00Z"
QUERY = {"outTradeNo": "ORD_1"}


def placed(**root: Any) -> Callable[[Desk], object]:
    return lambda desk: desk.call("orders.checkout", DATA, **root)


def repeated(desk: Desk) -> None:
    desk.checkout("ORD_1")
    desk.call("orders.checkout", DATA, version="9.9")


def refunded_beside_a_case(amount: int) -> Callable[[Desk], object]:
    def refund(desk: Desk) -> None:
        desk.paid("ORD_1")
        desk.control("POST", "cases", {"outTradeNo": "ORD_1", "amount": "8.00"})
        desk.refund("REF_1", amount, outTradeNo="ORD_1")

    return refund


def cancelled_beside_a_case(desk: Desk) -> None:
    desk.paid("ORD_1")
    desk.control("POST", "cases", {"outTradeNo": "ORD_1"})
    assert Snap(desk).cancel("ORD_1")["responseCode"] == "4035715"  # nothing was refunded, so that it says no


def looked_for(look: Callable[..., object], **tokens: Any) -> Callable[[Desk], object]:
    def inquire(desk: Desk) -> None:
        dropped_in(desk, "BIND", tokenForFutureUse=True, **tokens)
        look(desk)

    return inquire


def paid_by_another_card(desk: Desk) -> None:
    detail = {"paymentTokenID": bound(desk), "merchantInitiated": True, "allowedCardOrg": ["AMEX"]}
    desk.checkout("ORD_1", paymentDetail=detail)


def queried(act: str, query: Callable[[Desk], object] = lambda desk: desk.query("ORD_1")) -> Callable[[Desk], object]:
    """Of an order that somebody has closed, failed or bounced."""

    def ask(desk: Desk) -> None:
        (desk.paid if act == "bounce" else desk.checkout)("ORD_1")
        desk.control("POST", f"orders/ORD_1/{act}")
        query(desk)

    return ask


def exchanged_before(desk: Desk) -> None:
    exchange(desk, "ORD_1", "EURUSD", "SELL", "9.99")
    desk.call("exchanges.query", QUERY)


def cancelled(desk: Desk) -> None:
    desk.paid("ORD_1")
    Snap(desk).cancel("ORD_1")


def activated(amount: Any, **more: Any) -> Callable[[Desk], object]:
    return lambda desk: desk.checkout("ORD_1", amount, subscriptionPlan={"subscriptionNo": created(desk)}, **more)


def activated_before_its_start(amount: Any) -> Callable[[Desk], object]:
    asked = plan_data(periods=2, firstPeriodStartDate="2025-06-06T12:00:00+00:00")
    return lambda desk: desk.checkout("ORD_1", amount, subscriptionPlan={"subscriptionNo": created(desk, asked)})


VA = {"country": "SG", "paymentDetail": {"paymentMethodType": "VA"}}
MANY = {"trialConfig": {"trialAmount": {"amount": 1, "currency": "USD"}, "trialDays": 3661}}
QR = {"country": "ID", "paymentDetail": {"paymentMethodType": "QRIS"}}
CELLS: list[tuple[dict[str, object], Callable[[Desk], object], str | None]] = [
    # What is let pass is named with whatever becomes of the request
    ({}, placed(), None),
    ({}, placed(version="9.9"), "request-version"),
    ({}, repeated, "request-version, repeat"),
    ({}, lambda desk: desk.call("orders.checkout", {**DATA, "currency": "usd"}, version="9"), "request-version, invalid-request"),
    ({}, lambda desk: desk.call("orders.checkout", {**DATA, "a": 1}, version="9"), "request-version, unknown-members"),
    ({}, lambda desk: desk.call("orders.query", QUERY, version="9.9"), "request-version"),
    ({}, lambda desk: desk.call("exchanges.query", QUERY, version="9.9"), "request-version, absent"),
    ({"request_version": "known"}, placed(version="9.9"), "request-version, invalid-request"),
    ({}, placed(requestTime=TRIMMED), "request-time-format, invalid-request"),
    ({"request_time_format": "rfc-3339"}, placed(requestTime=TRIMMED), "request-time-format"),
    ({"request_time_format": "rfc-3339"}, placed(requestTime=TRIMMED, version="9"), "request-version, request-time-format"),
    ({"snap_signature": "any"}, lambda desk: Snap(desk).status("ORD_1"), "snap-signature, absent"),
    # Refusals name what decided, and of which policy the code is
    ({}, lambda desk: desk.checkout("ORD_1", Decimal("1.005")), "decimals, invalid-request"),
    ({}, lambda desk: desk.checkout("ORD_1", Decimal("1.000000001")), "decimals, invalid-request"),
    ({}, lambda desk: desk.checkout("ORD_1", subject=" "), "empty-texts, invalid-request"),
    ({"empty_texts": "taken"}, lambda desk: desk.checkout("ORD_1", subject=" "), "empty-texts"),
    ({"decimals": "any"}, lambda desk: desk.checkout("ORD_1", Decimal("1.005")), "decimals"),
    ({"largest_amount": "10"}, placed(), "largest-amount, amount-limit"),
    ({}, activated(Decimal("9.90"), **QR), "plan-paid-by-code, invalid-request"),
    ({}, activated(1), "activation-amount, invalid-request"),
    ({"activation_amount": "any"}, activated(1), "activation-amount"),
    ({}, activated(Decimal("9.90")), None),
    ({}, refunded_beside_a_case(3), "refund-over-rest"),
    ({}, refunded_beside_a_case(11), "refund-over-rest"),
    ({"snap_cancel_of_paid": "refund"}, cancelled_beside_a_case, "snap-cancel-of-paid"),
    ({"activation_pays": "nothing"}, activated(1), "activation-pays"),
    ({}, activated_before_its_start(0), "activation-before-start"),
    ({}, activated_before_its_start(1), "activation-before-start, activation-amount, invalid-request"),
    ({}, lambda desk: create(desk, asked=plan_data() | BOTH), "unclear-plan"),
    ({"unclear_plan": "refused"}, lambda desk: create(desk, asked=plan_data() | BOTH), "unclear-plan, invalid-request"),
    ({}, lambda desk: create(desk, asked=plan_data() | MANY), "plan-limits, invalid-request"),
    ({"plan_limits": "taken"}, lambda desk: create(desk, asked=plan_data() | MANY), "plan-limits"),
    ({}, paid_by_another_card, "card-not-allowed, payment-token-refused"),
    ({"card_not_allowed": "paid"}, paid_by_another_card, "card-not-allowed"),
    ({}, lambda desk: exchange(desk, "EXC_1", "JPYUSD", "SELL", "0"), "invalid-request"),
    ({}, lambda desk: exchange(desk, "EXC_1", "KRWUSD", "SELL", "1"), "exchange-rounding, amount-limit"),
    # What becomes of an order, by its amount, and by what somebody does to it
    *(({}, lambda desk, amount=amount: desk.drop_in("ORD_1", Decimal(amount)), named)
      for amount, named in (("15", "fails-at"), ("60.00", "pends-at"), ("222", "challenges-at"), ("1", None))),
    ({}, queried("close"), "closed-order-status"),
    ({}, queried("fail"), None),
    ({}, queried("bounce", lambda desk: Snap(desk).status("ORD_1")), "snap-status-of-bounced"),
    ({}, queried("fail", lambda desk: Snap(desk).status("ORD_1")), None),
    ({"snap_cancel_of_paid": "refund"}, cancelled, "snap-cancel-of-paid"),
    ({"snap_cancel_of_paid": "refuse"}, cancelled, "snap-cancel-of-paid"),
    # Values that the specification does not show
    ({}, lambda desk: desk.checkout("ORD_1", **QR), "qr-methods"),
    ({}, lambda desk: exchange(desk, "EXC_1", "EURUSD", "SELL", "9.99"), "exchange-rounding, rate-time"),
    ({}, lambda desk: rates(desk, ("EUR", "USD", "BUY")), "locked-rates"),
    ({}, lambda desk: rates(desk, ("EUR", "USD", "BUY"), product="PAY_OUT"), None),
    ({}, lambda desk: desk.checkout("ORD_1", **VA), "virtual-account-methods"),
    ({}, exchanged_before, "rate-time"),
    ({}, looked_for(listed, sessionKey="sandbox:CARD:VISA"), "token-asks-cvv"),
    ({}, looked_for(inquired, sessionKey="sandbox:CARD:VISA"), "token-asks-cvv"),
    ({}, looked_for(listed, sessionKey="sandbox:WALLET:GCASH"), None),
]  # fmt: skip


@pytest.mark.parametrize(("policies", "call", "named"), CELLS)
def test_every_policy_that_decided_is_named_in_order(
    open_desk: Callable[..., Desk], policies: dict[str, object], call: Callable[[Desk], object], named: str | None
) -> None:
    desk = open_desk(**policies)
    call(desk)
    assert desk.policy == named


def test_a_time_in_another_form_is_refused_by_the_name_of_its_policy(desk: Desk) -> None:
    msg = desk.call("orders.checkout", DATA, requestTime=TRIMMED)["msg"]
    assert (
        msg
        == "/requestTime must be yyyy-MM-dd'T'HH:mm:ss.SSSXXX, like 2025-02-26T12:00:00.000+00:00 (policy request-time-format)"
    )


def test_a_time_that_is_none_is_refused_by_the_form_that_is_taken(open_desk: Callable[..., Desk]) -> None:
    desk = open_desk(request_time_format="rfc-3339")
    msg = desk.call("orders.checkout", DATA, requestTime="2025-06-01 12:00")["msg"]
    assert msg == "/requestTime must be RFC 3339 with an offset (policy request-time-format)"


def test_a_fault_before_the_commit_names_the_policies_of_the_answer_that_is_told(desk: Desk) -> None:
    desk.control("POST", "faults", {"kind": "cut", "when": "before", "times": 1})
    assert "qrCodeUrl" in desk.checkout("ORD_1", **QR)["data"]
    assert desk.policy == "qr-methods"
    assert desk.query("ORD_1")["code"] == "ORDER_NOT_EXIST"
