"""Results of orders, refunds and withdrawals, told by notifications that were seen and that the specification does not show [6.3]."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from paywright import ConfigurationError, Event, InvalidArgument, ItemResult, Ledger, contract
from paywright.models.orders import OrderStatus
from paywright_receiver import MemoryLedger
from paywright_receiver.items.follow_state import FollowState
from paywright_receiver.items.open_items import Item, ItemId
from paywright_receiver.items.stored_follow import apply_follow
from paywright_receiver.items.stored_follow import registered as follow_content
from paywright_receiver.webhooks.item_result import ResultFacts
from paywright_runtime.clock import Moment
from paywright_runtime.settling.stored_document import Owner
from tests.receiver.helpers.desk import APP, NOW, Desk, order, period, refund, transfer

NewLedger = Callable[[], Ledger]
AT = "https://gateway.example:443/"


def registered(desk: Desk, kind: str = "orders", key: str = "ORD_1", **settings: Any) -> ItemId:
    """Open an item in the book of the desk's ledger."""
    now = Moment.of(desk.clock)
    state = FollowState(contract.CONTRACT, kind, key, now, **settings)
    id = ItemId(APP, kind, key.lower() if kind == "orders" else key)
    empty = Item(id, key, AT, now.wall, now.wall, follow_content(state))
    item = apply_follow(empty, state, Owner({"app_id": APP}, AT), now)
    assert desk.ledger.book.open(item) == item  # type: ignore[attr-defined]  # every ledger here has a book
    return id


def told(desk: Desk, **settings: Any) -> list[ItemResult]:
    """Register a handler of orders that keeps what it is told."""
    found: list[ItemResult] = []

    @desk.receiver.on_result("orders", **settings)
    def handle(event: Event[ItemResult]) -> None:
        assert (event.by, event.operation) == ("notification", None)
        found.append(event.data)

    return found


def item(desk: Desk, id: ItemId) -> Item:
    found = desk.ledger.book.get(id)  # type: ignore[attr-defined]
    assert isinstance(found, Item)
    return found


def test_records_and_items_are_found_by_their_number_in_any_letters(new_ledger: NewLedger) -> None:
    desk = Desk(new_ledger())
    told(desk)
    registered(desk)
    for body in (order(), transfer("T_%!1"), transfer("Rx1"), transfer("RxA", "REJECTED"), period("SUB_1")):
        desk.deliver(body)
    found = {number: sorted(one.key.split("/", 1)[1] for one in desk.ledger.list(key=number)) for number in (
        "ord_1", "t_%!1", "rX1", "Rx_", "R", "Rx%", "sub_1", "SETTLED", "\ud800",
    )}  # fmt: skip
    assert {number: keys for number, keys in found.items() if keys} == {
        "ord_1": ["PAYMENT/ORD_1/SUCCESS"], "t_%!1": ["RECEIVE/T_%25!1/SETTLED"], "rX1": ["RECEIVE/Rx1/SETTLED"],
        "sub_1": ["SUBSCRIPTION_PAYMENT/SUB_1/1/SUCCESS"], "SETTLED": ["RECEIVE/Rx1/SETTLED", "RECEIVE/T_%25!1/SETTLED"],
    }  # fmt: skip
    book = desk.ledger.book  # type: ignore[attr-defined]
    assert [[one.key for one in book.numbered(number)] for number in ("OrD_1", "ORD_", "ORD")] == [["ORD_1"], [], []]


def test_a_notification_tells_a_result_and_settles_the_open_item(new_ledger: NewLedger) -> None:
    desk = Desk(new_ledger())
    found = told(desk)
    id = registered(desk)
    desk.pass_time(seconds=30)
    reply = desk.deliver(order())
    assert (reply.outcome, reply.key) == ("handled", f"{APP}/PAYMENT/ORD_1/SUCCESS")
    (one,) = found
    assert (one.kind, one.key, one.state, one.amount, one.currency) == (
        "orders",
        "ORD_1",
        "SUCCESS",
        Decimal("10.5"),
        "USD",
    )
    assert type(one.state) is OrderStatus
    assert one.is_paid
    assert repr(one) == "<ItemResult orders 'ORD_1': SUCCESS>"
    settled = item(desk, id)
    assert (settled.status, settled.state, settled.settled_state, settled.paid) == (
        "settled", "SUCCESS", "SUCCESS", True,
    )  # fmt: skip
    assert (settled.amount, settled.currency, settled.due_at, settled.asked) == ("10.5", "USD", None, 0)
    assert settled.settled_at == settled.changed_at == desk.clock.now()
    assert desk.deliver(order()).outcome == "duplicate"
    assert desk.deliver(order(number="ord_1")).outcome == "conflict"  # the gateway shows a key as its call had it
    assert len(found) == 1


