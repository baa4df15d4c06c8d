"""Placing an order as a merchant does, with a client."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from paywright import Client, HostedOrderCreated


def place(client: Client, key: str, **more: Any) -> HostedOrderCreated:
    """Place an order of 10.50 USD on the gateway's own page; `more` are further arguments, or others."""
    usual: dict[str, Any] = {"subject": "Two tickets", "total_amount": Decimal("10.50"), "currency": "USD"}
    where = {"user_id": "user_1", "front_callback_url": "https://shop.example/back"}
    return client.orders.checkout(out_trade_no=key, **{**usual, **where, **more})
