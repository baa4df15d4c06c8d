"""Find the running sandbox that a command controls, and report its refusals."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from paywright_cli.common.exit_codes import Exit
from paywright_cli.common.terminal import complain

if TYPE_CHECKING:
    from paywright_sandbox.control.client import ControlClient

__all__ = ["add_where", "guarded", "path_part", "remote_of"]


def guarded(command: Callable[[argparse.Namespace], None]) -> Callable[[argparse.Namespace], int]:
    """Make a command return 0 if done, 1 with the sandbox's reason if it refused, 2 if no sandbox answered."""

    def run(args: argparse.Namespace) -> int:
        from paywright_runtime.errors import ConfigurationError
        from paywright_sandbox.control.client import RemoteRefused

        try:
            command(args)
        except RemoteRefused as refused:
            complain(f"refused: {refused}", "paywright sandbox")
            return Exit.NO
        except ConfigurationError as error:
            complain(str(error), "paywright sandbox")
            return Exit.USAGE
        return Exit.OK

    return run


def remote_of(args: argparse.Namespace) -> ControlClient:
    """Return the sandbox of `--url`, or of the folder `--dir`."""
    from paywright_sandbox.control.client import ControlClient

    return ControlClient(args.dir, getattr(args, "url", None))


def path_part(text: str) -> str:
    """Return an argument, byte for byte, as one part of a path."""
    return quote(os.fsencode(text), safe="")


def add_where(parser: argparse.ArgumentParser) -> None:
    """Add the options that say which sandbox. They may also stand before the action."""
    parser.add_argument("--dir", metavar="DIR", type=Path, default=argparse.SUPPRESS, help="the sandbox's folder")
    parser.add_argument(
        "--url", metavar="URL", default=argparse.SUPPRESS, help="its URL, if it is not the one in its .env"
    )
