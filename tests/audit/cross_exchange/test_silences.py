"""Faults that were passed over once, and audits that were green where nothing was proven."""

from __future__ import annotations

import gzip
import json
import sqlite3
from base64 import b64decode, b64encode
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest

from paywright.contract import CONTRACT
from paywright_audit.judging.finding_text import plain
from paywright_audit.running import jobs
from paywright_cli.main import main
from tests.audit.cross_exchange.test_accusations import _rewrite, absent, ask, bank, order, refund
from tests.audit.helpers.records import START, Scribe, findings

CARD = "4444333322221111"
Told = list[tuple[str, str]]


@pytest.fixture
def scribe(keys: Path) -> Scribe:
    return Scribe(keys)


@pytest.fixture
def found(scribe: Scribe, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Told]:
    """Findings by place and code."""
    return lambda *options: [
        (place, code) for place, _, _, _, code in findings(scribe.audit(tmp_path, capsys, *options))
    ]


def run(file: Path, capsys: pytest.CaptureFixture[str], *options: str) -> tuple[int, str, str]:
    code = main(["audit", str(file), *options])
    out = capsys.readouterr()
    return code, out.out, out.err


# 11


def test_a_notification_whose_body_is_not_strict_json_is_found(scribe: Scribe, found: Any) -> None:
    record = scribe.notify({})
    raw = b'{"notifyType":"RECEIVE","notifyType":"RECEIVE","data":NaN}'
    record["request"]["body"] = {"base64": b64encode(raw).decode()}
    record["request"]["headers"][1][1] = scribe.gateway.sign(raw)
    assert found() == [("line 1", "json")]


def test_existence_without_a_listed_state_ends_the_permission(scribe: Scribe, found: Any) -> None:
    order(scribe, answered=False)
    absent(scribe, 20)
    absent(scribe, 330)
    record = ask(scribe, at=340)
    told = json.loads(b64decode(record["response"]["body"]["base64"]))
    del told["data"]["status"]
    _rewrite(scribe, record, json.loads(b64decode(record["request"]["body"]["base64"])), told)
    order(scribe, at=400)
    assert found() == [("line 5", "placed-again")]


@pytest.mark.parametrize(
    ("shown", "told", "due"),
    [
        ({"amount": "10.50", "currency": "USD"}, "10.50", []),
        ({"amount": "10.5", "currency": "USD"}, None, []),
        ({"amount": "1.05", "currency": "USD"}, None, [("line 2", "amount-not-asked")]),
        ({"amount": "10.50", "currency": "EUR"}, None, [("line 2", "amount-not-asked")]),
        ({"amount": "1.05", "currency": "USD"}, "10.50", [("line 2", "amount-not-asked")]),
    ],
)  # fmt: skip
def test_an_inquiry_shows_the_amount_that_its_order_asked_for(
    scribe: Scribe, found: Any, shown: dict[str, str], told: str | None, due: Told
) -> None:
    order(scribe)
    answer = {"outTradeNo": "O1", "status": "SUCCESS", "trade": shown}
    scribe.call("orders.query", {"outTradeNo": "O1"}, answer, at=60)
    if told:
        data = {"outTradeNo": "O1", "status": "SUCCESS", "totalAmount": told, "currency": "USD"}
        scribe.notify({"notifyType": "PAYMENT", "appId": "app_1", "code": "APPLY_SUCCESS", "data": data}, at=80)
    assert [one for one in found() if one[1] in ("amount-not-asked", "notification-disagrees")] == due


def test_a_withdrawal_is_told_and_inquired_with_one_amount(scribe: Scribe, found: Any) -> None:
    data = {"outTradeNo": "W1", "status": "PROCESSING", "transactionAmount": "50.00", "transactionCurrency": "EUR"}
    scribe.notify({"notifyType": "WITHDRAW", "appId": "app_1", "code": "APPLY_SUCCESS", "data": data})
    told = {"outTradeNo": "W1", "transactionAmount": "5.00", "status": "PROCESSING"}
    scribe.call("withdrawals.query", {"outTradeNo": "W1"}, told, at=60)
    assert found() == [("line 2", "notification-disagrees")]


