"""Faults that several exchanges together make, faults of time, and the sessions in which nothing is wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tests.audit.helpers.planted_story import DAY, Draft, Story
from tests.audit.helpers.planted_values import put

__all__ = ["ACROSS", "GOOD"]

_KEY: Final = "/data/outTradeNo"
_REFUND: Final = "/data/outRefundNo"
_AMOUNT: Final = "/data/refundAmount"


def _last(
    steps: Callable[[Story], object], part: str, pointer: str, code: str, *, note: bool = False
) -> Callable[[Story], None]:
    """Plants these steps, of which the last is wrong."""

    def plant(story: Story) -> None:
        steps(story)
        story.expect(story.drafts[-1], part, pointer, code, note=note)

    return plant


def _forged_absence(story: Story) -> Draft:
    story.order(answered=False)
    story.absent(at=20)
    forged = story.absent(at=330)
    assert forged.told is not None
    forged.told.signer, forged.told.verdict = None, ("absent", "absent")
    story.expect(forged, "response", "@header/sign", "signature-absent")
    return story.order(at=340)


def _refunds(story: Story) -> Draft:
    story.order()
    story.ask(status="SUCCESS")
    for name, amount, at in (("R1_", 6, 300), ("R2_", 4.5, 400)):
        story.refund(name + story.key(), amount, at=at)
        story.ask_refund(name + story.key(), at=at + 60)  # whatever the capture lost, this money went back
    return story.refund("R3_" + story.key(), 0.01, at=500)


def _refund_by_token(story: Story) -> Draft:
    story.order()
    story.refund("R1_" + story.key(), 10)
    story.ask_refund("R1_" + story.key(), at=360)
    return story.refund("R2_" + story.key(), 1, at=400, data={"outTradeNo": None, "tradeToken": f"TT{story.key()}"})


def _external_id(story: Story) -> None:
    first, second = story.bank(), story.bank(at=60)
    (number,) = [value for name, value in first.asked.headers if name == "X-EXTERNAL-ID"]
    second.asked.header("X-EXTERNAL-ID", number)


def _stale(story: Story) -> None:
    asked = story.order(code="REQ_TIME_OVER_TIME").asked.value
    asked["requestTime"] = asked["requestTime"].replace("2025-", "2024-")


def _ahead(story: Story) -> None:
    story.order(answered=False).at -= 131


def _bad_gateway(story: Story) -> None:
    told = story.ask().side("response")
    told.status, told.verdict, told.value = 502, None, {"error": "Bad gateway"}


def _refused_notification(story: Story) -> None:
    story.transfer().side("answer").status = 500


ACROSS: Final[dict[str, Callable[[Story], None]]] = {
    "key in other case": _last(lambda s: (s.order(), s.order(s.key().lower(), at=30)), "request", _KEY, "key-reused"),
    "key for something else": _last(lambda s: (s.order(), s.order(at=50, data={"subject": "Something else"})), "request", _KEY, "key-reused"),
    "refund key for something else": _last(lambda s: (s.order(), s.refund(amount=1), s.refund(amount=2, at=400)), "request", _REFUND, "key-reused"),
    "exchange key again": _last(lambda s: (s.exchange(), s.exchange(at=30)), "request", _KEY, "placed-again"),
    "plan key for something else": _last(
        lambda s: (s.plan(), put(s.plan(at=30).data, "/subscriptionPlan/subject", "Monthly")), "request", "/data/subscriptionRequestId", "key-reused"
    ),
    "placed again at once": _last(lambda s: (s.order(answered=False), s.order(at=45)), "request", _KEY, "placed-again"),
    "placed again after one absence": _last(lambda s: (s.order(answered=False), s.absent(at=20), s.order(at=330)), "request", _KEY, "placed-again"),
    "placed again too early": _last(
        lambda s: (s.order(answered=False), s.absent(at=20), s.absent(at=305), s.order(at=320)), "request", _KEY, "placed-again"
    ),
    "placed again on a forged absence": _last(_forged_absence, "request", _KEY, "placed-again"),
    "refund above all": _last(lambda s: (s.order(), s.refund(amount=10.51)), "request", _AMOUNT, "refund-exceeds-paid"),
    "refund above the rest": _last(_refunds, "request", _AMOUNT, "refund-exceeds-paid"),
    "refund by token above the rest": _last(_refund_by_token, "request", _AMOUNT, "refund-exceeds-paid"),
    "refund in other currency": _last(lambda s: (s.order(), s.refund(data={"refundCurrency": "EUR"})), "request", "/data/refundCurrency", "refund-currency"),
    "refund after 180 days": _last(lambda s: (s.order(), s.refund(at=181 * DAY + 60)), "request", _REFUND, "refund-too-late"),
    "paid then pending": _last(lambda s: (s.order(), s.ask(status="SUCCESS"), s.ask(at=120)), "response", "/data", "state-moved-back"),
    "paid then failed": _last(lambda s: (s.order(), s.ask(status="SUCCESS"), s.ask(at=120, status="FAILED")), "response", "/data", "state-moved-back"),
    "known then absent": _last(lambda s: (s.order(), s.ask(), s.absent(at=400)), "response", "/code", "state-moved-back"),
    "refund moved back": _last(
        lambda s: (s.order(), s.refund(), s.ask_refund(at=360), s.ask_refund(at=420, status="REFUND_PENDING")), "response", "/data", "state-moved-back"
    ),
    "exchange moved back": _last(lambda s: (s.exchange(), s.ask_exchange(), s.ask_exchange(at=90, status="FAILED")), "response", "/data", "state-moved-back"),
    "withdrawal moved back": _last(lambda s: (s.withdrawal(status="SUCCESS"), s.withdrawal(at=60)), "response", "/data", "state-moved-back"),
    "bank moved back": _last(lambda s: (s.bank(status="00"), s.bank(at=60)), "response", "", "state-moved-back"),
    "transfer moved back": _last(
        lambda s: (s.transfer(status="SETTLED"), s.transfer(at=60, status="REJECTED")), "notification", "/data", "state-moved-back"
    ),
    "period moved back": _last(lambda s: (s.period(status="SUCCESS"), s.period(at=90, status="FAILED")), "notification", "/data", "state-moved-back"),
    "notified another state": _last(lambda s: (s.order(), s.paid(), s.ask(at=120, status="FAILED")), "response", "/data", "notification-disagrees"),
    "inquired another state": _last(
        lambda s: (s.order(), s.ask(status="SUCCESS"), s.paid(status="FAILED")), "notification", "/data", "final-state-left", note=True
    ),
    "notified another amount": _last(
        lambda s: (s.order(), s.ask(status="SUCCESS"), s.paid(amount="99.50")), "notification", "/data", "notification-disagrees"
    ),
    "notified another currency": _last(
        lambda s: (s.order(), s.ask(status="SUCCESS"), s.paid(currency="EUR")), "notification", "/data", "notification-disagrees"
    ),
    "key changed": _last(lambda s: (s.order(answered=False), s.order("N" + s.key(), at=25)), "request", _KEY, "key-changed"),
    "refund key changed": _last(
        lambda s: (s.order(), s.refund(answered=False), s.refund("N" + s.key("REF"), at=330)), "request", _REFUND, "key-changed"
    ),
    "external id again": _last(_external_id, "request", "@header/X-EXTERNAL-ID", "external-id-reused"),
    "stale request": _last(_stale, "request", "/requestTime", "request-skew"),
    "clock ahead": _last(_ahead, "request", "/requestTime", "time-unclear", note=True),
    "other answer": _last(lambda s: (s.order(), s.ask(told={"outTradeNo": s.key("ORX")}, status="SUCCESS")), "response", _KEY, "echo"),
    "other refund answer": _last(lambda s: (s.order(), s.refund(told={"outRefundNo": s.key("REX")})), "response", _REFUND, "echo"),
    "other case answer": _last(
        lambda s: put(s.any("cases.search").side("response").value, "/data/caseId", "CASE0002"), "response", "/data/caseId", "echo"
    ),
    "bad gateway": _last(_bad_gateway, "response", "@status", "http-status"),
    "refused notification": _last(_refused_notification, "answer", "@status", "not-acknowledged", note=True),
}  # fmt: skip


# Nothing is wrong with what follows, however near it comes.


def _bought(story: Story) -> None:
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


def _refunded_to_the_end(story: Story) -> None:
    story.order()
    story.ask(status="SUCCESS")
    story.refund("R1_" + story.key(), 10.49)
    story.refund("R2_" + story.key(), 0.01, at=180 * DAY - 60, data={"outTradeNo": story.key().lower()})


def _withdrawn(story: Story) -> None:
    story.withdrawal()
    story.withdrawal(at=60, status="SUCCESS")
    data = {"outTradeNo": story.key("WD"), "status": "SUCCESS", "transactionAmount": "100.00"}
    story.unshown("WITHDRAW", {**data, "transactionCurrency": "EUR"}, at=70)


def _looked(story: Story) -> None:
    for name in ("cases.search", "cases.inquire", "payment_tokens.list", "payment_tokens.inquire", "payment_links.query"):  # fmt: skip
        story.any(name)
    story.bill(at=3)
    story.other(at=4)


GOOD: Final[tuple[tuple[Callable[[Story], object], int], ...]] = (
    (_bought, 30),
    # Refused, and placed in another way.
    (lambda s: (s.order(code="PARAMS_INVALID"), s.order(at=20, data={"subject": "Better"}), s.ask(at=50, status="FAILED")), 4),
    # Absent, and placed again.
    (lambda s: (s.order(answered=False), *(s.absent(at=at) for at in (20, 150, 325)), s.order(at=330), s.ask(at=340, status="SUCCESS")), 4),
    # Unanswered, and inquired.
    (lambda s: (s.order(answered=False), s.ask(at=15), s.order("N" + s.key(), at=40)), 4),
    # Notified late.
    (lambda s: (s.order(), s.ask(status="SUCCESS"), s.paid(at=90, status="PENDING"), s.paid(at=9000)), 3),
    (_refunded_to_the_end, 4),
    # A refund that failed, and another.
    (lambda s: (s.order(), s.refund(amount=10.5), s.ask_refund(status="REFUND_FAILED"), s.refund("N" + s.key("REF"), 10.5, at=500)), 3),
    # Exchanged.
    (lambda s: (s.any("rates.query"), s.any("accounts.list_authorized"), s.exchange(at=10, status="PENDING"), s.ask_exchange(at=20, status="PENDING"),
                s.ask_exchange(at=40)), 4),
    (_withdrawn, 3),
    # Subscribed.
    (lambda s: (s.plan(), *(s.period(at=30 + at, status=now) for at, now in enumerate(("PENDING", "PENDING", "SUCCESS", "SUCCESS")))), 4),
    # Transferred.
    (lambda s: [s.transfer(at=5 * at, status=now) for at, now in enumerate(("TO_BE_PROVED", "SETTLED", "SETTLED"))], 3),
    # Bank-style calls.
    (lambda s: (s.bank(), s.bank(at=5), s.cancel(at=10), s.bank(at=15, status="05")), 4),
    (_looked, 4),
)  # fmt: skip
