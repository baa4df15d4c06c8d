"""What every page of the console shows: the navigation, the time, and what the last form made happen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from paywright_tools.sandbox.advance import last_event, shown_event
from paywright_tools.sandbox.pages import sections_money, sections_payments
from paywright_tools.sandbox.pages.sections import SECTIONS
from paywright_tools.sandbox.turn import Turn

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
    ("Payments", tuple((section.name, section.title) for section in sections_payments.SECTIONS)),
    ("Money", tuple((section.name, section.title) for section in sections_money.SECTIONS)),
    ("What happened", (("log", "Log"), ("notifications", "Notifications"), ("events", "Events"))),
    (
        "This sandbox",
        (("faults", "Faults"), ("merchants", "Merchants"), ("snapshots", "Snapshots"), ("policies", "Policies")),
    ),
)


class View:
    """`since` is the last event before a form was sent; `done` one of `DONE`."""

    def __init__(
        self, turn: Turn, here: str, since: int | None = None, *, path: str | None = None, done: str | None = None
    ) -> None:
        self.here = here
        self.path = path or ("/_sandbox/" if here == "overview" else f"/_sandbox/console/{here}")
        self.now = turn.now
        self.sections = SECTIONS
        self.menu = _MENU
        self.done = DONE.get(done or "", "")
        self.acted = since is not None or bool(self.done)
        self.happened, self.more = _since(turn, since) if since is not None else ([], 0)


def _since(turn: Turn, seq: int) -> tuple[list[dict[str, object]], int]:
    rows = turn.state.all("SELECT * FROM events WHERE seq > ? ORDER BY seq LIMIT ?", seq, _MOST)
    return list(map(shown_event, rows)), max(0, last_event(turn.state) - seq - len(rows))


def number_of(text: str | None) -> int | None:
    """A number in an address; None for anything else."""
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 16 else None
