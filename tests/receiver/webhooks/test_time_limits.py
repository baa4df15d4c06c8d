"""A task's time limit gets out of `receive` wherever it strikes: nothing is acknowledged, and the notification comes again."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from paywright import Event, FixedClock, Ledger, Receiver, RsaVerifier
from paywright_receiver import MemoryLedger
from tests.receiver.helpers.desk import APP, NOW, Desk, bill, key, sign, transfer
from tests.support.time_limits import TimeLimit, needs_signals, strike, strike_until, struck_when, time_limit

if TYPE_CHECKING:
    from tests.receiver.helpers.postgres_server import Server

pytestmark = needs_signals


@pytest.mark.parametrize("kind", [TimeLimit, TimeoutError, RuntimeError])
def test_in_a_handler_it_rolls_back_what_was_written(new_ledger: Callable[[], Ledger], kind: type[Exception]) -> None:
    desk = Desk(new_ledger())
    struck, done = [True], list[str]()

    @desk.receiver.on_receive
    def credit(event: Event[Any]) -> None:
        if not isinstance(desk.ledger, MemoryLedger):
            event.transaction.execute(f"CREATE TEMPORARY TABLE credits_{kind.__name__} (number TEXT)")
        if struck.pop():
            strike()
        done.append(event.key)

    struck.append(True)
    with time_limit(kind), pytest.raises(kind, match="the task's time is over"):
        desk.deliver(transfer())
    (entry,) = desk.ledger.list()
    assert (entry.status, entry.why) == ("failed", f"the handler was ended by {kind.__name__}")
    struck.append(False)
    assert desk.deliver(transfer()).outcome == "handled"
    assert len(done) == 1


@pytest.mark.slow
def test_in_a_statement_of_a_handler_it_costs_the_connection_and_no_other(postgres: Server, schema: str) -> None:
    from tests.receiver.helpers.postgres_server import TimedLedger

    desk = Desk(TimedLedger(postgres, schema))
    waits = threading.Event()

    @desk.receiver.on_receive
    def sleeps(event: Event[Any]) -> None:
        if not waits.is_set():
            waits.set()
            event.transaction.execute("SELECT pg_sleep(600)")

    with (
        struck_when(lambda frame: waits.is_set() and frame.f_code.co_qualname == "Connection.wait"),
        pytest.raises(TimeLimit),
    ):
        desk.deliver(transfer())
    assert [entry.status for entry in desk.ledger.list()] == ["failed"]
    assert desk.deliver(transfer()).outcome == "handled"


class Part:
    """A part of a receiver. While it is `struck`, one of its methods strikes."""

    def __init__(self, inner: Any, name: str) -> None:
        self._inner, self._name = inner, name
        self.struck = False

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._inner, name)
        return self._called if name == self._name else found

    def _called(self, *given: object) -> Any:
        return strike() if self.struck else getattr(self._inner, self._name)(*given)


class Signs:
    def sign(self, body: bytes, /) -> str:
        return "A" * 341 + "Q=="


class Watches:
    def heard(self, event: object) -> None:
        """Hear of a delivery."""

    def delivery(self, kinds: object) -> Callable[..., object]:
        return self.heard


PARTS: dict[str, tuple[Any, str]] = {
    "gateway_keys": (RsaVerifier([key().public_key()]), "verify"),
    "sign_answers": (Signs(), "sign"),
    "clock": (FixedClock(NOW), "now"),
    "ledger": (MemoryLedger(clock=FixedClock(NOW)), "acquire"),
    "hook": (Watches(), "heard"),
    "observer": (Watches(), "delivery"),
}


@pytest.mark.parametrize("name", PARTS)
def test_it_gets_out_of_each_part_that_a_program_gives_to_a_receiver(name: str) -> None:
    part = Part(*PARTS[name])
    given = {
        "ledger": MemoryLedger(clock=FixedClock(NOW)),
        "clock": FixedClock(NOW),
        "gateway_keys": PARTS["gateway_keys"][0],
    }
    receiver = Receiver(app_id=APP, **{**given, name: part.heard if name == "hook" else part})
    receiver.on_receive(lambda event: None)
    part.struck = True
    for raw in (json.dumps(transfer()).encode(), b"{}"):  # the second is refused
        if raw != b"{}" or name in ("gateway_keys", "sign_answers", "hook", "observer"):
            with time_limit(), pytest.raises(TimeLimit):
                receiver.receive(raw, {"sign": sign(raw)})
    part.struck = False
    raw = json.dumps(transfer()).encode()
    assert receiver.receive(raw, {"sign": sign(raw)}).acknowledged


def test_it_gets_out_of_the_log() -> None:
    class Filter(logging.Filter):
        def filter(self, record: logging.LogRecord) -> bool:
            raise AssertionError(strike())

    log, filtered = logging.getLogger("paywright.receiver"), Filter()
    log.addFilter(filtered)
    try:
        with time_limit(), pytest.raises(TimeLimit):
            Desk(MemoryLedger()).deliver(transfer())  # which nothing handles
    finally:
        log.removeFilter(filtered)


def test_it_gets_out_while_a_question_is_decided() -> None:
    desk = Desk(MemoryLedger(), bill_deadline=600.0)

    @desk.receiver.on_validate_bill_payment
    def decides(question: Any) -> Any:
        strike_until(raised)
        return question.refuse("no")

    with time_limit(once=True) as raised, pytest.raises(TimeLimit):
        desk.deliver(bill())
    raised.set()
    assert desk.deliver(bill()).outcome == "answered"


def test_no_frame_of_it_holds_what_was_received() -> None:
    desk = Desk(MemoryLedger())
    desk.receiver.on_receive(strike)
    with time_limit(), pytest.raises(TimeLimit) as caught:
        desk.deliver(transfer("SECRET"))
    step = caught.value.__traceback__
    while step is not None:
        if not step.tb_frame.f_globals["__name__"].startswith("tests."):
            assert "SECRET" not in repr(step.tb_frame.f_locals)
        step = step.tb_next
