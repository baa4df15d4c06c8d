"""Orders in the sandbox [4.1, 4.2, 4.3]."""

from collections.abc import Callable
from decimal import Decimal

import pytest

from paywright_sandbox.engine.fields import fold
from tests.sandbox.helpers.desk import Desk


def test_a_hosted_order_is_pending_until_it_is_paid(desk: Desk) -> None:
    created = desk.checkout("ORD_1", reference="basket 7")
    assert created["code"] == "APPLY_SUCCESS"
    assert created["data"]["status"] == "PENDING"
    token = created["data"]["tradeToken"]
    assert created["data"]["redirectUrl"] == f"http://127.0.0.1:8787/_sandbox/cashier/{token}"
    assert desk.query("ORD_1")["data"]["status"] == "PENDING"
    desk.clock.advance(61)
    desk.control("POST", "orders/ORD_1/pay")
    order = desk.query("ORD_1")["data"]
    assert order["status"] == "SUCCESS"
    assert order["reference"] == "basket 7"
    assert order["transactionUtcTime"] == "2025-06-01T12:00:00 +0000"
    assert order["payFinishTime"] == "2025-06-01T12:01:01 +0000"
    assert order["tradeNo"]


@pytest.mark.parametrize("digits", ["10.50", "10.5", "10", "1234567890123.25", "0.01"])
def test_amounts_come_back_as_text_with_the_digits_they_were_sent_with(desk: Desk, digits: str) -> None:
    desk.checkout("ORD_1", Decimal(digits))
    order = desk.query("ORD_1")["data"]
    assert order["trade"] == order["source"] == order["destination"] == {"amount": digits, "currency": "USD"}


@pytest.mark.parametrize("again", ["ORD_aB1", "ord_ab1", "ORD_AB1"])
@pytest.mark.parametrize("amount", [Decimal("10.50"), Decimal("11")])
def test_a_key_is_used_once_whatever_its_case_and_the_body(desk: Desk, again: str, amount: Decimal) -> None:
    desk.checkout("ORD_aB1")
    repeated = desk.checkout(again, amount)
    assert repeated["code"] == "ORDER_REPEAT"
    assert "data" not in repeated
    assert desk.policy == "repeat"
    assert desk.drop_in(again, amount)["code"] == "ORDER_REPEAT"
    assert desk.query(again)["data"]["trade"]["amount"] == "10.50"
    assert len(desk.control("GET", "orders")["orders"]) == 1


def test_only_ascii_letters_have_two_cases() -> None:
    characters = "".join(map(chr, range(0x250)))
    assert fold(characters) == "".join(one.lower() if one.isascii() else one for one in characters)
    assert fold("\u212a\u0130") == "\u212a\u0130"


def test_an_unknown_order_answers_msg_and_code_alone(desk: Desk) -> None:
    answer = desk.query("ORD_9")
    assert set(answer) == {"msg", "code"}
    assert answer["code"] == "ORDER_NOT_EXIST"


@pytest.mark.parametrize(
    ("amount", "created", "later", "redirected"),
    [
        ("10.50", "SUCCESS", "SUCCESS", False), ("15", "PENDING", "FAILED", False), ("15.00", "PENDING", "FAILED", False),
        ("1.12", "PENDING", "FAILED", False), ("20000", "PENDING", "FAILED", False), ("6", "PENDING", "PENDING", False),
        ("16000", "PENDING", "PENDING", False), ("222", "PENDING", "PENDING", True),
    ],
)  # fmt: skip
def test_a_drop_in_amount_decides(desk: Desk, amount: str, created: str, later: str, redirected: bool) -> None:
    answer = desk.drop_in("ORD_1", Decimal(amount))
    assert answer["data"]["status"] == created
    assert ("redirectUrl" in answer["data"]) is redirected
    order = desk.query("ORD_1")["data"]
    assert order["status"] == later
    assert order.get("responseCode") == ("PAYMENT_FAILED" if later == "FAILED" else None)
    assert ("payFinishTime" in order) is (later == "SUCCESS")


def test_trigger_amounts_are_a_policy(open_desk: Callable[..., Desk]) -> None:
    desk = open_desk(fails_at=["7.77"])
    assert desk.drop_in("ORD_1", Decimal("15"))["data"]["status"] == "SUCCESS"
    assert desk.policy is None
    assert desk.drop_in("ORD_2", Decimal("7.770"), currency="CLF")["data"]["status"] == "PENDING"
    assert desk.policy == "fails-at"
    assert desk.query("ORD_2")["data"]["responseCode"] == "PAYMENT_FAILED"


