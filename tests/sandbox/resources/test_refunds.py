"""Refunds in the sandbox [4.13, 4.14]."""

from collections.abc import Callable
from decimal import Decimal

import pytest

from tests.sandbox.helpers.desk import Desk


def test_a_refund_is_pending_and_then_final_by_the_clock(desk: Desk) -> None:
    token = desk.paid("ORD_1")
    created = desk.refund("REF_1", Decimal("4.25"), outTradeNo="ord_1")
    assert created["data"]["status"] == "REFUND_PENDING"
    assert created["data"]["tradeOrderNo"] == token
    pending = desk.refund_query(outRefundNo="REF_1")["data"]
    assert (pending["status"], pending["refundFinishTime"]) == ("REFUND_PENDING", "")
    desk.clock.advance(2)
    final = desk.refund_query(refundTradeNo=created["data"]["refundTradeNo"])["data"]
    assert (final["status"], final["refundFinishTime"]) == ("REFUND_SUCCESS", "2025-06-01T12:00:02 +0000")
    assert (final["refundAmount"], final["refundCurrency"], final["outTradeNo"]) == (Decimal("4.25"), "USD", "ORD_1")
    assert b'"refundAmount":4.25' in desk.reply.body


def test_refunds_can_settle_at_once(open_desk: Callable[..., Desk]) -> None:
    desk = open_desk(refund_settles_after=0)
    desk.paid("ORD_1")
    assert desk.refund("REF_1", 1, outTradeNo="ORD_1")["data"]["status"] == "REFUND_PENDING"
    assert desk.refund_query(outRefundNo="REF_1")["data"]["status"] == "REFUND_SUCCESS"


def test_amounts_of_forty_digits_are_added_exactly(desk: Desk) -> None:
    paid = Decimal("1234567890123456789012345678901234567890.25")
    desk.paid("ORD_1", paid)
    assert desk.refund("REF_0", 1, outTradeNo="ORD_1")["code"] == "APPLY_SUCCESS"
    assert desk.control("GET", "orders/ORD_1")["refundable"] == "1234567890123456789012345678901234567889.25"
    assert desk.refund("REF_1", int(paid) - 1, outTradeNo="ORD_1")["code"] == "APPLY_SUCCESS"
    assert desk.refund("REF_2", Decimal("0.26"), outTradeNo="ORD_1")["code"] == "REFUND_INSUFFICIENT_BALANCE"
    assert desk.refund("REF_2", Decimal("0.25"), outTradeNo="ORD_1")["code"] == "APPLY_SUCCESS"


def test_a_refund_number_is_used_once_whatever_the_body(desk: Desk) -> None:
    desk.paid("ORD_1")
    desk.refund("REF_1", 1, outTradeNo="ORD_1")
    assert desk.refund("REF_1", 1, outTradeNo="ORD_1")["code"] == "ORDER_REPEAT"
    assert desk.refund("REF_1", 999, "EUR", outTradeNo="ORD_9")["code"] == "ORDER_REPEAT"
    assert desk.refund("ref_1", 1, outTradeNo="ORD_1")["code"] == "APPLY_SUCCESS"
    assert desk.control("GET", "orders/ORD_1")["refundable"] == "8.50"


@pytest.mark.parametrize(
    ("asked", "policy"),
    [
        ({"outTradeNo": "ORD_9"}, "invalid-request"),
        ({"tradeToken": "TT9"}, "invalid-request"),
        ({"outTradeNo": "ORD_1", "tradeToken": "TT9"}, "invalid-request"),
        ({"outTradeNo": "ORD_1", "currency": "EUR"}, "other-currency"),
        ({}, "invalid-request"),
        ({"outTradeNo": ""}, "invalid-request"),
        ({"outTradeNo": "ORD_1", "amount": 0}, "invalid-request"),
        ({"outTradeNo": "ORD_1", "amount": Decimal("0.001")}, "decimals, invalid-request"),
    ],
)
def test_a_refund_that_cannot_be_says_why_and_does_nothing(desk: Desk, asked: dict[str, object], policy: str) -> None:
    desk.paid("ORD_1")
    answer = desk.refund("REF_1", **{"amount": 1, **asked})  # type: ignore[arg-type]  # the cases are mixed on purpose
    assert answer["code"] != "APPLY_SUCCESS"
    assert desk.policy == policy
    assert desk.control("GET", "orders/ORD_1")["refundable"] == "10.50"
    assert desk.refund_query(outRefundNo="REF_1")["code"] == "ORDER_NOT_EXIST"


