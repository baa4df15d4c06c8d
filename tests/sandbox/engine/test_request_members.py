"""Requests with members that no table has, and with required texts that are empty: taken or refused by a policy, and named."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any

import pytest

from paywright.contract import CONTRACT
from tests.sandbox.helpers.desk import HOOK, Desk, checkout_data, plan_data
from tests.sandbox.resources.test_snap import Snap

ADDRESS = {"email": "a@shop.example", "address1": "1 High Street", "city": "Singapore", "country": "SG"}
DROP_IN = {
    "integrate": "Direct_Payment", "country": "SG", "terminalType": "WEB",
    "paymentDetail": {"buyerInfo": {"clientIp": "203.0.113.7", "userAgent": "Mozilla/5.0"}},
}  # fmt: skip
REQUESTS: dict[str, dict[str, Any]] = {
    "orders.checkout": checkout_data(
        "ORD_1",
        goodsDetails=[{"goodsId": "G1", "goodsName": "Ticket", "quantity": "2", "price": "5.25"}],
        shippingInfo={**ADDRESS, "firstName": "Ana", "lastName": "Payer", "phoneNo": "6512345678", "zipCode": "018956"},
        billingInfo=ADDRESS,
    ),
    "orders.drop_in": checkout_data("ORD_1", **DROP_IN),
    "orders.query": {"outTradeNo": "ORD_1"},
    "refunds.create": {"outRefundNo": "REF_1", "refundAmount": 5, "refundCurrency": "USD", "outTradeNo": "ORD_1"},
    "subscriptions.create": {
        "subscriptionRequestId": "SREQ_1", "userId": "user_1", "callbackUrl": HOOK,
        "subscriptionPlan": {"subject": "Daily", "totalPeriods": 3, "prices": [{"priceId": "price_1", "quantity": 1}]},
    },
    "exchanges.create": {
        "ccyPair": "EURUSD", "outTradeNo": "EXC_1", "side": "SELL", "transactionAmount": "1.00", "transactionCcy": "EUR",
        "targetCcy": "USD",
    },
    "payment_tokens.list": {"userId": "user_1"},
}  # fmt: skip


def texts(value: Any, at: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The paths of all texts in a value."""
    if isinstance(value, str):
        yield at
    elif isinstance(value, (dict, list)):
        for step, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from texts(item, (*at, step))


def with_text(data: dict[str, Any], path: tuple[str | int, ...], text: str) -> dict[str, Any]:
    changed: Any = deepcopy(data)
    inner = changed
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = text
    return dict(changed)


def pointer_of(path: tuple[str | int, ...]) -> str:
    return "/".join(("", "data", *map(str, path)))


REQUIRED = [
    (operation, path)
    for operation, data in REQUESTS.items()
    for path in texts(data)
    if (field := list(CONTRACT.at(CONTRACT.operation(operation).request, pointer_of(path)))[-1][1]) and field.required
]


@pytest.mark.parametrize(("operation", "path"), REQUIRED)
@pytest.mark.parametrize("text", ["", " \t"])
def test_no_required_text_may_be_empty_unless_the_policy_has_it_taken(
    open_desk: Callable[..., Desk], operation: str, path: tuple[str | int, ...], text: str
) -> None:
    desk, message = open_desk(), with_text(REQUESTS[operation], path, text)
    answer = desk.call(operation, message)
    assert answer["code"] == "PARAMS_INVALID"
    assert pointer_of(path) in answer["msg"] or path == ("integrate",)
    if desk.policy != "empty-texts, invalid-request":
        assert desk.policy == "invalid-request"  # a form or a shortest length of the contract
        return
    assert answer["msg"] == f"{pointer_of(path)} must not be empty (policy empty-texts)."
    taken = open_desk(empty_texts="taken")
    taken.call(operation, message)
    assert str(taken.policy).split(", ")[0] == "empty-texts"


def test_most_required_texts_have_no_shortest_length(open_desk: Callable[..., Desk]) -> None:
    desk, decided = open_desk(), 0
    for operation, path in REQUIRED:
        desk.call(operation, with_text(REQUESTS[operation], path, ""))
        decided += "empty-texts" in str(desk.policy)
    assert decided > len(REQUIRED) / 2


