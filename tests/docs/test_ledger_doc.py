"""The handler of docs/ledger.md: a ledger that forgot what was handled repeats no effect, and none is lost."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import pytest

from tests.docs.pages import Page
from tests.receiver.helpers.desk import Desk, order, refund

LOST: Final = "the ledger is lost"
SEQUENCES: Final = {
    # what comes, the row's state at the end, and how often something was delivered or taken back
    "paid once": (("SUCCESS",), "SUCCESS", 1),
    "paid, and told again to a new ledger": (("SUCCESS", LOST, "SUCCESS"), "SUCCESS", 1),
    "closed, then paid after all": (("CLOSED", "SUCCESS"), "SUCCESS", 2),
    "closed, then paid, in a new ledger": (("CLOSED", LOST, "SUCCESS"), "SUCCESS", 2),
    "paid, and returned": (("SUCCESS", "BOUNCEBACK"), "BOUNCEBACK", 2),
    "paid, and returned, in a new ledger": (("SUCCESS", LOST, "BOUNCEBACK"), "BOUNCEBACK", 2),
    "returned, and the old payment told again": (("SUCCESS", "BOUNCEBACK", LOST, "SUCCESS"), "BOUNCEBACK", 2),
    "paid, and an old end told to a new ledger": (("SUCCESS", LOST, "CLOSED"), "SUCCESS", 1),
    "a refund": (("REFUND_FAILED", LOST, "REFUND_SUCCESS", LOST, "REFUND_FAILED"), "REFUND_SUCCESS", 2),
}


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made: dict[str, Any] = {}
    exec(Page("ledger").files["conditional.py"], made)
    with closing(sqlite3.connect(tmp_path / "shop.db")) as db, db:
        db.execute("CREATE TABLE payments (number TEXT PRIMARY KEY, amount TEXT, state TEXT)")
    found = Desk(tmp_path / "shop.db")
    for kind in ("orders", "refunds"):
        found.receiver.on_result(kind)(made["ended"])
    yield found
    found.ledger.close()


@pytest.mark.parametrize("name", SEQUENCES)
def test_a_pages_handler_loses_none(name: str, desk: Desk, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    came, state, delivered = SEQUENCES[name]
    for what in came:
        with closing(sqlite3.connect(tmp_path / "shop.db")) as db, db:
            rows = "('ORD_1', '10.50', 'PLACED'), ('REF_1', '10.50', 'PLACED')"
            db.execute(f"INSERT OR IGNORE INTO payments VALUES {rows}")
            for table in ("notifications", "items") if what == LOST else ():
                db.execute(f"DELETE FROM paywright_{table}")
        if what != LOST:
            body = refund(status=what) if what.startswith("REFUND") else order(status=what)
            assert desk.deliver(body).outcome == "handled"
    number = "REF_1" if came[0].startswith("REFUND") else "ORD_1"
    with closing(sqlite3.connect(tmp_path / "shop.db")) as db:
        assert db.execute("SELECT state FROM payments WHERE number = ?", (number,)).fetchone() == (state,)
    assert capsys.readouterr().out.count("deliver or take back") == delivered


def test_a_result_of_no_row_is_not_acknowledged(desk: Desk) -> None:
    assert desk.deliver(order("ORD_9")).outcome == "failed"
