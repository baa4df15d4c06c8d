"""Steps of an item whose write is unknown: those of its resolution, with inquiries that grow rarer in time."""

from __future__ import annotations

from datetime import datetime, timedelta

from paywright_runtime.advice import ADVICE
from paywright_runtime.settling import schedule
from paywright_runtime.settling.resolution import ResolutionState, Step

__all__ = ["step_of_unknown"]


def step_of_unknown(
    resolving: ResolutionState,
    step: Step,
    asked: int,
    asked_at: datetime | None,
    hinted_at: datetime | None,
    now: datetime,
) -> Step:
    """Return an item's step, given that of its resolution, the number and time of its inquiries, and the time of the last hint."""
    if step.state == "no_query":
        return step._replace(state="decide")
    if asked_at is not None:
        hinted = hinted_at is not None and hinted_at > asked_at
        at = asked_at + _pause(resolving, asked, asked_at, hinted=hinted)
        if now < at and resolving.absences:
            return Step("place_again", at, _placeable_again(resolving))
        if now < at and (step.at is None or step.at < at):
            return Step("decide", at, resolving.last) if resolving.decide else Step("wait", at, resolving.last)
    return step


def _pause(resolving: ResolutionState, asked: int, asked_at: datetime, *, hinted: bool) -> timedelta:
    """Return the least pause between inquiries. It grows while the write may be placed again and nobody does so.

    After a day, an item that was left to a person is asked about as rarely as a known one. After a hint, or without any answer,
    inquiries stay frequent, so that the first answer is noticed.
    """
    long = asked_at - resolving.started_at >= schedule.ONCE_A_DAY
    if resolving.decide and long and not resolving.failures and not hinted:
        return schedule.undecided(asked)
    return schedule.pause_of_unplaced(resolving.absences)


def _placeable_again(resolving: ResolutionState) -> str:
    return f"{resolving.query} has said twice that it does not know {resolving.key!r}: {ADVICE['place_again']}"
