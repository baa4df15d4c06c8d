"""Operations are found by their address and by what tells them apart there; amounts of messages by the contract's pointers."""

from __future__ import annotations

from decimal import Decimal

import pytest

from paywright.contract import CONTRACT
from paywright_runtime.contract.addresses import Addresses, is_for, operation_for, question_of

_BIZ = {"payment_tokens.inquire": "/biz", "cases.inquire": "/biz"}


def test_operations_of_one_address_are_told_apart_by_a_member() -> None:
    addresses = Addresses(CONTRACT)
    here = addresses.calls["/aggregate-pay/api/gateway/orderAndPay"]
    assert [one.name for one in here] == ["orders.checkout", "orders.drop_in"]
    for operation in here:
        body = CONTRACT.example(f"{operation.name}.request")
        assert operation_for(here, body) is operation
        assert [is_for(one, body) for one in here] == [one is operation for one in here]
    assert operation_for(here, {"data": {"integrate": "Something_Else"}}) is None
    assert operation_for(here, []) is None


def test_the_only_operation_of_an_address_takes_every_body() -> None:
    here = Addresses(CONTRACT).calls["/aggregate-pay/api/gateway/refund"]
    assert operation_for(here, None) is here[0]


def test_operations_without_an_address_have_none_until_it_is_given() -> None:
    assert {one.name for one in Addresses(CONTRACT).unplaced} == _BIZ.keys()
    placed = Addresses(CONTRACT, _BIZ)
    assert placed.unplaced == ()
    assert {one.name for one in placed.calls["/biz"]} == _BIZ.keys()


def test_an_operation_without_an_address_may_come_to_a_shared_one() -> None:
    only = {"cases.inquire": "/biz"}
    assert [one.name for one in Addresses(CONTRACT, only).calls["/biz"]] == ["cases.inquire"]
    shared = Addresses(CONTRACT, only, shared=True).calls["/biz"]
    assert [one.name for one in shared] == ["cases.inquire", "payment_tokens.inquire"]


def test_what_the_merchant_is_asked_is_found_by_the_path_that_is_shown() -> None:
    addresses = Addresses(CONTRACT)
    shown = {one.path: one for one in addresses.inbound if one.path is not None}
    assert shown.keys() >= {"/billPaymentValidationUrl"}
    assert addresses.hooks == shown
    assert Addresses(CONTRACT, {"notifications.receive": "/mine"}).hooks["/mine"].name == "notifications.receive"


def test_a_given_path_replaces_that_of_the_contract() -> None:
    calls = Addresses(CONTRACT, {"refunds.create": "/mine"}).calls
    assert [one.name for one in calls["/mine"]] == ["refunds.create"]
    assert "/aggregate-pay/api/gateway/refund" not in calls


def test_a_question_is_known_by_its_required_members() -> None:
    body = CONTRACT.example("merchant.validate_bill_payment.request")
    found = question_of(CONTRACT, body)
    assert found is not None
    assert found.name == "merchant.validate_bill_payment"
    del body["amount"]
    assert question_of(CONTRACT, body) is None
    assert question_of(CONTRACT, None) is None


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ({"data": {"totalAmount": Decimal("10.50"), "currency": "USD"}}, "10.50 USD"),
        ({"data": {"totalAmount": "10.50"}}, "10.50"),
        ({"data": {"totalAmount": True, "currency": ["USD"]}}, ""),
        ({"data": []}, ""),
        (None, ""),
    ],
)
def test_the_amount_of_a_message_is_read_where_the_contract_says(body: object, text: str) -> None:
    amount = CONTRACT.operation("orders.checkout").amount
    assert amount is not None
    assert amount.text(body) == text
