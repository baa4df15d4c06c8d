"""`paywright listen`: a real receiver of webhooks on this machine, which prints deliveries and can forward them."""

from __future__ import annotations

import argparse
import signal
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from paywright import BillPaymentValidationQuestion, Event, Receiver
from paywright.contract import CONTRACT
from paywright.models.merchant import BillPaymentDecision
from paywright_cli.common.loading import environment, is_database, load_receiver, open_ledger
from paywright_cli.common.options import OWN_CODE, add_database, add_env, port_number
from paywright_cli.common.parser import Parser
from paywright_cli.common.terminal import Usage, need, say
from paywright_receiver import MemoryLedger
from paywright_receiver.ledgers.sql.sql_ledger import Ledger
from paywright_receiver.webhooks.receiver import BaseReceiver
from paywright_runtime.contract.operation import SeenNotification
from paywright_sandbox.engine.url_policy import Destination, NotAllowed, read_destination
from paywright_sandbox.pages.message_view import laid_out

if TYPE_CHECKING:
    from paywright_cli.commands.listen_server import Told  # an extra

_EXAMPLES = """\
examples:
  paywright listen --env shop/.env                            print the notifications of a sandbox
  paywright listen --env shop/.env --ledger shop.db           keep the ledger over restarts
  paywright listen --receiver shop.notifications:receiver     your own receiver with its handlers
  paywright listen --env shop/.env --forward http://127.0.0.1:8000/hooks    and forward, byte for byte

In a minute, with two more terminals:
  paywright sandbox init shop
  paywright sandbox --dir shop --notify http://127.0.0.1:9000
  paywright sandbox trigger receive amount=40.00 currency=USD --dir shop

Settings are PAYWRIGHT_* names of the environment: APP_ID, GATEWAY_KEYS or GATEWAY_KEY_FILES, MERCHANT_NO, SIGN_ANSWERS.
Invalid notifications are refused, and the line says why. It ends with Ctrl-C and exit code 0.
"""


def fill(parser: Parser) -> None:
    """Add what `listen` takes."""
    parser.description = "Receive notifications (webhooks) and bill questions with the real receiver, and print a line for each delivery and its reply."
    parser.epilog = _EXAMPLES
    parser.takes("--port PORT", "port; 0 takes a free one (default 9000)", type=port_number, default=9000)
    parser.takes("--host HOST", "address to listen on (default 127.0.0.1)", default="127.0.0.1")
    add_env(parser)
    add_database(parser, "ledger of handled notifications (default: in memory)")
    parser.takes("--receiver MODULE:RECEIVER", f"your own receiver, with its handlers and its ledger; {OWN_CODE}")
    says = "how bill questions are answered, without --receiver (default refuse)"
    parser.takes("--bills", says, choices=("accept", "refuse"), default="refuse")
    parser.takes(
        "--any-time", "accept notifications of any age, without --receiver: for a sandbox whose clock was moved"
    )
    says = "forward accepted deliveries, with the same bytes and headers, and send back what is answered"
    parser.takes("--forward URL", says)
    says = "also allow this host for --forward, besides this machine"
    parser.takes("--allow HOST", says, action="append", default=[])
    parser.takes("--show", "also print bodies, without credentials, card numbers and personal data")
    parser.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> None:
    need("sandbox")  # the same server as the sandbox's
    from paywright_cli.commands.listen_server import Listener, server_of
    from paywright_sandbox.http.server import address_of, listen

    receiver, where = _receiver(args)
    server = server_of(Listener(receiver, _teller(args), _forward(args)))
    with listen(args.host, args.port) as listening:
        # Until uvicorn has its own, and when it raises them again at its end.
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: setattr(server, "should_exit", True))
        _announce(receiver, address_of(listening), where)
        server.run(sockets=[listening])
    say("Stopped.", flush=True)


def _receiver(args: argparse.Namespace) -> tuple[BaseReceiver, str]:
    """Return the receiver, and the place of its ledger in words."""
    if args.receiver is not None:
        if args.env is not None or args.ledger is not None or args.schema is not None or args.any_time:
            raise Usage(
                "your own receiver has its own settings and ledger: leave --env, --ledger, --schema and --any-time out"
            )
        return load_receiver(args.receiver), f"that of {args.receiver}"
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


def _forward(args: argparse.Namespace) -> Destination | None:
    if args.forward is None:
        if args.allow:
            raise Usage("--allow goes with --forward")
        return None
    try:
        return read_destination(args.forward, args.allow)
    except NotAllowed as refused:
        words = str(refused).replace("in deliver-to of sandbox.toml", "allowed with --allow")
        raise Usage(f"--forward: {words}") from None


def _teller(args: argparse.Namespace) -> Callable[[Told], None]:
    from paywright_cli.commands.listen_server import line_of  # an extra

    def tell(told: Told) -> None:
        if told.reply.outcome in ("too_old", "too_new") and args.receiver is None:
            why = f"{told.why.rstrip('.')}; if a sandbox's clock was moved, start this with --any-time"
            told = told._replace(why=why)
        say(line_of(f"{datetime.now():%H:%M:%S}", told), flush=True)
        if args.show:
            say(*(f"  {line}" for line in laid_out(told.raw).split("\n")), flush=True)

    return tell


def _announce(receiver: BaseReceiver, address: str, where: str) -> None:
    keys = getattr(receiver.verifier, "keys", None)
    say(
        f"Listening on {address} for {receiver.addressee}; stop it with Ctrl-C.",
        *([f"Gateway keys: {', '.join(keys)}"] if keys else []),
        f"Ledger: {where}",
        f"To send notifications of a sandbox here: paywright sandbox --dir DIR --notify {address}",
        flush=True,
    )
