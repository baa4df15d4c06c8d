"""Rates, exchanges, withdraw orders, accounts, cases and the bank-style calls through the generated client."""

from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from paywright import Client, Merchant
from paywright.models.rates import RatePair
from paywright_runtime.client.settings import client_settings_from, merchant_from
from paywright_runtime.clock import FixedClock
from paywright_runtime.errors import AlreadyPlaced, GatewayError, OutcomeUnknown
from paywright_sandbox.testing.served import RunningSandbox, running_sandbox
from tests.sandbox.helpers.place import place


@pytest.fixture
def sandbox(folder: Path) -> Iterator[RunningSandbox]:
    with running_sandbox(folder, clock=FixedClock(datetime(2025, 6, 1, 12, tzinfo=UTC))) as running:
        yield running


@pytest.fixture
def client(sandbox: RunningSandbox) -> Iterator[Client]:
    with sandbox.client(strict_answers=True) as made:
        yield made


def advance(sandbox: RunningSandbox, seconds: float) -> None:
    clock = sandbox.engine.clock
    assert isinstance(clock, FixedClock)
    clock.advance(seconds)


def exchange(client: Client, key: str, amount: str, version: str | None = None) -> str:
    made = client.exchanges.create(
        ccy_pair="EURUSD",
        out_trade_no=key,
        side="SELL",
        transaction_amount=Decimal(amount),
        transaction_ccy="EUR",
        target_ccy="USD",
        rate_version=version,
    )
    return made.status


def test_a_rate_is_asked_for_and_traded(sandbox: RunningSandbox, client: Client) -> None:
    pair = RatePair(side="SELL", transaction_currency="EUR", target_currency="USD")
    (rate,) = client.rates.query(ccy_pair_list=[pair], product="PAY_OUT").currency_list
    assert exchange(client, "EXC_1", "100.00", rate.rate_reference_id) == "PENDING"
    advance(sandbox, 2)
    found = client.exchanges.query(out_trade_no="EXC_1")
    assert (found.status, found.rate, found.transaction_amount) == ("SUCCESS", rate.rate, Decimal("100.00"))
    (locked,) = client.rates.query(ccy_pair_list=[pair], product="PAY_IN", valid_time=date(2025, 6, 1)).currency_list
    assert (locked.rate_type, locked.valid_time) == ("LOCKED", datetime(2025, 6, 1, tzinfo=UTC))


def test_the_errors_of_an_exchange_mean_what_they_say(client: Client) -> None:
    with pytest.raises(GatewayError) as refused:
        exchange(client, "EXC_1", "100000.01")
    assert refused.value.code == "BALANCE_INSUFFICIENT"
    exchange(client, "EXC_1", "1.00")
    with pytest.raises(AlreadyPlaced):
        exchange(client, "EXC_1", "1.00")


def test_a_withdraw_order_made_by_control_is_queried(sandbox: RunningSandbox, client: Client) -> None:
    body = {"outTradeNo": "WD_1", "transactionCurrency": "EUR", "transactionAmount": "10.00", "targetCurrency": "USD"}
    assert sandbox.control("POST", "withdrawals", body)[0] == 200
    assert client.withdrawals.query(out_trade_no="WD_1").status == "PROCESSING"
    advance(sandbox, 2)
    found = client.withdrawals.query(out_trade_no="WD_1")
    assert (found.status, found.fee.service_fee_amount, found.member_id) == ("SUCCESS", Decimal(1), "MB0000000000001")


def test_accounts_are_listed(client: Client) -> None:
    found = client.accounts.list_authorized(product_type_list=["payin", "collect"])
    assert [item.product_type for item in found.merchant_authorized_account_info_list] == ["payin", "collect"]


def test_a_case_is_found_in_both_forms(sandbox: RunningSandbox, client: Client) -> None:
    place(client, "ORD_1")
    sandbox.pay("ORD_1")
    assert sandbox.control("POST", "cases", {"outTradeNo": "ORD_1", "caseId": "CB1"})[0] == 200
    assert sandbox.control("POST", "cases/CB1", {"status": "DISPUTE_END", "caseResult": "WIN"})[0] == 200
    one, other = client.cases.search(case_id="CB1"), client.cases.inquire(case_id="CB1")
    assert (one.status, one.case_result, one.total_amount) == ("DISPUTE_END", "WIN", Decimal("10.60"))
    assert (other.status, other.case_result, other.total_amount) == (one.status, one.case_result, one.total_amount)
    with pytest.raises(GatewayError):
        client.cases.search(case_id="CB9")


@pytest.mark.parametrize("kind", ["asymmetric", "symmetric"])
def test_bank_style_calls_work_with_both_signatures(sandbox: RunningSandbox, kind: str) -> None:
    env = {**sandbox.env, "PAYWRIGHT_SNAP_SIGNATURE": kind}
    merchant, base_url = merchant_from(Merchant, env)
    with Client(base_url=base_url, merchant=merchant, paths=client_settings_from(Merchant, env).paths) as client:
        place(client, "ORD_1")
        found = client.snap.status(original_partner_reference_no="ORD_1", service_code="54")
        assert found.latest_transaction_status == "03"
        gone = client.snap.cancel(original_partner_reference_no="ORD_1")
        assert gone.additional_info.latest_transaction_status == "05"
        with pytest.raises(GatewayError) as absent:
            client.snap.status(original_partner_reference_no="ORD_9", service_code="54")
        assert absent.value.code == "4045501"
        with pytest.raises(OutcomeUnknown):
            client.snap.cancel(original_partner_reference_no="ORD_9")
