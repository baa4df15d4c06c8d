"""Run tests of a copy of the checkout in forks of this process, which imports everything that is not ours once, beforehand."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

import pytest

__all__ = ["CODE", "Chosen", "Fork", "preload", "run_all", "run_tests"]

CODE = ("audit", "cli", "codegen", "generated", "receiver", "runtime", "sandbox")
_PRELOADED = (
    "anyio", "anyio._backends._asyncio", "asyncio", "black", "concurrent.futures", "cryptography.hazmat.primitives.asymmetric.rsa",
    "cryptography.x509", "decimal", "django", "fastapi", "flask", "hypothesis.stateful", "jinja2", "jsonschema", "jsonschema_rs",
    "psycopg_pool", "rich.console", "segno", "sqlite3", "starlette.applications", "urllib3", "uvicorn",
    "xml.etree.ElementTree", "yaml", "zstandard",
)  # fmt: skip


def preload() -> None:
    for name in _PRELOADED:
        with suppress(ImportError):
            import_module(name)


class Fork:
    """A child process that does one thing, in a session of its own, and ends."""

    def __init__(self, work: Callable[[], int], folder: Path) -> None:
        self.started = time.monotonic()
        sys.stdout.flush()
        self.pid = os.fork()
        if self.pid:
            return
        code = 70
        try:
            os.setsid()
            os.chdir(folder)
            for number, mode in ((0, os.O_RDONLY), (1, os.O_WRONLY), (2, os.O_WRONLY)):
                os.dup2(os.open(os.devnull, mode), number)
            code = work()
        finally:
            os._exit(code)

    def ended(self, most: float) -> int | None:
        """Its exit code, or None while it runs; one that runs longer than so many seconds is ended."""
        pid, status = os.waitpid(self.pid, os.WNOHANG)
        late = time.monotonic() - self.started > most
        if pid == 0 and not late:
            return None
        with suppress(ProcessLookupError, PermissionError):  # what it started as well
            os.killpg(self.pid, signal.SIGKILL)
        if pid == 0:
            _, status = os.waitpid(self.pid, 0)
        return os.waitstatus_to_exitcode(status)


def run_tests(copy: Path, top: Path, arguments: list[str], plugin: object) -> int:
    """Run pytest on a copy of the checkout `top`, in a fork: nothing is imported from the checkout itself."""
    ours = [str(copy), *(str(copy / name) for name in CODE)]
    inside = (name for name in sys.path if not _within(name, top))
    sys.path[:] = [*ours, *inside]
    for name in [name for name in sys.modules if name.partition(".")[0] == "tests"]:
        del sys.modules[name]
    os.environ.update(PYTHONPATH=os.pathsep.join(ours), PYTHONDONTWRITEBYTECODE="1")
    sys.dont_write_bytecode = True
    plain = ("-q", "-n0", "-p", "no:cacheprovider", "-p", "no:randomly")
    return int(pytest.main([*plain, *arguments], plugins=[plugin]))


def _within(name: str, top: Path) -> bool:
    path = Path(name or os.curdir).resolve()
    return path.is_relative_to(top) and "site-packages" not in path.parts


class Chosen:
    """A plugin of pytest that runs these tests and whole files, as many as begin within so many seconds."""

    def __init__(self, tests: list[str], whole: list[str] | None = None, seconds: float = 900.0) -> None:
        self._tests = set(tests)
        self._whole = set(whole or [])
        self._until = time.monotonic() + seconds

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        items[:] = [
            item
            for item in items
            if item.nodeid in self._tests or (self._is_whole(item) and item.get_closest_marker("full") is None)
        ]

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: Any) -> bool | None:
        return True if time.monotonic() > self._until else None

    def _is_whole(self, item: Any) -> bool:
        return item.nodeid.partition("::")[0] in self._whole


T = TypeVar("T")


def run_all(
    jobs: Iterable[T], start: Callable[[T, Path], Fork], folders: list[Path], most: float
) -> Iterator[tuple[T, Path, int]]:
    """Start each job in a folder that is free, and yield it, its folder and its exit code when it has ended.

    The folder is used again when the next is asked for.
    """
    free, running = list(folders), dict[Fork, tuple[T, Path]]()
    waiting = iter(jobs)
    while True:
        while free and (job := next(waiting, None)) is not None:
            folder = free.pop()
            running[start(job, folder)] = job, folder
        if not running:
            return
        for fork, (job, folder) in list(running.items()):
            code = fork.ended(most)
            if code is not None:
                del running[fork]
                yield job, folder, code
                free.append(folder)
        time.sleep(0.02)
