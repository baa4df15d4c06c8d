"""Every kind of notification that the sandbox sends has the members that the contract says: key, state, amount, currency."""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest

from paywright.contract import CONTRACT
from paywright_runtime.contract.addresses import kind_of
from paywright_runtime.contract.operation import Operation
from paywright_runtime.contract.value_checks import within
from paywright_sandbox.delivery.outbox import KINDS, Notification
from paywright_sandbox.testing import InProcessSandbox, in_process_sandbox
from tests.sandbox.helpers.place import place

NOWHERE = "http://127.0.0.1:9/n"


@pytest.fixture(scope="module")
def sandbox() -> Iterator[InProcessSandbox]:
    """A sandbox in which an order was paid and refunded, a withdraw order ended, and a transfer came in."""
    with in_process_sandbox() as made, made.client() as client:
        place(client, "ORD_1", notify_url=NOWHERE)
        made.pay("ORD_1")
        client.refunds.create(
            out_refund_no="REF_1", refund_amount=Decimal("4.25"), refund_currency="USD", out_trade_no="ORD_1",
            refund_notify_url=NOWHERE,
        )  # fmt: skip
        made.advance(86_400)
        withdrawn = {"outTradeNo": "WD_1", "transactionCurrency": "EUR", "targetCurrency": "USD", "callBackUrl": NOWHERE}  # fmt: skip
        made.done("POST", "withdrawals", {**withdrawn, "transactionAmount": Decimal("7.00")})
        made.advance(86_400)
        yield made


def sent(sandbox: InProcessSandbox) -> dict[str, dict[str, Any]]:
    with sandbox.engine.transaction() as context:
        rows = context.state.select(Notification, "ORDER BY id DESC")
    return {row.kind: json.loads(row.body, parse_float=Decimal) for row in rows}


@pytest.mark.parametrize(
    ("kind", "key", "worth"), [("PAYMENT", "ORD_1", "10.50 USD"), ("REFUND", "REF_1", "4.25 USD"), ("WITHDRAW", "WD_1", "7.00 EUR")]
)  # fmt: skip
def test_an_unshown_notification_has_its_members(sandbox: InProcessSandbox, kind: str, key: str, worth: str) -> None:
    body = sent(sandbox)[kind]
    seen = CONTRACT.seen()[kind]
    assert kind_of(CONTRACT, body) == kind
    assert [within(body, tuple(pointer.split("/")[1:])) for pointer in (seen.about[1], seen.once_per[0])] == [key, key]
    state = within(body, tuple(seen.state.split("/")[1:]))
    result = CONTRACT.operation(seen.about[0]).result
    states = next(field.of for field in CONTRACT.struct(str(result)).fields if field.wire == seen.state.split("/")[-1])
    assert state in CONTRACT.set(str(states)).values
    assert seen.amount.text(body) == worth


def test_the_kinds_are_those_of_the_contract_and_no_body_without_one_has_a_kind() -> None:
    assert set(KINDS) == set(CONTRACT.kinds())
    for kind, what in CONTRACT.kinds().items():
        assert (KINDS[kind].operation is not None) is isinstance(what, Operation)
    assert [kind_of(CONTRACT, body) for body in ({}, {"notifyType": "LATER"}, {"notifyType": 1}, [], None)] == [
        None
    ] * 5


def test_the_settings_of_addresses_are_called_as_the_contract_calls_them() -> None:
    assert {kind: known.setting for kind, known in KINDS.items() if kind in ("RECEIVE", "PAYMENT", "WITHDRAW")} == {
        "RECEIVE": "va-result-notify-url",
        "PAYMENT": "notify-url",
        "WITHDRAW": "call-back-url",
    }
