"""`paywright listen`, and other programs that serve, as processes of their own."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from queue import Empty, Queue
from threading import Thread

from tests.support.packages import PACKAGES, TOP

__all__ = ["PACKAGES", "TOP", "Served", "listening", "program"]

_PATIENCE = 600.0


class Served:
    """A program that serves at `url`, the `first` that it says; `lines` are what it prints, errors included."""

    def __init__(self, process: subprocess.Popen[str], first: str) -> None:
        self._process = process
        self._queue: Queue[str | None] = Queue()
        assert process.stdout is not None
        Thread(target=self._read, args=(process.stdout,), daemon=True).start()
        self.lines: list[str] = []
        self.url = self.wait_for(first)[0]

    def _read(self, out: Iterator[str]) -> None:
        for line in out:
            self._queue.put(line.rstrip("\n"))
        self._queue.put(None)

    def wait_for(self, pattern: str) -> re.Match[str]:
        """The first new line that has it."""
        while True:
            line = None
            with suppress(Empty):
                line = self._queue.get(timeout=_PATIENCE)
            if line is None:
                raise AssertionError("\n".join(["it did not say so:", *self.lines]))
            self.lines.append(line)
            found = re.search(pattern, line)
            if found is not None:
                return found

    def stop(self) -> int:
        """Ends it as Ctrl-C does, and returns its exit code."""
        self._process.send_signal(signal.SIGINT)
        code = self._process.wait(600)
        self.lines.extend(iter(self._queue.get, None))
        return code


@contextmanager
def program(
    *command: str | Path,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    first: str = r"http://127\.0\.0\.1:[0-9]+",
) -> Iterator[Served]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PAYWRIGHT_")}
    process = subprocess.Popen(
        [sys.executable, "-u", *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=cwd,
        env={**kept, "PYTHONPATH": PACKAGES, "PYTHONUTF8": "1", **(env or {})},
        # A shell has its background jobs ignore Ctrl-C, and the suite may be one.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    try:
        yield Served(process, first)
    finally:
        if process.poll() is None:
            process.kill()
        process.wait(600)
        assert process.stdout is not None
        process.stdout.close()


def listening(
    *arguments: str | Path, env: Mapping[str, str] | None = None, cwd: Path | None = None
) -> AbstractContextManager[Served]:
    """`paywright listen` on a free port."""
    return program("-m", "paywright_cli", "listen", "--port", "0", *arguments, env=env, cwd=cwd)