def test_an_order_closes_when_its_time_is_over(desk: Desk) -> None:
    desk.checkout("ORD_1", expireTime="1800")
    desk.checkout("ORD_2")
    desk.clock.advance(1799)
    assert desk.query("ORD_1")["data"]["status"] == "PENDING"
    assert desk.query("ORD_1")["data"]["expiryTime"] == "2025-06-01T12:30:00 +0000"
    desk.clock.advance(1)
    order = desk.query("ORD_1")["data"]
    assert (order["status"], order["responseCode"]) == ("FAILED", "ORDER_CLOSED")
    assert desk.control("POST", "orders/ORD_1/pay")["httpStatus"] == 409
    assert desk.query("ORD_2")["data"]["status"] == "PENDING"
    desk.clock.advance(86400)
    assert desk.query("ORD_2")["data"]["status"] == "FAILED"


def test_a_paid_order_does_not_close(desk: Desk) -> None:
    desk.paid("ORD_1", expireTime="1800")
    desk.clock.advance(10**6)
    assert desk.query("ORD_1")["data"]["status"] == "SUCCESS"


def test_what_fell_due_is_kept_even_when_the_request_is_refused(desk: Desk) -> None:
    desk.checkout("ORD_1", expireTime="1800")
    desk.clock.advance(1800)
    assert desk.checkout("ORD_1")["code"] == "ORDER_REPEAT"
    with desk.engine.store.transaction() as state:
        assert state.all("SELECT 1 FROM events WHERE kind = 'order.closed'")


@pytest.mark.parametrize(
    ("amount", "currency", "code"),
    [
        ("0", "USD", "PARAMS_INVALID"), ("-1", "USD", "PARAMS_INVALID"), ("10.505", "USD", "PARAMS_INVALID"),
        ("10.5", "JPY", "PARAMS_INVALID"), ("10.5", "IDR", "PARAMS_INVALID"), ("10.00", "JPY", "APPLY_SUCCESS"),
        ("10.5050", "CLF", "APPLY_SUCCESS"), ("1.25", "BHD", "APPLY_SUCCESS"), ("1.255", "BHD", "PARAMS_INVALID"),
    ],
)  # fmt: skip
def test_amounts_have_the_decimals_of_their_currency(desk: Desk, amount: str, currency: str, code: str) -> None:
    assert desk.checkout("ORD_1", Decimal(amount), currency=currency)["code"] == code


def test_decimals_and_limits_are_policies(open_desk: Callable[..., Desk]) -> None:
    desk = open_desk(decimals="any", largest_amount="100")
    assert desk.checkout("ORD_1", Decimal("10.505"))["code"] == "APPLY_SUCCESS"
    assert desk.checkout("ORD_2", Decimal("100.01"))["code"] == "AMOUNT_LIMIT"
    assert desk.checkout("ORD_2", Decimal("100.00"))["code"] == "APPLY_SUCCESS"


@pytest.mark.parametrize("amount", ["1.000000001", "0.1234567890", "1.100000000"])
def test_no_number_has_more_decimals_than_a_client_sends(open_desk: Callable[..., Desk], amount: str) -> None:
    """Also where no currency says how many: of goods, as text, in lists."""
    price = {"goodsId": "G1", "goodsName": "Ticket", "quantity": "1", "price": amount}
    plan = {"periodAmount": {"amount": Decimal(amount), "currency": "USD"}}
    desk, lenient = open_desk(), open_desk(decimals="any")
    for number, (change, at) in enumerate(
        (({"goodsDetails": [price]}, "/data/goodsDetails/0/price"), ({"subscriptionPlan": plan}, "/data/subscriptionPlan/periodAmount/amount"))
    ):  # fmt: skip
        answer = desk.checkout(f"ORD_{number}", **change)
        assert (answer["code"], "(policy decimals)" in answer["msg"]) == ("PARAMS_INVALID", True)
        assert answer["msg"].startswith(f"{at} has ")
        assert "decimals" not in lenient.checkout(f"ORD_{number}", **change)["msg"]
    assert desk.call("refunds.create", {"outRefundNo": "R1", "outTradeNo": "ORD_0", "refundAmount": Decimal(amount), "refundCurrency": "USD"})["msg"].startswith("/data/refundAmount has ")  # fmt: skip