def test_a_currency_in_other_letters_is_no_conflict(desk: Desk) -> None:
    told(desk)
    small = order()
    small["data"]["currency"] = "usd"
    registered(desk)
    assert [desk.deliver(body).outcome for body in (small, order(), small)] == ["handled", "duplicate", "duplicate"]


def test_a_handler_returns_for_another_sites_order_and_raises_where_its_own_row_is_missing(desk: Desk) -> None:
    """Sites that share an app id are told of each other's orders: what a handler returns for asks for no person."""

    @desk.receiver.on_result("orders")
    def told(event: Event[ItemResult]) -> None:
        if event.data.key.startswith("A_"):
            raise LookupError("There is no such payment.")

    assert [desk.deliver(order(number=one)).outcome for one in ("B_1", "A_1", "B_1")] == [
        "handled",
        "failed",
        "duplicate",
    ]
    assert [(one.key, one.status) for one in desk.ledger.list(status="failed")] == [
        (f"{APP}/PAYMENT/A_1/SUCCESS", "failed")
    ]
    assert list(desk.ledger.book.items()) == []


@pytest.mark.parametrize("open_item", [True, False])
def test_a_key_is_shown_as_it_was_written_and_found_in_any_spelling(open_item: bool, new_ledger: NewLedger) -> None:
    desk = Desk(new_ledger())
    if open_item:
        registered(desk)
    keys = {number: f"{APP}/PAYMENT/{number}/SUCCESS" for number in ("ORD_1", "Ord_1", "ord_1", "oRD_1")}
    written = "ORD_1" if open_item else "Ord_1"
    fails: list[bool] = [True]

    @desk.receiver.on_result("orders")
    def told(event: Event[ItemResult]) -> None:
        assert (event.key, event.data.key) == (keys[written], written)
        if fails:
            raise LookupError

    assert desk.deliver(order(number=written)).key == keys[written]
    for key in keys.values():
        (entry,) = desk.ledger.list(key=key)
        assert (entry.key, entry.status) == (keys[written], "failed")
        assert desk.ledger.body(key) == desk.ledger.body(key, entry.digest)
        assert desk.ledger.body(key) is not None
    fails.clear()
    assert desk.receiver.replay(keys["oRD_1"]).outcome == "handled"
    assert desk.deliver(order(number="ORD_1")).outcome == "duplicate"
    assert desk.ledger.discard(keys["ord_1"]) is False
    assert desk.deliver(order(number=written, status="CLOSED")).outcome == "conflict"
    closed = keys["oRD_1"].replace("SUCCESS", "CLOSED")
    assert desk.receiver.replay(closed).outcome == "conflict"
    assert [entry.status for entry in desk.ledger.list(key=closed)] == ["conflict"]
    assert desk.ledger.discard(closed) is True


@pytest.mark.parametrize(
    ("notified", "number"), [(refund, "REF_1"), (order, "\N{KELVIN SIGN}_1")], ids=["refund", "not ASCII"]
)
def test_keys_differ_by_capitals(notified: Callable[..., dict[str, Any]], number: str, new_ledger: NewLedger) -> None:
    desk = Desk(new_ledger())
    for kind in ("orders", "refunds"):
        desk.receiver.on_result(kind)(lambda event: None)
    for one in (number, number.lower()):
        reply = desk.deliver(notified(number=one))
        assert reply.outcome == "handled"
        assert [entry.key for entry in desk.ledger.list(key=str(reply.key))] == [reply.key]
    assert desk.ledger.list(key=f"{APP}/REFUND/Ref_1/REFUND_SUCCESS") == []


