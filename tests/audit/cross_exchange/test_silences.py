"""Faults that were passed over once, and audits that were green where nothing was proven."""

from __future__ import annotations

import gzip
import json
import sqlite3
from collections import Counter
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest

from paywright.contract import CONTRACT
from paywright_audit.cross_exchange.history import row_store
from paywright_audit.judging.finding_text import plain
from paywright_audit.running import jobs
from paywright_cli.main import main
from tests.audit.helpers.records import START, Scribe, as_body, bytes_of, content

CARD = "4444333322221111"
Told = list[tuple[str, str]]


# 11


def test_a_notification_whose_body_is_not_strict_json_is_found(scribe: Scribe, found: Any) -> None:
    record = scribe.notify({})
    raw = b'{"notifyType":"RECEIVE","notifyType":"RECEIVE","data":NaN}'
    scribe.resign(record["request"], raw, scribe.gateway)
    assert found() == [("line 1", "json")]


def test_existence_without_a_listed_state_ends_the_permission(scribe: Scribe, found: Any) -> None:
    scribe.order(answered=False)
    scribe.absent(20)
    scribe.absent(330)
    record = scribe.ask(at=340)
    told = content(record["response"])
    del told["data"]["status"]
    scribe.rewrite(record, told=told)
    scribe.order(at=400)
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
    scribe.order()
    answer = {"outTradeNo": "O1", "status": "SUCCESS", "trade": shown}
    scribe.call("orders.query", {"outTradeNo": "O1"}, answer, at=60)
    if told:
        data = {"outTradeNo": "O1", "status": "SUCCESS", "totalAmount": told, "currency": "USD"}
        scribe.told("PAYMENT", data, at=80)
    assert [one for one in found() if one[1] in ("amount-not-asked", "notification-disagrees")] == due


def test_a_withdrawal_is_told_and_inquired_with_one_amount(scribe: Scribe, found: Any) -> None:
    data = {"outTradeNo": "W1", "status": "PROCESSING", "transactionAmount": "50.00", "transactionCurrency": "EUR"}
    scribe.told("WITHDRAW", data)
    told = {"outTradeNo": "W1", "transactionAmount": "5.00", "status": "PROCESSING"}
    scribe.call("withdrawals.query", {"outTradeNo": "W1"}, told, at=60)
    assert found() == [("line 2", "notification-disagrees")]


def test_a_bill_is_answered_for_its_own_reference(scribe: Scribe, found: Any) -> None:
    record = scribe.notify(CONTRACT.example("merchant.validate_bill_payment.request"))
    answer = CONTRACT.example("merchant.validate_bill_payment.response")
    record["response"]["body"] = as_body(json.dumps(answer).encode())
    assert found() == []
    answer["data"]["referenceNo"] = "BILL0002"
    record["response"]["body"] = as_body(json.dumps(answer).encode())
    assert found() == [("line 1", "echo")]


@pytest.mark.parametrize(("status", "code"), [("SUCCESS", "refund-exceeds-paid"), ("FAILED", "refund-not-paid")])
def test_a_period_is_refunded_for_what_was_paid(scribe: Scribe, found: Any, status: str, code: str) -> None:
    body = CONTRACT.example("notifications.subscription_payment.notification") | {"appId": "app_1"}
    detail = body["data"]["subscriptionPaymentDetail"]
    detail |= {"paymentStatus": status, "payAmount": {"amount": 9.5, "currency": "USD"}}
    detail["lastPaymentInfo"] |= {"tradeToken": "PT1"}
    scribe.notify(body)
    scribe.refund("R1", 9.51, at=60, data={"outTradeNo": None, "tradeToken": "PT1"})
    assert found() == [("line 2", code)]


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
    scribe: Scribe, lines: Any, codes: list[str], users: list[object]
) -> None:
    example = CONTRACT.example("payment_tokens.list.response")["data"]["tokenList"][0]
    without = {name: value for name, value in example.items() if name != "userId"}
    told = [without if user is None else {**example, "userId": user} for user in users]
    scribe.call("payment_tokens.list", {"userId": "u1"}, {"tokenList": told})
    found = [line for line in lines("--values", "--evidence", "1000")[:-1] if line["code"] in ("echo", "more")]
    assert sorted(f"{line['pointer']} {line['code']}" for line in found) == sorted(codes)
    # Whose they are is a person's matter.
    assert all(line.get("value") == "****" for line in found if line["code"] == "echo")


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
    scribe: Scribe, lines: Any, operation: str, change: dict[str, str], member: str | None
) -> None:
    asked, answered = (CONTRACT.example(f"{operation}.{role}")["data"] for role in ("request", "response"))
    ((name, (element,)),) = answered.items()
    scribe.call(operation, asked, {name: [{**element, **change}]})
    found = [line["pointer"] for line in lines()[:-1] if line["code"] == "echo"]
    assert found == ([] if member is None else [f"/data/{name}/0/{member}"])


