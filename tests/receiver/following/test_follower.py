"""A follower at work: what is due is asked about once, what it learns has its effect once, and nothing holds the rest up."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from threading import Semaphore
from typing import TYPE_CHECKING, Any

import pytest

from paywright import Client, Event, FixedClock, Follow, InvalidArgument, ItemResult, LedgerProblem, Merchant, contract
from paywright_receiver import Follower, FollowRun, MemoryLedger, SqliteLedger
from paywright_runtime.signing.keys import KeyPair
from tests.receiver.helpers.desk import APP, NOW, key, order, refund
from tests.receiver.helpers.shop import QUERIES, Shop
from tests.runtime.helpers.canned_gateway import Gateway, Reply, Seen

if TYPE_CHECKING:
    from tests.receiver.helpers.postgres_server import Server

CONTENT = {"totalAmount": Decimal("10.50"), "currency": "USD"}
NewLedger = Callable[[], Any]


def counted(run: FollowRun) -> tuple[int, int, int, int, int, int]:
    return run[:6]


def test_an_order_without_a_notification_is_asked_about_until_it_is_paid(shop: Shop) -> None:
    first = shop.open(amount="10.50")
    assert (first.status, first.state, first.asked, first.paid) == ("open", None, 0, None)
    assert shop.follower.run_due() == FollowRun(0, 0, 0, 0, 0, 0, 0, "", first.due_at)
    shop.states.shown["ORD_1"] = ("PENDING", "10.50")
    assert counted(shop.run()) == (1, 1, 0, 0, 0, 0)
    assert (shop.item().state, shop.item().status, shop.effects) == ("PENDING", "open", [])
    moved = shop.clock.now()
    assert shop.run().asked == 1
    assert shop.item().changed_at == moved
    shop.states.shown["ORD_1"] = ("SUCCESS", "10.50")
    run = shop.run()
    assert (counted(run), run.stopped, run.next_due) == ((1, 1, 1, 0, 0, 0), "", None)
    assert shop.effects == [("ORD_1", "SUCCESS", "10.50", "inquiry")]
    done = shop.item()
    assert (done.status, done.state, done.settled_state, done.paid) == ("settled", "SUCCESS", "SUCCESS", True)
    assert (done.amount, done.currency, done.asked, done.due_at) == ("10.50", "USD", 3, None)
    assert done.settled_at == done.changed_at == shop.clock.now()
    shop.pass_time(days=30)
    assert shop.follower.run_due().taken == 0
    assert shop.follower.counts() == {"open": 0, "settled": 1, "closed": 0}


def test_a_run_that_is_told_to_stop_finishes_the_item_in_hand(shop: Shop) -> None:
    for number in ("ORD_1", "ORD_2"):
        shop.open(number)
        shop.states.shown[number] = ("SUCCESS", "10.5")
    shop.until_due("ORD_2")
    run = shop.follower.run_due(stop=lambda: bool(shop.effects))
    assert (counted(run), run.stopped) == ((1, 1, 1, 0, 0, 0), "stop() returned True. The rest stays due.")
    assert run.next_due == shop.item("ORD_2").due_at
    assert counted(shop.follower.run_due(stop=lambda: False)) == (1, 1, 1, 0, 0, 0)
    assert [one[0] for one in shop.effects] == ["ORD_1", "ORD_2"]


def test_what_a_run_has_leased_ahead_is_due_again_once_it_is_stopped(shop: Shop) -> None:
    for number in range(10):  # more than there are kinds, in whose turn each is leased
        shop.open(f"ORD_{number}")
        shop.states.shown[f"ORD_{number}"] = ("PENDING", "10.5")
    shop.until_due("ORD_9")
    stops = iter([*[False] * 8, True])
    run = shop.follower.run_due(stop=lambda: next(stops))
    assert (run.taken, run.asked) == (8, 8)
    assert shop.follower.run_due().asked == 2


def test_an_inquiry_that_leaves_out_the_amount_says_the_same_as_a_notification(shop: Shop) -> None:
    asked = {"refundAmount": Decimal("10.50"), "refundCurrency": "USD"}
    for number in ("REF_1", "REF_2"):
        follow = Follow("refunds", number, content=asked)
        assert shop.follower.open(None, follow) is True
        shop.states.shown[number] = ("REFUND_SUCCESS", None)
    assert shop.deliver(refund("REF_1")).outcome == "handled"
    assert counted(shop.run("REF_2", "refunds")) == (1, 1, 1, 0, 0, 0)
    assert shop.deliver(refund("REF_2", at=shop.clock.now())).outcome == "duplicate"
    ends = [(number, "REFUND_SUCCESS", "10.5", by) for number, by in (("REF_1", "notification"), ("REF_2", "inquiry"))]
    assert shop.effects == ends
    # Told first, and asked about later all the same: the same result once more.
    assert shop.deliver(refund("REF_3", at=shop.clock.now())).outcome == "handled"
    assert shop.follower.open(None, Follow("refunds", "REF_3", content=asked)) is True
    shop.states.shown["REF_3"] = ("REFUND_SUCCESS", None)
    assert counted(shop.run("REF_3", "refunds")) == (1, 1, 0, 1, 0, 0)
    assert shop.item("REF_3", "refunds").status == "settled"


def test_an_inquiry_that_contradicts_what_a_notification_settled_is_a_conflict_too(shop: Shop) -> None:
    shop.open()
    assert shop.deliver(order()).outcome == "handled"
    assert shop.deliver(order(status="WITHDRAWN")).outcome == "noted"  # a state that the contract does not list
    shop.states.shown["ORD_1"] = ("FAILED", "10.5")
    run = shop.run()
    assert counted(run) == (1, 1, 0, 0, 1, 0)
    assert (shop.item().step, shop.item().settled_state) == ("decide", "SUCCESS")
    assert len(shop.ledger.list(status="conflict")) == 1


def test_a_hint_to_ask_about_what_is_settled_proves_nothing_of_what_is_unknown(shop: Shop) -> None:
    follow = Follow("orders", "ORD_1", content=CONTENT, unknown=True)
    assert shop.follower.open(None, follow) is True
    for _ in range(3):
        shop.follower.hint("orders", "ORD_1", settled=True)
        shop.follower.run_due()
        shop.pass_time(minutes=6)
    assert shop.item().step == "place_again"  # the gateway does not know it: a notification alone would say otherwise
    assert shop.follower.close("orders", "ORD_1", "given\n  up") is True
    assert shop.follower.hint("orders", "ORD_1", settled=True) is True
    shop.follower.run_due()
    assert (shop.item().status, shop.item().why) == ("closed", "given up")


def test_refunds_exchanges_and_withdrawals_reach_their_last_state(shop: Shop) -> None:
    last = {"refunds": "REFUND_SUCCESS", "exchanges": "FAILED", "withdrawals": "SUCCESS"}
    for kind, state in last.items():
        shop.open(f"{kind}_1", kind)
        shop.states.shown[f"{kind}_1"] = (state, "4.25")
    for kind in last:
        shop.until_due(f"{kind}_1", kind)
    run = shop.follower.run_due()
    assert (run.handled, run.next_due) == (3, None)
    assert {(one[0], one[1]) for one in shop.effects} == {(f"{kind}_1", state) for kind, state in last.items()}


@pytest.mark.parametrize("unknown", [False, True])
def test_an_answer_about_an_order_tells_nothing_of_an_exchange_with_the_same_number(shop: Shop, unknown: bool) -> None:
    """Both are signed by the gateway and name the key; a replayed one must not settle what was never made."""
    shop.follower.open(None, Follow("exchanges", "NO_1", unknown=unknown))
    shop.states.shown["NO_1"] = ("SUCCESS", "10.5")
    of_exchanges = contract.operation("exchanges.query").path
    queries = dict(QUERIES)
    QUERIES[of_exchanges] = "orders"
    try:
        for _ in range(5):
            shop.run("NO_1", "exchanges")
    finally:
        QUERIES.update(queries)
    assert (shop.item("NO_1", "exchanges").state, shop.item("NO_1", "exchanges").status, shop.effects) == (
        None,
        "open",
        [],
    )


def test_an_order_that_was_placed_is_not_asked_about_at_once(shop: Shop) -> None:
    shop.follower.open(None, shop.client.orders.follow("ORD_1", unknown=True))
    assert shop.item().due_at == NOW
    assert shop.follower.placed("orders", "ORD_1") is True
    assert shop.follower.placed("orders", "ORD_1") is False
    assert shop.follower.run_due().taken == 0
    shop.states.shown["ORD_1"] = ("SUCCESS", "10.5")
    assert shop.run().handled == 1
    with pytest.raises(InvalidArgument, match="rders 'ORD_2' is not registered"):
        shop.follower.placed("orders", "ORD_2")


# Registering


def test_the_same_item_is_registered_once_and_other_content_is_refused(shop: Shop) -> None:
    assert shop.follower.open(None, shop.follow(amount="10.50")) is True
    assert shop.follower.open(None, shop.follow(amount="10.50")) is False
    assert shop.follower.open(None, shop.follow(amount="10.5")) is False  # the same amount
    with pytest.raises(InvalidArgument, match="orders 'ORD_1' is registered already, with other content"):
        shop.follower.open(None, shop.follow(amount="10.51"))
    assert shop.item().asked == 0


def test_a_number_that_is_another_but_for_capitals_is_refused(shop: Shop) -> None:
    shop.follower.open(None, shop.follow("sQ1d"))
    for closed in (False, True):
        with pytest.raises(
            InvalidArgument, match="'Sq1D' is registered already as 'sQ1d': the gateway knows no capitals"
        ):
            shop.follower.open(None, shop.follow("Sq1D"))
        assert shop.item("sQ1d").key == "sQ1d"
        if not closed:
            shop.follower.close("orders", "sQ1d", "not wanted")
    assert shop.follower.open(None, shop.follow("sQ1d")) is True


def test_a_handler_opens_a_refund_in_its_own_transaction(tmp_path: Path, gateway: Gateway) -> None:
    shop = Shop(SqliteLedger(tmp_path / "shop.db", clock=FixedClock(NOW)), gateway)
    shop.fails = lambda event: shop.follower.open(event.transaction, shop.follow("REF_1", "refunds"))
    shop.open()
    assert shop.deliver(order()).outcome == "handled"
    assert shop.item("REF_1", "refunds").status == "open"
    shop.close()


def test_what_cannot_be_followed_is_refused_in_words(shop: Shop, gateway: Gateway) -> None:
    for transaction, follow in ((None, "ORD_1"), (None, shop.client.orders.resolve(out_trade_no="ORD_1"))):
        with pytest.raises(InvalidArgument, match=r"Give what client\.orders\.follow"):
            shop.follower.open(transaction, follow)  # type: ignore[arg-type]  # on purpose
    settings = shop.settings() | {
        "merchant": Merchant(
            app_id="app_2", private_key=KeyPair(key(1)).private_pem, gateway_keys=[KeyPair(key()).public_pem]
        )
    }
    with Client(**settings) as other:
        with pytest.raises(InvalidArgument, match="to another app_id than the client"):
            Follower(other, shop.ledger, receiver=shop.receiver)
        assert Follower(other, shop.ledger).run_due().taken == 0
    for call in (shop.follower.get, shop.follower.hint):
        with pytest.raises(InvalidArgument, match="nothing to follow that is called 'order'"):
            call("order", "ORD_1")
    for number in ("", "x" * 999, "a\0b", 5):
        with pytest.raises(InvalidArgument, match="is the text that its query takes as outTradeNo"):
            shop.follower.get("orders", number)  # type: ignore[arg-type]  # on purpose
    for change in (
        lambda: shop.follower.hint("orders", "ORD_9"),
        lambda: shop.follower.close("orders", "ORD_9", "gone"),
    ):
        with pytest.raises(InvalidArgument, match="rders 'ORD_9' is not registered"):
            change()
    with pytest.raises(InvalidArgument, match="why is a text with the reason"):
        shop.follower.close("orders", "ORD_1", " ")
    with pytest.raises(InvalidArgument, match="limit is a whole number"):
        shop.follower.run_due(0)


def test_a_follower_needs_a_book_and_the_receivers_own_ledger(shop: Shop) -> None:
    with pytest.raises(InvalidArgument, match="a ledger that keeps open items"):
        Follower(shop.client, object())  # type: ignore[arg-type]  # on purpose
    with pytest.raises(InvalidArgument, match="The receiver has another ledger"):
        Follower(shop.client, MemoryLedger(), receiver=shop.receiver)
    with pytest.raises(InvalidArgument, match=r"lease is longer than a call and a handler take, 90 seconds"):
        Follower(shop.client, shop.ledger, receiver=shop.receiver, lease=90)


def test_a_lease_is_longer_than_call_and_handler(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    book, leases = type(shop.ledger.book), list[float]()
    take = book.take
    monkeypatch.setattr(book, "take", lambda *place, **more: leases.append(place[-1]) or take(*place, **more))
    for lease in (None, 91):
        Follower(shop.client, shop.ledger, receiver=shop.receiver, lease=lease).run_due()
    assert set(leases) == {120, 91}


# Hints, and ends by hand


def test_a_payer_who_comes_back_has_the_order_asked_about(shop: Shop) -> None:
    shop.open()
    shop.states.shown["ORD_1"] = ("SUCCESS", "10.5")
    assert shop.follower.hint("orders", "ord_1") is True
    assert shop.follower.run_due().handled == 1
    assert shop.follower.hint("orders", "ORD_1") is False  # it is settled: nothing is asked
    assert (shop.follower.run_due().taken, shop.item().due_at) == (0, None)


# What fails


@pytest.mark.parametrize("shown", ["SUCCESS", "FAILED"], ids=["what had its effect", "a conflict"])
def test_an_item_closed_while_it_is_asked_about_stays_as_it_was_closed(shown: str, shop: Shop) -> None:
    assert shop.deliver(order()).outcome == "handled"
    shop.open()
    shop.states.shown["ORD_1"] = (shown, "10.5")
    shop.states.before_answer = lambda key: shop.follower.close("orders", key, "settled by phone")
    run = shop.run()
    assert (run.asked, run.conflicts) == (1, int(shown == "FAILED"))
    assert (shop.item().status, shop.item().step, shop.item().why) == ("closed", "closed", "settled by phone")


def test_a_result_of_an_item_closed_while_it_is_asked_about_has_its_effect(shop: Shop) -> None:
    shop.open()
    shop.states.shown["ORD_1"] = ("SUCCESS", "10.5")
    shop.states.before_answer = lambda key: shop.follower.close("orders", key, "settled by phone")
    assert counted(shop.run()) == (1, 1, 1, 0, 0, 0)
    assert (len(shop.effects), shop.item().status) == (1, "settled")


def test_a_state_that_a_notification_named_is_remembered_until_it_is_handled(shop: Shop) -> None:
    def fail(event: Event[ItemResult]) -> None:
        raise RuntimeError("no")

    shop.open()
    shop.fails = fail
    shop.states.shown["ORD_1"] = ("SUCCESS", "10.5")
    assert shop.follower.hint("orders", "ORD_1")
    assert shop.follower.run_due().failed == 1
    shop.until_due()
    lease = shop.ledger.book.take(APP, shop.item().address, "orders", shop.clock.now(), 60)
    assert lease is not None
    assert [(one.source, one.answered) for one in lease.item.signed] == [("hint", "no")]


def test_what_was_closed_and_is_paid_is_told_as_its_reason_advises(shop: Shop) -> None:
    shop.open()
    assert shop.follower.close("orders", "ORD_1", "the payer left")
    shop.states.shown["ORD_1"] = ("SUCCESS", "10.5")
    shop.follower.hint("orders", "ORD_1")
    shop.follower.run_due()
    assert shop.item().step == "decide"
    assert shop.item().why.partition(". ")[2].startswith("Close it and open it again, and the handler is called; or")
    assert shop.follower.open(None, shop.follow("ORD_1")) is False  # it was opened again by itself, for a person
    assert shop.follower.close("orders", "ORD_1", "to open it again")
    shop.open()
    shop.follower.hint("orders", "ORD_1")
    shop.pass_time(minutes=6)
    shop.follower.run_due()
    assert (shop.item().status, shop.effects) == ("settled", [("ORD_1", "SUCCESS", "10.5", "inquiry")])


def test_a_handler_that_fails_is_called_again_and_holds_no_other_up(shop: Shop) -> None:
    def fail(event: Event[ItemResult]) -> None:
        if event.data.key == "ORD_1" and len(seen) < 3:
            seen.append(event.attempt)
            raise RuntimeError("secret")

    seen: list[int] = []
    shop.fails = fail
    for number in ("ORD_1", "ORD_2"):
        shop.open(number)
        shop.states.shown[number] = ("SUCCESS", "10.5")
        shop.follower.hint("orders", number)
    assert counted(shop.follower.run_due()) == (2, 2, 1, 0, 0, 1)
    one = shop.item()
    assert (one.status, one.state, one.asked, one.attempts) == ("open", None, 1, 1)
    assert one.why.startswith("its result was not handled (failed)")
    assert "secret" not in one.why
    pauses = []
    while shop.item().status == "open":
        before = shop.clock.now()
        pauses.append((shop.until_due() - before).total_seconds())
        shop.follower.run_due()
    assert pauses == [30, 60, 120]
    assert seen == [1, 2, 3]
    assert sorted(shop.effects) == [(number, "SUCCESS", "10.5", "inquiry") for number in ("ORD_1", "ORD_2")]
    assert shop.item().asked == 4


def test_a_failed_result_of_an_inquiry_is_replayed_by_hand(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    failing = [True]

    def fail(event: Event[ItemResult]) -> None:
        if failing:
            raise RuntimeError

    shop.fails = fail
    shop.open()
    shop.states.shown["ORD_1"] = ("SUCCESS", "10.50")
    assert shop.run().failed == 1
    (entry,) = shop.ledger.list(status="failed")
    kept = json.loads(shop.ledger.body(entry.key) or b"")
    for spoilt in (
        {}, {"paywright_result": 2}, {"kind": None}, {"at": 5}, {"at": None}, {"shown": {}}, {"shown": None},
    ):  # fmt: skip
        with monkeypatch.context() as patched:
            patched.setattr(
                type(shop.ledger), "body", lambda *_, one=spoilt: json.dumps({**kept, **one} if one else {}).encode()
            )
            with pytest.raises(InvalidArgument, match="keeps there is neither a notification nor a result"):
                shop.receiver.replay(entry.key)
    failing.clear()
    assert shop.receiver.replay(entry.key).outcome == "handled"
    assert shop.effects == [("ORD_1", "SUCCESS", "10.50", "inquiry")]
    assert (shop.item().status, shop.item().amount) == ("settled", "10.50")


def test_without_a_handler_and_book_only_items_are_done(new_ledger: NewLedger, gateway: Gateway) -> None:
    shop = Shop(new_ledger(), gateway, handled=False)
    book_only = Follower(shop.client, shop.ledger, book_only=True)
    for number, follower in (("ORD_1", shop.follower), ("ORD_2", book_only)):
        shop.open(number)
        shop.states.shown[number] = ("SUCCESS", "10.5")
        shop.until_due(number)
        assert follower.run_due().failed == 0
        assert (shop.item(number).status, shop.item(number).due_at) == ("settled", None)
    first = Shop(shop.ledger, gateway)  # the first receiver on an old ledger ships nothing of what was
    assert (first.follower.run_due().taken, first.effects) == (0, [])
    with pytest.raises(InvalidArgument, match="book_only"):
        Follower(shop.client, shop.ledger, receiver=shop.receiver, book_only=True)
    first.close()
    shop.close()


def test_what_a_follower_without_a_receiver_learns_waits_for_one_that_has_it(shop: Shop) -> None:
    """It was settled for good, and no handler ever called."""
    alone = Follower(shop.client, shop.ledger)
    shop.open()
    shop.states.shown["ORD_1"] = ("SUCCESS", "10.5")
    shop.until_due()
    for _ in range(3):
        run = alone.run_due()
    assert (shop.states.asked["ORD_1"], run.taken, run.next_due) == (1, 0, None)
    assert (shop.item().status, shop.item().step, shop.item().state) == ("open", "untold", "SUCCESS")
    assert shop.follower.next_due() == shop.item().due_at
    assert shop.follower.run_due().handled == 1
    assert (shop.item().status, [one[1] for one in shop.effects]) == ("settled", ["SUCCESS"])
    assert shop.follower.run_due().taken == 0


def test_an_item_that_this_version_cannot_read_holds_no_other_up(shop: Shop) -> None:
    shop.open("ORD_0")
    newer = shop.item("ORD_0").follow.replace('"paywright_following": ', '"paywright_following": 9')
    other = shop.item("ORD_0").content.replace("orders.checkout", "refunds.create")
    changes = {"ORD_0": {"follow": newer}, "ORD_1": {"content": other}, "ORD_2": {"follow": "{}"}, "ORD_3": {}}
    for number, change in changes.items():
        if number != "ORD_0":
            shop.open(number)
        shop.ledger.book.change(shop.item(number).id, lambda one, change=change: one._replace(**change))  # type: ignore[attr-defined]
        shop.states.shown[number] = ("SUCCESS", "10.5")
        shop.follower.hint("orders", number)
    run = shop.follower.run_due()
    assert (run.taken, run.handled, run.failed) == (4, 1, 3)
    assert "stored by another version" in (newest_why := shop.item("ORD_0").why)
    assert "refunds.create makes nothing that is followed as orders" in shop.item("ORD_1").why
    assert "This is not what a follower wrote" in shop.item("ORD_2").why
    assert [one[0] for one in shop.effects] == ["ORD_3"]
    # A notification of such an item is handled; the item stays, for the version that can read it.
    assert shop.deliver(order("ORD_0")).outcome == "handled"
    assert (shop.item("ORD_0").status, shop.effects[-1][0]) == ("open", "ORD_0")
    # Its key stays registered, so that the advice is not to open it again.
    for number in ("ORD_0", "ORD_1"):
        assert shop.follower.close("orders", number, "seen by orders.query")
    assert "or query it yourself and close it with Follower.close" in newest_why
    assert (shop.follower.run_due().taken, shop.item("ORD_0").status) == (0, "closed")


def test_a_gateway_that_refuses_the_merchant_ends_the_run_and_loses_nothing(shop: Shop) -> None:
    for number in range(9):
        shop.open(f"ORD_{number}")
        shop.follower.hint("orders", f"ORD_{number}")
    shop.states.refusing["*"] = "MERCHANT_APP_INVALID"
    run = shop.follower.run_due()
    assert (run.taken, run.asked, run.unanswered) == (9, 9, 9)
    shop.pass_time(minutes=5)
    for number in range(9, 19):
        shop.open(f"ORD_{number}")
        shop.follower.hint("orders", f"ORD_{number}")
    run = shop.follower.run_due()
    assert (run.taken, run.asked, run.unanswered) == (10, 10, 10)  # five of the oldest, and five of the newest
    assert "Of orders, every inquiry was refused" in run.stopped
    assert "MERCHANT_APP_INVALID" in run.stopped
    assert "The rest stays due" in run.stopped
    shop.states.refusing.clear()
    for number in range(19):
        shop.states.shown[f"ORD_{number}"] = ("SUCCESS", "10.5")
    assert shop.follower.run_due().handled == 9
    shop.pass_time(minutes=5)
    assert shop.follower.run_due().handled == 10
    assert len(shop.effects) == 19


def test_a_code_for_one_item_ends_no_run(shop: Shop) -> None:
    for number in range(20):
        shop.open(f"ORD_{number}")
        shop.follower.hint("orders", f"ORD_{number}")
        shop.states.shown[f"ORD_{number}"] = ("SUCCESS", "10.5")
        if number % 2:
            shop.states.refusing[f"ORD_{number}"] = "PARAMS_INVALID"
    run = shop.follower.run_due()
    assert (run.handled, run.stopped) == (10, "")


def test_a_gateway_that_does_not_answer_ends_the_run(shop: Shop, gateway: Gateway) -> None:
    for number in range(9):
        shop.open(f"ORD_{number}")
        shop.follower.hint("orders", f"ORD_{number}")
        shop.follower.open(None, shop.client.refunds.follow(f"REF_{number}"))
        shop.follower.hint("refunds", f"REF_{number}")
    gateway.reply = Reply({"code": "APPLY_SUCCESS", "msg": "", "data": {}}, signed=False)  # anybody may have sent it
    run = shop.follower.run_due()
    assert (run.taken, run.handled) == (7, 0)  # of one kind three of the oldest and the newest, of the other three
    assert run.stopped.count("the gateway gives no verified answer") == 1


def test_a_database_that_goes_away_is_said_and_nothing_is_lost(tmp_path: Path, gateway: Gateway) -> None:
    path = tmp_path / "shop.db"
    shop = Shop(SqliteLedger(path, clock=FixedClock(NOW)), gateway)
    shop.open()
    shop.states.shown["ORD_1"] = ("SUCCESS", "10.5")
    shop.states.before_answer = lambda key: path.rename(tmp_path / "moved.db")
    shop.until_due()
    with pytest.raises(LedgerProblem, match="was moved, deleted or replaced"):
        shop.follower.run_due()
    (tmp_path / "moved.db").rename(path)
    shop.states.before_answer = lambda key: None
    assert shop.item().status == "open"
    shop.pass_time(seconds=121)
    assert shop.follower.run_due().handled == 1
    assert len(shop.effects) == 1
    shop.close()


# Several at once


def test_several_followers_ask_about_each_item_once(new_ledger: NewLedger, gateway: Gateway) -> None:
    shop = Shop(new_ledger(), gateway)
    asking: list[str] = []
    twice: list[str] = []

    def before(number: str) -> None:
        if number in asking:
            twice.append(number)
        asking.append(number)

    shop.states.before_answer = before
    for number in range(24):
        shop.open(f"ORD_{number}")
        shop.follower.hint("orders", f"ORD_{number}")
        shop.states.shown[f"ORD_{number}"] = ("SUCCESS", "10.5")
    with ThreadPoolExecutor(4) as pool:
        runs = [pool.submit(shop.follower.run_due) for _ in range(4)]
        told = [shop.deliver(order(f"ORD_{number}")) for number in range(24)]
    assert all(one.result().stopped == "" for one in runs)
    assert {one.outcome for one in told} <= {"handled", "duplicate", "in_progress"}
    assert twice == []
    # What met a notification half way is tried again.
    for _ in range(4):
        shop.pass_time(minutes=5)
        shop.follower.run_due()
    assert sorted(one[0] for one in shop.effects) == sorted(f"ORD_{number}" for number in range(24))
    assert shop.follower.counts() == {"open": 0, "settled": 24, "closed": 0}
    shop.close()


def test_a_limit_is_kept_and_the_longest_due_come_first(shop: Shop) -> None:
    for number in (3, 1, 2):
        shop.open(f"ORD_{number}")
        shop.states.shown[f"ORD_{number}"] = ("SUCCESS", "10.5")
    for number in (2, 3, 1):
        shop.follower.hint("orders", f"ORD_{number}")
        shop.pass_time(seconds=1)
    run = shop.follower.run_due(2)
    assert run.taken == 2
    assert run.next_due is not None
    assert [one[0] for one in shop.effects] == ["ORD_2", "ORD_3"]


def test_a_clock_that_stands_still_ends_a_run(shop: Shop) -> None:
    """What is due again at the same moment is left to the next run."""
    shop.open()
    shop.states.before_answer = lambda key: shop.follower.hint("orders", key)
    shop.states.shown["ORD_1"] = ("PENDING", "10.5")
    assert shop.run().asked == 1


@pytest.mark.anyio
async def test_the_awaited_follower_does_the_same(shop: Shop) -> None:
    follower = shop.awaited()
    client = follower._client
    for number in range(12):
        assert await follower.open(None, client.orders.follow(f"ORD_{number}")) is True
        assert await follower.open(None, client.orders.follow(f"ORD_{number}")) is False
        shop.states.shown[f"ORD_{number}"] = ("SUCCESS", "10.5")
        assert await follower.hint("orders", f"ORD_{number}") is True
    assert [one.key async for one in follower.open_items()] == sorted(f"ORD_{number}" for number in range(12))
    stopped = await follower.run_due(at_once=4, stop=lambda: True)
    assert (stopped.taken, stopped.stopped) == (0, "stop() returned True. The rest stays due.")
    run = await follower.run_due(at_once=4, stop=lambda: False)
    assert counted(run) == (12, 12, 12, 0, 0, 0)
    assert await follower.counts() == {"open": 0, "settled": 12, "closed": 0}
    assert len([one async for one in follower.items()]) == 12
    assert [one async for one in follower.handled(NOW, datetime.max.replace(tzinfo=NOW.tzinfo))] != []
    assert await follower.next_due() is None
    found = await follower.get("orders", "ORD_1")
    assert found is not None
    assert found.status == "settled"
    assert await follower.close("orders", "ORD_1", "seen") is True
    assert sorted(one[0] for one in shop.effects) == sorted(f"ORD_{number}" for number in range(12))
    await client.aclose()


@pytest.mark.anyio
async def test_what_ends_a_run_is_said_once_however_many_were_being_asked(shop: Shop, gateway: Gateway) -> None:
    follower, together = shop.awaited(), Semaphore(0)
    for number in range(30):
        shop.open(f"ORD_{number}")
        shop.follower.hint("orders", f"ORD_{number}")

    def unsigned(_: Seen) -> Reply:
        if len(gateway.seen) >= 8:
            together.release(100)
        assert together.acquire(timeout=600)
        return Reply({"code": "ORDER_NOT_EXIST", "msg": ""}, signed=False)

    gateway.reply = unsigned
    run = await follower.run_due(at_once=8)
    assert run.stopped.count("the gateway gives no verified answer") == 1
    assert 8 <= run.taken == run.unanswered <= 8 + 3  # the fourth ends it, and each one before takes another


@pytest.mark.anyio
async def test_a_book_that_goes_away_is_said_by_the_awaited_follower_too(tmp_path: Path, gateway: Gateway) -> None:
    path = tmp_path / "shop.db"
    shop = Shop(SqliteLedger(path, clock=FixedClock(NOW)), gateway)
    follower = shop.awaited()
    shop.open()
    shop.until_due()
    path.rename(tmp_path / "moved.db")
    with pytest.raises(LedgerProblem, match="was moved, deleted or replaced"):
        await follower.run_due()
    with pytest.raises(InvalidArgument, match="at_once is a whole number"):
        await follower.run_due(at_once=0)
    await follower._client.aclose()
    shop.close()


@pytest.mark.slow
def test_an_idle_run_begins_a_transaction_a_kind(postgres: Server, schema: str, gateway: Gateway) -> None:
    from paywright_receiver.ledgers.postgres import PostgresLedger

    pool_type: Any = pytest.importorskip("psycopg_pool").ConnectionPool
    with pool_type(postgres.conninfo(), min_size=1, max_size=1, open=True) as pool:
        shop = Shop(PostgresLedger(pool, schema=schema), gateway)
        shop.open()
        shop.follower.run_due()
        before = pool.get_stats()["requests_num"]
        run = shop.follower.run_due()
        assert (run.taken, run.next_due) == (0, shop.item().due_at)
        # Beside these, one for what is due next, one for what is elsewhere, and one for the item above.
        assert pool.get_stats()["requests_num"] - before == len(shop.follower._core.kinds) + 3
        shop.close()


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda follower: follower.hint(None, "ORD_1"), "nothing to follow that is called None. It has"),
        (lambda follower: follower.get(["orders"], "ORD_1"), "nothing to follow that is called"),
        (lambda follower: follower.close("orders", "\ud800", "why"), "The key of orders is the text"),
        (lambda follower: follower.hint("orders", 1), "The key of orders is the text"),
        (lambda follower: list(follower.handled(None, NOW)), "use an aware datetime"),
        (lambda follower: list(follower.handled(NOW, NOW.replace(tzinfo=None))), "use an aware datetime"),
        (lambda follower: list(follower.open_items(before=3600)), "use an aware datetime"),
        (lambda follower: follower.run_due(stop=True), "stop is a function"),
        (lambda follower: follower.run_due(limit=10.0), "limit is a whole number"),
    ],
)
def test_a_wrong_argument_is_refused_with_words(shop: Shop, call: Callable[[Follower], object], says: str) -> None:
    shop.open()
    with pytest.raises(InvalidArgument, match=says):
        call(shop.follower)


def test_half_a_character_is_the_key_of_no_record(shop: Shop) -> None:
    shop.open()
    ledger = shop.ledger
    for found in (ledger.list(key="\ud800"), ledger.body("\ud800"), ledger.discard("\ud800"), ledger.release("\ud800")):
        assert not found


# A transaction that is awaited


@pytest.mark.anyio
@pytest.mark.parametrize("anyio_backend", ["asyncio"])  # aiosqlite knows no other
async def test_an_item_is_opened_in_a_transaction_of_aiosqlite(tmp_path: Path, gateway: Gateway) -> None:
    import aiosqlite

    shop = Shop(SqliteLedger(tmp_path / "shop.db", clock=FixedClock(NOW)), gateway)
    follower = shop.awaited()
    client = follower._client
    async with aiosqlite.connect(tmp_path / "shop.db") as db:
        for row_factory in (None, aiosqlite.Row):
            db.row_factory = row_factory
            assert await follower.open(db, client.orders.follow("ORD_1")) is True
            await db.rollback()
        for new in (True, False):
            assert await follower.open(db, client.orders.follow("ORD_2")) is new
        with pytest.raises(InvalidArgument, match="registered already, with other content"):
            await follower.open(db, client.orders.follow("ORD_2", currency="EUR"))
        with pytest.raises(InvalidArgument, match="'ord_2' is registered already as 'ORD_2'"):
            await follower.open(db, client.orders.follow("ord_2"))
        await db.commit()
    SqliteLedger(tmp_path / "other.db")
    for path in (tmp_path / "other.db", ":memory:"):
        async with aiosqlite.connect(path) as db:
            with pytest.raises(InvalidArgument, match="of another database than the ledger"):
                await follower.open(db, client.orders.follow("ORD_3"))
    assert [one.key async for one in follower.open_items()] == ["ORD_2"]
    await client.aclose()
    shop.close()


@pytest.mark.slow
@pytest.mark.anyio
@pytest.mark.parametrize("anyio_backend", ["asyncio"])  # psycopg knows no other
async def test_open_in_an_awaited_postgresql_transaction(postgres: Server, schema: str, gateway: Gateway) -> None:
    import psycopg
    from psycopg.rows import dict_row

    from paywright_receiver.ledgers.postgres import PostgresLedger

    shop = Shop(PostgresLedger(postgres.conninfo(), schema=schema), gateway)
    follower = shop.awaited()
    client = follower._client
    async with await psycopg.AsyncConnection.connect(postgres.conninfo(), row_factory=dict_row) as db:
        assert await follower.open(db, client.orders.follow("ORD_1")) is True
        await db.rollback()
        for new in (True, False):
            assert await follower.open(db, client.orders.follow("ORD_2")) is new
    assert [one.key async for one in follower.open_items()] == ["ORD_2"]
    for name in (f"{schema}_other", f"{schema}_bare"):
        postgres.ask(f"CREATE DATABASE {name}")
        if name.endswith("_other"):
            PostgresLedger(postgres.conninfo(name), schema=schema).prepare()
        async with await psycopg.AsyncConnection.connect(postgres.conninfo(name)) as db:
            with pytest.raises(InvalidArgument, match="of another database than the ledger"):
                await follower.open(db, client.orders.follow("ORD_3"))
        with (
            psycopg.connect(postgres.conninfo(name)) as plain,
            pytest.raises(InvalidArgument, match="of another database"),
        ):
            shop.follower.open(plain, shop.follow("ORD_3"))
    await client.aclose()
    shop.close()
