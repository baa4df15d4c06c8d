"""The programs that the reference shows: a call of each operation, in a sandbox in the same process."""

from __future__ import annotations

from textwrap import indent

__all__ = ["HANDLERS", "PROGRAMS", "SEEN", "program"]

_PLACE = """\
client.orders.checkout(
    out_trade_no="ORD_0001",
    subject="Two tickets",
    total_amount=Decimal("10.50"),
    currency="USD",
    user_id="user_7001",
    front_callback_url="https://shop.example/back",
)
"""
_PAY = 'sandbox.pay("ORD_0001")\n'
_REFUND = """\
client.refunds.create(
    out_refund_no="REF_0001",
    refund_amount=Decimal("4.25"),
    refund_currency="USD",
    out_trade_no="ORD_0001",
)
"""
_EXCHANGE = """\
client.exchanges.create(
    ccy_pair="EURUSD",
    out_trade_no="EXC_0001",
    side="SELL",
    transaction_amount=Decimal("100.00"),
    transaction_ccy="EUR",
    target_ccy="USD",
)
"""
_SAVE_CARD = f"""\
{_PLACE.removesuffix(")" + chr(10))}    payment_detail=HostedPaymentDetail(token_for_future_use=True),
)
sandbox.done("POST", "orders/ORD_0001/pay", {{"card": "5555555555554444"}})
"""
_CASE = f"""\
{_PLACE}{_PAY}sandbox.done("POST", "cases", {{"outTradeNo": "ORD_0001", "caseId": "CASE0001"}})
"""

PROGRAMS: dict[str, tuple[str, str]] = {
    "accounts.list_authorized": (
        "",
        'found = client.accounts.list_authorized(product_type_list=["payin"])\n'
        "for account in found.merchant_authorized_account_info_list:\n"
        "    print(account.product_type, account.authorized_funds_account_alias)\n",
    ),
    "cases.inquire": (
        "",
        f'{_CASE}case = client.cases.inquire(case_id="CASE0001")\nprint(case.status, case.total_amount)\n',
    ),
    "cases.search": (
        "",
        f'{_CASE}case = client.cases.search(case_id="CASE0001")\nprint(case.status, case.total_amount)\n',
    ),
    "exchanges.create": ("", f"exchange = {_EXCHANGE}print(exchange.status)\n"),
    "exchanges.query": (
        "",
        f"{_EXCHANGE}sandbox.advance(60)\n"
        'exchange = client.exchanges.query(out_trade_no="EXC_0001")\n'
        "print(exchange.status, exchange.rate, exchange.target_amount)\n",
    ),
    "orders.checkout": ("", f"order = {_PLACE}print(order.status, order.redirect_url)\n"),
    "orders.drop_in": (
        "from paywright import BuyerInfo, DropInPaymentDetail",
        """\
order = client.orders.drop_in(
    out_trade_no="ORD_0001",
    subject="Two tickets",
    total_amount=Decimal("10.50"),
    currency="USD",
    country="SG",
    user_id="user_7001",
    payment_detail=DropInPaymentDetail(buyer_info=BuyerInfo(client_ip="203.0.113.7", user_agent="Mozilla/5.0")),
    terminal_type="WEB",
    front_callback_url="https://shop.example/back",
)
print(order.status, order.redirect_url)
""",
    ),
    "orders.query": (
        "",
        f'{_PLACE}{_PAY}order = client.orders.query(out_trade_no="ORD_0001")\nprint(order.status, order.trade.amount, order.trade.currency)\n',
    ),
    "payment_links.query": (
        "",
        """\
sandbox.done(
    "POST",
    "links",
    {"merchantLinkId": "ML0001", "amount": "10.50", "currency": "USD", "country": "SG", "description": "Two tickets"},
)
link = client.payment_links.query(merchant_link_id="ML0001")
print(link.link_status, link.total_amount, link.link_url)
""",
    ),
    "payment_tokens.inquire": (
        "from paywright import HostedPaymentDetail",
        f'{_SAVE_CARD}found = client.payment_tokens.inquire(user_id="user_7001")\n'
        "for token in found.token_list or ():\n"
        "    print(token.payment_token_status, token.payment_method_type)\n",
    ),
    "payment_tokens.list": (
        "from paywright import HostedPaymentDetail",
        f'{_SAVE_CARD}found = client.payment_tokens.list(user_id="user_7001", payment_method_type="CARD")\n'
        "for token in found.token_list or ():\n"
        "    print(token.payment_token_status, token.payment_method_type)\n",
    ),
    "rates.query": (
        "from paywright import RatePair",
        'pair = RatePair(side="SELL", transaction_currency="EUR", target_currency="USD")\n'
        'found = client.rates.query(ccy_pair_list=[pair], product="PAY_OUT")\n'
        "for rate in found.currency_list:\n"
        "    print(rate.ccy_pair, rate.side, rate.rate)\n",
    ),
    "refunds.create": ("", f"{_PLACE}{_PAY}refund = {_REFUND}print(refund.status, refund.refund_trade_no)\n"),
    "refunds.query": (
        "",
        f"{_PLACE}{_PAY}{_REFUND}sandbox.advance(60)\n"
        'refund = client.refunds.query(out_refund_no="REF_0001")\n'
        "print(refund.status, refund.refund_finish_time)\n",
    ),
    "snap.cancel": (
        "",
        f'{_PLACE}cancelled = client.snap.cancel(original_partner_reference_no="ORD_0001")\n'
        "print(cancelled.additional_info.latest_transaction_status)\n",
    ),
    "snap.status": (
        "",
        f'{_PLACE}found = client.snap.status(original_partner_reference_no="ORD_0001", service_code="54")\n'
        "print(found.latest_transaction_status)\n",
    ),
    "subscriptions.create": (
        "from paywright import Money, NewPlan, PeriodRule",
        """\
made = client.subscriptions.create(
    subscription_request_id="SUB_0001",
    user_id="user_7001",
    callback_url="https://shop.example/notify",
    subscription_plan=NewPlan(
        subject="A ticket every month",
        total_periods=12,
        period_rule=PeriodRule(period_unit="M", period_count=1),
        period_amount=Money(amount=Decimal("9.90"), currency="USD"),
        prices=[],
    ),
)
print(made.subscription_plan.subscription_status, made.subscription_plan.subscription_no)
""",
    ),
    "withdrawals.query": (
        "",
        """\
amounts = {"transactionCurrency": "EUR", "transactionAmount": "10.00", "targetCurrency": "USD"}
sandbox.done("POST", "withdrawals", {"outTradeNo": "WD_0001", **amounts})
order = client.withdrawals.query(out_trade_no="WD_0001")
print(order.status, order.transaction_amount, order.transaction_currency)
""",
    ),
}
"""By operation: what is imported beside what all of them need, and what is done with `client` and `sandbox`."""


