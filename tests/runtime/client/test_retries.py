"""Reads are tried again within one deadline; writes only while nothing of them has left."""

from __future__ import annotations

import asyncio
import logging
import re
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from paywright import (
    AttemptEvent,
    Client,
    ConfigurationError,
    FixedClock,
    GatewayError,
    HttpTransport,
    Merchant,
    NoAnswer,
    NotSent,
    OutcomeUnknown,
    RawAnswer,
    SignedRequest,
    TransportFailure,
)
from paywright_runtime.clock import SystemClock
from paywright_runtime.contract import formats
from paywright_runtime.transport.api import Phase
from tests.runtime.helpers.canned_gateway import Gateway, Reply, Seen
from tests.runtime.helpers.client_calls import ORDER, ORDER_CREATED, ORDER_FOUND

FORGED = Reply(ORDER_FOUND, signed=False)


def in_turn(*replies: Reply) -> Callable[[Seen], Reply]:
    left = list(replies)
    return lambda seen: left.pop(0) if len(left) > 1 else left[0]


def query(client: Client) -> object:
    return client.orders.query(out_trade_no="ORD_1")


def place(client: Client) -> object:
    return client.orders.checkout(**ORDER)


class Failing:
    """A real transport behind one that fails first."""

    def __init__(self, base_url: str, *failures: Exception) -> None:
        self.failures = list(failures)
        self.inner = HttpTransport(base_url)
        self.sent: list[SignedRequest] = []
        self.deadlines: list[float] = []

    def send(self, request: SignedRequest, deadline: float) -> RawAnswer:
        self.sent.append(request)
        self.deadlines.append(deadline - time.monotonic())
        if self.failures:
            raise self.failures.pop(0)
        return self.inner.send(request, deadline)

    def close(self) -> None:
        self.inner.close()


def test_a_read_is_tried_again_with_a_time_and_a_signature_of_its_own(client: Client, gateway: Gateway) -> None:
    gateway.reply = in_turn(FORGED, Reply(b"<html>", status=502), Reply(ORDER_FOUND))
    order = client.orders.query(out_trade_no="ORD_1")
    assert order.status == "SUCCESS"
    assert [attempt.reason for attempt in order.answer.attempts] == ["unsigned", "http_status", "answered"]
    assert [attempt.number for attempt in order.answer.attempts] == [1, 2, 3]
    assert [attempt.status for attempt in order.answer.attempts] == [200, 502, 200]
    assert len({seen.headers["sign"] for seen in gateway.seen}) == 3
    assert len({seen.json["requestTime"] for seen in gateway.seen}) == 3


def test_a_read_gives_up_after_its_retries_and_shows_all_attempts(client: Client, gateway: Gateway) -> None:
    gateway.reply = FORGED
    with pytest.raises(NoAnswer) as caught:
        query(client)
    assert len(gateway.seen) == len(caught.value.attempts) == 3
    assert "3 attempts" in str(caught.value)


def test_a_read_that_left_once_has_no_answer(gateway: Gateway, merchant: Merchant) -> None:
    failures = [TransportFailure(Phase.WAITING, "connection_lost")]
    failures += [TransportFailure(Phase.CONNECTING, "connection_failed")] * 2
    with Client(base_url=gateway.base_url, merchant=merchant, transport=Failing(gateway.base_url, *failures)) as client:
        with pytest.raises(NoAnswer) as caught:
            query(client)
        assert caught.value.reason == "connection_failed"
        assert [attempt.phase for attempt in caught.value.attempts] == ["waiting", "connecting", "connecting"]
        client._transport.failures = failures[1:] + failures[1:]  # type: ignore[attr-defined]  # it is the one above
        with pytest.raises(NotSent):
            query(client)


