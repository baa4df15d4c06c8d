"""A task's time limit ends a call wherever it strikes: nothing is sent after it, and only a write that may have left has a note."""

from __future__ import annotations

import asyncio
import ctypes
import logging
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from types import FrameType
from typing import Any, NamedTuple

import pytest

from paywright import AttemptEvent, Client, Merchant, OutcomeUnknown
from paywright.aio import Client as AsyncClient
from paywright_runtime.tracebacks import interrupts
from paywright_runtime.transport.api import Phase
from tests.runtime.helpers.canned_gateway import Gateway, Reply
from tests.runtime.helpers.client_calls import ORDER, ORDER_CREATED, ORDER_FOUND
from tests.runtime.helpers.holding_peers import HOLDS, OVER, deaf, full_port, greeted, half_an_answer, silent
from tests.runtime.helpers.transport_servers import Script, Server, read_request
from tests.support.ports import lasting_port
from tests.support.time_limits import TimeLimit, in_function, needs_signals, strike, struck_when, time_limit

pytestmark = needs_signals

Call = Callable[[Any], Any]


def place(client: Any) -> Any:
    return client.orders.checkout(**ORDER)


def place_much(client: Any) -> Any:
    return client.orders.checkout(**ORDER, extra={"note": "z" * 16 * 1024 * 1024})


def query(client: Any) -> Any:
    return client.orders.query(out_trade_no="ORD_1")


def called(call: Call, *, awaited: bool, seen: list[BaseException] | None = None, **settings: Any) -> None:
    """Make a call with a client of its own. `seen` gets what an awaited one ends with before the event loop is closed."""

    async def within() -> None:
        async with AsyncClient(**settings) as client:
            try:
                await call(client)
            except BaseException as error:
                if seen is not None:
                    seen.append(error)
                raise

    if awaited:
        asyncio.run(within())
        return
    with Client(**settings) as client:
        call(client)


# The peer holds, and the limit strikes once the program stands where it waits for that peer


def waits(phase: Phase, *, writing: bool = False) -> Callable[[FrameType], bool]:
    """Return whether a frame waits for a socket of a connection that is in this phase."""
    waiting = in_function("Ready.wait")

    def stands(frame: FrameType) -> bool:
        if not waiting(frame) or frame.f_locals["self"].writing != writing:
            return False
        sending = frame.f_back and frame.f_back.f_back
        return sending is not None and sending.f_locals["connection"]._phase is phase

    return stands


class Held(NamedTuple):
    stands: Callable[[FrameType], bool]
    peer: Script | None
    phase: str
    left: bool = False
    scheme: str = "http"
    write: Call = place


HELD = {
    "connecting": Held(waits(Phase.CONNECTING, writing=True), None, "connecting"),
    "in the handshake": Held(waits(Phase.CONNECTING), greeted, "connecting", scheme="https"),
    "sending": Held(waits(Phase.WAITING, writing=True), deaf, "waiting", True, write=place_much),
    "waiting": Held(waits(Phase.WAITING), silent, "waiting", True),
    "reading": Held(waits(Phase.READING), half_an_answer, "reading", True),
}


@pytest.fixture(autouse=True)
def peers_begin_and_end() -> Iterator[None]:
    HOLDS.clear()
    OVER.clear()
    yield
    OVER.set()


@pytest.mark.parametrize(
    ("at", "write"),  # no read is too large for the buffers of the system
    [(at, write) for at in HELD for write in (True, False) if write or at != "sending"],
)
def test_it_ends_a_call_at_once_and_its_connection_too(at: str, write: bool, merchant: Merchant) -> None:
    held, heard = HELD[at], list[AttemptEvent]()
    with ExitStack() as open_:
        server = None if held.peer is None else open_.enter_context(Server(held.peer))
        port = open_.enter_context(full_port()) if server is None else server.port
        client = open_.enter_context(
            Client(
                base_url=f"{held.scheme}://127.0.0.1:{port}", merchant=merchant, timeout=600, on_attempt=heard.append
            )
        )
        with struck_when(held.stands), pytest.raises(TimeLimit) as caught:
            held.write(client) if write else query(client)
        OVER.set()
        assert server is None or (server.wait_until_ended(1) and server.accepted == 1)
    assert [(one.attempt.reason, str(one.attempt.phase), one.pause) for one in heard] == [
        ("cancelled", held.phase, None)
    ]
    notes = getattr(caught.value, "__notes__", [])
    assert len(notes) == (held.left and write)
    assert all("'ORD_1' has an unknown outcome" in note and "orders.resolve(" in note for note in notes)
    assert caught.value.__cause__ is caught.value.__context__ is None


