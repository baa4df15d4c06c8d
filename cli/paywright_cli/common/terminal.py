"""Plain words to a pipe, a little colour to a person, and the ways a command ends."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Callable
from contextlib import suppress
from enum import IntEnum
from importlib.util import find_spec
from pathlib import Path
from textwrap import fill
from typing import IO, Final, TextIO

__all__ = [
    "EXTRAS",
    "Exit",
    "Failed",
    "HelpFormatter",
    "Usage",
    "complain",
    "discard",
    "hold_standard_descriptors",
    "need",
    "paint",
    "plain",
    "read_input",
    "say",
    "write_all",
]

# What of each extra of the distribution a command cannot do without, as import names.
EXTRAS: Final = {
    "audit": ("jinja2",),
    "codegen": ("yaml", "jinja2", "jsonschema", "black"),
    "sandbox": ("starlette", "uvicorn", "jinja2"),
}

_COLOURS: Final = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33"}


class Exit(IntEnum):
    """Exit codes of every command. `paywright call` has more: see its help."""

    OK = 0
    NO = 1
    """The answer is no: violations, a key that does not fit, a stale output, a request refused before sending."""
    USAGE = 2
    """The command line, a file or a setting is wrong."""
    INTERNAL = 70
    INTERRUPTED = 130


class HelpFormatter(argparse.RawDescriptionHelpFormatter):
    """Wraps running text, and leaves examples, which have lines of their own, as they are."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return super()._fill_text(text if "\n" in text else fill(text, width), width, indent)


class Usage(Exception):
    """The command was given something it cannot work with. The message goes to the user; the exit code is 2."""


class Failed(Exception):
    """The command did what it could, and the answer is no. The message goes to the user; the exit code is 1."""


def need(extra: str) -> None:
    """Raise `Usage` with the command to run unless the packages of an extra are installed."""
    absent = [name for name in EXTRAS[extra] if find_spec(name) is None]
    if absent:
        raise Usage(
            f"this needs more than a bare install ({', '.join(absent)} not found): pip install 'paywright[{extra}]'"
        )


def paint(text: str, colour: str, stream: IO[str] | None = None) -> str:
    """`text` in a colour where `stream` (standard output) is a terminal that has colours and NO_COLOR is not set."""
    stream = stream or sys.stdout
    if stream is None or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb" or not stream.isatty():
        return text
    return f"\x1b[{_COLOURS[colour]}m{text}\x1b[0m"


def hold_standard_descriptors() -> None:
    """Open /dev/null on each of the descriptors 0, 1 and 2 that is closed, so that no connection or file takes its place."""
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest that is free, which is this one


def write_all(stream: TextIO | None, text: str | bytes) -> bool:
    """Write and flush all of it; False if the stream is closed, its disk full or its reader gone. Raises no such error.

    After a failure the stream goes to /dev/null: what it still buffers must not change the exit code when Python shuts down.
    """
    if stream is None:
        return False
    try:
        if isinstance(text, bytes):
            stream.flush()
            stream.buffer.write(text)
        else:
            stream.write(text)
        stream.flush()
    except (OSError, ValueError):
        with suppress(OSError, ValueError):
            discard(stream)
        return False
    return True


def discard(stream: TextIO) -> None:
    """Send what the stream holds and will get to /dev/null."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, stream.fileno())
    finally:
        os.close(nowhere)


def say(text: str = "") -> None:
    """One line to standard output."""
    print(text)


def complain(text: str) -> None:
    """A message to standard error, under the program's name; nothing if it cannot be written: exit codes do not depend on it."""
    if sys.stderr is not None:
        write_all(sys.stderr, f"{paint('paywright:', 'red', sys.stderr)} {plain(text)}\n")


def plain(text: str) -> str:
    """`text` without anything that could steer a terminal; line breaks stay."""
    return re.sub(r"[^\n -~\xa1-\U0010ffff]", lambda found: repr(found[0])[1:-1], text)


def read_input(name: str, most: int, open_stdin: Callable[[], IO[bytes]] = lambda: sys.stdin.buffer) -> bytes:
    """The bytes of a file, or of standard input for `-`; one byte more than `most` at the most. Raises `Usage`."""
    if name == "-" and sys.stdin is None:
        raise Usage("standard input is closed; nothing was done")
    try:
        if name == "-":
            return open_stdin().read(most + 1)
        with Path(name).open("rb") as file:
            return file.read(most + 1)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else "it cannot be read"
    raise Usage(f"{name[:200]}: {why}")