def test_a_write_of_which_nothing_left_is_tried_again_with_the_same_key(gateway: Gateway, merchant: Merchant) -> None:
    gateway.reply = Reply(ORDER_CREATED)
    transport = Failing(
        gateway.base_url,
        TransportFailure(Phase.CONNECTING, "connection_failed", "ECONNREFUSED"),
        TransportFailure(Phase.SENDING, "connection_lost", "EPIPE"),
    )
    with Client(base_url=gateway.base_url, merchant=merchant, transport=transport) as client:
        order = client.orders.checkout(**ORDER)
    attempts = order.answer.attempts
    assert [(attempt.phase, attempt.detail) for attempt in attempts] == [
        ("connecting", "ECONNREFUSED"),
        ("sending", "EPIPE"),
        ("done", ""),
    ]
    assert len(gateway.seen) == 1
    assert len({request.body for request in transport.sent}) == 3
    assert all(b'"outTradeNo":"ORD_1"' in request.body for request in transport.sent)


def test_a_write_stops_being_tried_again_once_a_byte_may_have_left(gateway: Gateway, merchant: Merchant) -> None:
    transport = Failing(
        gateway.base_url,
        TransportFailure(Phase.CONNECTING, "connection_failed"),
        TransportFailure(Phase.WAITING, "connection_lost"),
    )
    with (
        Client(base_url=gateway.base_url, merchant=merchant, transport=transport) as client,
        pytest.raises(OutcomeUnknown) as caught,
    ):
        place(client)
    assert len(transport.sent) == len(caught.value.attempts) == 2


@pytest.mark.parametrize("failure", [OSError("gone"), TimeoutError(), MemoryError()])
def test_a_transports_system_error_is_unknown(gateway: Gateway, merchant: Merchant, failure: Exception) -> None:
    transport = Failing(gateway.base_url, failure, failure, failure)
    with Client(base_url=gateway.base_url, merchant=merchant, transport=transport, retries=0) as client:
        with pytest.raises(OutcomeUnknown) as unknown:
            place(client)
        try:
            raise KeyError("the caller's own")
        except KeyError as own:
            with pytest.raises(NoAnswer) as nothing:
                query(client)
            assert (unknown.value.__context__, nothing.value.__context__) == (None, own)  # noqa: PT017
    assert unknown.value.reason == nothing.value.reason == "transport_failed"
    assert unknown.value.attempts[0].detail == type(failure).__name__


def test_another_error_of_a_transport_passes_at_once(gateway: Gateway, merchant: Merchant) -> None:
    transport = Failing(gateway.base_url, RuntimeError("bug"), RuntimeError("bug"))
    with Client(base_url=gateway.base_url, merchant=merchant, transport=transport) as client:
        with pytest.raises(RuntimeError) as read:
            query(client)
        with pytest.raises(RuntimeError) as write:
            place(client)
    assert len(transport.sent) == 2
    assert not hasattr(read.value, "__notes__")
    assert "'ORD_1' has an unknown outcome: the call was interrupted (cancelled)" in write.value.__notes__[0]


def test_a_signer_that_fails_means_that_nothing_was_sent(gateway: Gateway, merchant: Merchant) -> None:
    class Away:
        def sign(self, body: bytes) -> str:
            raise ConnectionError("the KMS is away")

    merchant.signer = Away()
    with Client(base_url=gateway.base_url, merchant=merchant) as client, pytest.raises(NotSent) as caught:
        place(client)
    assert (caught.value.reason, caught.value.phase) == ("signing_failed", "signing")
    assert not gateway.seen


@pytest.mark.parametrize("made", [b"c2ln", None, 7])
def test_a_signer_that_returns_no_text_is_named(gateway: Gateway, merchant: Merchant, made: Any) -> None:
    class Encoding:
        def sign(self, body: bytes) -> str:
            return made  # type: ignore[no-any-return]  # as base64.b64encode does

    merchant.signer = Encoding()
    with Client(base_url=gateway.base_url, merchant=merchant) as client:
        for call in (place, query):
            with pytest.raises(ConfigurationError, match=rf"Encoding\.sign returned {type(made).__name__}, and not"):
                call(client)
    assert not gateway.seen


