"""What a client in another language is told: words of its own fields, the policy that really decided, and what was let pass."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from paywright.contract import CONTRACT
from paywright_runtime import strict_json
from paywright_sandbox.engine.request_members import rule_in_words
from paywright_sandbox.engine.settings import BIZ_PATH
from tests.sandbox.helpers.desk import Desk, checkout_data
from tests.sandbox.resources.test_snap import Snap

RULES = sorted({rule.text for name in CONTRACT.structs() for rule in CONTRACT.struct(name).rules})

# Words


@pytest.mark.parametrize("text", RULES)
def test_a_rule_is_said_without_the_contracts_own_syntax(text: str) -> None:
    words = rule_in_words(text)
    assert words
    assert not set(words) & set("?{}!")
    assert "need " not in words
    assert "refuse " not in words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("need outTradeNo or tradeToken ?both-order-ids", "outTradeNo or tradeToken is required"),
        ("when ?pix-method, subject max 43", "subject has at most 43 characters"),
        ("when country in CA US GB, need state", "when country is CA, US or GB, state is required"),
        ("when prices is not empty, refuse periodRule", "when prices is not empty, periodRule must not be sent"),
        ("when a is given and ?open, need b{c d}", "when a is given, b needs c and d"),
    ],
)
def test_rules_in_words(text: str, words: str) -> None:
    assert rule_in_words(text) == words


def test_no_refusal_shows_a_place_in_the_contracts_files(desk: Desk) -> None:
    for data in ({}, {"outTradeNo": "", "integrate": "Hosted_Checkout", "totalAmount": "x", "currency": 5}):
        msg = desk.call("orders.checkout", data)["msg"]
        assert "spec/" not in msg
        assert ".yaml" not in msg


# bizType


def biz(desk: Desk, **body: Any) -> dict[str, Any]:
    raw = strict_json.write(body)
    reply = desk.engine.handle(
        "POST", BIZ_PATH, [("content-type", "application/json"), ("sign", desk.signer.sign(raw))], raw
    )
    desk.reply = reply
    return desk.judged(None, reply)


CASE = {"version": "1.0", "merchantNo": "MN0000000000001", "caseId": "CB_1"}
TOKEN = {"version": "2.6", "merchantId": "MI0000000000001", "userId": "user_1", "tokenScope": "tokenAcq"}


@pytest.mark.parametrize("named", ["caseSerch", "CASESEARCH", "", None, 7])
@pytest.mark.parametrize(("body", "member"), [(CASE, "code"), (TOKEN, "bizCode")])
def test_a_misspelled_biz_type_is_named(desk: Desk, body: dict[str, str], member: str, named: object) -> None:
    answer = biz(desk, **body, **({} if named is None else {"bizType": named}))
    words = str(answer.get("msg") or answer.get("message"))
    assert words.startswith("/bizType must be ")
    for name in ("caseSearch", "inquirePaymentToken"):
        assert name in words
    assert member in answer  # in the form that the rest of the request is of


def test_a_body_that_names_no_merchant_at_all_is_asked_for_its_biz_type_first(desk: Desk) -> None:
    assert "/bizType must be" in biz(desk, version="1.0")["msg"]


# The policy that decided


def test_the_header_names_the_policy_that_refused_in_every_form(desk: Desk) -> None:
    snap = Snap(desk)
    seen: list[tuple[str, str | None]] = []

    def told(answer: dict[str, Any]) -> None:
        found = next(str(answer[name]) for name in ("code", "bizCode", "responseCode") if name in answer)
        seen.append((found, desk.policy))

    told(snap.status("ORD_9"))
    told(snap.status("ORD_9", {"X-SIGNATURE": "AAAA"}))
    told(snap.status("ORD_9", {"sign": "AAAA"}))
    told(snap.status("ORD_9", serviceCode="545"))
    told(snap.status("ORD_9", {"X-TIMESTAMP": "2020-01-01T00:00:00.000+00:00"}))
    told(biz(desk, **TOKEN, bizType="inquirePaymentToken", paymentTokenID="PTK9"))
    told(biz(desk, **{**TOKEN, "merchantId": "MI9"}, bizType="inquirePaymentToken"))
    told(biz(desk, **{**TOKEN, "userId": "u" * 65}, bizType="inquirePaymentToken"))
    told(biz(desk, **CASE, bizType="caseSearch"))
    told(desk.call("orders.checkout", {}))
    told(desk.call("orders.query", {"outTradeNo": "ORD_9"}))
    assert [policy for _, policy in seen] == [
        "absent", "snap-signature", "signature-failed", "invalid-request", "snap-signature", "absent",
        "unknown-merchant", "invalid-request", "case-absent", "invalid-request", None,
    ]  # fmt: skip
    assert [code for code, _ in seen] == [
        "4045501", "4015500", "4015500", "4005501", "4015500", "4000", "4030", "4001", "CASE_NOT_EXIST", "PARAMS_INVALID",
        "ORDER_NOT_EXIST",  # the specification's own [4.3]
    ]  # fmt: skip


# Versions


@pytest.mark.parametrize("root", [{"version": "1.4"}, {"version": "9"}, {"keyVersion": "2"}])
def test_another_version_is_said_or_refused(open_desk: Callable[..., Desk], root: dict[str, str]) -> None:
    desk = open_desk()
    assert desk.call("orders.checkout", checkout_data("ORD_1"), **root)["code"] == "APPLY_SUCCESS"
    assert desk.policy == "request-version"
    assert desk.checkout("ORD_2")["code"] == "APPLY_SUCCESS"
    assert desk.policy is None
    strict = open_desk(request_version="known")
    answer = strict.call("orders.checkout", checkout_data("ORD_1"), **root)
    assert answer["code"] == "PARAMS_INVALID"
    assert answer["msg"].startswith(f"/{next(iter(root))} is not the version")
    assert strict.checkout("ORD_1")["code"] == "APPLY_SUCCESS"  # nothing was placed before


def test_the_version_is_found_where_each_form_has_it(open_desk: Callable[..., Desk]) -> None:
    desk = open_desk(request_version="known")
    for body, name in ((TOKEN, "inquirePaymentToken"), (CASE, "caseSearch")):
        answer = biz(desk, **{**body, "version": "9"}, bizType=name)
        assert "/version is not the version" in str(answer.get("msg") or answer.get("message"))
    desk.checkout("ORD_1")
    for found in ({"version": "1.3", "keyVersion": "1"}, {"version": "1.4", "keyVersion": "2"}):
        assert "is not the version" in Snap(desk).status("ORD_1", additionalInfo=found)["responseMessage"]
    assert Snap(desk).status("ORD_1")["responseCode"] == "2005500"


# Times

TRIMMED = ("2025-06-01T12:00:00Z", "2025-06-01T12:00:00.5+00:00", "2025-06-01T14:00:00+02:00")


@pytest.mark.parametrize("time", TRIMMED)
def test_other_forms_of_rfc_3339_are_taken_where_the_policy_says_so(open_desk: Callable[..., Desk], time: str) -> None:
    data, exact, desk = (checkout_data("ORD_1"), open_desk(), open_desk(request_time_format="rfc-3339", snap_signature="any"))  # fmt: skip
    assert exact.call("orders.checkout", data, requestTime=time)["code"] == "PARAMS_INVALID"
    assert desk.call("orders.checkout", data, requestTime=time)["code"] == "APPLY_SUCCESS"
    assert desk.policy == "request-time-format"
    for at, code in ((exact, "4005501"), (desk, "2005500")):
        assert Snap(at).status("ORD_1", {"X-TIMESTAMP": time})["responseCode"] == code
        assert str(at.policy).split(", ")[0] == "request-time-format"


def test_a_time_that_is_none_or_is_stale_is_refused_whatever_its_form(open_desk: Callable[..., Desk]) -> None:
    desk = open_desk(request_time_format="rfc-3339")
    for time, code in (
        ("yesterday", "PARAMS_INVALID"),
        ("2025-06-01T12:00:00", "PARAMS_INVALID"),  # no offset
        ("2025-06-01T14:00:00+0200", "PARAMS_INVALID"),
        ("2025-06-01T12:02:01Z", "REQ_TIME_OVER_TIME"),
    ):
        answer = desk.call("orders.checkout", checkout_data("ORD_1", Decimal(5)), requestTime=time)
        assert answer["code"] == code
