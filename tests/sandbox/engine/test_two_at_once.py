"""What belongs to one payer, one workspace, one token or one plan is never taken for another's, and money goes back once."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

from paywright_runtime.clock import FixedClock
from paywright_sandbox.delivery import http_client
from paywright_sandbox.engine.merchant import RegisteredMerchant
from paywright_sandbox.resources.orders.payer_actions import order_of, press
from tests.sandbox.helpers.desk import Desk, bound, created, listed, plan_data
from tests.sandbox.helpers.merchant_server import Got, MerchantServer, merchant_server

TEN = Decimal("10.00")
MASTERCARD = "5555 5555 5555 4444"

# Links


def make_link(desk: Desk) -> str:
    body = {"merchantLinkId": "ML_1", "amount": "10.00", "currency": "USD", "country": "SG", "description": "A mug"}
    return str(desk.control("POST", "links", body)["linkId"])


def open_link(desk: Desk, link: str, **payer: str) -> str:
    return str(desk.control("POST", f"links/{link}/open", payer)["outTradeNo"])


def transactions(desk: Desk) -> list[tuple[str, dict[str, str] | None]]:
    found = desk.call("payment_links.query", {"merchantLinkId": "ML_1"}, merchantAppId="app_sandbox_1")["data"]
    return [(one["status"], one.get("userInfo")) for one in found["payByLinkInfo"]]


def test_payers_of_a_link_have_orders_of_their_own(desk: Desk) -> None:
    link = make_link(desk)
    ana, ben = (open_link(desk, link, userId=name.lower(), userName=name) for name in ("Ana", "Ben"))
    somebody, else_ = open_link(desk, link), open_link(desk, link)
    assert len({ana, ben, somebody, else_}) == 4
    assert open_link(desk, link, userId="ana") == ana  # hers is still open
    for key in (ben, ana):
        assert desk.control("POST", f"orders/{key}/pay")["status"] == "SUCCESS"
    *known, third, fourth = transactions(desk)
    assert known == [("SUCCESS", {"userId": "ana", "userName": "Ana"}), ("SUCCESS", {"userId": "ben", "userName": "Ben"})]  # fmt: skip
    assert third[0] == fourth[0] == "PENDING"
    assert third[1] != fourth[1]  # two who wait can be told apart, whoever they are


def test_a_link_that_is_paid_once_closes_the_orders_of_all_others(open_desk: Callable[..., Desk]) -> None:
    desk = open_desk(link_payments="one")
    link = make_link(desk)
    ana, ben = (open_link(desk, link, userId=name) for name in ("ana", "ben"))
    assert desk.control("POST", f"orders/{ben}/pay")["status"] == "SUCCESS"
    assert desk.control("POST", f"orders/{ana}/pay")["httpStatus"] == 409
    assert [status for status, _ in transactions(desk)] == ["CLOSE", "SUCCESS"]
    assert desk.control("POST", f"links/{link}/open")["httpStatus"] == 409


@pytest.mark.parametrize("ends", ["fail", "close"])
def test_a_link_that_is_paid_once_stays_open_while_nobody_has_paid(open_desk: Callable[..., Desk], ends: str) -> None:
    desk = open_desk(link_payments="one")
    link = make_link(desk)
    ana, ben = (open_link(desk, link, userId=name) for name in ("ana", "ben"))
    assert desk.control("POST", f"orders/{ana}/{ends}")["httpStatus"] == 200
    assert desk.control("POST", f"orders/{ben}/pay")["status"] == "SUCCESS"


# Bills


class Slow(MerchantServer):
    """Answers a question when it is told to."""

    def take(self, got: Got) -> tuple[int, bytes]:
        self.got.append(got)
        self.asked.set()
        assert self.may_answer.wait(600)
        said = {
            "referenceNo": got.body["referenceNo"],
            "minAmount": 1, "maxAmount": 5000, "currency": "PHP", "confirmation": "Y",
        }  # fmt: skip
        return 200, json.dumps({"code": "SUCCESS", "msg": "Success", "data": said}).encode()

    asked: Event
    may_answer: Event


def test_an_answer_from_before_a_reset_is_void(desk: Desk, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_client, "attempt_seconds", lambda _: 100.0)
    with merchant_server(folder / "keys" / "gateway.pub", Slow) as server:
        assert isinstance(server, Slow)
        server.asked, server.may_answer = Event(), Event()
        (mine,) = desk.engine.settings.merchants
        addresses = {"bill-payment-validation-url": server.url}
        desk.engine.settings.merchants = (
            RegisteredMerchant(mine.numbers, mine.public, addresses, secrets=mine.secrets),
        )
        answers: list[dict[str, Any]] = []
        body = {"referenceNo": "BILL_1", "amount": "100.00"}
        threads = [Thread(target=lambda: answers.append(desk.control("POST", "bill-payments", body))) for _ in range(2)]
        threads[0].start()
        assert server.asked.wait(600)
        assert desk.control("POST", "reset")["reset"]
        server.asked.clear()
        threads[1].start()
        assert server.asked.wait(600)  # the second question, about a row of the same number
        server.may_answer.set()
        for thread in threads:
            thread.join(600)
    statuses = sorted((answer["httpStatus"], answer.get("status", "")) for answer in answers)
    assert statuses == [(200, "PAID"), (409, "")]
    (bill,) = desk.control("GET", "bill-payments")["billPayments"]
    assert bill["status"] == "PAID"


# Tokens


def ended(desk: Desk, clock: FixedClock, token: str, how: str) -> None:
    if how == "Deleted":
        assert desk.control("POST", f"tokens/{token}/delete")["httpStatus"] == 200
    else:
        clock.advance(timedelta(seconds=100))


@pytest.mark.parametrize("how", ["Deleted", "Expired"])
@pytest.mark.parametrize(("policy", "status"), [("refused", "PENDING"), ("fails", "FAILED"), ("paid", "SUCCESS")])
def test_an_order_is_not_paid_by_a_token_that_has_ended(
    open_desk: Callable[..., Desk], clock: FixedClock, how: str, policy: str, status: str
) -> None:
    desk = open_desk(payment_token_gone=policy, token_expires_after=100)
    token = bound(desk)
    desk.checkout("ORD_1", TEN, paymentDetail={"paymentTokenID": token})
    ended(desk, clock, token, how)
    answer = desk.control("POST", "orders/ORD_1/pay")
    assert answer["httpStatus"] == (409 if policy == "refused" else 200)
    assert desk.query("ORD_1")["data"]["status"] == status
    if policy == "refused":
        assert how in answer["error"]
        assert desk.control("POST", "orders/ORD_1/pay", {"card": MASTERCARD})["card"] == "555555******4444"


@pytest.mark.parametrize("how", ["Deleted", "Expired"])
def test_a_plan_charges_no_ended_token(open_desk: Callable[..., Desk], clock: FixedClock, how: str) -> None:
    desk = open_desk(token_expires_after=100, period_retries=0)
    token = bound(desk)
    number = created(desk, plan_data(TEN))
    activate(desk, "ACT_1", number, paymentDetail={"paymentTokenID": token})
    assert desk.control("POST", "orders/ACT_1/pay")["status"] == "SUCCESS"
    ended(desk, clock, token, how)
    clock.advance(timedelta(days=1, seconds=10))
    assert periods(desk, number) == ["SUCCESS", "FAILED"]
    order = desk.control("GET", f"subscriptions/{number}")["periods"][1]["outTradeNo"]
    assert how in desk.query(order)["data"]["responseMsg"]


def test_a_new_card_chosen_at_the_cashier_is_saved_and_the_old_one_stays(desk: Desk) -> None:
    token = bound(desk)
    link = desk.checkout("ORD_1", TEN, paymentDetail={"paymentTokenID": token, "tokenForFutureUse": True})
    trade_token = link["data"]["tradeToken"]
    with desk.engine.transaction() as context:
        order = order_of(context, trade_token)
        assert order is not None
        assert press(context, order, "pay", "CARD", "555555******4444") == "DONE"
    assert [(one["cardInfo"], one["paymentTokenStatus"]) for one in listed(desk)] == [
        ("444433******1111", "Activated"),
        ("555555******4444", "Activated"),
    ]


def test_an_order_that_is_paid_by_its_token_saves_no_second_one(desk: Desk) -> None:
    token = bound(desk)
    desk.checkout("ORD_1", TEN, paymentDetail={"paymentTokenID": token, "tokenForFutureUse": True})
    assert desk.control("POST", "orders/ORD_1/pay")["status"] == "SUCCESS"
    assert [one["paymentTokenID"] for one in listed(desk)] == [token]


# Plans


def activate(desk: Desk, key: str, number: str, **more: Any) -> dict[str, Any]:
    return desk.checkout(key, TEN, subscriptionPlan={"subscriptionNo": number}, **more)


def periods(desk: Desk, number: str) -> list[str]:
    return [period["status"] for period in desk.control("GET", f"subscriptions/{number}")["periods"]]


@pytest.mark.parametrize("method", ["QR", "BANK_TRANSFER", "PIX"])
def test_a_plan_is_not_activated_by_what_cannot_be_charged_again(open_desk: Callable[..., Desk], method: str) -> None:
    desk = open_desk()
    number = created(desk, plan_data(TEN))
    placed = activate(desk, "ACT_1", number, country="SG", paymentDetail={"paymentMethodType": method})
    assert placed["code"] == "PARAMS_INVALID"
    activate(desk, "ACT_2", number)
    assert desk.control("POST", "orders/ACT_2/pay", {"method": method})["httpStatus"] == 409
    assert desk.control("POST", "orders/ACT_2/pay")["status"] == "SUCCESS"
    asked = open_desk(plan_paid_by_code="charged")
    number = created(asked, plan_data(TEN))
    activate(asked, "ACT_1", number, country="SG", paymentDetail={"paymentMethodType": method})
    assert asked.control("POST", "orders/ACT_1/pay")["status"] == "SUCCESS"
