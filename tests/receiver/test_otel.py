"""Traces and metrics: a span a call, a delivery and a followed item, what is measured, and what must never be in them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import anyio
import pytest
from opentelemetry import trace
from opentelemetry.trace import SpanKind, StatusCode

from paywright import (
    Client,
    Event,
    FixedClock,
    InvalidArgument,
    ItemResult,
    Merchant,
    PaywrightError,
    SnapAsymmetric,
    contract,
)
from paywright.aio import Client as AsyncClient
from paywright.contract import CONTRACT
from paywright_cli.commands.call import arguments, arguments_of_example
from paywright_receiver import AsyncFollower, Follower, MemoryLedger
from paywright_receiver.otel import Telemetry
from paywright_runtime.transport.api import Phase, RawAnswer, SignedRequest, TransportFailure
from paywright_sandbox.testing.inprocess import InProcessSandbox, in_process_sandbox
from tests.outcomes.canaries import PAN, TOKEN, secrets_in
from tests.runtime.helpers.canned_gateway import Gateway, Reply
from tests.runtime.helpers.client_calls import ORDER, ORDER_CREATED, OUTBOUND
from tests.support.packages import PACKAGES
from tests.support.telemetry import Watched, attributes, events

NOW = datetime(2025, 6, 1, 12, tzinfo=UTC)
CLIENTS = pytest.mark.parametrize("awaited", [False, True], ids=["blocking", "awaited"])
Call = Callable[[Any], Any]


@pytest.fixture
def watched() -> Watched:
    return Watched()


@pytest.fixture
def sandbox() -> Iterator[InProcessSandbox]:
    with in_process_sandbox(clock=FixedClock(NOW)) as sandbox:
        yield sandbox


def called(sandbox: InProcessSandbox, telemetry: Any, call: Call, *, awaited: bool, **options: Any) -> object:
    """Make a call with one of the clients; return its result, or its error."""

    async def made() -> object:
        async with sandbox.async_client(observer=telemetry, **options) as client:
            return await call(client)

    try:
        if awaited:
            return anyio.run(made)
        with sandbox.client(observer=telemetry, **options) as client:
            return call(client)
    except PaywrightError as error:
        return error


def buy(client: Any) -> Any:
    return client.orders.checkout(**ORDER)


def ask(client: Any) -> Any:
    return client.orders.query(out_trade_no="ORD_1")


# Calls

REFUSED = {"kind": "code", "code": "CURRENCY_INVALID", "times": 1}
CALLS: dict[str, tuple[Call, list[dict[str, Any]], dict[str, object], list[dict[str, object]]]] = {
    "confirmed": (
        buy, [],
        {"paywright.outcome": "confirmed", "paywright.key": "ORD_1", "http.response.status_code": 200},
        [{"paywright.attempt.outcome": "answered"}],
    ),
    "refused": (
        buy, [REFUSED],
        {"paywright.outcome": "failed", "paywright.key": "ORD_1", "http.response.status_code": 200,
         "paywright.code": "CURRENCY_INVALID", "error.type": "GatewayError"},
        [{"paywright.attempt.outcome": "refused"}],
    ),
    "money may have moved": (
        buy, [{"kind": "reset", "when": "after", "times": 1}],
        {"paywright.outcome": "unknown", "paywright.key": "ORD_1", "error.type": "OutcomeUnknown"},
        [{"paywright.attempt.outcome": "unknown", "paywright.attempt.phase": "waiting",
          "paywright.attempt.reason": "connection_lost"}],
    ),
    "retried": (
        lambda client: client.accounts.list_authorized(product_type_list=["payin"]), [{"kind": "html", "status": 502, "times": 1}],
        {"paywright.outcome": "confirmed", "http.response.status_code": 200, "http.request.resend_count": 1},
        [{"paywright.attempt.outcome": "no_answer", "paywright.attempt.phase": "done",
          "paywright.attempt.reason": "http_status"}, {"paywright.attempt.outcome": "answered"}],
    ),
    "retried, and lost at last": (
        ask, [{"kind": "html", "status": 502, "times": 2}, {"kind": "reset", "times": 1}],
        {"paywright.outcome": "failed", "http.request.resend_count": 2, "error.type": "NoAnswer"}, [],
    ),
    "never sent": (
        lambda client: client.orders.query(out_trade_no=""), [],
        {"paywright.outcome": "failed", "error.type": "ContractViolation"}, [],
    ),
}  # fmt: skip


@CLIENTS
@pytest.mark.parametrize("case", CALLS)
def test_a_call_is_a_measured_span(sandbox: InProcessSandbox, watched: Watched, case: str, awaited: bool) -> None:
    call, faults, shown, attempts = CALLS[case]
    for fault in faults:
        sandbox.fault(**fault)
    called(sandbox, watched.telemetry, call, awaited=awaited)
    (span,) = watched.spans()
    found = attributes(span)
    operation = str(found.pop("paywright.operation"))
    assert (span.name, span.kind) == (f"POST {operation}", SpanKind.CLIENT)
    path = contract.operation(operation).path
    assert (found.pop("http.request.method"), found.pop("url.full")) == ("POST", f"{sandbox.base_url}{path}")
    assert f"{found.pop('server.address')}:{found.pop('server.port')}" == sandbox.base_url.removeprefix("http://")
    assert found == shown
    assert events(span)[-len(attempts) :] == attempts or not attempts
    assert span.status.status_code is (StatusCode.ERROR if "error.type" in shown else StatusCode.UNSET)
    assert span.status.description is None
    (measured,) = watched.points()["paywright.call.duration"]
    kept = ("paywright.operation", "paywright.outcome", "error.type")
    assert measured.attributes == {name: value for name, value in attributes(span).items() if name in kept}
    assert (measured.count, measured.explicit_bounds[-1]) == (1, 30.0)
    (unknown,) = watched.points()["paywright.call.unknown"]
    assert unknown.value == (shown["paywright.outcome"] == "unknown"), "0 stands there from the beginning"


@CLIENTS
def test_the_span_is_current_within_the_request(sandbox: InProcessSandbox, watched: Watched, awaited: bool) -> None:
    with watched.tracers.get_tracer("shop").start_as_current_span("shop") as shop:
        for call in (buy, ask, lambda client: client.orders.query(out_trade_no="")):
            called(sandbox, watched.telemetry, call, awaited=awaited)
            assert trace.get_current_span() is shop
    *calls, _ = watched.spans()
    assert [span.parent and span.parent.span_id for span in calls] == [shop.get_span_context().span_id] * 3


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
@CLIENTS
def test_an_interrupted_write_is_unknown(merchant: Merchant, watched: Watched, error: Any, awaited: bool) -> None:
    class Interrupted:
        def send(self, request: SignedRequest, deadline: float) -> RawAnswer:
            assert trace.get_current_span().get_span_context().is_valid
            raise error

        def close(self) -> None:
            """Nothing is open."""

    options: dict[str, Any] = {"base_url": "http://127.0.0.1:1", "merchant": merchant, "observer": watched.telemetry}
    client: Any = (AsyncClient if awaited else Client)(transport=Interrupted(), **options)
    with pytest.raises(error):
        anyio.run(buy, client) if awaited else buy(client)
    (span,) = watched.spans()
    assert (attributes(span)["paywright.outcome"], attributes(span)["error.type"]) == ("unknown", "OutcomeUnknown")
    assert not trace.get_current_span().get_span_context().is_valid
    assert [event["paywright.attempt.reason"] for event in events(span)] == ["cancelled"]


@pytest.mark.anyio
async def test_a_cancelled_read_has_failed(merchant: Merchant, watched: Watched) -> None:
    class Hanging:
        async def send(self, request: SignedRequest, deadline: float) -> RawAnswer:
            await anyio.sleep_forever()
            raise AssertionError

        async def aclose(self) -> None:
            """Nothing is open."""

    client = AsyncClient(
        base_url="http://127.0.0.1:1", merchant=merchant, transport=Hanging(), observer=watched.telemetry
    )
    with anyio.move_on_after(0.01):
        await ask(client)
    (span,) = watched.spans()
    assert attributes(span)["paywright.outcome"] == "failed"


@pytest.mark.parametrize("ahead", [-90, 0, 40])
def test_only_verified_clocks_compare(gateway: Gateway, merchant: Merchant, watched: Watched, ahead: int) -> None:
    gateway.clock = FixedClock(NOW + timedelta(seconds=ahead))
    options: dict[str, Any] = {"base_url": gateway.base_url, "merchant": merchant, "observer": watched.telemetry}
    with Client(clock=FixedClock(NOW), retries=0, **options) as client:
        gateway.reply = Reply(ORDER_CREATED, signed=False)
        with pytest.raises(PaywrightError):
            buy(client)
        assert "paywright.clock.skew" not in watched.points()
        gateway.reply = Reply(ORDER_CREATED)
        buy(client)
    (skew,) = watched.points()["paywright.clock.skew"]
    assert ahead - 5 < skew.value <= ahead


def test_no_header_is_added_to_a_request(gateway: Gateway, merchant: Merchant, watched: Watched) -> None:
    sent = []
    for observer in (None, watched.telemetry):
        gateway.reply = Reply(ORDER_CREATED)
        with Client(base_url=gateway.base_url, merchant=merchant, observer=observer) as client:
            buy(client)
        sent.append(sorted(gateway.seen[-1].headers))
    assert sent[0] == sent[1]


# Deliveries


def test_a_delivery_is_a_span_around_its_handler(sandbox: InProcessSandbox, watched: Watched) -> None:
    receiver = sandbox.receiver(observer=watched.telemetry)
    tracer = watched.tracers.get_tracer("shop")

    @receiver.on_receive
    def transfer(event: Event[Any]) -> None:
        if event.data.request_no == "RV_2":
            raise KeyError("no such customer")
        tracer.start_span("booked").end()

    @receiver.on_validate_bill_payment
    def bill(question: Any) -> Any:
        tracer.start_span("looked up").end()
        return question.refuse("closed")

    forged = {**sandbox.notification("transfer").headers, "sign": "AAAA"}
    with tracer.start_as_current_span("POST /webhooks") as server:
        for _ in range(2):
            receiver.receive(*sandbox.notification("transfer", request_no="RV_1"))
        receiver.receive(*sandbox.notification("transfer", request_no="RV_2"))
        receiver.receive(sandbox.notification("transfer").body, forged)
        receiver.receive(*sandbox.notification("payment"))
        question = CONTRACT.example("merchant.validate_bill_payment.request")
        receiver.receive(*sandbox.signed({**question, "merchantNo": receiver.merchant_no or ""}))
        assert trace.get_current_span() is server
    spans = watched.spans()
    deliveries = [span for span in spans if span.name.startswith("process")]
    assert {span.kind for span in deliveries} == {SpanKind.CONSUMER}
    found = [(span.name, *map(attributes(span).get, ("paywright.answer", "error.type"))) for span in deliveries]
    assert found == [
        ("process RECEIVE", "handled", None),
        ("process RECEIVE", "duplicate", None),
        ("process RECEIVE", "failed", "KeyError"),
        ("process", "not_canonical", "not_canonical"),
        ("process other", "unhandled", "unhandled"),
        ("process", "answered", None),
    ]
    by_id = {span.context.span_id: span.name for span in spans if span.context is not None}
    parents = {span.name: by_id[span.parent.span_id] for span in spans if span.parent is not None}
    assert (parents["booked"], parents["looked up"]) == ("process RECEIVE", "process")
    assert parents["process RECEIVE"] == "POST /webhooks"
    assert all(span.status.description is None and span.events == () for span in deliveries)
    measured = watched.points()["messaging.process.duration"]
    assert sum(point.count for point in measured) == 6
    assert {point.attributes["paywright.answer"]: point.attributes.get("error.type") for point in measured} == {
        answer: error for _, answer, error in found
    }
    assert {point.attributes["messaging.operation.name"] for point in measured} == {"process"}


def test_a_delivery_that_ends_with_the_program_ends_its_span(sandbox: InProcessSandbox, watched: Watched) -> None:
    receiver = sandbox.receiver(observer=watched.telemetry)

    @receiver.on_receive
    def transfer(event: Event[Any]) -> None:
        raise SystemExit

    with pytest.raises(SystemExit):
        receiver.receive(*sandbox.notification("transfer"))
    (span,) = watched.spans()
    assert attributes(span)["error.type"] == "interrupted"
    assert not trace.get_current_span().get_span_context().is_valid


# Followed items


@CLIENTS
def test_a_followed_item_is_a_span(sandbox: InProcessSandbox, watched: Watched, awaited: bool) -> None:
    ledger = MemoryLedger(clock=sandbox.engine.wall)
    watched.telemetry.watch_items(ledger)
    with sandbox.client() as client:
        buy(client)
        Follower(client, ledger).open(
            None, client.orders.follow("ORD_1", total_amount=Decimal("10.50"), currency="USD")
        )
    (opened,) = watched.points()["paywright.items.open"]
    assert opened.value == 1
    sandbox.pay("ORD_1")
    sandbox.advance(timedelta(hours=1))
    receiver = sandbox.receiver(ledger, observer=watched.telemetry)

    @receiver.on_result("orders")
    def paid(event: Event[ItemResult]) -> None:
        watched.tracers.get_tracer("shop").start_span("shipped").end()

    async def followed() -> object:
        async with sandbox.async_client(observer=watched.telemetry) as client:
            return await AsyncFollower(client, ledger, receiver=receiver).run_due()

    if awaited:
        anyio.run(followed)
    else:
        with sandbox.client(observer=watched.telemetry) as client:
            Follower(client, ledger, receiver=receiver).run_due()
    names = ["POST orders.query", "shipped", "process PAYMENT", "follow orders"]
    query, shipped, delivery, item = map(watched.named, names)
    assert [span.name for span in watched.spans()] == names
    parents = [span.parent and span.parent.span_id for span in (query, delivery, shipped)]
    assert item.context is not None
    assert delivery.context is not None
    assert parents == [item.context.span_id, item.context.span_id, delivery.context.span_id]
    assert (item.parent, item.kind) == (None, SpanKind.INTERNAL)
    assert attributes(item) == {"paywright.item.kind": "orders", "paywright.key": "ORD_1"}
    (opened,) = watched.points()["paywright.items.open"]
    assert opened.value == 0


def test_an_item_that_cannot_be_asked_about_is_an_error(sandbox: InProcessSandbox, watched: Watched) -> None:
    ledger = MemoryLedger(clock=sandbox.engine.wall)
    with sandbox.client(observer=watched.telemetry) as client:
        follower = Follower(client, ledger)
        follower.open(None, client.orders.follow("ORD_1", total_amount=Decimal("10.50"), currency="USD"))
        sandbox.advance(timedelta(hours=1))
        client._transport.close()
        client._transport = SimpleNamespace(close=lambda: None, send=lambda *_: next(Path("/nowhere").iterdir()))  # type: ignore[assignment]  # it cannot send
        assert follower.run_due().unanswered == 1
        follower._core.contract = SimpleNamespace(following=CONTRACT.following, operation=CONTRACT.operation, may_show=CONTRACT.may_show)  # type: ignore[assignment]  # the inquiry cannot be read
        sandbox.advance(timedelta(hours=1))
        with pytest.raises(AttributeError):
            follower.run_due()
    *_, item = watched.spans()
    assert (item.name, attributes(item)["error.type"], item.status.description) == (
        "follow orders",
        "AttributeError",
        None,
    )


# What is never shown


MARK = "UNHEARD-OF"
"""A text of a message that messages of errors may show, and traces must not."""


def planted(name: str, example: Any) -> Any:
    """Return the example of an object with a canary in each member that is classed, and in each object of the example."""
    made: dict[str, Any] = {**example}
    for field in CONTRACT.struct(name).fields:
        if field.redaction is not None:
            made[field.wire] = PAN if field.redaction == "pan" else TOKEN
        elif field.kind == "struct" and field.of and field.wire in made:
            inner = made[field.wire]
            made[field.wire] = [planted(field.of, one) for one in inner] if field.array else planted(field.of, inner)
    return made


def replies(operation: Any) -> list[Reply]:
    """Return an answer for each way in which a call can end, each with canaries."""
    known = operation.refusal_codes or operation.clock_codes
    success = planted(operation.response, CONTRACT.example(f"{operation.name}.{operation.roles[1]}"))
    coded = [
        {**success, "msg": f"{PAN} {MARK}", "message": MARK, "responseMessage": MARK}
        | dict.fromkeys(("code", "bizCode", "responseCode"), code)
        for code in (*sorted(known)[:1], *operation.duplicate_codes, *operation.not_found_codes, f"E{PAN}", MARK)
    ]
    return [
        Reply(success),
        *map(Reply, coded),
        Reply(success, signed=False),
        Reply(success, signature=TOKEN),
        Reply(success, status=500, headers={"X-Card": PAN}),
        Reply(success, status=302, headers={"Location": f"/{TOKEN}"}),
        Reply(f"{PAN} {TOKEN}".encode()),
        Reply({**success, "data": {"tradeToken": [TOKEN]}}),
    ]


def request_of(operation: Any) -> dict[str, Any]:
    """Return the arguments of an operation's example with canaries, by wire name."""
    struct = CONTRACT.struct(operation.data or operation.request)
    example = json.loads(json.dumps(CONTRACT.example(f"{operation.name}.{operation.roles[0]}")), parse_float=Decimal)
    given = planted(struct.name, example["data"] if operation.data else example)
    classed = {field.wire for field in struct.fields if field.redaction is not None}
    names = classed | set(arguments_of_example(CONTRACT, operation))
    return arguments(CONTRACT, operation, {name: value for name, value in given.items() if name in names})[0]