def test_a_bill_is_answered_for_its_own_reference(scribe: Scribe, found: Any) -> None:
    record = scribe.notify(CONTRACT.example("merchant.validate_bill_payment.request"))
    answer = CONTRACT.example("merchant.validate_bill_payment.response")
    record["response"]["body"] = {"base64": b64encode(json.dumps(answer).encode()).decode()}
    assert found() == []
    answer["data"]["referenceNo"] = "BILL0002"
    record["response"]["body"] = {"base64": b64encode(json.dumps(answer).encode()).decode()}
    assert found() == [("line 1", "echo")]


@pytest.mark.parametrize(("status", "code"), [("SUCCESS", "refund-exceeds-paid"), ("FAILED", "refund-not-paid")])
def test_a_period_is_refunded_for_what_was_paid(scribe: Scribe, found: Any, status: str, code: str) -> None:
    body = CONTRACT.example("notifications.subscription_payment.notification") | {"appId": "app_1"}
    detail = body["data"]["subscriptionPaymentDetail"]
    detail |= {"paymentStatus": status, "payAmount": {"amount": 9.5, "currency": "USD"}}
    detail["lastPaymentInfo"] |= {"tradeToken": "PT1"}
    scribe.notify(body)
    refund(scribe, "R1", 9.51, at=60, data={"outTradeNo": None, "tradeToken": "PT1"})
    assert found() == [("line 2", code)]


def test_a_failed_order_is_not_refunded_nor_is_less_than_nothing(scribe: Scribe, found: Any) -> None:
    order(scribe)
    ask(scribe, at=20, status="FAILED")
    refund(scribe, "R1", 1, at=60)
    refund(scribe, "R2", -1, at=80, data={"outTradeNo": "O2"})
    assert found() == [("line 3", "refund-not-paid"), ("line 4", "refund-negative")]


def test_a_key_of_digits_is_not_cut_out_of_the_time(scribe: Scribe, found: Any) -> None:
    order(scribe, "100", at=0.1)
    order(scribe, "100", at=60.1, answered=False)
    assert found() == [("line 2", "placed-again")]


def test_keys_that_do_not_fold_are_echoed_in_their_own_case(scribe: Scribe, found: Any) -> None:
    refund(scribe, "Rx", 1, told={"outRefundNo": "rX"})
    order(scribe, "Ox", at=60, told={"outTradeNo": "oX"})
    ask(scribe, "OX", at=120)
    assert found() == [("line 1", "echo")]


@pytest.mark.parametrize(
    ("users", "codes"),
    [
        (["u1", "u1"], []),
        (["u1", None, ""], []),
        (["u1", "u2"], ["/data/tokenList/1/userId echo"]),
        (["U1", 7], ["/data/tokenList/0/userId echo", "/data/tokenList/1/userId echo"]),
        (["u1", *["u2"] * 101], [*(f"/data/tokenList/{place}/userId echo" for place in range(1, 101)), " more"]),
    ],
)  # fmt: skip
def test_each_element_is_of_what_was_asked_for(
    scribe: Scribe, found: Any, tmp_path: Path, capsys: Any, users: list[object], codes: list[str]
) -> None:
    example = CONTRACT.example("payment_tokens.list.response")["data"]["tokenList"][0]
    told = {
        "tokenList": [
            {name: each for name, each in {**example, "userId": user}.items() if each is not None} for user in users
        ]
    }
    scribe.call("payment_tokens.list", {"userId": "u1"}, told)
    lines = scribe.audit(tmp_path, capsys, "--values", "--evidence", "1000")[:-1]
    lines = [line for line in lines if line["code"] in ("echo", "more")]
    assert sorted(f"{line['pointer']} {line['code']}" for line in lines) == sorted(codes)
    assert all(
        line.get("value") == "****" for line in lines if line["code"] == "echo"
    )  # whose they are is a person's matter


