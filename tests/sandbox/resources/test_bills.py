"""Bill payments: the sandbox asks the merchant, and obeys the answer [4.18]."""

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from paywright import validate
from paywright_sandbox.delivery import http_client
from paywright_sandbox.engine.merchant import RegisteredMerchant
from tests.sandbox.helpers.desk import Desk
from tests.sandbox.helpers.merchant_server import MerchantServer, merchant_server

BILL = {"referenceNo": "BILL_1", "amount": "150.50"}


@pytest.fixture
def merchant(folder: Path, desk: Desk) -> Iterator[MerchantServer]:
    with merchant_server(folder / "keys" / "gateway.pub") as server:
        (known,) = desk.engine.settings.merchants
        addresses = {"bill-payment-validation-url": f"{server.url}/bills"}
        desk.engine.settings.merchants = (RegisteredMerchant(known.numbers, known.public, addresses),)
        yield server


def decision(**changes: Any) -> dict[str, Any]:
    return {"referenceNo": "BILL_1", "minAmount": 1, "maxAmount": 5000, "currency": "PHP", "confirmation": "Y", **changes}  # fmt: skip


def fixed(status: int, body: bytes, got: object) -> tuple[int, bytes]:
    return status, body


def answer(merchant: MerchantServer, data: dict[str, Any] | None, code: str = "SUCCESS") -> None:
    body = {"code": code, "msg": "Success", **({} if data is None else {"data": data})}
    merchant.answers = lambda got: (200, json.dumps(body).encode())


def test_a_confirmed_bill_is_paid_once(desk: Desk, merchant: MerchantServer) -> None:
    answer(merchant, decision())
    made = desk.control("POST", "bill-payments", BILL)
    assert (made["status"], made["amount"], made["currency"]) == ("PAID", "150.50", "PHP")
    (got,) = merchant.got
    assert validate("merchant.validate_bill_payment", "request", got.raw, headers=got.headers) == []
    assert b'"amount":150.50' in got.raw
    again = desk.control("POST", "bill-payments", BILL)
    assert (again["httpStatus"], len(merchant.got)) == (409, 1)
    assert [bill["status"] for bill in desk.control("GET", "bill-payments")["billPayments"]] == ["PAID"]


@pytest.mark.parametrize(
    ("data", "status", "why"),
    [
        (decision(confirmation="N", failureReason="the bill is closed"), "REFUSED", "the bill is closed"),
        (decision(confirmation="N"), "REFUSED", "without a reason"),
        (decision(minAmount=151), "REFUSED", "outside minAmount and maxAmount"),
        (decision(maxAmount=150), "REFUSED", "outside minAmount and maxAmount"),
        (decision(currency="USD"), "REFUSED", "another currency"),
        (decision(referenceNo="BILL_2"), "UNANSWERED", "another referenceNo"),
        (decision(confirmation="MAYBE"), "UNANSWERED", "breaks the contract at /data/confirmation: "),
        (None, "UNANSWERED", "but no data"),
    ],
)
def test_anything_but_a_whole_yes_pays_nothing_and_says_why(
    desk: Desk, merchant: MerchantServer, data: dict[str, Any] | None, status: str, why: str
) -> None:
    answer(merchant, data)
    made = desk.control("POST", "bill-payments", BILL)
    assert (made["status"], made["httpStatus"]) == (status, 200)
    assert why in made["why"]
    answer(merchant, decision())
    assert desk.control("POST", "bill-payments", BILL)["status"] == "PAID"


def test_failures_of_the_merchants_server_are_told(desk: Desk, merchant: MerchantServer) -> None:
    replies: list[tuple[int, bytes, str]] = [
        (500, b"", "HTTP status 500"),
        (200, b"yes", "not strict JSON"),
        (200, b"[]", "breaks the contract at its root: "),
        (302, b"", "302"),
    ]
    for status, body, why in replies:
        merchant.answers = partial(fixed, status, body)
        made = desk.control("POST", "bill-payments", BILL)
        assert made["status"] == "UNANSWERED"
        assert why in made["why"]
    answer(merchant, decision(), code="FAIL")
    assert "not SUCCESS" in desk.control("POST", "bill-payments", BILL)["why"]


@pytest.mark.parametrize("status", [201, 204, 302, 400, 500, 503])
def test_a_yes_with_another_status_pays_nothing(desk: Desk, merchant: MerchantServer, status: int) -> None:
    yes = json.dumps({"code": "SUCCESS", "msg": "Success", "data": decision()}).encode()
    merchant.answers = lambda got: (status, yes)
    made = desk.control("POST", "bill-payments", BILL)
    assert (made["status"], made["why"]) == ("UNANSWERED", f"the merchant answered with HTTP status {status}")
    assert made["finishedAt"] is not None
    with desk.engine.store.transaction() as state:
        (kept,) = state.all("SELECT status, http_status FROM bill_payments")
    assert (kept["status"], kept["http_status"]) == ("UNANSWERED", status)


@pytest.mark.parametrize(
    ("least", "most", "status"),
    [(150.5, 5000, "PAID"), (1, 150.5, "PAID"), (150.5, 150.5, "PAID"), (150.51, 5000, "REFUSED"), (1, 150.49, "REFUSED")],
)  # fmt: skip
def test_the_least_and_the_most_are_taken_and_no_cent_beyond(
    desk: Desk, merchant: MerchantServer, least: float, most: float, status: str
) -> None:
    answer(merchant, decision(minAmount=least, maxAmount=most))
    assert desk.control("POST", "bill-payments", BILL)["status"] == status


def test_a_silent_merchant_has_its_time(desk: Desk, merchant: MerchantServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_client, "attempt_seconds", lambda _: 0.2)
    over = Event()

    def slowly(_: object) -> tuple[int, bytes]:
        over.wait(600)
        return 200, b"{}"

    merchant.answers = slowly
    made = desk.control("POST", "bill-payments", BILL)
    over.set()
    assert made["status"] == "UNANSWERED"
    assert made["why"].startswith("TIMEOUT")


@pytest.mark.parametrize("wrong", [{"amount": "0"}, {"amount": "x"}, {"referenceNo": "R" * 65}, {"currency": "PESO"}])
def test_what_the_contract_bars_is_not_asked(desk: Desk, merchant: MerchantServer, wrong: dict[str, str]) -> None:
    assert desk.control("POST", "bill-payments", {**BILL, **wrong})["httpStatus"] == 400
    assert merchant.got == []


def test_without_an_address_nobody_is_asked(desk: Desk) -> None:
    made = desk.control("POST", "bill-payments", BILL)
    assert made["httpStatus"] == 409
    assert "bill-payment-validation-url" in made["error"]


def test_a_question_that_was_cut_off_is_given_up_and_can_be_asked_again(desk: Desk, merchant: MerchantServer) -> None:
    def dies(_: object) -> tuple[int, bytes]:
        desk.control("POST", "clock/advance", {"seconds": 61})  # as if the sandbox came back a minute later
        return 200, json.dumps({"code": "SUCCESS", "msg": "Success", "data": decision()}).encode()

    merchant.answers = dies
    made = desk.control("POST", "bill-payments", BILL)
    assert made["status"] == "UNANSWERED"
    assert [bill["status"] for bill in desk.control("GET", "bill-payments")["billPayments"]] == ["UNANSWERED"]
    answer(merchant, decision())
    assert desk.control("POST", "bill-payments", BILL)["status"] == "PAID"
