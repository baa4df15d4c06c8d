"""Secrets are planted in everything a call can carry, every error of the tree is made to happen, and nothing shows them.

The same is watched in every test of the suite: see `canary_plugin`.
"""

from __future__ import annotations

import copy
import json
import logging
import pickle
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from decimal import Decimal
from functools import partial
from traceback import format_exception_only
from typing import Any

import pytest

import paywright
from paywright import (
    AttemptEvent,
    BuyerInfo,
    Client,
    DropInPaymentDetail,
    FixedClock,
    Merchant,
    PaywrightError,
    operations,
)
from paywright_runtime.signing.keys import KeyPair
from tests.outcomes.canaries import CVV, PAN, SESSION_KEY, TOKEN, Watch, locals_of, secrets_in
from tests.runtime.helpers.canned_gateway import Gateway, Reply
from tests.support.telemetry import Watched

CREATED: dict[str, Any] = {
    "code": "APPLY_SUCCESS", "msg": f"paid by {PAN}",
    "data": {"outTradeNo": "ORD_1", "tradeToken": TOKEN, "status": "PENDING", "redirectUrl": f"https://x.example/{TOKEN}"},
}  # fmt: skip
SAID = {"msg": f"the card {PAN} was seen", "data": {"cardInfo": PAN, "sessionKey": SESSION_KEY, "cvv": CVV}}


def without(member: str) -> dict[str, Any]:
    body = copy.deepcopy(CREATED)
    del body["data"][member]
    return body


def coded(code: str) -> Reply:
    return Reply({"code": code, "msg": f"card {PAN} refused", "data": SAID["data"]})


def buy(client: Client, **change: object) -> object:
    values: dict[str, Any] = {
        "out_trade_no": "ORD_1", "subject": "Two tickets", "total_amount": Decimal("10.50"), "currency": "USD",
        "country": "SG", "user_id": "u1", "front_callback_url": "https://shop.example/back", "terminal_type": "WEB",
        "payment_detail": DropInPaymentDetail(
            session_key=SESSION_KEY, payment_token=TOKEN, buyer_info=BuyerInfo(client_ip="203.0.113.7", user_agent="UA")
        ),
        "risk_params": {"cardNumber": PAN, "cvv": CVV, "deep": {"sessionKey": SESSION_KEY}},
    }  # fmt: skip
    return client.orders.drop_in(**{**values, **change})


def ask(client: Client) -> object:
    return client.orders.query(out_trade_no="ORD_1", extra={"cardNumber": PAN, "token": TOKEN})


