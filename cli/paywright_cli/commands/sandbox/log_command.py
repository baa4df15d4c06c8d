"""`paywright sandbox log`: print captured exchanges."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from time import sleep
from typing import Final

from paywright_cli.commands.sandbox.control_command import Add, add_where, refusable, remote_of
from paywright_cli.common.terminal import say, say_bytes
from paywright_runtime.errors import ConfigurationError
from paywright_runtime.private_files import open_private
from paywright_sandbox.engine.settings import STATE_FILE
from paywright_sandbox.engine.state.captures import Captures
from paywright_sandbox.gateway import open_store

_LOG: Final = """The log contains whole bodies, and so whatever payers entered: treat it like the state file. A new FILE is
readable by its owner only; an existing one keeps its mode.

examples:
  paywright sandbox log | paywright audit - --merchant-key sandbox/keys/merchant.pub --gateway-key sandbox/keys/gateway.pub
  paywright sandbox log --output session.jsonl
  paywright sandbox log --follow
"""


def add_command(add: Add) -> None:
    """Add `log` to `paywright sandbox`."""
    log = add("log", "print captured exchanges, as capture records", refusable(_log), epilog=_LOG)
    log.description = (
        "Print all captured exchanges and notifications as JSON lines that `paywright audit` reads: from "
        "the running sandbox, else from the folder's state."
    )
    log.takes("--follow", "continue with new ones, until interrupted")
    log.takes("--output FILE", "write to a file instead of standard output", type=Path)
    add_where(log)


def _log(args: argparse.Namespace) -> None:
    if args.output is None:
        for line in _lines(args):
            say_bytes(line, flush=args.follow)
        return
    count = 0
    with open_private(args.output) as out:
        for line in _lines(args):
            out.write(line)
            count += line.count(b"\n")
            if args.follow:
                out.flush()
    say(f"wrote {args.output}: {count} exchange{'' if count == 1 else 's'}")


def _lines(args: argparse.Namespace) -> Iterator[bytes]:
    stored = None if getattr(args, "url", None) or args.follow else _stored(args.dir)
    if stored is not None:
        yield from stored
        return
    remote, last = remote_of(args), 0
    while True:
        for line in remote.lines(f"log/{last}"):
            last = int(line.rpartition(b"sandbox#")[2].partition(b'"')[0])
            yield line
        if not args.follow:
            return
        sleep(0.5)


def _stored(folder: Path) -> Iterator[bytes] | None:
    """Yield the log of a folder that is not served; None if it is served, or has no state yet."""
    file = folder / STATE_FILE
    if not file.exists():
        return None
    try:
        store = open_store(file)
    except ConfigurationError as error:
        if "is in use" in str(error):
            return None
        raise

    def lines() -> Iterator[bytes]:
        try:
            yield from Captures(store, 1).lines()
        finally:
            store.close()

    return lines()
