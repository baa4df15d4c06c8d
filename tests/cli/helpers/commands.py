"""All commands of the command line, and the parser of each."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from paywright_cli.main import build_parser

__all__ = ["COMMANDS", "parser_of"]


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


COMMANDS = list(leaves(build_parser()))
