"""What is certain whatever a capture lost, what is so only of a complete one, and what the note then says."""

from __future__ import annotations

import errno
import gzip
import json
import os
from base64 import b64encode
from collections.abc import Callable, Iterator
from copy import deepcopy
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from paywright.contract import CONTRACT
from paywright_audit import AuditSetupError
from paywright_audit.running.finding_rows import FindingRow, write_findings
from paywright_cli.main import main
from tests.audit.helpers.records import START, Scribe, as_body, bytes_of, content
from tests.audit.helpers.tables import write_table

Codes = Callable[..., list[tuple[str, str]]]


def placed_twice_unknown(scribe: Scribe) -> None:
    scribe.order(answered=False)
    scribe.order(at=60)


def retried_under_another_key(scribe: Scribe) -> None:
    scribe.order(answered=False)
    scribe.order("O2", at=60)


def refunded_above_all(scribe: Scribe) -> None:
    scribe.order()
    scribe.refund("R1", 6, at=60)
    scribe.refund("R2", 6, at=120)


def refunded_what_was_not_paid(scribe: Scribe) -> None:
    scribe.ask(status="FAILED")
    scribe.refund("R1", 1, at=60)


def cancelled_unseen(scribe: Scribe) -> None:
    scribe.bank("snap.status", 0, "00")
    scribe.bank("snap.status", 60, "05")


@pytest.mark.parametrize(
    ("story", "code", "unless"),
    [
        (placed_twice_unknown, "placed-again", "the capture lost an answer that refused it, or inquiries that showed its absence"),
        (retried_under_another_key, "key-changed", "the capture lost an answer that showed its outcome"),
        (refunded_above_all, "refund-exceeds-paid", "the capture lost that one of them was refused or failed"),
        (refunded_what_was_not_paid, "refund-not-paid", "the capture lost that it was paid later"),
        (cancelled_unseen, "state-moved-back", "the capture lost a cancel"),
    ],
)  # fmt: skip
def test_what_follows_from_silence_is_a_note_unless_the_capture_is_complete(
    scribe: Scribe, lines: Any, story: Callable[[Scribe], None], code: str, unless: str
) -> None:
    story(scribe)
    (note,) = [line for line in lines(complete=False) if line.get("code") not in ("signature-unverifiable", None)]
    assert (note["type"], note["code"], note["by"]) == ("note", "evidence-missing", "")
    assert note["message"].startswith(f"{code} unless {unless}: ")
    assert code in {line.get("code") for line in lines() if line["type"] == "finding"}


def test_what_the_gateway_showed_is_certain(scribe: Scribe, codes: Codes) -> None:
    scribe.order()
    scribe.order(at=60)
    scribe.ask("O2", at=100)
    scribe.order("O2", at=160)
    scribe.ask(at=200, status="SUCCESS")
    scribe.refund("R1", 6, at=260)
    scribe.ask_refund("R1", "REFUND_SUCCESS", at=300)
    scribe.refund("R2", 6, at=360)
    assert codes() == [("line 2", "placed-again"), ("line 4", "placed-again"), ("line 8", "refund-exceeds-paid")]


def test_an_inquiry_whose_answer_is_lost_may_have_permitted_it(scribe: Scribe, lines: Any) -> None:
    scribe.order(answered=False)
    scribe.absent(20)
    scribe.absent(330)["response"]["body"] = None
    scribe.order(at=400)
    (note,) = [line for line in lines() if "code" in line and line["code"] != "signature-unverifiable"]
    words = "placed-again unless an inquiry whose answer the capture lost showed its absence"
    assert (note["code"], note["message"].partition(":")[0]) == ("evidence-missing", words)


def test_what_lost_its_subject_makes_silence_prove_nothing_at_its_time(scribe: Scribe, codes: Codes) -> None:
    placed_twice_unknown(scribe)
    scribe.ask("O9", at=30)["request"]["body"] = None
    scribe.records[-1]["response"]["body"] = None
    assert ("line 2", "evidence-missing") in codes(complete=True)
    scribe.records[-1]["at"] = (START + timedelta(days=1)).isoformat()
    assert ("line 2", "placed-again") in codes(complete=True)


