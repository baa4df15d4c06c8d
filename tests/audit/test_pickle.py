"""Where pickle is used, which runs the code of whoever wrote it: never on a file that has a name."""

from __future__ import annotations

import pickle
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from paywright_audit.cross_exchange.evidence.row_store import RowStore
from paywright_audit.judging.findings import Finding
from paywright_audit.result.partial_result import Place, PlacedFinding
from paywright_audit.running.finding_table import keep_in, kept_in
from tests.support.packages import FOLDERS

_USES = {
    "paywright_audit/cross_exchange/evidence/row_store.py": "rows for later rounds, in a temporary table: its file has no name, and only this process has it open",
    "paywright_audit/spark/stages.py": "rows, findings and partial results, which the executors of one run hand to one another and to the driver",
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
    one = PlacedFinding(Place("a.har", 3, 1, None), 1.5, "order\0M\0O1", "O1", "/data/*", finding)
    for planted in (False, True):
        file, harm = tmp_path / f"{planted}.rows", tmp_path / "harm"
        worker = RowStore(file)
        keep_in(worker)(one)
        worker.close()
        if planted:
            with closing(sqlite3.connect(file, isolation_level=None)) as database:
                database.execute("UPDATE findings SET finding = ?", (pickle.dumps(_Bomb(harm)),))
        store = RowStore()
        store.take(file)
        if not planted:
            assert list(kept_in(store)) == [one._replace(finding=finding._replace(value="12.5"))]
            continue
        with pytest.raises(ValueError):
            list(kept_in(store))
        assert not harm.exists()
