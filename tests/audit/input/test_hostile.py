"""Files that nobody should send: the audit says what it could not read, and neither crashes nor repeats it."""

import gzip
import io
import json
import os
import re
from base64 import b64encode
from pathlib import Path

import pytest

from paywright_audit.input.captures import capture_reader
from paywright_audit.input.captures.reading import read_chunks, read_input
from paywright_audit.input.records import Unreadable
from paywright_cli.main import main

URL = "http://h/aggregate-pay/api/gateway/refund"


def run(tmp_path: Path, raw: bytes, capsys: pytest.CaptureFixture[str], *options: str) -> tuple[int, str]:
    file = tmp_path / "capture"
    file.write_bytes(raw)
    code = main(["audit", str(file), *options])
    out = capsys.readouterr()
    assert out.err == ""
    return code, out.out


def record(body: object = None, **more: object) -> bytes:
    raw = b64encode(json.dumps(body).encode()).decode()
    value = {"v": 1, "at": "2025-06-01T12:00:00Z", "kind": "call", "url": URL, "response": None, "source": "test"}
    return json.dumps({**value, "request": {"headers": [], "body": {"base64": raw}}, **more}).encode() + b"\n"


@pytest.mark.parametrize(
    "raw",
    [
        b"", b"\x00" * 100, b"\xff\xfe\x00", b"not json\n", b'{"log": ', b'{"log": {"entries": 5}}',
        b'{"log": {"entries": [5, {}, {"request": 1}]}}', b"[" * 100_000, b'{"log":' + b"[" * 100_000, b'{"v":1}',
        b'{"v":true}\n', b'{"v":2}\n', record(kind="other"), record(url=5), record(request=5),
        record(request={"headers": [], "body": {"base64": "***"}}),
        record(request={"headers": [], "body": {"text": 5}}),
        record(request={"headers": [], "body": {"hex": "00"}}),
        record(request={"headers": [], "body": {"text": "", "base64": ""}}),
        record(response=5), b"\x1f\x8b", b"\x1f\x8b\x08" + b"\x00" * 50, gzip.compress(record(), mtime=0)[:-12],
        gzip.compress(record(), mtime=0)[:-4] + b"\x00\x00\x00\x00",
    ],
)  # fmt: skip
def test_what_cannot_be_read_exits_3(raw: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out = run(tmp_path, raw, capsys)
    assert code == 3
    assert "unreadable" in out or "could not be read" in out


def test_one_bad_line_hides_no_finding(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out = run(tmp_path, record({}) + b"broken\n" + record({}), capsys)
    assert code == 3
    assert "line 2: unreadable" in out
    assert "line 1: refunds.create" in out
    assert "line 3: refunds.create" in out


def test_a_huge_line_is_skipped_in_constant_memory(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(capture_reader, "MAX_LINE", 1000)
    monkeypatch.setattr("paywright_audit.input.captures.reading.MAX_LINE", 1000)
    code, out = run(tmp_path, record({}) + b"x" * 5000 + b"\n" + record({}), capsys)
    assert code == 3
    assert "line 2: unreadable" in out
    assert "line 3: refunds.create" in out
    assert run(tmp_path, b"x" * 5000, capsys)[0] == 3


def test_empty_lines_are_passed_over_and_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A gzip file of 290 kB can be 300 million of them."""
    raw = b"".join(b"\n" * count + b"no record\n" for count in (0, 1, 2, 3, 4, 5, 30_000))
    whole, places = tmp_path / "log.jsonl", []
    whole.write_bytes(record({}) + raw)
    for most in (10**9, 2):
        monkeypatch.setattr(capture_reader, "_EMPTY", most)
        cut = (one for chunk in read_chunks(str(whole), 64) for one in chunk.exchanges())  # type: ignore[union-attr]
        places += [[one.number for one in each] for each in (read_input(str(whole)), cut)]
    assert places == [places[0]] * 4
    assert places[0] == [1, 2, 4, 7, 11, 16, 22, 30_023]
    assert len([*capture_reader.lines_of(b"\n", io.BufferedReader(io.BytesIO(raw)))]) < 100
    whole.write_bytes(b" \n" * 100_000)  # each needs much more memory than its two bytes
    assert max(chunk.content.size for chunk in read_chunks(str(whole), 1 << 16)) < 1 << 13  # type: ignore[union-attr]


def test_files_that_are_not_there_are_unreadable(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.mkfifo(tmp_path / "pipe.jsonl")  # to which nobody writes
    for name in (tmp_path / "absent", tmp_path, "null\x00byte", tmp_path / "pipe.jsonl"):
        assert main(["audit", str(name)]) == 3
        assert "unreadable" in capsys.readouterr().out


def test_nothing_of_the_contract_is_4(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out = run(tmp_path, record({}, url="http://h/other"), capsys)
    assert code == 4
    assert "1 exchange, 0 of the contract, 1 of something else" in out


@pytest.mark.parametrize(
    "options",
    [
        [], ["x", "--path", "nonsense"], ["x", "--path", "no.such=/x"], ["x", "--merchant-key", "absent.pub"], ["-", "-"],
        ["x", "--format", "xml"],
    ],
)  # fmt: skip
def test_a_wrong_command_line_is_2(options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    try:
        code: object = main(["audit", *options])
    except SystemExit as ended:
        code = ended.code
    assert code == 2
    assert capsys.readouterr().err


def test_hostile_names_and_card_numbers_are_not_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    card, escape = "4444333322221111", "\x1b]0;owned\x07\x1b[31m"
    twice = f'{{"{card}": 1, "{card}": 2, "{escape}"'.encode().replace(b"\x1b", b"\\u001b").replace(b"\x07", b"\\u0007")
    twice += b': 1, "' + escape.encode().replace(b"\x1b", b"\\u001b").replace(b"\x07", b"\\u0007") + b'": "\xc2\x9b"}'
    body = {"base64": b64encode(twice).decode()}
    for options in ([], ["--format", "json"]):
        code, out = run(tmp_path, record(request={"headers": [["X", card]], "body": body}), capsys, *options)
        assert code == 1
        assert "duplicate" in out
        assert card not in out
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", out)


def test_values_are_in_no_output(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    secret = "SENSITIVE_VALUE_9"
    body = {"data": dict.fromkeys(("outRefundNo", "refundAmount", "refundCurrency", "outTradeNo"), secret), "appId": secret}  # fmt: skip
    raw = record(body, request={"headers": [["sign", secret]], "body": {"parsed": body}}, url=URL + "?" + secret)
    for options in ([], ["--format", "json"]):
        assert secret not in run(tmp_path, raw, capsys, *options)[1]


def test_bodies_as_deep_and_as_wrong_as_can_be_are_findings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bodies = [b"[" * 100_000, b"\xff", b"", b'{"a":1e999999}', b'{"data":' * 60 + b"1" + b"}" * 60, b"NaN"]
    lines = [record(request={"headers": [], "body": {"base64": b64encode(body).decode()}}) for body in bodies]
    code, out = run(tmp_path, b"".join(lines), capsys)
    assert code == 1
    assert "1 whose body the capture does not have" in out
    assert f"{len(bodies) - 2} error   json" in out  # of one that is empty, the capture may have lost the rest


def test_reading_is_lazy(tmp_path: Path) -> None:
    file = tmp_path / "log"
    file.write_bytes(record({}) * 3)
    found = read_input(str(file))
    assert not isinstance(next(found), Unreadable)
    found.close()  # type: ignore[attr-defined]  # a generator
