"""The command line `paywright`: build the parser, run one command, and never show a traceback."""

from __future__ import annotations

import argparse
import errno
import os
import re
import sys
from collections.abc import Sequence
from functools import partial
from importlib import import_module
from typing import cast

from paywright_cli.common.exit_codes import Exit
from paywright_cli.common.parser import Parser, Run
from paywright_cli.common.terminal import (
    Failed,
    Usage,
    complain,
    complete_advice,
    flush,
    hold_standard_descriptors,
    show_logs,
)
from paywright_runtime.redaction import redacted
from paywright_runtime.version import VERSION

_EXAMPLES = """\
examples:
  paywright keys generate                            a key pair, merchant.key and merchant.pub
  paywright validate refunds.create request r.json   check a message against the contract
  paywright call orders.query args.json              call the gateway, configured by PAYWRIGHT_* variables
  paywright sandbox init shop                        a gateway of your own: keys, settings, .env
  paywright sandbox --dir shop --port 8787           and serve it
  paywright listen --env shop/.env                   receive notifications here, and print them
  paywright notifications list --ledger shop.db      what was received, handled, and failed
  paywright follow run --receiver shop:receiver      ask about open orders, refunds and the like until they are settled
  paywright audit log.jsonl --gateway-key g.pub      check captured traffic, signatures included
  paywright contract show refunds.create             the fields, rules and codes of an operation
  paywright show ORD_1 --ledger shop.db              what is known of an order, in order of time
  paywright doctor --env shop/.env                   what is wrong with an installation, and what to do
  paywright docs refunds.create                      its page of the documentation; any words search all pages

exit codes: 0 yes, 1 no (violations, a key that does not fit, stale output), 2 usage, 70 a bug of ours, 130 interrupted;
`paywright call` and `paywright audit` have more: see their help. PAYWRIGHT_DEBUG=1 shows the traceback of a bug of ours. NO_COLOR=1: no colours.
"""

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
# Long runs of Base64 or hexadecimal digits: keys and signatures.
_SECRET = re.compile(r"[A-Za-z0-9+/=_-]{40,}")


# The module of each command below `commands`, and its line of help. Only that of the chosen command is imported.
_COMMANDS = {
    "keys": ("keys", "make, show and check RSA keys; say why a signature fails"),
    "validate": ("validate", "check a JSON message against the contract"),
    "call": ("call", "call one operation of the gateway"),
    "listen": ("listen", "receive notifications (webhooks) on this machine, and print them"),
    "notifications": ("notifications", "a receiver's ledger: list, count and check notifications, replay failed ones"),
    "follow": (
        "follow",
        "follow open orders, refunds and the like until they are settled; list and report them",
    ),
    "show": ("show", "what is known of an order, refund or webhook, in order of time"),
    "audit": ("audit", "check captured traffic against the contract, signatures included"),
    "contract": ("contract", "generate the SDK from the contract; lint, format and describe the contract"),
    "sandbox": ("sandbox", "run a gateway on this machine to develop against"),
    "doctor": ("doctor", "look at an installation, and say what is wrong with it and what to do"),
    "docs": ("docs", "read the documentation: a page by its name, or sections by words"),
}


def build_parser(*, whole: bool = True) -> Parser:
    """Return the parser of the command line; `whole`, with the arguments of all commands."""
    about = "A typed SDK for the payment gateway, and the tools around it."
    parser = Parser(prog="paywright", description=about, epilog=_EXAMPLES, allow_abbrev=False)
    parser.prints("-V", "print the versions of the package and of its contract", _versions, "--version")
    parser.set_defaults(run=lambda _: _help(parser))
    add = parser.group("command")
    for name, (module, says) in _COMMANDS.items():
        command = add(name, says)
        command.later = partial(_fill, module)
        if whole:
            command.filled()
    return parser


def _fill(module: str, parser: Parser) -> None:
    import_module(f"paywright_cli.commands.{module}").fill(parser)


def _versions() -> list[str]:
    from paywright.contract import CONTRACT

    return [f"paywright {VERSION}, contract {CONTRACT.digest[:12]}"]


def _help(parser: argparse.ArgumentParser) -> int:
    parser.print_help()
    return Exit.USAGE


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code. It does not raise; argparse may exit."""
    hold_standard_descriptors()
    for stream in (sys.stdout, sys.stderr):
        # Any text of a file or an argument can be printed, on any terminal.
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")
    try:
        code = _run(argv)
        flush()
        return code
    except Usage as lost:
        complain(str(lost))
        return Exit.USAGE
    except KeyboardInterrupt:
        return Exit.INTERRUPTED


def _run(argv: Sequence[str] | None) -> int:
    try:
        args = build_parser(whole=False).parse_args(argv)
        show_logs()
        complete_advice(_options(args))
        return cast(Run, args.run)(args) or Exit.OK
    except Usage as error:
        complain(str(error))
        return Exit.USAGE
    except Failed as error:
        complain(str(error))
        return Exit.NO
    except Exception as error:
        return _last_resort(error)


def _options(args: argparse.Namespace) -> dict[str, str]:
    """Return the options by which commands in messages find the ledger and the settings of this one, by command."""
    given = {name: getattr(args, name, None) for name in ("env", "ledger", "receiver")}
    if not any(given.values()):
        return {}
    from paywright_cli.common.loading import named  # start-up

    env = named(argparse.Namespace(env=given["env"], ledger=None, receiver=None, schema=None))
    ledger = named(argparse.Namespace(**given, schema=getattr(args, "schema", None)))
    return {"call": env, **dict.fromkeys(("follow", "notifications", "show"), ledger)}


def _last_resort(error: Exception) -> int:
    from paywright_cli.common.wording import in_setting_names  # start-up
    from paywright_runtime.errors import ConfigurationError, InvalidArgument, PaywrightError
    from paywright_runtime.signing.key_text import may_be_key

    if isinstance(error, (ConfigurationError, InvalidArgument)):
        complain(in_setting_names(str(error)))
        return Exit.USAGE
    if isinstance(error, PaywrightError):
        complain(str(error))
        return Exit.NO
    if isinstance(error, ModuleNotFoundError) and (error.name or "").split(".")[0] == "paywright":
        complain("the generated package `paywright` is missing or incomplete: run `make generate`")
        return Exit.USAGE
    if isinstance(error, OSError) and error.strerror and (error.filename or error.errno in _NO_ROOM):
        name = str(error.filename or "a file could not be written")
        complain(f"{'(a long name)' if may_be_key(name) else name}: {error.strerror}")
        return Exit.USAGE
    complain(f"a bug of ours: {type(error).__name__} at {_where(error)[-1]}. PAYWRIGHT_DEBUG=1 shows more.")
    if os.environ.get("PAYWRIGHT_DEBUG") == "1":
        # Places and messages, without source lines and locals; texts that look like a key or a card number are removed.
        for place in _where(error):
            complain(f"  {place}")
        complain(f"  {type(error).__name__}: {redacted(_SECRET.sub('****', str(error)), 500)}")
    return Exit.INTERNAL


def _where(error: Exception) -> list[str]:
    places = []
    step = error.__traceback__
    while step is not None:
        code = step.tb_frame.f_code
        places.append(f"{os.path.basename(code.co_filename)}:{step.tb_lineno} in {code.co_name}")
        step = step.tb_next
    return places