@pytest.mark.parametrize(
    ("operation", "change", "member"),
    [
        ("rates.query", {}, None),
        ("rates.query", {"side": "SELL"}, "side"),
        ("rates.query", {"transactionCurrency": "GBP", "ccyPair": "GBPUSD"}, "transactionCurrency"),
        ("accounts.list_authorized", {}, None),
        ("accounts.list_authorized", {"productType": "payout"}, "productType"),
        ("accounts.list_authorized", {"merchantNo": "M9"}, "merchantNo"),
    ],
)
def test_each_element_is_one_of_those_that_were_asked_for(
    scribe: Scribe, tmp_path: Path, capsys: Any, operation: str, change: dict[str, str], member: str | None
) -> None:
    asked, answered = (CONTRACT.example(f"{operation}.{role}")["data"] for role in ("request", "response"))
    ((name, (element,)),) = answered.items()
    scribe.call(operation, asked, {name: [{**element, **change}]})
    found = [line["pointer"] for line in scribe.audit(tmp_path, capsys)[:-1] if line["code"] == "echo"]
    assert found == ([] if member is None else [f"/data/{name}/0/{member}"])


@pytest.mark.parametrize(
    ("status", "again"),
    [(299, "placed-again"), (300, ""), (399, ""), (400, "placed-again"), (406, "placed-again"), (407, ""), (408, "placed-again")],
)  # fmt: skip
def test_redirections_alone_come_before_the_write(scribe: Scribe, found: Any, status: int, again: str) -> None:
    order(scribe)["response"]["status"] = status
    order(scribe, at=60)
    assert [code for place, code in found() if place == "line 2"] == [again] * bool(again)


@pytest.mark.parametrize("app", [["app_1"], {"a": 1}, 7])
def test_an_app_that_is_no_text_names_nobody(scribe: Scribe, found: Any, app: Any) -> None:
    order(scribe, app=app)
    order(scribe, at=60)
    assert found() == [("line 1", "type"), ("line 2", "placed-again")]  # the only merchant there is


@pytest.mark.parametrize("times", [0, 2])
def test_a_missing_or_double_number_is_none(scribe: Scribe, found: Any, times: int) -> None:
    for at in (0.0, 60.0):
        bank(scribe, "snap.status", at, "03", number="17")
        headers = scribe.records[-1]["request"]["headers"]
        scribe.records[-1]["request"]["headers"] = [
            pair for pair in headers for _ in range(times if pair[0] == "X-EXTERNAL-ID" else 1)
        ]
    assert {code for _, code in found()} == {"duplicate" if times else "required"}


def test_what_stands_in_two_har_files_is_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sample = Path(__file__).parents[3] / "docs" / "samples" / "shop.har"
    (tmp_path / "again.har").write_bytes(sample.read_bytes())
    _, out, _ = run(sample, capsys, str(tmp_path / "again.har"), "--format", "json")
    *lines, summary = map(json.loads, out.splitlines())
    assert summary["copies"] > 0
    assert not {"placed-again", "key-reused"} & {line["code"] for line in lines if line["type"] == "finding"}


@pytest.mark.parametrize("first", ["notification", "inquiry"])
def test_who_told_otherwise(scribe: Scribe, tmp_path: Path, capsys: pytest.CaptureFixture[str], first: str) -> None:
    told = {"outTradeNo": "W1", "transactionAmount": "50.00", "transactionCurrency": "EUR"}
    for at, state in ((0, "SUCCESS"), (60, "FAILED")):
        if (first == "notification") == (at == 0):
            data = {**told, "status": state}
            said = (START + timedelta(seconds=at)).isoformat(timespec="milliseconds")
            scribe.notify({"notifyType": "WITHDRAW", "appId": "app_1", "notifyTime": said, "data": data}, at=at)
        else:
            scribe.call("withdrawals.query", {"outTradeNo": "W1"}, {**told, "status": state}, at=at)
    (line,) = [line for line in scribe.audit(tmp_path, capsys)[:-1] if line["code"] != "signature-unverifiable"]
    assert line["code"] == "notification-disagrees"
    who = "a notification" if first == "notification" else "an inquiry"
    assert line["message"] == f"the state is not the final one that {who} reported"