def test_a_state_that_is_not_the_last_one_is_noted_and_the_open_item_is_asked_about(new_ledger: NewLedger) -> None:
    desk = Desk(new_ledger())
    found = told(desk)
    assert desk.deliver(order(status="PENDING")).outcome == "noted"  # nothing has ended, and nothing is open
    id = registered(desk)
    before = item(desk, id).due_at
    for status in ("PENDING", "HELD"):  # the contract does not list the second
        reply = desk.deliver(order(status=status))
        assert (reply.outcome, reply.acknowledged, reply.status) == ("noted", True, 200)
    assert before is not None
    assert before > NOW
    assert item(desk, id).due_at == NOW
    lease = desk.ledger.book.take(APP, AT, "orders", NOW, 60)  # type: ignore[attr-defined]
    assert [(one.source, one.state) for one in lease.item.signed] == [("noted", "PENDING"), ("noted", "HELD")]
    assert found == []
    assert desk.ledger.list() == []


@pytest.mark.parametrize("lacks", ["outTradeNo", "status", "totalAmount", "currency"])
def test_what_tells_no_result_is_kept_unless_an_item_is_open(lacks: str, new_ledger: NewLedger) -> None:
    desk = Desk(new_ledger())
    found = told(desk)
    body = order()
    del body["data"][lacks]
    reply = desk.deliver(body)
    assert (reply.outcome, reply.acknowledged) == ("unreadable", False)
    registered(desk)
    reply = desk.deliver({**body, "data": {**body["data"], "more": 1}})
    assert reply.outcome == ("unreadable" if lacks == "outTradeNo" else "noted")
    assert found == []
    for entry in desk.ledger.list(status="unreadable"):
        assert desk.receiver.replay(entry.key).outcome == reply.outcome
    assert desk.statuses() == ({"unreadable": 2} if lacks == "outTradeNo" else {"done": 1})  # it is kept no longer
    if lacks != "outTradeNo":
        assert desk.ledger.list()[0].why == "replayed: its open item is asked about"


@pytest.mark.parametrize("data", [None, "text", {"outTradeNo": 5}, {"outTradeNo": "x" * 5000, "status": "SUCCESS"}])
def test_data_of_another_shape_is_kept(data: object, new_ledger: NewLedger) -> None:
    desk = Desk(new_ledger())
    assert told(desk) == []
    assert desk.deliver({**order(), "data": data}).outcome == "unreadable"
    assert desk.statuses() == {"unreadable": 1}


def test_another_amount_than_was_asked_for_is_not_handled_and_the_gateway_is_asked(new_ledger: NewLedger) -> None:
    desk = Desk(new_ledger())
    found = told(desk)
    id = registered(desk, content={"totalAmount": Decimal("99.50"), "currency": "USD"})
    assert desk.deliver(order()).outcome == "noted"
    assert (found, item(desk, id).due_at) == ([], NOW)


@pytest.mark.parametrize("reconciles", [False, True])
@pytest.mark.parametrize("end", ["SUCCESS", "FAILED", "BOUNCEBACK"])
def test_another_amount_than_registered_is_a_conflict_once_settled(
    end: str, reconciles: bool, new_ledger: NewLedger, caplog: pytest.LogCaptureFixture
) -> None:
    whys: list[str] = []
    desk = Desk(new_ledger(), hook=lambda event: whys.append(event.why))
    found, reconciled = told(desk), []
    if reconciles:
        desk.receiver.on_conflict(lambda event: reconciled.append(event.key))
    registered(desk, content={"totalAmount": Decimal("10.50"), "currency": "USD"})
    other, yen = order(status=end), order(status=end)
    other["data"]["totalAmount"], yen["data"]["currency"] = 99, "JPY"
    for _ in range(2):
        reply = desk.deliver(other)
        assert (reply.outcome, reply.acknowledged, desk.statuses()) == ("noted", True, {"conflict": 1})
    assert "it has totalAmount '99' where this call has '10.5': it is kept, and the gateway is asked" in caplog.text
    assert "totalAmount '99'" in whys[-1]
    assert "totalAmount '99'" in desk.ledger.list()[0].why
    assert desk.deliver(order(status=end)).outcome == "handled"  # what is kept is in nobody's way
    for body in (other, yen):
        reply = desk.deliver(body)
        assert (reply.outcome, reply.status) == (("handled", 200) if reconciles else ("conflict", 409))
    assert desk.statuses() == ({"done": 3} if reconciles else {"done": 1, "conflict": 2})
    assert ([str(one.state) for one in found], len(reconciled)) == ([end], 2 * reconciles)


