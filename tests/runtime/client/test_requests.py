"""What the merchant writes is refused before anything is sent, all violations at once."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import anyio
import pytest

from paywright import (
    Client,
    ContractViolation,
    FixedClock,
    GatewayError,
    HostedPaymentDetail,
    HostedPlan,
    InvalidArgument,
    Merchant,
    Money,
    NewPlan,
    OrderGoods,
    PeriodRule,
    PeriodUnit,
    SnapAsymmetric,
    contract,
)
from paywright.aio import Client as AsyncClient
from paywright.contract import CONTRACT
from paywright_cli.commands.call import arguments_of_example
from paywright_runtime import strict_json
from paywright_runtime.client.settings import Validation
from paywright_runtime.signing.keys import KeyPair
from tests.runtime.helpers.canned_gateway import Gateway, Reply
from tests.runtime.helpers.client_calls import ORDER, ORDER_CREATED, OUTBOUND, REFUND, example_of


def places(error: ContractViolation) -> list[tuple[str, str]]:
    return [(violation.pointer, violation.code) for violation in error.violations]


@pytest.mark.parametrize(
    ("change", "pointer", "code"),
    [
        ({"out_trade_no": "x" * 64}, "/data/outTradeNo", "max"),
        ({"out_trade_no": "ORD-1"}, "/data/outTradeNo", "format"),
        ({"total_amount": 10.5}, "/data/totalAmount", "type"),
        ({"total_amount": True}, "/data/totalAmount", "type"),
        ({"total_amount": Decimal("NaN")}, "/data/totalAmount", "type"),
        ({"total_amount": Decimal("1E+1000000")}, "/data/totalAmount", "json"),
        ({"currency": "usd"}, "/data/currency", "format"),
        ({"subject": "\ud800"}, "/data/subject", "json"),
        ({"subject": 5}, "/data/subject", "type"),
        ({"expire_time": "86401"}, "/data/expireTime", "range"),
        ({"front_callback_url": "no address"}, "/data/frontCallbackUrl", "format"),
        ({"payment_detail": {"paymentMethodType": "CARD"}}, "/data/paymentDetail", "type"),
        ({"payment_detail": HostedPaymentDetail(mit_type="SOMETIMES")}, "/data/paymentDetail/mitType", "value"),  # type: ignore[arg-type]  # on purpose
        (
            {"payment_detail": HostedPaymentDetail(target_org="X"), "country": "SG"},
            "/data/paymentDetail/paymentMethodType",
            "target-needs-method",
        ),
        ({"payment_detail": HostedPaymentDetail(payment_method_type="CARD")}, "/data/country", "method-needs-country"),
        ({"risk_params": {"score": 0.5}}, "/data/riskParams/score", "type"),
    ],
)
def test_a_bad_argument_is_refused_and_nothing_is_sent(
    client: Client, gateway: Gateway, change: dict[str, Any], pointer: str, code: str
) -> None:
    with pytest.raises(ContractViolation) as caught:
        client.orders.checkout(**{**ORDER, **change})
    assert (pointer, code) in places(caught.value)
    assert "Nothing was sent" in str(caught.value)
    assert gateway.seen == []


def test_all_violations_are_told_at_once_by_python_names(client: Client) -> None:
    with pytest.raises(ContractViolation) as caught:
        client.orders.checkout(
            **{**ORDER, "currency": "usd", "subject": "s" * 257, "notify_url": "ftp://x", "total_amount": 1.5}
        )
    assert places(caught.value) == [
        ("/data/totalAmount", "type"),
        ("/data/subject", "max"),
        ("/data/currency", "format"),
        ("/data/notifyUrl", "format"),
    ]
    text = str(caught.value)
    assert "total_amount must not be a float" in text
    assert "subject has 257 characters, at most 256 are allowed [4.1]" in text
    assert "spec/" not in text, "a file that an installed package does not have"


def test_a_missing_rule_partner_names_the_rule(client: Client) -> None:
    with pytest.raises(ContractViolation) as caught:
        client.refunds.create(**{**REFUND, "out_trade_no": None})
    assert places(caught.value) == [("/data/outTradeNo", "which-order")]
    assert "need out_trade_no or trade_token [4.13]" in str(caught.value)


@pytest.mark.parametrize("validation", ["refuse", "report", "off"])
def test_a_key_without_a_query_is_refused(validation: Validation, gateway: Gateway, merchant: Merchant) -> None:
    key = "x" * 63
    gateway.reply = Reply({**ORDER_CREATED, "data": {**ORDER_CREATED["data"], "outTradeNo": key}})  # type: ignore[dict-item]  # it is a dict
    with Client(base_url=gateway.base_url, merchant=merchant, validation=validation) as client:
        assert client.orders.checkout(**{**ORDER, "out_trade_no": key}).out_trade_no == key
        with pytest.raises(ContractViolation, match=r"has 64 characters, and orders\.query cannot ask for it"):
            client.orders.checkout(**{**ORDER, "out_trade_no": key + "x"})
    assert len(gateway.seen) == 1


@pytest.mark.parametrize("validation", ["refuse", "report", "off"])
@pytest.mark.parametrize("key", ["", " ", "\t\n\u00a0", None])
@pytest.mark.parametrize("name", [name for name in OUTBOUND if contract.operation(name).write])
def test_a_write_without_a_key_is_never_sent(
    gateway: Gateway, merchant: Merchant, name: str, key: str | None, validation: Validation
) -> None:
    merchant.snap_signature = SnapAsymmetric(merchant.signer)
    operation = contract.operation(name)
    pointer = "/".join(("", *filter(None, (operation.payloads[0], operation.key))))
    values = {**arguments_of_example(CONTRACT, operation), str(operation.key): key}

    async def awaited() -> None:
        async with AsyncClient(base_url=gateway.base_url, merchant=merchant, validation=validation) as other:
            await other.call_by_name(name, values)

    with Client(base_url=gateway.base_url, merchant=merchant, validation=validation) as client:
        for call in (lambda: client.call_by_name(name, values), lambda: anyio.run(awaited)):
            with pytest.raises(ContractViolation, match="only with it can this call be repeated or settled") as refused:
                call()
            assert (pointer, "required") in places(refused.value)
    assert not gateway.seen


def test_a_key_that_its_query_takes_whole_has_the_length_of_its_contract(gateway: Gateway, client: Client) -> None:
    gateway.reply = Reply({"code": "TOO_MANY_REQUEST", "msg": "no"})
    with pytest.raises(GatewayError):
        client.refunds.create(**{**REFUND, "out_refund_no": "R" * 64})
    with pytest.raises(ContractViolation):
        client.refunds.create(**{**REFUND, "out_refund_no": "R" * 65})


def test_text_amounts_are_sent_as_text(client: Client, gateway: Gateway) -> None:
    gateway.reply = Reply(ORDER_CREATED)
    goods = OrderGoods(goods_id="g", goods_name="Tea", quantity="2", price=Decimal("5.20"), goods_currency="USD")
    client.orders.checkout(**ORDER, goods_details=[goods])
    assert b'"price":"5.20"' in gateway.seen[-1].body


def merchant_of(gateway: Gateway, keys: KeyPair, **numbers: str) -> Merchant:
    named: dict[str, Any] = {"app_id": "app_1", "merchant_no": "M100", **numbers}
    return Merchant(private_key=keys.private_pem, gateway_keys=[gateway.keys.public_pem], **named)


@pytest.mark.parametrize(
    "app_id", ['a "quoted" \\ one', '","data":{}', '"data":{}', "2025-06-01T12:00:00.000+00:00", "%s {} 票", "x" * 500]
)
def test_any_merchants_number_fits_the_envelope(gateway: Gateway, merchant_keys: KeyPair, app_id: str) -> None:
    gateway.reply = Reply(ORDER_CREATED)
    clock = FixedClock(datetime(2025, 6, 1, 12, 30, tzinfo=UTC))
    merchant = merchant_of(gateway, merchant_keys, app_id=app_id)
    with Client(base_url=gateway.base_url, merchant=merchant, clock=clock) as client:
        for _ in range(2):
            client.orders.checkout(**ORDER)
            clock.advance(1)
    first, second = (seen.json for seen in gateway.seen)
    assert list(first) == ["version", "keyVersion", "requestTime", "appId", "merchantNo", "data"]
    assert first["appId"] == second["appId"] == app_id
    assert first["data"] == second["data"]
    assert first["requestTime"] == "2025-06-01T12:30:00.000+00:00"
    assert second["requestTime"] == "2025-06-01T12:30:01.000+00:00"


def test_wrong_numbers_of_the_merchant_are_refused(gateway: Gateway, merchant_keys: KeyPair) -> None:
    merchant = merchant_of(gateway, merchant_keys, app_id="\ud800", merchant_no="M" * 33)
    with Client(base_url=gateway.base_url, merchant=merchant) as client:
        for _ in range(2):
            with pytest.raises(ContractViolation) as caught:
                client.orders.checkout(**{**ORDER, "currency": "usd"})
            assert places(caught.value) == [("/merchantNo", "max"), ("/data/currency", "format"), ("/appId", "json")]
    assert gateway.seen == []


@pytest.mark.parametrize(("levels", "sent"), [(61, True), (62, False)])
def test_a_request_has_at_most_64_levels(client: Client, gateway: Gateway, levels: int, sent: bool) -> None:
    gateway.reply = Reply(ORDER_CREATED)
    deep: dict[str, object] = {}
    for _ in range(levels):
        deep = {"x": deep}
    if sent:
        client.orders.checkout(**{**ORDER, "risk_params": deep})
        assert strict_json.parse(gateway.seen[-1].body) == gateway.seen[-1].json
    else:
        with pytest.raises(ContractViolation) as caught:
            client.orders.checkout(**{**ORDER, "risk_params": deep})
        assert places(caught.value) == [("/data/riskParams" + "/x" * 62, "json")]
        assert gateway.seen == []


def test_text_of_any_script_is_sent_raw_in_utf8(client: Client, gateway: Gateway) -> None:
    gateway.reply = Reply(ORDER_CREATED)
    client.orders.checkout(**{**ORDER, "subject": "Zwölf 票 🎫"})
    assert "Zwölf 票 🎫".encode() in gateway.seen[-1].body


def test_members_of_value_lists_and_times_are_written_in_their_form(client: Client, gateway: Gateway) -> None:
    plan = NewPlan(
        subject="Weekly",
        total_periods=3,
        first_period_start_date=datetime(2025, 2, 26, 12, tzinfo=UTC),
        period_rule=PeriodRule(period_unit=PeriodUnit.WEEK, period_count=1),
        period_amount=Money(amount=Decimal("5"), currency="USD"),
        prices=[],
    )
    gateway.reply = Reply({"code": "PARAMS_INVALID", "msg": ""})
    with pytest.raises(Exception, match="PARAMS_INVALID"):
        client.subscriptions.create(
            subscription_request_id="s1", user_id="u1", callback_url="https://x.example/", subscription_plan=plan
        )
    sent = gateway.seen[-1].json["data"]["subscriptionPlan"]  # type: ignore[index]  # it is a dict
    assert sent["firstPeriodStartDate"] == "2025-02-26T12:00:00+00:00"
    assert sent["periodRule"] == {"periodUnit": "W", "periodCount": 1}
    assert sent["prices"] == []


@pytest.mark.parametrize(
    ("start", "written"),
    [
        (date(2025, 2, 26), "2025-02-26"),
        (datetime(2025, 2, 26, 12, tzinfo=UTC), "2025-02-26T12:00:00+00:00"),
        ("2025-02-26", "2025-02-26"),
    ],
)
def test_an_order_plan_begins_on_a_day_or_time(client: Client, gateway: Gateway, start: Any, written: str) -> None:
    gateway.reply = Reply(ORDER_CREATED)
    client.orders.checkout(**ORDER, subscription_plan=HostedPlan(first_period_start_date=start))
    assert gateway.seen[-1].json["data"]["subscriptionPlan"] == {"firstPeriodStartDate": written}  # type: ignore[index]  # a dict


def test_the_time_of_a_bank_style_payment_fits_into_25_characters(gateway: Gateway, merchant: Merchant) -> None:
    merchant.snap_signature = SnapAsymmetric(merchant.signer)
    gateway.reply = example_of
    at = datetime(2025, 2, 26, 12, 0, 0, 5000, timezone(timedelta(hours=7)))
    with Client(base_url=gateway.base_url, merchant=merchant) as client:
        client.snap.status(original_partner_reference_no="OPR0001", service_code="54", transaction_date=at)
    assert gateway.seen[-1].json["transactionDate"] == "2025-02-26T12:00:00+07:00"


@pytest.mark.parametrize(
    ("start", "said"),
    [
        (datetime(2025, 2, 26), "must be an aware datetime"),
        (date(2025, 2, 26), "must be a datetime, not a Python date"),
    ],
)
def test_what_is_no_moment_is_refused(client: Client, start: Any, said: str) -> None:
    plan = NewPlan(subject="W", total_periods=3, first_period_start_date=start, prices=[])
    with pytest.raises(ContractViolation) as caught:
        client.subscriptions.create(
            subscription_request_id="s1", user_id="u1", callback_url="https://x.example/", subscription_plan=plan
        )
    assert said in str(caught.value)
    assert "a string" not in str(caught.value)


@pytest.mark.parametrize("name", ["subject", "totalAmount", "TotalAmount", "TOTALAMOUNT", "total_amount"])
def test_extra_shadows_no_member_of_the_contract(client: Client, gateway: Gateway, name: str) -> None:
    with pytest.raises(InvalidArgument, match=r"extra is for members newer than the contract, .* is one of its own"):
        client.orders.checkout(**ORDER, extra={name: "x"})
    assert gateway.seen == []


def test_extra_members_are_sent_and_known_ones_refused(client: Client, gateway: Gateway) -> None:
    gateway.reply = Reply(ORDER_CREATED)
    client.orders.checkout(**ORDER, extra={"brandNew": {"a": 1}})
    assert gateway.seen[-1].json["data"]["brandNew"] == {"a": 1}  # type: ignore[index]  # it is a dict
    with pytest.raises(InvalidArgument, match="pass subject="):
        client.orders.checkout(**ORDER, extra={"subject": "x"})


def test_report_sends_and_tells_afterwards_and_off_does_not_judge(gateway: Gateway, merchant: Merchant) -> None:
    gateway.reply = Reply(ORDER_CREATED)
    with Client(base_url=gateway.base_url, merchant=merchant, validation="report") as client:
        order = client.orders.checkout(**{**ORDER, "currency": "usd"})
        assert [(one.pointer, one.code) for one in order.answer.warnings] == [("/data/currency", "format")]
    with Client(base_url=gateway.base_url, merchant=merchant, validation="off") as client:
        assert client.orders.checkout(**{**ORDER, "currency": "usd"}).answer.warnings == ()


@pytest.mark.parametrize("subject", [7, True, ["Two tickets"]])
def test_a_wrong_type_is_refused_even_when_reporting(gateway: Gateway, merchant: Merchant, subject: Any) -> None:
    with (
        Client(base_url=gateway.base_url, merchant=merchant, validation="report") as client,
        pytest.raises(ContractViolation) as caught,
    ):
        client.orders.checkout(**{**ORDER, "subject": subject})
    assert caught.value.operation == "orders.checkout"
    assert [(one.pointer, one.code) for one in caught.value.violations] == [("/data/subject", "type")]
    assert not gateway.seen


@pytest.mark.parametrize("validation", ["refuse", "report", "off"])
def test_a_float_is_refused_whatever_the_setting(gateway: Gateway, merchant: Merchant, validation: Any) -> None:
    with (
        Client(base_url=gateway.base_url, merchant=merchant, validation=validation) as client,
        pytest.raises(ContractViolation),
    ):
        client.orders.checkout(**{**ORDER, "total_amount": 10.5})
    assert gateway.seen == []