def test_a_call_that_was_not_the_merchants_uses_no_number_up(scribe: Scribe, found: Any) -> None:
    bank(scribe, "snap.status", 0.0, "03", number="17", answer=None)
    raw = b64decode(scribe.records[0]["request"]["body"]["base64"])
    scribe.records[0]["request"]["headers"][-1][1] = scribe.merchant.sign(raw + b"?")
    bank(scribe, "snap.status", 60.0, "03", number="17")
    assert found() == [("line 1", "signature-invalid")]
    bank(scribe, "snap.status", 120.0, "03", number="17")
    assert found() == [("line 1", "signature-invalid"), ("line 3", "external-id-reused")]


def test_a_key_that_is_the_gateways_id_of_another_refund_is_a_key(scribe: Scribe, found: Any) -> None:
    order(scribe)
    refund(scribe, "R1", 4, at=20, told={"refundTradeNo": "R2"})
    refund(scribe, "R2", 5, at=40, told={"refundTradeNo": "RT9"})
    assert found() == []


@pytest.mark.parametrize("told", [False, True])
def test_a_state_names_its_rule(scribe: Scribe, tmp_path: Path, capsys: pytest.CaptureFixture[str], told: bool) -> None:
    operation = CONTRACT.operation("notifications.receive" if told else "orders.query")
    for at, state in ((0, "SETTLED"), (60, "REJECTED")):
        if told:
            body = CONTRACT.example("notifications.receive.notification")
            body["notifyTime"] = (START + timedelta(seconds=at)).isoformat(timespec="milliseconds")
            body["data"] |= {"status": state}
            scribe.notify(body, at=at)
        else:
            ask(scribe, at=at, status="SUCCESS" if at == 0 else "PENDING")
    (line,) = [line for line in scribe.audit(tmp_path, capsys)[:-1] if line["code"] == "state-moved-back"]
    struct = CONTRACT.struct(operation.request if told else operation.response)
    assert line["contract"] == CONTRACT.place(struct.name)
    assert (line["part"], line["pointer"]) == (operation.roles[not told], "/data")
    assert f"after {'SETTLED' if told else 'SUCCESS'}, which means that money moved" in line["message"]


# 12


def test_an_older_state_with_a_later_time_is_found(scribe: Scribe, found: Any) -> None:
    for at, status, time in (
        (0, "SETTLED", "12:00:00"),
        (60, "TO_BE_PROVED", "11:59:00"),
        (120, "TO_BE_PROVED", "12:01:00"),
    ):
        body = CONTRACT.example("notifications.receive.notification")
        body |= {"notifyTime": f"2025-06-01T{time}.000Z"}
        body["data"] |= {"requestNo": "N1", "status": status}
        scribe.notify(body, at=at)
    assert found() == [("line 3", "state-moved-back")]


def test_another_signature_algorithm_is_a_warning(scribe: Scribe, found: Any) -> None:
    record = order(scribe)
    asked = json.loads(b64decode(record["request"]["body"]["base64"]))
    _rewrite(scribe, record, asked | {"keyVersion": "2"})
    bank(scribe, "snap.status", 60, "03", data={"additionalInfo": {"version": "1.4", "keyVersion": "2"}})
    assert found() == [("line 1", "other-key-version"), ("line 2", "other-key-version")]


