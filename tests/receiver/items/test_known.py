"""What is known of an item, and what ends or begins the asking: parts, amounts, clocks that were ahead, notifications."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from paywright import contract
from paywright_receiver.items import inquiry_schedule as schedule
from paywright_receiver.items.follow_state import FollowState
from paywright_receiver.items.state_memory import Remembered
from paywright_receiver.items.times import micros
from paywright_runtime.clock import Moment
from paywright_runtime.settling.resolution import ENOUGH_QUESTIONS
from tests.receiver.helpers.notices import notice, stored_item, taken_up_from

NOON = datetime(2025, 6, 1, 12, tzinfo=UTC)


def at(span: timedelta = timedelta()) -> Moment:
    return Moment(NOON + span, span.total_seconds())


def follow(kind: str = "orders", opened: timedelta = timedelta(), **options: object) -> FollowState:
    return FollowState(contract.CONTRACT, kind, "KEY_1", at(opened), **options)  # type: ignore[arg-type]  # by name


def order(status: str) -> dict[str, object]:
    return {"outTradeNo": "KEY_1", "status": status}


def link(status: str, *payments: str) -> dict[str, object]:
    return {
        "merchantLinkId": "KEY_1",
        "linkStatus": status,
        "expiresAt": "2025-06-08T12:00:00.000+00:00",
        "payByLinkInfo": [{"outTradeNo": f"T{number}", "status": each} for number, each in enumerate(payments)],
    }


@pytest.mark.parametrize(
    ("status", "payments", "settled", "paid"),
    [
        ("ACTIVE", (), False, False),
        ("ACTIVE", ("SUCCESS",), False, True),
        ("EXPIRED", (), True, False),
        ("EXPIRED", ("CLOSE",), True, False),
        ("EXPIRED", ("CLOSE", "SUCCESS"), True, True),
        ("EXPIRED", ("PENDING",), False, False),
        ("EXPIRED", ("SUCCESS", "PENDING"), False, True),
        ("EXPIRED", ("A_NEW_WORD",), False, False),
    ],
)
def test_a_link_settles_with_its_payments(status: str, payments: tuple[str, ...], settled: bool, paid: bool) -> None:
    state = follow("payment_links")
    state.found(link(status, *payments), at())
    assert (state.settled, state.paid) == (settled, paid)
    assert state.step(at()).state == ("settled" if settled else "wait")
    assert state.end == NOON + timedelta(days=7)


@pytest.mark.parametrize(
    ("shown", "digits"),
    [
        (Decimal("4.20"), "4.20"), (Decimal("1E+3"), "1000"), (Decimal("1E-7"), "0.0000001"), (420, "420"),
        ("4.20", "4.20"), (True, None), ("", None), (None, None), ([], None),
    ],
)  # fmt: skip
def test_amounts_keep_the_digits_of_the_wire(shown: object, digits: str | None) -> None:
    state = follow("refunds")
    state.found({"outRefundNo": "KEY_1", "status": "REFUND_PENDING", "refundAmount": shown}, at())
    assert state.amount == digits


def test_an_amount_that_the_next_answer_leaves_out_is_still_known() -> None:
    state = follow("refunds")
    first = {"outRefundNo": "KEY_1", "status": "REFUND_PENDING", "refundAmount": 4, "refundCurrency": "USD"}
    state.found(first, at())
    state.found({"outRefundNo": "KEY_1", "status": "REFUND_SUCCESS"}, at())
    assert (state.last_state, state.amount, state.currency) == ("REFUND_SUCCESS", "4", "USD")


def test_one_question_long_after_the_expiry_is_no_reason_to_call_a_person() -> None:
    state = follow(expires_at=NOON)
    late = timedelta(days=3)
    for number in range(ENOUGH_QUESTIONS):
        assert not state.decide
        state.found(order("PENDING"), at(late + timedelta(hours=number)))
    assert state.decide


def test_failures_and_absences_count_in_a_row() -> None:
    state = follow()
    state.found(order("PENDING"), at())
    for _ in range(3):
        for _ in range(2):
            state.absent(at(), at())
            assert state.step(at()).state == "wait"
        state.inconclusive("timeout", at())
        assert state.next_at == NOON + schedule.FAILURE
        state.found(order("PENDING"), at())
    for _ in range(3):
        state.absent(at(), at())
    assert state.step(at()).state == "decide"
    assert "does not know 'KEY_1' any more, and showed it as PENDING" in state.last


def test_news_bring_the_hints_back_to_the_shortest_distance() -> None:
    state = follow()
    for _ in range(5):
        notice(state, at())
        state.found(order("PENDING"), at())
    assert (state.hinted, state.next_at) == (4, NOON + schedule.gap(4))
    state.found(order("A_NEW_WORD"), at())
    notice(state, at())
    assert state.step(at()).at == NOON + schedule.GAP


def test_a_notification_that_the_answer_confirms_costs_one_question() -> None:
    state = follow()
    state.found(order("SUCCESS"), at())
    notice(state, at(), "BOUNCEBACK")
    state.found(order("BOUNCEBACK"), at())
    assert state.step(at()).state == "settled"


@pytest.mark.parametrize(
    ("says", "questions", "ends"), [("BOUNCEBACK", 34, "decide"), ("FAILED", 1, "settled"), ("", 1, "settled")]
)
def test_a_notification_that_no_answer_confirms_is_for_a_person(says: str, questions: int, ends: str) -> None:
    """It was asked about twice, and then forgotten."""
    state = follow()
    state.found(order("SUCCESS"), at())
    notice(state, at(), says)
    asked, now = 0, timedelta()
    while (step := state.step(at(now))).state != "settled" and now < timedelta(days=31):
        state = taken_up_from(stored_item(state, at(now)))
        if step.state == "query":
            asked += 1
            state.found(order("SUCCESS"), at(now))
        else:
            assert step.at is not None
            now = step.at - NOON
    assert (asked, step.state if step.state != "query" else "decide") == (questions, ends)


def test_what_two_things_leave_to_a_person_is_advised_once() -> None:
    state = follow()
    state.found(order("SUCCESS"), at())
    notice(state, at(), "FAILED")
    state.found(order("CLOSED"), at())
    why = state.step(at()).why
    assert "a signed notification said FAILED" in why
    assert why.casefold().count("ask the gateway's support") == 1


def test_whoever_wants_to_place_it_again_starts_no_known_item_again() -> None:
    state = follow()
    state.found(order("SUCCESS"), at())
    notice(state, at(), "FAILED")
    state.found(order("CLOSED"), at())
    left = stored_item(state, at())
    assert left.step == "decide"
    state.ask_now(at())
    assert stored_item(state, at()) == left


def test_what_a_clock_stamped_that_was_ahead_counts_as_now() -> None:
    ahead = timedelta(days=2)
    state = follow(opened=ahead)
    notice(state, at(ahead))
    state.found(order("PENDING"), at(ahead))
    state.step(at())
    assert (state.started_at, state.asked_at, state.hinted_at) == (NOON, NOON, NOON)
    assert state.end == NOON + timedelta(days=1)
    later = timedelta(minutes=10)
    state.found(order("PENDING"), at(later))
    assert state.next_at == NOON + 2 * later


@pytest.mark.parametrize(
    ("shown", "booked", "stands"),
    [
        (None, "SUCCESS", "SUCCESS"),
        ("PENDING", "SUCCESS", "SUCCESS"),
        ("SUCCESS", "FAILED", "FAILED"),
        ("SUCCESS", "PENDING", "SUCCESS"),
        ("BOUNCEBACK", "SUCCESS", "BOUNCEBACK"),
    ],
)
def test_what_is_booked_stands_unless_a_later_state_is_known(shown: str | None, booked: str, stands: str) -> None:
    state = follow()
    if shown is not None:
        state.found(order(shown), at())
    state.close(at(), "by hand", booked)
    assert (state.last_state, state.paid) == (stands, stands == "SUCCESS")


def test_the_latest_notice_counts_but_as_now_if_its_clock_was_ahead() -> None:
    state, now = follow(), timedelta(minutes=4)
    state.signed = tuple(Remembered("", "hint", micros(NOON + timedelta(minutes=each)), "no") for each in (3, 5))
    state.step(at(now))
    assert state.hinted_at == NOON + now


def test_what_was_noted_without_a_state_is_asked_about_whatever_is_notified_next() -> None:
    state, later = follow(), timedelta(minutes=1)
    notice(state, at(), "")
    state.notified(order("FAILED"), at(later))
    assert (state.last_state, state.step(at(later)).state) == ("FAILED", "query")
    state.found(order("FAILED"), at(later))
    assert state.step(at(later)).state == "settled"


@pytest.mark.parametrize("unknown", [False, True])
@pytest.mark.parametrize(
    "payload", [order("SUCCESS"), {"outTradeNo": "KEY_1", "status": "SUCCESS"}, {"outTradeNo": "KEY_1"}, {}, None]
)
def test_no_state_is_taken_from_an_unreadable_answer(payload: dict[str, object] | None, unknown: bool) -> None:
    """It may be another operation's: an order and an exchange may have one number, and states of one name."""
    state = follow(unknown=unknown)
    state.unreadable(payload, at())
    assert (state.last_state, state.paid, state.unknown, state.step(at()).state) == (None, False, unknown, "wait")


def test_a_word_of_the_gateway_is_kept_short_and_without_card_numbers() -> None:
    state = follow()
    state.found(order("CARD 4444333322221111 " + "x" * 200), at())
    assert state.last_state is not None
    assert "4444333322221111" not in state.last_state
    assert len(state.last_state) <= 40
    assert "4444333322221111" not in state.step(at()).why
