"""Enums: what the contract lists, and what the gateway sends all the same."""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import paywright
import paywright.contract
from paywright_receiver.items.state_order import state_order
from paywright_runtime.contract.open_enum import OpenEnum
from tests.support.contract import contract

NAMES = sorted(contract().sets)


def enum(name: str) -> type[OpenEnum]:
    return paywright.contract.CONTRACT.wire_set(name)


@pytest.mark.parametrize("name", NAMES)
def test_members_are_what_stands_on_the_wire(name: str) -> None:
    listed = contract().sets[name]
    assert [str(member) for member in enum(name)] == [value.wire for value in listed.values]
    for value, member in zip(listed.values, enum(name), strict=True):
        assert member == value.wire
        assert str(member) == value.wire
        assert f"{member}" == value.wire
        assert enum(name)(value.wire) is member
        assert member.is_known
        assert (member.is_final, member.is_paid) == (value.final, value.paid)
        assert member.is_settled == (value.final or value.settled)
        assert json.dumps(member) == json.dumps(value.wire)
        assert getattr(paywright, name) is enum(name)


def test_members_have_readable_names() -> None:
    pending: str = paywright.SnapTransactionStatus.PENDING
    assert pending == "03"
    for name in NAMES:
        for member in enum(name):
            assert member.name.isidentifier()
            assert member.name.upper() == member.name


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("text", ["ZZ_NEW", "", "pending", " PENDING", "日本", "UNKNOWN", "PENDING\x00"])
def test_an_unknown_value_is_kept_and_knows_that_it_is_unknown(name: str, text: str) -> None:
    cls = enum(name)
    if text in {str(member) for member in cls}:
        pytest.skip("this list has it")
    members = list(cls)
    one, other = cls(text), cls(text)
    assert isinstance(one, cls)
    assert isinstance(one, str)
    assert one == text
    assert one == other
    assert hash(one) == hash(text)
    assert {one: 1}[other] == 1
    assert one is not other, "unknown values are not cached, or a gateway could fill the memory"
    assert not (one.is_known)
    assert not (one.is_final)
    assert not (one.is_settled)
    assert not (one.is_paid)
    assert str(one) == text
    assert one.value == text  # type: ignore[comparison-overlap]  # seen from the base class, which has no members
    assert list(cls) == members
    assert text not in cls._value2member_map_
    for kept in (pickle.loads(pickle.dumps(one)), copy.copy(one), copy.deepcopy(one)):
        assert kept == one
        assert type(kept) is cls
        assert not kept.is_known
        assert not kept.is_paid
    assert repr(one)
    assert json.dumps(one) == json.dumps(text)


@given(st.text())
def test_any_text_makes_a_member_and_no_text_makes_money_move(text: str) -> None:
    for name in NAMES:
        member = enum(name)(text)
        assert member == text
        listed = {value.wire: value for value in contract().sets[name].values}
        assert member.is_known == (text in listed)
        assert member.is_paid == (text in listed and listed[text].paid)
        assert member.is_final == (text in listed and listed[text].final)
        assert member.is_settled == (text in listed and (listed[text].final or listed[text].settled))


# The states of the specification as the question `final-states` says they are read: final, final by its own word, paid. Of any
# other list the test above asks that its members are what the contract marks them as.
FINAL = {
    "OrderStatus": "FAILED BOUNCEBACK CLOSED", "OrderCreationStatus": "",
    "SubscriptionStatus": "EXPIRED FINISH CANCEL TERMINATE",
    "PeriodPaymentStatus": "SUCCESS FAILED CLOSED",
    "LastPaymentStatus": "SUCCESS", "RefundCreationStatus": "REFUND_FAILED",
    "RefundStatus": "REFUND_SUCCESS REFUND_FAILED",
    "LinkStatus": "EXPIRED", "LinkTransactionStatus": "SUCCESS CLOSE", "PaymentTokenStatus": "Deleted Expired",
    "ExchangeStatus": "SUCCESS FAILED", "WithdrawStatus": "SUCCESS FAILED", "TransferStatus": "SETTLED REJECTED",
    "SnapTransactionStatus": "00 05 06", "SnapCancelStatus": "05 06", "SnapRefundStatus": "00 06", "CaseStatus": "",
}  # fmt: skip
STATED = {"WithdrawStatus": "SUCCESS FAILED", "SnapTransactionStatus": "00"}
PAID = {
    "OrderStatus": "SUCCESS", "PeriodPaymentStatus": "SUCCESS", "LastPaymentStatus": "SUCCESS",
    "RefundStatus": "REFUND_SUCCESS", "LinkTransactionStatus": "SUCCESS", "ExchangeStatus": "SUCCESS",
    "WithdrawStatus": "SUCCESS", "TransferStatus": "SETTLED", "SnapTransactionStatus": "00", "SnapRefundStatus": "00",
}  # fmt: skip


def test_every_state_is_marked_as_it_is_read() -> None:
    assert {name for name, chosen in contract().sets.items() if chosen.states} >= FINAL.keys()
    for name in FINAL:
        members = list(enum(name))
        assert {str(one) for one in members if one.is_final} == set(FINAL[name].split()), name
        assert {str(one) for one in members if one.is_paid} == set(PAID.get(name, "").split()), name
        settled = {str(one) for one in members if one.is_settled and not one.is_final}
        assert paywright.contract.CONTRACT.set(name).stated == tuple(STATED.get(name, "").split()), name
        assert settled == ({"SUCCESS"} if name == "OrderStatus" else set()), name


@pytest.mark.parametrize("name", sorted({move.set for move in paywright.contract.CONTRACT.moves()}))
def test_the_order_of_states_names_states_of_its_own_list_alone(name: str) -> None:
    order, _ = state_order(paywright.contract.CONTRACT, name)
    assert set(order) == set(paywright.contract.CONTRACT.set(name).values)
    for state, one in order.items():
        assert one.later | one.excluded | one.earlier <= order.keys() - {state}


def test_only_its_return_comes_after_an_order_that_was_paid() -> None:
    order, unlisted = state_order(paywright.contract.CONTRACT, "OrderStatus")
    every = {"SUCCESS", "FAILED", "PENDING", "BOUNCEBACK", "CLOSED"}
    assert order["PENDING"].later == every - {"PENDING"}
    assert (order["SUCCESS"].later, order["SUCCESS"].earlier) == ({"BOUNCEBACK"}, frozenset())
    assert (order["BOUNCEBACK"].later, order["BOUNCEBACK"].earlier) == (frozenset(), {"SUCCESS"})
    # Money that comes after a failure is handled; a failure after money contradicts it.
    assert order["SUCCESS"].excluded == frozenset()
    assert order["BOUNCEBACK"].excluded == {"FAILED", "CLOSED"}
    assert order["FAILED"].excluded == {"SUCCESS", "BOUNCEBACK", "CLOSED"}
    assert unlisted.excluded == every - {"PENDING"}


@pytest.mark.parametrize("value", [None, 3, 3.0, True, b"03", ["03"]])
def test_what_is_no_text_is_no_member(value: Any) -> None:
    with pytest.raises(ValueError, match="is not a valid"):
        enum("SnapTransactionStatus")(value)
