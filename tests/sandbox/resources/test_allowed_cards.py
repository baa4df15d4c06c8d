"""allowedCardOrg: which cards an order takes, wherever it is paid [4.1]."""

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from paywright.models.order_details import HostedPaymentDetail
from paywright_sandbox.resources.payments.order import TEST_CARDS, brand, mask
from paywright_sandbox.testing.served import running_sandbox
from tests.sandbox.helpers.desk import Desk
from tests.sandbox.helpers.pages import Reader
from tests.sandbox.helpers.place import place

VISA, MASTERCARD = "4444333322221111", "5555555555554444"


def order(desk: Desk, *orgs: str, key: str = "ORD_1", amount: Any = 10) -> None:
    placed = desk.checkout(key, amount, paymentDetail={"allowedCardOrg": list(orgs)})
    assert placed["code"] == "APPLY_SUCCESS", placed


def pay(desk: Desk, **way: str) -> dict[str, Any]:
    return desk.control("POST", "orders/ORD_1/pay", dict(way))


def bound(desk: Desk) -> str:
    """A VISA card saved as a token of the user's."""
    desk.checkout("BIND_1", paymentDetail={"tokenForFutureUse": True})
    assert desk.control("POST", "orders/BIND_1/pay", {"card": VISA})["status"] == "SUCCESS"
    (token,) = desk.call("payment_tokens.list", {"userId": "user_1"})["data"]["tokenList"]
    return str(token["paymentTokenID"])


def test_a_card_of_another_organisation_is_refused_and_the_order_stays_open(desk: Desk) -> None:
    order(desk, "MASTERCARD")
    refused = pay(desk, card=VISA)
    assert refused["httpStatus"] == 409
    assert "MASTERCARD" in refused["error"]
    assert desk.query("ORD_1")["data"]["status"] == "PENDING"
    assert pay(desk, card=MASTERCARD)["status"] == "SUCCESS"


def test_who_names_no_card_pays_with_one_that_is_taken(desk: Desk) -> None:
    order(desk, "JCB", "MASTERCARD")
    assert pay(desk)["card"] == "353011******0000"


@pytest.mark.parametrize("orgs", [(), ("",), ("visa",), ("MASTERCARD", " Visa ")])
def test_nothing_named_takes_all_and_names_are_compared_without_their_case(desk: Desk, orgs: tuple[str, ...]) -> None:
    order(desk, *orgs)
    assert pay(desk, card=VISA)["status"] == "SUCCESS"


def test_an_organisation_without_a_test_card_takes_none(desk: Desk) -> None:
    order(desk, "ELO")
    assert pay(desk)["httpStatus"] == 409
    assert pay(desk, method="GOOGLEPAY")["httpStatus"] == 409
    assert pay(desk, method="WALLET")["status"] == "SUCCESS"  # which is no card


@pytest.mark.parametrize(("policy", "status"), [("fails", "FAILED"), ("paid", "SUCCESS")])
def test_what_becomes_of_it_is_a_policy(open_desk: Callable[..., Desk], policy: str, status: str) -> None:
    desk = open_desk(card_not_allowed=policy)
    order(desk, "MASTERCARD")
    assert pay(desk, card=VISA)["status"] == status
    assert desk.query("ORD_1")["data"]["status"] == status


def test_a_saved_card_of_another_organisation_places_nothing(desk: Desk) -> None:
    token = bound(desk)
    for more in ({}, {"merchantInitiated": True}):
        answer = desk.checkout("T_1", paymentDetail={"paymentTokenID": token, "allowedCardOrg": ["AMEX"], **more})
        assert answer["code"] == "PAYMENT_METHOD_NOT_EXIST"
        assert desk.policy == "card-not-allowed, payment-token-refused"
    assert desk.query("T_1")["code"] == "ORDER_NOT_EXIST"
    detail = {"paymentTokenID": token, "merchantInitiated": True, "allowedCardOrg": ["VISA"]}
    assert desk.checkout("T_2", paymentDetail=detail)["data"]["status"] == "SUCCESS"


def test_a_merchants_own_charge_fails_where_the_policy_says_so(open_desk: Callable[..., Desk]) -> None:
    desk = open_desk(card_not_allowed="fails")
    token = bound(desk)
    detail = {"paymentTokenID": token, "merchantInitiated": True, "allowedCardOrg": ["AMEX"]}
    assert desk.checkout("T_1", paymentDetail=detail)["data"]["status"] == "PENDING"
    assert desk.query("T_1")["data"]["status"] == "FAILED"


def test_every_test_card_is_known_by_its_organisation() -> None:
    assert [brand(mask(number)) for number in TEST_CARDS] == ["VISA", "MASTERCARD", "AMEX", "JCB", "UNIONPAY", "DISCOVER"]  # fmt: skip


def test_the_cashier_says_which_cards_it_takes(folder: Path) -> None:
    card = {"method": "CARD", "holder": "A PAYER", "expiry": "12/49", "cvv": "987"}
    with running_sandbox(folder) as sandbox, sandbox.client() as client:
        reader, placed = Reader(sandbox.base_url), []
        for key, amount in (("ORD_1", "10"), ("ORD_2", "222")):  # for the second the bank asks first
            detail = HostedPaymentDetail(allowed_card_org=["MASTERCARD", "AMEX"])
            placed.append(place(client, key, total_amount=Decimal(amount), payment_detail=detail))
        for order in placed:
            url = str(order.redirect_url)
            page = reader.get(url)
            assert "takes only cards of MASTERCARD, AMEX" in page.words
            assert "4444 3333" not in page.words
            assert page.form(urlsplit(url).path)["number"] == "5555 5555 5555 4444"
            page = reader.press(url, "pay", number=VISA, **card)
            assert page.status == 422
            assert "takes only cards of MASTERCARD, AMEX" in page.words
            assert client.orders.query(out_trade_no=order.out_trade_no).status == "PENDING"
        assert "Paid" in reader.press(str(placed[0].redirect_url), "pay", number=MASTERCARD, **card).words
        assert "Paid" in reader.press(str(placed[1].redirect_url), "succeed").words
        for order in placed:
            assert client.orders.query(out_trade_no=order.out_trade_no).status == "SUCCESS"
