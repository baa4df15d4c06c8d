"""Payment tokens in the sandbox: saved, shown, paid with, and over [2.6, 4.6, 4.7]."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from paywright_sandbox.engine.state.refusal import Refusal
from paywright_sandbox.resources.payments.tokens import payable_token
from tests.sandbox.helpers.desk import Desk, bound, listed
from tests.sandbox.resources.test_payment_method import dropped_in

YEARS = 94608000


def inquired(desk: Desk, user: str = "user_1", **by: Any) -> dict[str, Any]:
    merchant = desk.engine.settings.merchants[0].numbers["merchant_id"]
    asked = {"merchantId": merchant, "bizType": "inquirePaymentToken", "version": "2.6", "tokenScope": "tokenAcq"}
    return desk.send("payment_tokens.inquire", {**asked, "userId": user, **by})


def test_a_paid_order_that_agreed_to_it_saves_its_card(desk: Desk) -> None:
    token = bound(desk, referralCode="device_7")
    (shown,) = listed(desk)
    assert shown == {
        "paymentTokenID": token, "userId": "user_1", "tokenScope": "tokenAcq",
        "paymentTokenExpiry": "2028-05-31T12:00:00.000+00:00",
        "paymentTokenStatus": "Activated", "cardInfo": "444433******1111", "ifCVV": "N", "brand": "VISA",
        "paymentMethodType": "CARD", "targetOrg": "", "accountDisplay": "", "referralCode": "device_7",
    }  # fmt: skip
    answer = inquired(desk)
    assert (answer["bizCode"], answer["message"]) == ("0000", "Success.")
    shown.pop("referralCode")
    assert answer["data"]["tokenList"] == [shown]


def test_nothing_is_saved_unasked_unpaid_or_of_a_code(desk: Desk) -> None:
    desk.paid("ORD_1")
    desk.checkout("ORD_2", paymentDetail={"tokenForFutureUse": True})
    desk.checkout("ORD_3", paymentDetail={"tokenForFutureUse": True})
    desk.control("POST", "orders/ORD_3/fail")
    desk.checkout("ORD_4", country="SG", paymentDetail={"tokenForFutureUse": True, "paymentMethodType": "VA"})
    desk.control("POST", "orders/ORD_4/pay")
    assert listed(desk) == []


def test_a_drop_in_order_saves_what_its_session_collected(desk: Desk) -> None:
    dropped_in(desk, "ORD_1", tokenForFutureUse=True, sessionKey="sandbox:CARD:MASTERCARD")
    dropped_in(desk, "ORD_2", tokenForFutureUse=True, sessionKey="sandbox:WALLET:GCASH")
    card, wallet = listed(desk)
    assert (card["brand"], card["cardInfo"]) == ("MASTERCARD", "555555******4444")
    assert (wallet["targetOrg"], wallet["accountDisplay"], "cardInfo" in wallet) == ("GCASH", "u***", False)


def test_a_card_that_is_saved_again_stays_one_token_with_a_new_expiry(desk: Desk) -> None:
    first = bound(desk)
    desk.clock.advance(1000)
    assert bound(desk, "BIND_2") == first
    assert len(listed(desk)) == 1
    assert listed(desk)[0]["paymentTokenExpiry"] == "2028-05-31T12:16:40.000+00:00"
    desk.clock.advance(YEARS - 1)
    assert listed(desk)[0]["paymentTokenStatus"] == "Activated"
    desk.clock.advance(1)
    assert listed(desk)[0]["paymentTokenStatus"] == "Expired"
    assert bound(desk, "BIND_3") != first


@pytest.mark.parametrize(
    ("by", "found"),
    [
        ({}, 3), ({"tokenScope": "tokenAcq"}, 3), ({"tokenScope": "other"}, 0), ({"paymentMethodType": "CARD"}, 2),
        ({"paymentMethodType": "WALLET"}, 1),
        ({"paymentMethodType": "CARD", "targetOrg": ""}, 2),
        ({"targetOrg": "GCASH"}, 1), ({"targetOrg": "OTHER"}, 0), ({"cardOrg": "VISA"}, 1),
        ({"cardOrg": "MASTERCARD", "paymentMethodType": "CARD"}, 1),
        ({"cardOrg": "AMEX"}, 0), ({"referralCode": "device_7"}, 1), ({"paymentTokenID": "PTK9"}, 0),
        ({"userId": "user_2"}, 0),
    ],
)  # fmt: skip
def test_tokens_are_found_by_what_is_asked_for(desk: Desk, by: dict[str, Any], found: int) -> None:
    bound(desk, referralCode="device_7")
    bound(desk, "BIND_2", "5555555555554444")
    dropped_in(desk, "ORD_1", tokenForFutureUse=True, sessionKey="sandbox:WALLET:GCASH")
    assert len(listed(desk, **by)) == found


def test_one_token_is_found_by_its_id_in_both_forms(desk: Desk) -> None:
    token = bound(desk)
    other = bound(desk, "BIND_2", "5555555555554444")
    for tokens in (listed(desk, paymentTokenID=token), inquired(desk, paymentTokenID=token)["data"]["tokenList"]):
        assert [found["paymentTokenID"] for found in tokens] == [token] != [other]


def test_an_unknown_token_is_not_found_in_the_form_that_has_a_code_for_it(desk: Desk) -> None:
    answer = inquired(desk, paymentTokenID="PTK9")
    assert (answer["bizCode"], answer["data"], desk.policy) == ("4000", {}, "absent")
    assert inquired(desk)["data"]["tokenList"] == []


def test_a_hosted_order_is_paid_with_a_token_at_the_cashier_or_without_its_payer(desk: Desk) -> None:
    token = bound(desk, card="5555555555554444")
    with_payer = desk.checkout("ORD_1", paymentDetail={"paymentTokenID": token})["data"]
    assert with_payer["status"] == "PENDING"
    assert desk.control("POST", "orders/ORD_1/pay")["card"] == "555555******4444"
    without = {"paymentTokenID": token, "merchantInitiated": True, "mitType": "UNSCHEDULED"}
    assert desk.checkout("ORD_2", paymentDetail=without)["data"]["status"] == "SUCCESS"
    assert desk.query("ORD_2")["data"]["status"] == "SUCCESS"
    assert desk.checkout("ORD_3", 15, paymentDetail=without)["data"]["status"] == "PENDING"
    assert desk.query("ORD_3")["data"]["status"] == "FAILED"


def test_a_drop_in_order_is_paid_with_a_token(desk: Desk) -> None:
    token = bound(desk, card="5555555555554444")
    assert dropped_in(desk, "ORD_1", paymentToken=token)["data"]["status"] == "SUCCESS"
    assert desk.control("GET", "orders/ORD_1")["card"] == "555555******4444"
    assert dropped_in(desk, "ORD_2", paymentToken="of_the_session", sessionKey="any")["code"] == "APPLY_SUCCESS"


def test_a_token_that_is_unknown_deleted_expired_or_anothers_pays_for_nothing(desk: Desk) -> None:
    deleted, expired = bound(desk), bound(desk, "BIND_2", "5555555555554444")
    assert desk.control("POST", f"tokens/{deleted}/delete")["paymentTokenStatus"] == "Deleted"
    anothers = bound(desk, "BIND_3", userId="user_2")
    desk.clock.advance(YEARS)
    fresh = bound(desk, "BIND_4", userId="user_2")
    for number, (token, why) in enumerate(
        [("PTK9", "not known"), (deleted, "Deleted"), (expired, "Expired"), (anothers, "another"), (fresh, "another")]
    ):
        for answer in (
            desk.checkout(f"ORD_{number}", paymentDetail={"paymentTokenID": token}),
            dropped_in(desk, f"ORD_{number}", paymentToken=token),
            dropped_in(desk, f"ORD_{number}", paymentToken=token, sessionKey="s") if why != "not known" else None,
        ):
            if answer is not None:
                assert answer["code"] == "PAYMENT_METHOD_NOT_EXIST"
                assert why in answer["msg"]
                assert desk.policy == "payment-token-refused"
        assert desk.query(f"ORD_{number}")["code"] == "ORDER_NOT_EXIST"


def test_another_merchants_token_pays_for_nothing(desk: Desk) -> None:
    token = bound(desk)
    with pytest.raises(Refusal, match="another user"), desk.engine.transaction() as context:
        payable_token(context, "app_2", "user_1", token)


def test_paying_with_a_token_does_not_prolong_it(desk: Desk) -> None:
    token = bound(desk)
    before = listed(desk)
    desk.clock.advance(1000)
    assert dropped_in(desk, "ORD_1", paymentToken=token, tokenForFutureUse=True)["data"]["status"] == "SUCCESS"
    assert listed(desk) == before


def test_a_token_is_deleted_once(desk: Desk) -> None:
    token = bound(desk)
    assert desk.control("POST", f"tokens/{token}/delete")["httpStatus"] == 200
    assert desk.control("POST", f"tokens/{token}/delete")["httpStatus"] == 409
    assert desk.control("POST", "tokens/PTK9/delete")["httpStatus"] == 404
    assert [shown["paymentTokenStatus"] for shown in desk.control("GET", "tokens")["tokens"]] == ["Deleted"]
    desk.clock.advance(YEARS)
    assert listed(desk)[0]["paymentTokenStatus"] == "Deleted"


def test_codes_lifetime_and_cvv_are_policies(open_desk: Callable[..., Desk]) -> None:
    desk = open_desk(payment_token_refused="NO_TOKEN", token_expires_after=60, token_asks_cvv="Y")
    bound(desk)
    assert listed(desk)[0]["ifCVV"] == "Y"
    desk.clock.advance(60)
    token = listed(desk)[0]
    assert token["paymentTokenStatus"] == "Expired"
    answer = desk.checkout("ORD_1", Decimal(3), paymentDetail={"paymentTokenID": token["paymentTokenID"]})
    assert answer["code"] == "NO_TOKEN"
    assert inquired(desk, paymentTokenID="PTK9")["bizCode"] == "4000"
