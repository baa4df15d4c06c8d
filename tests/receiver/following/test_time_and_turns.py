"""Whose turn it is, and when: clocks that were wrong, times far off, what is refused for ever, and ends that are one's own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from paywright import Event, FixedClock, Follow, InvalidArgument, ItemResult, Ledger
from paywright.contract import CONTRACT
from paywright_receiver import Follower
from paywright_receiver.items import inquiry_schedule as schedule
from paywright_receiver.items.follow_state import FollowState
from paywright_runtime.clock import Moment
from tests.receiver.helpers.desk import NOW, order
from tests.receiver.helpers.notices import stored_item, taken_up_from
from tests.receiver.helpers.shop import Shop
from tests.runtime.helpers.canned_gateway import Gateway
from tests.support.packages import PACKAGES

TOP = Path(__file__).resolve().parents[3]

NewLedger = Callable[[], Ledger]
DAY = timedelta(days=1)


def elsewhere(shop: Shop, ahead: timedelta) -> Follower:
    """A follower of the same shop, on a host whose clock is wrong by so much."""
    from paywright import Client

    settings = shop.settings() | {"clock": FixedClock(shop.clock.now() + ahead)}
    return Follower(Client(**settings), shop.ledger, receiver=shop.receiver)


def test_a_run_says_what_somebody_should_look_at(shop: Shop) -> None:
    """What the command line ends with 1 for, also in a command of Django or a task."""
    from paywright import Client

    shop.open()
    shop.follower.hint("orders", "ORD_1")
    shop.states.refusing["*"] = "REQ_TIME_OVER_TIME"
    assert "No question was answered." in shop.follower.run_due().wrong
    shop.states.refusing.clear()
    shop.states.shown["ORD_1"] = ("SUCCESS", "10.5")
    shop.fails = lambda event: 1 / 0
    shop.clock.advance(3600)
    assert shop.follower.run_due().wrong == "1 failed: `paywright follow list` says why."
    moved = Client(**shop.settings() | {"base_url": f"{shop.gateway.base_url}/moved"})
    follower = Follower(moved, shop.ledger, receiver=shop.receiver)
    assert follower.run_due().wrong == ""
    shop.clock.advance(2 * 24 * 3600)
    said = follower.run_due().wrong
    assert said.startswith("Nobody has asked for a day about open items of app_1 at http://127.0.0.1:")
    assert said.endswith(": 1. If that is the gateway's former address: `paywright follow move`.")


@pytest.mark.parametrize("ahead", [timedelta(days=365), timedelta(days=2), timedelta(hours=25), timedelta(days=-365)])
@pytest.mark.parametrize("by", ["opened", "refused", "hinted", "failed", "shown"])
def test_a_wrong_clock_puts_an_item_off_for_at_most_a_day(by: str, ahead: timedelta, shop: Shop) -> None:
    wrong = elsewhere(shop, ahead)
    shop.states.shown["ORD_1"] = ("PENDING", "10.5")
    if by == "opened":
        wrong.open(None, shop.follow())
    else:
        shop.open()
    if by == "refused":
        shop.states.refusing["*"] = "REQ_TIME_OVER_TIME"
    if by == "failed":
        shop.fails = lambda event: 1 / 0
        shop.states.shown["ORD_1"] = ("SUCCESS", "10.5")
    for _ in range(3 * (by != "opened")):
        wrong.hint("orders", "ORD_1")
        if by != "hinted":
            wrong.run_due()
    shop.states.refusing.clear()
    shop.fails = lambda event: None
    shop.states.shown["ORD_1"] = ("SUCCESS", "10.5")
    until = shop.clock.now() + DAY
    while shop.item().status == "open" and shop.clock.now() < until:
        shop.follower.run_due()
        shop.pass_time(hours=1)
    assert shop.item().status == "settled"
    assert len(shop.effects) == 1


@pytest.mark.parametrize("ahead", [timedelta(days=365), timedelta(days=30)])
def test_what_a_wrong_clock_has_closed_is_asked_about_a_day_later(ahead: timedelta, shop: Shop) -> None:
    wrong = elsewhere(shop, ahead)
    shop.states.refusing["*"] = "REQ_TIME_OVER_TIME"
    shop.open()
    wrong.run_due()
    assert wrong.close("orders", "ORD_1", "by hand")
    shop.states.refusing.clear()
    shop.states.shown["ORD_1"] = ("SUCCESS", "10.5")
    shop.pass_time(hours=26)  # until it has expired, and nobody looks
    until = shop.clock.now() + 2 * DAY
    while shop.item().status == "closed" and shop.clock.now() < until:
        shop.follower.run_due()
        shop.pass_time(hours=1)
    assert (shop.item().status, shop.item().step) == ("open", "decide")


def test_the_year_1_is_only_an_early_time(shop: Shop) -> None:
    for expires_at in (datetime.min.replace(tzinfo=UTC), datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=14)))):
        number = f"ORD_{expires_at.utcoffset()}".replace(":", "")
        shop.follower.open(None, Follow("orders", number, expires_at=expires_at))
        shop.states.shown[number] = ("SUCCESS", "10.50")
        shop.run(number)
        assert shop.item(number).status == "settled", shop.item(number).why
    state = FollowState(CONTRACT, "payment_links", "L_1", Moment(NOW, 0.0))
    state.found({"expiresAt": "0001-01-01T00:00:00+00:00", "status": "ACTIVE"}, Moment(NOW, 0.0))
    assert taken_up_from(stored_item(state, Moment(NOW, 0.0))).expires_at == state.expires_at


@pytest.mark.parametrize(
    "expires_at",
    [datetime.max.replace(tzinfo=UTC), datetime(9999, 12, 31, tzinfo=UTC), datetime(9000, 1, 2, tzinfo=UTC)],
)
def test_the_year_9999_is_only_a_late_time(expires_at: datetime, shop: Shop) -> None:
    for number in range(6):
        shop.follower.open(None, Follow("orders", f"ORD_{number}", expires_at=expires_at))
        shop.states.shown[f"ORD_{number}"] = ("PENDING", "10.5")
    run = shop.run("ORD_0")
    assert (run.asked, run.failed, run.stopped) == (6, 0, "")
    for kind in ("payment_links", "subscriptions"):
        state = FollowState(CONTRACT, kind, "L1", Moment(NOW, 0.0), expires_at=expires_at)
        assert state.step(Moment(NOW, 0.0)).state in ("wait", "query")
        state.found({"expiresAt": "9999-12-31T23:59:59+00:00", "status": "ACTIVE"}, Moment(NOW, 0.0))
        assert state.step(Moment(NOW, 0.0)).state in ("wait", "query")


@pytest.mark.parametrize("end", ["2025-07-01T00:00:00+00:00", "", "soon", None], ids=str)
def test_a_period_that_is_not_shown_to_be_later_does_not_take_a_plan_back(end: str | None) -> None:
    first, second = datetime(2025, 7, 1, tzinfo=UTC), datetime(2025, 8, 1, tzinfo=UTC)
    until = CONTRACT.following("subscriptions").open_until
    assert until is not None

    def shown(at: str | None, status: str) -> dict[str, Any]:
        made: dict[str, Any] = {}
        for path, value in ((until, at), (CONTRACT.following("subscriptions").state, status)):
            inner = made
            *steps, last = path.split(".")
            for step in steps:
                inner = inner.setdefault(step, {})
            inner[last] = value
        return made

    state = FollowState(CONTRACT, "subscriptions", "SUB1", Moment(NOW, 0.0))
    state.notified(shown(second.isoformat(), "SUCCESS"), Moment(NOW, 0.0))
    state.notified(shown(end, "FAILED"), Moment(NOW, 0.0))
    assert (state.expires_at, state.last_state) == (second, "SUCCESS")
    assert state.step(Moment(first + 2 * DAY, 0.0)).state == "wait"
    assert state.step(Moment(second + 2 * DAY, 0.0)).state == "decide"


@pytest.mark.parametrize("text", ["2025-08-01T00:00:00.000Z", "2025-08-01T08:00:00 +0800", "2025-08-01T08:00:00+0800"])
def test_the_time_until_which_an_item_is_open_is_read_in_every_spelling(text: str) -> None:
    state = FollowState(CONTRACT, "payment_links", "L1", Moment(NOW, 0.0))
    state.found({"expiresAt": text, "linkStatus": "ACTIVE"}, Moment(NOW, 0.0))
    assert state.expires_at == datetime(2025, 8, 1, tzinfo=UTC)


@pytest.mark.parametrize("stuck", ["refused", "cut off"])
@pytest.mark.parametrize("kind", ["refunds", "orders"])
def test_what_is_stuck_puts_off_neither_another_kind_nor_what_is_new(kind: str, stuck: str, shop: Shop) -> None:
    for number in range(40):
        shop.open(f"OLD_{number}", kind)
    shop.until_due("OLD_39", kind)

    def answer(key: str) -> None:
        if stuck == "cut off" and key.startswith("OLD"):
            raise ConnectionAbortedError  # the gateway's end closes

    shop.states.before_answer = answer
    if stuck == "refused":
        shop.states.refusing = {f"OLD_{number}": "NO_PERMISSION" for number in range(40)}
    for number in range(10):
        shop.open(f"NEW_{number}")
        shop.states.shown[f"NEW_{number}"] = ("SUCCESS", "10.5")
    shop.until_due("NEW_9")
    shop.pass_time(seconds=30)
    runs = [shop.follower.run_due() for _ in range(2)]
    assert sum(run.handled for run in runs) == 10
    assert all(f"Of {kind}" in run.stopped for run in runs)
    assert max(run.asked for run in runs) <= 10 + 10


def test_a_hint_of_a_host_whose_clock_is_behind_ends_no_run(shop: Shop) -> None:
    for number in range(5):
        shop.open(f"ORD_{number}")
        shop.states.shown[f"ORD_{number}"] = ("PENDING", "10.5")
    behind = elsewhere(shop, timedelta(minutes=-10))
    shop.until_due("ORD_4")
    shop.states.before_answer = lambda key: behind.hint("orders", key)
    assert shop.follower.run_due().taken == 5
    shop.pass_time(seconds=1)
    assert shop.follower.run_due().taken == 5  # what came up again is for the next run


def test_a_merchant_names_ends_that_the_contract_does_not_list(new_ledger: NewLedger, gateway: Gateway) -> None:
    shop, told = Shop(new_ledger(), gateway, handled=False), list[ItemResult]()

    @shop.receiver.on_result("orders", ends=["VOIDED"])
    def ended(event: Event[ItemResult]) -> None:
        told.append(event.data)

    for number, way in enumerate(("notification", "inquiry")):
        shop.open(f"ORD_{number}")
        if way == "notification":
            assert shop.deliver(order(f"ORD_{number}", "VOIDED")).outcome == "handled"
        else:
            shop.states.shown[f"ORD_{number}"] = ("VOIDED", "10.5")
            assert shop.run(f"ORD_{number}").handled == 1
        one = shop.item(f"ORD_{number}")
        assert (one.status, one.state, one.effect, one.paid, one.due_at) == ("settled", "VOIDED", "VOIDED", False, None)
        # who knows nothing of it reads it too
        assert Follower(shop.client, shop.ledger).hint("orders", f"ORD_{number}", settled=True)
    assert [(str(one.state), one.state.is_known, one.is_paid) for one in told] == [("VOIDED", False, False)] * 2
    assert shop.follower.run_due().failed == 0
    # One of the contract may follow, and says after what.
    assert shop.deliver(order("ORD_0", "FAILED")).outcome == "handled"
    assert (str(told[-1].state), str(told[-1].was), shop.item("ORD_0").state) == ("FAILED", "VOIDED", "FAILED")
    for ends in ("VOIDED", None, 5):
        with pytest.raises(InvalidArgument, match="ends is a collection of states"):
            shop.receiver.on_result("refunds", ends=ends)  # type: ignore[arg-type]
    shop.close()


def test_what_nobody_answers_is_asked_once_a_week_and_said_to_a_person(shop: Shop) -> None:
    shop.open()
    shop.states.shown["ORD_1"] = ("LOST", "10.5")
    asked: list[datetime] = []
    shop.states.before_answer = lambda key: asked.append(shop.clock.now())
    while len(asked) < schedule.OFTEN + 3:
        shop.run()
    assert asked[-1] - asked[-2] == schedule.ONCE_A_WEEK
    assert asked[-8] - asked[-9] == DAY
    one = shop.item()
    assert (one.step, one.why.count("once a week")) == ("decide", 1)
    assert one.due_at == shop.clock.now() + DAY  # somebody looks at it each day all the same


@pytest.mark.slow
def test_fifteen_hundred_refunds_that_are_refused_keep_no_order_waiting(shop: Shop) -> None:
    """Twenty fresh orders a minute, a run each half minute: each is known within two runs of when it would be alone."""
    for number in range(1_500):
        shop.open(f"REF_{number}", "refunds")
    shop.until_due("REF_1499", "refunds")
    shop.states.refusing = {f"REF_{number}": "NO_PERMISSION" for number in range(1_500)}
    opened: dict[str, datetime] = {}
    for run in range(30):
        for number in range(10):
            key = f"ORD_{run}_{number}"
            shop.open(key)
            opened[key] = shop.clock.now()
            shop.states.shown[key] = ("SUCCESS", "10.5")
        shop.follower.run_due()
        shop.pass_time(seconds=30)
    late = timedelta(seconds=30) * 2 + schedule.FIRST
    known = [shop.item(key) for key, at in opened.items() if at + late <= shop.clock.now()]
    assert len(known) > 200
    assert all(one.settled_at is not None and one.settled_at - one.opened_at <= late for one in known)


@pytest.mark.full
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere the peak is measured otherwise")
def test_a_million_open_items_are_followed_in_a_hundred_megabytes(tmp_path: Path) -> None:
    """In a process of its own: a run, the counts, and a list of all of them."""
    ran = subprocess.run(
        [sys.executable, "-c", _MILLION, tmp_path],
        env={**os.environ, "PYTHONPATH": f"{PACKAGES}{os.pathsep}{TOP}"}, capture_output=True, text=True, timeout=900,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    asked, listed, megabytes = map(float, ran.stdout.split())
    assert (asked, listed) == (4, 1_000_000)
    assert megabytes <= 100


_MILLION = """
import sqlite3, sys
from pathlib import Path
from paywright import Client, FixedClock, Merchant
from paywright_receiver import Follower, SqliteLedger
from paywright_runtime.signing.keys import KeyPair
from paywright_runtime.transport.api import Phase, TransportFailure
from tests.receiver.helpers.desk import APP, NOW, key
from tests.support.memory import kilobytes

