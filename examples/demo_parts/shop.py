"""The merchant's own server: a `Receiver`, whose ledger is in the shop's own database, behind a few lines of HTTP."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

from demo_parts.words import expect
from paywright import BillPaymentValidationQuestion, Event, ItemResult, Receiver, Reply
from paywright.models.merchant import BillPaymentDecision
from paywright_receiver import SqliteLedger

__all__ = ["Shop", "opened"]

_LONGEST = 1024 * 1024


class Shop:
    """What was told stands in its database; `refused` are the reasons why something was not believed."""

    def __init__(self, folder: Path, address: str) -> None:
        self.address = address
        self.database = folder / "shop.db"
        self.bills: list[str] = []
        self.refused: list[str] = []
        self.outcomes: list[str] = []
        self.is_down = False
        ledger = SqliteLedger(self.database)  # which makes the file, for its owner alone
        with closing(sqlite3.connect(self.database)) as db:
            db.execute("CREATE TABLE told (kind TEXT, body TEXT)")
            db.execute("CREATE TABLE results (kind TEXT, key TEXT, state TEXT, by TEXT)")
        self.receiver = Receiver(
            app_id="app_sandbox_1",
            merchant_no="MN0000000000001",
            gateway_keys=[folder / "keys" / "gateway.pub"],
            ledger=ledger,
            max_ahead=timedelta(days=400),  # the sandbox's clock is moved by months; leave it out in a shop
        )
        self.receiver.on_receive(self._keep)
        self.receiver.on_subscription_payment(self._keep)
        self.receiver.on_result("orders")(self._ended)
        self.receiver.on_result("refunds")(self._ended)
        self.receiver.on_validate_bill_payment(self._decide)

    def of(self, kind: str) -> list[dict[str, Any]]:
        """Return the data of what was told, each effect once, in the order in which it came."""
        expect(self.refused == [], f"every message is signed by the gateway and keeps to the contract: {self.refused}")
        with closing(sqlite3.connect(self.database)) as db:
            rows = db.execute("SELECT body FROM told WHERE kind = ? ORDER BY rowid", (kind,)).fetchall()
        return [json.loads(body)["data"] for (body,) in rows]

    def results(self, kind: str, key: str) -> list[tuple[str, str]]:
        """Return the states that an order or a refund ended in, and by which way the shop learned of each."""
        with closing(sqlite3.connect(self.database)) as db:
            return db.execute("SELECT state, by FROM results WHERE kind = ? AND key = ?", (kind, key)).fetchall()

    def take(self, raw: bytes, headers: list[tuple[str, str]]) -> Reply:
        """Handle one notification or question."""
        reply = self.receiver.receive(raw, headers)
        self.outcomes.append(reply.outcome)
        if not reply.acknowledged:
            self.refused.append(reply.outcome)
        return reply

    def _keep(self, event: Event[Any]) -> None:
        # In the transaction that remembers the notification: the row is there exactly once, whatever happens.
        event.transaction.execute("INSERT INTO told VALUES (?, ?)", (event.kind, event.raw.decode()))
        self.refused += map(str, event.violations)

    def _ended(self, event: Event[ItemResult]) -> None:
        row = (event.data.kind, event.data.key, event.data.state, event.by)
        event.transaction.execute("INSERT INTO results VALUES (?, ?, ?, ?)", row)

    def _decide(self, question: BillPaymentValidationQuestion) -> BillPaymentDecision:
        self.bills.append(question.data.reference_no)
        if question.data.reference_no != "BILL_1":
            return question.refuse("no such bill")
        return question.accept(min_amount=1, max_amount=5000)


@contextmanager
def opened(folder: Path) -> Iterator[Shop]:
    """Serve the shop on a free port of this machine; `folder` is the sandbox's, whose gateway it believes."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = 30

        def do_POST(self) -> None:
            if int(self.headers["Content-Length"]) > _LONGEST:
                self.close_connection = True
                self._answer(413, [], b"")
                return
            raw = self.rfile.read(int(self.headers["Content-Length"]))
            if shop.is_down:
                down = {"code": "FAIL", "msg": "Come back later."}
                self._answer(503, [("Content-Type", "application/json")], json.dumps(down).encode())
                return
            reply = shop.take(raw, self.headers.items())
            self._answer(reply.status, list(reply.headers), reply.body)

        def _answer(self, status: int, headers: list[tuple[str, str]], body: bytes) -> None:
            self.send_response(status)
            for name, value in headers:
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    shop = Shop(folder, f"http://127.0.0.1:{server.server_port}")
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield shop
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
