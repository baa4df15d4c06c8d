"""Ctrl-C or a task's time limit at any moment of an exchange ends the call, and prints nothing besides."""

import gc
import os
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

from paywright_runtime.transport.blocking import HttpTransport
from paywright_runtime.transport.connection import Connection
from tests.runtime.helpers.transport_servers import Server, call, echo
from tests.support.time_limits import TimeLimit

TRACED = ("connection.py", "blocking.py", "pool.py", "client.py", "endpoint.py")


class Interrupt(KeyboardInterrupt):
    """Stands for the user's Ctrl-C."""


def interrupting(number: int, interrupt: type[BaseException]) -> Callable[[FrameType, str, Any], Any]:
    """A tracer that interrupts at the line of this number that the transport and what is below it come to."""
    left = [number]

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        if event == "line" and os.path.basename(frame.f_code.co_filename) in TRACED:
            left[0] -= 1
            if left[0] == 0:
                sys.settrace(None)
                raise interrupt
        return trace

    return trace


@pytest.fixture
def ignored(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What Python prints as "Exception ignored in"."""
    found: list[str] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda it: found.append(f"{it.exc_type.__name__} in {it.object!r}"))
    return found


@pytest.mark.parametrize("interrupt", [Interrupt, TimeLimit])
def test_an_interrupt_at_any_line_passes(interrupt: type[BaseException], ignored: list[str]) -> None:
    before = sys.gettrace()
    interrupted = 0
    with Server(echo) as server:
        while True:
            transport = HttpTransport(server.url)
            sys.settrace(interrupting(interrupted + 1, interrupt))
            try:
                answer = call(transport)
                break
            except interrupt:
                interrupted += 1
            finally:
                sys.settrace(before)
                transport.close()
        assert answer.body == b'{"outTradeNo":"ORD_1"}'
        answer.discard()
    gc.collect()
    assert ignored == []
    assert interrupted > 100


def test_a_connection_that_is_interrupted_while_it_is_made_goes_silently(ignored: list[str]) -> None:
    Connection.__new__(Connection)
    gc.collect()
    assert ignored == []
