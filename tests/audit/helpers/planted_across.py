"""Faults that several exchanges together make, faults of time, and the sessions in which nothing is wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tests.audit.helpers.planted_story import DAY, Draft, Story

__all__ = ["ACROSS", "GOOD"]

_KEY: Final = "/data/outTradeNo"


def _at_key(story: Story, draft: Draft, code: str, pointer: str = _KEY) -> None:
    story.expect(draft, "request", pointer, code)


def key_in_other_case(story: Story) -> None:
    story.order()
    draft = story.order(story.key().lower(), at=30)
    _at_key(story, draft, "key-reused")


def key_for_something_else(story: Story) -> None:
    story.order()
    _at_key(story, story.order(at=50, data={"subject": "Something else"}), "key-reused")


def refund_key_for_something_else(story: Story) -> None:
    story.order()
    story.refund(amount=1)
    _at_key(story, story.refund(amount=2, at=400), "key-reused", "/data/outRefundNo")


def exchange_key_again(story: Story) -> None:
    story.exchange()
    _at_key(story, story.exchange(at=30), "placed-again")


def plan_key_for_something_else(story: Story) -> None:
    story.plan()
    again = story.plan(at=30)
    again.data["subscriptionPlan"]["subject"] = "Monthly"
    _at_key(story, again, "key-reused", "/data/subscriptionRequestId")


def placed_again_at_once(story: Story) -> None:
    story.order(answered=False)
    _at_key(story, story.order(at=45), "placed-again")


def placed_again_after_one_absence(story: Story) -> None:
    story.order(answered=False)
    story.absent(at=20)
    _at_key(story, story.order(at=330), "placed-again")


def placed_again_too_early(story: Story) -> None:
    story.order(answered=False)
    story.absent(at=20)
    story.absent(at=305)
    _at_key(story, story.order(at=320), "placed-again")


def placed_again_on_a_forged_absence(story: Story) -> None:
    story.order(answered=False)
    story.absent(at=20)
    forged = story.absent(at=330)
    assert forged.told is not None
    forged.told.signer, forged.told.verdict = None, ("absent", "absent")
    story.expect(forged, "response", "@header/sign", "signature-absent")
    _at_key(story, story.order(at=340), "placed-again")


def refund_above_all(story: Story) -> None:
    story.order()
    story.expect(story.refund(amount=10.51), "request", "/data/refundAmount", "refund-exceeds-paid")


def refund_above_the_rest(story: Story) -> None:
    story.order()
    story.ask(status="SUCCESS")
    for name, amount, at in (("R1_", 6, 300), ("R2_", 4.5, 400)):
        story.refund(name + story.key(), amount, at=at)
        story.ask_refund(name + story.key(), at=at + 60)  # whatever the capture lost, this money went back
    last = story.refund("R3_" + story.key(), 0.01, at=500)
    story.expect(last, "request", "/data/refundAmount", "refund-exceeds-paid")


def refund_by_token_above_the_rest(story: Story) -> None:
    story.order()
    story.refund("R1_" + story.key(), 10)
    story.ask_refund("R1_" + story.key(), at=360)
    by_token = {"outTradeNo": None, "tradeToken": f"TT{story.key()}"}
    last = story.refund("R2_" + story.key(), 1, at=400, data=by_token)
    story.expect(last, "request", "/data/refundAmount", "refund-exceeds-paid")


def refund_in_other_currency(story: Story) -> None:
    story.order()
    draft = story.refund(data={"refundCurrency": "EUR"})
    story.expect(draft, "request", "/data/refundCurrency", "refund-currency")


def refund_after_180_days(story: Story) -> None:
    story.order()
    draft = story.refund(at=181 * DAY + 60)
    story.expect(draft, "request", "/data/outRefundNo", "refund-too-late")


def _moved(story: Story, draft: Draft, pointer: str = "/data", part: str = "response") -> None:
    story.expect(draft, part, pointer, "state-moved-back")


def paid_then_pending(story: Story) -> None:
    story.order()
    story.ask(status="SUCCESS")
    _moved(story, story.ask(at=120))


def paid_then_failed(story: Story) -> None:
    story.order()
    story.ask(status="SUCCESS")
    _moved(story, story.ask(at=120, status="FAILED"))


def known_then_absent(story: Story) -> None:
    story.order()
    story.ask()
    _moved(story, story.absent(at=400), "/code")


def refund_moved_back(story: Story) -> None:
    story.order()
    story.refund()
    story.ask_refund(at=360)
    _moved(story, story.ask_refund(at=420, status="REFUND_PENDING"))


def exchange_moved_back(story: Story) -> None:
    story.exchange()
    story.ask_exchange()
    _moved(story, story.ask_exchange(at=90, status="FAILED"))


def withdrawal_moved_back(story: Story) -> None:
    story.withdrawal(status="SUCCESS")
    _moved(story, story.withdrawal(at=60))


def bank_moved_back(story: Story) -> None:
    story.bank(status="00")
    _moved(story, story.bank(at=60), "")


def transfer_moved_back(story: Story) -> None:
    story.transfer(status="SETTLED")
    _moved(story, story.transfer(at=60, status="REJECTED"), part="notification")


def period_moved_back(story: Story) -> None:
    story.period(status="SUCCESS")
    _moved(story, story.period(at=90, status="FAILED"), part="notification")


def notified_another_state(story: Story) -> None:
    story.order()
    story.paid()
    draft = story.ask(at=120, status="FAILED")
    story.expect(draft, "response", "/data", "notification-disagrees")


def inquired_another_state(story: Story) -> None:
    story.order()
    story.ask(status="SUCCESS")
    story.expect(story.paid(status="FAILED"), "notification", "/data", "final-state-left", note=True)


def notified_another_amount(story: Story) -> None:
    story.order()
    story.ask(status="SUCCESS")
    story.expect(story.paid(amount="99.50"), "notification", "/data", "notification-disagrees")


def notified_another_currency(story: Story) -> None:
    story.order()
    story.ask(status="SUCCESS")
    story.expect(story.paid(currency="EUR"), "notification", "/data", "notification-disagrees")


def key_changed(story: Story) -> None:
    story.order(answered=False)
    _at_key(story, story.order("N" + story.key(), at=25), "key-changed")


def refund_key_changed(story: Story) -> None:
    story.order()
    story.refund(answered=False)
    draft = story.refund("N" + story.key("REF"), at=330)
    _at_key(story, draft, "key-changed", "/data/outRefundNo")


def external_id_again(story: Story) -> None:
    first, second = story.bank(), story.bank(at=60)
    (number,) = [value for name, value in first.asked.headers if name == "X-EXTERNAL-ID"]
    second.asked.header("X-EXTERNAL-ID", number)
    story.expect(second, "request", "@header/X-EXTERNAL-ID", "external-id-reused")


def stale_request(story: Story) -> None:
    draft = story.order(code="REQ_TIME_OVER_TIME")
    draft.asked.value["requestTime"] = draft.asked.value["requestTime"].replace("2025-", "2024-")
    story.expect(draft, "request", "/requestTime", "request-skew")


def clock_ahead(story: Story) -> None:
    draft = story.order(answered=False)
    draft.at -= 131
    story.expect(draft, "request", "/requestTime", "time-unclear", note=True)


def other_answer(story: Story) -> None:
    story.order()
    draft = story.ask(told={"outTradeNo": story.key("ORX")}, status="SUCCESS")
    story.expect(draft, "response", _KEY, "echo")


def other_refund_answer(story: Story) -> None:
    story.order()
    draft = story.refund(told={"outRefundNo": story.key("REX")})
    story.expect(draft, "response", "/data/outRefundNo", "echo")


def other_case_answer(story: Story) -> None:
    draft = story.any("cases.search")
    draft.side("response").value["data"]["caseId"] = "CASE0002"
    story.expect(draft, "response", "/data/caseId", "echo")


def bad_gateway(story: Story) -> None:
    draft = story.ask()
    assert draft.told is not None
    draft.told.status, draft.told.verdict = 502, None
    draft.told.value = {"error": "Bad gateway"}
    story.expect(draft, "response", "@status", "http-status")


def refused_notification(story: Story) -> None:
    draft = story.transfer()
    assert draft.told is not None
    draft.told.status = 500
    story.expect(draft, "answer", "@status", "not-acknowledged", note=True)


ACROSS: Final[tuple[Callable[[Story], None], ...]] = (
    key_in_other_case, key_for_something_else, refund_key_for_something_else, exchange_key_again,
    plan_key_for_something_else, placed_again_at_once, placed_again_after_one_absence, placed_again_too_early,
    placed_again_on_a_forged_absence, refund_above_all, refund_above_the_rest, refund_by_token_above_the_rest,
    refund_in_other_currency, refund_after_180_days, paid_then_pending, paid_then_failed, known_then_absent,
    refund_moved_back, exchange_moved_back, withdrawal_moved_back, bank_moved_back, transfer_moved_back,
    period_moved_back, notified_another_state, inquired_another_state, notified_another_amount,
    notified_another_currency, key_changed, refund_key_changed, external_id_again, stale_request, clock_ahead,
    other_answer, other_refund_answer, other_case_answer, bad_gateway, refused_notification,
)  # fmt: skip


# Nothing is wrong with what follows, however near it comes.


def bought(story: Story) -> None:
    drop_in = story.random.random() < 0.3
    story.order(operation="orders.drop_in" if drop_in else "orders.checkout")
    for step in range(story.random.randrange(1, 4)):
        story.ask(at=10 + 20 * step)
    story.paid(at=80)
    story.ask(at=90, status="SUCCESS")
    if story.random.random() < 0.4:
        story.refund(at=300)
        story.ask_refund(at=310, status="REFUND_PENDING")
        story.ask_refund(at=900)


def refused(story: Story) -> None:
    story.order(code="PARAMS_INVALID")
    story.order(at=20, data={"subject": "Better"})
    story.ask(at=50, status="FAILED")


def absent_and_placed_again(story: Story) -> None:
    story.order(answered=False)
    story.absent(at=20)
    story.absent(at=150)
    story.absent(at=325)
    story.order(at=330)
    story.ask(at=340, status="SUCCESS")


def unanswered_and_inquired(story: Story) -> None:
    story.order(answered=False)
    story.ask(at=15)
    story.order("N" + story.key(), at=40)


def late_notification(story: Story) -> None:
    story.order()
    story.ask(status="SUCCESS")
    story.paid(at=90, status="PENDING")
    story.paid(at=9000)


def refunded_to_the_end(story: Story) -> None:
    story.order()
    story.ask(status="SUCCESS")
    story.refund("R1_" + story.key(), 10.49)
    story.refund("R2_" + story.key(), 0.01, at=180 * DAY - 60, data={"outTradeNo": story.key().lower()})


def failed_refund(story: Story) -> None:
    story.order()
    story.refund(amount=10.5)
    story.ask_refund(status="REFUND_FAILED")
    story.refund("N" + story.key("REF"), 10.5, at=500)


def exchanged(story: Story) -> None:
    for name in ("rates.query", "accounts.list_authorized"):
        story.any(name)
    story.exchange(at=10, status="PENDING")
    story.ask_exchange(at=20, status="PENDING")
    story.ask_exchange(at=40)


def withdrawn(story: Story) -> None:
    story.withdrawal()
    story.withdrawal(at=60, status="SUCCESS")
    data = {"outTradeNo": story.key("WD"), "status": "SUCCESS", "transactionAmount": "100.00"}
    story.unshown("WITHDRAW", {**data, "transactionCurrency": "EUR"}, at=70)


def subscribed(story: Story) -> None:
    story.plan()
    for step, status in enumerate(("PENDING", "PENDING", "SUCCESS", "SUCCESS")):
        story.period(at=30 + step, status=status)


def transferred(story: Story) -> None:
    for step, status in enumerate(("TO_BE_PROVED", "SETTLED", "SETTLED")):
        story.transfer(at=5 * step, status=status)


def banked(story: Story) -> None:
    story.bank()
    story.bank(at=5)
    story.cancel(at=10)
    story.bank(at=15, status="05")


def looked(story: Story) -> None:
    for name in (
        "cases.search",
        "cases.inquire",
        "payment_tokens.list",
        "payment_tokens.inquire",
        "payment_links.query",
    ):
        story.any(name)
    story.bill(at=3)
    story.other(at=4)


GOOD: Final = (
    (bought, 30), (refused, 4), (absent_and_placed_again, 4), (unanswered_and_inquired, 4), (late_notification, 3),
    (refunded_to_the_end, 4), (failed_refund, 3), (exchanged, 4), (withdrawn, 3), (subscribed, 4), (transferred, 3),
    (banked, 4), (looked, 4),
)  # fmt: skip