@pytest.mark.parametrize(
    ("status", "again"),
    [(299, "placed-again"), (300, ""), (399, ""), (400, "placed-again"), (406, "placed-again"), (407, ""), (408, "placed-again")],
)  # fmt: skip
def test_redirections_alone_come_before_the_write(scribe: Scribe, found: Any, status: int, again: str) -> None:
    scribe.order()["response"]["status"] = status
    scribe.order(at=60)
    assert [code for place, code in found() if place == "line 2"] == [again] * bool(again)


@pytest.mark.parametrize("app", [["app_1"], {"a": 1}, 7])
def test_an_app_that_is_no_text_names_nobody(scribe: Scribe, found: Any, app: Any) -> None:
    scribe.order(app=app)
    scribe.order(at=60)
    assert found() == [("line 1", "type"), ("line 2", "placed-again")]  # the only merchant there is


@pytest.mark.parametrize("times", [0, 2])
def test_a_missing_or_double_number_is_none(scribe: Scribe, found: Any, times: int) -> None:
    for at in (0.0, 60.0):
        scribe.bank("snap.status", at, "03", number="17")
        headers = scribe.records[-1]["request"]["headers"]
        scribe.records[-1]["request"]["headers"] = [
            pair for pair in headers for _ in range(times if pair[0] == "X-EXTERNAL-ID" else 1)
        ]
    assert {code for _, code in found()} == {"duplicate" if times else "required"}


def test_what_stands_in_two_har_files_is_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sample = Path(__file__).parents[3] / "docs" / "samples" / "shop.har"
    (tmp_path / "again.har").write_bytes(sample.read_bytes())
    main(["audit", str(sample), str(tmp_path / "again.har"), "--format", "json"])
    *lines, summary = map(json.loads, capsys.readouterr().out.splitlines())
    assert summary["copies"] > 0
    assert not {"placed-again", "key-reused"} & {line["code"] for line in lines if line["type"] == "finding"}


@pytest.mark.parametrize("first", ["notification", "inquiry"])
def test_who_told_otherwise(scribe: Scribe, lines: Any, first: str) -> None:
    told = {"outTradeNo": "W1", "transactionAmount": "50.00", "transactionCurrency": "EUR"}
    for at, state in ((0, "SUCCESS"), (60, "FAILED")):
        if (first == "notification") == (at == 0):
            data = {**told, "status": state}
            said = (START + timedelta(seconds=at)).isoformat(timespec="milliseconds")
            scribe.notify({"notifyType": "WITHDRAW", "appId": "app_1", "notifyTime": said, "data": data}, at=at)
        else:
            scribe.call("withdrawals.query", {"outTradeNo": "W1"}, {**told, "status": state}, at=at)
    (line,) = [line for line in lines()[:-1] if line["code"] != "signature-unverifiable"]
    assert line["code"] == "notification-disagrees"
    who = "a notification" if first == "notification" else "an inquiry"
    assert line["message"] == f"the state is not the final one that {who} reported"


def test_a_call_that_was_not_the_merchants_uses_no_number_up(scribe: Scribe, found: Any) -> None:
    scribe.bank("snap.status", 0.0, "03", number="17", answer=None)
    raw = bytes_of(scribe.records[0]["request"])
    scribe.records[0]["request"]["headers"][-1][1] = scribe.merchant.sign(raw + b"?")
    scribe.bank("snap.status", 60.0, "03", number="17")
    assert found() == [("line 1", "signature-invalid")]
    scribe.bank("snap.status", 120.0, "03", number="17")
    assert found() == [("line 1", "signature-invalid"), ("line 3", "external-id-reused")]


@pytest.mark.parametrize("told", [False, True])
def test_a_state_names_its_rule(scribe: Scribe, lines: Any, told: bool) -> None:
    operation = CONTRACT.operation("notifications.receive" if told else "orders.query")
    for at, state in ((0, "SETTLED"), (60, "REJECTED")):
        if told:
            body = CONTRACT.example("notifications.receive.notification")
            body["notifyTime"] = (START + timedelta(seconds=at)).isoformat(timespec="milliseconds")
            body["data"] |= {"status": state}
            scribe.notify(body, at=at)
        else:
            scribe.ask(at=at, status="SUCCESS" if at == 0 else "PENDING")
    (line,) = [line for line in lines()[:-1] if line["code"] == "state-moved-back"]
    struct = CONTRACT.struct(operation.request if told else operation.response)
    assert line["contract"] == CONTRACT.place(struct.name)
    assert (line["part"], line["pointer"]) == (operation.roles[not told], "/data")
    assert f"after {'SETTLED' if told else 'SUCCESS'}, which means that money moved" in line["message"]


