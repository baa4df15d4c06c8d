"""Play a world by its seed, and shrink what leads to a violation."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from tests.world.scheduler import Choices, Violation
from tests.world.world import Limits, World

__all__ = ["Failure", "Played", "limits_of", "limits_text", "play_some", "played", "shrunk"]


class Failure(NamedTuple):
    """A world with a violation: the choices that lead to it, and its story."""

    seed: object
    choices: list[int]
    why: str
    story: list[str]

    def told(self, limits: Limits) -> str:
        """Return the story in numbered lines, and the command that replays it."""
        lines = [f"{number:4}  {line}" for number, line in enumerate(self.story, 1)]
        choices = ",".join(map(str, self.choices))
        command = f"python -m tests.world --seeds {self.seed}:{self.seed}{limits_text(limits)} --choices={choices}"
        return "\n".join([*lines, f"VIOLATION: {self.why}", f"replay it: {command}"])


def limits_text(limits: Limits) -> str:
    """Return the option that gives these limits to the command; "" for the usual ones."""
    usual = Limits()._asdict()
    other = [f"{name}={json.dumps(value)}" for name, value in limits._asdict().items() if value != usual[name]]
    return f" --limits {','.join(other)}" if other else ""


def limits_of(text: str) -> Limits:
    """Return the limits that an option names. Raises `ValueError`."""
    return Limits()._replace(
        **{name: json.loads(value) for name, _, value in (one.partition("=") for one in text.split(",") if one)}
    )


def played(folder: Path, seed: object, limits: Limits, before: Sequence[int] | None = None) -> Failure | World:
    """Play one world; return it, or its failure. With `before`, every choice after these is the dull one."""
    choices = Choices(seed, before or (), dull=before is not None)
    world = World(folder, choices, limits)
    try:
        world.run()
    except Violation as violation:
        made = choices.made
        while made and not made[-1]:  # a replay takes the dull choice behind the last one
            made.pop()
        return Failure(seed, made, str(violation), world.story)
    return world


def shrunk(folder: Path, failure: Failure, limits: Limits, *, most: int = 300) -> Failure:
    """Return a failure of the same kind with fewer choices that are not the dull ones."""
    kind = _kind(failure.why)
    size = max(1, len(failure.choices) // 2)
    while size and most:
        at = 0
        while at < len(failure.choices) and most:
            some = failure.choices[at : at + size]
            if any(some):
                most -= 1
                tried = played(
                    folder,
                    failure.seed,
                    limits,
                    [*failure.choices[:at], *[0] * len(some), *failure.choices[at + size :]],
                )
                if isinstance(tried, Failure) and _kind(tried.why) == kind:
                    failure = tried
                    continue
            at += size
        size //= 2
    return failure


def _kind(why: str) -> str:
    return "".join(one for one in why if not one.isdigit())


class Played(NamedTuple):
    """How many worlds were played, their exchanges, the seconds that passed in them, the processor's, and the first failure."""

    worlds: int = 0
    exchanges: int = 0
    passed: float = 0.0
    seconds: float = 0.0
    failure: Failure | None = None

    def __add__(self, other: Played) -> Played:  # type: ignore[override]
        return Played(*(one + two for one, two in zip(self[:4], other[:4], strict=True)), self.failure or other.failure)


def play_some(folder: Path, seeds: range, limits: Limits, until: float) -> Played:
    """Play some worlds, until one fails or the time is over."""
    logging.disable(logging.CRITICAL)
    done, begun = Played(), time.process_time()
    for seed in seeds:
        if time.monotonic() > until or done.failure is not None:
            break
        found = played(folder, seed, limits)
        if isinstance(found, Failure):
            done += Played(failure=found)
        else:
            done += Played(1, found.counts["exchanges"], found.scheduler.elapsed)
    return done._replace(seconds=time.process_time() - begun)
