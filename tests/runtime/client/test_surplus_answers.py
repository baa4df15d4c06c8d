"""A signed refusal repeats nothing of its request: the connection that carried it carries no other question [HAZARDS: surplus answers]."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import pytest

from paywright import Client, GatewayError, Merchant, OutcomeUnknown, UnreadableAnswer
from paywright.contract import CONTRACT
from paywright_runtime.signing.keys import KeyPair
from paywright_runtime.signing.rsa import RsaSigner
from tests.runtime.helpers.client_calls import ORDER, ORDER_CREATED, ORDER_FOUND, REFUND
from tests.runtime.helpers.transport_servers import Server, http, read_request

REFUSED = {"code": "PARAMS_INVALID", "msg": "outTradeNo: refused"}
REFUNDED = {
    "code": "APPLY_SUCCESS", "msg": "Success.",
    "data": {
        "outRefundNo": "REF_1", "tradeOrderNo": "RT1", "refundTradeNo": "RT1", "outTradeNo": "ORD_1",
        "tradeToken": "TT1", "status": "PENDING",
    },
}  # fmt: skip


class Signed:
    """Writes signed answers of the gateway."""

    def __init__(self, keys: KeyPair) -> None:
        self._signer = RsaSigner(keys.private)

    def __call__(self, body: dict[str, Any]) -> bytes:
        raw = json.dumps(body).encode()
        return http(raw, "200 OK", f"sign: {self._signer.sign(raw)}")


@pytest.fixture
def signed(gateway_keys: KeyPair) -> Signed:
    return Signed(gateway_keys)


def operation_of(body: bytes) -> str:
    data = json.loads(body)["data"]
    return "refund" if "outRefundNo" in data else "order" if "subject" in data else "query"


def one_behind(signed: Signed, *, query: dict[str, Any]) -> Callable[[socket.socket], None]:
    """A peer that sends the answer to a query once more when the next request comes, before the answer to that."""

    def script(peer: socket.socket) -> None:
        surplus = b""
        while (request := read_request(peer))[0]:
            if operation_of(request[1]) == "query":
                surplus = signed(query)
                peer.sendall(surplus)
            else:
                peer.sendall(surplus + signed(REFUNDED))

    return script


def test_a_surplus_refusal_is_no_answer_to_a_refund(merchant: Merchant, signed: Signed) -> None:
    with Server(one_behind(signed, query=REFUSED)) as server, Client(base_url=server.url, merchant=merchant) as client:
        with pytest.raises(GatewayError, match="PARAMS_INVALID"):
            client.orders.query(out_trade_no="ORD_1")
        assert client.refunds.create(**REFUND).trade_order_no == "RT1"
        assert server.accepted == 2


def test_a_surplus_answer_that_repeats_its_key_is_refused_by_that_key(merchant: Merchant, signed: Signed) -> None:
    """Such an answer keeps its connection: what it repeats is no other request's."""
    with (
        Server(one_behind(signed, query=ORDER_FOUND)) as server,
        Client(base_url=server.url, merchant=merchant) as client,
    ):
        client.orders.query(out_trade_no="ORD_1")
        with pytest.raises(OutcomeUnknown) as caught:
            client.refunds.create(**REFUND)
        assert caught.value.reason == "wrong_echo"
        assert server.accepted == 1


NO_KEY = {**ORDER_CREATED, "data": {"redirectUrl": "https://cashier.example/"}}
ORDER_AGAIN = {"code": "ORDER_REPEAT", "msg": "Repeated."}
UNPROVEN = {"code": "SYSTEM_BUSY", "msg": "Busy."}
REFUSED_BY_KEY = {**REFUSED, "data": {"outTradeNo": "ORD_1"}}
TOKENS: dict[str, Any] = CONTRACT.example("payment_tokens.list.response")
NO_TOKENS = {**TOKENS, "data": {"tokenList": []}}
UNREADABLE = {"code": "APPLY_SUCCESS", "msg": "Success.", "data": {"outTradeNo": "ORD_1"}}


def place(client: Client) -> object:
    return client.orders.checkout(**ORDER)


def find(client: Client) -> object:
    return client.orders.query(out_trade_no="ORD_1")


def tokens(client: Client) -> object:
    return client.payment_tokens.list(user_id=TOKENS["data"]["tokenList"][0]["userId"])


@pytest.mark.parametrize(("answer", "raised"), [(UNREADABLE, UnreadableAnswer), (REFUSED_BY_KEY, GatewayError)])
def test_what_answered_another_call_before_says_nothing_of_this_one(
    answer: dict[str, Any], raised: type[Exception], merchant: Merchant, signed: Signed
) -> None:
    def script(peer: socket.socket) -> None:
        while read_request(peer)[0]:
            peer.sendall(signed(answer))

    with Server(script) as server, Client(base_url=server.url, merchant=merchant, retries=0) as client:
        with pytest.raises(raised):
            find(client)
        with pytest.raises(OutcomeUnknown) as caught:
            place(client)
        assert (caught.value.reason, server.accepted) == ("surplus", 1)


FOR_ANY = [["it", "another", "it"]]
FOR_THE_SAME = [["it", "it"], ["another"]]
FOR_NONE = [["it"], ["another", "it"]]


@pytest.mark.parametrize(
    ("answer", "call", "raised", "kept"),
    [
        pytest.param(ORDER_CREATED, place, None, FOR_ANY, id="repeats the key"),
        pytest.param(ORDER_FOUND, find, None, FOR_ANY, id="repeats the key that was asked for"),
        pytest.param(UNREADABLE, find, UnreadableAnswer, FOR_ANY, id="repeats the key, though it cannot be read"),
        pytest.param(REFUSED_BY_KEY, find, GatewayError, FOR_ANY, id="refuses a read and repeats its key"),
        pytest.param(TOKENS, tokens, None, FOR_ANY, id="repeats the user in a list"),
        pytest.param(NO_TOKENS, tokens, None, FOR_THE_SAME, id="lists nothing"),
        pytest.param(REFUSED, find, GatewayError, FOR_THE_SAME, id="refuses a read"),
        pytest.param(REFUSED, place, GatewayError, FOR_NONE, id="refuses a write"),
        pytest.param(REFUSED_BY_KEY, place, GatewayError, FOR_NONE, id="refuses a write and repeats its key"),
        pytest.param(ORDER_AGAIN, place, OutcomeUnknown, FOR_NONE, id="has the key already, and does not name it"),
        pytest.param(UNPROVEN, place, OutcomeUnknown, FOR_NONE, id="proves nothing"),
        pytest.param(NO_KEY, place, OutcomeUnknown, FOR_NONE, id="accepts, and does not say what"),
    ],
)
def test_what_a_connection_carries_after_an_answer(
    answer: dict[str, Any],
    call: Callable[[Client], object],
    raised: Any,
    kept: list[list[str]],
    merchant: Merchant,
    signed: Signed,
) -> None:
    carried: list[list[str]] = []
    found: Any = ORDER_FOUND["data"]

    def script(peer: socket.socket) -> None:
        carried.append(here := [])
        while (request := read_request(peer))[0]:
            another = json.loads(request[1])["data"].get("outTradeNo") == "ORD_2"
            here.append("another" if another else "it")
            peer.sendall(signed({**ORDER_FOUND, "data": found | {"outTradeNo": "ORD_2"}} if another else answer))

    with Server(script) as server, Client(base_url=server.url, merchant=merchant, retries=0) as client:
        for once_more in (True, False):
            with pytest.raises(raised) if raised is not None else nullcontext():
                call(client)
            if once_more:
                client.orders.query(out_trade_no="ORD_2")
    assert carried == kept
