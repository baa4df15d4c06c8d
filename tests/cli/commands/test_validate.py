"""`paywright validate`: the verdict in the exit code, every violation in the output, no value of the message anywhere."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from paywright.contract import CONTRACT
from paywright_runtime.contract.formats import write_request_time
from tests.cli.helpers.command_line import paywright

GOOD = json.dumps(CONTRACT.example("refunds.create.request")).encode()
BAD = GOOD.replace(b"REF_0001", b"R" * 65).replace(b'"USD"', b'"usd"')


def test_a_message_that_keeps_to_the_contract_exits_with_0() -> None:
    ended = paywright("validate", "refunds.create", "request", given=GOOD)
    assert ended == (0, "refunds.create request: keeps to the contract\n", "")


def test_all_violations_are_listed_with_the_section_of_the_specification() -> None:
    ended = paywright("validate", "refunds.create", "request", "-", given=BAD)
    assert ended.code == 1
    assert "/data/outRefundNo: max:" in ended.out
    assert "/data/refundCurrency: format:" in ended.out
    assert "at most 64 are allowed [4.13]" in ended.out
    assert "spec/" not in ended.out
    assert "RRRR" not in ended.out


def test_a_valid_request_that_the_client_does_not_send_is_said_to_be_one() -> None:
    negative = GOOD.replace(b"4.25", b"-1")
    code, out, _ = paywright("validate", "refunds.create", "request", given=negative)
    kept, refused = out.splitlines()
    assert (code, kept) == (0, "refunds.create request: keeps to the contract")
    assert refused.startswith("but the client does not send it: /data/refundAmount: refundAmount is not above 0")


def test_a_file_is_read_as_well_as_standard_input(tmp_path: Path) -> None:
    file = tmp_path / "refund.json"
    file.write_bytes(BAD)
    assert paywright("validate", "refunds.create", "request", file).code == 1


def test_programs_get_json() -> None:
    ended = paywright("validate", "refunds.create", "request", "--format", "json", given=BAD)
    found = json.loads(ended.out)
    assert [(one["pointer"], one["code"]) for one in found] == [
        ("/data/outRefundNo", "max"),
        ("/data/refundCurrency", "format"),
    ]
    assert json.loads(paywright("validate", "refunds.create", "request", "--format", "json", given=GOOD).out) == []


def test_an_unknown_operation_lists_those_there_are() -> None:
    ended = paywright("validate", "refund.create", "request", given=GOOD)
    assert ended.code == 2
    assert "Did you mean refunds.create" in ended.err
    assert all(name in ended.err for name in CONTRACT.operations())


def test_an_unknown_message_names_those_of_the_operation() -> None:
    ended = paywright("validate", "notifications.receive", "request", given=GOOD)
    assert ended.code == 2
    assert "notification and answer" in ended.err


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"nonsense", b"\xff\xfe\x00", b"[" * 100_000, b'{"a": 1e999999999}', b"\x00", b'{"a": NaN}', b"\xef\xbb\xbf{}"],
    ids=lambda body: ascii(body)[:20],
)  # fmt: skip
def test_what_is_not_json_is_one_violation(body: bytes) -> None:
    ended = paywright("validate", "refunds.create", "request", "--format", "json", given=body)
    assert ended.code == 1
    assert [(one["pointer"], one["code"]) for one in json.loads(ended.out)] == [("", "json")]


def test_a_message_of_ten_megabytes_is_refused_unread() -> None:
    ended = paywright("validate", "refunds.create", "request", given=b" " * 10_000_000)
    assert ended.code == 1


def test_half_a_surrogate_pair_can_be_reported_on_any_terminal() -> None:
    ended = paywright(
        "validate", "refunds.create", "request", given=b'{"\\ud800": "\\udfff"}', env={"PYTHONUTF8": "0", "LC_ALL": "C"}
    )
    assert ended.code == 1


def test_headers_are_judged_where_given() -> None:
    without = paywright("validate", "refunds.create", "request", given=GOOD)
    short = paywright("validate", "refunds.create", "request", "--header", "Content-Type: text/plain", given=GOOD)
    assert without.code == 0
    assert short.code == 1
    assert "@header/sign: required" in short.out


@pytest.mark.parametrize("header", ["nonsense", ": x", ""])
def test_a_header_has_a_name_and_a_value(header: str) -> None:
    assert paywright("validate", "refunds.create", "request", "--header", header, given=GOOD).code == 2


def test_the_clock_is_judged_only_when_asked() -> None:
    stale = json.loads(GOOD)
    stale["requestTime"] = write_request_time(datetime.now(UTC) - timedelta(minutes=5))
    body = json.dumps(stale).encode()
    assert paywright("validate", "refunds.create", "request", given=body).code == 0
    ended = paywright("validate", "refunds.create", "request", "--now", "now", given=body)
    assert ended.code == 1
    assert "/requestTime" in ended.out
    assert paywright("validate", "refunds.create", "request", "--now", stale["requestTime"], given=body).code == 0


def test_a_time_that_is_none_is_wrong_usage() -> None:
    assert paywright("validate", "refunds.create", "request", "--now", "yesterday", given=GOOD).code == 2
