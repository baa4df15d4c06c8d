"""Output of commands: colour on terminals, plain text elsewhere, and exit codes."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from enum import IntEnum
from importlib.util import find_spec
from pathlib import Path
from textwrap import fill
from typing import IO, Final, TextIO

from paywright_runtime.redaction import visible

__all__ = [
    "EXTRAS",
    "Exit",
    "Failed",
    "HelpFormatter",
    "Usage",
    "complain",
    "complaint",
    "discard",
    "hold_standard_descriptors",
    "need",
    "paint",
    "read_input",
    "say",
    "write_all",
]

# The modules that commands need of each extra.
EXTRAS: Final = {
    "audit": ("jinja2",),
    "codegen": ("yaml", "jinja2", "jsonschema", "black", "markdown_it"),
    "parquet": ("pyarrow",),
    "sandbox": ("starlette", "uvicorn", "jinja2", "segno"),
}

_COLOURS: Final = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33"}


class Exit(IntEnum):
    """Exit codes of every command. `paywright call` and `paywright audit` have more: see their help."""

    OK = 0
    NO = 1
    """The answer is no: violations, a key that does not fit, a stale output, a request refused before sending."""
    USAGE = 2
    """The command line, a file or a setting is wrong."""
    INTERNAL = 70
    INTERRUPTED = 130


class HelpFormatter(argparse.RawDescriptionHelpFormatter):
    """Wraps running text, and leaves indented lines, such as examples, as they are."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return super()._fill_text(text if "\n" in text else fill(text, width), width, indent)


class Usage(Exception):
    """Raised when a command cannot work with its arguments. The message goes to the user; the exit code is 2."""


class Failed(Exception):
    """Raised when the answer is no. The message goes to the user; the exit code is 1."""


def need(extra: str) -> None:
    """Raise `Usage`, with the command that installs it, if an extra is not installed."""
    absent = [name for name in EXTRAS[extra] if find_spec(name) is None]
    if absent:
        raise Usage(
            f"this needs an extra of the installation ({', '.join(absent)} not found): pip install 'paywright[{extra}]'"
        )


def paint(text: str, colour: str, stream: IO[str] | None = None) -> str:
    """Return `text` in a colour if `stream` is a terminal with colours and NO_COLOR is not set.

    `stream` is standard output by default.
    """
    stream = stream or sys.stdout
    if stream is None or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb" or not stream.isatty():
        return text
    return f"\x1b[{_COLOURS[colour]}m{text}\x1b[0m"


def hold_standard_descriptors() -> None:
    """Open /dev/null on closed descriptors 0, 1 and 2, so that no connection or file takes their place."""
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest free descriptor, which is this one


def write_all(stream: TextIO | None, text: str | bytes) -> bool:
    """Write and flush everything. Return False if the stream is closed, its disk full or its reader gone.

    After a failure the stream is redirected to /dev/null: buffered text must not change the exit code when Python shuts
    down.
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
    """Redirect a stream, with its buffer, to /dev/null."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, stream.fileno())
    finally:
        os.close(nowhere)


def say(text: str = "") -> None:
    """Print a line to standard output."""
    print(text)


def complain(text: str) -> None:
    """Print a message to standard error under the program's name. An error in writing is ignored."""
    write_all(sys.stderr, complaint(text))


def complaint(text: str) -> str:
    """Return a message as it is printed to standard error, under the program's name."""
    name = "paywright:" if sys.stderr is None else paint("paywright:", "red", sys.stderr)
    text = visible(text, keep="\n")
    return f"{name} {text}\n"


def read_input(name: str, most: int, open_stdin: Callable[[], IO[bytes]] = lambda: sys.stdin.buffer) -> bytes:
    """Return the bytes of a file, or of standard input for `-`, cut to `most` + 1 bytes. Raises `Usage`."""
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