def test_the_first_line_tells_of_the_clocks(scribe: Scribe, run: Any) -> None:
    scribe.order()["at"] = (START + timedelta(seconds=42)).isoformat()
    scribe.ask(at=60)["request"]["body"] = None
    scribe.records[-1]["response"]["body"] = None
    first = run("--complete")[1].splitlines()[0]
    assert "clocks differ by up to 42 seconds" in first
    assert "not complete: the capture lost the subject of 1 exchange" in first


def test_clocks_that_are_apart_leave_the_order_open(scribe: Scribe, codes: Codes) -> None:
    scribe.ask(at=0)["at"] = (START + timedelta(seconds=180)).isoformat()
    scribe.ask(at=100, status="SUCCESS")
    assert [code for _, code in codes() if code != "time-unclear"] == []


def test_an_effect_that_was_seen_early_does_not_end_the_permission_for_it(scribe: Scribe, codes: Codes) -> None:
    scribe.order(answered=False)
    scribe.absent(10)
    scribe.absent(311)
    scribe.ask(at=321, status="SUCCESS")
    scribe.order(at=325)
    assert codes(complete=True) == [("line 5", "time-unclear")]


def test_the_same_members_in_another_order_are_the_same_request(scribe: Scribe, codes: Codes) -> None:
    scribe.order()
    record = scribe.order(at=60)
    asked = content(record["request"])
    asked["data"] = dict(reversed(asked["data"].items())) | {"totalAmount": 10.50}
    raw = json.dumps(asked).replace("10.5,", "10.500,").encode()
    scribe.resign(record["request"], raw, scribe.merchant)
    assert codes() == [("line 2", "placed-again")]


def test_an_app_of_two_merchants_may_have_inquired_without_their_numbers(scribe: Scribe, codes: Codes) -> None:
    for at, number in ((0, "M1"), (5, "M2"), (400, "M1")):
        record = scribe.order("O1" if number == "M1" else "O2", at=at, answered=at == 5)
        asked = content(record["request"])
        scribe.rewrite(record, asked | {"merchantNo": number})
    scribe.absent(20)
    scribe.absent(330)
    assert codes(complete=True) == [("line 3", "evidence-missing")]


def test_another_environment_has_the_same_names_and_keys_of_its_own(scribe: Scribe, codes: Codes) -> None:
    scribe.order()
    record = scribe.order(at=60, data={"subject": "A test"})
    record["url"] = record["url"].replace("gw.example", "sandbox.example")
    assert codes() == [("line 2", "key-reused")]  # one key signed both answers: it is one gateway
    assert codes("--gateway-key", str(scribe.keys / "keys" / "merchant.pub")) == [("line 2", "key-reused")]
    scribe.resign(record["response"], bytes_of(record["response"]), scribe.merchant)
    assert codes("--gateway-key", str(scribe.keys / "keys" / "merchant.pub")) == []
    scribe.order(at=120, data={"subject": "Another"})
    assert codes("--gateway-key", str(scribe.keys / "keys" / "merchant.pub")) == [("line 3", "key-reused")]


@pytest.mark.parametrize("state", ["CLOSED", "SOMETHING_NEW"])
def test_a_state_that_nobody_lists_shows_that_the_thing_exists(scribe: Scribe, codes: Codes, state: str) -> None:
    scribe.order(answered=False)
    scribe.absent(20)
    data = {"outTradeNo": "O1", "status": state, "totalAmount": "10.50", "currency": "USD"}
    scribe.told("PAYMENT", data, at=100)
    scribe.absent(330)
    assert codes() == [("line 4", "state-moved-back")]