@pytest.mark.parametrize("write", [True, False], ids=["write", "read"])
@pytest.mark.parametrize("at", ["in the handshake", "waiting", "reading"])
def test_it_ends_an_event_loop(at: str, write: bool, merchant: Merchant, caplog: pytest.LogCaptureFixture) -> None:
    held, seen = HELD[at], list[BaseException]()
    assert held.peer is not None
    with Server(held.peer) as server:
        settings = {"base_url": f"{held.scheme}{server.url[4:]}", "merchant": merchant, "timeout": 600}
        with struck_when(lambda frame: HOLDS.is_set() and frame.f_code.co_name == "select"), pytest.raises(TimeLimit):
            called(place if write else query, awaited=True, seen=seen, **settings)
        assert server.wait_until_ended(1)
        assert server.accepted == 1
    unknown = write and held.left
    assert [type(error) for error in seen] == [OutcomeUnknown if unknown else asyncio.CancelledError]
    assert ("orders.checkout ORD_1: attempt 1 unknown" in caplog.text) == unknown


@pytest.mark.parametrize("kind", [TimeoutError, ConnectionResetError, ValueError])
@pytest.mark.parametrize("at", ["connecting", "waiting"])
def test_whatever_class_its_signal_handler_raises(at: str, kind: type[Exception], merchant: Merchant) -> None:
    with ExitStack() as open_:
        server = open_.enter_context(Server(silent)) if at == "waiting" else None
        port = open_.enter_context(full_port()) if server is None else server.port
        client = open_.enter_context(Client(base_url=f"http://127.0.0.1:{port}", merchant=merchant, timeout=600))
        with struck_when(HELD[at].stands, kind), pytest.raises(kind, match="the task's time is over"):
            query(client)
        assert server is None or (server.wait_until_ended(1) and server.accepted == 1)


def test_it_ends_a_call_too_where_no_signal_brings_it(merchant: Merchant) -> None:
    """As by PyThreadState_SetAsyncExc, or thrown into a greenlet."""

    def script(peer: socket.socket) -> None:
        read_request(peer)
        main = ctypes.c_ulong(threading.main_thread().ident or 0)
        ctypes.pythonapi.PyThreadState_SetAsyncExc(main, ctypes.py_object(TimeLimit))

    with Server(script) as server, Client(base_url=server.url, merchant=merchant, timeout=600) as client:
        with pytest.raises(TimeLimit):
            query(client)
        with pytest.raises(TimeLimit) as caught:
            place(client)
        assert server.accepted == 2
    assert "'ORD_1' has an unknown outcome" in caught.value.__notes__[0]


