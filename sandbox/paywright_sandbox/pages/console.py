"""The console: what there is, what happened, and forms that do what the control API does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from paywright_sandbox.control.clock_advance import shown_event
from paywright_sandbox.engine.context import RequestContext
from paywright_sandbox.engine.engine import Engine
from paywright_sandbox.engine.policy import Policy
from paywright_sandbox.engine.request_checks import Headers
from paywright_sandbox.engine.resource import resources_of
from paywright_sandbox.engine.responses import Reply
from paywright_sandbox.engine.sections import Section
from paywright_sandbox.pages.actions import act, forms_of, making
from paywright_sandbox.pages.listing import body_of, facts_of, line_of, lines_of, related_to
from paywright_sandbox.pages.log import log_page, one_page
from paywright_sandbox.pages.overview import clock_actions, overview
from paywright_sandbox.pages.rendering import page
from paywright_sandbox.pages.sections import EVENTS_ABOUT, NOTIFICATIONS_ABOUT, sections_of
from paywright_sandbox.pages.view import View, number_of
from paywright_sandbox.pages.workspace import merchants_page, reset_page, snapshot_page, snapshots_page

__all__ = ["console"]

_PAGE: Final = 100
_WORKSPACE: Final = {"merchants": merchants_page, "reset": reset_page, "snapshots": snapshots_page}


def console(
    engine: Engine,
    method: str,
    path: str,
    steps: Sequence[str],
    query: Mapping[str, str],
    headers: Headers,
    body: bytes,
) -> Reply | None:
    """Return a page of the console, or what its form did; None where there is no such page. `steps` follow `console`.

    Raises `FormProblem`.
    """
    if method == "POST":
        return act(engine, path, headers, body) if steps[:1] == ["do"] and len(steps) > 2 else None
    since = number_of(query.get("since"))
    if not steps:
        return _overview(engine, since)
    name = steps[0]
    if len(steps) == 1 and name == "events":
        return _events(engine, number_of(query.get("before")), since)
    if len(steps) == 1 and name == "policies":
        return _policies(engine, since)
    if name == "log" and len(steps) < 3:
        number = number_of(steps[1]) if len(steps) == 2 else None
        return log_page(engine, query) if len(steps) == 1 else one_page(engine, number or 0, query)
    if len(steps) == 1 and name in _WORKSPACE:
        return _WORKSPACE[name](engine, query)
    if len(steps) == 2 and name == "snapshots":
        return snapshot_page(engine, steps[1], query)
    section = sections_of(engine).get(name)
    if section is None:
        return None
    if len(steps) == 1:
        return _list(engine, section, number_of(query.get("page")) or 1, since)
    row = number_of(steps[1]) if len(steps) == 2 else None
    return None if row is None else _one(engine, section, row, since)


def _overview(engine: Engine, since: int | None) -> Reply:
    view, found = engine.act(
        lambda context: (View(engine, context, "overview", since), overview(context, sections_of(engine)))
    )[0]
    address = engine.address
    return page("overview.html", view=view, found=found, address=address, clock=forms_of(engine, clock_actions(engine)))


def _list(engine: Engine, section: Section, number: int, since: int | None) -> Reply:
    def read(context: RequestContext) -> dict[str, object]:
        lines, pages = lines_of(context, section, number)
        return {"view": View(engine, context, section.name, since), "lines": lines, "pages": pages}

    forms = forms_of(engine, making(engine, section.name, section.make))
    return page("list.html", section=section, making=forms, address=engine.address, **engine.act(read)[0])


def _one(engine: Engine, section: Section, row: int, since: int | None) -> Reply | None:
    def read(context: RequestContext) -> dict[str, object] | None:
        line = line_of(context, section, row)
        if line is None:
            return None
        related = [(part, related_to(context, part, line.row, part.of)) for part in section.related]
        if section.subject:
            told = (NOTIFICATIONS_ABOUT, EVENTS_ABOUT)
            related += [(part, related_to(context, part, line.row, section.subject)) for part in told]
        view = View(engine, context, section.name, since, path=f"/_sandbox/console/{section.name}/{row}")
        forms = forms_of(engine, section.actions(line.row))
        return {
            "view": view,
            "line": line,
            "facts": facts_of(line.row),
            "body": body_of(line.row),
            "related": related,
            "forms": forms,
        }

    found = engine.act(read)[0]
    return None if found is None else page("one.html", section=section, **found)


def _events(engine: Engine, before: int | None, since: int | None) -> Reply:
    def read(context: RequestContext) -> dict[str, object]:
        sql = "SELECT * FROM events WHERE seq < ? ORDER BY seq DESC LIMIT ?"
        rows = context.state.all(sql, 2**62 if before is None else before, _PAGE)
        older = rows[-1]["seq"] if len(rows) == _PAGE else None
        return {"view": View(engine, context, "events", since), "events": list(map(shown_event, rows)), "older": older}

    return page("events.html", newest=before is None, **engine.act(read)[0])


def _policies(engine: Engine, since: int | None) -> Reply:
    rows = [(policy, *_value(engine, policy)) for policy in resources_of(engine).policies.values()]
    return page(
        "policies.html", view=engine.act(lambda context: View(engine, context, "policies", since))[0], policies=rows
    )


def _value(engine: Engine, policy: Policy) -> tuple[str, bool]:
    """Return the value in force as text, and whether the settings changed it."""
    value = engine.settings.policies.value(policy.name)
    return ", ".join(value) if isinstance(value, tuple) else str(value), value != policy.default
