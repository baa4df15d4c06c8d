"""A `MemoryLedger` is a `SqliteLedger` with a file of its own, which goes with the process that made it."""

from __future__ import annotations

import gc
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from stat import S_IMODE
from textwrap import dedent

import pytest

from paywright import Event, LedgerProblem
from paywright.models.notifications import Transfer
from paywright_receiver import MemoryLedger
from tests.receiver.helpers.desk import Desk, transfer


def file_of(ledger: MemoryLedger) -> Path:
    with ledger._reading() as db:
        return Path(db.execute("PRAGMA database_list").fetchone()[2])


def test_its_file_is_private_and_no_other_ledger_has_it() -> None:
    one, other = MemoryLedger(), MemoryLedger()
    assert one.identity("kind", "mine") == "mine"
    assert other.identity("kind", "another") == "another"
    path = file_of(one)
    assert (S_IMODE(path.parent.stat().st_mode), S_IMODE(path.stat().st_mode)) == (0o700, 0o600)
    assert str(path.parent) not in repr(one)


def test_its_threads_share_it_and_handlers_write_with_it() -> None:
    desk = Desk(MemoryLedger())
    seen: list[int] = []

    @desk.receiver.on_receive
    def handle(event: Event[Transfer]) -> None:
        event.transaction.execute("CREATE TABLE IF NOT EXISTS credits (number TEXT)")
        event.transaction.execute("INSERT INTO credits VALUES (?)", (event.data.request_no,))
        seen.append(1)

    with ThreadPoolExecutor(8) as threads:
        replies = list(threads.map(lambda number: desk.deliver(transfer(f"R{number % 12}")), range(48)))
    assert sum(reply.outcome == "handled" for reply in replies) == len(seen) == 12
    assert desk.statuses() == {"done": 12}


def test_it_goes_with_its_last_user_and_not_with_close() -> None:
    ledger = MemoryLedger()
    ledger.identity("kind", "mine")
    path = file_of(ledger)
    ledger.close()
    assert ledger.identity("kind", "another") == "mine"
    del ledger
    gc.collect()
    assert not path.parent.exists()


def test_forked_children_share_it_and_only_its_owner_deletes_it() -> None:
    program = """
        import gc, os, sys
        from paywright_receiver import MemoryLedger

        ledger = MemoryLedger()
        folder = ledger._path.parent
        ledger.identity("parent", "was here")
        child = os.fork()
        if child == 0:
            assert ledger.identity("parent", "was not") == "was here"
            ledger.identity("child", "was here")
            del ledger
            gc.collect()
            sys.exit(7)  # as usual: what is to be done at exit is done
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
        assert ledger.identity("child", "was not") == "was here"
        print(folder)
    """
    found = subprocess.run([sys.executable, "-c", dedent(program)], capture_output=True, text=True, timeout=600)
    assert (found.returncode, found.stderr) == (0, "")
    assert not Path(found.stdout.strip()).exists()


def test_it_says_so_where_no_file_can_be_made(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("paywright_receiver.ledgers.memory._MEMORY", str(tmp_path / "no memory"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert file_of(MemoryLedger()).is_relative_to(tmp_path)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    with pytest.raises(LedgerProblem, match=r"No private folder .*: No such file or directory\. .* TMPDIR"):
        MemoryLedger()