def test_pauses_double_up_to_two_seconds(gateway: Gateway, merchant: Merchant, monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []
    monkeypatch.setattr(SystemClock, "sleep", lambda self, seconds: slept.append(seconds))
    failures = [TransportFailure(Phase.CONNECTING, "connection_failed")] * 10
    transport = Failing(gateway.base_url, *failures)
    with (
        Client(base_url=gateway.base_url, merchant=merchant, transport=transport, timeout=60, retries=8) as client,
        pytest.raises(NotSent) as caught,
    ):
        place(client)
    longest = [0.1, 0.2, 0.4, 0.8, 1.6, 2.0, 2.0, 2.0]
    assert len(caught.value.attempts) == len(transport.sent) == 9
    assert len(slept) == 8
    assert all(30 < left <= 60 for left in transport.deadlines)
    for pause, most in zip(slept, longest, strict=True):
        assert most / 2 <= pause <= most


def test_a_read_that_hangs_leaves_time_for_another_attempt(gateway: Gateway, merchant: Merchant) -> None:
    gateway.reply = Reply(ORDER_FOUND)
    lost = [TransportFailure(Phase.WAITING, "timeout") for _ in range(2)]
    transport = Failing(gateway.base_url, *lost)
    with Client(base_url=gateway.base_url, merchant=merchant, transport=transport, timeout=3000) as client:
        query(client)
    first, second, last = transport.deadlines
    assert 900 < first <= 1000
    assert 1400 < second <= 1500
    assert 2900 < last <= 3000


def test_a_client_in_trouble_runs_out_of_retries(gateway: Gateway, merchant: Merchant) -> None:
    gateway.reply = FORGED
    with Client(base_url=gateway.base_url, merchant=merchant, retries=100, timeout=3000) as client:
        client._budget.left = 2.0
        with pytest.raises(NoAnswer) as caught:
            query(client)
        assert len(caught.value.attempts) == 3
        with pytest.raises(NoAnswer) as caught:
            query(client)
        assert len(caught.value.attempts) == 1
        gateway.reply = Reply(ORDER_FOUND)
        for _ in range(11):
            query(client)
        gateway.reply = in_turn(FORGED, Reply(ORDER_FOUND))
        query(client)


@pytest.mark.parametrize(("behind", "where"), [(250, "ahead of"), (-4000, "behind")])
def test_a_refused_time_tells_the_clock_skew(gateway: Gateway, merchant: Merchant, behind: int, where: str) -> None:
    gateway.clock = FixedClock(datetime(2025, 6, 1, 12, tzinfo=UTC))
    clock = FixedClock(gateway.clock.now() - timedelta(seconds=behind))
    signed_at = formats.write_request_time(clock.now())
    gateway.reply = Reply({"code": "REQ_TIME_OVER_TIME", "msg": "stale"})
    with Client(base_url=gateway.base_url, merchant=merchant, clock=clock) as client:
        with pytest.raises(GatewayError) as caught:
            place(client)
        (seconds,) = re.findall(rf"its clock is ([0-9]+) s {where} this machine's", str(caught.value))
        assert int(seconds) == pytest.approx(abs(behind), abs=1)  # a Date header has whole seconds
        assert "not signed" in str(caught.value)
        with pytest.raises(GatewayError):
            place(client)
    assert {seen.json["requestTime"] for seen in gateway.seen} == {signed_at}  # it is reported, never followed


def test_two_dates_are_none_and_an_unsigned_refusal_hints_at_the_clock(client: Client, gateway: Gateway) -> None:
    now = format_datetime(datetime.now(UTC), usegmt=True)
    gateway.reply = Reply({"code": "REQ_TIME_OVER_TIME", "msg": ""}, headers={"Date": now})
    with pytest.raises(GatewayError) as caught:
        place(client)
    assert "Compare this machine's clock" in str(caught.value)
    gateway.reply = Reply({"code": "REQ_TIME_OVER_TIME", "msg": ""}, signed=False)
    with pytest.raises(OutcomeUnknown) as unknown:
        place(client)
    assert "appears to say REQ_TIME_OVER_TIME" in str(unknown.value)
    assert "By the answer's Date header, which is not signed" in str(unknown.value)


def test_a_code_of_another_operation_is_no_answer_and_ends_the_connection(client: Client, gateway: Gateway) -> None:
    gateway.reply = Reply({"code": "ORDER_NOT_EXIST", "msg": ""})
    with pytest.raises(OutcomeUnknown) as unknown:
        place(client)
    assert (unknown.value.reason, unknown.value.code) == ("foreign_code", "ORDER_NOT_EXIST")
    assert client._transport._idle == []  # type: ignore[attr-defined]  # the pool is the transport's own business
    gateway.reply = in_turn(Reply({"code": "ORDER_REPEAT", "msg": ""}), Reply(ORDER_FOUND))
    assert [attempt.reason for attempt in client.orders.query(out_trade_no="ORD_1").answer.attempts] == [
        "foreign_code",
        "answered",
    ]


def test_a_refusal_code_of_another_envelope_is_a_refusal(client: Client, gateway: Gateway) -> None:
    gateway.reply = Reply({"code": "PARAMS_INVALID", "msg": "no such case"})
    with pytest.raises(GatewayError) as caught:
        client.cases.inquire(case_id="CASE0001")
    assert caught.value.code == "PARAMS_INVALID"


# Hooks and logs


@pytest.fixture
def events(gateway: Gateway, merchant: Merchant) -> Iterator[tuple[Client, list[AttemptEvent]]]:
    seen: list[AttemptEvent] = []
    with Client(base_url=gateway.base_url, merchant=merchant, on_attempt=seen.append) as client:
        yield client, seen


def test_a_hook_hears_of_every_attempt(events: tuple[Client, list[AttemptEvent]], gateway: Gateway) -> None:
    client, seen = events
    gateway.reply = in_turn(FORGED, Reply(ORDER_FOUND))
    query(client)
    gateway.reply = Reply({"code": "CURRENCY_INVALID", "msg": ""})
    with pytest.raises(GatewayError):
        place(client)
    gateway.reply = FORGED
    with pytest.raises(OutcomeUnknown):
        place(client)
    assert [(event.operation, event.key, event.outcome, event.code) for event in seen] == [
        ("orders.query", None, "no_answer", None),
        ("orders.query", None, "answered", None),
        ("orders.checkout", "ORD_1", "refused", "CURRENCY_INVALID"),
        ("orders.checkout", "ORD_1", "unknown", None),
    ]
    assert [event.pause is None for event in seen] == [False, True, True, True]
    assert seen[1].attempt.number == 2
    assert seen[1].attempt.duration > 0


def test_a_failing_hook_changes_nothing(gateway: Gateway, merchant: Merchant, caplog: pytest.LogCaptureFixture) -> None:
    def broken(event: AttemptEvent) -> None:
        raise ValueError("card 4444333322221111")

    gateway.reply = Reply(ORDER_CREATED)
    with Client(base_url=gateway.base_url, merchant=merchant, on_attempt=broken) as client:
        assert client.orders.checkout(**ORDER).status == "PENDING"
    assert "the on_attempt hook raised ValueError" in caplog.text
    assert "4444" not in caplog.text


@pytest.mark.parametrize("fails_hook", [False, True])
def test_a_logger_that_fails_takes_no_outcomes_place(gateway: Gateway, merchant: Merchant, fails_hook: bool) -> None:
    def broken(_: object) -> bool:
        raise RuntimeError("the disk is full")

    logger = logging.getLogger("paywright")
    level = logger.level
    logger.addFilter(broken)
    logger.setLevel(logging.DEBUG)
    try:
        with Client(base_url=gateway.base_url, merchant=merchant, on_attempt=broken if fails_hook else None) as client:
            gateway.reply = Reply(ORDER_CREATED)
            assert client.orders.checkout(**ORDER).status == "PENDING"
            gateway.reply = FORGED
            with pytest.raises(OutcomeUnknown):
                client.orders.checkout(**ORDER)
            with pytest.raises(NoAnswer):
                query(client)
    finally:
        logger.removeFilter(broken)
        logger.setLevel(level)


def test_the_log_warns_of_unknown_outcomes(client: Client, gateway: Gateway, caplog: pytest.LogCaptureFixture) -> None:
    gateway.reply = in_turn(FORGED, Reply(ORDER_FOUND))
    with caplog.at_level(logging.DEBUG, "paywright"):
        query(client)
        gateway.reply = FORGED
        with pytest.raises(OutcomeUnknown):
            place(client)
    told = [(record.levelname, record.getMessage()) for record in caplog.records if record.name == "paywright"]
    assert [level for level, _ in told] == ["INFO", "DEBUG", "WARNING"]
    assert "again in" in told[0][1]
    assert told[2][1].startswith("orders.checkout ORD_1: attempt 1 unknown after ")


@pytest.fixture
def default_level() -> Iterator[None]:
    """The level of the log as a program has it that sets nothing; the suite listens to everything."""
    log = logging.getLogger("paywright")
    before = log.level
    log.setLevel(logging.NOTSET)
    root = logging.getLogger()
    roots = root.level
    root.setLevel(logging.WARNING)
    yield
    log.setLevel(before)
    root.setLevel(roots)


@pytest.mark.usefixtures("default_level")
def test_by_default_the_log_tells_only_what_may_have_moved_money(
    events: tuple[Client, list[AttemptEvent]], gateway: Gateway, caplog: pytest.LogCaptureFixture
) -> None:
    client, _ = events
    gateway.reply = in_turn(FORGED, Reply(ORDER_FOUND))
    query(client)
    gateway.reply = Reply(ORDER_CREATED)
    place(client)
    gateway.reply = Reply({"code": "CURRENCY_INVALID", "msg": ""})
    with pytest.raises(GatewayError):
        place(client)
    assert caplog.records == []
    gateway.reply = FORGED
    with pytest.raises(OutcomeUnknown):
        place(client)
    assert [(record.levelname, record.getMessage().partition(" after")[0]) for record in caplog.records] == [
        ("WARNING", "orders.checkout ORD_1: attempt 1 unknown")
    ]


class Interrupting(Failing):
    """Raises what it is given at the send, or, with `broken`, in the pause after an attempt that was not sent."""

    def __init__(self, base_url: str, interrupt: type[BaseException], broken: int = 0) -> None:
        super().__init__(base_url, *[TransportFailure(Phase.CONNECTING, "connection_failed")] * broken)
        self.interrupt = interrupt

    def send(self, request: SignedRequest, deadline: float) -> RawAnswer:
        if self.failures:
            return super().send(request, deadline)
        raise self.interrupt


INTERRUPTS = [KeyboardInterrupt, SystemExit, GeneratorExit, asyncio.CancelledError]


@pytest.mark.parametrize("interrupt", INTERRUPTS)
def test_a_write_interrupted_between_attempts_was_not_sent(
    gateway: Gateway,
    merchant: Merchant,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
    interrupt: type[BaseException],
) -> None:
    def interrupted(self: SystemClock, seconds: float) -> None:
        raise interrupt

    monkeypatch.setattr(SystemClock, "sleep", interrupted)
    events: list[AttemptEvent] = []
    transport = Interrupting(gateway.base_url, interrupt, broken=1)
    with (
        Client(base_url=gateway.base_url, merchant=merchant, transport=transport, on_attempt=events.append) as client,
        caplog.at_level(logging.WARNING, "paywright"),
        pytest.raises(interrupt) as caught,
    ):
        place(client)
    assert not hasattr(caught.value, "__notes__")
    assert [(event.outcome, event.attempt.phase, event.attempt.reason) for event in events] == [
        ("not_sent", "connecting", "connection_failed"),
        ("not_sent", "pausing", "cancelled"),
    ]
    assert [record.getMessage().partition(" after")[0] for record in caplog.records] == [
        "orders.checkout ORD_1: attempt 1 not_sent"
    ]
