"""Rates, exchanges, withdraw orders, accounts, chargeback cases, transfers received and bills."""

from __future__ import annotations

from decimal import Decimal

from demo_parts.gateway import Gateway
from demo_parts.shop import Shop
from demo_parts.words import expect, step, title
from paywright import Client, GatewayError, RatePair

__all__ = ["accounts", "bills", "cases", "exchanges", "transfers", "withdrawals"]


def exchanges(client: Client, gateway: Gateway) -> None:
    """Exchange money at a rate that was asked for."""
    title("An exchange")
    pair = RatePair(side="SELL", transaction_currency="EUR", target_currency="USD")
    (rate,) = client.rates.query(ccy_pair_list=[pair], product="PAY_OUT").currency_list
    step(f"rates.query: EUR to USD at {rate.rate}")
    made = exchange(client, "DEMO_EXC_1", Decimal("100.00"), rate.rate_reference_id)
    gateway.advance(3)
    found = client.exchanges.query(out_trade_no="DEMO_EXC_1")
    expect(found.status == "SUCCESS" and found.rate == rate.rate, "it was exchanged at the rate that was asked for")
    step(f"exchanges.create: {made}; exchanges.query: {found.status}, 100.00 EUR are {found.target_amount} USD")
    try:
        exchange(client, "DEMO_EXC_2", Decimal("100000.00"), None)
    except GatewayError as refused:
        expect(refused.code == "BALANCE_INSUFFICIENT", "nobody sells what is not there")
        step(f"more than the balance: {refused.code}")
    else:
        expect(False, "nobody sells what is not there")


def exchange(client: Client, key: str, amount: Decimal, version: str | None) -> str:
    made = client.exchanges.create(
        ccy_pair="EURUSD",
        out_trade_no=key,
        side="SELL",
        transaction_amount=amount,
        transaction_ccy="EUR",
        target_ccy="USD",
        rate_version=version,
    )
    return made.status


def withdrawals(client: Client, gateway: Gateway) -> None:
    """Follow a withdraw order."""
    title("A withdraw order")
    amounts = {"transactionCurrency": "EUR", "transactionAmount": "10.00", "targetCurrency": "USD"}
    gateway.post("withdrawals", outTradeNo="DEMO_WD_1", **amounts)
    first = client.withdrawals.query(out_trade_no="DEMO_WD_1").status
    gateway.advance(3)
    found = client.withdrawals.query(out_trade_no="DEMO_WD_1")
    expect((first, found.status) == ("PROCESSING", "SUCCESS"), "a withdraw order ends by the clock")
    step(f"withdrawals.query: {first}, then {found.status}; the fee is {found.fee.service_fee_amount}")


def accounts(client: Client) -> None:
    """List the authorised accounts."""
    title("The accounts")
    found = client.accounts.list_authorized(product_type_list=["payin", "payout", "collect"])
    kinds = [account.product_type for account in found.merchant_authorized_account_info_list]
    expect(kinds == ["payin", "payout", "collect"], "there is an account of each product")
    step(f"accounts.list_authorized: {', '.join(kinds)}")


def cases(client: Client, gateway: Gateway) -> None:
    """Find a chargeback case."""
    title("A chargeback case")
    gateway.post("cases", outTradeNo="DEMO_4", caseId="DEMO_CASE")
    opened = client.cases.search(case_id="DEMO_CASE")
    step(f"cases.search: {opened.status}, {opened.total_amount} with its fee")
    gateway.post("cases/DEMO_CASE", status="DISPUTE_END", caseResult="WIN")
    ended = client.cases.inquire(case_id="DEMO_CASE")
    expect((ended.status, ended.case_result) == ("DISPUTE_END", "WIN"), "a case is moved by hand")
    step(f"cases.inquire: {ended.status}, {ended.case_result}")


def transfers(gateway: Gateway, shop: Shop) -> None:
    """Receive transfers, in spite of repetitions and of a shop that is down."""
    title("Transfers received: through their three states, told twice, and while the shop is down")
    gateway.post("faults", kind="duplicate", operation="RECEIVE", times=3)
    first, second = (gateway.post("transfers", amount="40.00", currency="USD")["requestNo"] for _ in range(2))
    gateway.advance(0)
    gateway.post(f"transfers/{second}/reject", why="no papers")
    gateway.advance(0)
    told = [(data["requestNo"], data["status"]) for data in shop.of("RECEIVE")]
    expected = [(first, "TO_BE_PROVED"), (second, "TO_BE_PROVED"), (second, "REJECTED")]
    expect(told == expected, f"each state has one effect, not {told}")
    expect(shop.outcomes[-6:].count("duplicate") == 3, "each was delivered twice")
    step("two transfers are TO_BE_PROVED, one is REJECTED: each was delivered twice, and had one effect")
    shop.is_down = True
    settled = gateway.post(f"transfers/{first}/settle")
    gateway.advance(0)
    notified = next(item for item in gateway.get("notifications")["notifications"] if item["about"] == first)
    expect(len(shop.of("RECEIVE")) == 3 and notified["attempts"] == 1, "one attempt failed")
    step(f"{first} is {settled['status']}; attempt 1 was answered with 503")
    shop.is_down = False
    gateway.advance(31)
    data = shop.of("RECEIVE")[-1]
    expect((data["requestNo"], data["status"]) == (first, "SETTLED"), "the shop is told again")
    notified = gateway.get(f"notifications/{notified['id']}")
    expect(notified["status"] == "ACKNOWLEDGED", "an acknowledged notification is not sent again")
    step(f"half a minute later the shop was told: {notified['status']} at attempt {notified['attempts']}")


def bills(gateway: Gateway, shop: Shop) -> None:
    """Answer questions about bills."""
    title("A bill, which the shop is asked about")
    for reference, status in (("BILL_1", "PAID"), ("BILL_2", "REFUSED")):
        bill = gateway.post("bill-payments", referenceNo=reference, amount="150.50")
        expect(bill["status"] == status, f"{reference} is {status}")
        step(f"{reference} is {bill['status']}: {bill['why']}")
    expect(shop.bills == ["BILL_1", "BILL_2"], "the shop was asked about both")
