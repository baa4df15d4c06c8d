"""`paywright sandbox fault` and `paywright sandbox log`: inject faults, and print captured exchanges."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from time import sleep
from typing import TYPE_CHECKING, Final

from paywright_cli.commands.sandbox.remote_command import add_where, guarded, remote_of
from paywright_cli.common.options import show_help
from paywright_cli.common.terminal import say, say_bytes
from paywright_runtime.private_files import open_private

if TYPE_CHECKING:

    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]

__all__ = ["register"]

_WHOLE: Final = ("skip", "times", "seconds", "status")
_TEXT: Final = ("operation", "key", "probability", "code")
_FAULTS: Final = """examples:
  paywright sandbox fault add reset --operation orders.checkout --times 1
  paywright sandbox fault add code --code SYSTEM_ERROR --before --operation refunds.create --key REF_1
  paywright sandbox fault add hang --seconds 30 --probability 0.2
  paywright sandbox fault add duplicate --operation PAYMENT
  paywright sandbox fault list
  paywright sandbox fault clear 2
"""
_LOG: Final = """The log contains whole bodies, and so whatever payers entered: treat it like the state file. A new FILE is
readable by its owner only; an existing one keeps its mode.

examples:
  paywright sandbox log | paywright audit - --merchant-key sandbox/keys/merchant.pub --gateway-key sandbox/keys/gateway.pub
  paywright sandbox log --output session.jsonl
  paywright sandbox log --follow
"""


def register(commands: Subparsers) -> None:
    """Add `fault` and `log` to `paywright sandbox`."""
    faults = commands.add_parser(
        "fault",
        help="inject faults into answers and notifications",
        description="Inject faults into answers and notifications of a running sandbox, before or after the commit.",
        epilog=_FAULTS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    faults.set_defaults(run=show_help(faults))
    add_where(faults)
    actions = faults.add_subparsers(metavar="ACTION", title="actions")
    _adding(actions.add_parser("add", help="add a rule", description="Add a fault rule."))
    listing = actions.add_parser("list", help="show the rules, and how often each was applied")
    listing.set_defaults(run=guarded(_list))
    clearing = actions.add_parser("clear", help="take rules away")
    clearing.add_argument("numbers", metavar="NUMBER", nargs="*", type=int, help="the rules (default all)")
    clearing.set_defaults(run=guarded(_clear))
    log = commands.add_parser(
        "log",
        help="print captured exchanges, as capture records",
        description="Print all captured exchanges and notifications as JSON lines that `paywright audit` reads: from "
        "the running sandbox, else from the folder's state.",
        epilog=_LOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    log.add_argument("--follow", action="store_true", help="continue with new ones, until interrupted")
    log.add_argument(
        "--output",
        metavar="FILE",
        type=Path,
        help="write to a file instead of standard output",
    )
    log.set_defaults(run=guarded(_log))
    for parser in (listing, clearing, log):
        add_where(parser)


def _adding(parser: argparse.ArgumentParser) -> None:
    from paywright_sandbox.faults.vocabulary import FIELDS, KINDS, NOTIFICATION_KINDS

    every = {**KINDS, **NOTIFICATION_KINDS}
    width = max(map(len, every))
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = "kinds:\n" + "".join(f"  {kind:<{width}}  {words}\n" for kind, words in every.items())
    parser.add_argument("kind", metavar="KIND", choices=tuple(every), help="what happens; see below")
    when = parser.add_mutually_exclusive_group()
    when.add_argument("--before", dest="when", action="store_const", const="before", help="the request has no effect")
    when.add_argument(
        "--after", dest="when", action="store_const", const="after", help="the request has its effect (default)"
    )
    for name in _TEXT:
        parser.add_argument(f"--{name}", metavar=name.upper(), help=FIELDS[name])
    for name in _WHOLE:
        parser.add_argument(f"--{name}", metavar="N", type=int, help=FIELDS[name])
    add_where(parser)
    parser.set_defaults(run=guarded(_add))


# Faults


def _add(args: argparse.Namespace) -> None:
    names = ("kind", "when", *_TEXT, *_WHOLE)
    rule = {name: value for name in names if (value := getattr(args, name)) is not None}
    say("added " + _in_words(remote_of(args).call("POST", "faults", rule)))


def _list(args: argparse.Namespace) -> None:
    rules = remote_of(args).call("GET", "faults")["faults"]
    assert isinstance(rules, list)
    for rule in rules:
        say(_in_words(rule))
    if not rules:
        say("There are no fault rules.")


def _clear(args: argparse.Namespace) -> None:
    remote = remote_of(args)
    for number in args.numbers:
        remote.call("DELETE", f"faults/{number}")
        say(f"rule {number} is removed")
    if not args.numbers:
        dropped = remote.call("DELETE", "faults")["dropped"]
        say("There was no rule to remove." if dropped == 0 else f"{dropped} rule{'' if dropped == 1 else 's'} removed")


def _in_words(rule: dict[str, object]) -> str:
    what = f"rule {rule['id']}: {rule['kind']} {rule['when']} the commit, of {rule.get('operation', 'any operation')}"
    for name in ("key", "skip", "times", "probability", "seconds", "status", "code"):
        if name in rule:
            value = rule[name]
            what += f", {name} {format(value, 'f') if isinstance(value, Decimal) else value}"
    return f"{what}; matched {rule['seen']}, applied {rule['struck']} [{rule['origin']}]"


# The log


def _log(args: argparse.Namespace) -> None:
    if args.output is None:
        for line in _lines(args):
            say_bytes(line, flush=args.follow)
        return
    from paywright_runtime.errors import ConfigurationError

    count = 0
    try:
        out = open_private(args.output)
    except OSError as error:
        raise ConfigurationError(f"{args.output}: {error.strerror or error}") from None
    with out:
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
    from paywright_runtime.errors import ConfigurationError
    from paywright_sandbox.engine.settings.settings import STATE_FILE
    from paywright_sandbox.engine.state.captures import Captures
    from paywright_sandbox.gateway import open_store

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
