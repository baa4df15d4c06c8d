"""A merchant's endpoint for notifications and bill questions, whole: run it, and let a sandbox tell it.

    paywright sandbox init shop
    paywright sandbox --dir shop --notify http://127.0.0.1:9000 &
    set -a; . shop/.env; set +a
    python examples/receiver_app.py shop.db 9000

Every effect is written in the transaction that remembers it, so that it is there exactly once. `paywright notifications list
--ledger shop.db` shows what came. `GET /effects/NUMBER` tells how many effects a number has: `paywright sandbox
check-receiver http://127.0.0.1:9000/ --dir shop --effects 'http://127.0.0.1:9000/effects/{key}'` asks there.
"""

from __future__ import annotations

import json
import sqlite3
import sys
from collections.abc import Iterable
from contextlib import closing, suppress
from decimal import Decimal
from pathlib import Path
from socketserver import ThreadingMixIn
from typing import TYPE_CHECKING, Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from paywright import BillPaymentValidationQuestion, Event, Receiver
from paywright.models.merchant import BillPaymentDecision
from paywright.models.notifications import PeriodResult, Transfer
from paywright_receiver import SqliteLedger
from paywright_receiver.wsgi import wsgi_app

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

BILLS = {"BILL_1": 5000}


def receiver_of(database: Path) -> Receiver:
    """Make the receiver with its handlers; its ledger is in the shop's own database."""
    ledger = SqliteLedger(database)  # which makes the file, for its owner alone
    with closing(sqlite3.connect(database)) as db:
        db.execute("CREATE TABLE IF NOT EXISTS effects (number TEXT, state TEXT, amount TEXT, currency TEXT)")
    receiver = Receiver.from_env(ledger)

    @receiver.on_receive
    def transfer(event: Event[Transfer]) -> None:
        told = event.data
        if told.status.is_paid:
            write(
                event,
                told.request_no,
                told.status,
                told.payment_detail.trade.amount,
                told.payment_detail.trade.currency,
            )

    @receiver.on_subscription_payment
    def period(event: Event[PeriodResult]) -> None:
        plan, paid = event.data.subscription_plan, event.data.subscription_payment_detail
        if paid.payment_status.is_paid:
            number = f"{plan.subscription_no}/{paid.subscription_index}"
            write(event, number, paid.payment_status, paid.pay_amount.amount, paid.pay_amount.currency)

    @receiver.on_validate_bill_payment
    def bill(question: BillPaymentValidationQuestion) -> BillPaymentDecision:
        most = BILLS.get(question.data.reference_no)
        if most is None:
            return question.refuse("There is no such bill.")
        if not 1 <= question.data.amount <= most:
            return question.refuse(f"Pay between 1 and {most}.")
        return question.accept(min_amount=1, max_amount=most)

    @receiver.on_other
    def result(event: Event[Any]) -> None:
        print(f"{event.kind}: its contents are not specified [6.3]; orders.query and refunds.query tell", flush=True)

    return receiver


def write(event: Event[Any], number: str, state: str, amount: Decimal | None, currency: object) -> None:
    """Have the effect: here a row, where a shop would have the goods sent."""
    row = (number, str(state), "" if amount is None else f"{amount:f}", str(currency))
    event.transaction.execute("INSERT INTO effects VALUES (?, ?, ?, ?)", row)
    print(f"{number} is {state}: {amount} {currency}", flush=True)


def effects(database: Path, number: str) -> dict[str, object]:
    """How many effects a number has, and its state."""
    with closing(sqlite3.connect(database)) as db:
        rows = db.execute("SELECT state FROM effects WHERE number = ? ORDER BY rowid", (number,)).fetchall()
    return {"effects": len(rows), "state": rows[-1][0] if rows else None}


def application(database: Path) -> WSGIApplication:
    """Notifications and questions at every address but `/effects/NUMBER`."""
    deliveries = wsgi_app(receiver_of(database))

    def app(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        path = environ["PATH_INFO"]
        if environ["REQUEST_METHOD"] != "GET" or not path.startswith("/effects/"):
            return deliveries(environ, start_response)
        start_response("200 OK", [("Content-Type", "application/json")])
        return [json.dumps(effects(database, path.removeprefix("/effects/"))).encode()]

    return app


class Server(ThreadingMixIn, WSGIServer):
    """On this machine alone; in production a server of yours does this, with `application` or an adapter of your framework."""

    daemon_threads = True


class Quiet(WSGIRequestHandler):
    """Handles one connection, and prints nothing."""

    timeout = 10

    def log_message(self, format: str, *args: object) -> None:
        """Print nothing: what is worth a line is printed where it happens."""


def main(database: Path, port: int) -> None:
    """Serve the shop until Ctrl-C."""
    with make_server("127.0.0.1", port, application(database), Server, Quiet) as server:
        print(f"The shop listens on http://127.0.0.1:{server.server_port}; stop it with Ctrl-C.", flush=True)
        with suppress(KeyboardInterrupt):
            server.serve_forever(poll_interval=0.1)
        print("Stopped.")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "shop.db"), int(sys.argv[2]) if len(sys.argv) > 2 else 9000)
