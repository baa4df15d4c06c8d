"""`paywright validate`: the verdict in the exit code, every violation in the output, no value of the message anywhere."""

from __future__ import annotations

import json
import shlex
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from paywright.contract import CONTRACT
from paywright_runtime.contract.formats import write_request_time
from tests.cli.helpers.command_line import paywright

GOOD = json.dumps(CONTRACT.example("refunds.create.request")).encode()
BAD = GOOD.replace(b"REF_0001", b"R" * 65).replace(b'"USD"', b'"usd"')


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


@pytest.mark.parametrize(
    ("words", "given", "code", "said"),
    [
        ("refunds.create request", GOOD, 0, ["refunds.create request: keeps to the contract\n"]),
        ("refunds.create request --header 'Content-Type: text/plain'", GOOD, 1, ["@header/sign: required"]),
        pytest.param("refunds.create request", b" " * 10_000_000, 1, [], id="ten megabytes of spaces"),
        ("refund.create request", GOOD, 2, ["Did you mean refunds.create", *CONTRACT.operations()]),
        ("http://x/aggregate-pay/api/gateway/orderAndPay request", GOOD, 2, ["of orders.checkout and orders.drop_in"]),
        ("notifications.receive request", GOOD, 2, ["notification and answer"]),
        ("refunds.create request --now yesterday", GOOD, 2, []),
        *((f"refunds.create request --header '{header}'", GOOD, 2, []) for header in ("nonsense", ": x", "")),
    ],
)
def test_the_verdict_and_what_is_asked_wrongly_have_their_exit_codes(
    words: str, given: bytes, code: int, said: list[str]
) -> None:
    ended = paywright("validate", *shlex.split(words), given=given)
    assert ended.code == code
    assert [one for one in said if one not in ended.out + ended.err] == []


STOPPED = {
    b"": "empty",
    b"\xff\xfe\x00": "not UTF-8, but in another encoding, or compressed",
    b"[" * 100_000: "",
    b'{"a": 1,\n "\xc3\xa9": 1,5\n}': "in line 2, column 9",
}


@pytest.mark.parametrize("body", STOPPED, ids=lambda body: ascii(body)[:20])
def test_what_is_not_json_is_one_violation(body: bytes) -> None:
    ended = paywright("validate", "refunds.create", "request", "--format", "json", given=body)
    assert ended.code == 1
    assert [(one["pointer"], one["code"]) for one in json.loads(ended.out)] == [("", "json")]
    assert json.loads(ended.out)[0]["message"].endswith(STOPPED[body])


def test_half_a_surrogate_pair_can_be_reported_on_any_terminal() -> None:
    ended = paywright(
        "validate", "refunds.create", "request", given=b'{"\\ud800": "\\udfff"}', env={"PYTHONUTF8": "0", "LC_ALL": "C"}
    )
    assert ended.code == 1


def test_the_clock_is_judged_only_when_asked() -> None:
    stale = json.loads(GOOD)
    stale["requestTime"] = write_request_time(datetime.now(UTC) - timedelta(minutes=5))
    body = json.dumps(stale).encode()
    assert paywright("validate", "refunds.create", "request", given=body).code == 0
    ended = paywright("validate", "refunds.create", "request", "--now", "now", given=body)
    assert ended.code == 1
    assert "/requestTime" in ended.out
    assert paywright("validate", "refunds.create", "request", "--now", stale["requestTime"], given=body).code == 0
