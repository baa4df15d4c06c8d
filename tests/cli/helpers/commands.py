"""All commands of the command line, and the parser of each."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from paywright_cli.main import build_parser

__all__ = ["COMMANDS", "arguments_of", "parser_of"]


def leaves(parser: argparse.ArgumentParser, names: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The words of every command that has no further ones, and of groups that do something themselves."""
    groups = [one for one in parser._actions if isinstance(one, argparse._SubParsersAction)]
    yield names
    for group in groups:
        for name, child in group.choices.items():
            yield from leaves(child, (*names, name))


def parser_of(names: tuple[str, ...]) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = build_parser()
    for name in names:
        (group,) = (one for one in parser._actions if isinstance(one, argparse._SubParsersAction))
        parser = group.choices[name]
    return parser


def arguments_of(names: tuple[str, ...], value: str) -> Iterator[list[str]]:
    """Arguments for a command: each option once with a value, and positions that have it, or the first choice."""
    positions: list[str] = []
    options: list[str] = []
    for action in parser_of(names)._actions:
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


COMMANDS = list(leaves(build_parser()))
