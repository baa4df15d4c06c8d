"""Move the clock forward by any distance: run every timer on the way in order, each at its own time.

The clock stands still at each of those moments while its timers run and its deliveries are sent. A move that ends early
says how far it came; repeat it to go on from there.
"""

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
from paywright_sandbox.engine.state.clock import VirtualClock
from paywright_sandbox.engine.state.refusal import Refusal
from paywright_sandbox.engine.state.state import State
from paywright_sandbox.engine.state.store import Row, moment

__all__ = ["advance", "happened_since", "last_event", "shown_event"]

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
