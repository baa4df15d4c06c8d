"""The parser of the command line: errors with the usage of their command, and a help that is whole."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from difflib import get_close_matches
from functools import partial
from textwrap import fill
from typing import Any, Final, NoReturn, cast

from paywright_cli.common.exit_codes import Exit
from paywright_cli.common.terminal import say
from paywright_runtime.redaction import visible

_MISTYPED: Final = re.compile(r"argument [A-Z]+: invalid choice: '([^']*)'.*")
_EXIT_CODES: Final = re.compile(r"^exit codes:.*?(?=\n\n|\Z)", re.MULTILINE | re.DOTALL)
# Of an address on a command line that is refused: what stands between its user and its host, and the value of `password=`.
_PASSWORD: Final = re.compile(r"(:/*[^\s:/@]*:|:)\S*(?=@)|((?:password|passwd|pwd)\s*=\s*)(?:'[^']*'|\S+)", re.I)


Run = Callable[[argparse.Namespace], "int | None"]
"""Runs a command, and returns its exit code, None for 0."""


class HelpFormatter(argparse.RawDescriptionHelpFormatter):
    """Wraps running text, and leaves indented lines, such as examples, as they are."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return super()._fill_text(text if "\n" in text else fill(text, width), width, indent)


class Parser(argparse.ArgumentParser):
    """Reports errors with the usage of the command concerned. Arguments cannot control the terminal.

    The help of a command shows its sentence, the examples and the exit codes that the command above it has for it.
    """

    _above: Parser | None = None
    later: Callable[[Parser], object] | None = None
    """Adds the arguments once the command is chosen: its module is not imported before."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**{"formatter_class": HelpFormatter, **given})
        self.register("action", "parsers", partial(_Commands, self))

    def takes(self, form: str, says: str, *also: str, **more: Any) -> None:
        """Add an argument in the form that the usage shows: `--every DISTANCE`, the flag `--json`, or `KEY`; `also` are other names."""
        name, _, metavar = form.partition(" ")
        if not name.startswith("-"):
            self.add_argument(more.pop("dest", form.lower()), metavar=form, help=says, **more)
        elif metavar:
            self.add_argument(name, *also, metavar=metavar, help=says, **more)
        else:
            self.add_argument(
                name, *also, help=says, **(more if "choices" in more else {"action": "store_true", **more})
            )

    def prints(self, name: str, says: str, lines: Callable[[], Iterable[str]], *also: str) -> None:
        """Add a flag that prints lines and ends the program, as --help does."""
        self.add_argument(name, *also, action=cast(Any, partial(_Prints, lines)), help=says)

    def group(self, word: str = "action", **given: Any) -> Callable[..., Parser]:
        """Give it commands of its own. What is returned adds one: its name, its line of help, and what runs it."""
        commands = cast(_Commands, self.add_subparsers(title=f"{word}s", metavar=word.upper(), **given))

        def add(name: str, says: str, run: Run | None = None, **more: Any) -> Parser:
            parser = commands.add_parser(name, help=says, **more)
            if run is not None:
                parser.set_defaults(run=run)
            return parser

        return add

    def filled(self) -> Parser:
        """Return it with its arguments."""
        later, self.later = self.later, None
        if later is not None:
            later(self)
        return self

    def _commands(self) -> Iterator[_Commands]:
        return (action for action in self._actions if isinstance(action, _Commands))

    def format_help(self) -> str:
        """Return the help. What a command does not say itself stands in the help of the one above it."""
        own = self.description, self.epilog
        if self._above is not None:
            self.description = self.description or self._sentence(self._above)
            self.epilog = "\n".join(filter(None, (self.epilog, *self._from_above(self.epilog or ""))))
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
        self.filled()
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

    def _get_values(self, action: argparse.Action, arg_strings: list[str]) -> Any:
        # Until Python 3.13 argparse takes `--option=--` for an option without a value.
        if action.option_strings and action.nargs is None and arg_strings == ["--"]:
            raise argparse.ArgumentError(action, "expected one argument")
        return super()._get_values(action, arg_strings)

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


class _Prints(argparse.Action):
    """Prints lines, and ends the program."""

    def __init__(self, lines: Callable[[], Iterable[str]], **given: Any) -> None:
        super().__init__(**{**given, "dest": argparse.SUPPRESS, "default": argparse.SUPPRESS, "nargs": 0})
        self._lines = lines

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        say(*self._lines())
        parser.exit()


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
