"""Payment links in the sandbox: made, opened, paid, expired, and asked for [2.7, 4.4]."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from tests.sandbox.helpers.desk import Desk

GOODS = [{"goodsName": "Ticket", "goodsDescription": "One seat", "quantity": "2", "price": "5.25", "goodsCurrency": "USD"}]  # fmt: skip


def made(desk: Desk, number: str = "ML1", **more: Any) -> dict[str, Any]:
    body = {"merchantLinkId": number, "amount": "10.50", "currency": "USD", "country": "SG", "description": "Two tickets"}  # fmt: skip
    return desk.control("POST", "links", {**body, **more})


def opened(desk: Desk, link: dict[str, Any], **payer: str) -> dict[str, Any]:
    return desk.control("POST", f"links/{link['linkId']}/open", payer)


def asked(desk: Desk, number: str = "ML1") -> dict[str, Any]:
    message = desk.envelope("payment_links.query", {"merchantLinkId": number}, merchantAppId="app_sandbox_1")
    del message["appId"]
    return desk.send("payment_links.query", message)


def test_a_link_is_queried_as_it_was_made(desk: Desk) -> None:
    link = made(desk, linkDescription="for the fair", goodsDetails=GOODS, expiresAt="2025-06-02T12:00:00Z")
    assert asked(desk)["data"] == {
        "linkId": link["linkId"],
        "merchantLinkId": "ML1", "totalAmount": "10.50", "country": "SG", "currency": "USD", "linkStatus": "ACTIVE",
        "expiresAt": "2025-06-02T12:00:00.000+00:00",
        "linkUrl": f"http://127.0.0.1:8787/_sandbox/link/{link['linkId']}",
        "qrCodeUrl": f"http://127.0.0.1:8787/_sandbox/link/{link['linkId']}",
        "description": "Two tickets", "linkDescription": "for the fair",
        "payByLinkInfo": [{"outTradeNo": ""}],
        "goodsDetails": GOODS,
    }  # fmt: skip
    assert desk.control("GET", f"links/{link['linkId']}")["merchantLinkId"] == "ML1"
    assert len(desk.control("GET", "links")["links"]) == 1


@pytest.mark.parametrize("member", ["merchantLinkId", "amount", "currency", "country", "description"])
def test_what_a_link_needs_is_asked_for(desk: Desk, member: str) -> None:
    refused = made(desk, **{member: None})
    assert (refused["httpStatus"], member in refused["error"]) == (400, True)
    assert desk.control("GET", "links")["links"] == []


def test_an_opened_link_is_pending_until_it_is_paid(desk: Desk) -> None:
    link = made(desk)
    order = opened(desk, link, userId="payer_1", userName="A Payer")
    user = {"userId": "payer_1", "userName": "A Payer"}
    assert asked(desk)["data"]["payByLinkInfo"] == [
        {"outTradeNo": order["outTradeNo"], "status": "PENDING", "userInfo": user}
    ]
    assert opened(desk, link, userId="payer_1")["outTradeNo"] == order["outTradeNo"]
    desk.clock.advance(61)
    assert desk.control("POST", f"orders/{order['outTradeNo']}/pay", {"card": "5555555555554444"})["httpStatus"] == 200
    (paid,) = asked(desk)["data"]["payByLinkInfo"]
    assert (paid["status"], paid["completeAt"]) == ("SUCCESS", "2025-06-01T12:01:01.000+00:00")
    assert paid["userInfo"] == user
    (payment,) = paid["paymentDetails"]
    assert payment["paymentMethodType"] == "CARD"
    assert (payment["cardInfo"]["cardOrg"], payment["cardInfo"]["cardNumber"]) == ("MASTERCARD", "555555******4444")
    assert len(payment["cardInfo"]["cardIdentifierNo"]) == 19


def test_a_payment_through_a_link_is_an_order_like_any_other(desk: Desk) -> None:
    order = opened(desk, made(desk))
    desk.control("POST", f"orders/{order['outTradeNo']}/pay", {"method": "WALLET", "targetOrg": "GCASH"})
    assert desk.query(order["outTradeNo"])["data"]["trade"] == {"amount": "10.50", "currency": "USD"}
    assert desk.refund("REF_1", Decimal("10.50"), tradeToken=order["tradeToken"])["code"] == "APPLY_SUCCESS"
    (payment,) = asked(desk)["data"]["payByLinkInfo"][0]["paymentDetails"]
    assert payment == {"targetOrg": "GCASH", "paymentMethodType": "WALLET"}


@pytest.mark.parametrize("action", ["fail", "close"])
def test_a_payment_that_came_to_nothing_closes_and_the_link_can_be_opened_again(desk: Desk, action: str) -> None:
    link = made(desk)
    order = opened(desk, link)
    desk.control("POST", f"orders/{order['outTradeNo']}/{action}")
    (closed,) = asked(desk)["data"]["payByLinkInfo"]
    assert (closed["outTradeNo"], closed["status"], "completeAt" in closed) == (order["outTradeNo"], "CLOSE", False)
    again = opened(desk, link)
    assert again["outTradeNo"] != order["outTradeNo"]
    assert [found["status"] for found in asked(desk)["data"]["payByLinkInfo"]] == ["CLOSE", "PENDING"]


def test_a_link_expires_by_the_clock_and_what_is_unpaid_with_it(desk: Desk) -> None:
    link = made(desk, expiresAt="2025-06-01T13:00:00Z")
    order = opened(desk, link)
    desk.clock.advance(3599)
    assert asked(desk)["data"]["linkStatus"] == "ACTIVE"
    desk.clock.advance(1)
    found = asked(desk)["data"]
    assert (found["linkStatus"], found["payByLinkInfo"][0]["status"]) == ("EXPIRED", "CLOSE")
    assert opened(desk, link)["httpStatus"] == 409
    assert desk.control("POST", f"orders/{order['outTradeNo']}/pay")["httpStatus"] == 409


def test_links_last_a_week(desk: Desk) -> None:
    assert made(desk)["expiresAt"] == "2025-06-08T12:00:00.000+00:00"


@pytest.mark.parametrize(("times", "second"), [("many", 200), ("one", 409)])
def test_how_often_a_link_is_paid_is_a_policy(open_desk: Callable[..., Desk], times: str, second: int) -> None:
    desk = open_desk(link_payments=times)
    link = made(desk)
    desk.control("POST", f"orders/{opened(desk, link)['outTradeNo']}/pay")
    assert opened(desk, link)["httpStatus"] == second


def test_an_unknown_link_answers_without_data(desk: Desk) -> None:
    answer = asked(desk, "ML9")
    assert (answer["code"], "data" in answer, desk.policy) == ("ORDER_NOT_EXIST", False, "absent")
    assert desk.control("POST", "links/L9/open")["httpStatus"] == 404
    assert desk.control("GET", "links/L9")["httpStatus"] == 404


def test_a_links_number_is_used_once(desk: Desk) -> None:
    made(desk)
    assert made(desk, amount="3")["httpStatus"] == 409
    assert asked(desk)["data"]["totalAmount"] == "10.50"


@pytest.mark.parametrize(
    "wrong",
    [
        {"amount": "0"}, {"amount": "10.505"}, {"currency": "usd"}, {"country": "SGP"}, {"description": "x" * 257},
        {"expiresAt": "2025-06-01T11:00:00Z"},
        {"goodsDetails": [{"goodsName": "Ticket"}]},
        {"goodsDetails": ["Ticket"]}, {"merchantLinkId": "x" * 65},
    ],
)  # fmt: skip
def test_a_link_that_the_contract_could_not_show_is_not_made(desk: Desk, wrong: dict[str, Any]) -> None:
    assert made(desk, **wrong)["httpStatus"] == 400
    assert desk.control("GET", "links")["links"] == []


def test_a_link_of_an_unknown_merchant_is_not_made(desk: Desk) -> None:
    assert made(desk, merchant="app_9")["httpStatus"] == 404
