"""The steps of an item while nobody knows whether the gateway has it: what its resolution says, asked about more rarely in time."""

from __future__ import annotations

from datetime import datetime, timedelta

from paywright_receiver.items import schedule
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
    """Return an item's step, given that of its resolution, how often and when it was asked about, and when a hint came last."""
    if step.state == "no_query":
        return step._replace(state="decide")
    anew = ". Close it, or ask for the permission to place it again, which begins anew" if resolving.placeable else ""
    if asked_at is not None:
        hinted = hinted_at is not None and hinted_at > asked_at
        at = asked_at + _pause(resolving, asked, asked_at, hinted=hinted)
        if now < at and resolving.absences:
            return Step("place_again", at, _placeable_again(resolving))
        if now < at and (step.at is None or step.at < at):
            return Step("decide", at, resolving.last + anew) if resolving.decide else Step("wait", at, resolving.last)
    return step._replace(why=step.why + anew) if step.state == "decide" else step


def _pause(resolving: ResolutionState, asked: int, asked_at: datetime, *, hinted: bool) -> timedelta:
    """Return the least pause between questions: further and further apart where it may be placed again, and nobody does it.

    After a day, what answers have left to a person is asked about as rarely as what is known; but soon after a hint, and where there
    is no answer, so that the first one is noticed.
    """
    long = asked_at - resolving.started_at >= schedule.ONCE_A_DAY
    if resolving.decide and long and not resolving.failures and not hinted:
        return schedule.undecided(asked)
    return schedule.pause_of_unplaced(resolving.absences)


def _placeable_again(resolving: ResolutionState) -> str:
    return (
        f"{resolving.query} has said twice that it does not know {resolving.key!r}: ask for the permission to place it again, with "
        "the same key and no other, or close it"
    )
