"""Output of commands: colour on terminals, plain text elsewhere."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from difflib import get_close_matches
from functools import partial
from importlib.util import find_spec
from json import dumps
from pathlib import Path
from textwrap import fill
from typing import IO, Any, Final, NoReturn, TextIO

from paywright_cli.common.exit_codes import Exit
from paywright_runtime.redaction import visible

__all__ = [
    "EXTRAS",
    "Failed",
    "HelpFormatter",
    "Parser",
    "Usage",
    "ask",
    "bytes_shown",
    "complain",
    "complaint",
    "discard",
    "hold_standard_descriptors",
    "json_shown",
    "need",
    "paint",
    "read_input",
    "say",
    "say_bytes",
    "say_json",
    "show_logs",
    "write_all",
]

# The modules that commands need of each extra.
EXTRAS: Final = {
    "audit": ("jinja2",),
    "codegen": ("yaml", "jinja2", "jsonschema", "black", "markdown_it", "griffe"),
    "parquet": ("pyarrow",),
    "sandbox": ("starlette", "uvicorn", "jinja2", "segno"),
}

_MISTYPED: Final = re.compile(r"argument [A-Z]+: invalid choice: '([^']*)'.*")
_EXIT_CODES: Final = re.compile(r"^exit codes:.*?(?=\n\n|\Z)", re.MULTILINE | re.DOTALL)
_COLOURS: Final = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33"}
# Stands for ESC [ until a line is printed. Nobody can guess it, so no text of others is taken for a colour.
_COLOUR: Final = os.urandom(8).hex()
# Of an address on a command line that is refused: what stands between its user and its host, and the value of `password=`.
_PASSWORD: Final = re.compile(r"(:/*[^\s:/@]*:|:)\S*(?=@)|((?:password|passwd|pwd)\s*=\s*)(?:'[^']*'|\S+)", re.I)


class HelpFormatter(argparse.RawDescriptionHelpFormatter):
    """Wraps running text, and leaves indented lines, such as examples, as they are."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return super()._fill_text(text if "\n" in text else fill(text, width), width, indent)


class Parser(argparse.ArgumentParser):
    """Reports errors with the usage of the command concerned. Arguments cannot control the terminal.

    The help of a command shows its sentence, the examples and the exit codes that the command above it has for it.
    """

    _above: Parser | None = None

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        self.register("action", "parsers", partial(_Commands, self))

    def _commands(self) -> Iterator[_Commands]:
        return (action for action in self._actions if isinstance(action, _Commands))

    def format_help(self) -> str:
        """Return the help. What a command does not say itself stands in the help of the one above it."""
        own = self.description, self.epilog
        if self._above is not None:
            self.description = self.description or self._sentence(self._above)
            self.epilog = "\n".join(filter(None, (self.epilog, *self._from_above(self.epilog or ""))))
            self.formatter_class = HelpFormatter
        try:
            return super().format_help()
        finally:
            self.description, self.epilog = own

    def _sentence(self, above: Parser) -> str:
        """Return the line of this command in the help above it, as a sentence."""
        entries = (one for commands in above._commands() for one in commands._choices_actions)
        words = next((one.help for one in entries if one.dest == self.prog.rpartition(" ")[2]), None) or ""
        return f"{words[:1].upper()}{words[1:]}."

    def _from_above(self, own: str) -> Iterator[str]:
        """Yield the examples and the exit codes of the commands above that this one lacks."""
        texts, parser = [own], self._above
        while parser is not None:
            texts.append(parser.epilog or "")
            parser = parser._above
        mine = re.compile(rf"^  {re.escape(self.prog)}(?: .*)?$", re.MULTILINE)
        lines = [line for text in texts for line in mine.findall(text)]
        if lines and not mine.search(own):
            yield "\n".join(("\nexamples:" if own else "examples:", *dict.fromkeys(lines)))
        codes = next((found[0] for text in texts if (found := _EXIT_CODES.search(text))), "")
        if codes not in own:
            yield f"\n{codes}"

    def parse_known_args(self, args=None, namespace=None):  # type: ignore[no-untyped-def]  # typeshed has three overloads
        """Parse as argparse does, but let each command refuse the arguments it does not know."""
        self._given = [str(each) for each in (sys.argv[1:] if args is None else args)]
        known, rest = super().parse_known_args(args, namespace)
        if rest:
            self.error(f"unrecognized arguments: {' '.join(rest)}")
        return known, rest

    def _unknown_option(self) -> str | None:
        """Return the first option that this command does not have, and a suggestion."""
        commands = self._names()
        for given in self._given:
            name = given.partition("=")[0]
            if name == "--" or name in commands:
                return None
            if name.startswith("--") and not any(known.startswith(name) for known in self._option_string_actions):
                near = get_close_matches(name, self._option_string_actions, 1)
                return f"{name}; did you mean {near[0]}?" if near else name
        return None

    def _names(self) -> list[str]:
        return [name for commands in self._commands() for name in commands.choices]

    def _meant(self, mistyped: re.Match[str]) -> str:
        near = get_close_matches(mistyped[1], self._names(), 1)
        return f"there is no {mistyped[1]!r}; did you mean {near[0]}?" if near else mistyped[0]

    def error(self, message: str) -> NoReturn:
        """Print usage and message to standard error, and exit with 2."""
        # argparse takes the value of an option that it does not know for the command.
        message = _MISTYPED.sub(self._meant, message)
        unknown = self._unknown_option() if "invalid choice" in message or "unrecognized" in message else None
        message = f"unrecognized option {unknown}" if unknown else message
        self.print_usage(sys.stderr)
        message = visible(_PASSWORD.sub(lambda found: f"{found[1] or found[2]}****", message), keep="\n")
        self.exit(Exit.USAGE, f"{self.prog}: {message}\nTry: {self.prog} --help\n")


