"""`paywright doctor`: look at an installation, and say what is wrong with it and what to do."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from paywright_cli.common.env_file import environment
from paywright_cli.common.exit_codes import Exit
from paywright_cli.common.loading import open_ledger
from paywright_cli.common.options import add_env
from paywright_cli.common.parser import HelpFormatter
from paywright_cli.common.terminal import Usage, paint, say, say_json
from paywright_runtime.errors import LedgerProblem

if TYPE_CHECKING:
    from paywright_cli.commands.doctor.looks import Observation
    from paywright_runtime.settling.stored_document import Owner

__all__ = ["register"]

_EXAMPLES: Final = """\
examples:
  paywright doctor                                              packages, settings, keys, and one call to the gateway
  paywright doctor --env shop/.env --ledger shop.db             also the ledger: damage, what failed, what waits
  paywright doctor --endpoint https://shop.example/paywright    also the endpoint that takes webhooks
  paywright doctor --format json > doctor.json                  for a ticket: it has no key, signature, password or body

It asks the gateway about an order that nobody has placed. The verified answer shows that address, TLS, both keys and the clock are
right. Nothing is written, and no money moves.

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
    parser.add_argument(
        "--ledger", metavar="FILE", help="the ledger's file, its postgresql:// URL, or words such as host=..."
    )
    parser.add_argument(
        "--schema", metavar="NAME", help="schema of a postgresql:// ledger (default: the first of its search path)"
    )
    parser.add_argument("--endpoint", metavar="URL", help="the address that takes the gateway's notifications")
    parser.add_argument("--offline", action="store_true", help="call neither the gateway nor the endpoint")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="text (default) or json")
    add_env(parser)
    parser.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> int:
    found = []
    for one in _findings(args):
        found.append(one)
        if args.format == "text":
            first, *more = one.seen.splitlines()
            say(
                f"{paint(f'{one.state:<4}', _COLOURS[one.state])}  {one.part}: {first}",
                *(f"      {each}" for each in more),
            )
            if one.do:
                say(f"      do: {one.do}")
    wrong = sum(one.state == "NO" for one in found)
    if args.format == "json":
        say_json(json.dumps([one._asdict() for one in found], indent=1))
    else:
        say(f"{wrong} thing{'s' if wrong > 1 else ''} to mend" if wrong else "nothing is wrong")
    return Exit.NO if wrong else Exit.OK


def _findings(args: argparse.Namespace) -> Iterator[Observation]:
    from paywright_cli.commands.doctor import looks

    yield from looks.packages()
    owner = None
    for one in looks.settings(environment(args.env)):
        if isinstance(one, looks.Observation):
            yield one
        else:
            client, owner = one
            with client:
                if not args.offline:
                    yield from looks.gateway(client)
    if args.ledger is not None:
        yield from _ledger(args, owner)
    if args.endpoint is not None and not args.offline:
        yield from looks.endpoint(args.endpoint)


def _ledger(args: argparse.Namespace, owner: Owner | None) -> Iterator[Observation]:
    from paywright_cli.commands.doctor import looks

    try:
        yield from looks.ledger(open_ledger(args.ledger, new=False, schema=args.schema), owner)
    except (LedgerProblem, Usage) as problem:
        yield looks.Observation("ledger", "NO", str(problem), "docs/ledger.md says what to do if it is damaged or lost")