_SENT = """\
sent = sandbox.done("GET", "notifications/1")
print(sent["kind"], sent["about"])
"""
SEEN: dict[str, tuple[str, str]] = {
    "PAYMENT": (
        "",
        f"{_PLACE.removesuffix(')' + chr(10))}    notify_url=\"https://shop.example/notify\",\n)\n{_PAY}{_SENT}",
    ),
    "REFUND": (
        "",
        f"{_PLACE}{_PAY}{_REFUND.removesuffix(')' + chr(10))}    refund_notify_url=\"https://shop.example/notify\",\n)\n"
        f"sandbox.advance(60)\n{_SENT}",
    ),
    "WITHDRAW": (
        "",
        """\
amounts = {"transactionCurrency": "EUR", "transactionAmount": "10.00", "targetCurrency": "USD"}
address = "https://shop.example/notify"
sandbox.done("POST", "withdrawals", {"outTradeNo": "WD_0001", "callBackUrl": address, **amounts})
sandbox.advance(60)
""" + _SENT,
    ),
}
"""By kind of a notification that the specification does not show: what makes the sandbox send it."""

HANDLERS: dict[str, tuple[str, str]] = {
    "merchant.validate_bill_payment": (
        "BillPaymentDecision, BillPaymentValidationQuestion",
        """\
@receiver.on_validate_bill_payment
def bill(question: BillPaymentValidationQuestion) -> BillPaymentDecision:
    if question.data.reference_no != "BILL0001":
        return question.refuse("There is no such bill.")
    return question.accept(min_amount=1, max_amount=5000)
""",
    ),
    "notifications.receive": (
        "Event, Transfer",
        """\
@receiver.on_receive
def transfer(event: Event[Transfer]) -> None:
    trade = event.data.payment_detail.trade
    print(event.data.request_no, event.data.status, trade.amount, trade.currency)
""",
    ),
    "notifications.subscription_payment": (
        "Event, PeriodResult",
        """\
@receiver.on_subscription_payment
def period(event: Event[PeriodResult]) -> None:
    paid = event.data.subscription_payment_detail
    print(event.data.subscription_plan.subscription_no, paid.subscription_index, paid.payment_status)
""",
    ),
}
"""By notification: what is imported, and its handler."""


def program(operation: str) -> str:
    """Return the whole program of an operation or a notification. Raises `KeyError` if there is none."""
    if operation in HANDLERS:
        return _receiving(operation)
    imports, body = {**PROGRAMS, **SEEN}[operation]
    names = sorted({"FixedClock", *imports.removeprefix("from paywright import ").replace(",", "").split()})
    decimal = "from decimal import Decimal\n" if "Decimal(" in body else ""
    return (
        f"from datetime import UTC, datetime\n{decimal}\n"
        f"from paywright import {', '.join(names)}\n"
        "from paywright_sandbox.testing import in_process_sandbox\n\n"
        "clock = FixedClock(datetime(2025, 6, 1, 12, tzinfo=UTC))\n"
        'with in_process_sandbox(clock=clock, seed="1") as sandbox, sandbox.client() as client:\n'
        f"{indent(body, '    ')}"
    )


def _receiving(operation: str) -> str:
    names, handler = HANDLERS[operation]
    imported = ", ".join(sorted({"FixedClock", "Receiver", "RsaSigner", *names.split(", ")}))
    role = "request" if operation.startswith("merchant.") else "notification"
    return (
        "import json\nfrom datetime import UTC, datetime\n\n"
        f"from paywright import {imported}\n"
        "from paywright.contract import CONTRACT\nfrom paywright_receiver import MemoryLedger\n"
        "from paywright_runtime.signing.keys import generate_key_pair\n\n"
        "gateway = generate_key_pair()  # of the gateway: you have its public key alone\n"
        "receiver = Receiver(\n"
        '    app_id="app_55d1c0ffee",\n'
        "    gateway_keys=[gateway.public_pem],\n"
        "    ledger=MemoryLedger(),\n"
        "    clock=FixedClock(datetime(2025, 6, 1, 4, tzinfo=UTC)),\n)\n\n\n"
        f"{handler}\n\n"
        f'raw = json.dumps(CONTRACT.example("{operation}.{role}")).encode()\n'
        'headers = {"Content-Type": "application/json", "sign": RsaSigner(gateway.private).sign(raw)}\n'
        "reply = receiver.receive(raw, headers)\n"
        "print(reply.status)\n"
    )
