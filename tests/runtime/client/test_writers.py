"""JSON as real writers write it is read as the same: numbers, texts, what they leave out, and half a character.

`json_writers.json` has what each made of one answer (10.50, a text, and a time that is not known), of the amounts below, and of a text
that ends inside an emoji; None if it refuses to write that. Each was run with `by`, but for the one that says so. Bytes that are no
UTF-8 stand there as Python's `surrogateescape` has them.
"""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from paywright import Client, Event, FixedClock, RefundStatus, UnreadableAnswer
from paywright.models.notifications import Transfer
from paywright_receiver import MemoryLedger
from tests.receiver.helpers.desk import NOW, Desk, transfer
from tests.runtime.helpers.canned_gateway import Gateway, Reply

WRITERS: dict[str, dict[str, Any]] = {
    one["writer"]: one for one in json.loads(Path(__file__).with_name("json_writers.json").read_text(encoding="utf-8"))
}
TEXT = "退款 </a> 'x' 👍"
AMOUNTS = ("10.50", "100.00", "10000000.00", "0.10", "12345678901234.56", "1E+2")
LARGEST = b"1.7976931348623157E308"  # Double.MAX_VALUE, as Java writes it
CHANGED = {  # amounts whose digits the writer itself changes: what it writes is what is read
    "JSON::PP 4.07, number": {"12345678901234.56": "12345678901234.6"},
    "JSON::XS 4.04, number": {"12345678901234.56": "12345678901234.6"},
    "Newtonsoft.Json 6.0.8 on Mono 6.8, double": {"12345678901234.56": "12345678901234.561"},
    "cJSON 1.7.15": {"12345678901234.56": "12345678901234.561"},
    "jansson 2.14": {"0.10": "0.10000000000000001", "12345678901234.56": "12345678901234.561"},
    "lua-cjson 2.1.0, number": {"12345678901234.56": "12345678901235"},
}


FIRST = {token: writer for writer in reversed(WRITERS) for token in reversed(WRITERS[writer]["amounts"])}


def cases(writer: str) -> list[tuple[bytes, Decimal | None]]:
    """Each amount that nobody before writes so, and as it is read: None for a text with an exponent, which is no amount."""
    written = zip(AMOUNTS, WRITERS[writer]["amounts"], strict=True)
    return [
        (
            token.encode(),
            None if token[0] == '"' and "e" in token.lower() else Decimal(CHANGED.get(writer, {}).get(amount, amount)),
        )
        for amount, token in written
        if amount == AMOUNTS[0] or FIRST[token] == writer
    ]


def cut(writer: str) -> bytes:
    return (WRITERS[writer]["cut"] or '"no ?"').encode("utf-8", "surrogateescape")


def test_an_answer_is_read_whoever_wrote_it(client: Client, gateway: Gateway) -> None:
    for writer, written in WRITERS.items():
        first = cases(writer)[0][0]
        for token, amount in cases(writer):
            gateway.reply = Reply(
                b'{"code":"APPLY_SUCCESS","data":' + written["object"].encode().replace(first, token) + b"}"
            )
            if amount is None:
                with pytest.raises(UnreadableAnswer, match="/data/refundAmount: type"):
                    client.refunds.query(out_refund_no="REF_1")
                continue
            refund = client.refunds.query(out_refund_no="REF_1")
            read = (refund.refund_amount, refund.result_msg, refund.refund_finish_time, refund.status)
            assert read == (amount, TEXT, None, RefundStatus.REFUND_FAILED), writer
            wrong = {one.pointer for one in refund.answer.violations}
            assert wrong <= {"/data/refundFinishTime", "/data/refundAmount"}, writer


def test_a_transfer_is_delivered_whoever_wrote_it() -> None:
    desk, events = Desk(MemoryLedger(clock=FixedClock(NOW))), list[Event[Transfer]]()
    desk.receiver.on_receive(events.append)
    every = [(writer, *case) for writer in WRITERS for case in cases(writer)]
    for number, (writer, token, amount) in enumerate([*every, ("Gson 2.10, double", LARGEST, None)]):
        body = transfer(f"R{number}", completeTime=None, errorMsg="@cut", limit="@limit")
        body["data"]["paymentDetail"]["trade"]["amount"] = body["data"]["paymentDetail"]["settle"]["amount"] = "@amount"
        raw = json.dumps(body).encode().replace(b'"@amount"', token).replace(b'"@cut"', cut(writer))
        reply = desk.deliver(raw.replace(b'"@limit"', LARGEST))
        assert (reply.status, bool(events)) == (422 if amount is None else 200, amount is not None), writer
        if events:
            data = events.pop().data
            assert (data.request_no, data.complete_time) == (f"R{number}", None)
            assert (data.payment_detail.trade.amount, data.payment_detail.settle.amount) == (amount, amount)
            assert data.error_msg in ("no ?", "no \ufffd", "no \ufffd\ufffd"), writer


@pytest.mark.parametrize("half", [rb"\ud83d", b"\xf0\x9f"])
def test_a_cut_character_ends_in_its_replacement(client: Client, gateway: Gateway, half: bytes) -> None:
    members = b'"outRefundNo":"REF_1","status":"REFUND_FAILED","resultMsg":"no @","new":["@"]'.replace(b"@", half)
    gateway.reply = Reply(b'{"code":"APPLY_SUCCESS","msg":"' + half + b'","data":{' + members + b"}}")
    refund = client.refunds.query(out_refund_no="REF_1")
    assert (refund.result_msg, type(refund.result_msg), refund.answer.msg) == ("no \ufffd", str, "\ufffd")
    assert {(one.pointer, one.code) for one in refund.answer.violations} >= {
        ("/msg", "json"), ("/data/resultMsg", "json"), ("/data/new/0", "json"),
    }  # fmt: skip
