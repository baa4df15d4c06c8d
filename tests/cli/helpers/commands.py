"""All commands of the command line, and the parser of each."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Final

from paywright_cli.common.parser import Parser
from paywright_cli.main import build_parser

__all__ = ["COMMANDS", "PARSERS", "arguments_of"]


def _leaves(parser: Parser, names: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Parser]]:
    yield names, parser
    for group in (one for one in parser._actions if isinstance(one, argparse._SubParsersAction)):
        for name, child in group.choices.items():
            yield from _leaves(child, (*names, name))


PARSERS: Final = dict(_leaves(build_parser()))
"""By the words of every command, and of groups: the parser of its arguments."""
COMMANDS: Final = list(PARSERS)


def arguments_of(names: tuple[str, ...], value: str) -> Iterator[list[str]]:
    """Arguments for a command: each option once with a value, and positions that have it, or the first choice."""
    positions: list[str] = []
    options: list[str] = []
    for action in PARSERS[names]._actions:
        if isinstance(action, (argparse._HelpAction, argparse._VersionAction, argparse._SubParsersAction)):
            continue
        if not action.option_strings:
            positions.append(str(next(iter(action.choices))) if action.choices else value)
        elif action.nargs != 0:
            options.append(action.option_strings[-1])
    yield [*names, *positions]
    yield [*names, *(value for _ in positions), value]
    for option in options:
        yield [*names, *positions, f"{option}={value}" if option.startswith("--") else f"{option}{value}"]
