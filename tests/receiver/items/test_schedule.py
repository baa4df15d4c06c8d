"""When an item is asked for: the numbers of the decision page, and what they bound."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise, takewhile
from pathlib import Path

import pytest

from paywright import contract
from paywright_receiver.items import inquiry_schedule as schedule
from paywright_receiver.items.follow_state import FollowState
from paywright_runtime.clock import Moment
from paywright_runtime.error_text import advised
from paywright_runtime.settling import resolution
from paywright_runtime.settling.resolution import ONCE_A_DAY
from tests.receiver.helpers.notices import notice

NOON = datetime(2025, 6, 1, 12, tzinfo=UTC)
SHOWN = {
    "orders": {"outTradeNo": "KEY_1", "status": "PENDING"},
    "refunds": {"outRefundNo": "KEY_1", "status": "REFUND_PENDING"},
    "exchanges": {"outTradeNo": "KEY_1", "status": "PENDING"},
    "withdrawals": {"outTradeNo": "KEY_1", "status": "PROCESSING"},
    "payment_links": {"merchantLinkId": "KEY_1", "linkStatus": "ACTIVE", "expiresAt": "2025-06-08T12:00:00.000+00:00"},
}


PAGE = (Path(__file__).resolve().parents[3] / "docs" / "decisions" / "0011-following.md").read_text(encoding="utf-8")
UNITS = {"second": 1, "minute": 60, "hour": 3600, "day": 86400}


def rows(heading: str) -> list[list[str]]:
    """The rows of the table of the decision page with this first heading."""
    _, _, table = PAGE.partition(f"| {heading} |")
    lines = takewhile(lambda line: line.startswith("|"), table.split("\n")[2:])
    return [[cell.strip(" `") for cell in line.strip("|").split("|")] for line in lines]


def span(text: str) -> timedelta:
    number, unit = text.split()
    return timedelta(seconds=int(number) * UNITS[unit.removesuffix("s")])


def test_the_decision_page_has_every_number_as_it_is() -> None:
    page = {name: value for name, value, *_ in rows("name")}
    numbers = {
        name: value
        for name, value in {**vars(resolution), **vars(schedule)}.items()
        if name.isupper() and isinstance(value, (timedelta, int))
    }
    assert {name: span(text) if " " in text else int(text) for name, text in page.items()} == numbers


@pytest.mark.parametrize(("paid", "without", "known", "hinted"), rows("paid after"))
def test_the_decision_page_has_the_questions_as_they_are(paid: str, without: str, known: str, hinted: str) -> None:
    life = timedelta(minutes=30)
    pays = None if paid == "never" else span(paid)
    assert known_after(pays, life) == (int(without), span(known))
    if hinted:
        assert pays is not None
        assert known_after(pays, life, hint=pays) == (int(hinted), pays)


def known_after(paid: timedelta | None, life: timedelta, hint: timedelta | None = None) -> tuple[int, timedelta]:
    """How many questions an order costs that is paid then, and when its last state is known."""
    state = FollowState(contract.CONTRACT, "orders", "KEY_1", Moment(NOON, 0.0), expires_at=NOON + life)
    age = timedelta()
    while True:
        now = Moment(NOON + age, age.total_seconds())
        if hint is not None and age >= hint:
            notice(state, now)
            hint = None
        step = state.step(now)
        if step.state == "settled":
            return state.asked, age
        if step.state == "query":
            status = "SUCCESS" if paid is not None and age >= paid else "FAILED" if age >= life else "PENDING"
            state.found({"outTradeNo": "KEY_1", "status": status}, now)
        else:
            assert step.at is not None
            age = step.at - NOON if hint is None else min(step.at - NOON, hint)


def questions(state: FollowState, payload: dict[str, str], for_days: int) -> list[timedelta]:
    """When it asks, if the answer is always the same."""
    now, asked = NOON, []
    while True:
        step = state.step(Moment(now, (now - NOON).total_seconds()))
        if step.state == "query":
            asked.append(now - NOON)
            state.found(payload, Moment(now, (now - NOON).total_seconds()))
            continue
        assert step.at is not None
        if step.at > NOON + timedelta(days=for_days):
            return asked
        now = step.at


@pytest.mark.parametrize("kind", list(SHOWN))
def test_what_never_ends_costs_few_questions_and_is_handed_to_a_person(kind: str) -> None:
    state = FollowState(contract.CONTRACT, kind, "KEY_1", Moment(NOON, 0.0))
    asked = questions(state, SHOWN[kind], 30)
    assert len(asked) <= 70
    assert len([at for at in asked if at <= timedelta(days=1)]) <= 12
    # Each pause is at most as long as the time before it, or a day once a person has to decide.
    assert all(b - a <= max(schedule.FIRST, a, ONCE_A_DAY) for a, b in pairwise(asked))
    step = state.step(Moment(NOON + timedelta(days=30), 30 * 86400.0))
    assert step.state in ("decide", "query")
    assert advised("decide.overdue") in state.last


def test_every_kind_that_is_asked_for_has_a_payload_here() -> None:
    assert set(SHOWN) == {kind for kind, each in contract.followed().items() if not each.told}


def test_the_end_of_an_order_is_the_longest_that_the_contract_states() -> None:
    assert contract.followed()["orders"].open_for == 86400
    state = FollowState(contract.CONTRACT, "orders", "KEY_1", Moment(NOON, 0.0))
    assert state.end == NOON + timedelta(days=1)
    asked = questions(state, SHOWN["orders"], 30)
    assert timedelta(days=1) + schedule.AFTER_EXPIRY in asked


def test_an_item_that_must_be_closed_already_is_asked_for_at_once() -> None:
    state = FollowState(contract.CONTRACT, "orders", "KEY_1", Moment(NOON, 0.0), expires_at=NOON - timedelta(days=3))
    assert state.step(Moment(NOON, 0.0)).state == "query"


def test_a_question_shortly_before_the_expiry_is_left_out() -> None:
    end = NOON + timedelta(minutes=30)
    assert schedule.regular(NOON + timedelta(minutes=12), NOON, None, end) == end + schedule.AFTER_EXPIRY
    assert schedule.regular(NOON + timedelta(minutes=6), NOON, None, end) == NOON + timedelta(minutes=12)


def test_after_the_expiry_the_pauses_grow_from_it() -> None:
    end = NOON + timedelta(minutes=30)
    now, pauses = end + schedule.AFTER_EXPIRY, []
    for _ in range(4):
        at = schedule.regular(now, NOON, None, end)
        pauses.append((at - now) / timedelta(minutes=1))
        now = at
    assert pauses == [3, 4, 8, 16]


def test_after_a_hint_the_pauses_grow_from_it() -> None:
    hinted = NOON + timedelta(hours=5)
    assert schedule.regular(hinted, NOON, hinted, None) == hinted + schedule.SOON
    later = hinted + timedelta(minutes=4)
    assert schedule.regular(later, NOON, hinted, None) == later + timedelta(minutes=4)


def test_the_gap_grows_to_the_interval_that_section_4_3_states() -> None:
    interval = contract.limits()["not-exist-interval"].seconds
    assert [schedule.gap(count).total_seconds() for count in (0, 1, 2, 5, 6, 1000)] == [
        10, 20, 40, interval, interval, interval,
    ]  # fmt: skip


def test_failures_are_asked_again_with_growing_pauses() -> None:
    pauses = [schedule.pause_after_failure(count).total_seconds() for count in (0, 1, 2, 3, 7, 8, 10_000)]
    assert pauses == [0, 15, 30, 60, 960, 1800, 1800]


def test_what_nobody_places_again_is_asked_for_further_and_further_apart() -> None:
    pauses = [schedule.pause_of_unplaced(count).total_seconds() for count in (0, 1, 2, 3, 7, 8, 10_000)]
    assert pauses == [5, 300, 600, 1200, 19_200, 21_600, 21_600]


def test_what_was_booked_by_hand_is_no_news_when_the_gateway_shows_it() -> None:
    state = FollowState(contract.CONTRACT, "orders", "KEY_1", Moment(NOON, 0.0), expires_at=NOON + timedelta(hours=1))
    state.close(Moment(NOON, 0.0), "paid in cash", "SUCCESS")
    later = Moment(NOON + timedelta(hours=2), 7200.0)
    assert state.step(later).state == "query"
    state.found({**SHOWN["orders"], "status": "SUCCESS"}, later)
    assert state.step(later).state == "closed"


@pytest.mark.parametrize(
    ("unknown", "booked", "status", "on"),
    [
        (False, None, "PENDING", True),
        (False, None, "FAILED", False),
        (False, None, None, False),
        (True, None, None, False),
        (True, "SUCCESS", None, False),
    ],
)
def test_what_is_closed_is_asked_about_twice_and_while_the_gateway_has_it_open(
    unknown: bool, booked: str | None, status: str | None, on: bool
) -> None:
    state = FollowState(contract.CONTRACT, "orders", "KEY_1", Moment(NOON, 0.0), unknown=unknown)
    now, asked = Moment(NOON, 0.0), 0
    state.close(now, "by hand", booked)
    while now.wall < NOON + timedelta(days=30):
        step = state.step(now)
        if step.state == "query":
            asked += 1
            if status is None:
                state.absent(now, now)
            else:
                state.found({**SHOWN["orders"], "status": status}, now)
        elif step.at is None:
            break
        else:
            now = Moment(step.at, (step.at - NOON).total_seconds())
    assert asked == (30 if on else 2)


@pytest.mark.parametrize(
    ("unknown", "decide", "absences", "ahead", "longest"),
    [
        (True, False, 0, False, timedelta(minutes=10)),
        (True, False, 0, True, timedelta(minutes=10)),
        (True, False, 3, False, schedule.pause_of_unplaced(3)),
        (True, True, 0, False, ONCE_A_DAY),
        (True, True, 0, True, ONCE_A_DAY),
        (False, False, 0, False, 2 * schedule.LONGEST),
        (False, False, 0, True, ONCE_A_DAY),
        (False, True, 0, False, ONCE_A_DAY),
    ],
)
def test_a_wrong_clock_delays_a_question_by_the_longest_pause_at_most(
    unknown: bool, decide: bool, absences: int, ahead: bool, longest: timedelta
) -> None:
    year = timedelta(days=365)
    state = FollowState(contract.CONTRACT, "orders", "KEY_1", Moment(NOON, 0.0), unknown=unknown)
    state.decide, state.absences, state.next_at = decide, absences, NOON + year
    state.asked_at = NOON + year if ahead else None
    assert state.step(Moment(NOON, 0.0)).at == NOON + longest
