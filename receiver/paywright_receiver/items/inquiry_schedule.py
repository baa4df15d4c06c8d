"""Times of the inquiries about a followed item. Decision 0011 has the reason for each number.

Facts of the gateway (how long an order can stay open) stand in the contract; these are our choices, and `follow_state` applies them.
Those about an unknown write are in `resolution`.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

from paywright_runtime.settling.resolution import ENOUGH_QUESTIONS, LONGEST_GAP, ONCE_A_DAY, UNKNOWN

_EARLIEST: Final = datetime(2000, 1, 1, tzinfo=UTC)
_LATEST: Final = datetime(9000, 1, 1, tzinfo=UTC)

FIRST: Final = timedelta(minutes=3)  # before the first question without a hint; the shortest regular pause
SOON: Final = timedelta(seconds=15)  # the first pause after a question that a hint brought about
LONGEST: Final = timedelta(hours=6)  # the longest regular pause
AFTER_EXPIRY: Final = timedelta(minutes=1)  # from the expiry to the question after it
GAP: Final = timedelta(seconds=10)  # between two questions for one key, however many hints come
FAILURE: Final = timedelta(seconds=15)  # after a question without a usable answer; doubled each time
LONGEST_FAILURE: Final = timedelta(minutes=30)
OVERDUE: Final = timedelta(hours=24)  # past the end that the contract states, before a person has to decide
PATIENCE: Final = timedelta(days=7)  # the same, where the contract states no end
STATELESS: Final = timedelta(hours=24)  # of questions that bring no state, before a person has to decide
# The pause once a person has to decide, when it was asked about so often that no answer is to be expected; before, `ONCE_A_DAY`.
ONCE_A_WEEK: Final = timedelta(days=7)
OFTEN: Final = 60  # questions after which that is so: about a month of them


def clamped(time: datetime | None) -> datetime | None:
    """Return a time to which pauses can be added, and which is read again: the year 9999 becomes an earlier one, the year 1 a later one."""
    return None if time is None else max(_EARLIEST, min(time, _LATEST))


def gap(hinted: int) -> timedelta:
    """Return the least time between two inquiries, after that many inquiries that a hint caused and that showed no news."""
    return min(LONGEST_GAP, GAP * (1 << min(hinted, 6)))


def pause_after_failure(failures: int) -> timedelta:
    """Return the pause after that many inquiries in a row without a usable answer."""
    return min(LONGEST_FAILURE, FAILURE * (1 << min(failures - 1, 10))) if failures else timedelta()


def pause_of_unplaced(permissions: int) -> timedelta:
    """Return the least pause between inquiries about an unknown write, after that many unused permissions to place it again."""
    return UNKNOWN if not permissions else min(LONGEST, LONGEST_GAP * (1 << min(permissions - 1, 10)))


def undecided(asked: int) -> timedelta:
    """Return the pause between inquiries once a person has to decide, after that many inquiries."""
    return ONCE_A_DAY if asked < OFTEN else ONCE_A_WEEK


def is_overdue(now: datetime, asked: int, started_at: datetime, end: datetime | None) -> bool:
    """Return whether an item without a last state was asked about so long that a person has to decide."""
    last = started_at + PATIENCE if end is None else max(end, started_at) + OVERDUE
    return asked >= ENOUGH_QUESTIONS and now >= last


def first(now: datetime, expires_at: datetime | None) -> datetime:
    """Return the time of the first inquiry about an item opened at `now`: at once if it must be closed already."""
    return now if expires_at is not None and expires_at <= now else regular(now, now, None, expires_at)


def regular(now: datetime, started_at: datetime, hinted_at: datetime | None, expires_at: datetime | None) -> datetime:
    """Return the time of the next inquiry after an answer at `now` without a last state.

    Each pause is as long as the item has waited: since it was opened, since the last hint, or since it expired. So a result is
    known after at most twice the time that it took, and a slow item costs few inquiries. An inquiry shortly before the expiry
    is left out in favour of the one after it.
    """
    if expires_at is not None and now >= expires_at:
        started_at, hinted_at = expires_at, None if hinted_at is None or hinted_at < expires_at else hinted_at
    pause = min(LONGEST, max(FIRST, now - started_at))
    if hinted_at is not None:
        pause = min(pause, max(SOON, now - hinted_at))
    at = now + pause
    if expires_at is not None and now < expires_at and at + pause / 2 >= expires_at:
        return expires_at + AFTER_EXPIRY
    return at
