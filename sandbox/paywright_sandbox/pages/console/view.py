"""Parts of every console page: navigation, time, and effects of the last form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from paywright_sandbox.control.clock_advance import last_event, shown_event
from paywright_sandbox.engine.context import RequestContext
from paywright_sandbox.pages.console.sections import SECTIONS

if TYPE_CHECKING:
    from datetime import datetime

__all__ = ["View", "number_of"]

_MOST: Final = 12


class View:
    """Parts of one console page. `since` is the last event before a form was sent."""

    def __init__(
        self, context: RequestContext, here: str, since: int | None = None, *, path: str | None = None
    ) -> None:
        self.here = here
        self.path: str = path or ("/_sandbox/" if here == "overview" else f"/_sandbox/console/{here}")
        self.now: datetime = context.now
        self.menu: list[tuple[str, str]] = [
            *((section.name, section.title) for section in SECTIONS.values()),
            ("log", "Log"),
        ]
        self.acted: bool = since is not None
        self.happened: list[dict[str, object]]
        self.more: int
        self.happened, self.more = _since(context, since) if since is not None else ([], 0)


def _since(context: RequestContext, seq: int) -> tuple[list[dict[str, object]], int]:
    rows = context.state.all("SELECT * FROM events WHERE seq > ? ORDER BY seq LIMIT ?", seq, _MOST)
    return list(map(shown_event, rows)), max(0, last_event(context.state) - seq - len(rows))


def number_of(text: str | None) -> int | None:
    """Parse a number in an address; None for anything else."""
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 16 else None