# 12


def test_another_signature_algorithm_is_a_warning(scribe: Scribe, found: Any) -> None:
    record = scribe.order()
    asked = content(record["request"])
    scribe.rewrite(record, asked | {"keyVersion": "2"})
    scribe.bank("snap.status", 60, "03", data={"additionalInfo": {"version": "1.4", "keyVersion": "2"}})
    assert found() == [("line 1", "other-key-version"), ("line 2", "other-key-version")]


def test_a_bank_style_answer_without_a_signature_is_a_warning_and_proves_nothing(scribe: Scribe, found: Any) -> None:
    scribe.bank("snap.status", 0, "00")
    scribe.bank("snap.status", 60, "03")
    scribe.records[0]["response"]["headers"].pop()
    assert found() == [("line 1", "unsigned-answer")]


# 13


def test_the_first_line(scribe: Scribe, run: Any) -> None:
    scribe.order()
    scribe.ask(at=30)
    code, out, _ = run()
    assert (code, out.splitlines()[0]) == (0, "judged: 4 of 4 bodies, 4 of 4 signatures, 2 of 2 exchanges by their time")  # fmt: skip
    code, out, _ = run(keys=[])
    first = "judged: 4 of 4 bodies, 0 of 4 signatures, 2 of 2 exchanges by their time. NOT PROVEN: signatures: none of them could be"
    assert (code, out.splitlines()[0].startswith(first)) == (4, True)
    assert "nothing proven" in out
    swapped = ["--merchant-key", scribe.options()[3], "--gateway-key", scribe.options()[1]]
    code, out, _ = run(keys=swapped)
    assert (code, "the keys of the two sides look swapped" in out.splitlines()[0]) == (1, True)
    for record in scribe.records:
        record["at"] = "yesterday"
    code, out, _ = run()  # what was signed has a time
    assert (code, out.splitlines()[0]) == (
        0,
        "judged: 4 of 4 bodies, 4 of 4 signatures, 2 of 2 exchanges by their time. not understood: the time of 2",
    )
    for record in scribe.records:
        record["request"]["body"] = None
    code, out, _ = run()
    assert (code, "times: they have no time" in out.splitlines()[0]) == (4, True)
    assert run("--require", "bodies,signatures")[0] == 0


def test_a_har_without_bodies_proves_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    url = f"https://gw.example{CONTRACT.operation('orders.query').path}"
    headers = [{"name": "Content-Type", "value": "application/json"}, {"name": "sign", "value": "A" * 342 + "=="}]
    message = {"headers": headers}
    entry = {"startedDateTime": "2025-06-01T12:00:00Z", "time": 5, "request": {"method": "POST", "url": url, **message}}
    entry["response"] = {"status": 200, **message}
    file = tmp_path / "page.har"
    file.write_text(json.dumps({"log": {"entries": [entry]}}))
    assert main(["audit", str(file)]) == 4
    assert "bodies: the capture has none as it was sent" in capsys.readouterr().out.splitlines()[0]


@pytest.mark.parametrize("given", ["nothing", "none,bodies", "bodies,x"])
def test_what_is_required_is_named(run: Any, given: str) -> None:
    with pytest.raises(SystemExit, match="2"):
        run("--require", given)


def test_unverified_places_are_counted(scribe: Scribe, lines: Any) -> None:
    scribe.order()
    record = scribe.ask(at=30)
    record["response"]["body"] = {"parsed": content(record["response"])}
    *told, _ = lines()
    assert [(line["type"], line["place"], line["part"], line["code"]) for line in told] == [
        ("note", "line 2", "response", "capture-changed")
    ]


def test_a_bound_key_is_of_its_merchant(scribe: Scribe, tmp_path: Path, run: Any, keys: Path) -> None:
    merchant, gateway = scribe.options()[1], scribe.options()[3]
    scribe.order("O1", app="app_1")
    scribe.order("O2", at=60, app="app_2")

    def states(*keys: str) -> dict[str, int]:
        found: dict[str, int] = json.loads(run("--format", "json", keys=list(keys))[1].splitlines()[-1])["signatures"]
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


