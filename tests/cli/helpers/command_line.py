"""Runs `paywright` as its users do: as a program of its own."""

from __future__ import annotations

import atexit
import json
import os
import select
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from tempfile import TemporaryFile
from threading import Thread
from typing import IO, NamedTuple

from tests.support.packages import PACKAGES, TOP

__all__ = ["PACKAGES", "TOP", "Ended", "paywright"]


class Ended(NamedTuple):
    """How a command ended: its exit code, and what it wrote."""

    code: int
    out: str
    err: str


_ITSELF = ("-m", "paywright_cli")


def paywright(
    *arguments: str | Path | bytes,
    given: bytes = b"",
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    path: str = PACKAGES,
    program: Sequence[str] = _ITSELF,
) -> Ended:
    """Run one command, of another program than `paywright` if one is given. No test wants a traceback, so none passes."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PAYWRIGHT_")}
    ours = {"PYTHONPATH": path, "PYTHONUTF8": "1", "COLUMNS": "100", "XDG_CACHE_HOME": str(TOP / ".cache")}
    environment = {**kept, **ours, **(env or {})}
    usual = path == PACKAGES and (tuple(program) == _ITSELF or program[:1] == ("-c",))
    warm = usual and not any(name.startswith("PYTHON") for name in env or ())
    with TemporaryFile() as out, TemporaryFile() as err:
        if warm and hasattr(os, "fork"):
            command = [*program, *map(os.fsdecode, arguments)]
            code = _program(os.getpid()).run(command, given, out, err, environment, cwd)
        else:
            whole = [sys.executable, *program, *arguments]
            files = {"stdout": out, "stderr": err}
            code = subprocess.run(whole, input=given, **files, cwd=cwd, env=environment, timeout=600).returncode  # type: ignore[call-overload]  # both are files
        for file in (out, err):
            file.seek(0)
        ended = Ended(code, out.read().decode("utf-8", "replace"), err.read().decode("utf-8", "replace"))
    assert "Traceback" not in ended.out + ended.err, ended.err
    return ended


class _WarmProgram:
    """A process that has imported `paywright`, and starts it by forking: see warm_program.py."""

    def __init__(self) -> None:
        self._requests, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, Path(__file__).with_name("warm_program.py"), str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                env={**os.environ, "PYTHONPATH": PACKAGES, "PYTHONUTF8": "1"},
                pass_fds=[theirs.fileno()],
            )
        atexit.register(self._end, os.getpid())

    def _end(self, owner: int) -> None:
        self._requests.close()
        if os.getpid() == owner:
            self._process.wait(60)

    def run(
        self, command: list[str], given: bytes, out: IO[bytes], err: IO[bytes], env: Mapping[str, str], cwd: Path | None
    ) -> int:
        """Run it once, and return its exit code."""
        os.umask(umask := os.umask(0o077))
        message = json.dumps([command, str(cwd or Path.cwd()), umask, dict(env)]).encode()
        read, write = os.pipe()
        ended, ends = os.pipe()
        writer = Thread(target=_write, args=(write, given))
        socket.send_fds(self._requests, [message], [read, out.fileno(), err.fileno(), ends])
        os.close(read)
        os.close(ends)
        writer.start()
        with open(ended, "rb") as code:
            assert select.select([code], [], [], 600)[0], "it has not ended"
            found = int(code.read())
        writer.join(600)
        return found


def _write(pipe: int, given: bytes) -> None:
    with suppress(BrokenPipeError), open(pipe, "wb") as file:
        file.write(given)


@cache
def _program(process: int) -> _WarmProgram:
    """The one of this process."""
    return _WarmProgram()