@pytest.mark.parametrize("raw", [b"[1]", b"null", b"5", b'"x"', b"true"])
def test_a_notification_that_is_no_object_is_found(scribe: Scribe, codes: Codes, raw: bytes) -> None:
    record = scribe.notify({})
    record["url"] = f"https://shop.example{CONTRACT.operation('notifications.subscription_payment').path}"
    scribe.resign(record["request"], raw, scribe.gateway)
    assert codes() == [("line 1", "type")]


def test_an_object_at_the_address_of_a_notification_is_none_of_another_kind(scribe: Scribe, lines: Any) -> None:
    record = scribe.notify({"appId": "app_1", "hello": 1})
    record["url"] = f"https://shop.example{CONTRACT.operation('notifications.subscription_payment').path}"
    assert {line["operation"] for line in lines() if "operation" in line} == {"notifications.subscription_payment"}


@pytest.mark.parametrize(("signed", "code"), [("the same", "evidence-missing"), ("anew", "placed-again")])
def test_an_arrival_twice_may_be_one_sending(scribe: Scribe, codes: Codes, signed: str, code: str) -> None:
    first = scribe.order()
    again = scribe.order(at=60)
    if signed == "the same":  # an intermediary sends it twice, and the gateway has it already
        again["request"] = first["request"]
    raw = json.dumps({"code": "ORDER_REPEAT", "msg": "It was used before."}).encode()
    again["response"]["body"] = as_body(raw)
    again["response"]["headers"] = [["sign", scribe.gateway.sign(raw)]]
    assert codes() == [("line 2", code)]


@pytest.mark.parametrize("lost", [0, 1])
@pytest.mark.parametrize("signed", ["the same", "anew"])
def test_a_lost_message_may_be_another_twice(scribe: Scribe, codes: Codes, signed: str, lost: int) -> None:
    first = scribe.refund("R1", 1)
    again = scribe.refund("R1", 1, at=60, told={"refundTradeNo": "Another"})
    if signed == "the same":
        again["request"] = deepcopy(first["request"])
    (first, again)[lost]["request"]["body"] = None
    # What was signed after the first had come is another message.
    code = "placed-again" if (signed, lost) == ("anew", 0) else "evidence-missing"
    assert codes() == [(f"line {lost + 1}", "signature-unverifiable"), ("line 2", code)]


def test_a_message_with_another_content_is_not_held_against_the_merchant_twice(scribe: Scribe, codes: Codes) -> None:
    scribe.order()
    for at, answer in ((60, "PARAMS_INVALID"), (120, "ORDER_REPEAT")):  # an intermediary sends the second one twice
        record = scribe.order(at=at, data={"subject": "Another"}, code=answer)
        record["request"] = scribe.records[1]["request"]
    assert codes() == [("line 2", "key-reused"), ("line 3", "evidence-missing")]


@pytest.mark.parametrize("mark", ["[REDACTED]", "***", "<masked>"])
def test_what_is_hidden_cannot_be_verified_and_is_no_fault(scribe: Scribe, codes: Codes, mark: str) -> None:
    scribe.order()["request"]["headers"][1][1] = mark
    scribe.ask(at=60)["response"]["body"] = {"text": mark}
    assert codes() == [("line 1", "signature-unverifiable"), ("line 2", "signature-unverifiable")]


@pytest.mark.parametrize("mark", ["[REDACTED]", "***", "<masked>"])
@pytest.mark.parametrize("packs", [False, True])
def test_what_is_hidden_in_part_cannot_be_verified_either(scribe: Scribe, codes: Codes, mark: str, packs: bool) -> None:
    record = scribe.ask()
    record["redacted"], answer = True, record["response"]
    raw = bytes_of(answer).replace(b'"USD"', json.dumps(mark).encode(), 1)
    answer["headers"] += [["content-encoding", "gzip"]] * packs
    answer["body"] = as_body(gzip.compress(raw) if packs else raw)
    assert ("line 1", "signature-unverifiable") in codes()
    assert ("line 1", "signature-invalid") not in codes()


