"""The pages of the console: overview, lists and single rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from paywright_sandbox.engine.engine import Engine
from paywright_sandbox.engine.request_checks import Headers
from paywright_sandbox.engine.responses import HttpReply
from paywright_sandbox.engine.state.clock import VirtualClock
from paywright_sandbox.pages.console.actions import act, forms_of, making
from paywright_sandbox.pages.console.columns import Action, Input, Section
from paywright_sandbox.pages.console.listing import body_of, facts_of, line_of, lines_of, related_to
from paywright_sandbox.pages.console.log import log_page, one_page
from paywright_sandbox.pages.console.sections import ABOUT_ITEMS, SECTIONS
from paywright_sandbox.pages.console.view import View, number_of
from paywright_sandbox.pages.html.rendering import page

__all__ = ["CLOCK_ACTIONS", "console"]

_LATEST: Final = 8
_STEPS: Final = {
    "3600": "Forward an hour",
    "86400": "Forward a day",
    "604800": "Forward a week",
    "2592000": "Forward 30 days",
}

CLOCK_ACTIONS: Final = (
    *(Action(label, "clock/advance", fixed={"seconds": step}) for step, label in _STEPS.items()),
    Action("Advance", "clock/advance", inputs=(Input("seconds", "Seconds", "60", required=True),)),
)


def console(
    engine: Engine,
    method: str,
    path: str,
    steps: Sequence[str],
    query: Mapping[str, str],
    headers: Headers,
    body: bytes,
) -> HttpReply | None:
    """Return a page of the console, or the result of its form; None if there is no such page. `steps` follow `console`.

    Raises `FormProblem`.
    """
    if method == "POST":
        return act(engine, path, headers, body) if steps[:1] == ["do"] and len(steps) > 2 else None
    since = number_of(query.get("since"))
    if not steps:
        return _overview(engine, since)
    row = number_of(steps[1]) if len(steps) == 2 else None
    if steps[0] == "log" and len(steps) < 3:
        return log_page(engine, query) if len(steps) == 1 else one_page(engine, row or 0, query)
    section = SECTIONS.get(steps[0])
    if section is None:
        return None
    if len(steps) == 1:
        return _list(engine, section, number_of(query.get("page")) or 1, since)
    return None if row is None else _one(engine, section, row, since)


def _overview(engine: Engine, since: int | None) -> HttpReply:
    """Show the clock and the latest orders."""
    clock = list(CLOCK_ACTIONS)
    if isinstance(engine.clock, VirtualClock):
        stands = engine.clock.frozen
        clock.append(Action("Resume", "clock/resume") if stands else Action("Stop", "clock/freeze"))
    columns = SECTIONS["orders"].columns
    with engine.transaction() as context:
        orders, view = lines_of(context, SECTIONS["orders"], 1)[0][:_LATEST], View(context, "overview", since)
    forms = forms_of(engine, clock)
    return page("overview.html", view=view, address=engine.address, clock=forms, columns=columns, orders=orders)


def _list(engine: Engine, section: Section, number: int, since: int | None) -> HttpReply:
    forms = forms_of(engine, making(engine, section.name, section.make)) if section.make else []
    with engine.transaction() as context:
        view, (lines, pages) = View(context, section.name, since), lines_of(context, section, number)
    shown = {"view": view, "lines": lines, "pages": pages}
    return page("list.html", section=section, making=forms, address=engine.address, **shown)


def _one(engine: Engine, section: Section, row: int, since: int | None) -> HttpReply | None:
    with engine.transaction() as context:
        line = line_of(context, section, row)
        if line is None:
            return None
        related = [(part, related_to(context, part, line.row, part.of)) for part in section.related]
        if section.subject:
            related += [(part, related_to(context, part, line.row, section.subject)) for part in ABOUT_ITEMS]
        view = View(context, section.name, since, path=f"/_sandbox/console/{section.name}/{row}")
    return page(
        "one.html",
        section=section,
        view=view,
        line=line,
        facts=facts_of(line.row),
        body=body_of(line.row),
        related=related,
        forms=forms_of(engine, section.actions(line.row)),
    )
