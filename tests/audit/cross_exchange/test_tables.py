"""The tables of docs/audit.md hold: every cell of them is visited by a history, and says what stands there."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, cast

import pytest

from docs.building.final_states import SETS
from paywright.contract import CONTRACT
from paywright_audit.cross_exchange.history import row_store
from paywright_audit.cross_exchange.history.copies import without_copies
from paywright_audit.cross_exchange.history.owners import AMBIGUOUS, SHARED, Same, same_environments, same_owners
from paywright_audit.cross_exchange.history.related_rows import BUCKETS, Round
from paywright_audit.cross_exchange.history.row_store import RowStore
from paywright_audit.cross_exchange.history.rows import Row
from paywright_audit.cross_exchange.history.subjects import listed_specs_of, states_of, subject_spec_of
from paywright_audit.cross_exchange.rules.amounts import amount_of, same_amount
from paywright_audit.cross_exchange.rules.state_moves import MoveVerdict, move
from paywright_audit.cross_exchange.rules.timing import SLACK, CaptureFacts
from paywright_audit.cross_exchange.run_rules import Whole, relate_key, rounds
from paywright_audit.judging.findings import Finding
from paywright_audit.judging.matching import Matcher
from paywright_audit.result.partial_result import PartialResult
from paywright_audit.running.auditor import Auditor
from paywright_audit.settings.audit_settings import AuditSettings
from tests.audit.helpers.histories import ANSWERS, CREATED, Event, Trusting, exchange_of
from tests.audit.helpers.histories import START as BEGIN
from tests.audit.helpers.records import Scribe

_TEXT = (Path(__file__).parents[3] / "docs" / "audit.md").read_text(encoding="utf-8")
ASKED = {
    "OrderStatus": "orders.query", "RefundStatus": "refunds.query", "ExchangeStatus": "exchanges.query",
    "WithdrawStatus": "withdrawals.query", "SnapTransactionStatus": "snap.status", "TransferStatus": "notifications.receive",
    "PeriodPaymentStatus": "notifications.subscription_payment",
}  # fmt: skip
WORDS = {"fine": MoveVerdict.FINE, "note": MoveVerdict.ODD, "error": MoveVerdict.WRONG}
LEAVING = ("fine", "error", "error", "note")
"""The word for leaving a state, by its column in the table of states."""


def table(heading: str) -> list[list[str]]:
    """The rows of the first table under a heading."""
    part = _TEXT.partition(f"### {heading}\n")[2].partition("\n### ")[0]
    rows = [[cell.strip(" `") for cell in row.strip("|").split("|")] for row in part.splitlines() if row[:1] == "|"]
    return rows[2:]


def codes(*events: Event) -> dict[int, set[str]]:
    """What is found, by event."""
    found: dict[int, set[str]] = {}
    for event, _, _, code in said(events):
        found.setdefault(event, set()).add(code)
    return found


def event(number: int, at: float, operation: str, **more: object) -> Event:
    given = {"key": "K1", "app": "app", "amount": "10.00", "until": at, **more}
    return Event(number, 0, at, operation=operation, **given)  # type: ignore[arg-type]


def cells() -> list[tuple[str, str, str, str]]:
    found: list[tuple[str, str, str, str]] = []
    for things, *columns in table("States"):
        listed = [
            (word, *re.fullmatch(r"(\w+)(?: \((\w+) may follow\))?", state).groups())  # type: ignore[union-attr]
            for word, column in zip(LEAVING, columns, strict=True)
            for state in filter(None, column.split(", "))
        ]
        found += [
            (SETS[things], before, after, "fine" if after == allowed else word)
            for word, before, allowed in listed
            for _, after, _ in listed
            if after != before
        ]
    return found


def test_every_state_stands_in_the_table_with_every_other() -> None:
    for name in SETS.values():
        values = CONTRACT.set(name).values
        written = Counter((before, after) for of, before, after, _ in cells() if of == name)
        listed = Counter((before, after) for before in values for after in values if before != after)
        assert written == listed, f"docs/audit.md, under States, has other states than {name}: {', '.join(values)}"
    known = {
        str(states_of(listed_spec.kind)) for name in CONTRACT.operations() for listed_spec in listed_specs_of(name)
    }
    known |= {
        str(states_of(subject_spec.kind))
        for subject_spec in map(subject_spec_of, CONTRACT.operations())
        if subject_spec and subject_spec.states
    }
    # The table shows the specification's own; what else the contract has follows the rule that the table follows.
    assert known >= set(SETS.values())
    for name in known - {"None"}:
        states = CONTRACT.set(name)
        certain = {*states.paid, *states.returned, *states.stated}
        for before in states.ends:
            onward = {
                state for one in CONTRACT.moves() if (one.set, one.before) == (name, before) for state in one.after
            }
            for after in set(states.values) - {before} - onward:
                assert move(name, before, after) is (MoveVerdict.WRONG if before in certain else MoveVerdict.ODD)


@pytest.mark.parametrize(("states", "before", "after", "word"), cells())
def test_states_after_states_are_as_the_table_says(states: str, before: str, after: str, word: str) -> None:
    assert move(states, before, after) is WORDS[word]
    if states not in ASKED:
        return
    first = event(0, 0, ASKED[states], state=before, said=0)
    second = event(1, 60, ASKED[states], state=after, said=60)
    due = {"fine": {}, "note": {1: {"final-state-left"}}, "error": {1: {"state-moved-back"}}}[word]
    assert codes(first, second) == due
    assert codes(replace(second, at=0, until=0, said=0), replace(first, at=60, until=60, said=60)) == {
        event: {"state-moved-back" if back is MoveVerdict.WRONG else "final-state-left"}
        for event, back in ((0, move(states, after, before)),)
        if back is not MoveVerdict.FINE
    }
    if states in ("TransferStatus", "PeriodPaymentStatus"):
        # A notification that came later and is older, or does not say when it was, is held against what must be wrong either way.
        either = min(WORDS[word], move(states, after, before))
        for said in (None, 0):
            found = codes(first, replace(second, said=said)).get(1, set())
            assert (
                found
                == {
                    MoveVerdict.FINE: set(),
                    MoveVerdict.ODD: {"final-state-left"},
                    MoveVerdict.WRONG: {"state-moved-back"},
                }[either]
            )


def test_a_final_answer_of_the_write_holds_against_later_states() -> None:
    exchanged = event(0, 0, "exchanges.create", state="SUCCESS")
    assert codes(exchanged, event(1, 60, "exchanges.query", state="PENDING")) == {1: {"state-moved-back"}}


@pytest.mark.parametrize(("which", "word"), [(row[0], row[2]) for row in table("Times")])
def test_two_times_prove_what_the_table_says(which: str, word: str) -> None:
    gap = {
        "began at least the slack after the other had ended": 10.0,
        "began after that, but less than the slack": 9.9,
        "began before the other had ended": -0.1,
    }[which]
    first = event(0, 0, "orders.query", state="SUCCESS", until=20)
    assert codes(first, event(1, 20 + gap, "orders.query", state="PENDING")) == ({} if word == "fine" else {1: {word}})


WRITES = [
    (answer, cell, word)
    for answers, *words in table("Writes")
    for answer in answers.split(", ")
    for cell, word in zip(("same", "other", "absent"), words, strict=True)
]


def test_every_answer_stands_in_the_table() -> None:
    assert Counter(answer for answer, *_ in WRITES) == dict.fromkeys(ANSWERS, 3)


@pytest.mark.parametrize("operation", list(CREATED))
@pytest.mark.parametrize(("answer", "cell", "word"), WRITES)
def test_writes_after_writes_are_as_the_table_says(operation: str, answer: str, cell: str, word: str) -> None:
    if answer == "repeated" and not CONTRACT.operation(operation).duplicate_codes:
        return
    orders = operation.startswith("orders.")
    more = {"order": "O1"} if operation == "refunds.create" else {}
    state = CREATED[operation][0]
    events = [event(0, 0, operation, answer=answer, state=state, **more)]
    if cell == "absent" and orders:
        events += [event(1, 20, "orders.query", answer="absent"), event(2, 320, "orders.query", answer="absent")]
    again = event(3, 1000, operation, state=state, content="b" if cell == "other" else "a", **more)
    if cell == "absent" and not orders:
        word = next(one for kind, place, one in WRITES if (kind, place) == (answer, "same"))
    found = codes(*events, again).get(3, set())
    assert found == ({word} if word != "fine" else set())


def test_one_inquiry_is_never_two_however_long_it_took() -> None:
    first, again = event(0, 0, "orders.checkout", answer="none"), event(9, 1000, "orders.checkout", state="PENDING")
    long = event(1, 20, "orders.query", answer="absent", until=400)
    assert codes(first, long, again) == {9: {"placed-again"}}
    assert codes(first, long, event(2, 500, "orders.query", answer="absent"), again) == {}


def test_all_that_may_have_come_before_a_write_is_looked_at() -> None:
    placed = [event(0, 0, "orders.checkout", answer="none"), event(1, 20, "orders.query", answer="absent")]
    again = event(2, 310, "orders.checkout", state="PENDING")
    after = [event(3, 312, "orders.query", state="PENDING"), event(4, 316, "orders.query", answer="absent")]
    assert codes(*placed, again, *after)[2] == {"time-unclear"}
    assert codes(*placed, again, after[0], replace(after[1], at=320.1, until=320.1))[2] == {"placed-again"}


@pytest.mark.parametrize(
    ("answer", "counts", "judged"),
    [("yes", True, True), ("refused", False, False), ("none", False, True), ("lost", False, False)],
)
@pytest.mark.parametrize("shown", [False, True])
def test_a_refund_is_judged_and_counts_as_the_table_says(answer: str, counts: bool, judged: bool, shown: bool) -> None:
    paid = event(0, 0, "orders.query", key="O1", state="SUCCESS")
    query = [event(9, 90, "refunds.query", state="REFUND_SUCCESS", amount="6.00")] * shown
    first = event(1, 20, "refunds.create", answer=answer, order="O1", amount="6.00", state="REFUND_PENDING")
    second = replace(first, id=2, at=40, until=40, key="K2", answer="yes", amount="6.00", content="b")
    there = counts or (shown and answer != "refused")
    assert codes(paid, first, second, *query).get(2, set()) == ({"refund-exceeds-paid"} if there else set())
    # Whatever happens to one that failed, it does not count.
    failed = event(8, 80, "refunds.query", state="REFUND_FAILED", amount="6.00")
    assert codes(paid, first, second, failed).get(2, set()) == set()
    wrong = replace(first, currency="EUR")
    assert codes(paid, wrong, *query).get(1, set()) == (
        {"refund-currency"} if judged or (shown and answer == "lost") else set()
    )


@pytest.mark.parametrize(
    ("asked", "shown", "answer", "said"),
    [
        ("9.00", "1.00", "none", {}),
        ("9.00", "9.00", "none", {3: {"refund-exceeds-paid"}}),
        ("9.00", "1.00", "yes", {3: {"refund-exceeds-paid"}}),
        ("1.00", "9.00", "none", {}),  # the rest is none of the merchant's
        ("1.00", "9.00", "yes", {}),
    ],
)
def test_the_most_that_a_refund_counts(asked: str, shown: str, answer: str, said: dict[int, set[str]]) -> None:
    paid = event(0, 0, "orders.query", key="O1", state="SUCCESS")
    made = "REFUND_PENDING" if answer == "yes" else None
    first = event(1, 20, "refunds.create", answer=answer, order="O1", amount=asked, state=made)
    told = event(2, 40, "refunds.query", state="REFUND_SUCCESS", amount=shown)
    second = event(3, 60, "refunds.create", key="K2", order="O1", amount="2.00", content="b", state="REFUND_PENDING")
    assert codes(paid, first, told, second) == said


@pytest.mark.parametrize("told", [("10.00", "9.00"), ("9.00", "10.00")])
def test_a_merchant_may_refund_the_greatest_amount_that_the_gateway_reported_as_paid(told: tuple[str, str]) -> None:
    paid = [event(at, at, "orders.query", key="O1", state="SUCCESS", amount=amount) for at, amount in enumerate(told)]
    refund = event(3, 60, "refunds.create", order="O1", amount="10.00", state="REFUND_PENDING")
    assert codes(*paid, refund) == {}
    assert codes(*paid, replace(refund, amount="10.01")) == {3: {"refund-exceeds-paid"}}
    asked = event(1, 1, "orders.checkout", key="O1", amount="9.00", answer="none")  # nobody knows whether it was placed
    assert codes(asked, refund) == {}


@pytest.mark.parametrize(
    ("days", "said"),
    [(180, set()), (180.0001, set()), (180.0002, {"time-unclear"}), (181.0001, {"time-unclear"}), (181.0002, {"refund-too-late"})],
)  # fmt: skip
def test_a_refund_is_late_when_no_clock_could_make_it_early(days: float, said: set[str]) -> None:
    order = event(0, 0, "orders.checkout", key="O1", state="PENDING", until=5)
    late = event(1, days * 86400 + 2, "refunds.create", order="O1", amount="1.00", state="REFUND_PENDING")
    assert codes(order, late).get(1, set()) == said


_PAID = event(1, 10, "orders.query", key="O1", state="SUCCESS")
_REFUND = event(2, 20, "refunds.create", key="R1", order="O1", state="REFUND_PENDING")


@pytest.mark.parametrize(
    ("paid", "refund", "others", "said_of_it"),
    [
        ({}, {}, [], set()),
        ({"amount": "10"}, {"amount": "10.0"}, [], set()),
        ({}, {"amount": "10.01"}, [], {"refund-exceeds-paid"}),
        ({}, {"amount": "10.01"}, [replace(_REFUND, id=3, at=30, until=30, amount="10.01", answer="none", state=None), event(4, 40, "refunds.query", key="R1", state="ODD")], {"refund-exceeds-paid"}),
        ({"amount": "9.00"}, {"amount": "9.50"}, [], {"refund-exceeds-paid"}),
        ({"amount": "11.00"}, {"amount": "10.50"}, [], set()),
        ({"amount": "1E+1"}, {"amount": "10.01"}, [], {"refund-exceeds-paid"}),
        ({"amount": "9E+0"}, {"amount": "9.50"}, [], {"refund-exceeds-paid"}),
        ({"amount": "1234567890123.49999"}, {"amount": "1234567890123.5"}, [], {"refund-exceeds-paid"}),  # one float
        ({}, {"amount": "-1.00"}, [], {"refund-negative"}),
        ({}, {"amount": "0"}, [], set()),
        ({}, {"currency": "EUR"}, [], {"refund-currency"}),
        ({"currency": "EUR"}, {"currency": "EUR"}, [], set()),
        ({}, {"currency": "usd"}, [], set()),  # which breaks a format, and asks for no other money
        ({"state": "FAILED"}, {}, [], {"refund-not-paid"}),
        ({"state": "PENDING"}, {}, [], set()),
        ({}, {"at": 180 * 86400.0, "until": 180 * 86400.0}, [], set()),
        ({}, {"at": 182 * 86400.0, "until": 182 * 86400.0}, [], {"refund-too-late"}),
        ({}, {"order": None, "token": "T1", "amount": "10.01"}, [], {"refund-exceeds-paid"}),
        ({}, {"amount": "6.00"}, [replace(_REFUND, id=3, at=5, until=5, key="R2", content="b", amount="6.00")], {"refund-exceeds-paid"}),
        ({}, {"answer": "none", "amount": "5.00"}, [event(3, 30, "refunds.query", key="R1", state="REFUND_SUCCESS", amount="11.00")], set()),
        ({"amount": "9.50"}, {"answer": "none", "amount": "10.00"}, [event(3, 30, "refunds.query", key="R1", state="REFUND_SUCCESS", amount="9.00"), event(4, 40, "refunds.query", key="R1", state="REFUND_SUCCESS", amount="10.00")], {"refund-exceeds-paid"}),
    ],
)  # fmt: skip
def test_a_single_refund_breaks_what_it_breaks_beside_others(
    paid: dict[str, Any], refund: dict[str, Any], others: list[Event], said_of_it: set[str]
) -> None:
    order = event(0, 0, "orders.checkout", key="O1", amount="9999999999999.9", state="PENDING", token="T1")
    assert codes(order, replace(_PAID, **paid), replace(_REFUND, **refund), *others).get(2, set()) == said_of_it


def test_whoever_names_one_merchant_means_it(monkeypatch: pytest.MonkeyPatch) -> None:
    assert same_owners(["a\1", "a\1m"]) == {"a\1m": "a\1"}
    assert same_owners(["a\1", "a\1m", "b\1m", "b\1"]) == {"a\1m": "a\1", "b\1m": "a\1", "b\1": "a\1"}
    several = {one: one + SHARED for one in ("a\1m", "a\1n")}
    assert same_owners(["a\1", "a\1m", "a\1n"]) == {"a\1": f"a\1{AMBIGUOUS}", **several}
    assert same_owners(["a\1m", "a\1n"]) == {}
    assert same_owners(["\1", "a\1"]) == {"a\1": "\1"}
    assert same_owners(["\1", "a\1", "a\1m", "a\1n"])["a\1"] == f"a\1{AMBIGUOUS}"
    assert same_owners(["\1", "a\1", "b\1"]) == {"\1": f"\1{AMBIGUOUS}"}
    assert same_owners(["\1", "a\1", "p:\1", "p:x\1", "p:y\1"]) == {"a\1": "\1", "p:\1": f"p:\1{AMBIGUOUS}"}
    assert same_owners(["p:\1", "p:x\1", "a\1", "b\1"]) == {"p:x\1": "p:\1"}
    monkeypatch.setattr("paywright_audit.cross_exchange.history.owners.MOST_OWNERS", 2)
    assert (same_owners(["a\1", "a\1m"]), same_owners(["a\1", "a\1m", "b\1"])) == ({"a\1m": "a\1"}, {})


def test_an_absence_that_names_nobody_may_have_permitted_any_merchant() -> None:
    first = event(0, 0, "orders.checkout", app="a", answer="none")
    absent = [event(number, at, "orders.query", app=None, answer="absent") for number, at in ((1, 100), (2, 500))]
    again = replace(first, id=3, at=600, until=600, answer="yes", state="PENDING")
    other = event(4, 700, "orders.query", app="b", key="O1", state="SUCCESS")
    assert codes(first, *absent, again, other) == {3: {"evidence-missing"}}
    assert codes(first, *(replace(one, app="b") for one in absent), again, other) == {3: {"placed-again"}}
    assert codes(first, *(replace(one, key="K2") for one in absent), again, other) == {3: {"placed-again"}}
    assert codes(first, *absent, again, replace(other, app="a")) == {}


def test_two_messages_that_name_nobody_may_be_of_two_merchants() -> None:
    one = event(0, 0, "refunds.create", app=None, order="O1", amount="1.00", state="REFUND_PENDING", key="K1")
    two = replace(one, id=1, at=100, until=100)
    named = [
        event(number, 200, "orders.query", key="O1", state="SUCCESS", app=app) for number, app in ((2, "a"), (3, "b"))
    ]
    assert codes(one, two, named[0]) == {1: {"placed-again"}}
    assert codes(one, two, *named) == {}
    mine = [replace(event, app="a") for event in (one, two)]
    assert codes(*mine, *named) == {1: {"placed-again"}}


def test_hosts_of_one_key_and_keys_of_one_host_are_one_environment() -> None:
    assert same_environments({1: "h\1", 2: "h\x011", 3: "\x011", 4: "\1"}) == {}
    assert same_environments({1: "h\x011", 2: "proxy\x011", 3: "proxy\x012", 4: "\x012"}) == {}
    there = {1: "h\x011", 2: "test\x012", 3: "\x012", 4: "\1", 5: "test\1"}
    found = same_environments(there)
    assert found[2] == found[3] == found[5] != found[1]
    assert found[4] == 0


@pytest.mark.slow
def test_of_very_many_at_one_moment_each_is_seen() -> None:
    random, events = Random(7), []
    for number in range(2500):
        state = random.choice(("PENDING", "SUCCESS")) if number else "SUCCESS"
        at = 0 if number < 2400 else 60
        events.append(event(number, at, "orders.query", state=state, wrote=at + number * 1e-6))
    wrong = {one.id for one in events if one.state == "PENDING"}
    found = codes(*events)
    assert {number for number in found if found[number] == {"state-moved-back"}} == {
        number for number in wrong if number >= 2400
    }
    assert {number for number in found if found[number] == {"time-unclear"}} <= {
        number for number in wrong if number < 2400
    }


@pytest.mark.parametrize("most", [2, 1000])
def test_what_is_found_does_not_depend_on_the_order_of_reading(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_store, "_MOST", most)  # more rows are stored on disk
    stores = []
    events = [
        event(0, 0, "orders.checkout", answer="none"), event(1, 30, "orders.checkout", key="k1"),
        event(2, 60, "orders.query", state="SUCCESS"), event(3, 90, "orders.query", answer="absent"),
        event(4, 100, "refunds.create", key="R", order="K1", amount="99.00", state="REFUND_PENDING"),
    ]  # fmt: skip
    for order in (events, events[::-1]):
        store = RowStore()
        auditor = Auditor(Matcher(), Trusting(), AuditSettings(evidence=0), store)
        auditor.take_all(map(exchange_of, order))
        stores.append(sorted((row.number, finding.code) for row, finding in found_in(store, auditor)))
    assert stores[0] == stores[1] == [
        (1, "key-reused"), (3, "state-moved-back"), (4, "refund-exceeds-paid")
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("10.50", "10.5"), ("-3", "-3"), ("0", "0"), ("1E+63", "1E+63"), ("1E+64", None), ("1E-63", "1E-63"), ("1E-64", None),
        ("NaN", None), ("Infinity", None), ("\u0661\u0662", None), ("ten", None), ("", None), (None, None),
    ],
)  # fmt: skip
def test_amounts_are_numbers_that_somebody_pays(text: str | None, number: str | None) -> None:
    assert amount_of(text) == (None if number is None else Decimal(number))


def test_amounts_are_compared_as_numbers_and_else_as_texts() -> None:
    assert same_amount("10.5", "10.50")
    assert same_amount("ten", "ten")
    assert not same_amount("ten", "eleven")
    assert not same_amount("10.5", "10.51")


def test_what_is_said_names_the_interval(keys: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scribe = Scribe(keys)
    for at in (0, 60):
        scribe.call("orders.checkout", {"outTradeNo": "O1"}, {"outTradeNo": "O1"}, at=at, answered=False)
    (line,) = [line for line in scribe.audit(tmp_path, capsys) if line.get("code") == "placed-again"]
    assert "no two inquiries 300 seconds apart" in line["message"]
    assert line["contract"].startswith("spec/orders.yaml:")
    assert line["other"] == {"file": line["file"], "place": "line 1", "at": "2025-06-01T12:00:00.000Z"}


@pytest.mark.parametrize(
    ("placed", "left"),
    [
        ([(2, 0, 0), (1, 8, 0), (0, 20, 0)], [(2, 0)]),
        ([(0, 0, 0), (0, 1, 0), (0, 2, 0)], [(0, 0)]),
        ([(0, 0, 0), (0, 1, 1), (1, 2, 1), (1, 500, 0)], [(0, 0), (0, 1)]),
    ],
)
def test_copies_of_one_signed_time_agree(placed: list[tuple[int, float, float]], left: list[tuple[int, float]]) -> None:
    store = RowStore()
    auditor = Auditor(Matcher(), Trusting(), AuditSettings(evidence=0), store)
    for number, (file, at, wrote) in enumerate(placed):
        one = replace(event(number, 0, "orders.query", state="SUCCESS"), at=at, until=at, wrote=wrote)
        auditor.take_all([exchange_of(one)], str(file))
    (rows,) = store.groups(Round.SUBJECT, Same({}, {}))
    related = relate_key(rows, Whole(Same({}, {}), CaptureFacts(), set()))
    assert (related.copies, related.found) == (len(placed) - len(left), [])
    seen = [(int(row.file), row.seen - BEGIN.timestamp()) for row in without_copies(cast("list[Row]", rows))[0]]
    assert seen == left


@pytest.mark.parametrize("gap", [-0.1, 0, 9.9, 10])
def test_what_is_wrong_either_way_needs_no_order(gap: float) -> None:
    first = event(0, 0, "withdrawals.query", state="SUCCESS", until=20)
    assert codes(first, event(1, 20 + gap, "withdrawals.query", state="FAILED")) == {1: {"state-moved-back"}}


@pytest.mark.parametrize(("late", "said_of_it"), [(SLACK, set()), (SLACK + 0.001, {"state-moved-back"})])
def test_a_cancel_counts_up_to_where_the_clocks_may_differ(late: float, said_of_it: set[str]) -> None:
    paid = event(0, 0, "snap.status", state="00")
    gone = event(1, 60, "snap.status", state="05")
    cancel = event(2, 60 + late, "snap.cancel", answer="none")
    assert codes(paid, gone, cancel).get(1, set()) == said_of_it


def test_an_order_without_an_inquiry_is_taken_at_the_most_that_was_asked_for() -> None:
    small = event(0, 0, "orders.checkout", key="O1", amount="5.00", state="PENDING")
    large = replace(small, id=1, at=10, until=10, amount="10.00", content="b")
    back = event(2, 20, "refunds.create", order="O1", amount="8.00", state="REFUND_PENDING")
    for first, second in ((small, large), (replace(large, id=0, at=0, until=0), replace(small, id=1, at=10, until=10))):
        assert "refund-exceeds-paid" not in codes(first, second, back).get(2, set())
    assert codes(small, back)[2] == {"refund-exceeds-paid"}


COMPLETE = AuditSettings(complete=True)
Found = list[tuple[Row, Finding]]


def found_in(store: RowStore, auditor: Auditor, settings: AuditSettings = COMPLETE) -> Found:
    """Every finding across the exchanges that an auditor has judged, with the row of its exchange."""
    found: Found = []
    whole = auditor.partial.whole(settings)
    for round_ in rounds(whole.wanted):
        _relate(store, round_, whole, store, found)
    return found


def found_in_shares(files: Sequence[Path], whole: Whole, shares: int) -> Found:
    """The same of the rows in files, as processes share them out: a store takes some buckets of all files in each round."""
    found: Found = []
    there = list(files)
    for round_ in rounds(whole.wanted):
        made = []
        for share in range(shares):
            buckets = range(BUCKETS * share // shares, BUCKETS * (share + 1) // shares)
            store, out = RowStore(), there[0].with_name(f"{len(there)}-{share}.rows")
            for file in there:
                store.take(file, round_, buckets)
            sink = RowStore(out)
            _relate(store, round_, whole, sink, found)
            sink.close()
            made.append(out)
        there += made
    return found


def _relate(store: RowStore, round_: Round, whole: Whole, sink: RowStore, found: Found) -> None:
    for rows in store.groups(round_, whole.same):
        out = relate_key(rows, whole)
        found += out.found
        sink.add(out.rows)


def said(events: Sequence[Event]) -> set[tuple[int, str, str, str]]:
    """What the audit says across the exchanges of events: event, part, pointer and code; the same of one store and of shares of several."""
    store, total = RowStore(), PartialResult()
    alone = Auditor(Matcher(), Trusting(), AuditSettings(evidence=0), store)
    with TemporaryDirectory() as folder:
        files = [Path(folder, f"{number}.rows") for number in (0, 1)]
        for number, file in enumerate(files):
            mine = [event for event in events if event.file == number]
            part = RowStore(file)
            for auditor in (alone, Auditor(Matcher(), Trusting(), AuditSettings(evidence=0), part)):
                auditor.take_all(map(exchange_of, mine), ("one", "two")[number])
            total.merge(auditor.partial, 0)
            part.close()
        shared = found_in_shares(files, total.whole(COMPLETE), 3)
    stored, of_shares = (
        {(row.number, one.part, one.pointer, one.code) for row, one in found}
        for found in (found_in(store, alone), shared)
    )
    assert stored == of_shares
    return stored