def test_a_return_kept_as_a_conflict_is_judged_again(new_ledger: NewLedger) -> None:
    """The payment, which came late, was handled as paid after the return."""
    desk = Desk(new_ledger())
    found = told(desk)
    ends = ("FAILED", "BOUNCEBACK", "SUCCESS")
    assert [desk.deliver(order(status=end)).outcome for end in ends] == ["handled", "conflict", "stale"]
    again = desk.receiver.replay(f"{APP}/PAYMENT/ord_1/BOUNCEBACK")
    assert (again.outcome, desk.statuses()) == ("handled", {"done": 2, "stale": 1})
    assert [(str(one.state), one.was) for one in found] == [("FAILED", None), ("BOUNCEBACK", "FAILED")]
    assert type(found[1].was) is OrderStatus


def test_a_payment_link_that_expired_after_a_part_was_paid_is_paid() -> None:
    facts = ResultFacts(contract.CONTRACT, "payment_links")
    parts = [{"status": "SUCCESS"}, {"status": "FAILED"}]
    for shown, paid in ((parts, True), (parts[1:], False), ([], False)):
        one = facts.read_inquiry({**facts.in_state("L1", "EXPIRED"), (facts.following.each or "").split(".")[0]: shown})
        assert one is not None
        assert (one.state.is_paid, one.is_paid) == (False, paid)


def test_a_partly_paid_link_is_paid_when_handled_later(new_ledger: NewLedger) -> None:
    desk = Desk(new_ledger())
    stock = ["away"]

    @desk.receiver.on_result("payment_links")
    def handle(event: Event[ItemResult]) -> None:
        if stock:
            raise LookupError(stock.pop())

    id = registered(desk, "payment_links", "L1")
    shown = {"merchantLinkId": "L1", "linkStatus": "EXPIRED", "payByLinkInfo": [{"status": "SUCCESS"}]}
    assert desk.receiver.hand_over("payment_links", shown, NOW).outcome == "failed"  # type: ignore[union-attr]
    (kept,) = desk.ledger.list()  # type: ignore[attr-defined]
    assert desk.receiver.replay(kept.key).outcome == "handled"
    found = item(desk, id)
    assert (found.state, found.status, found.paid) == ("EXPIRED", "settled", True)


def test_the_handler_is_given_the_key_as_it_was_registered(new_ledger: NewLedger) -> None:
    desk = Desk(new_ledger())
    found = told(desk)
    registered(desk, key="ORD_aB1")
    # Another call, unless the gateway said that it writes it so.
    assert desk.deliver(order("ORD_AB1")).outcome == "noted"
    assert desk.deliver(order("ORD_aB1")).outcome == "handled"
    assert [one.key for one in found] == ["ORD_aB1"]


@pytest.mark.parametrize("once_per", [None, ("outTradeNo", "status")])
def test_a_pruned_record_has_no_second_effect(once_per: tuple[str, ...] | None, new_ledger: NewLedger) -> None:
    """Sent again by hand months later, with a new time: of kinds that are untyped, and of each state, listed or not."""
    desk = Desk(new_ledger())
    done: list[str] = []
    if once_per is None:
        desk.receiver.on_other(lambda event: done.append(event.key))
    else:
        desk.receiver.on_kind("PAYMENT", once_per=once_per)(lambda event: done.append(event.key))
    desk.receiver.on_receive(lambda event: done.append(event.key))

    def bodies() -> list[dict[str, Any]]:
        at = desk.clock.now()
        made = [order(at=at), order("ORD_2", at=at), *(transfer(status=one, at=at) for one in ("HELD", "STUCK"))]
        return [*made, transfer("R2", "SETTLED", at=at)]

    assert [desk.deliver(body).outcome for body in bodies()] == ["handled"] * 5
    desk.pass_time(days=100)
    assert desk.ledger.prune(desk.ledger_now() - timedelta(days=90)) == 5
    assert [desk.deliver(body).outcome for body in bodies()] == ["duplicate"] * 5
    other = order(at=desk.clock.now())
    other["data"]["totalAmount"] = 99
    assert desk.deliver(other).outcome == ("handled" if once_per is None else "conflict")
    assert desk.deliver(transfer("R2", "SETTLED", desk.clock.now(), channelTradeNo="other")).outcome == "conflict"
    assert len(done) == 5 + (once_per is None)