def test_it_ends_a_call_while_a_name_is_resolved(merchant: Merchant, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", strike)
    with Client(base_url="https://gateway.example", merchant=merchant) as client, time_limit():
        for call in (place, query):
            with pytest.raises(TimeLimit) as caught:
                call(client)
            assert not hasattr(caught.value, "__notes__")


def test_it_ends_the_pause_before_another_attempt(merchant: Merchant, gateway: Gateway) -> None:
    gateway.reply = Reply(b"busy", status=503)
    heard: list[AttemptEvent] = []
    with (
        Client(base_url=gateway.base_url, merchant=merchant, timeout=600, on_attempt=heard.append) as client,
        struck_when(in_function("SystemClock.sleep")),
        pytest.raises(TimeLimit) as caught,
    ):
        query(client)
    assert [(one.outcome, one.attempt.reason, one.attempt.phase) for one in heard] == [
        ("no_answer", "http_status", "done"),
        ("no_answer", "cancelled", "pausing"),
    ]
    assert len(gateway.seen) == 1
    assert not hasattr(caught.value, "__notes__")


# In what the client calls of its program


class Signer:
    def sign(self, body: bytes) -> str:
        raise AssertionError(strike())


class Verifier:
    def verify(self, body: bytes, signature: str) -> Any:
        strike()


class Observer:
    """Strikes in one of its methods, or in those of a call."""

    def __init__(self, at: str) -> None:
        self._at = at

    def __getattr__(self, name: str) -> Any:
        return strike if name == self._at else lambda *_: self


class Filter(logging.Filter):
    def filter(self, record: logging.LogRecord) -> bool:
        raise AssertionError(strike())


PARTS: dict[str, tuple[str, dict[str, Any]]] = {
    # what strikes: what becomes of a write by its note, and the settings
    "signer": ("", {}),
    "verifier": ("has an unknown outcome", {}),
    "hook": ("the gateway accepted it", {"on_attempt": strike}),
    "observer of calls": ("", {"observer": Observer("call")}),
    "observer of attempts": ("the gateway accepted it", {"observer": Observer("attempt")}),
    "observer of ends": ("the gateway accepted it", {"observer": Observer("end")}),
    "log": ("the gateway accepted it", {}),
}


@pytest.mark.parametrize("awaited", [False, True], ids=["blocking", "awaited"])
@pytest.mark.parametrize("write", [True, False], ids=["write", "read"])
@pytest.mark.parametrize("part", PARTS)
def test_it_gets_out_of_each_part_that_a_program_gives_to_a_client(
    part: str, write: bool, awaited: bool, merchant: Merchant, gateway: Gateway, caplog: pytest.LogCaptureFixture
) -> None:
    known, settings = PARTS[part]
    gateway.reply = Reply(ORDER_CREATED if write else ORDER_FOUND)
    if part == "signer":
        merchant.signer = Signer()
    if part == "verifier":
        merchant.verifier = Verifier()
    log, filtered = logging.getLogger("paywright"), Filter()
    caplog.set_level(logging.DEBUG, "paywright")
    if part == "log":
        log.addFilter(filtered)
    try:
        given = {**settings, "base_url": gateway.base_url, "merchant": merchant}
        with time_limit(), pytest.raises(TimeLimit) as caught:
            called(place if write else query, awaited=awaited, **given)
    finally:
        log.removeFilter(filtered)
    assert len(gateway.seen) == (0 if part in ("signer", "observer of calls") else 1)
    notes = getattr(caught.value, "__notes__", [])
    assert len(notes) == (write and known != "")
    assert all(known in note for note in notes)


def test_no_frame_of_it_holds_what_was_sent(merchant: Merchant) -> None:
    with (
        Server(silent) as server,
        Client(base_url=server.url, merchant=merchant, timeout=600) as client,
        struck_when(waits(Phase.WAITING)),
        pytest.raises(TimeLimit) as caught,
    ):
        client.orders.checkout(**ORDER, extra={"note": "SECRET"})
    step, count = caught.value.__traceback__, 0
    while step is not None:
        if not step.tb_frame.f_globals["__name__"].startswith("tests."):
            assert "SECRET" not in repr(step.tb_frame.f_locals)
            count += 1
        step = step.tb_next
    assert count > 5


class Alarm:
    """Signal handlers of each kind."""

    def method(self, number: int, frame: FrameType | None) -> None:
        raise OSError

    def __call__(self, number: int, frame: FrameType | None) -> None:
        self.method(number, frame)

    def with_more(self, more: int, number: int, frame: FrameType | None) -> None:
        self.method(number, frame)


@pytest.mark.parametrize("handler", [Alarm().method, Alarm(), partial(Alarm().with_more, 1)])
def test_what_a_signal_handler_of_any_kind_raised_is_told_from_other_errors(handler: Any) -> None:
    before = signal.signal(signal.SIGUSR1, handler)
    try:
        with pytest.raises(OSError) as struck:
            strike()
        assert interrupts(struck.value)
        assert not interrupts(OSError())
        with pytest.raises(OSError) as other:
            socket.create_connection(("127.0.0.1", lasting_port()))
        assert not interrupts(other.value)
    finally:
        signal.signal(signal.SIGUSR1, before)
