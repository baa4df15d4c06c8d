"""Options and endings that several commands share."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from paywright_cli.common.terminal import Exit

__all__ = ["port_number", "show_help"]


def port_number(text: str) -> int:
    """Return the port that an argument names, 0 for any free one. Raises `ArgumentTypeError`."""
    if not text.isascii() or not text.isdigit() or int(text) > 65535:
        raise argparse.ArgumentTypeError("a port is a number from 0 to 65535")
    return int(text)


def show_help(parser: argparse.ArgumentParser) -> Callable[[argparse.Namespace], int]:
    """Make the command of a group that was called without one of its actions: it prints the help of `parser`."""

    def run(_: argparse.Namespace) -> int:
        parser.print_help()
        return Exit.USAGE

    return run
