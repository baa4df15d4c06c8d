"""Where pickle is used, which runs the code of whoever wrote it: never on a file that has a name."""

from __future__ import annotations

import pickle
import re
import sqlite3
from contextlib import closing
from decimal import Decimal
from pathlib import Path

import pytest

from paywright_audit import OtherVersion
from paywright_audit.cross_exchange.history.owners import Same
from paywright_audit.cross_exchange.history.related_rows import BUCKETS, PaidRow, RefundRow, Round, WriteRow
from paywright_audit.cross_exchange.history.row_store import RowStore
from paywright_audit.cross_exchange.history.rows import Row
from paywright_audit.judging.findings import Finding
from paywright_audit.result.partial_result import PartialResult, Place, PlacedFinding
from paywright_audit.running.finding_rows import keep_in, kept_in
from paywright_runtime.version import VERSION
from tests.support.packages import FOLDERS

_USES = {
    "paywright_audit/spark/stages.py": "partial results, which the executors of one run hand to one another and to the driver"
}
"""Beside these, `jobs.py` has multiprocessing pickle what the processes of one run hand to one another through pipes."""
_RUN_CODE = re.compile(
    r"^\s*(?:from|import)\b[^#\n]*\b(?:pickle|marshal|shelve|dill|cloudpickle|joblib|pandas)\b", re.MULTILINE
).search


def test_only_what_stays_within_one_run_is_pickled() -> None:
    found = set()
    for root in map(Path, FOLDERS):
        for file in root.glob("paywright*/**/*.py"):
            if _RUN_CODE(file.read_text(encoding="utf-8")):
                found.add(file.relative_to(root).as_posix())
    assert found == set(_USES)


class _Bomb:
    def __init__(self, file: Path) -> None:
        self.file = file

    def __reduce__(self) -> object:
        return Path.touch, (self.file,)


def test_a_pickle_in_the_file_of_a_worker_is_not_run(tmp_path: Path) -> None:
    finding = Finding(
        "orders.checkout", "request", "/data/\udc80", "format", "wrong", "spec/orders.yaml:1", 12.5, "personal"
    )
    one = PlacedFinding(Place("a.har", 3, None), 1.5, "O1", "/data/*", finding)
    row = Row("order\0M\0O1", 1.5, 2, "a\udc80.har", 3, 1.5, None, 0, "orders.query", "seen", amount="1.50")
    paid = PaidRow(row.subject, Decimal("1.50"), "USD", 1.5, None, True, False, row)
    write = WriteRow(7, row, (1.5, "a.har", 3), False)
    kept = [paid, RefundRow(row.subject, row, True, None), write, RefundRow(None, row._replace(token="t"), True, "1")]
    for planted in (False, True):
        file, harm = tmp_path / f"{planted}.rows", tmp_path / "harm"
        worker = RowStore(file)
        keep_in(worker)(one)
        worker.add(kept)
        worker.close()
        if planted:
            with closing(sqlite3.connect(file, isolation_level=None)) as database:
                database.execute("UPDATE findings SET finding = ?", (pickle.dumps(_Bomb(harm)),))
                tables = [
                    name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE name GLOB 'round*'")
                ]
                for table in tables:
                    database.execute(f"UPDATE {table} SET rows = ?", (pickle.dumps(_Bomb(harm)),))
        store = RowStore()
        for part in (None, Round.TOKEN, Round.WHOLE):
            store.take(file, part, range(BUCKETS))
        if not planted:
            assert list(kept_in(store)) == [one]
            read = [row for one in Round for group in store.groups(one, Same({}, {})) for row in group]
            assert sorted(map(str, read)) == sorted(map(str, kept))
            continue
        with pytest.raises(ValueError):
            list(kept_in(store))
        with pytest.raises(ValueError):
            list(store.groups(Round.WHOLE, Same({}, {})))
        assert not harm.exists()


def test_a_partial_result_of_another_release_is_refused() -> None:
    pickled = pickle.dumps(PartialResult())
    assert pickle.loads(pickled).exchanges == 0
    other = pickled.replace(VERSION.encode(), b"9" * len(VERSION))
    assert other != pickled
    with pytest.raises(OtherVersion, match="one release"):
        pickle.loads(other)
