"""Ways to pay: what the creation of an order answers, and what is kept of a card [2.3, 2.8]."""

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paywright.models.order_details import HostedPaymentDetail
from paywright_sandbox.resources.payments.payment_order import TEST_CARDS, PaymentMethod, brand, mask
from paywright_sandbox.testing.served import running_sandbox
from tests.sandbox.helpers.desk import Desk, bound
from tests.sandbox.helpers.pages import Reader
from tests.sandbox.helpers.place import place


def hosted(desk: Desk, key: str, **detail: Any) -> dict[str, Any]:
    return desk.checkout(key, country="SG", paymentDetail=detail)


def dropped_in(desk: Desk, key: str, amount: Any = Decimal("10.50"), **detail: Any) -> dict[str, Any]:
    return desk.drop_in(key, amount, detail)


@pytest.mark.parametrize(
    ("method", "target", "given_out"),
    [
        (None, None, None), ("CARD", None, None), ("WALLET", "GCASH", None), ("WALLET", "QRIS", "qrCodeUrl"),
        ("BANK_TRANSFER", "PIX", "qrCodeUrl"), ("BANK_TRANSFER", None, "vaCode"), ("BANK_TRANSFER", "BCA", "vaCode"),
        ("OTC", "VA", "vaCode"), ("qr", None, "qrCodeUrl"),
    ],
)  # fmt: skip
def test_a_methods_first_answer(desk: Desk, method: str | None, target: str | None, given_out: str | None) -> None:
    data = hosted(desk, "ORD_1", paymentMethodType=method, targetOrg=target)["data"]
    assert data["redirectUrl"].endswith(f"/_sandbox/cashier/{data['tradeToken']}")
    assert data["status"] == "PENDING"
    assert {"qrCodeUrl", "vaCode"} & set(data) == ({given_out} if given_out else set())
    assert desk.policy == {"qrCodeUrl": "qr-methods", "vaCode": "virtual-account-methods"}.get(given_out or "")


@pytest.mark.parametrize(("session", "given_out"), [("sandbox:WALLET:QRIS", "qrCodeUrl"), ("sandbox:VA", "vaCode")])
def test_a_drop_in_order_of_such_a_method_waits_for_its_payer(desk: Desk, session: str, given_out: str) -> None:
    data = dropped_in(desk, "ORD_1", 15, sessionKey=session)["data"]
    assert (data["status"], given_out in data, "redirectUrl" in data) == ("PENDING", True, False)
    assert desk.control("POST", "orders/ORD_1/pay")["method"] == session.split(":")[1]


def test_virtual_accounts_are_digits_and_differ(desk: Desk) -> None:
    codes = {hosted(desk, f"ORD_{n}", paymentMethodType="VA")["data"]["vaCode"] for n in range(20)}
    assert len(codes) == 20
    assert all(code.isdigit() and len(code) == 16 for code in codes)


def test_which_methods_are_which_is_a_policy(open_desk: Callable[..., Desk]) -> None:
    desk = open_desk(qr_methods=["GRABPAY"], virtual_account_methods=[])
    assert "qrCodeUrl" in hosted(desk, "ORD_1", paymentMethodType="WALLET", targetOrg="GRABPAY")["data"]
    assert "vaCode" not in hosted(desk, "ORD_2", paymentMethodType="BANK_TRANSFER")["data"]


def test_how_an_order_was_paid_is_remembered_and_its_card_only_masked(desk: Desk) -> None:
    desk.checkout("ORD_1")
    paid = desk.control("POST", "orders/ORD_1/pay", {"card": "5555 5555 5555 4444"})
    assert (paid["status"], paid["method"], paid["card"]) == ("SUCCESS", "CARD", "555555******4444")
    desk.checkout("ORD_2")
    paid = desk.control("POST", "orders/ORD_2/pay", {"method": "WALLET", "targetOrg": "GCASH"})
    assert (paid["method"], paid["targetOrg"], paid["card"]) == ("WALLET", "GCASH", None)
    with desk.engine.store.transaction() as state:
        kept = repr(state.all("SELECT * FROM orders")) + repr(state.all("SELECT * FROM events"))
    assert "5555555555554444" not in kept


@pytest.mark.parametrize("way", [{"card": "4444"}, {"card": "x" * 16}, {"method": "WALLET", "card": "4444333322221111"}])  # fmt: skip
def test_a_way_that_cannot_be_is_refused_and_the_card_not_repeated(desk: Desk, way: dict[str, Any]) -> None:
    desk.checkout("ORD_1")
    answer = desk.control("POST", "orders/ORD_1/pay", way)
    assert answer["httpStatus"] == 400
    assert way["card"] not in answer["error"]
    assert desk.query("ORD_1")["data"]["status"] == "PENDING"


@given(st.from_regex(r"[0-9]{12,19}", fullmatch=True), st.sampled_from(["", " ", "-"]))
def test_a_card_keeps_its_length_its_first_six_and_its_last_four_digits(number: str, between: str) -> None:
    written = between.join(number[at : at + 4] for at in range(0, len(number), 4))
    masked = mask(written)
    assert (len(masked), masked[:6], masked[-4:]) == (len(number), number[:6], number[-4:])
    assert set(masked[6:-4]) == {"*"}
    assert mask(masked) == masked
    assert number not in repr(PaymentMethod(card=number))


@pytest.mark.parametrize(
    ("number", "scheme"),
    [
        ("4444333322221111", "VISA"), ("5555555555554444", "MASTERCARD"), ("2221000000000009", "MASTERCARD"),
        ("2720990000000000", "MASTERCARD"), ("2721000000000000", "OTHER"), ("378282246310005", "AMEX"),
        ("3530111333300000", "JCB"), ("6200000000000005", "UNIONPAY"), ("6011111111111117", "DISCOVER"),
        ("9999999999999999", "OTHER"),
    ],
)  # fmt: skip
def test_the_first_digits_tell_the_scheme(number: str, scheme: str) -> None:
    assert brand(mask(number)) == scheme


VISA, MASTERCARD = "4444333322221111", "5555555555554444"


def order(desk: Desk, *orgs: str, key: str = "ORD_1", amount: Any = 10) -> None:
    placed = desk.checkout(key, amount, paymentDetail={"allowedCardOrg": list(orgs)})
    assert placed["code"] == "APPLY_SUCCESS", placed


def pay(desk: Desk, **way: str) -> dict[str, Any]:
    return desk.control("POST", "orders/ORD_1/pay", dict(way))


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


def test_a_saved_card_of_another_organisation_places_nothing(desk: Desk) -> None:
    token = bound(desk, card=VISA)
    for more in ({}, {"merchantInitiated": True}):
        answer = desk.checkout("T_1", paymentDetail={"paymentTokenID": token, "allowedCardOrg": ["AMEX"], **more})
        assert answer["code"] == "PAYMENT_METHOD_NOT_EXIST"
        assert desk.policy == "card-not-allowed, payment-token-refused"
    assert desk.query("T_1")["code"] == "ORDER_NOT_EXIST"
    detail = {"paymentTokenID": token, "merchantInitiated": True, "allowedCardOrg": ["VISA"]}
    assert desk.checkout("T_2", paymentDetail=detail)["data"]["status"] == "SUCCESS"


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
