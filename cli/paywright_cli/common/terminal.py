"""Output of commands: colour on terminals, plain text elsewhere."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from json import dumps
from pathlib import Path
from typing import IO, Final, TextIO

from paywright_runtime.redaction import visible

# The modules that commands need of each extra.
EXTRAS: Final = {
    "codegen": ("yaml", "jinja2", "black", "markdown_it"),
    "parquet": ("pyarrow",),
    "sandbox": ("starlette", "uvicorn", "jinja2", "segno"),
}

_COLOURS: Final = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33"}
# Stands for ESC [ until a line is printed. Nobody can guess it, so no text of others is taken for a colour.
_COLOUR: Final = os.urandom(8).hex()
# A command that a message advises, and those that need a receiver.
_ADVISED: Final = re.compile(
    r"`paywright (follow|notifications|show|call)\b((?: (?!--ledger|--receiver|--env)[^` ]+)*)`"
)
_NEEDS_RECEIVER: Final = (" run", " redeliver", " replay")
_options: Final[dict[str, str]] = {}


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
    """Return `text` in a colour if `stream` is a terminal with colours and NO_COLOR is not set. Only `say` can print it.

    `stream` is standard output by default.
    """
    stream = stream or sys.stdout
    if stream is None or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb" or not stream.isatty():
        return text
    return f"{_COLOUR}{_COLOURS[colour]}m{text}{_COLOUR}0m"


def hold_standard_descriptors() -> None:
    """Open /dev/null on closed descriptors 0, 1 and 2, so that no connection or file takes their place."""
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest free descriptor, which is this one


def say(*lines: str, stream: TextIO | None = None, flush: bool = False) -> None:
    """Print lines to standard output, or to `stream`. Characters that do not show themselves are written out.

    Each argument is one line: a line break in it is written out too, so that foreign text cannot begin a new line.
    """
    with _goes_on(stream):
        print("\n".join(map(_shown, lines)), file=stream, flush=flush)


@contextmanager
def _goes_on(stream: TextIO | None = None, *, ends: bool = False) -> Iterator[None]:
    """Print. If the reader is gone, the command goes on, and prints to nobody; it `ends` if printing is all it does.

    Raises `Usage` if there is no room for the output.
    """
    try:
        yield
    except OSError as error:
        with suppress(OSError):
            discard(stream or sys.stdout)
        if not isinstance(error, BrokenPipeError):
            raise Usage(f"the output could not be written: {error.strerror}") from None
        if ends:
            raise SystemExit(0) from None


def complete_advice(options: Mapping[str, str]) -> None:
    """Add options to the commands that messages advise, by the command's name, so that they run as they are printed."""
    _options.clear()
    _options.update(options)


def _completed(command: re.Match[str]) -> str:
    more = _options.get(command[1], "")
    if not more or (command[2].startswith(_NEEDS_RECEIVER) and "--receiver" not in more):
        return command[0]
    return f"{command[0][:-1]} {more}`"


def flush() -> None:
    """Have all that was printed written."""
    if sys.stdout is not None:
        with _goes_on():
            sys.stdout.flush()


def say_json(value: object, indent: int | None = None) -> None:
    """Print a value as JSON, or the text of a JSON document. Characters that do not show themselves become JSON escapes."""
    text = value.decode() if isinstance(value, bytes) else value
    with _goes_on():
        print(json_shown(text if isinstance(text, str) else dumps(text, indent=indent)))


def say_bytes(raw: bytes) -> None:
    """Write bytes to standard output as they are; to a terminal as text, with characters that do not show themselves written out."""
    if sys.stdout is None:
        return
    shown = bytes_shown(raw)
    with _goes_on(ends=True):
        if isinstance(shown, str):
            sys.stdout.write(shown)
        else:
            sys.stdout.flush()
            sys.stdout.buffer.write(shown)


def bytes_shown(raw: bytes) -> str | bytes:
    """Return bytes as written to standard output: unchanged, or for a terminal as text that cannot control it."""
    if sys.stdout is None or not sys.stdout.isatty():
        return raw
    return visible(raw.decode("utf-8", "backslashreplace"), keep="\n")


def complain(text: str) -> None:
    """Print a message to standard error under the program's name. An error in writing is ignored."""
    write_all(sys.stderr, complaint(text))


def complaint(text: str) -> str:
    """Return a message as it is printed to standard error, under the program's name."""
    name = "paywright:" if sys.stderr is None else paint("paywright:", "red", sys.stderr)
    return _shown(f"{name} {text}", keep="\n") + "\n"


def show_logs() -> None:
    """Print the logs of libraries as `complain` prints, unless a program of the user takes them."""
    import logging  # 5 ms, for which --help need not wait

    class LogPrinter(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            complain(self.format(record))

    logging.lastResort = LogPrinter(logging.WARNING)


def json_shown(text: str) -> str:
    """Return the text of a JSON document, with every character that does not show itself as a JSON escape."""
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() or one == "\n" else dumps(one)[1:-1] for one in text)


def _shown(text: str, keep: str = "") -> str:
    return visible(_ADVISED.sub(_completed, text) if _options else text, keep).replace(_COLOUR, "\x1b[")


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
