"""The whole tour over real HTTP: with the generated client, and with a client that knows nothing of it."""

import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from paywright import AlreadyPlaced, Client
from paywright_sandbox.http.protocol import HttpProtocol
from paywright_sandbox.testing.served import RunningSandbox, running_sandbox
from tests.sandbox.helpers.plain import PlainClient


@pytest.fixture(scope="module")
def sandbox(made_once: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSandbox]:
    import shutil

    folder = Path(shutil.copytree(made_once, tmp_path_factory.mktemp("served") / "sandbox"))
    with running_sandbox(folder, policies={"refund-settles-after": 0}) as running:
        yield running


@pytest.fixture
def client(sandbox: RunningSandbox) -> Iterator[Client]:
    with sandbox.client(strict_answers=True) as made:
        yield made


def checkout(client: Client, key: str, amount: Decimal = Decimal("10.50")) -> str:
    order = client.orders.checkout(
        out_trade_no=key, subject="Two tickets", total_amount=amount, currency="USD", user_id="user_1",
        front_callback_url="https://shop.example/back",
    )  # fmt: skip
    assert not order.answer.violations
    return order.trade_token


def test_a_client_without_our_sdk_completes_the_tour(sandbox: RunningSandbox) -> None:
    plain = PlainClient.of(sandbox)
    created = plain.checkout("PLAIN_1")
    assert created["code"] == "APPLY_SUCCESS"
    assert created["data"]["redirectUrl"].startswith(sandbox.base_url)
    assert plain.checkout("plain_1")["code"] == "ORDER_REPEAT"
    assert plain.control("POST", "orders/PLAIN_1/pay")["status"] == "SUCCESS"
    assert plain.query("PLAIN_1")["data"]["status"] == "SUCCESS"
    assert plain.refund("PLAINR_1", "PLAIN_1", 4.25)["data"]["status"] == "REFUND_PENDING"
    assert plain.call("refundQuery", "1.5", {"outRefundNo": "PLAINR_1"})["data"]["refundAmount"] == 4.25
    assert plain.refund("PLAINR_2", "PLAIN_1", 6.26)["code"] == "REFUND_INSUFFICIENT_BALANCE"
    assert plain.query("PLAIN_9") == {"code": "ORDER_NOT_EXIST", "msg": "The order does not exist."}
    plain.close()


def test_one_key_placed_by_many_at_once_is_placed_once(sandbox: RunningSandbox, client: Client) -> None:
    def place(key: str) -> bool:
        try:
            checkout(client, key)
        except AlreadyPlaced:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        placed = list(pool.map(place, ["RACE_1", "race_1", "Race_1", "RACE_2"] * 8))
    assert sum(placed) == 2
    orders = sandbox.control("GET", "orders")[1]["orders"]
    assert isinstance(orders, list)
    assert len([order for order in orders if order["outTradeNo"].upper().startswith("RACE_")]) == 2


def test_answers_do_not_wait_for_a_delayed_acknowledgement(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without TCP_NODELAY each answer takes 40 ms."""
    set_on: list[int] = []
    connection_made = HttpProtocol.connection_made

    def looking(self: HttpProtocol, transport: Any) -> None:
        connection_made(self, transport)
        connection = transport.get_extra_info("socket")
        set_on.append(connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))

    monkeypatch.setattr(HttpProtocol, "connection_made", looking)
    checkout(client, "SDK_4")
    assert len(set_on) == 1
    assert set_on[0]
