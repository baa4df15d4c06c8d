"""What no client can know, shown as it is: some signed answers name neither a key nor a time.

Errors carry `code` and `msg` and nothing that repeats the request. Whoever could replay a verified one within TLS could have
it taken for the answer to another call. These tests say what then happens, and why no money is lost by the first.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal

import pytest

from paywright import AlreadyPlaced, BuyerInfo, Client, DropInPaymentDetail, GatewayError, OutcomeUnknown, Permission
from paywright_runtime.clock import FixedClock
from paywright_runtime.transport.api import RawAnswer, SignedRequest, Transport
from paywright_sandbox.testing.inprocess import InProcessSandbox

pytest_plugins = ["paywright_sandbox.testing.pytest"]


class Replaying:
    """Carries everything, and answers with `instead` where there is one; the request arrives all the same."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self.instead: Callable[[SignedRequest], RawAnswer | None] = lambda request: None
        self.last: RawAnswer | None = None

    def send(self, request: SignedRequest, deadline: float) -> RawAnswer:
        raw = self._transport.send(request, deadline)
        self.last = raw
        other = self.instead(request)
        return raw if other is None else RawAnswer(other.status, other.headers, other.body)

    def close(self) -> None:
        self._transport.close()


@pytest.fixture
def replaying(paywright_client: Client) -> Replaying:
    transport = Replaying(paywright_client._transport)
    paywright_client._transport = transport
    return transport


@pytest.fixture
def clock(paywright_clock: FixedClock) -> FixedClock:
    return paywright_clock


def placed(sandbox: InProcessSandbox) -> list[tuple[str, str]]:
    with sandbox.engine.store.transaction() as state:
        return [(row["out_trade_no"], row["status"]) for row in state.all("SELECT out_trade_no, status FROM orders")]


def buy(
    client: Client, key: str, amount: str = "10.50", currency: str = "USD", again: Permission | None = None
) -> object:
    return client.orders.drop_in(
        out_trade_no=key, subject="Two tickets", total_amount=Decimal(amount), currency=currency, country="SG",
        user_id="u1", front_callback_url="https://shop.example/back", terminal_type="WEB",
        payment_detail=DropInPaymentDetail(buyer_info=BuyerInfo(client_ip="203.0.113.7", user_agent="UA")), again=again,
    )  # fmt: skip


def test_a_replayed_absence_leads_to_a_refused_repeat_and_no_second_charge(
    paywright_client: Client, paywright_sandbox: InProcessSandbox, replaying: Replaying, clock: FixedClock
) -> None:
    with pytest.raises(GatewayError, match="ORDER_NOT_EXIST"):
        paywright_client.orders.query(out_trade_no="ORD_1")
    not_there = replaying.last
    assert not_there is not None
    broken = RawAnswer(502, (), b"")
    replaying.instead = lambda request: broken
    with pytest.raises(OutcomeUnknown):
        buy(paywright_client, "ORD_1")  # it arrives, and is charged
    replaying.instead = lambda request: not_there  # signed by the gateway, to the same key, and out of date
    resolver = paywright_client.orders.resolve(out_trade_no="ORD_1", total_amount=Decimal("10.50"), currency="USD")
    assert resolver.step().state == "wait"
    clock.advance(timedelta(seconds=300))
    assert resolver.step().state == "place_again"  # it cannot be told from a true one
    replaying.instead = lambda request: None
    with pytest.raises(AlreadyPlaced):
        buy(paywright_client, "ORD_1", again=resolver.permission(store=str))
    assert resolver.step().state == "settled"
    assert resolver.result is not None
    assert resolver.result.status == "SUCCESS"
    assert placed(paywright_sandbox) == [("ORD_1", "SUCCESS")]


def test_a_replayed_refusal_is_believed_until_the_query(
    paywright_client: Client, paywright_sandbox: InProcessSandbox, replaying: Replaying
) -> None:
    """The one replay that deceives. Whoever wants to be sure before buying under another key asks for the refused one."""
    with pytest.raises(GatewayError) as caught:
        buy(paywright_client, "ORD_1", "10.505")  # more decimals than the currency has
    refusal = replaying.last
    assert refusal is not None
    replaying.instead = lambda request: refusal
    with pytest.raises(GatewayError, match=caught.value.code):
        buy(paywright_client, "ORD_2")
    replaying.instead = lambda request: None
    assert placed(paywright_sandbox) == [("ORD_2", "SUCCESS")]
    resolver = paywright_client.orders.resolve(out_trade_no="ORD_2")
    assert resolver.step().state == "settled"
    assert resolver.result is not None
    assert resolver.result.status == "SUCCESS"