@pytest.mark.parametrize("name", OUTBOUND)
def test_no_call_shows_what_is_classed(gateway: Gateway, merchant: Merchant, watched: Watched, name: str) -> None:
    operation = CONTRACT.operation(name)
    values = request_of(operation)
    merchant.snap_signature = SnapAsymmetric(merchant.signer)
    paths = {name: operation.path or "/unknown"}
    options: dict[str, Any] = {"base_url": gateway.base_url, "merchant": merchant, "paths": paths, "retries": 0}
    outcomes = set()
    with Client(validation="off", observer=watched.telemetry, **options) as client:
        for gateway.reply in replies(operation):
            try:
                client.call_by_name(name, values, {"cvv": TOKEN})
            except PaywrightError as error:
                outcomes.add(type(error).__name__)
    with Client(observer=watched.telemetry, **options) as client, pytest.raises(PaywrightError):
        client.call_by_name(name, {wire: {"card": PAN} for wire in values}, {"cvv": TOKEN})
    assert outcomes >= {"GatewayError", "OutcomeUnknown" if operation.write else "NoAnswer"}
    assert len(watched.spans()) >= len(replies(operation))
    shown = watched.text()
    assert secrets_in(shown) == []
    assert MARK not in shown
    assert not any(
        seen.headers["sign" if "sign" in seen.headers else "x-signature"][8:40] in shown for seen in gateway.seen
    )
    keys = {attributes(span).get("paywright.key") for span in watched.spans()} - {None}
    assert bool(keys) is operation.write


