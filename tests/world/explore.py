"""Every course that a small world can take: all choices, cut where a state was reached before."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from tests.world.scheduler import Choices

if TYPE_CHECKING:
    from tests.world.world import World

__all__ = ["Explored", "explored"]


_CLAIM = re.compile("'[0-9a-f]{24}'").sub


class Explored(NamedTuple):
    """How many courses were begun, and how many states they reached."""

    courses: int
    states: int


class _Known(BaseException):
    """A course has reached a state that another one had reached."""


class _Enumerated(Choices):
    """Takes the choices of a list, and behind it always the first option; `rest` are the numbers of options it had."""

    def __init__(self, before: Sequence[int]) -> None:
        super().__init__("", before)
        self.options: list[list[int]] = []

    def pick(self, options: Sequence[str], weights: Sequence[float] | None = None) -> int:
        possible = [number for number in range(len(options)) if weights is None or weights[number] > 0]
        made = self._before[len(self.made)] if len(self.made) < len(self._before) else possible[0]
        self.made.append(made)
        self.options.append(possible)
        return made


def explored(new_world: Callable[[Choices], World]) -> Explored:
    """Play all courses of the world that `new_world` makes. Raises the `Violation` of the first one that has one."""
    known: set[bytes] = set()
    waiting: list[list[int]] = [[]]
    courses = 0
    while waiting:
        before = waiting.pop()
        choices = _Enumerated(before)
        world = new_world(choices)
        courses += 1

        def look(world: World = world, choices: _Enumerated = choices, before: list[int] = before) -> None:
            if len(choices.made) < len(before):
                return  # on its way to where it becomes a course of its own
            state = _state_of(world)
            if state in known and len(choices.made) > len(before):
                raise _Known
            known.add(state)

        world.at_each_step = look
        with suppress(_Known):
            world.run()
        for place in range(len(before), len(choices.made)):
            for other in choices.options[place]:
                if other != choices.made[place]:
                    waiting.append([*choices.made[:place], other])
    return Explored(courses, len(known))


def _state_of(world: World) -> bytes:
    """Return a hash of all that the rest of a course can depend on."""
    digest = hashlib.blake2b(digest_size=16)
    for part in (_stored(world), world.gateway.state(), world.waiting(), world.left()):
        digest.update(repr(part).encode())
    known = digest.digest()
    for program in world.scheduler.programs:
        digest.update(repr((program.name, program.at, program.until, program.past, program.lock is not None)).encode())
        if program is world.scheduler.last:
            program.past = hash((program.past, program.at, known))
    return digest.digest()


def _stored(world: World) -> list[str]:
    """Return what the shop's database has, but for the names of claims, which are drawn by the system."""
    databases = {id(shop.database): shop.database for shop in world.shops}
    return [_CLAIM("'claim'", line) for one in databases.values() for line in one.stored()]
