"""Control routes of the business clock and of what happened: read, move, stop and resume it; events."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from time import monotonic
from typing import Final

from paywright_runtime import strict_json
from paywright_runtime.clock import FixedClock
from paywright_runtime.contract import formats
from paywright_sandbox.delivery.worker import next_due, worker_of
from paywright_sandbox.engine.engine import Engine
from paywright_sandbox.engine.fields import text, whole
from paywright_sandbox.engine.routes import Call, Route, RouteField, number_in
from paywright_sandbox.engine.state.clock import VirtualClock
from paywright_sandbox.engine.state.refusal import Refusal
from paywright_sandbox.engine.state.state import State
from paywright_sandbox.engine.state.tables import Row, moment

_LONGEST: Final = 120.0
_MOST: Final = 10_000
_MOST_SHOWN: Final = 2_000
_FRESH: Final = 300  # seconds that a receiver allows a notification to be ahead by default
_AHEAD: Final = (
    "They carry this time. A receiver refuses them (TOO_NEW) unless its max_ahead is longer; `paywright listen --any-time` takes them."
)


def advance(engine: Engine, to: datetime | timedelta, *, longest: float = _LONGEST) -> dict[str, object]:
    """Move the clock to a time or by a distance, and return what happened.

    The result has `from`, `to`, `now`, `complete`, `happened` (each with at, kind, subject and what), `why` if it is not
    complete or not all is shown, and `webhooks` if receivers will refuse them for their time. A move ends early after `longest` seconds of real time, which only deliveries can take, or
    10,000 events. Raises `Refusal` if `to` is past, or if the clock is not the sandbox's own.
    """
    clock, delivery_worker = engine.clock, worker_of(engine)
    if not isinstance(clock, (VirtualClock, FixedClock)):
        raise Refusal("This sandbox uses a clock of its caller, which cannot be moved here.", code="409")
    until = monotonic() + longest
    with delivery_worker.alone():
        with engine.transaction() as context:
            first = last_event(context.state)
        why = ""
        try:
            begun = clock.hold() if isinstance(clock, VirtualClock) else clock.now()
            to = _target(begun, to)
            while True:
                with engine.transaction() as context:
                    due = next_due(context.state)
                _move(clock, min(to, max(due, clock.now())) if due is not None else to)
                engine.run_due_timers()
                delivery_worker.deliver_due(most=_MOST, until=until)
                with engine.transaction() as context:
                    last, now = last_event(context.state), context.now
                with engine.transaction() as context:
                    due = next_due(context.state)
                if now >= to and (due is None or due > now):
                    break
                if monotonic() > until or delivery_worker.ending or last - first > _MOST:
                    why = "It ended early because too much was due. Repeat it to go on from here."
                    break
        finally:
            if isinstance(clock, VirtualClock):
                clock.release()
        now = clock.now()
        with engine.transaction() as context:
            happened = happened_since(context.state, first)
    if len(happened) > _MOST_SHOWN:
        why = (
            f"{why} Of {len(happened)} events the last {_MOST_SHOWN} are shown; get the others with GET events.".strip()
        )
    return {
        "from": formats.write_request_time(begun),
        "to": formats.write_request_time(to),
        "now": formats.write_request_time(now),
        "complete": now >= to,
        "happened": happened[-_MOST_SHOWN:],
        **({"why": why} if why else {}),
        **({"webhooks": _AHEAD} if (now - engine.wall.now()).total_seconds() > _FRESH else {}),
    }


def _target(begun: datetime, to: datetime | timedelta) -> datetime:
    try:
        target = begun + to if isinstance(to, timedelta) else to
    except OverflowError:
        raise Refusal("The clock ends with the year 8999.", code="400") from None
    if target < begun:
        raise Refusal("The clock cannot go back: that time is past.", code="409")
    return target


def _move(clock: VirtualClock | FixedClock, to: datetime) -> None:
    if isinstance(clock, VirtualClock):
        clock.hold(to)
    elif to > clock.now():
        clock.advance(to - clock.now())


def last_event(state: State) -> int:
    """Return the number of the last event; 0 if there is none."""
    row = state.one("SELECT coalesce(max(seq), 0) AS seq FROM events")
    return 0 if row is None else whole(row, "seq")


def happened_since(state: State, seq: int, most: int = -1) -> list[dict[str, object]]:
    """Return the events after number `seq`, in order; at most the first `most`."""
    rows = state.all("SELECT * FROM events WHERE seq > ? ORDER BY seq LIMIT ?", seq, most)
    return [shown_event(row) for row in rows]


def shown_event(row: Row) -> dict[str, object]:
    """Return an event as the control API shows it."""
    detail = row["detail"]
    assert isinstance(detail, bytes)
    parsed = strict_json.parse(detail)
    return {
        "seq": row["seq"],
        "at": formats.write_request_time(moment(whole(row, "at"))),
        "kind": text(row, "kind"),
        "subject": text(row, "subject"),
        "what": _in_words(parsed) if isinstance(parsed, dict) else "",
        **({"merchant": parsed["merchant"]} if isinstance(parsed, dict) and "merchant" in parsed else {}),
    }


def _in_words(detail: Mapping[str, object]) -> str:
    return ", ".join(f"{name} {value}" for name, value in detail.items() if value not in (None, "", {}, []))


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


_MOST_EVENTS: Final = 200


def _events(engine: Engine, call: Call) -> dict[str, object]:
    with engine.transaction() as context:
        rows = context.state.all("SELECT * FROM events ORDER BY seq DESC LIMIT ?", _MOST_EVENTS)
    return {"events": [shown_event(row) for row in reversed(rows)]}


def _events_after(engine: Engine, call: Call) -> dict[str, object]:
    with engine.transaction() as context:
        return {
            "events": happened_since(context.state, number_in(call, "seq"), _MOST_EVENTS),
            "last": last_event(context.state),
        }


ROUTES: Final = (
    Route("GET", "clock", "Business time, and the time of the next timer or delivery", _clock),
    Route("POST", "clock/advance", "Moves the clock forward; returns the events on the way, in order", _advance, (
        RouteField("seconds", "integer", "seconds to move it by"), RouteField("to", "time", "time to move it to"),
    ), waiting=True),
    Route("POST", "clock/freeze", "Stops business time", _freeze),
    Route("POST", "clock/resume", "Resumes business time", _resume),
    Route("GET", "events", f"The latest {_MOST_EVENTS} events, the oldest first", _events),
    Route("GET", "events/after/{seq}", f"The next {_MOST_EVENTS} events after number seq", _events_after),
)  # fmt: skip
