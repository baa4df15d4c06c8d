"""`paywright doctor`: look at an installation, and say what is wrong with it and what to do."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Final

from paywright_cli.common.exit_codes import Exit
from paywright_cli.common.loading import environment, is_database, ledger_of, named
from paywright_cli.common.options import add_ledger
from paywright_cli.common.parser import HelpFormatter
from paywright_cli.common.terminal import Usage, paint, say, say_json
from paywright_runtime.errors import PaywrightError

if TYPE_CHECKING:
    from paywright_cli.commands.doctor.looks import Observation
    from paywright_runtime.settling.stored_document import Owner
    from paywright_sandbox.engine.url_policy import Destination

_EXAMPLES: Final = """\
examples:
  paywright doctor                                              packages, settings, keys, and one call to the gateway
  paywright doctor --env shop/.env --ledger shop.db             also the ledger: damage, what failed, what waits
  paywright doctor --env shop/.env --app shop.payments:receiver    the same, and the commands that call its handlers
  paywright doctor --endpoint https://shop.example/paywright    also the endpoint that takes webhooks
  paywright doctor --format json > doctor.json                  for a ticket: it has no key, signature, password or body

It asks the gateway about an order that nobody has placed. The verified answer shows that address, TLS, both keys and the clock are
right. Nothing is written, and no money moves. What to do is a command that runs as it is printed; a password of the ledger is not
in it, but in PGPASSWORD.

exit codes: 0 nothing is wrong, 1 something is, and what to do stands behind it, 2 usage
"""
_COLOURS: Final = {"ok": "green", "note": "yellow", "NO": "red"}


def register(groups: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `doctor` to the command line."""
    parser = groups.add_parser(
        "doctor",
        help="look at an installation, and say what is wrong with it and what to do",
        description="Look at an installation: versions, settings, keys, gateway, clock, ledger and webhook endpoint.",
        epilog=_EXAMPLES,
        formatter_class=HelpFormatter,
    )
    add_ledger(parser, "--app")
    parser.add_argument(
        "--endpoint", type=_destination, metavar="URL", help="the address that takes the gateway's notifications"
    )
    parser.add_argument("--offline", action="store_true", help="call neither the gateway nor the endpoint")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="text (default) or json")
    parser.set_defaults(run=_run)


def _destination(text: str) -> Destination:
    from paywright_sandbox.engine.url_policy import NotAllowed, destination_of, read_destination

    try:
        return read_destination(text, [destination_of(text)])
    except NotAllowed as refused:
        raise argparse.ArgumentTypeError(str(refused)) from None


def _run(args: argparse.Namespace) -> int:
    found = []
    for one in _findings(args):
        found.append(one)
        if args.format == "text":
            seen = one.seen + (f"\ndo: {one.do}" if one.do else "")
            shown = f"{paint(f'{one.state:<4}', _COLOURS[one.state])}  {one.part}: {seen}"
            say(*shown.replace("\n", "\n      ").split("\n"))
    wrong = sum(one.state == "NO" for one in found)
    if args.format == "json":
        say_json(json.dumps([one._asdict() for one in found], indent=1))
    else:
        say(f"things to mend: {wrong}" if wrong else "nothing is wrong")
    return Exit.NO if wrong else Exit.OK


def _findings(args: argparse.Namespace) -> Iterator[Observation]:
    from paywright_cli.commands.doctor import looks

    env, owner, called = environment(args.env), None, not args.offline
    yield from looks.packages()
    for one in looks.settings(env):
        if isinstance(one, looks.Observation):
            yield one
        else:
            client, owner = one
            with client:
                yield from looks.gateway(client) if called else ()
    if args.ledger is not None or args.app is not None:
        yield from _ledger(args, owner)
    file = None if not args.ledger or is_database(args.ledger) else Path(args.ledger)
    yield from looks.files(env, args.env, file)
    if args.endpoint is not None and called:
        yield looks.endpoint(args.endpoint)


def _ledger(args: argparse.Namespace, owner: Owner | None) -> Iterator[Observation]:
    from paywright_cli.commands.doctor import looks

    try:
        found, receiver = ledger_of(args)
        yield from looks.ledger(found, owner, named(args), handlers=receiver is not None)
    except (PaywrightError, Usage) as problem:
        do = "paywright docs ledger"
        if str(problem).startswith("there is no ledger"):
            made = f"from paywright_receiver import SqliteLedger; SqliteLedger({args.ledger!r}).close()"
            do = f"python -c {quote(made)}"
        yield looks.Observation("ledger", "NO", str(problem), do)
