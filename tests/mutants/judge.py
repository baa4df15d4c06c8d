"""Judge the changes that are built into a copy of the checkout as switches, in a process within it: `judge.py PLAN`.

One process collects the tests. Forks of it run some parameters of each without a change, and note what they ask for; then each
change gets a fork of its own, for the tests that ask for it: first near and cheap ones. What an import asks for gets a new process.
"""

from __future__ import annotations

import gc
import json
import math
import os
import re
import resource
import signal
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import chain, groupby, pairwise
from multiprocessing import get_context
from multiprocessing.connection import wait
from pathlib import Path
from random import Random
from tempfile import mkstemp
from typing import Any, Final

import mutant_switch
import pytest

_ARGUMENTS: Final = (
    "-o", "addopts=", "--import-mode=importlib", "-p", "no:cacheprovider", "--hypothesis-profile", "few",
)  # fmt: skip
_ENDING: Final = 5  # seconds that what a test left behind may take to end
_BUSY: Final = 20  # times its CPU seconds that a process may take
_MEMORY: Final = 6 << 30
_SOME: Final = 8  # changes that are judged before it says what became of them


class Judge:
    """A plugin of pytest, whose loop takes the place of pytest's own."""

    def __init__(self, plan: dict[str, Any]) -> None:
        self.plan, self.failed = plan, False
        self.session: Any = None
        self.changes: dict[int, dict[str, Any]] = {int(number): change for number, change in plan["changes"].items()}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.failed |= report.failed

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        self.session = session
        self.items, self.at_import = {item.nodeid: item for item in session.items}, set(mutant_switch.asked)
        self.functions = {name: list(some) for name, some in groupby(self.items, lambda name: name.partition("[")[0])}
        gc.freeze()
        files = defaultdict[str, list[str]](list)
        for function, names in self.functions.items():
            files[_file(function)] += Random(function).sample(names, min(len(names), self.plan["sample"]))
        parts = [list(files.values())[number :: self.plan["workers"]] for number in range(self.plan["workers"])]
        shares = [(number, list(chain.from_iterable(part))) for number, part in enumerate(parts)]
        noted = {name: found for _, some in self._forked(self._note, shares) for name, found in (some or {}).items()}
        print(f"{len(noted)} of {sum(map(len, files.values()))} tests pass.", file=sys.stderr, flush=True)
        work = [(number, self._ordered(number, noted)) for number in self.changes]
        while work:
            some, work = work[:_SOME], work[_SOME:]
            left, found = dict(some), dict(self._forked(self._notice, some, self.plan["budget"]))
            # A test may fail without a change too, at least behind these others: then the change is judged without it.
            doubtful = {
                number: name for number, name in found.items() if name in left[number] and not self._new(number)
            }
            before = [(number, left[number][: left[number].index(name) + 1]) for number, name in doubtful.items()]
            anyhow = {
                doubtful[number]
                for number, fails in self._forked(self._fails, before, self.plan["budget"])
                if fails is not False
            }
            for number, name in found.items():
                if name not in anyhow:
                    noticed = "a test that never ends" if name is None else name
                    print(json.dumps([number, noticed, len(left[number])]), flush=True)
            work += (
                (number, [one for one in left[number] if one not in anyhow])
                for number, name in found.items()
                if name in anyhow
            )
        return True

    def _run(self, names: list[str]) -> Iterator[str]:
        for item, after in pairwise([*(self.items[name] for name in names), None]):
            self.failed = False
            try:
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=after)
            except BaseException:  # an interrupt that the test did not catch
                self.failed = True
            yield item.nodeid

    def _note(self, _: int, names: list[str]) -> dict[str, tuple[float, set[int]]]:
        """Of each test that passes, its CPU seconds and the changes that it asks for."""
        noted, used = {}, _seconds()
        file, elsewhere = mkstemp()
        os.environ["MUTANTS_ASKED"], mutant_switch.home = elsewhere, os.getpid()
        for name in self._run(names):
            if not self.failed:
                noted[name] = _seconds() - used, mutant_switch.asked | set(
                    map(int, Path(elsewhere).read_text().split())
                )
            os.truncate(file, 0)
            mutant_switch.asked.clear()
            used = _seconds()
        return noted

    def _ordered(self, number: int, noted: dict[str, tuple[float, set[int]]]) -> list[str]:
        """The tests that ask for a change, and those near it if an import does: near, cheap and different ones first."""
        change, found, asking = self.changes[number], list[tuple[float, str]](), dict[str, list[str]]()
        for name, (_, asked) in noted.items():
            near = change["files"].get(_file(name), -1)
            if near >= 0 and (number in asked or (near > 1 and self._new(number))):
                asking.setdefault(name.partition("[")[0], []).append(name)
        for function, names in asking.items():
            cost = (0.02 + noted[names[0]][0]) / (1 + change["files"][_file(function)]) ** 2
            others = [name for name in self.functions[function] if name not in noted]
            found += (((1 + at) * cost, name) for at, name in enumerate(names + others))
        return [name for _, name in sorted(found)]

    def _notice(self, number: int, names: list[str]) -> str:
        """The first test that fails with the change, or nothing."""
        mutant_switch.active, os.environ["MUTANT"] = number, str(number)
        if not names or not self._new(number):
            for name in self._run(names):
                if self.failed:
                    return name
                if _seconds() > self.plan["budget"]:
                    break
            return ""
        command = [sys.executable, "-m", "pytest", *_ARGUMENTS, "-x", "-rfE", "--tb=no", *names[:500]]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
        failed = re.search(r"^(?:FAILED|ERROR) (.*?)(?: - .*)?$", done.stdout, re.MULTILINE)
        return failed[1] if failed else "the import of the tests" if done.returncode else ""

    def _fails(self, _: int, names: list[str]) -> bool:
        """Whether the last of some tests fails without a change."""
        for _ in self._run(names):
            pass
        return self.failed

    def _new(self, number: int) -> bool:
        """Whether a change needs a new process, as an import asks for it."""
        return self.changes[number]["early"] or number in self.at_import

    def _forked(
        self, work: Callable[[int, list[str]], Any], tasks: list[tuple[int, list[str]]], seconds: float = math.inf
    ) -> Iterator[tuple[int, Any]]:
        """What `work` makes of each task, in a process of its own; None if it was killed, as it had used so many CPU seconds."""
        context, running = get_context("fork"), dict[Any, Any]()
        while tasks or running:
            while tasks and len(running) < self.plan["workers"]:
                answer, put = context.Pipe(duplex=False)
                process = context.Process(target=self._child, args=(put, seconds, work, *tasks[0]))
                process.start()
                put.close()
                running[answer] = tasks.pop(0)[0], process, time.monotonic() + _BUSY * seconds
            ready = wait(list(running), timeout=1)
            for answer in ready or [one for one, (_, _, end) in running.items() if time.monotonic() > end]:
                number, process, _ = running.pop(answer)
                try:
                    found = answer.recv() if ready else None
                except EOFError:
                    found = None
                process.join(_ENDING if ready else 0)
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.join()
                yield number, found

    def _child(
        self, put: Any, seconds: float, work: Callable[[int, list[str]], Any], number: int, names: list[str]
    ) -> None:
        os.setsid()
        for stream in (1, 2):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, resource.RLIM_INFINITY))
        if seconds != math.inf:
            resource.setrlimit(resource.RLIMIT_CPU, (int(3 * seconds), resource.RLIM_INFINITY))
        put.send(work(number, names))
        with suppress(BaseException):  # what shared fixtures have started, such as a database
            self.session._setupstate.teardown_exact(None)
        os._exit(0)


def _seconds() -> float:
    return sum(os.times()[:4])


def _file(name: str) -> str:
    return name.partition("::")[0]


if __name__ == "__main__":
    given = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    sys.exit(pytest.main([*_ARGUMENTS, "-p", "no:terminal", "-m", given["marked"], *given["files"]], [Judge(given)]))