def test_a_short_body_is_cut_unless_length_or_signature_differ(scribe: Scribe, codes: Codes, lines: Any) -> None:
    record = scribe.ask()
    raw = bytes_of(record["response"])[:-9]
    record["response"]["body"] = as_body(raw)
    assert codes() == [("line 1", "signature-unverifiable")]
    record["response"]["headers"].append(["content-length", str(len(raw))])
    assert codes() == [("line 1", "json"), ("line 1", "signature-invalid")]
    record["response"]["headers"].pop()
    record["response"]["headers"][1][1] = scribe.gateway.sign(raw)
    assert codes() == [("line 1", "json")]
    record["response"]["body"]["truncated"] = True
    assert (codes(), lines()[-1]["unjudged"]) == ([("line 1", "signature-unverifiable")], 1)


def test_a_wrong_key_swaps_no_keys(scribe: Scribe, run: Any) -> None:
    scribe.order()
    record = scribe.ask(at=60)
    scribe.resign(record["response"], bytes_of(record["response"]), scribe.merchant)
    assert "swapped" not in run()[1].splitlines()[0]


def test_the_other_exchange_is_named(scribe: Scribe, tmp_path: Path, run: Any) -> None:
    scribe.order()
    scribe.order(at=60)
    file, report, table = (tmp_path / name for name in ("log.jsonl", "report.json", "found.jsonl"))
    written = [option for one in (report, table) for option in ("--write", str(one))]
    code, out, _ = run(*written)
    assert code == 1
    other = {"file": str(file), "place": "line 1", "at": "2025-06-01T12:00:00.000Z"}
    assert (
        f"placed-again by the merchant: the same request with this outTradeNo was answered with success before ({CONTRACT.place('orders.checkout')}); the other exchange: {', '.join(other.values())}"
        in out
    )
    (group,) = json.loads(report.read_text())["groups"]
    assert (group["by"], group["evidence"][0]["other"]) == ("merchant", other)
    (row,) = map(json.loads, table.read_text().splitlines())
    assert (row["by"], row["other_file"], row["other_place"]) == ("merchant", str(file), "line 1")


def test_a_file_of_findings_that_cannot_be_written_whole_is_not_there(tmp_path: Path) -> None:
    def rows() -> Iterator[FindingRow]:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        yield

    with pytest.raises(AuditSetupError, match="No space left"):
        write_findings(tmp_path / "found.jsonl", rows())
    assert list(tmp_path.iterdir()) == []


