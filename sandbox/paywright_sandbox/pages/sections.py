"""The sections of the console: what it lists of which table, and the actions of a row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from paywright_sandbox.engine.engine import Engine
from paywright_sandbox.engine.resource import resources_of
from paywright_sandbox.engine.sections import Action, Column, Related, Section, code, path_step

__all__ = ["EVENTS_ABOUT", "NOTIFICATIONS_ABOUT", "sections_of"]

_NOTIFICATIONS: Final = (
    code("Number", "id"),
    code("Kind", "kind", "policy"),
    code("About", "about"),
    Column("Status", "status", "status"),
    Column("Attempts", "attempts", "number"),
    Column("Next", "next_at", "time"),
    Column("Address", "url"),
)

NOTIFICATIONS_ABOUT: Final = Related(
    "Notifications", "notifications", "about", _NOTIFICATIONS, section="notifications", own=True
)
EVENTS_ABOUT: Final = Related(
    "Events",
    "events",
    "subject",
    (Column("When", "at", "time"), code("What", "kind"), Column("Detail", "detail")),
    own=True,
)

_ABOUT_THE_SANDBOX: Final = (
    Section(
        "notifications",
        "Notifications",
        "Notification",
        "notifications",
        _NOTIFICATIONS,
        hint="notifications",
        actions=lambda row: (Action("Deliver now", f"notifications/{path_step(row, 'id')}/redeliver"),),
        related=(
            Related(
                "Attempts",
                "attempts",
                "notification",
                (
                    Column("When", "at", "time"),
                    Column("Outcome", "outcome", "status"),
                    Column("HTTP", "http_status", "number"),
                    Column("Why", "why"),
                ),
            ),
        ),
    ),
    Section(
        "faults",
        "Faults",
        "Fault",
        "faults",
        (
            code("Number", "id"),
            Column("Rule", "definition"),
            Column("Seen", "seen", "number"),
            Column("Struck", "struck", "number"),
            code("From", "origin"),
        ),
        hint="faults",
        make="Add a rule",
        actions=lambda row: (Action("Take away", f"faults/{path_step(row, 'id')}", "DELETE"),),
    ),
)


def sections_of(engine: Engine) -> Mapping[str, Section]:
    """Return the sections of an engine's console by name, in the order of the navigation."""
    return {section.name: section for section in (*resources_of(engine).sections, *_ABOUT_THE_SANDBOX)}
