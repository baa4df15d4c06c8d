"""A process that makes a receiver, forks, and ends; its child goes on receiving. What test_forks.py starts.

    forking_process.py FOLDER WHERE

FOLDER has gateway.pub and shop.db with a table `credits`. WHERE the process forks: `before the first delivery`, `after a
delivery`, or `within a handler`. Deliveries come on standard input, `{"raw": Base64, "sign": ...}` a line; the child writes
the outcome of each to standard output. `within a handler` the parent goes on with its handler once the child has ended.
"""

from __future__ import annotations

import os
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from paywright import Event, FixedClock, Receiver
from paywright_receiver import SqliteLedger
from tests.receiver.helpers.worker import APP, deliveries


def main(folder: Path, where: str) -> None:
    os.chdir(folder)
    receiver = Receiver(
        app_id=APP,
        gateway_keys=[folder / "gateway.pub"],
        ledger=SqliteLedger("shop.db", timeout=60),
        clock=FixedClock(datetime(2025, 6, 1, 12, 0, tzinfo=UTC)),
    )
    os.chdir("/")
    lines = deliveries(iter(sys.stdin.readline, ""))

    def child() -> None:
        for raw, headers in lines:
            print(receiver.receive(raw, headers).outcome, flush=True)

    @receiver.on_receive
    def credit(event: Event[Any]) -> None:
        event.transaction.execute("INSERT INTO credits VALUES (?)", (event.data.request_no,))
        if where == "within a handler" and event.data.request_no == "FIRST":
            forked = os.fork()
            if forked == 0:
                child()
                # Nor does the child end what its parent began.
                return
            os.waitpid(forked, 0)

    if where != "before the first delivery":
        print(receiver.receive(*next(lines)).outcome, flush=True)
    if where == "within a handler":
        return
    if os.fork() == 0:
        child()
    os._exit(0)  # the parent ends while its child receives


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