# Each error of the tree, made by an answer or an argument that carries secrets.
CALLS: dict[str, tuple[type[PaywrightError], Reply, Callable[[Client], object]]] = {
    "a refusal": (paywright.GatewayError, coded("PARAMS_INVALID"), buy),
    "a refusal of a read": (paywright.GatewayError, coded("ORDER_NOT_EXIST"), ask),
    "a refusal with a card for a code": (paywright.GatewayError, coded(f"E{PAN}"), ask),
    "a refusal that names a token": (
        paywright.GatewayError, coded("PARAMS_INVALID"),
        lambda c: c.payment_tokens.list(user_id="u1", extra={"cardNumber": PAN, "tokenId": TOKEN}),
    ),
    "a refusal of a call by its id": (
        paywright.GatewayError, coded("PARAMS_INVALID"),
        lambda c: c.call(operations.PAYMENT_TOKENS_LIST, {"userId": "u1"}, {"cardNumber": PAN, "tokenId": TOKEN}),
    ),
    "a repeat": (paywright.AlreadyPlaced, coded("ORDER_REPEAT"), buy),
    "an unproven code": (paywright.OutcomeUnknown, coded("SYSTEM_ERROR"), buy),
    "a code with a card": (paywright.OutcomeUnknown, coded(f"X {PAN}"), buy),
    "unsigned": (paywright.OutcomeUnknown, Reply(CREATED, signed=False), buy),
    "unsigned, with a code": (paywright.OutcomeUnknown, Reply({"code": PAN, **SAID}, signed=False), buy),
    "unsigned read": (paywright.NoAnswer, Reply({"code": f"{PAN[:8]} {PAN[8:]}", **SAID}, signed=False), ask),
    "another's signature": (paywright.OutcomeUnknown, Reply(CREATED, signature="A" * 342 + "=="), buy),
    "two signatures": (paywright.OutcomeUnknown, Reply(CREATED, signature=["QUJD" * 86, "REVG" * 86]), buy),
    "not JSON": (paywright.OutcomeUnknown, Reply(f"{PAN} {TOKEN}".encode()), buy),
    "JSON with a key twice": (paywright.NoAnswer, Reply(f'{{"code":"{PAN}","code":"{TOKEN}"}}'.encode()), ask),
    "a status": (paywright.OutcomeUnknown, Reply(CREATED, status=500, headers={"X-Card": PAN}), buy),
    "a redirect": (paywright.NoAnswer, Reply(CREATED, status=302, headers={"Location": f"/{PAN}"}), ask),
    "another key": (paywright.OutcomeUnknown, Reply({**CREATED, "data": {**CREATED["data"], "outTradeNo": PAN}}), buy),
    "unreadable": (paywright.UnreadableWrite, Reply(without("tradeToken")), buy),
    "a wrong type": (
        paywright.UnreadableWrite, Reply({**CREATED, "data": {**CREATED["data"], "tradeToken": {"card": PAN}}}), buy,
    ),
    "a broken contract": (paywright.ContractViolation, Reply(CREATED), lambda c: buy(c, total_amount=float("nan"))),
    "a card for a country": (paywright.ContractViolation, Reply(CREATED), lambda c: buy(c, country=PAN)),
    "a card for an amount": (paywright.ContractViolation, Reply(CREATED), lambda c: buy(c, total_amount=PAN)),
    "a card for a detail": (paywright.ContractViolation, Reply(CREATED), lambda c: buy(c, payment_detail={"card": PAN})),
    "a secret that is too long": (
        paywright.ContractViolation, Reply(CREATED),
        lambda c: buy(c, payment_detail=DropInPaymentDetail(
            payment_token=TOKEN * 9, buyer_info=BuyerInfo(client_ip=PAN, user_agent="UA"))),
    ),
    "a float deep within": (paywright.ContractViolation, Reply(CREATED), lambda c: buy(c, risk_params={"x": {"card": PAN, "y": 0.5}})),
    "an argument": (paywright.InvalidArgument, Reply(CREATED), lambda c: buy(c, extra={"outTradeNo": PAN})),
}  # fmt: skip


@pytest.fixture
def events() -> list[AttemptEvent]:
    return []


@pytest.fixture
def watched() -> Watched:
    return Watched()


@pytest.fixture
def client(gateway: Gateway, merchant: Merchant, events: list[AttemptEvent], watched: Watched) -> Iterator[Client]:
    with Client(
        base_url=gateway.base_url, merchant=merchant, retries=1, on_attempt=events.append, observer=watched.telemetry
    ) as client:
        yield client


def everything(error: PaywrightError, log: pytest.LogCaptureFixture, events: list[AttemptEvent]) -> str:
    """All that anybody could print of an error, but for the frames of the caller."""
    return "\n".join(
        [
            str(error), repr(error), repr(error.args), pickle.dumps(error).decode("latin-1"),
            repr(pickle.loads(pickle.dumps(error))), repr(copy.copy(error)),
            *locals_of(error), *format_exception_only(error),
            *(logging.Formatter().format(record) for record in log.records), *map(repr, events),
            *(str(event.code) for event in events), repr(getattr(error, "answer", None)),
        ]
    )  # fmt: skip


@pytest.mark.parametrize("what", CALLS)
def test_no_error_of_a_call_shows_a_secret(
    client: Client,
    gateway: Gateway,
    events: list[AttemptEvent],
    watched: Watched,
    caplog: pytest.LogCaptureFixture,
    what: str,
) -> None:
    kind, reply, call = CALLS[what]
    gateway.reply = reply
    caplog.set_level(1)
    with pytest.raises(PaywrightError) as caught:
        call(client)
    assert type(caught.value) is kind
    shown = everything(caught.value, caplog, events) + watched.text()
    assert len(watched.spans()) == 1
    assert secrets_in(shown) == []
    for request in gateway.seen:
        assert request.headers["sign"][8:40] not in shown


