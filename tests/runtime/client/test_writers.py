"""What real JSON writers make of one answer is read as the same: numbers, texts, and what they leave out."""

from __future__ import annotations

from decimal import Decimal

import pytest

from paywright import Client, RefundStatus
from tests.runtime.helpers.canned_gateway import Gateway, Reply

TEXT = "退款 </a> 'x' 👍"
# The members as each writes them: an amount, a text, and a time that is not known.
WRITERS = {
    "Python json 3.11": rb'"refundAmount": 10.5, "resultMsg": "\u9000\u6b3e </a> \'x\' \ud83d\udc4d", "refundFinishTime": null',
    "node 20 JSON.stringify": '"refundAmount":10.5,"resultMsg":"退款 </a> \'x\' 👍"'.encode(),
    "Gson 2.11": '"refundAmount":10.50,"resultMsg":"退款 \\u003c/a\\u003e \\u0027x\\u0027 👍"'.encode(),
    "Jackson 2.17": '"refundAmount":10.50,"resultMsg":"退款 </a> \'x\' 👍","refundFinishTime":null'.encode(),
    "Jackson 2.17 JsonNode": '"refundAmount":1.05E+1,"resultMsg":"退款 </a> \'x\' 👍"'.encode(),
    "Fastjson 2.0": '"refundAmount":10.50,"resultMsg":"退款 </a> \'x\' 👍"'.encode(),
    "Go encoding/json 1.22": '"refundAmount":10.5,"resultMsg":"退款 \\u003c/a\\u003e \'x\' 👍","refundFinishTime":null'.encode(),
    "PHP 8.3 json_encode": rb'"refundAmount":10.5,"resultMsg":"\u9000\u6b3e <\/a> \'x\' \ud83d\udc4d","refundFinishTime":null',
    ".NET 8 System.Text.Json": (
        rb'"refundAmount":10.50,"resultMsg":"\u9000\u6B3E \u003C/a\u003E \u0027x\u0027 \uD83D\uDC4D","refundFinishTime":null'
    ),
    "Newtonsoft.Json 13": '"refundAmount":10.50,"resultMsg":"退款 </a> \'x\' 👍","refundFinishTime":null'.encode(),
    "Rust serde_json 1.0": '"refundAmount":10.5,"resultMsg":"退款 </a> \'x\' 👍","refundFinishTime":null'.encode(),
    "Perl JSON::PP 4.16": '"refundAmount" : "10.5",\n"resultMsg" : "退款 </a> \'x\' 👍",\n"refundFinishTime" : ""'.encode(),
}


@pytest.mark.parametrize("writer", WRITERS)
def test_an_answer_is_read_whoever_wrote_it(client: Client, gateway: Gateway, writer: str) -> None:
    members = WRITERS[writer].replace(rb"\'", b"'")
    gateway.reply = Reply(
        b'{"code":"APPLY_SUCCESS","data":{"outRefundNo":"REF_1","status":"REFUND_FAILED","refundCurrency":"USD",'
        + members
        + b"}}"
    )
    refund = client.refunds.query(out_refund_no="REF_1")
    shown = (refund.refund_amount, refund.result_msg, refund.refund_finish_time, refund.status)
    assert shown == (Decimal("10.5"), TEXT, None, RefundStatus.REFUND_FAILED)
    assert {one.pointer for one in refund.answer.violations} <= {"/data/refundFinishTime", "/data/refundAmount"}


def test_a_text_that_was_cut_inside_a_character_ends_in_its_replacement(client: Client, gateway: Gateway) -> None:
    def shown(members: bytes) -> Reply:
        return Reply(
            b'{"code":"APPLY_SUCCESS","msg":"\\ud83d","data":{"outRefundNo":"REF_1","status":"REFUND_FAILED",'
            + members
            + b"}}"
        )

    gateway.reply = shown(b'"resultMsg":"no \\ud83d","new":["\\udc4d"]')
    refund = client.refunds.query(out_refund_no="REF_1")
    assert (refund.result_msg, type(refund.result_msg), refund.answer.msg) == ("no \ufffd", str, "\ufffd")
    assert {(one.pointer, one.code) for one in refund.answer.violations} >= {
        ("/msg", "json"), ("/data/resultMsg", "json"), ("/data/new/0", "json"),
    }  # fmt: skip
