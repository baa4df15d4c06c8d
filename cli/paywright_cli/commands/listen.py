"""`paywright listen`: a real receiver of webhooks on this machine, which prints deliveries and can forward them."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Mapping
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from paywright_cli.common.exit_codes import Exit
from paywright_cli.common.options import add_env, port_number
from paywright_cli.common.parser import HelpFormatter
from paywright_cli.common.terminal import Usage, need, say, say_json

if TYPE_CHECKING:
    from paywright_cli.commands.listen_server import Forward, Tell
    from paywright_receiver.ledgers.sql.sql_ledger import Ledger
    from paywright_receiver.webhooks.receiver import BaseReceiver
    from paywright_receiver.webhooks.reply import Reply
    from paywright_sandbox.delivery.http_client import Answered, Unanswered

_EXAMPLES = """\
examples:
  paywright listen --env shop/.env                            print the notifications of a sandbox
  paywright listen --env shop/.env --ledger shop.db --json    keep the ledger over restarts; JSON lines
  paywright listen --app shop.notifications:receiver          your own receiver with its handlers
  paywright listen --env shop/.env --forward http://127.0.0.1:8000/hooks    and forward, byte for byte

In a minute, with two more terminals:
  paywright sandbox init shop
  paywright sandbox --dir shop --notify http://127.0.0.1:9000
  paywright sandbox trigger receive amount=40.00 currency=USD --dir shop