def test_what_came_back_shows_in_the_book_after_what_it_was_first(new_ledger: NewLedger) -> None:
    desk = Desk(new_ledger())
    told(desk)
    id = registered(desk)
    desk.deliver(order())
    desk.pass_time(days=2)
    assert desk.deliver(order(status="BOUNCEBACK", at=desk.clock.now())).outcome == "handled"
    one = item(desk, id)
    assert (one.state, one.settled_state, one.status) == ("BOUNCEBACK", "SUCCESS", "settled")
    assert (one.settled_at, one.changed_at) == (NOW, NOW + timedelta(days=2))


def test_the_notification_may_be_called_otherwise(new_ledger: NewLedger) -> None:
    desk = Desk(new_ledger())
    found = told(desk, told_as="PAID")
    assert desk.deliver(order(kind="PAID")).key == f"{APP}/PAID/ORD_1/SUCCESS"
    assert desk.deliver(order()).outcome == "unhandled"
    assert len(found) == 1


def test_refunds_and_withdrawals_are_told_in_members_of_their_own(new_ledger: NewLedger) -> None:
    desk = Desk(new_ledger())
    found: list[ItemResult] = []
    for kind in ("refunds", "withdrawals"):
        desk.receiver.on_result(kind)(lambda event: found.append(event.data))
    refund = {"outRefundNo": "REF_1", "status": "REFUND_SUCCESS", "refundAmount": "4.25", "refundCurrency": "USD"}
    payout = {"outTradeNo": "WD_1", "status": "FAILED", "transactionAmount": "7", "transactionCurrency": "EUR"}
    for word, data in (("REFUND", refund), ("WITHDRAW", payout)):
        assert desk.deliver({**order(kind=word), "data": data}).outcome == "handled"
    assert [(one.kind, one.key, str(one.state), one.amount, one.is_paid) for one in found] == [
        ("refunds", "REF_1", "REFUND_SUCCESS", Decimal("4.25"), True),
        ("withdrawals", "WD_1", "FAILED", Decimal(7), False),
    ]


def test_a_period_that_was_paid_shows_in_the_item_of_its_plan(new_ledger: NewLedger) -> None:
    desk = Desk(new_ledger())
    desk.receiver.on_subscription_payment(lambda event: None)
    body = period()
    id = registered(desk, "subscriptions", body["data"]["subscriptionRequestId"])
    assert desk.deliver(body).outcome == "handled"
    assert (item(desk, id).state, item(desk, id).status, item(desk, id).paid) == ("SUCCESS", "open", True)


def test_a_kind_has_one_handler_however_it_is_registered() -> None:
    desk = Desk(MemoryLedger())
    with pytest.raises(InvalidArgument, match="nothing to follow that is called 'order'"):
        desk.receiver.on_result("order")
    with pytest.raises(ConfigurationError, match="registered with on_subscription_payment"):
        desk.receiver.on_result("subscriptions")
    told(desk)
    with pytest.raises(ConfigurationError, match="registered twice"):
        told(desk)
    with pytest.raises(ConfigurationError, match=r"PAYMENT are handled by on_result\('orders'\) already"):
        desk.receiver.on_kind("PAYMENT")(lambda event: None)
    with pytest.raises(ConfigurationError, match="RECEIVE are handled by a handler of its own already"):
        desk.receiver.on_result("refunds", told_as="RECEIVE")(lambda event: None)
    desk.receiver.on_kind("REFUND")(lambda event: None)
    with pytest.raises(ConfigurationError, match=r"on_kind\('REFUND'\) is registered too"):
        desk.receiver.on_result("refunds")(lambda event: None)
