"""Options that several commands share, and the values of options."""

from __future__ import annotations

import argparse
import re
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from paywright_cli.common.parser import Parser
from paywright_cli.common.terminal import Usage

_LONGEST: Final = timedelta(days=36_500)
OWN_CODE: Final = "its module is imported, which runs its code"


def add_env(parser: Parser) -> None:
    """Add --env: a file of settings."""
    parser.takes("--env FILE", "a file of PAYWRIGHT_* lines, which override the environment", type=Path)


def add_format(parser: Parser, says: str = "text (default) or json") -> None:
    """Add --format."""
    parser.takes("--format", says, choices=("text", "json"), default="text")


def add_database(parser: Parser, what: str) -> None:
    """Add --ledger, which says `what`, and --schema."""
    parser.takes("--ledger FILE", f"{what}: a file, a postgresql:// or mariadb:// URL, or words such as host=...")
    parser.takes("--schema NAME", "schema of a postgresql:// ledger (default: the first of its search path)")


def add_ledger(parser: Parser) -> None:
    """Add what names a ledger: --ledger, --schema, --receiver and --env."""
    add_database(parser, "the ledger")
    parser.takes("--receiver MODULE:RECEIVER", f"the receiver, with its ledger and its handlers; {OWN_CODE}")
    add_env(parser)


def members(words: Sequence[str], numbers: Collection[str]) -> dict[str, object]:
    """Return the members of an object that words such as totalAmount=10.50 give; those in `numbers` are numbers. Raises `Usage`."""
    from paywright_runtime.contract.conversion import read_number  # start-up

    found: dict[str, object] = {}
    for word in words:
        name, given, value = word.partition("=")
        if not given or not name or name in found:
            raise Usage(f"{word!r} is not NAME=VALUE, or is there twice; such as totalAmount=10.50 currency=USD")
        number = read_number(value) if name in numbers else None
        if name in numbers and number is None:
            raise Usage(f"{name} is a number in plain digits, such as 10.50")
        found[name] = value if number is None else number
    return found


def port_number(text: str) -> int:
    """Return the port that an argument names, 0 for any free one. Raises `ArgumentTypeError`."""
    if not text.isascii() or not text.isdigit() or int(text) > 65535:
        raise argparse.ArgumentTypeError("a port is a number from 0 to 65535")
    return int(text)


def distance(text: str) -> timedelta:
    """Return the time that an argument such as 90d, 1d12h or 30s names. Raises `ArgumentTypeError`."""
    found = re.fullmatch(r"(?:(\d{1,6})d)?(?:(\d{1,6})h)?(?:(\d{1,6})m)?(?:(\d{1,6})s)?", text, re.ASCII)
    if found is None or not any(found.groups()):
        raise argparse.ArgumentTypeError("write it as 90d, 36h, 1d12h or 30s")
    days, hours, minutes, seconds = (int(part or 0) for part in found.groups())
    whole = timedelta(days=days, hours=hours, minutes=minutes, seconds=seconds)
    if whole > _LONGEST:  # every time now and that far away is a time
        raise argparse.ArgumentTypeError(f"at most {_LONGEST.days}d")
    return whole


def whole_number(text: str) -> int:
    """Return the number that an argument names, 0 or more. Raises `ArgumentTypeError`."""
    if not re.fullmatch(r"\d{1,9}", text, re.ASCII):
        raise argparse.ArgumentTypeError("a limit is a number, 0 or more")
    return int(text)


def moment(text: str) -> datetime:
    """Return the time with an offset that an argument names. Raises `ArgumentTypeError`."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        found = datetime.min
    if found.utcoffset() is None:
        raise argparse.ArgumentTypeError("a time with its offset, such as 2026-11-22T12:00:00+00:00")
    return found