Settings are PAYWRIGHT_* names of the environment: APP_ID, GATEWAY_KEYS or GATEWAY_KEY_FILES, MERCHANT_NO, SIGN_ANSWERS.
Invalid notifications are refused, and the line says why. It ends with Ctrl-C and exit code 0.
"""

_Groups = argparse._SubParsersAction  # the only name argparse has for it


def register(groups: _Groups[argparse.ArgumentParser]) -> None:
    """Add `listen` to the command line."""
    parser = groups.add_parser(
        "listen",
        help="receive notifications (webhooks) on this machine, and print them",
        description="Receive notifications (webhooks) and bill questions with the real receiver, and print a line for each "
        "delivery and its reply.",
        epilog=_EXAMPLES,
        formatter_class=HelpFormatter,
    )
    parser.add_argument("--port", type=port_number, default=9000, help="port; 0 takes a free one (default 9000)")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default 127.0.0.1)")
    add_env(parser)
    parser.add_argument(
        "--ledger",
        metavar="FILE",
        help="ledger of handled notifications: a file, a postgresql:// or mariadb:// URL, or words such as host=... (default: in memory)",
    )
    parser.add_argument(
        "--schema", metavar="NAME", help="schema of a postgresql:// ledger (default: the first of its search path)"
    )
    parser.add_argument(
        "--app",
        metavar="MODULE:RECEIVER",
        help="your own receiver, with its handlers and its ledger; its module is imported, which runs its code",
    )
    parser.add_argument(
        "--bills",
        choices=("accept", "refuse"),
        default="refuse",
        help="how bill questions are answered, without --app (default refuse)",
    )
    parser.add_argument(
        "--any-time",
        action="store_true",
        help="accept notifications of any age, without --app: for a sandbox whose clock was moved",
    )
    parser.add_argument("--forward", metavar="URL", help="forward accepted deliveries, with the same bytes and headers")
    parser.add_argument(
        "--answer",
        choices=("theirs", "own"),
        default="theirs",
        help="with --forward: whose answer is sent back (default theirs)",
    )
    parser.add_argument("--forward-all", action="store_true", help="also forward refused deliveries")
    parser.add_argument(
        "--allow",
        metavar="HOST",
        action="append",
        default=[],
        help="also allow this host for --forward, besides this machine",
    )
    parser.add_argument(
        "--show",
        nargs="?",
        choices=("body", "raw"),
        const="body",
        help="also print bodies: indented, without credentials, card numbers and personal data (body, default), or unchanged (raw)",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object per line")
    parser.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> int:
    need("sandbox")  # the same server as the sandbox's

    from paywright_cli.commands.listen_server import Listener, server_of
    from paywright_sandbox.http.server import address_of, listen

    receiver, where = _receiver(args)
    server = server_of(Listener(receiver, _teller(args), _forward(args)))
    with listen(args.host, args.port) as listening:
        for number in (
            signal.SIGINT,
            signal.SIGTERM,
        ):  # until uvicorn has its own, and when it raises them again at its end
            signal.signal(number, lambda *_: setattr(server, "should_exit", True))
        _announce(args, receiver, address_of(listening), where)
        server.run(sockets=[listening])
    _aside(args, "Stopped.")
    return Exit.OK


def _receiver(args: argparse.Namespace) -> tuple[BaseReceiver, str]:
    """Return the receiver, and the place of its ledger in words."""
    from paywright_cli.common.loading import is_database, load_receiver, open_ledger

    if args.app is not None:
        if args.env is not None or args.ledger is not None or args.schema is not None or args.any_time:
            raise Usage(
                "the receiver of --app has its own settings and ledger: leave --env, --ledger, --schema and --any-time out"
            )
        return load_receiver(args.app), f"that of {args.app}"
    from paywright_cli.common.loading import environment
    from paywright_receiver import MemoryLedger

    ledger: Ledger = MemoryLedger()
    where = "in memory, lost when this stops"
    if args.ledger is not None:
        ledger = open_ledger(args.ledger, new=True, schema=args.schema)
        where = "in a database" if is_database(args.ledger) else args.ledger
    elif args.schema is not None:
        raise Usage("--schema goes with --ledger postgresql://...")
    receiver = _plain(environment(args.env), ledger, args.bills)
    if args.any_time:
        receiver.max_age = receiver.max_ahead = timedelta(days=36_500)
    return receiver, where


def _plain(env: Mapping[str, str], ledger: Ledger, bills: str) -> BaseReceiver:
    """Make a receiver whose handlers do nothing: notifications are only printed."""
    from paywright import BillPaymentValidationQuestion, Event, Receiver
    from paywright.contract import CONTRACT
    from paywright.models.merchant import BillPaymentDecision
    from paywright_runtime.contract.operation import SeenNotification

    receiver = Receiver.from_env(ledger, env)

    def seen(event: Event[Any]) -> None:
        """Do nothing: the server prints the delivery."""

    def decide(question: BillPaymentValidationQuestion) -> BillPaymentDecision:
        amount = question.data.amount
        if bills == "accept":
            return question.accept(min_amount=amount, max_amount=amount)
        return question.refuse("Nobody decides here: paywright listen refuses every bill.")

    receiver.on_validate_bill_payment(decide)
    for kind, what in CONTRACT.kinds().items():
        if isinstance(what, SeenNotification):
            receiver.on_kind(kind, once_per=[pointer.rpartition("/")[2] for pointer in what.once_per])(seen)
        else:
            getattr(receiver, f"on_{what.name.rpartition('.')[2]}")(seen)  # every kind has such a method
    receiver.on_other(seen)
    return receiver


def _forward(args: argparse.Namespace) -> Forward | None:
    from paywright_cli.commands.listen_server import Forward
    from paywright_sandbox.engine.url_policy import NotAllowed, read_destination

    if args.forward is None:
        if args.allow or args.forward_all or args.answer != "theirs":
            raise Usage("--allow, --forward-all and --answer go with --forward")
        return None
    try:
        to = read_destination(args.forward, args.allow)
    except NotAllowed as refused:
        words = str(refused).replace("in deliver-to of sandbox.toml", "allowed with --allow")
        raise Usage(f"--forward: {words}") from None
    return Forward(to, answer=args.answer, refused=args.forward_all)


def _teller(args: argparse.Namespace) -> Tell:
    from datetime import UTC, datetime

    from paywright_cli.commands.listen_server import body_out, line_of, record_of
    from paywright_runtime import strict_json
    from paywright_runtime.contract import formats

    def tell(
        raw: bytes, reply: Reply, why: str, passed: Answered | Unanswered | None, instead: Answered | None
    ) -> None:
        now = datetime.now(UTC)
        if reply.outcome in ("too_old", "too_new") and args.app is None:
            why = f"{why.rstrip('.')}; if a sandbox's clock was moved, start this with --any-time"
        if args.json:
            record = record_of(formats.write_request_time(now), len(raw), reply, why, passed, raw, instead)
            if args.show:
                record["body"] = body_out(raw, args.show)
            say_json(strict_json.write(record))
        else:
            say(line_of(f"{now.astimezone():%H:%M:%S}", len(raw), reply, why, passed, raw, instead))
            if args.show:
                say(*(f"  {line}" for line in body_out(raw, args.show).split("\n")))
        sys.stdout.flush()

    return tell


def _announce(args: argparse.Namespace, receiver: BaseReceiver, address: str, where: str) -> None:
    keys = getattr(receiver.verifier, "keys", None)
    _aside(args, f"Listening on {address} for {receiver.addressee}; stop it with Ctrl-C.")
    if keys:
        _aside(args, f"Gateway keys: {', '.join(keys)}")
    _aside(args, f"Ledger: {where}")
    _aside(args, f"To send notifications of a sandbox here: paywright sandbox --dir DIR --notify {address}")


def _aside(args: argparse.Namespace, text: str) -> None:
    say(text, stream=sys.stderr if args.json else sys.stdout, flush=True)
