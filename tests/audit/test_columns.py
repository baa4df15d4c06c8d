"""The audit of tables: the report of the capture that they were written from, byte for byte, and exit codes as for files."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from paywright_audit import AuditSettings, AuditSetupError, Report, audit_files
from paywright_audit.judging.findings import RULES
from paywright_audit.report.lines import write_json
from paywright_cli.main import main
from tests.audit.helpers.planted_capture import Capture, make_capture
from tests.audit.helpers.records import START, Scribe
from tests.audit.helpers.tables import write_table
from tests.support.pairs import one_of

pa = pytest.importorskip("pyarrow", reason="tables need the extra `parquet`")
pq = pytest.importorskip("pyarrow.parquet")


@pytest.fixture(scope="module")
def capture(secrets: Path, tmp_path_factory: pytest.TempPathFactory) -> Capture:
    return make_capture(secrets, tmp_path_factory.mktemp("captured"), 1_500, 5, 1)


@pytest.fixture(scope="module")
def table(capture: Capture, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("table") / "traffic.parquet"
    write_table(file, list(map(str, capture.files)))
    return file


@pytest.fixture(scope="module")
def given(public: dict[str, Any]) -> AuditSettings:
    return AuditSettings(evidence=50, **public)


def same(report: Report) -> str:
    """The report as it is written, but for the names of the inputs."""
    return write_json(replace(report, files=()))


@pytest.fixture(scope="module")
def expected(capture: Capture, given: AuditSettings) -> str:
    report = audit_files(list(map(str, capture.files)), given)
    assert report.totals.findings > 50
    return same(report)


@pytest.mark.slow
def test_a_table_is_reported_as_its_capture(table: Path, given: AuditSettings, expected: str) -> None:
    assert same(audit_files([table], given)) == expected


@pytest.mark.slow
def test_a_directory_in_many_processes(table: Path, given: AuditSettings, expected: str, tmp_path: Path) -> None:
    rows, folder = pq.read_table(table), tmp_path / "traffic"
    for number in range(4):
        (folder / f"day={number}").mkdir(parents=True)
        pq.write_table(
            rows.filter([place % 4 == number for place in range(rows.num_rows)]), folder / f"day={number}" / "p"
        )
    for jobs in (1, 3):
        assert same(audit_files([folder], given, jobs=jobs)) == expected


@pytest.mark.slow
def test_a_file_without_places_has_those_of_its_rows(table: Path, given: AuditSettings, tmp_path: Path) -> None:
    file = tmp_path / "bare.parquet"
    pq.write_table(pq.read_table(table).drop_columns(["file", "place"]), file)
    report = audit_files([file], given)
    places = {(one.file, one.place.split()[0]) for group in report.groups for one in group.evidence}
    assert places == {(str(file), "row")}


def texts(rows: Any, place: int) -> list[str | None]:
    """A column of bodies as somebody writes it who takes them for text."""
    return [None if one is None else one.decode(errors="replace") for one in rows.column(place).to_pylist()]


Spoil = Callable[[Any], Any]
CODES: list[tuple[str, Spoil, int, str]] = [
    ("as it is", lambda rows: rows, 1, "findings"),
    ("no row", lambda rows: rows.slice(0, 0), 4, "exchange"),
    ("a missing column", lambda rows: rows.drop_columns(["url"]), 3, "it has no column url: give its name there with --column url=NAME"),
    ("a column of another type", lambda rows: rows.set_column(0, "at", pa.array([True] * rows.num_rows)), 3, "its column at is bool"),
    ("a table of something else", lambda rows: pa.table({"id": [1]}), 3, "it has no column at, url, request_headers"),
    ("a row without a url", lambda rows: rows.set_column(3, "url", pa.array([None, *rows.column("url").to_pylist()[1:]])), 3, "it has no url"),
    ("nothing but nulls", lambda rows: pa.table([pa.nulls(rows.num_rows, kind) for kind in rows.schema.types], rows.schema), 3, "row 1: unreadable: it has no url"),
    ("no time", lambda rows: rows.set_column(0, "at", pa.nulls(rows.num_rows, rows.schema.types[0])), 1, "without a time"),
    ("bodies as text", lambda rows: rows.set_column(7, "request_body", pa.array(texts(rows, 7))).set_column(11, "response_body", pa.array(texts(rows, 11))), 1, "whose bytes the capture may have changed"),
    ("bodies as lists of numbers", lambda rows: rows.set_column(7, "request_body", pa.nulls(rows.num_rows, pa.list_(pa.uint8()))), 3, "its column request_body is list; it must be binary"),
    ("bodies lost", lambda rows: rows.set_column(7, "request_body", pa.nulls(rows.num_rows)).set_column(11, "response_body", pa.nulls(rows.num_rows)), 4, "nothing proven"),
]  # fmt: skip


@pytest.mark.parametrize(("form", "spoil", "code", "words"), one_of(3, CODES), ids=[form for form, *_ in CODES])
def test_the_command_has_the_exit_codes_that_it_has_for_files(
    table: Path,
    secrets: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    form: str,
    spoil: Spoil,
    code: int,
    words: str,
) -> None:
    file = tmp_path / "hostile.parquet"
    pq.write_table(spoil(pq.read_table(table)), file)
    keys = ["--merchant-key", str(secrets / "merchant.pub"), "--gateway-key", str(secrets / "gateway.pub")]
    assert main(["audit", str(file), *keys]) == code
    out = capsys.readouterr()
    assert words in out.out
    assert out.err == ""


def in_folder(folder: Path, raw: bytes) -> Path:
    """Tables, a capture, and files that are neither, in one folder."""
    inside = folder / "mixed"
    (inside / "day=1").mkdir(parents=True)
    (inside / "day=1" / "a.parquet").write_bytes(raw)
    (inside / "b.parquet").write_bytes(raw[: len(raw) // 2])
    pq.write_table(pa.table({"id": [1]}), inside / "c.parquet")
    (inside / "d.jsonl").write_bytes(b"{}\n")
    (inside / "e.txt").write_bytes(b"not a table\n")
    (inside / "_SUCCESS").touch()
    return inside


def as_file(folder: Path, raw: bytes) -> Path:
    file = folder / "traffic.parquet"
    file.write_bytes(raw)
    return file


Make = Callable[[Path, bytes], Path]
INPUTS: list[tuple[str, Make, list[str]]] = [
    ("empty", lambda folder, raw: as_file(folder, b""), ["traffic.parquet, the file: unreadable: it is not a Parquet file"]),
    ("a capture that is called Parquet", lambda folder, raw: as_file(folder, b"{}\n" * 20), ["traffic.parquet, the file: unreadable: it is not a Parquet file"]),
    ("cut off", lambda folder, raw: as_file(folder, raw[:-9]), ["the file: unreadable: it is not a Parquet file, or damaged"]),
    ("a part of it zeros", lambda folder, raw: as_file(folder, raw[:4] + bytes(5000) + raw[5004:]), ["it is not a Parquet file, or damaged"]),
    ("not there", lambda folder, raw: folder / "gone.parquet", ["gone.parquet, the file: unreadable: No such file or directory"]),
    ("an empty folder", lambda folder, raw: folder, ["the file: unreadable: there is no file in it"]),
    ("a mixed folder", in_folder, [
        "b.parquet, the file: unreadable: it is not a Parquet file, or damaged", "c.parquet, the file: unreadable: it has no column at, url",
        "d.jsonl, line 1: unreadable: ", "e.txt, line 1: unreadable: it is not strict JSON",
    ]),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize(("form", "make", "words"), INPUTS, ids=[form for form, *_ in INPUTS])
def test_the_command_says_what_is_no_table_and_judges_the_rest(
    table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], form: str, make: Make, words: list[str], jobs: str
) -> None:
    file = make(tmp_path, table.read_bytes())
    assert main(["audit", str(file), "--jobs", jobs]) == 3
    out = capsys.readouterr()
    assert [one for one in words if one not in out.out] == []
    assert out.err == ""
    counted = next(line for line in out.out.splitlines() if " of the contract, " in line)
    assert counted.startswith("0 exchanges") != (form == "a mixed folder")


def test_a_table_without_its_extra_is_unreadable_with_words(
    table: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    for name in (str(table), str(table.parent)):
        assert main(["audit", name]) == 3
        assert "it is a table, which needs an extra: pip install 'paywright[parquet]'" in capsys.readouterr().out


@pytest.mark.slow
def test_the_command_maps_columns(table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, rows = tmp_path / "theirs.parquet", pq.read_table(table)
    pq.write_table(rows.rename_columns(["when" if name == "at" else name for name in rows.column_names]), file)
    assert main(["audit", str(file)]) == 3
    assert "it has no column at: give its name there with --column at=NAME" in capsys.readouterr().out
    assert main(["audit", str(file), "--column", "at=when"]) == 1
    assert "without a time" not in capsys.readouterr().out
    assert main(["audit", str(file), "--column", "at="]) == 1
    assert "without a time" in capsys.readouterr().out
    with pytest.raises(SystemExit, match="2"):
        main(["audit", str(file), "--column", "at"])
    assert main(["audit", str(file), "--column", "att=when"]) == 2
    assert "there is no column 'att'. Did you mean at?" in capsys.readouterr().err


def test_the_command_prints_the_columns(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["audit", "--schema"])
    assert ended.value.code == 0
    assert "request_headers   required  list<struct<name: string, value: string>>" in capsys.readouterr().out


def test_parquet_on_standard_input_is_refused_with_words(
    table: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with table.open("rb") as file:
        monkeypatch.setattr("sys.stdin", type("Input", (), {"buffer": file}))
        assert main(["audit", "-"]) == 3
    assert "it is Parquet, which cannot be read from a stream: give it as a file" in capsys.readouterr().out


def test_arguments_are_checked_as_those_of_files() -> None:
    with pytest.raises(AuditSetupError, match="there is no column 'when'"):
        AuditSettings(columns={"when": "at"})
    assert audit_files([]).judged.required == ("exchanges",)


@pytest.mark.skipif(sys.platform != "linux", reason="names are text there")
def test_a_file_of_findings_may_have_a_name_that_is_no_text(tmp_path: Path) -> None:
    file = tmp_path / os.fsdecode(b"found\xff.jsonl")
    audit_files([], findings=file)
    assert file.read_bytes() == b""


@pytest.mark.slow
def test_every_finding_is_a_line_with_its_key(
    capture: Capture, secrets: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    keys = ["--merchant-key", str(secrets / "merchant.pub"), "--gateway-key", str(secrets / "gateway.pub")]
    config = tmp_path / "audit.toml"
    config.write_text('[severity]\nunknown-field = "warning"\n')
    tables = []
    for jobs in ("1", "3"):
        file = tmp_path / f"{jobs}.jsonl"
        options = ["--format", "json", "--evidence", "1", "--jobs", jobs, "--config", str(config)]
        assert main(["audit", *map(str, capture.files), *options, *keys, "--write", str(file)]) == 1
        tables.append(lines_of(file))
        last = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert tables[0] == tables[1]
    rows = tables[0]
    assert len(rows) == last["findings"] + last["notes"]
    assert {row["severity"] for row in rows if row["code"] == "unknown-field"} == {"warning"}
    planted = {
        (one.file, one.place, one.planted.operation, one.planted.pointer, one.planted.code) for one in capture.planted
    }
    found = {(row["file"], row["place"], row["operation"], row["pointer"], row["code"]) for row in rows}
    assert planted <= found
    days = {row["at"][:10] for row in rows if row["at"] is not None}
    assert days == {START.date().isoformat()}
    assert sum(row["at"] is not None for row in rows) > 0.8 * len(rows)
    assert all(row["contract"] or row["code"] in RULES for row in rows)
    orders = [row for row in rows if row["operation"].startswith(("orders.", "refunds."))]
    assert sum(bool(row["key"]) for row in orders) > 0.8 * len(orders) > 20


def lines_of(file: Path) -> list[dict[str, Any]]:
    return list(map(json.loads, file.read_text().splitlines()))


def test_a_key_that_is_secret_or_a_card_number_stands_in_no_line(keys: Path, tmp_path: Path) -> None:
    scribe = Scribe(keys)
    listed = {"tokenList": [{"paymentTokenID": "SECRET_TOKEN", "paymentTokenStatus": "Deleted"}]}
    later = {"tokenList": [{"paymentTokenID": "SECRET_TOKEN", "paymentTokenStatus": "Activated"}]}
    scribe.call("payment_tokens.list", {}, listed)
    scribe.call("payment_tokens.list", {}, later, at=100)
    scribe.call("orders.query", {"outTradeNo": "4111111111111111"}, {"outTradeNo": "O2"}, at=200)
    file = tmp_path / "capture.jsonl"
    file.write_bytes(scribe.bytes())
    audit_files([file], findings=tmp_path / "found.jsonl")
    rows = lines_of(tmp_path / "found.jsonl")
    assert "final-state-left" in {row["code"] for row in rows}
    assert "echo" in {row["code"] for row in rows}
    assert "SECRET_TOKEN" not in str(rows)
    assert "4111111111111111" not in str(rows)


def test_findings_are_written_if_possible(capture: Capture, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    two = ["--write", str(tmp_path / "a.jsonl"), "--write", str(tmp_path / "b.jsonl")]
    assert main(["audit", str(capture.files[0]), *two]) == 2
    assert "--write takes one file that ends in .jsonl" in capsys.readouterr().err
    assert main(["audit", str(capture.files[0]), "--write", str(tmp_path / "none" / "a.jsonl")]) == 2
    with pytest.raises(AuditSetupError, match="No such file"):
        audit_files([capture.files[0]], findings=tmp_path / "none" / "a.jsonl")
