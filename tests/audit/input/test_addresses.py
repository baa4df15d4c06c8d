"""Addresses of inputs: no spelling of one that may have a credential in it is opened, printed or written into a report."""

from __future__ import annotations

from pathlib import Path

import pytest

from paywright_audit import AuditSetupError, audit_files
from paywright_audit.input.addresses import check_address, is_address
from paywright_audit.input.tables import parquet_files
from paywright_audit.report.build_report import shown_name
from paywright_cli.main import main
from paywright_cli.spark_submit import main as submit
from tests.support.tables import table

_SECRET = "wJalrXUtnFEMI"
_SPELLINGS: list[str] = table("audit/input/addresses.yaml")

_HARMLESS = (
    "s3://bucket/p",
    "s3://bucket/day=2026-06-01/a b/täglich%20%C3%A4.parquet",
    "gs://bucket",
    "abfss://files@account.dfs.core.windows.net/p",
    "abfs://$logs@account.dfs.core.windows.net/p",
    "hdfs://namenode:8020/user/shop",
    "dbfs:/mnt/traffic",
    "file:///täglich/a b",
    "file:/tmp/a:b",
    "delta.`s3a://bucket/p`",
    "payments.traffic",
    "C:/traffic/a.har",
)


@pytest.mark.parametrize("spelling", _SPELLINGS)
def test_a_possible_credential_is_refused(spelling: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    address = spelling.replace("SECRET", _SECRET)
    reports = [tmp_path / f"r.{ending}" for ending in ("json", "jsonl")]
    write = [part for file in reports for part in ("--write", str(file))]
    for run in (lambda *given: main(["audit", *given]), lambda *given: submit(given)):
        assert run(address, *write) == 2
        out, err = capsys.readouterr()
        assert "may be a key or a password. It was not opened, and is not shown." in err
        assert _SECRET not in out + err
    assert [file for file in reports if file.exists()] == []
    with pytest.raises(AuditSetupError, match="may be a key") as refused:
        audit_files([address])
    assert _SECRET not in str(refused.value)


@pytest.mark.parametrize("spelling", [one for one in _SPELLINGS if ":/" in one])
def test_an_output_is_no_such_address_either(spelling: str, capsys: pytest.CaptureFixture[str]) -> None:
    for ending in (".json", ".parquet"):
        output = spelling.replace("SECRET", _SECRET) + ending
        assert main(["audit", "traffic.jsonl", "--write", output]) == 2
        out, err = capsys.readouterr()
        assert "may be a key or a password" in err
        assert _SECRET not in out + err


@pytest.mark.parametrize("address", _HARMLESS)
def test_what_is_known_to_be_harmless_is_accepted_and_shown(address: str, capsys: pytest.CaptureFixture[str]) -> None:
    check_address(address)
    assert shown_name(address) == address
    if is_address(address):
        assert main(["audit", address]) == 2
        assert "an input is an address, which Spark reads" in capsys.readouterr().err


def test_an_address_that_a_row_names_is_not_shown_either() -> None:
    for spelling in _SPELLINGS:
        if ":/" in spelling:
            assert shown_name(spelling) == "an address that is not shown"


def test_a_file_that_is_there_may_have_any_name(tmp_path: Path) -> None:
    names = [str(tmp_path / name) for name in ("user@host.har", "traffic#1.jsonl", "what?.jsonl", "a%40b.jsonl")]
    for name in names:
        Path(name).write_text("{}\n")
    assert parquet_files.expanded([*names, "-", str(tmp_path / "gone.jsonl"), "bad\0name"]) == (
        *names,
        "-",
        str(tmp_path / "gone.jsonl"),
        "bad\0name",
    )
