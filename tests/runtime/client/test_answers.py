"""What the gateway writes is read tolerantly, and never taken for more than it is."""

from __future__ import annotations

import copy
import pickle
from contextlib import nullcontext
from datetime import timedelta, timezone
from decimal import Decimal
from typing import Any

import pytest

from paywright import (
    Client,
    GatewayError,
    Merchant,
    NoAnswer,
    OrderStatus,
    OutcomeUnknown,
    RatePair,
    UnreadableAnswer,
    UnreadableWrite,
    contract,
)
from tests.runtime.helpers.canned_gateway import Gateway, Reply
from tests.runtime.helpers.client_calls import EXCHANGE, ORDER, ORDER_CREATED, ORDER_FOUND, REFUND


def changed(answer: dict[str, object], **members: object) -> Reply:
    body: dict[str, Any] = copy.deepcopy(answer)
    for name, value in members.items():
        if value is ...:
            del body["data"][name]
        else:
            body["data"][name] = value
    return Reply(body)


def test_an_order_is_read_into_its_types(client: Client, gateway: Gateway) -> None:
    gateway.reply = Reply(ORDER_FOUND)
    order = client.orders.query(out_trade_no="ORD_1")
    assert order.status is OrderStatus.SUCCESS
    assert order.status.is_paid
    assert order.trade.amount == Decimal("10.50")
    assert str(order.source.fee) == "0.10"
    assert order.pay_finish_time is not None
    assert order.pay_finish_time.tzinfo == timezone(timedelta(hours=8))
    assert order.transaction_utc_time is not None
    assert order.pay_finish_time - order.transaction_utc_time == timedelta(seconds=7)
    assert (order.answer.code, order.answer.msg) == ("APPLY_SUCCESS", "Success.")
    assert order.answer.violations == []


@pytest.mark.parametrize(
    ("members", "attribute", "value"),
    [
        ({"trade": {"amount": 10.50, "currency": "USD"}}, "trade.amount", Decimal("10.5")),
        ({"tradeNo": 12345}, "trade_no", "12345"),
        ({"payFinishTime": "2025-06-01T04:00:07Z"}, "pay_finish_time.hour", 4),
        ({"payFinishTime": "2025-06-01T12:00:07.123+08:00"}, "pay_finish_time.microsecond", 123000),
        ({"payFinishTime": ""}, "pay_finish_time", None),
        ({"additionalIdentifier": None}, "additional_identifier", None),
        ({"status": "SOMETHING_NEW"}, "status.is_known", False),
    ],
)
def test_real_messages_are_not_exact_and_are_read_all_the_same(
    client: Client, gateway: Gateway, members: dict[str, object], attribute: str, value: object
) -> None:
    gateway.reply = changed(ORDER_FOUND, **members)
    found: object = client.orders.query(out_trade_no="ORD_1")
    for name in attribute.split("."):
        found = getattr(found, name)
    assert found == value


def test_an_order_whose_amounts_are_not_known_yet_is_read(client: Client, gateway: Gateway) -> None:
    unknown = {"amount": "", "currency": ""}
    gateway.reply = changed(ORDER_FOUND, status="PENDING", source=unknown, destination=unknown)
    order = client.orders.query(out_trade_no="ORD_1")
    assert (order.status, order.destination.amount, order.destination.currency) == (OrderStatus.PENDING, None, "")
    assert order.answer.violations == []


def test_an_order_without_the_amount_that_was_asked_for_is_not_read(client: Client, gateway: Gateway) -> None:
    gateway.reply = changed(ORDER_FOUND, trade={"amount": "", "currency": "USD"})
    with pytest.raises(UnreadableAnswer):
        client.orders.query(out_trade_no="ORD_1")


def test_departures_from_the_contract_are_listed_and_unknown_members_kept(client: Client, gateway: Gateway) -> None:
    gateway.reply = changed(ORDER_FOUND, tradeNo=7, brandNew={"a": 1}, status="SOMETHING_NEW")
    answer = client.orders.query(out_trade_no="ORD_1").answer
    assert [(one.pointer, one.code) for one in answer.violations] == [
        ("/data/tradeNo", "type"),
        ("/data/status", "value"),
    ]
    assert answer.unknown == ["/data/brandNew"]
    assert answer.body["data"]["brandNew"] == {"a": 1}  # type: ignore[index,call-overload]  # it is a dict


