"""Rules across exchanges that no table has: whose keys are one, what is a note, what is told twice, and when."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from itertools import chain, permutations, product
from typing import Any

import pytest

from paywright.contract import CONTRACT
from paywright_audit import AuditSettings
from paywright_audit.cross_exchange.history.rows import SEEN, Row
from paywright_audit.cross_exchange.history.subjects import listed_specs_of, states_of, subject_spec_of
from paywright_audit.cross_exchange.rules.timing import TimeOrder, order_of
from paywright_audit.judging.clocks import times_of
from paywright_audit.result import partial_result
from paywright_audit.result.partial_result import PartialResult
from tests.audit.helpers.records import DAY, Scribe, content, findings

# What a complete capture of these steps is found to have, by the number of the step.
STORIES: dict[str, tuple[Callable[[Scribe], object], dict[int, str]]] = {
    "a key is used once, whatever its case, by each app": (lambda s: (
        s.order(), s.order(at=5, data={"subject": "Something else"}), s.order("o1", at=9), s.order(at=20, app="app_2"),
        s.order(at=30, app="a" * 128), s.order(at=40, app="b" * 128),
    ), {2: "key-reused", 3: "key-reused"}),
    "keys of refunds are told apart by case": (lambda s: (s.refund("R1", 1), s.refund("r1", 1, at=1), s.refund("R1", 1, at=2)), {3: "placed-again"}),
    "an order may be asked for in another case, and a refund may not": (lambda s: (
        s.order(), s.ask("o1", at=10, told={"outTradeNo": "O1"}), s.refund("R1", 1, at=20),
        s.call("refunds.query", {"outRefundNo": "r1"}, {"outRefundNo": "R1", "status": "REFUND_PENDING"}, at=30),
    ), {4: "echo"}),
    "the same again is no retry once the first is known, or long ago, or another": (lambda s: (
        s.order("O1", answered=False), s.ask("O1", at=5), s.order("O2", at=20), s.order("O3", at=30, answered=False, data={"userId": "u9"}),
        s.order("O4", at=600, data={"userId": "u9"}), s.order("O5", at=700, answered=False), s.order("O6", at=710, data={"subject": "Another"}),
    ), {}),
    "a refused refund is corrected under its own key": (lambda s: (
        s.order(), s.refund("R1", 99, at=20, code="AMOUNT_LIMIT"),
        s.refund("R2", 9, at=30, data={"refundCurrency": "EUR"}, code="CURRENCY_INVALID"), s.refund("R1", 10.5, at=40),
    ), {}),
    "what counts of a refund is what was made, and not what was refused": (lambda s: (
        s.order(), s.refund("R1", 1, at=20, code="AMOUNT_LIMIT"), s.refund("R1", 10, at=40), s.refund("R2", 1, at=60),
    ), {4: "refund-exceeds-paid"}),
    "a key that is the gateway's id of another refund is a key": (lambda s: (
        s.order(), s.refund("R1", 4, at=20, told={"refundTradeNo": "R2"}), s.refund("R2", 5, at=40, told={"refundTradeNo": "RT9"}),
    ), {}),
    "a drop-in order that was answered with success is not final": (lambda s: (
        s.order(operation="orders.drop_in", told={"status": "SUCCESS"}), s.ask(at=60), s.ask(at=120, status="FAILED"),
    ), {}),
    "a permitted placing that was refused for the rate is tried again": (lambda s: (
        s.order(answered=False), s.absent(20), s.absent(330), s.order(at=340, code="TOO_MANY_REQUEST"), s.order(at=350),
    ), {}),
    "a key of digits is not cut out of the time": (lambda s: (s.order("100", at=0.1), s.order("100", at=60.1, answered=False)), {2: "placed-again"}),
    "keys that do not fold are echoed in their own case": (lambda s: (
        s.refund("Rx", 1, told={"outRefundNo": "rX"}), s.order("Ox", at=60, told={"outTradeNo": "oX"}), s.ask("OX", at=120),
    ), {1: "echo"}),
}  # fmt: skip


@pytest.mark.parametrize("story", STORIES)
def test_a_complete_capture_is_found_to_have_this_and_nothing_else(scribe: Scribe, found: Any, story: str) -> None:
    steps, codes = STORIES[story]
    steps(scribe)
    assert found() == [(f"line {number}", code) for number, code in codes.items()]


def test_a_return_asked_for_does_not_contradict_the_payment(scribe: Scribe, lines: Any) -> None:
    data = {"outTradeNo": "O1", "status": "SUCCESS", "totalAmount": "10.50", "currency": "USD"}
    scribe.order()
    scribe.told("PAYMENT", data, at=5)
    scribe.ask(at=10, status="BOUNCEBACK")
    scribe.told("PAYMENT", data, at=20)  # again, and late
    assert findings(lines()) == []


def test_unknown_members_are_notes(scribe: Scribe, lines: Any) -> None:
    scribe.order(told={"newThing": {"a": 1}, "status": "LATER"})
    record = scribe.records[0]
    scribe.rewrite(record, content(record["request"]) | {"version": "1.4"})
    told = lines()
    assert findings(told) == []
    assert sorted((line["pointer"], line["code"]) for line in told if line["type"] == "note") == [
        ("/data/newThing", "unknown-field"),
        ("/data/status", "unknown-value"),
        ("/version", "other-version"),
    ]
    assert told[-1]["notes"] == 3


def test_every_state_that_the_contract_tells_is_held_against_others() -> None:
    for name in CONTRACT.operations():
        operation = CONTRACT.operation(name)
        structs = [operation.request if operation.inbound else str(operation.result)]
        final = []
        while structs:
            for field in CONTRACT.struct(structs.pop()).fields:
                if field.kind == "struct" and field.of:
                    structs.append(field.of)
                elif field.kind == "set" and field.of and CONTRACT.set(field.of).final:
                    final.append(field.wire)
        subject_spec = subject_spec_of(name)
        known = [listed_spec.state[-1] for listed_spec in listed_specs_of(name)] + (
            [subject_spec.state] if subject_spec is not None else []
        )
        # A cancellation and a creation that nothing can be asked about tell nothing to hold against anything; and what was
        # tried before is history, inside a period's result.
        if name not in ("snap.cancel", "subscriptions.create"):
            assert sorted(set(final) - {"lastPaymentStatus"}) == sorted(one for one in known if one in final)


def test_an_external_id_is_used_once_a_day(scribe: Scribe, lines: Any) -> None:
    for at, number, partner in ((0, "1", "P"), (5, "2", "P"), (9, "1", "Q"), (20, "1", "P"), (DAY, "1", "P")):
        scribe.bank("snap.cancel", at, partner=partner, number=number, answer=None)
    assert [one for one in findings(lines()) if one[4] == "external-id-reused"] == [
        ("line 4", "snap.cancel", "request", "@header/X-EXTERNAL-ID", "external-id-reused")
    ]


def row(began: float, ended: float) -> Row:
    return Row("orders", began, ended, "", 0, began, None, 0, "orders.query", SEEN)


@pytest.mark.parametrize(
    ("one", "other", "order"),
    [
        ((0, 1), (11, 12), TimeOrder.BEFORE), ((0, 1), (10.9, 12), TimeOrder.OPEN), ((0, 50), (1, 2), TimeOrder.OPEN),
        ((5, 6), (1, 5.1), TimeOrder.OPEN), ((5, 6), (1, 5), TimeOrder.OPEN), ((5.1, 6), (1, 5), TimeOrder.LATER),
        ((14.9, 16), (1, 5), TimeOrder.LATER), ((15, 16), (1, 5), TimeOrder.AFTER),
    ],
)  # fmt: skip
def test_a_gap_beyond_slack_is_certain(one: tuple[float, float], other: tuple[float, float], order: TimeOrder) -> None:
    assert order_of(row(*one), row(*other), 10) is order


@pytest.mark.parametrize("one", [(5, 5), (5, 6), (1, 5)])
def test_equal_times_prove_no_order_even_of_exact_clocks(one: tuple[float, float]) -> None:
    assert order_of(row(*one), row(5, 5), 0) is TimeOrder.OPEN


UNKNOWN = partial(Scribe.order, answered=False)
INSTANTS: list[list[list[Callable[[Scribe], object]]]] = [
    [[UNKNOWN, partial(Scribe.absent, at=0)], [partial(Scribe.absent, at=400), partial(Scribe.order, at=400), partial(Scribe.ask, at=400)]],
    [[UNKNOWN, partial(Scribe.ask, at=0)], [partial(Scribe.order, key="O2", at=40)]],
]  # fmt: skip


@pytest.mark.parametrize("slack", ["0", "10"])
@pytest.mark.parametrize("steps", [[*chain(*one)] for some in INSTANTS for one in product(*map(permutations, some))])
def test_what_one_instant_has_in_any_order_accuses_nobody(
    scribe: Scribe, found: Any, steps: Iterable[Callable[[Scribe], object]], slack: str
) -> None:
    for step in steps:
        step(scribe)
    assert {code for _, code in found("--clock-slack", slack)} <= {"time-unclear"}


@pytest.mark.parametrize(
    ("date", "trusted", "early", "late"),
    [
        (None, True, 100, 300),
        (89, True, 89, 300),  # ten seconds off it says nothing of the merchant's clock
        (90, True, 90, 101), (111, True, 100, 112), (112, True, 100, 300), (100, False, 100, 300),
    ],
)  # fmt: skip
def test_a_near_date_outweighs_a_clock(date: float | None, trusted: bool, early: float, late: float) -> None:
    times = times_of(100, 101, 300, date, trusted=trusted)
    assert times is not None
    assert (times.early, times.late) == (early, late)


@pytest.mark.parametrize(
    ("family", "states"),
    [
        ("orders.query", "OrderStatus"),  # of a response
        ("orders.checkout", "OrderCreationStatus"),
        ("notifications.receive", "TransferStatus"),  # of a notification
        ("notifications.subscription_payment", "PeriodPaymentStatus"),
        ("PaymentTokenStatus", "PaymentTokenStatus"),  # of what is listed
        ("SnapRefundStatus", "SnapRefundStatus"), ("merchant.validate_bill_payment", None), ("subscriptions.create", None),
        ("external", None),
    ],
)  # fmt: skip
def test_a_family_has_the_states_of_its_operation_or_of_what_it_lists(family: str, states: str | None) -> None:
    assert states_of(family) == states


@pytest.mark.parametrize(
    "note",
    [lambda partial, number: partial.learn(f"app_{number}\1merchant"), lambda partial, number: partial.lose("orders", 60.0 * number)],
)  # fmt: skip
def test_too_many_are_too_many(note: Callable[[PartialResult, int], None], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(partial_result, "MOST_OWNERS", 2)
    partial, settings = PartialResult(), AuditSettings(complete=True)
    for number in range(5):
        assert partial.whole(settings).facts.complete is (number <= 2)
        note(partial, number)
    assert len(partial.owners) + len(partial.blind) == 3