def test_a_bank_style_answer_without_a_signature_is_a_warning_and_proves_nothing(scribe: Scribe, found: Any) -> None:
    bank(scribe, "snap.status", 0, "00")
    bank(scribe, "snap.status", 60, "03")
    scribe.records[0]["response"]["headers"].pop()
    assert found() == [("line 1", "unsigned-answer")]


# 13


def test_the_first_line(scribe: Scribe, keys: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    order(scribe)
    ask(scribe, at=30)
    file = tmp_path / "log.jsonl"
    file.write_bytes(scribe.bytes())
    code, out, _ = run(file, capsys, *scribe.options())
    assert (code, out.splitlines()[0]) == (
        0,
        "judged: 4 of 4 bodies, 4 of 4 signatures, 2 of 2 exchanges by their time",
    )
    code, out, _ = run(file, capsys)
    first = "judged: 4 of 4 bodies, 0 of 4 signatures, 2 of 2 exchanges by their time. NOT PROVEN: signatures: none of them could be"
    assert (code, out.splitlines()[0].startswith(first)) == (4, True)
    assert "nothing proven" in out
    swapped = ["--merchant-key", scribe.options()[3], "--gateway-key", scribe.options()[1]]
    code, out, _ = run(file, capsys, *swapped)
    assert (code, "the keys of the two sides look swapped" in out.splitlines()[0]) == (1, True)
    for record in scribe.records:
        record["at"] = "yesterday"
    file.write_bytes(scribe.bytes())
    code, out, _ = run(file, capsys, *scribe.options())  # what was signed has a time
    assert (code, out.splitlines()[0]) == (
        0,
        "judged: 4 of 4 bodies, 4 of 4 signatures, 2 of 2 exchanges by their time. not understood: the time of 2",
    )
    for record in scribe.records:
        record["request"]["body"] = None
    file.write_bytes(scribe.bytes())
    code, out, _ = run(file, capsys, *scribe.options())
    assert (code, "times: they have no time" in out.splitlines()[0]) == (4, True)
    assert run(file, capsys, *scribe.options(), "--require", "bodies,signatures")[0] == 0


def test_a_har_without_bodies_proves_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    url = f"https://gw.example{CONTRACT.operation('orders.query').path}"
    headers = [{"name": "Content-Type", "value": "application/json"}, {"name": "sign", "value": "A" * 342 + "=="}]
    message = {"headers": headers}
    entry = {"startedDateTime": "2025-06-01T12:00:00Z", "time": 5, "request": {"method": "POST", "url": url, **message}}
    entry["response"] = {"status": 200, **message}
    file = tmp_path / "page.har"
    file.write_text(json.dumps({"log": {"entries": [entry]}}))
    code, out, _ = run(file, capsys)
    assert code == 4
    assert "bodies: the capture has none as it was sent" in out.splitlines()[0]


@pytest.mark.parametrize("given", ["nothing", "none,bodies", "bodies,x"])
def test_what_is_required_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str], given: str) -> None:
    with pytest.raises(SystemExit, match="2"):
        run(tmp_path / "x", capsys, "--require", given)


