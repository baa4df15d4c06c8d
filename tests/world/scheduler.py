"""One thread and many programs: each stops wherever it touches what it shares, and the scheduler picks who goes on.

A program is a greenlet, so that the product runs in it unchanged. Nothing sleeps and nothing reads the time of the machine. All
that is picked is picked by `Choices`: a seed, or a list of numbers that replays a run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from random import Random
from typing import Final

from greenlet import GreenletExit, getcurrent, greenlet

__all__ = ["Choices", "Lock", "Program", "Scheduler", "Violation"]


class Violation(AssertionError):
    """Something happened that must never happen, in words that a merchant understands."""


class Choices:
    """Draws each choice by a seed, after a list of choices that were drawn before. The first option is the dull one.

    If it is `dull`, it takes that after the list.
    """

    def __init__(self, seed: object, before: Sequence[int] = (), *, dull: bool = False) -> None:
        self._dull = dull
        self._random = Random(f"{seed}")
        self._before = list(before)
        self.made: list[int] = []

    def pick(self, options: Sequence[str], weights: Sequence[float] | None = None) -> int:
        """Return the number of an option."""
        drawn = self._drawn(len(options), weights)  # also where it is not used: the rest stays as it was
        if len(self.made) < len(self._before):
            drawn = min(self._before[len(self.made)], len(options) - 1)
        elif self._dull:
            drawn = 0
        self.made.append(drawn)
        return drawn

    def _drawn(self, number: int, weights: Sequence[float] | None) -> int:
        at = self._random.random()
        if weights is None:
            return int(at * number)
        at *= sum(weights)
        for drawn in range(number - 1):  # far faster than `Random.choices` where there are few
            at -= weights[drawn]
            if at < 0:
                return drawn
        return number - 1


class Lock:
    """What one program has at a time; the others wait."""

    def __init__(self) -> None:
        self.holder: object = None


class Program(greenlet):
    """A program of a process: what it does, where it stands, and what it waits for."""

    def __init__(self, name: str, owner: object, work: Callable[[], object], hub: greenlet) -> None:
        super().__init__(self._run, parent=hub)
        self.name, self.owner, self._work = name, owner, work
        self.at = "its beginning"
        self.lock: Lock | None = None
        self.until: float | None = None
        self.past = 0  # of all that it has come by: tells two states of it apart

    def _run(self) -> None:
        self._work()

    def ready(self, now: float) -> bool:
        """Return whether it can go on."""
        free = self.lock is None or self.lock.holder in (None, self)
        return free and (self.until is None or self.until <= now)


class Scheduler:
    """Runs programs by turns. `tell` takes each line of the story."""

    def __init__(self, choices: Choices, tell: Callable[[str], None]) -> None:
        self.choices = choices
        self.elapsed = 0.0
        self.programs: list[Program] = []
        self.last: Program | None = None
        self._dead: list[Program] = []  # kept: what is left of them must not run on
        self._over = False
        self._tell = tell
        self._hub: Final = getcurrent()

    def start(self, name: str, owner: object, work: Callable[[], object]) -> None:
        """Start a program."""
        self.programs.append(Program(name, owner, work, self._hub))

    def current(self) -> Program | None:
        """Return the program that runs; None between programs."""
        program = getcurrent()
        return program if isinstance(program, Program) else None

    def seam(self, what: str) -> None:
        """Stop the program that runs: others may run first, or its process may die here."""
        program = self.current()
        if program is None or self._over or program in self._dead:
            return
        program.at = what
        self._hub.switch()

    def sleep(self, seconds: float) -> None:
        """Let the program that runs wait for the time of the world."""
        program = self.current()
        assert program is not None, "only programs wait"
        program.until = self.elapsed + seconds
        self.seam(f"a pause of {seconds:.0f} s")
        program.until = None

    def hold(self, lock: Lock) -> bool:
        """Take a lock, waiting for whoever has it; return False if this program has it already."""
        program = self.current()
        if program is not None and lock.holder is program:
            return False
        while lock.holder is not None and program is not None and not self._over:
            program.lock = lock
            self.seam("a lock that another has")
            program.lock = None
        lock.holder = program
        return True

    def ready(self) -> list[Program]:
        """Return the programs that can go on, in the order of their beginning."""
        return [program for program in self.programs if program.ready(self.elapsed)]

    def resume(self, program: Program) -> None:
        """Let a program go on to its next seam, or to its end."""
        self.last = program
        program.switch()
        if program.dead:
            self.programs.remove(program)

    def kill(self, owner: object) -> list[Program]:
        """End all programs of a process where they stand. Nothing of them runs any more, as after SIGKILL."""
        gone = [program for program in self.programs if program.owner is owner]
        self.programs = [program for program in self.programs if program.owner is not owner]
        self._dead += gone
        return gone

    def end(self) -> None:
        """Take apart what is left of all programs; what their last lines do reaches nothing."""
        self._over = True
        for program in (*self._dead, *self.programs):
            if program:
                with suppress(BaseException):
                    program.throw(GreenletExit)
