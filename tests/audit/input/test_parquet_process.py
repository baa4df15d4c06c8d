"""A small Parquet file takes no more memory than a large one, however its values are packed: it is read in a process with a limit."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from paywright_audit.input.records import Exchange, Unreadable
from tests.support.packages import PACKAGES, TOP

pa = pytest.importorskip("pyarrow", reason="tables need the extra `parquet`")
pq = pytest.importorskip("pyarrow.parquet")

from paywright_audit.input.tables import parquet_files  # noqa: E402
from tests.audit.helpers.tables import SCHEMA  # noqa: E402

_PEAK = """\
import sys
from resource import RUSAGE_CHILDREN, getrusage
from paywright_audit import audit_files
from paywright_audit.input.tables.parquet_files import _idle
from tests.support.memory import kilobytes
totals = audit_files([sys.argv[1]]).totals
for process in _idle.values():
    process.communicate()
print(totals.exchanges, totals.unreadable, max(kilobytes("VmHWM"), getrusage(RUSAGE_CHILDREN).ru_maxrss))
"""
_MB = 1 << 20


def body(size: int) -> bytes:
    return b'{"note": "' + b"x" * (size - 12) + b'"}'


def table(rows: int, **columns: Any) -> Any:
    """A table of `rows` calls of something else than the contract, with other columns in place of the usual ones."""
    headers = [[{"name": "a", "value": "b"}]] * rows
    usual = {
        "at": pa.array([0] * rows, SCHEMA.field("at").type), "url": pa.array(["/nothing"] * rows), "response_status": pa.array([200] * rows),
        **dict.fromkeys(("request_headers", "response_headers"), pa.array(headers, SCHEMA.field("request_headers").type)),
        **dict.fromkeys(("request_body", "response_body"), pa.array([b"{}"] * rows)),
    }  # fmt: skip
    return pa.table({**usual, **columns})


def repeated(value: Any, rows: int) -> Any:
    """So many times the same value, which is stored once."""
    return pa.DictionaryArray.from_arrays(pa.array([0] * rows, pa.int32()), pa.array([value]))


def in_headers(value: str, rows: int) -> Any:
    names = repeated("cookie", rows)
    pairs = pa.StructArray.from_arrays([names, repeated(value, rows)], ["name", "value"])
    return pa.ListArray.from_arrays(pa.array(range(rows + 1), pa.int32()), pairs)


def plain(kept: Any) -> Any:
    """Without the schema of Arrow, so that a dictionary is read as what is in it."""
    return {"store_schema": False, **kept}


_FILES: dict[str, tuple[Callable[[], Any], dict[str, Any], tuple[int, int]]] = {
    "a dictionary": (lambda: table(512, request_body=repeated(body(_MB), 512)), plain({}), (512, 0)),
    "a dictionary in two columns": (
        lambda: table(256, **dict.fromkeys(("request_body", "response_body"), repeated(body(4 * _MB), 256))), plain({}), (256, 0),
    ),
    "a dictionary that Arrow knows of": (lambda: table(512, request_body=repeated(body(_MB), 512)), {}, (512, 0)),
    "a dictionary of headers": (lambda: table(512, request_headers=in_headers("x" * _MB, 512)), plain({}), (512, 0)),
    "a dictionary of fixed width": (
        lambda: table(512, request_body=pa.array([body(_MB)] * 512, pa.binary(_MB))), {}, (0, 1),
    ),
    "plain, in pages of one value": (
        lambda: table(512, request_body=pa.array([body(_MB)] * 512)),
        {"use_dictionary": False, "write_batch_size": 1}, (512, 0),
    ),
    "plain, in one page": (lambda: table(256, request_body=pa.array([body(_MB)] * 256)), {"use_dictionary": False}, (0, 1)),
    "plain, large values beside small ones": (
        lambda: table(8000, request_body=pa.array([b"{}"] * 7600 + [body(_MB)] * 400)),
        {"use_dictionary": False, "write_batch_size": 8}, (8000, 0),
    ),
    "values that begin with the one before": (
        lambda: table(512, request_body=pa.array([body(_MB)] * 512)),
        {"use_dictionary": False, "column_encoding": {"request_body": "DELTA_BYTE_ARRAY"}}, (512, 0),
    ),
    "large values in two columns, which begin with the one before": (
        lambda: table(16, **dict.fromkeys(("request_body", "response_body"), pa.array([body(31 * _MB)] * 16))),
        {"use_dictionary": False, "column_encoding": dict.fromkeys(("request_body", "response_body"), "DELTA_BYTE_ARRAY")}, (0, 1),
    ),
    "large values in two dictionaries that Arrow knows of": (
        lambda: table(16, **dict.fromkeys(("request_body", "response_body"), repeated(body(31 * _MB), 16))), {}, (0, 1),
    ),
    "the largest rows": (
        lambda: table(16, **dict.fromkeys(("request_body", "response_body"), repeated(body(16 * _MB - 200), 16))), {}, (16, 0),
    ),
    "large values in every column": (
        lambda: table(
            16, url=repeated("/" + "x" * 60 * _MB, 16), **dict.fromkeys(("request_body", "response_body"), repeated(body(60 * _MB), 16)),
            **dict.fromkeys(("request_headers", "response_headers"), in_headers("x" * 60 * _MB, 16)),
        ), plain({}), (0, 1),
    ),
    "one row that is too large": (
        lambda: table(2, request_body=pa.array([b"{}", body(20 * _MB)]), response_body=pa.array([b"{}", body(20 * _MB)])),
        {"use_dictionary": False, "write_batch_size": 1}, (1, 1),
    ),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere the peak is measured otherwise")
@pytest.mark.parametrize(
    ("make", "kept", "read"),
    [
        pytest.param(*of, id=name, marks=[pytest.mark.full] * bool(at % 4))
        for at, (name, of) in enumerate(_FILES.items())
    ],
)
def test_a_small_file_takes_no_more_than_500_mb(
    tmp_path: Path, make: Callable[[], Any], kept: dict[str, Any], read: tuple[int, int]
) -> None:
    file = tmp_path / "t.parquet"
    pq.write_table(make(), file, **{"compression": "zstd", **kept})
    done = subprocess.run(
        [sys.executable, "-c", _PEAK, str(file)],
        env={**os.environ, "PYTHONPATH": f"{PACKAGES}{os.pathsep}{TOP}"}, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    exchanges, unreadable, peak = map(int, done.stdout.split())
    assert exchanges == read[0]
    assert unreadable >= read[1], "rows that are too large may come before those that cannot be read at all"
    assert peak < 500_000, f"{peak // 1000} MB"


def read(file: Path) -> list[Exchange | Unreadable]:
    return list(parquet_files.read_table(str(file), {}))


@pytest.mark.slow
def test_a_process_that_ends_is_followed_by_one_that_reads_less_at_a_time(tmp_path: Path) -> None:
    """The second row group comes to 2 GB in a batch of a thousand rows, and to 64 MB in one of 32."""
    small, large = (table(1024, request_body=repeated(body(size), 1024)) for size in (20, 2 * _MB))
    with pq.ParquetWriter(tmp_path / "t.parquet", small.schema, store_schema=False) as writer:
        for group in (small, large, small):
            writer.write_table(group)
    read(tmp_path / "gone.parquet")
    before = parquet_files._idle[os.getpid()]
    assert [row.number for row in read(tmp_path / "t.parquet")] == list(range(1, 3 * 1024 + 1))
    assert parquet_files._idle[os.getpid()] is not before


def test_row_numbers_in_every_batch_and_group(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    urls = pa.array([f"/{number}" for number in range(1, 61)])
    pq.write_table(table(60, url=urls), tmp_path / "t.parquet", row_group_size=25)
    for first in (0, 7, 25, 33, 50, 59, 60):
        batches = parquet_files.read_rows(str(tmp_path / "t.parquet"), {}, first, 16)
        assert [url for batch in batches for url in batch.column("url").to_pylist()] == urls.to_pylist()[first:]
    monkeypatch.setattr(parquet_files, "_ROWS", (16,))
    found = [(row.number, row.url) for row in read(tmp_path / "t.parquet") if isinstance(row, Exchange)]
    assert found == list(enumerate(urls.to_pylist(), 1))


@pytest.mark.slow
def test_reading_that_stops_halfway_leaves_nothing_for_the_next_file(tmp_path: Path) -> None:
    pq.write_table(table(3000, request_body=pa.array([body(9_000)] * 3000)), tmp_path / "t.parquet")
    rows = parquet_files.read_table(str(tmp_path / "t.parquet"), {})
    first = next(iter(rows))
    assert isinstance(first, Exchange)
    rows.close()  # type: ignore[attr-defined]
    assert [row.number for row in read(tmp_path / "t.parquet")] == list(range(1, 3001))
    assert parquet_files.is_table(str(tmp_path / "t.parquet"))
    assert not parquet_files.is_table(str(tmp_path / "gone"))
