"""Inquiries of a run: in which order it takes due items, what it asks about one, as `FollowState` decides, and its result."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final, NamedTuple

from paywright_receiver.items.follow_state import FollowState
from paywright_runtime.answer import Result
from paywright_runtime.client.resolver import ResolverBase

if TYPE_CHECKING:
    from paywright_receiver.items.open_items import Elsewhere
    from paywright_runtime.client.resolver import ResolverContext
    from paywright_runtime.settling.permission import Permission

NO_ANSWER: Final = "no answer"
"""Word for an inquiry without a verified answer."""


class Inquiry(ResolverBase[Result, FollowState]):
    """Inquiries about one leased item.

    `given` is the permission to place it again that this process gave, or None. It knows how the call with it ended. `version` is
    that of the item.
    """

    _who_asks = ""  # it was asked just now

    def __init__(
        self, context: ResolverContext, state: FollowState, given: Permission | None = None, version: int = -1
    ) -> None:
        super().__init__(context, state)
        self._given = given
        self.version = version

    @property
    def state(self) -> FollowState:
        """Return the state machine that decides when to ask. It has no I/O."""
        self._read_end()
        return self._state

    def asking(self) -> AbstractContextManager[None]:
        """Record the error of the inquiry made in the block. Raise it if the inquiry itself is wrong."""
        return self._asking()

    def answered(self, result: Result) -> None:
        """Handle a verified answer."""
        self._took(result)

    def giving(self) -> AbstractContextManager[Permission]:
        """Use up the present permission to place it again, which the block stores: if it raises, nothing is given. Raises `TooEarly`."""
        return self._giving()


class FollowRun(NamedTuple):
    """Result of a run.

    Counts: `taken` items that were due and leased; `asked` inquiries; results `handled` now, `repeated` because they had their
    effect before, and `conflicts` with an earlier effect; `failed` items and `unanswered` inquiries (no verified answer, or
    refused), which are tried again later. Each failed item has its reason. `stopped` says why the run ended early or left out a
    kind; "" otherwise. `next_due` is when the next item is due, None for never. `elsewhere` counts items of another merchant or
    another address, which this follower does not ask about. `wrong` says all that somebody should look at: what stopped, failed
    or contradicts, that no question was answered, and items elsewhere that have waited for a day; "" if all is well.
    """

    taken: int
    asked: int
    handled: int
    repeated: int
    conflicts: int
    failed: int
    unanswered: int
    stopped: str
    next_due: datetime | None
    elsewhere: Sequence[Elsewhere] = ()
    wrong: str = ""


class Lane:
    """Due items of one kind: the longest due first, or the newest first after the same error several times in a row.

    So a permanent refusal delays neither another kind nor new items.
    """

    __slots__ = ("kind", "newest", "times", "wrong")

    def __init__(self, kind: str) -> None:
        self.kind: str = kind
        self.newest: bool = False
        self.wrong: str = ""
        self.times: int = 0

    def goes_on(self, wrong: str, most: int) -> bool:
        """Count an inquiry that went wrong, and return whether to go on."""
        self.times = self.times + 1 if self.wrong == wrong else 1
        self.wrong = wrong
        if self.times < (1 if self.newest and wrong == NO_ANSWER else most):
            return True
        if self.newest:
            return False
        self.newest, self.times = True, 0
        return True


def wrong_with(counts: Mapping[str, int], stopped: str, elsewhere: Sequence[Elsewhere], now: datetime) -> Iterator[str]:
    """Yield a sentence for each thing in a run that somebody should look at."""
    if stopped:
        yield stopped
    if counts["failed"]:
        yield f"{counts['failed']} failed: `paywright follow list` says why."
    if counts["conflicts"]:
        yield f"{counts['conflicts']} in conflict: see `paywright notifications list --status conflict`."
    if 0 < counts["asked"] == counts["unanswered"]:
        yield "No question was answered."
    for one in elsewhere:
        if one.due_at < now - timedelta(days=1):
            yield (
                f"Nobody has asked for a day about open items of {one.app_id} at {one.address}: {one.items}. If that is the "
                "gateway's former address: `paywright follow move`."
            )
