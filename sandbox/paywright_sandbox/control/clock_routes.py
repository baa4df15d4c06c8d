"""Control routes of the business clock: read, move, stop and resume it."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from paywright_runtime.contract import formats
from paywright_sandbox.control.clock_advance import advance
from paywright_sandbox.delivery.worker import next_due, worker_of
from paywright_sandbox.engine.engine import Engine
from paywright_sandbox.engine.routes import Call, Route, RouteField
from paywright_sandbox.engine.state.clock import VirtualClock
from paywright_sandbox.engine.state.refusal import Refusal

__all__ = ["ROUTES"]


def _clock(engine: Engine, call: Call) -> dict[str, object]:
    clock = engine.clock
    with engine.transaction() as context:
        due = next_due(context.state)
    answer: dict[str, object] = {
        "now": formats.write_request_time(clock.now()),
        "wall": formats.write_request_time(engine.wall.now()),
        "frozen": isinstance(clock, VirtualClock) and clock.frozen,
        "aheadSeconds": int((clock.now() - engine.wall.now()) / timedelta(seconds=1)),
        "nextDue": formats.write_request_time(due) if due else None,
        "requestTimeJudgedBy": engine.settings.judge_request_time,
    }
    return answer


def _own(engine: Engine) -> VirtualClock:
    if not isinstance(engine.clock, VirtualClock):
        raise Refusal("This sandbox uses a clock of its caller, which cannot be stopped here.", code="409")
    return engine.clock


def _freeze(engine: Engine, call: Call) -> dict[str, object]:
    _own(engine).freeze()
    return _clock(engine, call)


def _resume(engine: Engine, call: Call) -> dict[str, object]:
    _own(engine).resume()
    worker_of(engine).wake()
    return _clock(engine, call)


def _advance(engine: Engine, call: Call) -> dict[str, object]:
    seconds, to = call.body.get("seconds"), call.body.get("to")
    if (seconds is None) == (to is None):
        raise Refusal('Send either {"seconds": N} or {"to": "2025-06-01T12:00:00Z"}.', code="400")
    if isinstance(seconds, int):
        if not 0 <= seconds <= 10**12:
            raise Refusal("seconds must be 0 or more: the clock cannot go back.", code="400")
        return advance(engine, timedelta(seconds=seconds))
    time = formats.read_time(str(to))
    assert isinstance(time, datetime)  # the route's field is a time
    return advance(engine, time)


ROUTES: Final = (
    Route("GET", "clock", "Business time, and the time of the next timer or delivery", _clock),
    Route("POST", "clock/advance", "Moves the clock forward; returns the events on the way, in order", _advance, (
        RouteField("seconds", "integer", "seconds to move it by"), RouteField("to", "time", "time to move it to"),
    ), waiting=True),
    Route("POST", "clock/freeze", "Stops business time", _freeze),
    Route("POST", "clock/resume", "Resumes business time", _resume),
)  # fmt: skip