def test_what_a_transport_of_your_own_says_is_not_shown(merchant: Merchant, watched: Watched) -> None:
    class Talking:
        def send(self, request: SignedRequest, deadline: float) -> RawAnswer:
            reason: Any = MARK
            raise TransportFailure(Phase.READING, reason, MARK, 502)

        def close(self) -> None:
            """Nothing is open."""

    base_url = f"http://{MARK}:{MARK}@127.0.0.1:1/base?{MARK}"
    with (
        Client(base_url=base_url, merchant=merchant, transport=Talking(), observer=watched.telemetry) as client,
        pytest.raises(PaywrightError),
    ):
        buy(client)
    (span,) = watched.spans()
    assert attributes(span)["http.response.status_code"] == 502
    assert events(span)[0]["paywright.attempt.reason"] == "other"
    assert MARK.lower() not in watched.text().lower()


def test_a_card_number_in_a_key_is_masked(sandbox: InProcessSandbox, watched: Watched) -> None:
    ledger = MemoryLedger(clock=sandbox.engine.wall)
    with sandbox.client(observer=watched.telemetry) as client:
        client.orders.checkout(**ORDER | {"out_trade_no": "O_4111111111111111"})
        follower = Follower(client, ledger)
        follower.open(None, client.orders.follow("O_4111111111111111", total_amount=Decimal("10.50"), currency="USD"))
        sandbox.advance(timedelta(hours=1))
        assert follower.run_due().asked == 1
    keys = [attributes(span).get("paywright.key") for span in watched.spans()]
    assert keys == ["O_411111******1111", None, "O_411111******1111"]


