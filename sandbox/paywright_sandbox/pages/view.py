"""What every page of the console shows: the navigation, the time, and what the last form made happen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from paywright_sandbox.control.clock_advance import last_event, shown_event
from paywright_sandbox.engine.context import RequestContext
from paywright_sandbox.engine.engine import Engine
from paywright_sandbox.engine.resource import resources_of
from paywright_sandbox.pages.sections import sections_of

__all__ = ["DONE", "View", "number_of"]

_MOST: Final = 12

DONE: Final[Mapping[str, str]] = {
    "reset": "The sandbox begins anew.",
    "restored": "The snapshot is in place.",
    "kept": "The snapshot was taken.",
    "dropped": "The snapshot is kept no longer.",
}
"""What is said of a form whose doing is no event: the state that had the events has changed, or none has."""


_MENU: Final = (
    ("What happened", (("log", "Log"), ("notifications", "Notifications"), ("events", "Events"))),
    (
        "This sandbox",
        (("faults", "Faults"), ("merchants", "Merchants"), ("snapshots", "Snapshots"), ("policies", "Policies")),
    ),
)


def _menu(engine: Engine) -> Sequence[tuple[str, Sequence[tuple[str, str]]]]:
    sections = resources_of(engine).sections
    groups = [
        (group, tuple((section.name, section.title) for section in sections if section.group == group))
        for group in ("Payments", "Money")
    ]
    return (*groups, *_MENU)


class View:
    """`since` is the last event before a form was sent; `done` one of `DONE`."""

    def __init__(
        self,
        engine: Engine,
        context: RequestContext,
        here: str,
        since: int | None = None,
        *,
        path: str | None = None,
        done: str | None = None,
    ) -> None:
        self.here = here
        self.path = path or ("/_sandbox/" if here == "overview" else f"/_sandbox/console/{here}")
        self.now = context.now
        self.sections = sections_of(engine)
        self.menu = _menu(engine)
        self.done = DONE.get(done or "", "")
        self.acted = since is not None or bool(self.done)
        self.happened, self.more = _since(context, since) if since is not None else ([], 0)


def _since(context: RequestContext, seq: int) -> tuple[list[dict[str, object]], int]:
    rows = context.state.all("SELECT * FROM events WHERE seq > ? ORDER BY seq LIMIT ?", seq, _MOST)
    return list(map(shown_event, rows)), max(0, last_event(context.state) - seq - len(rows))


def number_of(text: str | None) -> int | None:
    """Return a number in an address; None for anything else."""
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 16 else None
