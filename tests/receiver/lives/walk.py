"""Walk all lives: every operation in every state, breadth-first, where equal states are one; and long ones at random."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple

from tests.receiver.lives.life import Moment
from tests.receiver.lives.merchant import Wrong
from tests.receiver.lives.operations import Story
from tests.world.world import MEMORY

__all__ = ["STARTS", "Walked", "a_story", "strolled", "told", "walked"]

STARTS: Final = {
    "nothing": "",
    "opened": "open",
    "placed": "open; call, ok; placed",
    "paid": "open; call, ok; note, SUCCESS",
    "paid, and asked about": "open; call, ok; placed; become, SUCCESS; run",
    "a webhook alone": "call, ok; note, SUCCESS",
    "noted": "open; call, ok; placed; note, SUCCESS bare",
    "failed": "open; call, ok; placed; note, SUCCESS fails",
    "failed after it was closed": "open; call, ok; note, CLOSED; note, SUCCESS fails",
    "closed by itself": "open; call, ok; placed; expire; run",
    "returned": "open; call, ok; note, SUCCESS; note, BOUNCEBACK",
    "contradicted": "open; call, ok; note, CLOSED; note, BOUNCEBACK",
    "not placed, and closed": "open; call, not sent; close",
    "closed": "open; call, ok; placed; close",
    "paid, and closed": "open; call, ok; note, SUCCESS; close",
    "known to a bookkeeper": "open; call, ok; become, SUCCESS; run, without a receiver",
    "to be placed again": "open; call, late; run; run",
    "permitted": "open; call, late; run; run; permission",
    "a day without answers": "open; call, ok; placed; lose the network",
    "at another address": "open; call, ok; placed; change the address",
    "paid, at another address": "open; call, ok; note, SUCCESS; change the address",
    "absent, at another address": "open; call, late; run; change the address; move, as is; run",
}
"""Orders to begin with."""


class Walked(NamedTuple):
    """How many states were reached, by how many operations, and what was wrong: the shortest life for each complaint."""

    states: int
    operations: int
    wrong: dict[str, tuple[str, ...]]

    def __str__(self) -> str:
        lines = [f"{why}\n    {'; '.join(life)}" for why, life in self.wrong.items()]
        return "\n".join([*lines, f"{self.states:,} states, {self.operations:,} operations"])


@contextmanager
def a_story(*kinds: str, of: type[Story] = Story, **world: Any) -> Iterator[Story]:
    """A story that has not begun."""
    with TemporaryDirectory(prefix="paywright-life-", dir=MEMORY) as folder:
        yield of(Path(folder), *(kinds or ("orders",)), **world)


def told(start: str) -> list[str]:
    return [name for name in start.split("; ") if name]


def walked(
    story: Story, depth: int, start: str = "", *, most: int = 1, look: Callable[[int, Walked], bool] | None = None
) -> Walked:
    """Walk from a start to all states within so many operations, until there are `most` different complaints.

    `look` is shown the operation of the life that is walked and what was found so far, and says whether to end.
    """
    wrong: dict[str, tuple[str, ...]] = {}
    begun: list[str] = []
    moment = story.moment()
    try:
        for name in told(start):
            begun.append(name)
            story.do(name)
            moment = _moment(story, moment, name)
    except Wrong as error:
        return Walked(0, len(begun), {str(error): tuple(begun)})
    known, count = {story.state()}, 0
    level = [(moment, tuple(begun))]
    for nth in range(1, depth + 1):
        reached: list[tuple[Moment, tuple[str, ...]]] = []
        for moment, life in level:
            if look is not None and look(nth, Walked(len(known), count, wrong)):
                return Walked(len(known), count, wrong)
            story.go_back(moment)
            for name in list(story.possible()):
                story.go_back(moment)
                count += 1
                try:
                    story.do(name)
                    state = story.state()
                    if state in known:
                        continue
                    known.add(state)
                    if nth < depth:
                        reached.append((_moment(story, moment, name), (*life, name)))
                    story.rest()
                except Wrong as error:
                    wrong.setdefault(str(error), (*life, name))
                    if len(wrong) >= most:
                        return Walked(len(known), count, wrong)
        level = reached
    return Walked(len(known), count, wrong)


def _moment(story: Story, before: Moment, name: str) -> Moment:
    """Return the moment after an operation; a permission cannot be stored, so that one goes back to the time before it."""
    return story.moment() if story.permission is None else before._replace(since=(*before.since, name))


def strolled(story: Story, seed: int, length: int) -> list[tuple[str, str]]:
    """Take a walk at random, and return what happened with what came of it. Raises `Wrong`."""
    drawn, story_told = random.Random(seed), list[tuple[str, str]]()
    for _ in range(length):
        name = drawn.choice(list(story.possible()))
        story_told.append((name, ""))
        story_told[-1] = name, story.do(name)
    return story_told