def test_both_ids_of_one_order_may_be_given_and_of_two_may_not(desk: Desk) -> None:
    first, second = desk.paid("ORD_1"), desk.paid("ORD_2")
    assert desk.refund("REF_1", 1, outTradeNo="ORD_1", tradeToken=first)["code"] == "APPLY_SUCCESS"
    assert desk.refund("REF_2", 1, outTradeNo="ORD_1", tradeToken=second)["code"] == "PARAMS_INVALID"
    assert desk.policy == "invalid-request"


def test_refunds_end_after_180_days(desk: Desk) -> None:
    desk.paid("ORD_1")
    desk.clock.advance(180 * 86400)
    assert desk.refund("REF_1", 1, outTradeNo="ORD_1")["code"] == "APPLY_SUCCESS"
    desk.clock.advance(1)
    assert desk.refund("REF_2", 1, outTradeNo="ORD_1")["code"] == "PARAMS_INVALID"
    assert desk.policy == "invalid-request"


def test_an_unknown_refund_answers_without_data(desk: Desk) -> None:
    desk.paid("ORD_1")
    number = desk.refund("REF_1", 1, outTradeNo="ORD_1")["data"]["refundTradeNo"]
    for by in ({"outRefundNo": "REF_9"}, {"refundTradeNo": "RT9"}, {"outRefundNo": "REF_9", "refundTradeNo": number}):
        answer = desk.refund_query(**by)
        assert (answer["code"], "data" in answer) == ("ORDER_NOT_EXIST", False)


def test_codes_of_refusals_are_policies(open_desk: Callable[..., Desk]) -> None:
    desk = open_desk(absent="REFUND_NO_INVALID", invalid_request="REFUND_FAILED")
    assert desk.refund_query(outRefundNo="REF_9")["code"] == "REFUND_NO_INVALID"
    assert desk.refund("REF_1", 1, outTradeNo="ORD_9")["code"] == "REFUND_FAILED"


def test_a_refund_may_fail_and_its_amount_is_free_again(desk: Desk) -> None:
    desk.paid("ORD_1", 10)
    desk.refund("REF_1", 8, outTradeNo="ORD_1")
    assert desk.control("POST", "refunds/REF_1/fail", {"why": "x" * 257})["httpStatus"] == 400
    failed = desk.control("POST", "refunds/REF_1/fail", {"why": "The account is closed."})
    assert (failed["httpStatus"], failed["status"]) == (200, "REFUND_FAILED")
    desk.clock.advance(10)  # the clock has nothing more to say
    found = desk.refund_query(outRefundNo="REF_1")["data"]
    assert (found["status"], found["resultMsg"]) == ("REFUND_FAILED", "The account is closed.")
    assert found["refundFinishTime"]
    assert desk.refund("REF_2", 10, outTradeNo="ORD_1")["code"] == "APPLY_SUCCESS"
    assert desk.control("POST", "refunds/REF_2/fail", {"why": "x" * 256})["status"] == "REFUND_FAILED"
    assert desk.refund("REF_3", 10, outTradeNo="ORD_1")["code"] == "APPLY_SUCCESS"
    assert desk.control("POST", "refunds/REF_3/settle")["status"] == "REFUND_SUCCESS"
    assert desk.control("POST", "refunds/REF_3/fail")["httpStatus"] == 409
    assert desk.control("POST", "refunds/REF_9/fail")["httpStatus"] == 404
    shown = desk.control("GET", "refunds/REF_3")
    assert shown["status"] == "REFUND_SUCCESS"
    listed = desk.control("GET", "refunds")["refunds"]
    assert {**listed[0], "httpStatus": 200} == shown


def test_amounts_at_which_refunds_fail_are_a_policy(open_desk: Callable[..., Desk]) -> None:
    desk = open_desk(refund_fails_at=["3"])
    desk.paid("ORD_1", 10)
    for key, amount in (("REF_1", Decimal("3.00")), ("REF_2", 4)):
        desk.refund(key, amount, outTradeNo="ORD_1", refundNotifyUrl="http://127.0.0.1:9/")
    desk.clock.advance(2)
    assert desk.refund_query(outRefundNo="REF_1")["data"]["status"] == "REFUND_FAILED"
    assert desk.refund_query(outRefundNo="REF_2")["data"]["status"] == "REFUND_SUCCESS"
    rows = desk.control("GET", "notifications")["notifications"]
    told = [
        desk.control("GET", f"notifications/{row['id']}")["body"]["data"]["status"]
        for row in rows
        if row["kind"] == "REFUND"
    ]
    assert sorted(told) == ["REFUND_FAILED", "REFUND_SUCCESS"]