def test_a_result_survives_a_pickle_without_bodies_and_headers(client: Client, gateway: Gateway) -> None:
    """As task queues, caches and pools of processes make one. Its copies lose nothing."""
    gateway.reply = changed(ORDER_FOUND, tradeNo=7, fresh="4444333322221111")
    order = client.orders.query(out_trade_no="ORD_1")
    for alike in (copy.copy(order), copy.deepcopy(order)):
        assert (alike, alike.answer.raw, alike.answer.body) == (order, gateway.reply.body, order.answer.body)
    assert b"4444333322221111" not in pickle.dumps(order)
    for again in (once := pickle.loads(pickle.dumps(order)), pickle.loads(pickle.dumps(once))):
        kept, answer = again.answer, order.answer
        assert again == order
        assert (kept.code, kept.msg, kept.attempts) == (answer.code, answer.msg, answer.attempts)
        assert (kept.violations, kept.unknown) == (answer.violations, answer.unknown)
        assert kept.violations
        assert kept.unknown
        assert (kept.raw, kept.request, kept.body, kept.headers) == (b"", b"", {}, ())


def test_strict_answers_refuse_what_departs(gateway: Gateway, merchant: Merchant) -> None:
    gateway.reply = changed(ORDER_FOUND, tradeNo=7)
    with (
        Client(base_url=gateway.base_url, merchant=merchant, strict_answers=True) as client,
        pytest.raises(UnreadableAnswer) as caught,
    ):
        client.orders.query(out_trade_no="ORD_1")
    assert [one.pointer for one in caught.value.violations] == ["/data/tradeNo"]


def test_an_answer_without_a_required_member_is_unreadable(client: Client, gateway: Gateway) -> None:
    gateway.reply = changed(ORDER_CREATED, tradeToken=...)
    with pytest.raises(UnreadableWrite) as caught:
        client.orders.checkout(**ORDER)
    assert (caught.value.key, caught.value.raw) == ("ORD_1", gateway.reply.body)
    assert [(one.pointer, one.code) for one in caught.value.violations] == [("/data/tradeToken", "required")]


def test_a_time_that_cannot_be_read_is_none_and_a_violation(client: Client, gateway: Gateway) -> None:
    """Also where the contract allows it: `rateTime` may have any 13 characters [2.9]."""
    gateway.reply = changed(contract.example("exchanges.create.response"), rateTime="2025-06-01T12")
    made = client.exchanges.create(**EXCHANGE)
    assert made.rate_time is None
    assert [(one.pointer, one.code) for one in made.answer.violations] == [("/data/rateTime", "format")]


def test_an_answer_to_another_order_is_no_answer(client: Client, gateway: Gateway) -> None:
    gateway.reply = changed(ORDER_CREATED, outTradeNo="ORD_2")
    with pytest.raises(OutcomeUnknown) as unknown:
        client.orders.checkout(**ORDER)
    assert (unknown.value.reason, unknown.value.key) == ("wrong_echo", "ORD_1")
    gateway.reply = changed(ORDER_FOUND, outTradeNo="ORD_2")
    with pytest.raises(NoAnswer):
        client.orders.query(out_trade_no="ORD_1")


def test_order_keys_are_compared_without_case_and_refund_keys_with_it(client: Client, gateway: Gateway) -> None:
    gateway.reply = changed(ORDER_CREATED, outTradeNo="ord_1")
    assert client.orders.checkout(**ORDER).out_trade_no == "ord_1"
    gateway.reply = changed(ORDER_FOUND, outTradeNo="ord_1")
    assert client.orders.query(out_trade_no="ORD_1").out_trade_no == "ord_1"
    refund = {"outRefundNo": "ref_1", "tradeOrderNo": "t", "refundTradeNo": "r", "status": "REFUND_PENDING"}
    gateway.reply = Reply({"code": "APPLY_SUCCESS", "msg": "", "data": refund})
    with pytest.raises(OutcomeUnknown):
        client.refunds.create(**REFUND)


def test_a_refusal_that_repeats_another_key_is_no_answer(client: Client, gateway: Gateway) -> None:
    for code in ("ORDER_NOT_EXIST", "PARAMS_INVALID"):
        gateway.reply = Reply({"code": code, "msg": "", "data": {"outTradeNo": "ORD_2", "status": "SUCCESS"}})
        with pytest.raises(NoAnswer) as caught:
            client.orders.query(out_trade_no="ORD_1")
        assert caught.value.reason == "wrong_echo"
    gateway.reply = Reply({"code": "PARAMS_INVALID", "msg": "", "data": {"outRefundNo": "REF_2"}})
    with pytest.raises(OutcomeUnknown) as unknown:
        client.refunds.create(**REFUND)
    assert unknown.value.reason == "wrong_echo"


@pytest.mark.parametrize("data", [{}, {"outTradeNo": ""}, {"outTradeNo": None}, {"outTradeNo": "ord_1"}, {"more": 1}])
def test_a_refusal_with_our_key_or_none_is_one(client: Client, gateway: Gateway, data: dict[str, object]) -> None:
    gateway.reply = Reply({"code": "PARAMS_INVALID", "msg": "", "data": data})
    with pytest.raises(GatewayError):
        client.orders.query(out_trade_no="ORD_1")