def test_every_unreadable_place_is_named(scribe: Scribe, tmp_path: Path, run: Any) -> None:
    scribe.order()
    report = tmp_path / "report.json"
    code, out, _ = run("--write", str(report), raw=scribe.bytes() + b"broken\n" * 300)
    document = json.loads(report.read_text())
    assert (code, [one["place"] for one in document["unreadable"]]) == (3, [f"line {number}" for number in range(2, 302)])  # fmt: skip
    assert "... and 280 more unreadable places" in out


def _many(scribe: Scribe) -> bytes:
    record, random = scribe.ask(), Random(1)
    lines = ({**record, "source": random.randbytes(100).hex()} for _ in range(4000))
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["gzip", "zstd"])
def test_a_cut_gzip_is_read(scribe: Scribe, run: Any, kind: str) -> None:
    raw = _many(scribe)
    if kind == "gzip":
        packed = gzip.compress(raw)
    else:
        packed = pytest.importorskip("zstandard").ZstdCompressor().compress(raw)
    code, out, _ = run("--format", "json", raw=packed[: len(packed) // 2])
    *_, unread, last = map(json.loads, out.splitlines())
    assert (code, unread["message"]) == (3, f"its {kind} is cut off: everything before the cut was read")
    assert 0 < last["exchanges"] < 4000
    code, out, _ = run("--format", "json", raw=packed + packed)  # as files are that were put together
    assert (code, json.loads(out.splitlines()[-1])["exchanges"]) == (0, 8000)
    assert run(raw=packed[:-9] + b"damaged!!")[0] == 3


def test_a_byte_order_mark_costs_no_record(scribe: Scribe, run: Any) -> None:
    scribe.order()
    scribe.ask(at=30)
    code, out, _ = run("--format", "json", raw=b"\xef\xbb\xbf" + scribe.bytes())
    assert (code, json.loads(out.splitlines()[-1])["exchanges"]) == (0, 2)


@pytest.mark.slow
def test_a_full_disk_is_said_and_is_no_fault_of_ours(scribe: Scribe, run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    class Small(sqlite3.Connection):
        """A database that may have so many pages, which is what a full disk is to it."""

        def execute(self, *given: Any) -> sqlite3.Cursor:
            if given[0].startswith("CREATE TABLE findings"):
                super().execute("PRAGMA max_page_count = 9")
            return super().execute(*given)

    connect = sqlite3.connect
    monkeypatch.setattr(row_store, "_MOST", 100)  # rows in memory
    monkeypatch.setattr(sqlite3, "connect", lambda *given, **more: connect(*given, **more, factory=Small))
    for number in range(300):
        scribe.order(f"O{number}", at=number)
    code, out, err = run()
    assert (code, out) == (3, "")
    assert "could not be written" in err
    assert "TMPDIR" in err


@pytest.mark.slow
def test_there_may_be_many_files(scribe: Scribe, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scribe.order()
    scribe.refund("R1", 11, at=60)
    last, empty = tmp_path / "log.jsonl", tmp_path / "other.har"
    last.write_bytes(scribe.bytes())
    empty.write_text('{"log":{"entries":[]}}')
    code = main(["audit", *[str(empty)] * 33_000, str(last), *scribe.options(), "--format", "json"])
    *told, _ = map(json.loads, capsys.readouterr().out.splitlines())
    assert (code, [(line["file"], line["code"]) for line in told]) == (1, [(str(last), "refund-exceeds-paid")])


@pytest.mark.parametrize("option", ["--write", "--write-baseline"])
def test_what_cannot_be_written_is_said_before_anything_is_read(
    tmp_path: Path, run: Any, monkeypatch: pytest.MonkeyPatch, option: str
) -> None:
    monkeypatch.setattr(jobs, "tasks_of", None)
    code, _, err = run(option, str(tmp_path / "no" / "such" / "report.json"))
    assert (code, "No such file" in err) == (2, True)
    report = tmp_path / "report.json"
    report.write_text("as it was")
    (tmp_path / "folder.json").mkdir()
    assert run("--write", str(report), "--write", str(tmp_path / "folder.json"))[0] == 2
    assert report.read_text() == "as it was"


# 15


def test_a_baseline_has_counts(scribe: Scribe, tmp_path: Path, run: Any) -> None:
    base = tmp_path / "baseline.json"
    scribe.order("O0", data={"userId": "u"})  # a signature that holds: the key is the right one
    for number in range(3):
        scribe.order(f"O{number + 1}", at=number + 1, signed=False, data={"userId": f"u{number}"})
    assert run("--write-baseline", str(base))[0] == 1
    assert run("--baseline", str(base))[0] == 0
    scribe.order("O4", at=9, signed=False, data={"userId": "u4"})
    code, out, _ = run("--baseline", str(base), "--format", "json")
    *lines, last = map(json.loads, out.splitlines())
    assert (code, last["known"], last["failing"], {line["new"] for line in lines}) == (1, 3, 1, {True})
    scribe.records = scribe.records[:3]
    assert run("--baseline", str(base))[0] == 0


@pytest.mark.parametrize(
    "name",
    [CARD, "4444/3333/2222/1111", "4444_3333_2222_1111", "4444 - 3333 - 2222 - 1111", "4.4.4.4~3333~2222~1111", "\u0664" + CARD[1:]],
)  # fmt: skip
def test_no_card_is_printed(scribe: Scribe, run: Any, name: str) -> None:
    scribe.order(told={name: "x"})
    for options in (["--format", "json"], ["--reveal"]):
        _, out, _ = run(*options)
        assert "****" in out
        assert "3333" not in out
    assert plain(name) == "****"


# 16


def test_the_terminal_sums_up_by_rule(scribe: Scribe, tmp_path: Path, run: Any) -> None:
    for number in range(60):
        scribe.order(f"O{number}", at=number, data={"currency": "US", "country": "singapore", "subject": None})
    code, out, _ = run()
    lines = out.splitlines()
    assert code == 1
    shown = [line.split(": ")[3] for line in lines if line.startswith(str(tmp_path))]
    assert Counter(shown) == {"format by the merchant": 20, "required by the merchant": 10, "max by the merchant": 10}
    assert "... and 200 more: --format json, or --write with .json, shows them" in lines
    assert lines[lines.index("by rule:") + 1 :][:2] == [
        "     120 error   format   by the merchant", "         Write it in the format of the contract."
    ]  # fmt: skip


@pytest.mark.parametrize("days", [(200, 150), (150, 200)])
def test_a_transaction_is_as_old_as_the_gateway_says(scribe: Scribe, found: Any, days: tuple[int, int]) -> None:
    for number, ago in enumerate(days):
        record = scribe.ask(at=20.0 * number, status="SUCCESS")
        told = content(record["response"])
        told["data"]["transactionUtcTime"] = (START - timedelta(days=ago)).isoformat(timespec="milliseconds")
        scribe.rewrite(record, told=told)
    scribe.refund("R1", 1, at=60)
    assert found() == [("line 3", "refund-too-late")]


def test_a_state_beside_a_code_that_is_no_success_says_nothing(scribe: Scribe, found: Any) -> None:
    scribe.order()
    scribe.refund("R1", 10, at=20)
    record = scribe.refund("R1", 10, at=40)
    told = content(record["response"]) | {"code": "SYSTEM_ERROR"}
    told["data"]["status"] = "REFUND_FAILED"
    scribe.rewrite(record, told=told)
    scribe.refund("R2", 10, at=60)
    assert [one for one in found() if one[1].startswith("refund")] == [("line 4", "refund-exceeds-paid")]


def test_a_finding_has_the_key_as_the_first_write_spelled_it(scribe: Scribe, tmp_path: Path, lines: Any) -> None:
    scribe.order("Ord_1")
    scribe.order("ORD_1", at=60)
    scribe.ask("ord_1", at=120, status="SUCCESS")
    scribe.ask("ord_1", at=180)
    file = tmp_path / "findings.jsonl"
    lines("--write", str(file))
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    assert {(row["code"], row["key"]) for row in rows} == {("key-reused", "Ord_1"), ("state-moved-back", "Ord_1")}


@pytest.mark.parametrize("call", [True, False])
def test_exchanges_of_another_kind_than_their_record_says_accuse_nobody(scribe: Scribe, lines: Any, call: bool) -> None:
    if call:
        scribe.order()["kind"] = "notify"
    else:
        scribe.notify(CONTRACT.example("notifications.receive.notification"))["kind"] = "call"
    *told, last = lines()
    assert [line for line in told if line["type"] == "finding"] == []
    assert last["judged"]["odd"] == {"kind (call or notify)": 1}
    assert last["signatures"]["valid"] == 2 * call


def test_an_answer_of_an_unknown_operation_is_no_body_that_the_capture_lost(scribe: Scribe, lines: Any) -> None:
    scribe.order()["request"]["body"] = None
    last = lines()[-1]
    assert (last["judged"]["bodies"], last["judged"]["bodies_of"], last["signatures"]["valid"]) == (0, 1, 1)
