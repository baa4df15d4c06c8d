"""A process that follows what is open, until nothing is; some tests have it die of SIGKILL at a seam.

    follow_worker.py FOLDER BASE_URL SEAM

The ledger is FOLDER/shop.db, or the database that FOLDER/postgres or FOLDER/mariadb names; the keys are FOLDER/gateway.pub and
FOLDER/merchant.key. SEAM is "none" or one of those of `worker.DyingLedger`, or "after the lease". It prints a line when it has
begun, and one at the end: how many questions it asked.
"""

from __future__ import annotations

import sys
from pathlib import Path
from time import sleep
from typing import Any

from paywright import Client, Event, ItemResult, Merchant, Receiver
from paywright_receiver import Follower

sys.path.insert(0, str(Path(__file__).parent))
from worker import APP, DyingLedger, die, ledger_in  # type: ignore[import-not-found]  # a script beside this one

TIMEOUT = 2.0


class DyingBook:
    """Dies when it has leased an item."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def take(self, *place: Any, **more: Any) -> Any:
        lease = self._inner.take(*place, **more)
        die(lease is not None)
        return lease

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


def follower_in(folder: Path, base_url: str, seam: str = "none") -> Follower:
    ledger: Any = ledger_in(folder) if seam == "none" else DyingLedger(ledger_in(folder), seam)
    if seam == "after the lease":
        ledger.book = DyingBook(ledger.book)
    merchant = Merchant(app_id=APP, private_key=folder / "merchant.key", gateway_keys=[folder / "gateway.pub"])
    client = Client(base_url=base_url, merchant=merchant, timeout=TIMEOUT)
    receiver = Receiver(app_id=APP, gateway_keys=[folder / "gateway.pub"], ledger=ledger, lease=0.05)

    @receiver.on_result("orders")
    def paid(event: Event[ItemResult]) -> None:
        mark = "?" if (folder / "shop.db").exists() else "%s"
        event.transaction.execute(f"INSERT INTO effects VALUES ({mark}, 0)", (event.data.key,))
        die(seam == "within the handler")

    return Follower(client, ledger, receiver=receiver, lease=TIMEOUT + 0.1)


def main(folder: Path, base_url: str, seam: str) -> None:
    follower = follower_in(folder, base_url, seam)
    print("ready", flush=True)
    asked = 0
    while follower.counts()["open"]:
        asked += follower.run_due().asked
        sleep(0.05)
    print(asked, flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3])
