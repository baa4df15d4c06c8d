"""Chargeback cases in the sandbox, in both forms [4.9, 4.10, 2.12]."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from tests.sandbox.helpers.desk import Desk


def search(desk: Desk, case: str, **root: Any) -> dict[str, Any]:
    return desk.call("cases.search", {"caseId": case}, **root)


def inquire(desk: Desk, case: str) -> dict[str, Any]:
    message = {"version": "1.0", "merchantNo": "MN0000000000001", "bizType": "caseSearch", "caseId": case}
    return desk.send("cases.inquire", message)


def opened(desk: Desk, **more: Any) -> dict[str, Any]:
    desk.paid("ORD_1", Decimal("10.00"))
    return desk.control("POST", "cases", {"outTradeNo": "ord_1", **more})


def test_a_case_says_what_is_disputed_and_until_when(desk: Desk) -> None:
    made = opened(desk, amount="4.00", batchId="B1")
    found = search(desk, made["caseId"], spMerchantNo="SP0000000000001")["data"]
    assert found == {name: value for name, value in made.items() if name not in ("httpStatus", "merchant")}
    assert (found["amount"], found["fee"], found["totalAmount"]) == ("4.00", "0.10", "4.10")
    assert (found["originTradeAmount"], found["currency"], found["outTradeNo"]) == ("10.00", "USD", "ORD_1")
    assert (found["retrievalDate"], found["expirationDate"]) == ("2025-06-01", "2025-06-11")
    assert (found["status"], found["outUserId"], found["batchId"]) == ("DISPUTE_INQUIRY", "user_1", "B1")
    assert "caseResult" not in found


def test_both_forms_say_the_same(desk: Desk) -> None:
    case = opened(desk)["caseId"]
    found = search(desk, case)["data"]
    del found["originTradeAmount"], found["originTradeCurrency"]
    answer = inquire(desk, case)
    assert (answer["code"], answer["data"]) == ("APPLY_SUCCESS", found)


def test_a_case_id_has_up_to_64_characters(desk: Desk) -> None:
    assert opened(desk, caseId="C" * 64)["caseId"] == "C" * 64


def test_an_unknown_case_has_no_data_in_either_form(desk: Desk) -> None:
    for answer in (search(desk, "CB9"), inquire(desk, "CB9")):
        assert (answer["code"], "data" in answer, desk.policy) == ("CASE_NOT_EXIST", False, "case-absent")


def test_a_case_moves_until_it_is_over(desk: Desk) -> None:
    opened(desk, caseId="CB1")
    assert desk.control("POST", "cases/CB1", {"status": "DISPUTE_RECEIVED"})["status"] == "DISPUTE_RECEIVED"
    assert desk.control("POST", "cases/CB1", {"status": "DISPUTE_END"})["httpStatus"] == 400
    assert desk.control("POST", "cases/CB1", {"status": "DISPUTE_RECEIVED", "caseResult": "WIN"})["httpStatus"] == 400
    assert desk.control("POST", "cases/CB1", {"status": "DISPUTE_END", "caseResult": "FAI"})["caseResult"] == "FAI"
    assert search(desk, "CB1")["data"]["status"] == "DISPUTE_END"
    assert desk.control("POST", "cases/CB1", {"status": "CASE_CANCEL"})["httpStatus"] == 409
    assert search(desk, "CB1")["data"]["caseResult"] == "FAI"


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        ({"outTradeNo": "ORD_9"}, 404, "order"),
        ({"outTradeNo": "ORD_2"}, 409, "not paid"),
        ({"outTradeNo": "ORD_1", "amount": "10.01"}, 400, "at most the amount of the order"),
        ({"outTradeNo": "ORD_1", "amount": "0"}, 400, "above 0"),
        ({"outTradeNo": "ORD_1", "amount": "1.001"}, 400, "amount"),
        ({"outTradeNo": "ORD_1"}, 409, "leave less of the order"),
        ({"outTradeNo": "ORD_1", "caseId": "CB0"}, 409, "used before"),
        ({"outTradeNo": "ORD_1", "caseId": "C" * 65}, 400, "caseId"),
        ({"outTradeNo": "ORD_1", "merchant": "app_9"}, 404, "; it belongs to app_sandbox_1"),
        ({}, 400, "outTradeNo"),
    ],
)
def test_a_case_that_cannot_be_is_refused(desk: Desk, body: dict[str, str], status: int, words: str) -> None:
    opened(desk, caseId="CB0")
    desk.checkout("ORD_2")
    answer = desk.control("POST", "cases", body)
    assert (answer["httpStatus"], words in answer["error"]) == (status, True), answer
    assert len(desk.control("GET", "cases")["cases"]) == 1


@pytest.mark.parametrize("body", [{"status": "LOST"}, {}, {"status": "CASE_CLOSED", "caseResult": "FAIL"}])
def test_a_move_that_is_none_is_refused(desk: Desk, body: dict[str, str]) -> None:
    opened(desk, caseId="CB0")
    assert desk.control("POST", "cases/CB0", body)["httpStatus"] == 400
    assert desk.control("GET", "cases/CB0")["status"] == "DISPUTE_INQUIRY"
    assert desk.control("POST", "cases/CB9", {"status": "CASE_CLOSED"})["httpStatus"] == 404


def test_the_code_of_what_is_not_there_is_a_policy(open_desk: Callable[..., Desk]) -> None:
    assert search(open_desk(case_absent="NO_CASE"), "CB9")["code"] == "NO_CASE"


@pytest.mark.parametrize(
    ("amount", "status"), [("123456789012345678.00", 409), ("99999999999999999.95", 409), ("99999999999999999.85", 200)]
)
def test_an_order_too_large_for_a_case_with_its_fee_cannot_have_one(desk: Desk, amount: str, status: int) -> None:
    desk.paid("ORD_1", Decimal(amount))
    assert desk.control("POST", "cases", {"outTradeNo": "ORD_1"})["httpStatus"] == status


@pytest.mark.parametrize(
    ("status", "result", "comes_back"),
    [
        ("DISPUTE_END", "WIN", True), ("DISPUTE_END", "FAI", False), ("CASE_CANCEL", None, True),
        ("CASE_CLOSED", "FAI", False), ("CASE_CLOSED", None, True),
    ],
)  # fmt: skip
def test_where_a_policy_says_so_amount_and_fee_are_frozen(
    open_desk: Callable[..., Desk], status: str, result: str | None, comes_back: bool
) -> None:
    desk = open_desk(case_freezes="balance")

    def dollars() -> Decimal:
        return Decimal(desk.control("GET", "balances")["balances"]["app_sandbox_1"]["USD"])

    before = dollars()
    case = opened(desk, amount="4.00")
    assert dollars() == before - Decimal("4.10")
    desk.control("POST", f"cases/{case['caseId']}", {"status": "DISPUTE_RECEIVED"})
    assert dollars() == before - Decimal("4.10")
    moved = {"status": status} if result is None else {"status": status, "caseResult": result}
    assert desk.control("POST", f"cases/{case['caseId']}", moved)["status"] == status
    assert dollars() == (before if comes_back else before - Decimal("4.10"))


def test_a_case_that_the_balance_does_not_suffice_for_is_refused(open_desk: Callable[..., Desk]) -> None:
    desk = open_desk(case_freezes="balance")
    desk.paid("BIG", Decimal("100000.00"))
    answer = desk.control("POST", "cases", {"outTradeNo": "BIG"})
    assert (answer["httpStatus"], "USD" in answer["error"]) == (409, True)


def test_by_default_a_case_freezes_nothing(desk: Desk) -> None:
    before = desk.control("GET", "balances")
    opened(desk)
    assert desk.control("GET", "balances") == before
