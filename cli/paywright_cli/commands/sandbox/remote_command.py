"""What the commands that act on a running sandbox share: finding it, and how they end."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from paywright_tools.sandbox.remote import Remote

__all__ = ["add_where", "guarded", "remote_of"]


def guarded(command: Callable[[argparse.Namespace], None]) -> Callable[[argparse.Namespace], int]:
    """0 when it was done; 1 with the sandbox's own words when it refused; 2 when none could be asked."""

    def run(args: argparse.Namespace) -> int:
        from paywright_runtime.errors import ConfigurationError
        from paywright_tools.sandbox.remote import RemoteRefused

        try:
            command(args)
        except RemoteRefused as refused:
            print(f"paywright sandbox: refused: {refused}", file=sys.stderr)
            return 1
        except ConfigurationError as error:
            print(f"paywright sandbox: {error}", file=sys.stderr)
            return 2
        return 0

    return run


def remote_of(args: argparse.Namespace) -> Remote:
    """The sandbox of `--url`, or of the folder `--dir`."""
    from paywright_tools.sandbox.remote import Remote

    return Remote(args.dir, getattr(args, "url", None))


def add_where(parser: argparse.ArgumentParser) -> None:
    """The options that say which sandbox; what was said before an action counts too."""
    parser.add_argument("--dir", metavar="DIR", type=Path, default=argparse.SUPPRESS, help="the sandbox's folder")
    parser.add_argument(
        "--url", metavar="URL", default=argparse.SUPPRESS, help="its address, if it is not the one that its .env names"
    )
