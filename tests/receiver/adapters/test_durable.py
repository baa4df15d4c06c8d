"""docs/notifications.md says what is durable when: each row, with processes that are killed at the seam."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from paywright_runtime.signing.keys import KeyPair
from tests.receiver.helpers.desk import key, sign, transfer
from tests.support.packages import PACKAGES

_TOP = Path(__file__).resolve().parents[3]
_TEXT = (_TOP / "docs" / "notifications.md").read_text(encoding="utf-8")
_TABLE = _TEXT.partition("| the handler writes through |")[2].partition("\n\n")[0]
ROWS = [[cell.strip() for cell in row.strip("|").split("|")] for row in _TABLE.splitlines()[2:]]
TIMES = {"never": 0, "**never**": 0, "once": 1, "twice": 2}


@pytest.mark.slow
@pytest.mark.parametrize("row", ROWS, ids=lambda row: re.sub("`", "", row[0]))
def test_what_is_durable_when_is_as_the_page_says(row: list[str], tmp_path: Path) -> None:
    where, _, before, after = row
    raw = json.dumps(transfer("R1"))
    (tmp_path / "gateway.pub").write_text(KeyPair(key()).public_pem)
    for seam, said in (("before", before), ("after", after)):
        folder = tmp_path / seam
        folder.mkdir()
        (folder / "gateway.pub").write_bytes((tmp_path / "gateway.pub").read_bytes())
        codes = []
        for now in (seam, "none"):  # it dies, and the gateway sends it again
            ended = subprocess.run(
                [sys.executable, "-m", "tests.receiver.helpers.durable_worker", folder, where.replace("`", ""), now],
                input=json.dumps({"raw": raw, "sign": sign(raw.encode())}),
                env={**os.environ, "PYTHONPATH": f"{PACKAGES}{os.pathsep}{_TOP}"},
                capture_output=True,
                text=True,
                timeout=120,
            )
            codes.append((ended.returncode, ended.stdout.strip()))
        assert codes == [(9, ""), (0, "200")], ended.stderr
        with sqlite3.connect(folder / "shop.db") as db:
            (times,) = db.execute("SELECT COUNT(*) FROM effects").fetchone()
        db.close()
        assert times == TIMES[said], (where, seam)


def test_the_page_has_every_framework() -> None:
    assert len(ROWS) == 10
    for name in ("Django", "ATOMIC_REQUESTS", "SQLAlchemy", "Flask-SQLAlchemy", "FastAPI"):
        assert any(name in row[0] for row in ROWS)