class Away:
    def send(self, request, deadline):
        raise TransportFailure(Phase.CONNECTING, "connection_failed")
    def close(self):
        pass

path = Path(sys.argv[1]) / "shop.db"
clock, ledger = FixedClock(NOW), SqliteLedger(path)
merchant = Merchant(app_id=APP, private_key=KeyPair(key(1)).private_pem, gateway_keys=[KeyPair(key()).public_pem])
client = Client(base_url="https://gateway.example", merchant=merchant, clock=clock, retries=0, transport=Away())
follower = Follower(client, ledger)
follower.open(None, client.orders.follow("ORD_0", total_amount=5, currency="USD"))
with sqlite3.connect(path) as db:
    names = [row[1] for row in db.execute("PRAGMA table_info(paywright_items)")]
    made = ["'ord_' || n" if name == "number" else "'ORD_' || n" if name == "key" else name for name in names]
    numbers = "WITH RECURSIVE some(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM some WHERE n < 999999)"
    db.execute(f"{numbers} INSERT INTO paywright_items SELECT {', '.join(made)} FROM paywright_items, some")
db.close()
clock.advance(600)
asked = follower.run_due().asked
assert follower.counts()["open"] == 1_000_000
listed = sum(1 for _ in follower.open_items())
print(asked, listed, kilobytes("VmHWM") / 1024)
"""