def test_a_key_that_the_contract_classes_is_not_shown(
    gateway: Gateway, merchant: Merchant, watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    gateway.reply = Reply(ORDER_CREATED)
    field = CONTRACT.struct("orders.checkout.request.data").by_wire["outTradeNo"]
    monkeypatch.setattr(field, "redaction", "pii")
    with Client(base_url=gateway.base_url, merchant=merchant, observer=watched.telemetry) as client:
        buy(client)
    assert "ORD_1" not in watched.text()


def test_no_delivery_shows_what_is_classed_or_what_a_handler_says(sandbox: InProcessSandbox, watched: Watched) -> None:
    receiver = sandbox.receiver(observer=watched.telemetry)

    @receiver.on_receive
    def transfer(event: Event[Any]) -> None:
        raise ValueError(f"{PAN} of {TOKEN}")

    @receiver.on_kind("BONUS", once_per=["userId"])
    def bonus(event: Event[Any]) -> None:
        """It has its effect."""

    for operation in map(CONTRACT.operation, contract.operations()):
        if not operation.inbound:
            continue
        body = json.loads(sandbox.notification("transfer").body) | planted(
            operation.request, CONTRACT.example(f"{operation.name}.{operation.roles[0]}")
        )
        body |= {"appId": receiver.addressee, "merchantNo": receiver.merchant_no}
        for change in ({}, {"notifyType": MARK}, {"notifyType": "BONUS", "data": {"userId": MARK}}, {"data": PAN}):
            receiver.receive(*sandbox.signed({**body, **change}))
        receiver.receive(json.dumps(body).encode(), {"sign": TOKEN})
    assert {"process BONUS", "process other", "process RECEIVE", "process"} <= {one.name for one in watched.spans()}
    assert secrets_in(watched.text()) == []
    assert MARK not in watched.text()


# Set up


@pytest.mark.parametrize("wrong", [Telemetry, "otel", print, 5])
def test_what_is_no_provider_and_no_ledger_is_refused_in_words(wrong: Any) -> None:
    with pytest.raises(InvalidArgument, match="tracer_provider is a TracerProvider of OpenTelemetry, or None"):
        Telemetry(tracer_provider=wrong)
    with pytest.raises(InvalidArgument, match="meter_provider is a MeterProvider of OpenTelemetry, or None"):
        Telemetry(meter_provider=wrong)
    with pytest.raises(InvalidArgument, match="ledger is a ledger that keeps open items, such as SqliteLedger"):
        Telemetry().watch_items(wrong)


@pytest.mark.slow
def test_nothing_of_opentelemetry_is_loaded_until_its_module_is() -> None:
    code = (
        "import sys; from paywright import Client, Receiver; import paywright_receiver\n"
        "for name in paywright_receiver.__all__: getattr(paywright_receiver, name)\n"
        "print([name for name in sys.modules if name.startswith('opentelemetry')])"
    )
    assert run(code).stdout.strip() == "[]"


def run(code: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": PACKAGES}
    return subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True)


@pytest.mark.parametrize(
    ("missing", "name", "says"),
    [
        ("opentelemetry", "otel", "ConfigurationError: Traces and metrics need an extra: pip install 'paywright[otel]'."),
        ("pymysql", "MariaDbLedger", "ModuleNotFoundError: MariaDbLedger needs PyMySQL: pip install 'paywright[mariadb]'."),
        ("psycopg", "PostgresLedger", "ModuleNotFoundError: PostgresLedger needs psycopg: pip install 'paywright[postgres]'"),
    ],
)  # fmt: skip
def test_without_its_extra_a_name_says_what_to_install(missing: str, name: str, says: str) -> None:
    assert says in run(f"import sys; sys.modules[{missing!r}] = None; from paywright_receiver import {name}").stderr
