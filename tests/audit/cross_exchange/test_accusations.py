"""Ordinary traffic that was accused once: each capture gives no finding, or a note where the times leave it open."""

from __future__ import annotations

import gzip
import json
import zlib
from base64 import b64encode
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest

from paywright.contract import CONTRACT
from paywright_audit.input.records import Exact, Exchange, Message
from paywright_audit.judging.matching import Matcher
from paywright_cli.main import main
from tests.audit.helpers.records import DAY, START, Scribe, as_body, bytes_of, content
from tests.support.contract import TOP

Told = list[tuple[str, str]]


def bare(exchange: Exchange) -> str | None:
    """Which operation it is taken for; "" for a notification that is not shown."""
    match = Matcher().match(exchange)
    return None if match is None else match.operation.name if match.operation is not None else ""


# 2. Bodies that are compressed in ways that are not unpacked


ZSTD = b"\x28\xb5\x2f\xfd not to be unpacked"
LIKE_DEFLATE = Random(125).randbytes(300)  # begins with what raw deflate could be


@pytest.mark.parametrize(("name", "raw"), [("zstd", ZSTD), ("br", ZSTD), ("gzip, br", ZSTD), ("snappy", LIKE_DEFLATE)])
def test_what_cannot_be_unpacked_is_unverifiable_and_no_json_fault(
    scribe: Scribe, lines: Any, name: str, raw: bytes
) -> None:
    record = scribe.ask()
    record["response"]["headers"].append(["Content-Encoding", name])
    record["response"]["body"] = as_body(raw)
    *said, last = lines()
    assert [line["code"] for line in said] == ["signature-unverifiable"]
    assert (last["unjudged"], list(last["unverifiable"])) == (
        1,
        ["the body is compressed in a format that is not supported here"],
    )


