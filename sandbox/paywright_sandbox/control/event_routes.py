"""Control routes of the events: the latest ones, and those after a given number."""

from __future__ import annotations

from typing import Final

from paywright_sandbox.control.clock_advance import happened_since, last_event, shown_event
from paywright_sandbox.engine.engine import Engine
from paywright_sandbox.engine.routes import Call, Route
from paywright_sandbox.engine.state.refusal import Refusal

__all__ = ["ROUTES"]

_MOST: Final = 200


def _events(engine: Engine, call: Call) -> dict[str, object]:
    with engine.transaction() as context:
        rows = context.state.all("SELECT * FROM events ORDER BY seq DESC LIMIT ?", _MOST)
    return {"events": [shown_event(row) for row in reversed(rows)]}


def _events_after(engine: Engine, call: Call) -> dict[str, object]:
    seq = call.path["seq"]
    if not (seq.isascii() and seq.isdigit() and len(seq) <= 15):
        raise Refusal("seq must be a number.", code="404")
    with engine.transaction() as context:
        return {"events": happened_since(context.state, int(seq), _MOST), "last": last_event(context.state)}


ROUTES: Final = (
    Route("GET", "events", f"The latest {_MOST} events, the oldest first", _events),
    Route("GET", "events/after/{seq}", f"The next {_MOST} events after number seq", _events_after),
)  # fmt: skip
