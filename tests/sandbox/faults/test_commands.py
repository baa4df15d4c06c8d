"""`paywright sandbox fault` and `paywright sandbox log` against a sandbox that is being served, and one that is not."""

import json
import stat
from pathlib import Path

import pytest

from paywright_cli.main import main
from paywright_sandbox.testing.served import RunningSandbox
from tests.sandbox.helpers.plain import PlainClient


def said(capsys: pytest.CaptureFixture[str], code: int, *arguments: str | Path) -> str:
    assert main(["sandbox", *map(str, arguments)]) == code
    out = capsys.readouterr()
    return out.err if code else out.out


def test_fault_rules_change(sandbox: RunningSandbox, plain: PlainClient, capsys: pytest.CaptureFixture[str]) -> None:
    url = ("--url", sandbox.base_url)
    added = said(capsys, 0, "fault", "add", "code", "code=SYSTEM_BUSY", "key=ORD_9", "times=1", *url)
    assert added == "id 1, kind code, when after, key ORD_9, times 1, code SYSTEM_BUSY, seen 0, struck 0\n"
    assert plain.query("ORD_9")["code"] == "SYSTEM_BUSY"
    said(capsys, 0, "fault", "add", "reset", "when=before", "operation=refunds.create", "probability=0.25", *url)
    listed = said(capsys, 0, "fault", "list", *url).splitlines()
    assert listed[0].endswith("code SYSTEM_BUSY, seen 1, struck 1")
    assert listed[1].startswith("id 2, kind reset, when before, operation refunds.create, probability 0.25")
    assert "dropped 1" in said(capsys, 0, "fault", "clear", "1", *url)
    assert "no rule with this number" in said(capsys, 1, "fault", "clear", "1", *url)
    assert said(capsys, 0, "fault", "clear", *url) == "dropped 1\n"
    assert "There is nothing." in said(capsys, 0, "fault", "list", *url)


def test_a_rule_that_cannot_be_is_loudly_refused(sandbox: RunningSandbox, capsys: pytest.CaptureFixture[str]) -> None:
    refused = said(capsys, 1, "fault", "add", "reset", "operation=order.query", "--url", sandbox.base_url)
    assert "did you mean" in refused
    assert "There is nothing." in said(capsys, 0, "fault", "list", "--url", sandbox.base_url)


def test_a_sandbox_that_is_not_there_is_said_to_be(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    env = folder / ".env"
    env.write_text(env.read_text().replace("8787", "1"))
    assert "No sandbox answers at http://127.0.0.1:1" in said(capsys, 2, "--dir", folder, "fault", "list")
    assert "No sandbox answers" in said(capsys, 2, "fault", "list", "--dir", folder)
    assert "does not exist. Give the sandbox" in said(capsys, 2, "fault", "list", "--dir", folder / "absent")
    assert "address of a sandbox looks like" in said(capsys, 2, "fault", "list", "--url", "ftp://x")


def test_the_log_goes_to_a_file_of_its_owners_alone(
    sandbox: RunningSandbox, plain: PlainClient, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plain.query("LOGGED_1")
    file = tmp_path / "log.jsonl"
    said(capsys, 0, "log", "--output", file, "--url", sandbox.base_url)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    records = [json.loads(line) for line in file.read_text().splitlines()]
    assert records[-1]["url"] == f"{sandbox.base_url}/aggregate-pay/api/gateway/paymentOrderQry"
    assert len(said(capsys, 0, "log", "--url", sandbox.base_url).splitlines()) == len(records)
    keys = sandbox.directory / "keys"
    options = ["--merchant-key", str(keys / "merchant.pub"), "--gateway-key", str(keys / "gateway.pub")]
    assert main(["audit", str(file), *options]) == 0
    assert "no finding" in capsys.readouterr().out


def test_the_log_of_no_folder_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "does not exist. Give the sandbox" in said(capsys, 2, "log", "--dir", tmp_path)