def test_unverified_places_are_counted(scribe: Scribe, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    order(scribe)
    record = ask(scribe, at=30)
    record["response"]["body"] = {"parsed": json.loads(b64decode(record["response"]["body"]["base64"]))}
    *lines, _ = scribe.audit(tmp_path, capsys)
    assert [(line["type"], line["place"], line["part"], line["code"]) for line in lines] == [
        ("note", "line 2", "response", "capture-changed")
    ]


def test_a_bound_key_is_of_its_merchant(scribe: Scribe, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    merchant, gateway = scribe.options()[1], scribe.options()[3]
    order(scribe, "O1", app="app_1")
    order(scribe, "O2", at=60, app="app_2")
    file = tmp_path / "log.jsonl"
    file.write_bytes(scribe.bytes())

    def states(*options: str) -> dict[str, int]:
        main(["audit", str(file), "--format", "json", *options])
        found: dict[str, int] = json.loads(capsys.readouterr().out.splitlines()[-1])["signatures"]
        return {name: number for name, number in found.items() if number}

    assert states("--merchant-key", f"app_1={merchant}", "--gateway-key", gateway) == {"valid": 3, "unverifiable": 1}
    assert states("--merchant-key", f"app_2={gateway}", "--merchant-key", merchant, "--gateway-key", gateway) == {
        "valid": 3, "unverifiable": 1  # the gateway accepted it
    }  # fmt: skip
    assert states("--merchant-key", merchant, "--gateway-key", f"app_1={gateway}") == {"valid": 3, "unverifiable": 1}
    odd = tmp_path / "a=b.pub"
    odd.write_bytes(Path(merchant).read_bytes())
    assert states("--merchant-key", str(odd), "--gateway-key", gateway) == {"valid": 4}


# 14


def test_every_unreadable_place_is_named(scribe: Scribe, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    order(scribe)
    file, report = tmp_path / "log.jsonl", tmp_path / "report.json"
    file.write_bytes(scribe.bytes() + b"broken\n" * 300)
    code, out, _ = run(file, capsys, "--write", str(report), *scribe.options())
    document = json.loads(report.read_text())
    assert (code, [one["place"] for one in document["unreadable"]]) == (
        3,
        [f"line {number}" for number in range(2, 302)],
    )
    assert "... and 280 more unreadable places" in out


def _many(scribe: Scribe) -> bytes:
    record, random = ask(scribe), Random(1)
    lines = ({**record, "source": random.randbytes(100).hex()} for _ in range(4000))
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["gzip", "zstd"])
def test_a_cut_gzip_is_read(scribe: Scribe, tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: str) -> None:
    raw = _many(scribe)
    if kind == "gzip":
        packed = gzip.compress(raw)
    else:
        packed = pytest.importorskip("zstandard").ZstdCompressor().compress(raw)
    file = tmp_path / "log"
    file.write_bytes(packed[: len(packed) // 2])
    code, out, _ = run(file, capsys, "--format", "json", *scribe.options())
    *_, unread, last = map(json.loads, out.splitlines())
    assert (code, unread["message"]) == (3, f"its {kind} is cut off: everything before the cut was read")
    assert 0 < last["exchanges"] < 4000
    file.write_bytes(packed + packed)  # as files are that were put together
    code, out, _ = run(file, capsys, "--format", "json", *scribe.options())
    assert (code, json.loads(out.splitlines()[-1])["exchanges"]) == (0, 8000)
    file.write_bytes(packed[:-9] + b"damaged!!")
    assert run(file, capsys, *scribe.options())[0] == 3


def test_a_byte_order_mark_costs_no_record(scribe: Scribe, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    order(scribe)
    ask(scribe, at=30)
    file = tmp_path / "log.jsonl"
    file.write_bytes(b"\xef\xbb\xbf" + scribe.bytes())
    code, out, _ = run(file, capsys, "--format", "json", *scribe.options())
    assert (code, json.loads(out.splitlines()[-1])["exchanges"]) == (0, 2)


@pytest.mark.slow
def test_a_full_disk_is_said_and_is_no_fault_of_ours(
    scribe: Scribe, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Small(sqlite3.Connection):
        """A database that may have so many pages, which is what a full disk is to it."""

        def execute(self, *given: Any) -> sqlite3.Cursor:
            if given[0].startswith("CREATE TABLE findings"):
                super().execute("PRAGMA max_page_count = 3")
            return super().execute(*given)

    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda *given, **more: connect(*given, **more, factory=Small))
    for number in range(300):
        order(scribe, f"O{number}", at=number)
    file = tmp_path / "log.jsonl"
    file.write_bytes(scribe.bytes())
    code, out, err = run(file, capsys, *scribe.options())
    assert (code, out) == (3, "")
    assert "could not be written" in err
    assert "TMPDIR" in err


@pytest.mark.slow
def test_there_may_be_many_files(scribe: Scribe, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    order(scribe)
    refund(scribe, "R1", 11, at=60)
    file = tmp_path / "log.jsonl"
    file.write_bytes(scribe.bytes())
    empty = tmp_path / "other.har"
    empty.write_text('{"log":{"entries":[]}}')
    code = main(["audit", *[str(empty)] * 33_000, str(file), *scribe.options(), "--format", "json"])
    lines = list(map(json.loads, capsys.readouterr().out.splitlines()))
    assert (code, [(line["file"], line["code"]) for line in lines[:-1]]) == (1, [(str(file), "refund-exceeds-paid")])


@pytest.mark.parametrize("option", ["--write", "--write-baseline"])
def test_what_cannot_be_written_is_said_before_anything_is_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, option: str
) -> None:
    monkeypatch.setattr(jobs, "audit", None)
    code, _, err = run(tmp_path / "absent", capsys, option, str(tmp_path / "no" / "such" / "report.json"))
    assert (code, "No such file" in err) == (2, True)
    report = tmp_path / "report.json"
    report.write_text("as it was")
    (tmp_path / "folder.json").mkdir()
    assert run(tmp_path / "absent", capsys, "--write", str(report), "--write", str(tmp_path / "folder.json"))[0] == 2
    assert report.read_text() == "as it was"


# 15


def test_an_unused_suppression_is_told(scribe: Scribe, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = tmp_path / "audit.toml"
    config.write_text(
        '[[suppress]]\nrule = "format"\noperation = "orders.query"\nreason = "once"\nuntil = 2026-12-31\n'
    )
    order(scribe)
    last = scribe.audit(tmp_path, capsys, "--config", str(config), "--today", "2026-01-01")[-1]
    assert [(group["id"], group["severity"]) for group in last["groups"]] == [
        ("- configuration format orders.query suppression-unused", "note")
    ]


def test_a_baseline_has_counts(scribe: Scribe, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, base = tmp_path / "log.jsonl", tmp_path / "baseline.json"
    order(scribe, "O0", data={"userId": "u"})  # a signature that holds: the key is the right one
    for number in range(3):
        order(scribe, f"O{number + 1}", at=number + 1, signed=False, data={"userId": f"u{number}"})
    file.write_bytes(scribe.bytes())
    assert run(file, capsys, "--write-baseline", str(base), *scribe.options())[0] == 1
    assert run(file, capsys, "--baseline", str(base), *scribe.options())[0] == 0
    order(scribe, "O4", at=9, signed=False, data={"userId": "u4"})
    file.write_bytes(scribe.bytes())
    code, out, _ = run(file, capsys, "--baseline", str(base), "--format", "json", *scribe.options())
    *lines, last = map(json.loads, out.splitlines())
    assert (code, last["known"], last["failing"], {line["new"] for line in lines}) == (1, 3, 1, {True})
    scribe.records = scribe.records[:3]
    file.write_bytes(scribe.bytes())
    assert run(file, capsys, "--baseline", str(base), *scribe.options())[0] == 0


@pytest.mark.parametrize(
    "name",
    [CARD, "4444/3333/2222/1111", "4444_3333_2222_1111", "4444 - 3333 - 2222 - 1111", "4.4.4.4~3333~2222~1111", "\u0664" + CARD[1:]],
)  # fmt: skip
def test_no_card_is_printed(scribe: Scribe, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    order(scribe, told={name: "x"})
    file = tmp_path / "log.jsonl"
    file.write_bytes(scribe.bytes())
    for options in (["--format", "json"], ["--reveal"]):
        _, out, _ = run(file, capsys, *options, *scribe.options())
        assert "****" in out
        assert "3333" not in out
    assert plain(name) == "****"


# 16


def test_the_terminal_sums_up_by_rule(scribe: Scribe, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for number in range(60):
        order(scribe, f"O{number}", at=number, data={"currency": "US", "country": "singapore", "subject": None})
    file = tmp_path / "log.jsonl"
    file.write_bytes(scribe.bytes())
    code, out, _ = run(file, capsys, *scribe.options())
    lines = out.splitlines()
    assert code == 1
    shown = [line.split(": ")[3] for line in lines if line.startswith(str(file))]
    assert Counter(shown) == {"format by the merchant": 20, "required by the merchant": 10, "max by the merchant": 10}
    assert "... and 200 more: --format json, or --write with .html, .json or .sarif, shows them" in lines
    assert lines[lines.index("by rule:") + 1 :][:2] == [
        "     120 error   format   by the merchant", "         Write it in the format of the contract."
    ]  # fmt: skip


@pytest.mark.parametrize("days", [(200, 150), (150, 200)])
def test_a_transaction_is_as_old_as_the_gateway_says(scribe: Scribe, found: Any, days: tuple[int, int]) -> None:
    for number, ago in enumerate(days):
        record = ask(scribe, at=20.0 * number, status="SUCCESS")
        told = json.loads(b64decode(record["response"]["body"]["base64"]))
        told["data"]["transactionUtcTime"] = (START - timedelta(days=ago)).isoformat(timespec="milliseconds")
        _rewrite(scribe, record, json.loads(b64decode(record["request"]["body"]["base64"])), told)
    refund(scribe, "R1", 1, at=60)
    assert found() == [("line 3", "refund-too-late")]


def test_a_refund_of_nothing_is_not_less_than_nothing(scribe: Scribe, found: Any) -> None:
    order(scribe)
    refund(scribe, "R1", 0, at=60)
    assert found() == []


def test_a_state_beside_a_code_that_is_no_success_says_nothing(scribe: Scribe, found: Any) -> None:
    order(scribe)
    refund(scribe, "R1", 10, at=20)
    record = refund(scribe, "R1", 10, at=40)
    told = json.loads(b64decode(record["response"]["body"]["base64"])) | {"code": "SYSTEM_ERROR"}
    told["data"]["status"] = "REFUND_FAILED"
    _rewrite(scribe, record, json.loads(b64decode(record["request"]["body"]["base64"])), told)
    refund(scribe, "R2", 10, at=60)
    assert [one for one in found() if one[1].startswith("refund")] == [("line 4", "refund-exceeds-paid")]


def test_a_finding_has_the_key_as_the_first_write_spelled_it(
    scribe: Scribe, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    order(scribe, "Ord_1")
    order(scribe, "ORD_1", at=60)
    ask(scribe, "ord_1", at=120, status="SUCCESS")
    ask(scribe, "ord_1", at=180)
    file = tmp_path / "findings.jsonl"
    scribe.audit(tmp_path, capsys, "--write", str(file))
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    assert {(row["code"], row["key"]) for row in rows} == {("key-reused", "Ord_1"), ("state-moved-back", "Ord_1")}


@pytest.mark.parametrize("call", [True, False])
def test_exchanges_of_another_kind_than_their_record_says_accuse_nobody(
    scribe: Scribe, tmp_path: Path, capsys: pytest.CaptureFixture[str], call: bool
) -> None:
    if call:
        order(scribe)["kind"] = "notify"
    else:
        scribe.notify(CONTRACT.example("notifications.receive.notification"))["kind"] = "call"
    *lines, last = scribe.audit(tmp_path, capsys)
    assert [line for line in lines if line["type"] == "finding"] == []
    assert last["judged"]["odd"] == {"kind (call or notify)": 1}
    assert last["signatures"]["valid"] == 2 * call


def test_an_answer_of_an_unknown_operation_is_no_body_that_the_capture_lost(
    scribe: Scribe, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    order(scribe)["request"]["body"] = None
    last = scribe.audit(tmp_path, capsys)[-1]
    assert (last["judged"]["bodies"], last["signatures"]["valid"]) == ([0, 1], 1)