class _Commands(argparse._SubParsersAction):  # type: ignore[type-arg]  # it has none when the program runs
    """The commands of a parser, each of which knows the parser above it."""

    def __init__(self, above: Parser, **given: Any) -> None:
        super().__init__(**given)
        self._above = above

    def add_parser(self, name: str, **given: Any) -> Parser:
        """Add a command."""
        parser: Parser = super().add_parser(name, **given)
        parser._above = self._above
        return parser


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
    print("\n".join(map(_shown, lines)), file=stream, flush=flush)


def ask(question: str) -> None:
    """Print the beginning of a line to standard error, which the user completes."""
    print(_shown(question), end="", file=sys.stderr, flush=True)


def say_json(text: str | bytes) -> None:
    """Print JSON to standard output. Characters that do not show themselves become JSON escapes."""
    print(json_shown(text.decode() if isinstance(text, bytes) else text))


def say_bytes(raw: bytes, *, flush: bool = False) -> None:
    """Write bytes to standard output as they are; to a terminal as text, with characters that do not show themselves written out."""
    if sys.stdout is None:
        return
    shown = bytes_shown(raw)
    if isinstance(shown, str):
        sys.stdout.write(shown)
    else:
        sys.stdout.flush()
        sys.stdout.buffer.write(shown)
    if flush:
        sys.stdout.flush()


def bytes_shown(raw: bytes) -> str | bytes:
    """Return bytes as written to standard output: unchanged, or for a terminal as text that cannot control it."""
    if sys.stdout is None or not sys.stdout.isatty():
        return raw
    return visible(raw.decode("utf-8", "backslashreplace"), keep="\n")


def complain(text: str, program: str = "paywright") -> None:
    """Print a message to standard error under the program's name. An error in writing is ignored."""
    write_all(sys.stderr, complaint(text, program))


def complaint(text: str, program: str = "paywright") -> str:
    """Return a message as it is printed to standard error, under the program's name."""
    name = f"{program}:" if sys.stderr is None else paint(f"{program}:", "red", sys.stderr)
    return _shown(f"{name} {text}", keep="\n") + "\n"


def show_logs() -> None:
    """Print the logs of libraries as `complain` prints, unless a program of the user takes them."""
    import logging  # 5 ms, for which --help need not wait

    class LogPrinter(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            complain(self.format(record))

    logging.lastResort = LogPrinter(logging.WARNING)
    logging.getLogger("paywright.files").handlers = [logging.lastResort]


def json_shown(text: str) -> str:
    """Return the text of a JSON document, with every character that does not show itself as a JSON escape."""
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() or one == "\n" else dumps(one)[1:-1] for one in text)


def _shown(text: str, keep: str = "") -> str:
    return visible(text, keep).replace(_COLOUR, "\x1b[")


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
