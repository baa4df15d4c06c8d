"""Whatever is raised after a write has left, at any line of the client: a note or an outcome, and a line in the log."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any, Final

import anyio
import pytest

import paywright_runtime.client.call_flow
from paywright import Client, ContractViolation, Merchant, OutcomeUnknown, PaywrightError
from paywright.aio import Client as AsyncClient
from paywright_runtime.client.attempt_events import AttemptEvent, Hook
from paywright_runtime.signing.keys import KeyPair, load_private_key
from paywright_runtime.signing.rsa import RsaSigner
from paywright_runtime.transport.api import Phase, RawAnswer, SignedRequest, TransportFailure
from tests.runtime.helpers.client_calls import ORDER, ORDER_CREATED
from tests.support.time_limits import TimeLimit, needs_signals, strike, time_limit

CLIENT: Final = str(Path(paywright_runtime.client.call_flow.__file__).parent)
ENDINGS: Final[dict[str, dict[str, object] | None]] = {
    "accepted": ORDER_CREATED,
    "refused": {"code": "CURRENCY_INVALID", "msg": ""},
    "already placed": {"code": "ORDER_REPEAT", "msg": ""},
    "unreadable": {"code": "APPLY_SUCCESS", "data": {"outTradeNo": "ORD_1"}},
    "unproven": {"code": "SYSTEM_ERROR", "msg": ""},
    "another key": {"code": "APPLY_SUCCESS", "data": {"outTradeNo": "ORD_2"}},
    "lost": None,
}


class Taking:
    """A transport that takes the request and ends the call in one way. `left` says that it has it."""

    def __init__(self, ending: str, sign: Callable[[bytes], str]) -> None:
        said = ENDINGS[ending]
        self.body = None if said is None else json.dumps(said).encode()
        self.sign = sign
        self.left = False

    def send(self, request: SignedRequest, deadline: float) -> RawAnswer:
        self.left = True
        if self.body is None:
            raise TransportFailure(Phase.WAITING, "connection_lost")
        return RawAnswer(200, (("sign", self.sign(self.body)),), self.body)

    def close(self) -> None:
        """Nothing is open."""


class AsyncTaking(Taking):
    """The same, awaited."""

    async def send(self, request: SignedRequest, deadline: float) -> RawAnswer:  # type: ignore[override]  # awaited
        request.reach(Phase.WAITING)
        return super().send(request, deadline)

    async def aclose(self) -> None:
        """Nothing is open."""


@pytest.fixture(scope="module")
def sign(gateway_keys: KeyPair) -> Callable[[bytes], str]:
    return cache(RsaSigner(load_private_key(gateway_keys.private_pem)).sign)


def place(merchant: Merchant, transport: Taking, hook: Hook | None = None) -> object:
    """Place an order through one of the two clients."""
    settings: dict[str, Any] = {"base_url": "http://127.0.0.1:1", "merchant": merchant, "on_attempt": hook}
    if not isinstance(transport, AsyncTaking):
        return Client(transport=transport, **settings).orders.checkout(**ORDER)
    client = AsyncClient(transport=transport, **settings)

    async def placed() -> object:
        return await client.orders.checkout(**ORDER)

    return anyio.run(placed)


@contextmanager
def raising(transport: Taking, number: int, error: type[BaseException], passed: list[str]) -> Iterator[None]:
    """Raise `error` at the line of the client's modules with this number, counted from when the request has left.

    A time limit comes by a signal.
    """

    def line(frame: FrameType, event: str, _: object) -> Any:
        if event == "line" and transport.left:
            passed.append(f"{frame.f_code.co_qualname}:{frame.f_lineno}")
            if len(passed) == number:
                raise strike() if error is TimeLimit else error
        return line

    def entered(frame: FrameType, event: str, _: object) -> Any:
        return line if frame.f_code.co_filename.startswith(CLIENT) else None

    before = sys.gettrace()
    sys.settrace(entered)
    try:
        with time_limit() if error is TimeLimit else nullcontext():
            yield
    finally:
        sys.settrace(before)


def raised() -> Iterator[Any]:
    """What is raised in which call: in the fast tests any two of the three meet."""
    for at, ending in enumerate(ENDINGS):
        for number, kind in enumerate((Taking, AsyncTaking)):
            for error in (KeyboardInterrupt, SystemExit, TimeLimit):
                fast = error is not SystemExit and (at + number + (error is TimeLimit)) % 2 == 0
                marks = (needs_signals,) if error is TimeLimit else ()
                yield pytest.param(ending, kind, error, marks=marks if fast else (*marks, pytest.mark.slow))


@pytest.mark.parametrize(("ending", "kind", "error"), [*raised()])
def test_nothing_that_is_raised_at_any_line_hides_what_became_of_a_write(
    merchant: Merchant,
    sign: Callable[[bytes], str],
    caplog: pytest.LogCaptureFixture,
    ending: str,
    kind: type[Taking],
    error: type[BaseException],
) -> None:
    lost: list[str] = []
    with suppress(PaywrightError):
        place(merchant, kind(ending, sign))  # what is imported at the first call has no part in it
    for number in range(1, 1000):
        passed: list[str] = []
        transport = kind(ending, sign)
        caplog.clear()
        try:
            with raising(transport, number, error, passed):
                place(merchant, transport)
        except PaywrightError:  # the outcome itself, of a call that was not struck
            if len(passed) >= number:
                lost.append(f"{passed[-1]} has swallowed it")
        except error as raised:
            # One that strikes while the outcome itself is on its way out has it as its context.
            known = " ".join([*getattr(raised, "__notes__", ()), str(raised.__context__)])
            logged = "WARNING" in {record.levelname for record in caplog.records}
            if "'ORD_1'" not in known or not (logged or ending == "refused"):
                lost.append(passed[-1])
        else:
            assert ending == "accepted"
        if len(passed) < number:
            break
    assert not lost
    assert number > 20, "every line was reached"


@pytest.mark.parametrize("kind", [Taking, AsyncTaking])
@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("raises", ["hook", "log"])
def test_an_interrupt_out_of_a_hook_or_the_log_has_the_outcome_in_its_note(
    merchant: Merchant,
    sign: Callable[[bytes], str],
    caplog: pytest.LogCaptureFixture,
    ending: str,
    kind: type[Taking],
    raises: str,
) -> None:
    heard: list[AttemptEvent] = []

    def interrupted(event: AttemptEvent) -> None:
        heard.append(event)
        if raises == "hook":
            raise KeyboardInterrupt

    class Interrupted(logging.Filter):
        def filter(self, record: logging.LogRecord) -> bool:
            caplog.records.append(record)
            raise SystemExit

    log, filtered = logging.getLogger("paywright"), Interrupted()
    if raises == "log":
        log.addFilter(filtered)
    try:
        with caplog.at_level(logging.DEBUG, "paywright"), pytest.raises((KeyboardInterrupt, SystemExit)) as caught:
            place(merchant, kind(ending, sign), interrupted)
    finally:
        log.removeFilter(filtered)
    (note,) = caught.value.__notes__
    assert "'ORD_1'" in note
    assert ("Money may have moved" in note) == (ending != "refused")
    assert ("the gateway accepted it" in note) == (ending == "accepted")
    assert len(heard) <= 1, "a hook hears of an attempt once"
    assert "ORD_1" in caplog.text or caplog.records


def test_a_call_that_is_refused_before_it_is_signed_is_no_attempt(
    merchant: Merchant, sign: Callable[[bytes], str], caplog: pytest.LogCaptureFixture
) -> None:
    heard: list[AttemptEvent] = []
    client = Client(
        base_url="http://127.0.0.1:1", merchant=merchant, transport=Taking("lost", sign), on_attempt=heard.append
    )
    with caplog.at_level(logging.DEBUG, "paywright"), pytest.raises(ContractViolation) as caught:
        client.orders.checkout(**{**ORDER, "currency": "dollars"})
    assert heard == caplog.records == []
    assert not hasattr(caught.value, "__notes__")


def test_a_result_lost_to_an_interrupt_is_resolved(merchant: Merchant, sign: Callable[[bytes], str]) -> None:
    def interrupted(event: AttemptEvent) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as caught:
        place(merchant, Taking("accepted", sign), interrupted)
    assert (
        "client.orders.resolve(out_trade_no=..., total_amount=..., currency=..., reference=...)"
        in caught.value.__notes__[0]
    )


def test_a_result_lost_to_a_cancellation_is_unknown(merchant: Merchant, sign: Callable[[bytes], str]) -> None:
    def cancelled(event: AttemptEvent) -> None:
        raise anyio.get_cancelled_exc_class()

    with pytest.raises(OutcomeUnknown) as caught:
        place(merchant, AsyncTaking("accepted", sign), cancelled)
    assert caught.value.reason == "result_lost"