def test_an_absent_order_that_is_shown_is_a_violation(client: Client, gateway: Gateway) -> None:
    gateway.reply = Reply({"code": "ORDER_NOT_EXIST", "msg": "", "data": {"outTradeNo": "ORD_1", "status": "SUCCESS"}})
    with pytest.raises(GatewayError) as caught:
        client.orders.query(out_trade_no="ORD_1")
    assert caught.value.answer is not None
    assert ("/data", "absent-without-data") in [(one.pointer, one.code) for one in caught.value.answer.violations]


def test_printing_a_result_shows_no_card_and_no_token(client: Client, gateway: Gateway) -> None:
    token = {
        "paymentTokenID": "CANARY-TOKEN", "userId": "u1", "tokenScope": "tokenAcq", "paymentTokenStatus": "Activated",
        "paymentTokenExpiry": "2027-06-01T12:00:00.000+08:00", "cardInfo": "444433******1111", "paymentMethodType": "CARD",
    }  # fmt: skip
    gateway.reply = Reply({"code": "APPLY_SUCCESS", "msg": "Success.", "data": {"tokenList": [token]}})
    tokens = client.payment_tokens.list(user_id="u1")
    assert tokens.token_list[0].payment_token_id == "CANARY-TOKEN"
    assert "CANARY" not in repr(tokens)
    assert "4444" not in repr(tokens)


@pytest.mark.parametrize("form", ["list", "inquire"])
def test_a_list_with_another_users_token_is_no_answer(client: Client, gateway: Gateway, form: str) -> None:
    name = f"payment_tokens.{form}"
    answer = contract.CONTRACT.example(f"{name}.response")
    data = answer["data"]
    assert isinstance(data, dict)
    (token,) = data["tokenList"]
    values = {"userId": token["userId"]}
    gateway.reply = Reply({**answer, "data": {"tokenList": [token, {**token, "userId": ""}]}})
    with pytest.raises(UnreadableAnswer, match="user_id is required"):
        client.call_by_name(name, values)
    gateway.reply = Reply({**answer, "data": {"tokenList": [token, {**token, "userId": "somebody"}]}})
    with pytest.raises(NoAnswer) as caught:
        client.call_by_name(name, values)
    assert caught.value.reason == "wrong_echo"


PAIRS = [("EUR", "USD", "BUY"), ("GBP", "JPY", "SELL")]
"""Of the rates that are asked for: transaction currency, target currency and side."""


@pytest.mark.parametrize(
    ("pairs", "is_answer"),
    [
        ([], True),
        ([PAIRS[0]], True),
        ([PAIRS[1], PAIRS[0], PAIRS[1]], True),
        ([("", "USD", "SELL")], False),
        ([("USD", "EUR", "BUY")], False),
        ([("EUR", "USD", "SELL")], False),
        ([("EUR", "JPY", "BUY")], False),
        ([PAIRS[0], ("GBP", "USD", "BUY")], False),
    ],
)
def test_rates_that_were_not_asked_for_are_no_answer(
    client: Client, gateway: Gateway, pairs: list[tuple[str, str, str]], is_answer: bool
) -> None:
    names = ("transactionCurrency", "targetCurrency", "side")
    answer: Any = contract.example("rates.query.response")
    (rate,) = answer["data"]["currencyList"]
    answer["data"]["currencyList"] = [{**rate, **dict(zip(names, pair, strict=True))} for pair in pairs]
    gateway.reply = Reply(answer)
    asked = [RatePair(transaction_currency=one, target_currency=other, side=side) for one, other, side in PAIRS]
    with nullcontext() if is_answer else pytest.raises(NoAnswer, match="another request"):
        assert len(client.rates.query(ccy_pair_list=asked, product="PAY_IN").currency_list) == len(pairs)


@pytest.mark.parametrize(
    ("changes", "is_answer"),
    [
        ({}, True),
        ({"productType": "collect", "memberId": "another"}, True),
        ({"merchantNo": "M9"}, False),
        ({"productType": "payout"}, False),
    ],
)
def test_accounts_of_another_merchant_or_product_are_no_answer(
    client: Client, gateway: Gateway, merchant: Merchant, changes: dict[str, str], is_answer: bool
) -> None:
    answer: Any = contract.example("accounts.list_authorized.response")
    (account,) = answer["data"]["merchantAuthorizedAccountInfoList"]
    account |= {"merchantNo": merchant.merchant_no, **changes}
    gateway.reply = Reply(answer)
    with nullcontext() if is_answer else pytest.raises(NoAnswer, match="another request"):
        client.accounts.list_authorized(product_type_list=["payin", "collect"])