def test_an_empty_name_is_no_input(scribe: Scribe, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", ""]) == 2
    assert "an input has no name" in capsys.readouterr().err
    scribe.order()
    (tmp_path / "log.jsonl").write_bytes(scribe.bytes())
    (tmp_path / "all").mkdir()
    write_table(tmp_path / "all" / "rows.parquet", [str(tmp_path / "log.jsonl")])
    (tmp_path / "all" / "loop").symlink_to(".")
    (tmp_path / "all" / "etc").symlink_to("/etc")
    main(["audit", str(tmp_path / "all"), *scribe.options()])
    assert "1 exchange, 1 of the contract" in capsys.readouterr().out


@pytest.mark.parametrize("as_text", [False, True])
def test_an_answer_whose_signature_fits_no_key_accuses_nobody(scribe: Scribe, lines: Any, as_text: bool) -> None:
    """A stranger says SUCCESS; the gateway, which is asked again, says that it is PENDING. As text or as bytes."""
    scribe.order()
    scribe.ask(status="SUCCESS", at=60)["response"]["headers"][1][1] = b64encode(b"s" * 256).decode()
    scribe.ask(status="PENDING", at=120)
    for record in scribe.records if as_text else ():
        for message in (record["request"], record["response"]):
            message["body"] = {"text": bytes_of(message).decode()}
    assert "state-moved-back" not in [line.get("code") for line in lines()]


def answered_elsewhere(scribe: Scribe, take: Callable[[int], int]) -> None:
    """Write down four orders, each with an inquiry. The answer at a place is the one that `take` finds for it, or none."""
    for number in range(4):
        scribe.order(f"O{number}", at=100 * number)
        scribe.ask(f"O{number}", at=100 * number + 50)
    answers = [record["response"] for record in scribe.records]
    for place, record in enumerate(scribe.records):
        record["response"] = answers[take(place)] if 0 <= take(place) < 8 else None


@pytest.mark.parametrize(
    ("take", "echoes", "notes"),
    [
        (
            lambda place: ((place + 1) ^ 1) - 1,
            [],
            ["- capture - answers-misjoined"],
        ),  # an inquiry's and the next order's
        (lambda place: place - 2, [3, 4, 5, 6, 7, 8], []),  # all are late, as a connection may have them
    ],
    ids=["swapped", "late"],
)
def test_answers_beside_other_requests(
    scribe: Scribe, lines: Any, take: Callable[[int], int], echoes: list[int], notes: list[str]
) -> None:
    """The answer about an order that was placed only later shows that the capture has put answers elsewhere."""
    answered_elsewhere(scribe, take)
    *told, last = lines(complete=False)
    assert [line["place"] for line in told if line["type"] == "finding"] == [f"line {one}" for one in echoes]
    assert {line["code"] for line in told if line["type"] == "finding"} <= {"echo"}
    assert [group["id"] for group in last["groups"] if "misjoined" in group["id"]] == notes


@pytest.mark.parametrize(
    ("take", "codes"),
    [
        (lambda place: place ^ 1, set()),
        (lambda place: place + 1, set()),
        (lambda place: place - 1, {"echo"}),
        (lambda place: place | 1, {"echo"}),
    ],
    ids=["swapped", "early", "late", "never"],
)
def test_an_answer_of_another_form_is_one_to_another_request(
    scribe: Scribe, lines: Any, take: Callable[[int], int], codes: set[str]
) -> None:
    """It breaks nothing of what it was for. It is the capture's if it is early, or if the two were swapped."""
    answered_elsewhere(scribe, take)
    *told, last = lines(complete=False)
    assert {line["code"] for line in told if line["type"] == "finding"} == codes
    assert "unknown-field" not in [line["code"] for line in told]
    assert ("- capture - answers-misjoined" in [group["id"] for group in last["groups"]]) is (not codes)


def test_an_answer_of_another_form_under_the_right_key_is_not_called_anothers(scribe: Scribe, lines: Any) -> None:
    scribe.order()
    scribe.ask(at=60)
    scribe.records[1]["response"] = scribe.records[0]["response"]
    (found,) = [line for line in lines(complete=False) if line["type"] == "finding"]
    words = "has the form of an answer to orders.checkout, under the key that was asked for"
    assert (found["code"], found["message"]) == ("echo", words)


def test_a_member_of_another_operation_makes_no_answer_of_it(scribe: Scribe, lines: Any) -> None:
    """The answer to an inquiry has a token as if it answered an order, and lacks what it must have."""
    scribe.order()
    scribe.ask(at=60, told={"tradeToken": "T1", "trade": None})
    assert ("finding", "required") in [(line["type"], line.get("code")) for line in lines()]


def test_times_in_another_zone_are_said_to_be(
    scribe: Scribe, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in range(3):
        record = scribe.call("orders.query", {"outTradeNo": "O1"}, {"outTradeNo": "O1"}, at=number)
        record["at"] = (START + timedelta(hours=7, seconds=number)).isoformat()
        record["response"]["headers"].append(["Date", "Sun, 01 Jun 2025 12:00:01 GMT"])
    *_, last = scribe.audit(tmp_path, capsys)
    assert last["judged"]["zones"] == {"25200": 3}
    main(["audit", str(tmp_path / "records.jsonl"), *scribe.options()])
    first = capsys.readouterr().out.splitlines()[0]
    assert "the times of 3 exchanges are another zone's (+07:00), and were corrected" in first
    assert "clocks differ" not in first