def raw_deflate(content: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(content) + packer.flush()


@pytest.mark.parametrize(("name", "pack"), [("gzip", gzip.compress), ("deflate", zlib.compress), ("deflate", raw_deflate)])  # fmt: skip
def test_what_can_be_unpacked_is_judged(scribe: Scribe, found: Any, name: str, pack: Any) -> None:
    record = scribe.ask()
    inside = bytes_of(record["response"])
    record["response"]["headers"].append(["Content-Encoding", name])
    record["response"]["body"] = as_body(pack(inside))
    assert found() == []
    record["response"]["body"] = as_body(pack(inside.replace(b"10.50", b"99.50")))
    assert found() == [("line 1", "signature-invalid")]
    record["response"]["body"] = as_body(pack(inside)[:-9])
    assert found() == []


# 3. Whose finality it is


@pytest.mark.parametrize("answer", [None, 504])
def test_a_cancel_of_unknown_outcome_may_have_been_done(scribe: Scribe, found: Any, answer: object) -> None:
    scribe.bank("snap.status", 0, "00")
    scribe.bank("snap.cancel", 30, answer=answer)
    scribe.bank("snap.status", 60, "05")
    assert [one for one in found() if one[1] == "state-moved-back"] == []
    scribe.bank("snap.status", 90, "00", partner="Q")
    scribe.bank("snap.status", 120, "05", partner="Q")
    assert ("line 5", "state-moved-back") in found()


# 4. Whose key it is


def test_the_same_key_at_two_merchants_is_two_keys(scribe: Scribe, found: Any) -> None:
    scribe.bank("snap.status", 0, "00", partner="P")
    scribe.bank("snap.status", 60, "05", partner="Q")
    scribe.bank("snap.status", 120, "00", partner="S", data={"merchantId": "M1"})
    scribe.bank("snap.status", 180, "05", partner="S", data={"merchantId": "M2"})
    for number, app in enumerate(("app_1", "app_2")):
        record = scribe.call(
            "payment_links.query", {"merchantLinkId": "L1"}, {"merchantLinkId": "L1"}, at=300 + 60 * number
        )
        asked = content(record["request"])
        asked.pop("appId", None)
        told = content(record["response"])
        told["data"]["payByLinkInfo"] = [{"outTradeNo": "O9", "status": ("SUCCESS", "PENDING")[number]}]
        scribe.rewrite(record, asked | {"merchantAppId": app}, told)
    assert [one for one in found() if one[1] in ("state-moved-back", "time-unclear")] == []


def test_the_same_key_under_two_apps_of_one_merchant_is_one_key(scribe: Scribe, found: Any) -> None:
    for at, app, merchant in ((0, "app_1", "M1"), (60, "app_2", "M1"), (120, "app_3", "M2")):
        record = scribe.order(at=at, app=app)
        asked = content(record["request"])
        scribe.rewrite(record, asked | {"merchantNo": merchant})
    scribe.order(at=180, app="app_3")  # its merchant is known from before
    assert found() == [("line 2", "placed-again"), ("line 4", "placed-again")]


# 5. Requests that did nothing, and one that stands twice


def test_a_connection_that_was_refused_sent_nothing(scribe: Scribe, found: Any) -> None:
    scribe.order(answered=False)["sent"] = False
    scribe.order(at=30)
    assert found() == []


def test_one_exchange_in_two_files_is_one(scribe: Scribe, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scribe.order()
    scribe.refund("R1", 10.5, at=60)
    first, second = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    first.write_bytes(scribe.bytes())
    for record in scribe.records:  # of another clock
        record["at"] = record["at"].replace(".000", ".250")
    second.write_bytes(scribe.bytes())
    for files in ([first, second], [first, first]):
        assert main(["audit", *map(str, files), *scribe.options()]) == 0
        assert "2 in the capture more than once" in capsys.readouterr().out


def test_equal_bytes_may_be_one_exchange_wherever_they_lie(scribe: Scribe, lines: Any) -> None:
    record = scribe.refund("R1", 1)
    scribe.records.append({**record, "at": record["at"].replace(".000", ".250")})
    *said, last = lines()
    assert (said, last["copies"]) == ([], 1)


# 6. What the capture lost


def test_a_lost_body_is_no_unknown_outcome(scribe: Scribe, found: Any) -> None:
    scribe.order()["response"]["body"] = None
    scribe.order(at=30, data={"subject": "Better"})
    scribe.refund("R1", 1, at=60)["response"]["body"] = None
    scribe.refund("R2", 1, at=70)
    assert found() == []


def test_a_lost_request_says_nothing_of_its_content(scribe: Scribe, found: Any) -> None:
    scribe.refund("R1", 1)["request"]["body"] = None
    scribe.refund("R1", 2, at=30)
    assert found() == []  # they may be one exchange: their answers say the same
    scribe.refund("R1", 2, at=30, told={"refundTradeNo": "Another"})
    del scribe.records[1]
    assert found() == [("line 2", "placed-again")]
    scribe.records.reverse()
    scribe.records[0]["at"], scribe.records[1]["at"] = scribe.records[1]["at"], scribe.records[0]["at"]
    assert found() == []  # an intermediary may have sent the first message twice


def test_a_lost_answer_counts_once_something_shows_the_key(scribe: Scribe, found: Any) -> None:
    scribe.order()["response"]["body"] = None
    scribe.ask(at=20)
    scribe.order(at=40)
    assert found() == [("line 3", "placed-again")]


def test_a_failure_that_is_told_by_the_services_number_alone_frees_its_amount(scribe: Scribe, found: Any) -> None:
    scribe.order()
    scribe.refund("R1", 10, at=20)
    told = {"outRefundNo": None, "refundTradeNo": "RTR1", "status": "REFUND_FAILED", "resultMsg": "no", "refundAmount": None}  # fmt: skip
    scribe.call("refunds.query", {"outRefundNo": None, "refundTradeNo": "RTR1"}, told, at=40)
    scribe.refund("R2", 10, at=60)
    assert found() == []


# 7. Methods


@pytest.mark.parametrize("method", ["OPTIONS", "HEAD"])
def test_what_a_browser_asks_first_is_no_call(scribe: Scribe, lines: Any, method: str) -> None:
    scribe.order()["request"]["method"] = method
    *said, last = lines()
    assert (said, last["matched"]) == ([], 0)


@pytest.mark.parametrize("method", ["GET", "put"])
def test_another_method_is_one_finding(scribe: Scribe, lines: Any, method: str) -> None:
    record = scribe.order()
    record["request"] |= {"method": method, "body": {"base64": ""}, "headers": []}
    *said, _ = lines()
    assert [(line["pointer"], line["code"]) for line in said] == [("@method", "method")]


# 8. What is not the gateway's


def message(value: object, *headers: tuple[str, str]) -> Message:
    return Message(headers, Exact(json.dumps(value).encode()))


@pytest.mark.parametrize(
    "value",
    [
        {"notifyType": "order_paid", "id": 7},
        {"notifyType": "RECEIVE", "text": "hello"},
        {"notifyType": "PAYMENT", "data": [1]},
        {"referenceNo": "17", "amount": 5, "currency": "EUR", "shop": "mine"},
        {"data": {"a": 1}, "appId": "x"},
    ],
)
def test_foreign_traffic_is_left_alone(value: object) -> None:
    assert bare(Exchange("entry", "https://shop.example/api", message(value), None, None)) is None


def test_what_comes_to_the_merchant_is_known_by_its_form_or_its_address() -> None:
    bill = {"referenceNo": "17", "amount": 5, "currency": "PHP"}
    assert (
        bare(Exchange("entry", "/hook", message(bill, ("sign", "x")), None, None)) == "merchant.validate_bill_payment"
    )
    assert bare(Exchange("entry", "/x/billPaymentValidationUrl", message({"amount": 5}), None, None)) == (
        "merchant.validate_bill_payment"
    )
    shown = {"notifyType": "RECEIVE", "appId": "a", "data": {}}
    assert bare(Exchange("entry", "/hook", message(shown), None, None)) == "notifications.receive"
    assert bare(Exchange("entry", "/hook", message({**shown, "notifyType": "PAYMENT"}), None, None)) == ""


def test_a_notification_without_its_type_is_no_bill() -> None:
    assert bare(Exchange("line", "/hook", message({"appId": "a", "data": {"requestNo": "1"}}), None, "notify")) == ""
    assert (
        bare(Exchange("line", "/vaResultNotifyUrl", message({"data": {}}), None, "notify")) == "notifications.receive"
    )


def test_the_forms_that_share_an_address_are_told_apart_there() -> None:
    matcher = Matcher({"cases.inquire": "/api/query"})
    for kind, name in (
        ("inquirePaymentToken", "payment_tokens.inquire"),
        ("caseSearch", "cases.inquire"),
        ("?", "cases.inquire"),
    ):
        match = matcher.match(Exchange("entry", "https://h/api/query", message({"bizType": kind}), None, "call"))
        assert match is not None
        assert match.operation is not None
        assert match.operation.name == name


def test_a_merchant_that_says_again_is_a_note(scribe: Scribe, found: Any, notes: Any) -> None:
    body = CONTRACT.example("notifications.receive.notification")
    scribe.notify(body)["response"]["status"] = 503
    assert (found(), notes()) == ([], [("line 1", "not-acknowledged")])


def test_a_bank_style_signature_in_another_form_proves_nothing(scribe: Scribe, found: Any, notes: Any) -> None:
    for number, signature in enumerate(("hmac", b64encode(bytes(256)).decode(), b64encode(bytes(32)).decode())):
        scribe.bank("snap.status", 60.0 * number, "03", signature=signature)
    assert found() == []
    assert [code for _, code in notes()] == ["signature-unverifiable"] * 3


# 9. Clocks


def test_a_slow_inquiry_is_not_held_against_a_quick_one(scribe: Scribe, found: Any, notes: Any) -> None:
    scribe.ask(at=0, status="SUCCESS")["until"] = (START + timedelta(seconds=25)).isoformat()
    scribe.ask(at=20)
    assert (found(), notes()) == ([], [])
    scribe.records[0].pop("until")
    assert found() == [("line 2", "state-moved-back")]


def test_two_that_are_closer_than_clocks_are_a_note(scribe: Scribe, found: Any, notes: Any) -> None:
    scribe.ask(at=0, status="SUCCESS")
    scribe.ask(at=9)
    assert (found(), notes()) == ([], [("line 2", "time-unclear")])
    assert found("--clock-slack", "5") == [("line 2", "state-moved-back")]


def test_files_of_one_second_do_not_differ(scribe: Scribe, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scribe.ask(at=0.4, status="SUCCESS")
    first, second = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    first.write_bytes(scribe.bytes())
    scribe.records.clear()
    scribe.ask(at=0.9)
    second.write_bytes(scribe.bytes())
    assert main(["audit", str(first), str(second), *scribe.options()]) == 0
    assert "no finding, 1 note" in capsys.readouterr().out


def test_a_capture_whose_clock_is_off_is_not_held_against_the_merchant(scribe: Scribe, found: Any, notes: Any) -> None:
    late = (START + timedelta(seconds=600)).isoformat()
    record = scribe.order()
    record["at"] = late
    assert (found(), notes()) == ([], [("line 1", "time-unclear")])
    record["response"]["headers"].append(["Date", "Sun, 01 Jun 2025 12:00:01 GMT"])
    assert (found(), notes()) == ([], [("line 1", "capture-clock")])
    record["response"]["headers"][-1][1] = "Sun, 01 Jun 2025 12:10:00 GMT"
    assert (found(), notes()) == ([("line 1", "skew-accepted")], [])
    record["response"]["headers"][-1][1] = "Sun, 01 Jun 2025 13:00:00 GMT"
    assert (found(), notes()) == ([], [("line 1", "time-unclear")])
    scribe.order("O2", code="REQ_TIME_OVER_TIME")["at"] = late
    scribe.order("O3", signed=False)["at"] = late
    assert found() == [("line 2", "request-skew"), ("line 3", "signature-invalid")]


def test_times_in_another_zone_are_those_that_both_sides_say(scribe: Scribe, found: Any) -> None:
    """As pandas writes them that forgets the offset. Of an inquiry that lost its request, nothing says when it was."""
    for at, status in ((0, "SUCCESS"), (60, "PENDING"), (120, "SUCCESS")):
        record = scribe.ask(at=at, status=status)
        record["at"] = (START + timedelta(hours=7, seconds=at)).isoformat()
        date = START + timedelta(seconds=at + 1)
        record["response"]["headers"].append(["Date", f"{date:%a, %d %b %Y %H:%M:%S} GMT"])
    assert found() == [("line 2", "state-moved-back")]
    scribe.records[1]["request"]["body"] = None
    assert found() == []


@pytest.mark.parametrize("code", ["AMOUNT_LIMIT", "SOMETHING_ELSE"])
def test_an_accepted_request_time_is_not_found(scribe: Scribe, found: Any, notes: Any, code: str) -> None:
    record = scribe.order(code=code)
    record["at"] = (START + timedelta(seconds=180)).isoformat()
    record["response"]["headers"].append(["Date", "Sun, 01 Jun 2025 12:00:01 GMT"])
    assert (found(), notes()) == ([], [("line 1", "capture-clock")])


def test_the_date_of_an_answer_that_is_not_trusted_still_excuses(scribe: Scribe, found: Any) -> None:
    record = scribe.order(at=90)  # by a clock that is ninety seconds fast
    record["response"]["status"] = 400  # a proxy's: nothing in it proves anything
    scribe.ask(at=20)
    assert ("line 1", "placed-again") in found()
    record["response"]["headers"].append(["Date", "Sun, 01 Jun 2025 12:00:00 GMT"])
    assert [code for _, code in found() if code == "placed-again"] == []


def test_a_write_that_may_be_the_later_one_was_permitted_by_what_lies_between(scribe: Scribe, found: Any) -> None:
    scribe.order()["response"]["status"] = 400  # a proxy's: what became of it is not known
    scribe.absent(60)
    scribe.absent(400)
    record = scribe.order(at=500)
    record["response"]["status"] = 400
    record["response"]["headers"].append(["Date", "Sun, 01 Jun 2025 11:00:00 GMT"])  # an old answer of the proxy
    assert [code for _, code in found() if code == "placed-again"] == []


def test_what_a_merchant_signs_is_as_early_as_its_clock_is_fast(scribe: Scribe, found: Any) -> None:
    scribe.order(at=90)["response"]["status"] = 400  # by a clock that is ninety seconds fast
    record = scribe.ask(at=200)
    scribe.ask(at=20)  # by the clock of another host
    assert ("line 1", "placed-again") in found()
    record["response"]["headers"].append(["Date", "Sun, 01 Jun 2025 12:01:50 GMT"])
    assert [code for _, code in found() if code == "placed-again"] == []


def test_a_refund_that_another_host_saw_is_as_old_as_that_says(scribe: Scribe, found: Any) -> None:
    scribe.ask(status="SUCCESS")
    first = scribe.refund("R1", 1, at=365 * DAY)  # by a clock that is a year fast
    assert found() == [("line 2", "refund-too-late")]
    again = scribe.refund("R1", 1, at=60, code="TOO_MANY_REQUEST")
    again["request"] = first["request"]
    assert [code for _, code in found() if code == "refund-too-late"] == []


@pytest.mark.parametrize(
    ("date", "late"), [("Sun, 01 Jun 2025 12:01:00 GMT", False), ("Mon, 01 Jun 2026 12:01:00 GMT", True)]
)
def test_a_refused_refund_inquiry_tells_the_refunds_age(scribe: Scribe, found: Any, date: str, late: bool) -> None:
    scribe.ask(status="SUCCESS")
    scribe.refund("R1", 1, at=365 * DAY)["response"]["status"] = 400  # by a clock that is, or is not, a year fast
    record = scribe.ask_refund("R1", "", at=365 * DAY + 60, code="REQ_TIME_OVER_TIME")
    record["response"]["headers"].append(["Date", date])
    assert (("line 2", "refund-too-late") in found()) == late


def test_a_finding_about_the_time_names_the_line_of_the_contract(scribe: Scribe, lines: Any) -> None:
    scribe.order(code="REQ_TIME_OVER_TIME")["at"] = (START + timedelta(seconds=600)).isoformat()
    scribe.ask(at=10, code="REQ_TIME_OVER_TIME")
    scribe.records[1]["at"] = (START + timedelta(seconds=600)).isoformat()
    named = [line["contract"].partition(":") for line in lines() if line["type"] == "finding"]
    assert [file for file, _, _ in named] == ["spec/service.yaml", "spec/orders.yaml"]
    for file, _, number in named:
        assert "requestTime" in (TOP / file).read_text().splitlines()[int(number) - 1]


@pytest.mark.parametrize(
    ("second", "said"), [(320.0, []), (319.95, ["time-unclear"]), (310.0, ["time-unclear"]), (309.9, ["placed-again"])]
)
def test_five_minutes_are_as_exact_as_clocks(scribe: Scribe, lines: Any, second: float, said: list[str]) -> None:
    scribe.order(answered=False)
    scribe.absent(20)
    scribe.absent(second)
    scribe.order(at=400)
    assert [line["code"] for line in lines() if "code" in line] == said


def test_an_inquiry_of_another_clock_may_have_come_after_the_write(scribe: Scribe, found: Any, notes: Any) -> None:
    scribe.absent(-4)
    scribe.order(answered=False)
    scribe.absent(300)
    scribe.order(at=310)
    assert (found(), notes()) == ([], [("line 4", "time-unclear")])


def test_an_inquiry_of_another_clock_may_have_come_before_the_placing(scribe: Scribe, found: Any, notes: Any) -> None:
    scribe.order(answered=False)
    scribe.absent(20)
    scribe.order(at=320)
    scribe.absent(325)
    assert (found(), notes()) == ([], [("line 3", "time-unclear"), ("line 4", "time-unclear")])
    scribe.records.pop()
    scribe.absent(331)
    assert ("line 3", "placed-again") in found()


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        ("2025-06-01T23:30:00.000+07:00", "2025-06-02T00:30:00.000+07:00", ""),
        ("2025-06-01T17:10:00.000Z", "2025-06-02T00:30:00.000+07:00", "external-id-reused"),
        ("2025-06-01T23:30:00.000+07:00", "2025-06-01T23:40:00.000Z", "time-unclear"),
        ("2025-06-01T10:00:00.000+07:00", "2025-06-01T04:00:00.000Z", "external-id-reused"),
        ("2025-06-01T10:00:00.000+07:00", "2025-06-01T10:00:01.000+07:00", "external-id-reused"),
        ("2025-06-01T10:00:00.000+07:00", "2025-06-01T10:00:00.000+07:00", ""),  # one message that was sent twice
        ("0001-01-01T00:00:00.000+07:00", "0001-01-01T00:00:00.000+00:00", ""),
        ("1600-01-01T10:00:00.000+07:00", "1600-01-01T10:00:01.000+07:00", "external-id-reused"),
    ],
)
def test_an_external_ids_day_is_its_times(scribe: Scribe, lines: Any, first: str, second: str, said: str) -> None:
    for at, stamp in enumerate((first, second)):
        scribe.bank("snap.status", at * 60.0, "03", stamp=stamp, number="17")
    codes = [line["code"] for line in lines() if line.get("code") in ("time-unclear", "external-id-reused")]
    assert codes == [said] * bool(said)


# 10. A retry is a guess


def test_the_same_again_under_another_key_is_a_warning_that_says_what_it_saw(scribe: Scribe, lines: Any) -> None:
    scribe.order()
    scribe.refund("R1", 2, at=60, answered=False)
    scribe.refund("R2", 2, at=85)
    (line,) = [line for line in lines() if line["type"] == "finding"]
    assert (line["code"], line["severity"], line["place"]) == ("key-changed", "warning", "line 3")
    assert line["message"].startswith(
        "25 seconds before, the same request but for its outRefundNo was sent under another"
    )


def test_it_is_an_error_where_the_gateway_shows_both(scribe: Scribe, found: Any) -> None:
    scribe.order()
    scribe.refund("R1", 2, at=60, answered=False)
    scribe.refund("R2", 2, at=85)
    scribe.ask_refund("R1", "REFUND_SUCCESS", 200)
    assert found() == [("line 3", "placed-twice")]
    scribe.records.pop()
    told = {"outRefundNo": "R1", "status": "REFUND_SUCCESS", "resultMsg": ""}
    scribe.call("refunds.query", {"outRefundNo": "R1", "refundTradeNo": None}, told, at=200, signed=False)
    assert ("line 3", "key-changed") in found()


def test_one_whose_answer_is_still_awaited_is_no_retry(scribe: Scribe, found: Any) -> None:
    scribe.order("O1", answered=False)["until"] = (START + timedelta(seconds=30)).isoformat()
    scribe.order("O2", at=20)
    assert found() == []


def test_things_that_have_no_number_are_not_one_thing(scribe: Scribe, lines: Any) -> None:
    for at, status in ((0, "Deleted"), (60, "Activated")):
        told = {"tokenList": [{"paymentTokenStatus": status}]}
        scribe.call("payment_tokens.list", {"userId": "u1"}, told, at=at)
    assert "final-state-left" not in {line.get("code") for line in lines()}
    scribe.records.clear()
    for at, status in ((0, "Deleted"), (60, "Activated")):
        told = {"tokenList": [{"paymentTokenID": "T1", "paymentTokenStatus": status}]}
        scribe.call("payment_tokens.list", {"userId": "u1"}, told, at=at)
    assert "final-state-left" in {line.get("code") for line in lines()}