def test_an_empty_refund_number_moves_no_money(desk: Desk) -> None:
    desk.paid("ORD_1")
    for _ in range(2):
        assert desk.refund("", 5, outTradeNo="ORD_1")["code"] == "PARAMS_INVALID"
    assert desk.control("GET", "orders/ORD_1")["refundable"] == "10.50"


def test_an_empty_optional_text_is_as_good_as_none(desk: Desk) -> None:
    assert desk.checkout("ORD_1", reference="", language="")["code"] == "APPLY_SUCCESS"
    assert desk.policy is None


def unknown(desk: Desk) -> str | None:
    return dict(desk.reply.headers).get("x-sandbox-unknown-members")


UNKNOWN: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    ({"notifyURL": "https://shop.example/n"}, {}, "/data/notifyURL"),
    ({"billingInfo": {**ADDRESS, "eMail2": "x"}}, {}, "/data/billingInfo/eMail2"),
    ({"goodsDetails": [{"goodsId": "1", "goodsName": "a", "quantity": "1", "price": "1", "color": "red"}]}, {}, "/data/goodsDetails/0/color"),
    ({}, {"notifyUrl": "https://shop.example/n"}, "/notifyUrl"),
    ({"a,b\r\nc": 1, "é": 2}, {}, "/data/a%2Cb%0D%0Ac, /data/%C3%A9"),
    ({f"x{number}": 1 for number in range(10)}, {}, ", ".join(f"/data/x{number}" for number in range(8)) + ", and 2 more"),
    ({"y" * 500: 1}, {}, "/data/" + "y" * 94),
]  # fmt: skip


@pytest.mark.parametrize(("data", "root", "named"), UNKNOWN)
def test_members_that_no_table_has_are_named_or_refused(
    open_desk: Callable[..., Desk], data: dict[str, Any], root: dict[str, Any], named: str
) -> None:
    desk = open_desk()
    assert desk.call("orders.checkout", checkout_data("ORD_1", **data), **root)["code"] == "APPLY_SUCCESS"
    assert (desk.policy, unknown(desk)) == ("unknown-members", named)
    strict = open_desk(unknown_members="refused")
    answer = strict.call("orders.checkout", checkout_data("ORD_1", **data), **root)
    assert answer["code"] == "PARAMS_INVALID"
    assert answer["msg"].startswith("/")
    assert (strict.policy, unknown(strict)) == ("unknown-members, invalid-request", named)


def test_what_a_misspelled_member_was_meant_to_be_is_said(open_desk: Callable[..., Desk]) -> None:
    desk = open_desk(unknown_members="refused")
    for name, near in (("notifyURL", "notifyUrl"), ("notify_url", "notifyUrl"), ("expiretime", "expireTime")):
        msg = desk.checkout("ORD_1", **{name: "x"})["msg"]
        assert msg == f"/data/{name} is not in the contract (policy unknown-members). Did you mean {near}?"
    assert "mean" not in desk.checkout("ORD_1", zzz=1)["msg"]


def test_they_are_named_with_a_refusal_too(desk: Desk) -> None:
    """A misspelled required member is one that is missing, and one that no table has."""
    data = {name: value for name, value in checkout_data("ORD_1").items() if name != "outTradeNo"}
    answer = desk.call("orders.checkout", {**data, "outTradeNO": "ORD_1"})
    assert (answer["code"], unknown(desk)) == ("PARAMS_INVALID", "/data/outTradeNO")
    assert desk.policy == "unknown-members, invalid-request"


def test_what_the_contract_leaves_open_inside_is_no_unknown_member(desk: Desk) -> None:
    desk.checkout("ORD_1", riskParams={"anything": {"goes": 1}})
    assert (desk.policy, unknown(desk)) == (None, None)


def test_bank_style_calls_name_them_too(desk: Desk) -> None:
    Snap(desk).status("ORD_1", shopNote="x")
    assert (desk.policy, unknown(desk)) == ("unknown-members, absent", "/shopNote")


def test_an_answer_without_them_has_no_such_header(desk: Desk) -> None:
    desk.call("subscriptions.create", {**REQUESTS["subscriptions.create"], "subscriptionPlan": plan_data()})
    assert (desk.policy, unknown(desk)) == (None, None)
