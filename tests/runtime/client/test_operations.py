"""Every operation of the contract works through the client, in all three forms."""

from __future__ import annotations

from typing import Any

import pytest

from paywright import (
    Client,
    InvalidArgument,
    Merchant,
    MissingSetting,
    SnapAsymmetric,
    SnapSymmetric,
    operations,
    validate,
)
from tests.runtime.helpers.canned_gateway import Gateway, Reply
from tests.runtime.helpers.client_calls import ORDER, OUTBOUND, call_everything, call_example, example_of, operation_of


@pytest.fixture
def full_client(gateway: Gateway, merchant: Merchant) -> Client:
    merchant.snap_signature = SnapAsymmetric(merchant.signer)
    gateway.reply = example_of
    paths = {"payment_tokens.inquire": "/biz", "cases.inquire": "/biz"}
    return Client(base_url=gateway.base_url, merchant=merchant, timeout=60, paths=paths)


def test_every_operation_of_the_contract_is_a_method_that_works(full_client: Client, gateway: Gateway) -> None:
    results = call_everything(full_client)
    assert list(results) == [name for name in results if not isinstance(results[name], Exception)], results
    assert sorted(results) == sorted(OUTBOUND)


@pytest.mark.parametrize("name", OUTBOUND)
def test_every_operation_can_be_called_by_its_example(full_client: Client, name: str) -> None:
    assert call_example(full_client, name).answer.violations == []  # type: ignore[attr-defined]  # every result has an answer


def test_every_request_keeps_to_the_contract_headers_included(full_client: Client, gateway: Gateway) -> None:
    call_everything(full_client)
    judged = {
        operation_of(seen): validate(operation_of(seen), "request", seen.body, headers=seen.headers)
        for seen in gateway.seen
    }
    assert judged == {name: [] for name in OUTBOUND}


def test_every_request_says_that_it_is_json_and_asks_for_json(full_client: Client, gateway: Gateway) -> None:
    call_everything(full_client)
    for seen in gateway.seen:
        assert seen.headers["content-type"].partition(";")[0] == "application/json", operation_of(seen)
        assert seen.headers["accept"] == "application/json"
        assert seen.headers["user-agent"].startswith("paywright/")


def test_every_example_answer_is_read_without_a_violation(full_client: Client) -> None:
    for name, result in call_everything(full_client).items():
        assert result.answer.violations == [], name  # type: ignore[attr-defined]  # every result has an answer
        assert result.answer.unknown == [], name  # type: ignore[attr-defined]  # every result has an answer


def test_signed_bytes_are_sent_bytes(full_client: Client, gateway: Gateway, merchant: Merchant) -> None:
    order = full_client.orders.checkout(**ORDER)
    seen = gateway.seen[-1]
    assert order.answer.request == seen.body
    assert seen.headers["sign"] == merchant.signer.sign(seen.body)


def test_each_request_carries_the_merchants_numbers(full_client: Client, gateway: Gateway) -> None:
    call_everything(full_client)
    sent = {operation_of(seen): seen.json for seen in gateway.seen}
    assert sent["payment_links.query"]["merchantAppId"] == "app_1"
    assert "appId" not in sent["payment_links.query"]
    assert sent["withdrawals.query"]["memberId"] == "MB1"
    assert "merchantNo" not in sent["withdrawals.query"]
    assert sent["cases.search"]["spMerchantNo"] == "SP1"
    assert sent["payment_tokens.inquire"] | {} == {
        "merchantId": "MID1", "version": "2.6", "bizType": "inquirePaymentToken", "userId": "user_7001",
        "tokenScope": "tokenAcq",
    }  # fmt: skip


def test_bank_style_calls_carry_their_headers_and_no_envelope(full_client: Client, gateway: Gateway) -> None:
    full_client.snap.status(original_partner_reference_no="OPR1", service_code="54")
    status = gateway.seen[-1]
    full_client.snap.cancel(original_partner_reference_no="OPR1")
    cancel = gateway.seen[-1]
    assert status.json["additionalInfo"] == {"version": "1.4", "keyVersion": "1"}
    assert {
        "x-timestamp", "x-signature", "x-partner-id", "x-external-id", "channel-id", "sign",
    } <= status.headers.keys()  # fmt: skip
    assert "sign" not in cancel.headers  # of the status query alone [4.17]
    assert status.headers["x-external-id"] != cancel.headers["x-external-id"]
    assert len(status.headers["x-external-id"]) <= 36


def test_the_bank_style_signature_is_the_callers_choice(gateway: Gateway, merchant: Merchant) -> None:
    gateway.reply = example_of
    merchant.snap_signature = SnapSymmetric("client-secret", "token-1")
    with Client(base_url=gateway.base_url, merchant=merchant, timeout=60) as client:
        client.snap.cancel(original_partner_reference_no="OPR1")
    seen = gateway.seen[-1]
    expected = merchant.snap_signature.headers("POST", "/v1.0/debit/cancel", seen.body, seen.headers["x-timestamp"])
    assert seen.headers["x-signature"] == expected["X-SIGNATURE"]
    assert seen.headers["authorization"] == "Bearer token-1"


def test_an_unshown_address_is_a_missing_setting(gateway: Gateway, merchant: Merchant) -> None:
    with Client(base_url=gateway.base_url, merchant=merchant) as client, pytest.raises(MissingSetting) as caught:
        client.cases.inquire(case_id="C1")
    assert caught.value.names == ("paths[cases.inquire]",)
    assert 'Client(paths={"cases.inquire": "/..."})' in str(caught.value)
    assert gateway.seen == []


def test_what_a_call_needs_of_the_merchant_is_reported_all_at_once(gateway: Gateway, merchant: Merchant) -> None:
    merchant.merchant_id = merchant.snap_partner_id = merchant.snap_channel_id = None
    with Client(base_url=gateway.base_url, merchant=merchant) as client, pytest.raises(MissingSetting) as caught:
        client.snap.status(original_partner_reference_no="OPR1", service_code="54")
    assert set(caught.value.names) == {"merchant_id", "snap_partner_id", "snap_channel_id", "snap_signature"}
    assert "PAYWRIGHT_SNAP_PARTNER_ID" in str(caught.value)


def test_an_address_of_ones_own_wins(gateway: Gateway, merchant: Merchant) -> None:
    with Client(base_url=gateway.base_url, merchant=merchant, paths={"orders.query": "/elsewhere"}) as client:
        gateway.reply = Reply({"code": "ORDER_NOT_EXIST", "msg": "no"})
        with pytest.raises(Exception, match="ORDER_NOT_EXIST"):
            client.orders.query(out_trade_no="ORD_1")
    assert gateway.seen[-1].path == "/elsewhere"


def test_an_operation_may_be_called_by_its_name(full_client: Client) -> None:
    assert full_client.call(operations.ORDERS_QUERY, {"outTradeNo": "ORD_1"}).answer.code == "APPLY_SUCCESS"
    with pytest.raises(InvalidArgument, match="the gateway makes"):
        full_client.call_by_name("notifications.receive", {})
    with pytest.raises(InvalidArgument, match=r"Did you mean orders\.query"):
        full_client.call_by_name("orders.qery", {})
    named: Any = "orders.checkout"
    for call in (lambda: full_client.call(named, {}), lambda: full_client.resolve(named, key="ORD_1")):
        with pytest.raises(InvalidArgument, match=r"give a constant of paywright\.operations"):
            call()