def test_an_argument_that_a_method_does_not_have_is_in_no_frame_of_the_library(client: Client) -> None:
    with pytest.raises(TypeError) as caught:
        client.orders.query(out_trade_no="ORD_1", card_number=PAN)  # type: ignore[call-arg]
    shown = [*locals_of(caught.value)]
    assert shown != []
    assert secrets_in("".join(shown)) == []


def test_values_that_are_called_by_name_are_in_no_frame_of_the_library(client: Client) -> None:
    given: tuple[Any, ...] = ({"outTradeNo": "ORD_1"}, {"cardNumber": PAN})
    for call in (partial(client.call, operations.ORDERS_QUERY), partial(client.call_by_name, "orders.query")):
        with pytest.raises(PaywrightError) as caught:
            call(*given)
        shown = [*locals_of(caught.value)]
        assert shown != []
        assert secrets_in("".join(shown)) == []


def test_a_resolver_shows_and_stores_no_secret(
    gateway: Gateway, merchant: Merchant, events: list[AttemptEvent], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(1)
    clock = FixedClock(datetime(2025, 6, 1, 12, tzinfo=UTC))
    with Client(base_url=gateway.base_url, merchant=merchant, clock=clock, on_attempt=events.append) as client:
        resolver = client.orders.resolve(out_trade_no="ORD_1")
        shown = [resolver.to_json(), repr(resolver), str(resolver.look())]
        for reply in (coded("ORDER_NOT_EXIST"), coded("TOO_MANY_REQUEST"), Reply(SAID, signed=False), Reply(SAID)):
            gateway.reply = reply
            clock.advance(400)
            shown += [
                str(resolver.step()),
                resolver.to_json(),
                repr(resolver),
                str(resolver.error),
                repr(resolver.error),
            ]
        with pytest.raises(paywright.TooEarly) as caught:
            resolver.permission(store=str)
    assert secrets_in("\n".join(shown)) == []
    assert secrets_in(everything(caught.value, caplog, events)) == []


def test_what_is_read_well_shows_no_secret(client: Client, gateway: Gateway, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(1)
    gateway.reply = Reply(CREATED)
    made = buy(client)
    detail = DropInPaymentDetail(
        session_key=SESSION_KEY, payment_token=TOKEN, buyer_info=BuyerInfo(client_ip="::1", user_agent="U")
    )
    answer = made.answer  # type: ignore[attr-defined]  # every result has one
    shown = [repr(answer), repr(detail), repr(client), repr(client._merchant), repr(client._merchant.signer)]
    assert secrets_in("\n".join([*shown, *map(str, caplog.messages)])) == []
    assert json.loads(gateway.seen[-1].body)["data"]["paymentDetail"]["sessionKey"] == SESSION_KEY, "it was sent"


def test_the_watch_sees_what_it_must(merchant_keys: KeyPair, merchant: Merchant) -> None:
    signature = merchant.signer.sign(b"body")
    for text in (merchant_keys.private_pem, signature, PAN, CVV, SESSION_KEY, TOKEN):
        assert secrets_in(f"before {text!r} after")
        assert secrets_in(f"...{text}...")
    assert secrets_in("4111111111111111")
    for text in (
        "x" * 64,
        "/usr/lib/python3.11/site-packages/urllib3/connectionpool.py",
        "ORD_20250601_0001",
        "1748779200000",
    ):
        assert not secrets_in(text)
    watch = Watch()

    def leaking(secret: str) -> None:
        raise paywright.InvalidArgument(f"bad: {secret}")

    with pytest.raises(PaywrightError) as caught:
        leaking(PAN)
    watch.examine(caught.value)
    assert {leak.partition("(")[0] for leak in watch.taken()} >= {"str", "repr", "pickle"}
