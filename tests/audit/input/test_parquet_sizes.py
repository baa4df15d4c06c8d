"""A small Parquet file takes no more memory than a large one: 500 MB at the most, however its values are packed."""

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

from paywright_audit.input.tables import parquet_sizes, table_files  # noqa: E402
from tests.audit.helpers.tables import SCHEMA  # noqa: E402

_PEAK = """\
import sys
from paywright_audit import audit_files
from tests.support.memory import kilobytes
totals = audit_files([sys.argv[1]]).totals
print(totals.exchanges, totals.unreadable, kilobytes("VmHWM"))
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
    "a dictionary with another codec": (
        lambda: table(512, request_body=repeated(body(_MB), 512)), plain({"compression": "snappy"}), (512, 0),
    ),
    "a dictionary without a codec": (
        lambda: table(512, request_body=repeated(body(_MB), 512)), plain({"compression": "none"}), (512, 0),
    ),
    "a dictionary in two columns": (
        lambda: table(256, **dict.fromkeys(("request_body", "response_body"), repeated(body(4 * _MB), 256))), plain({}), (256, 0),
    ),
    "a dictionary that Arrow knows of": (lambda: table(512, request_body=repeated(body(_MB), 512)), {}, (512, 0)),
    "a dictionary of headers": (lambda: table(512, request_headers=in_headers("x" * _MB, 512)), plain({}), (512, 0)),
    "a dictionary of fixed width": (
        lambda: table(512, request_body=pa.array([body(_MB)] * 512, pa.binary(_MB))), {}, (512, 0),
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
    "large values in two columns": (
        lambda: table(16, **dict.fromkeys(("request_body", "response_body"), repeated(body(31 * _MB), 16))), plain({}), (0, 1),
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
@pytest.mark.parametrize(("make", "kept", "read"), _FILES.values(), ids=_FILES)
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
    *counts, peak = map(int, done.stdout.split())
    assert tuple(counts) == read
    assert peak < 500_000, f"{peak // 1000} MB"


def read(file: Path) -> list[Exchange | Unreadable]:
    return list(table_files.read_table(str(file), {}))


def test_a_page_may_have_a_long_header(tmp_path: Path) -> None:
    """It has the least and the greatest value of the page, each of up to 4 KB."""
    values = pa.array([body(4_000)] * 3)
    pq.write_table(table(3, request_body=values), tmp_path / "t.parquet", use_dictionary=False, write_batch_size=1)
    assert [type(one) for one in read(tmp_path / "t.parquet")] == [Exchange] * 3
    assert table_files.is_table(str(tmp_path / "t.parquet"))
    assert not table_files.is_table(str(tmp_path / "gone"))


def test_a_page_that_is_too_large_is_refused_with_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet_sizes, "_MOST_OF_PAGES", 60_000)
    small, large = table(100, request_body=pa.array([body(400)] * 100)), table(
        100, request_body=pa.array([body(600)] * 100)
    )
    pq.write_table(pa.concat_tables([small, large]), tmp_path / "t.parquet", use_dictionary=False, row_group_size=100)
    *rows, last = read(tmp_path / "t.parquet")
    assert len(rows) == 100
    assert isinstance(last, Unreadable)
    assert last.why.startswith("after row 100, its pages have more than 48 MB unpacked")


@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("codec", ["none", "snappy", "gzip", "brotli", "lz4", "zstd"])
def test_rows_are_fewer_where_values_are_long(tmp_path: Path, codec: str, version: str) -> None:
    file = tmp_path / "t.parquet"
    for size, rows in ((100, 1024), (_MB, 16)):
        pq.write_table(
            table(64, request_body=repeated(body(size), 64)),
            file,
            **plain({"compression": codec, "data_page_version": version}),
        )
        with file.open("rb") as raw:
            source, names = pa.PythonFile(raw), SCHEMA.names
            for remote in (False, True):
                found = pq.ParquetFile(source)
                names = found.schema_arrow.names
                assert parquet_sizes.rows_at_a_time(found, 0, names, source, remote=remote) == rows
        assert len(read(file)) == 64


def test_a_column_that_is_not_read_may_be_of_any_size(tmp_path: Path) -> None:
    file = tmp_path / "t.parquet"
    pq.write_table(table(64, other=repeated(body(_MB), 64)), file, store_schema=False)
    with file.open("rb") as raw:
        source = pa.PythonFile(raw)
        assert parquet_sizes.rows_at_a_time(pq.ParquetFile(source), 0, ["url"], source, remote=False) == 1024


def test_each_row_has_its_own_number_in_every_part_of_every_batch_of_every_group(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parquet_sizes, "_BYTES", 4_000)
    monkeypatch.setattr(parquet_sizes, "_ROWS", 16)
    monkeypatch.setattr(parquet_sizes, "MOST_OF_A_ROW", 3_000)
    sizes = [2_000 if number % 5 == 0 else 4_500 if number == 33 else 20 for number in range(1, 61)]
    urls = pa.array([f"/{number}" for number in range(1, 61)])
    made = table(60, url=urls, request_body=pa.array(list(map(body, sizes))))
    pq.write_table(made, tmp_path / "t.parquet", row_group_size=25, use_dictionary=False)
    split = [len(list(parquet_sizes.parts_of(batch))) for batch in made.to_batches(16)]
    assert max(split) > 2
    passed: list[int] = []
    rows = list(table_files.read_table(str(tmp_path / "t.parquet"), {}, passed.append))
    assert [row.number for row in rows] == list(range(1, 61))
    assert [row.number for row in rows if isinstance(row, Unreadable)] == [33]
    assert [row.url for row in rows if isinstance(row, Exchange)] == [f"/{one}" for one in range(1, 61) if one != 33]
    assert sum(passed) == (tmp_path / "t.parquet").stat().st_size
    assert min(passed) > 0
