"""Saved payment methods, payment links, and the bank-style calls about an order."""

from __future__ import annotations

from decimal import Decimal

from demo_parts.gateway import Gateway
from demo_parts.words import expect, step, title
from paywright import Client, GatewayError, HostedPaymentDetail

__all__ = ["bank_style", "links", "tokens"]


def checkout(client: Client, key: str, detail: HostedPaymentDetail | None = None) -> None:
    client.orders.checkout(
        out_trade_no=key,
        subject="A ticket",
        total_amount=Decimal("5.25"),
        currency="USD",
        user_id="user_7002",
        front_callback_url="https://shop.example/back",
        payment_detail=detail,
    )


def tokens(client: Client, gateway: Gateway) -> None:
    """Save a card, and pay with it."""
    title("A saved card")
    checkout(client, "DEMO_4", HostedPaymentDetail(token_for_future_use=True))
    gateway.post("orders/DEMO_4/pay", card="5555555555554444")
    (saved,) = client.payment_tokens.list(user_id="user_7002", payment_method_type="CARD").token_list or []
    step(f"payment_tokens.list: {saved.payment_token_id} is {saved.card_info}")
    (same,) = client.payment_tokens.inquire(user_id="user_7002").token_list or []
    expect(saved.payment_token_id == same.payment_token_id, "both inquiries know the same token")
    step(f"payment_tokens.inquire: {same.payment_token_id} too")
    detail = HostedPaymentDetail(payment_token_id=saved.payment_token_id, merchant_initiated=True)
    checkout(client, "DEMO_5", detail)
    found = client.orders.query(out_trade_no="DEMO_5")
    expect(found.status == "SUCCESS", "an order is paid with the token, its payer not being there")
    step(f"DEMO_5 was paid with it, nobody being asked: {found.status}")


def links(client: Client, gateway: Gateway) -> None:
    """Make a payment link, and pay it."""
    title("A payment link")
    link = gateway.post(
        "links", merchantLinkId="DEMO_LINK", amount="10.50", currency="USD", country="SG", description="Two tickets"
    )
    order = gateway.post(f"links/{link['linkId']}/open", userName="A Payer")
    gateway.post(f"orders/{order['outTradeNo']}/pay")
    found = client.payment_links.query(merchant_link_id="DEMO_LINK")
    (paid,) = found.pay_by_link_info or []
    expect(paid.status is not None and paid.status.is_paid, "the payment of a link is seen")
    step(f"payment_links.query: DEMO_LINK is {found.link_status}; its payment is {paid.status}")


def bank_style(client: Client) -> None:
    """Make the bank-style calls."""
    title("The bank-style calls")
    checkout(client, "DEMO_6")
    status = client.snap.status(original_partner_reference_no="DEMO_6", service_code="54")
    expect(status.latest_transaction_status == "03", "an open order is pending")
    step(f"snap.status: {status.answer.code}; DEMO_6 is {status.latest_transaction_status}")
    gone = client.snap.cancel(original_partner_reference_no="DEMO_6")
    expect(gone.additional_info.latest_transaction_status == "05", "a cancelled order says so")
    step(f"snap.cancel: {gone.answer.code}; DEMO_6 is {gone.additional_info.latest_transaction_status}")
    try:
        client.snap.status(original_partner_reference_no="NO_ORDER", service_code="54")
    except GatewayError as refused:
        step(f"of an order that is not there: {refused.code}")
    else:
        expect(False, "there is no such order")
