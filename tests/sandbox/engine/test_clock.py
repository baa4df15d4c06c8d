"""The virtual clock: it moves forward, stands still, survives; and advancing runs what falls due, in order."""

import socket
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paywright_runtime.clock import FixedClock
from paywright_runtime.contract import formats
from paywright_sandbox.control import clock_routes
from paywright_sandbox.control.clock_routes import advance
from paywright_sandbox.delivery import http_client
from paywright_sandbox.engine.state.clock import VirtualClock
from paywright_sandbox.engine.state.refusal import Refusal
from paywright_sandbox.engine.state.store import Store
from paywright_sandbox.gateway import make_engine, open_store, read_settings
from paywright_sandbox.testing.served import running_sandbox
from tests.sandbox.helpers.desk import Desk
from tests.sandbox.helpers.place import place
from tests.support.examples import examples

START = datetime(2025, 6, 1, 12, tzinfo=UTC)


@pytest.fixture
def wall() -> FixedClock:
    return FixedClock(START)


def desk_of(folder: Path, wall: FixedClock, store: Store) -> Desk:
    """A desk on the virtual clock; its requests are stamped by the wall clock, as real ones are."""
    return Desk(make_engine(read_settings(folder), store, address="http://127.0.0.1:8787", wall=wall), folder, wall)


def test_it_runs_with_the_wall_clock_and_ahead_of_it(wall: FixedClock) -> None:
    clock = VirtualClock(open_store(), wall)
    assert clock.now() == START
    clock.hold(START + timedelta(days=1))
    wall.advance(5)
    assert clock.now() == START + timedelta(days=1)
    clock.release()
    wall.advance(7)
    assert clock.now() == START + timedelta(days=1, seconds=7)


def test_frozen_it_stands_and_can_be_moved(wall: FixedClock) -> None:
    clock = VirtualClock(open_store(), wall)
    clock.freeze()
    wall.advance(60)
    assert clock.now() == START
    clock.hold(START + timedelta(hours=1))
    clock.release()
    wall.advance(60)
    assert clock.now() == START + timedelta(hours=1)
    clock.resume()
    wall.advance(1)
    assert clock.now() == START + timedelta(hours=1, seconds=1)


def test_it_never_goes_back(wall: FixedClock) -> None:
    clock = VirtualClock(open_store(), wall)
    with pytest.raises(Refusal):
        clock.hold(START - timedelta(microseconds=1))

    class Setback:
        def now(self) -> datetime:
            return times.pop(0)

        def monotonic(self) -> float:
            return 0.0

        def sleep(self, seconds: float) -> None:
            raise AssertionError("nobody waits")

    times = [START, START - timedelta(hours=1), START + timedelta(seconds=1)]
    clock = VirtualClock(open_store(), Setback())
    assert [clock.now(), clock.now(), clock.now()] == [START, START, START + timedelta(seconds=1)]


@pytest.mark.parametrize("frozen", [False, True])
def test_it_survives_a_restart_also_in_the_middle_of_a_move(tmp_path: Path, wall: FixedClock, frozen: bool) -> None:
    store = open_store(tmp_path / "state")
    clock = VirtualClock(store, wall)
    if frozen:
        clock.freeze()
    clock.hold(START + timedelta(days=30))
    store.close()  # neither released nor stopped in order
    wall.advance(10)
    store = open_store(tmp_path / "state")
    clock = VirtualClock(store, wall)
    assert clock.now() == START + timedelta(days=30, seconds=0 if frozen else 10)
    assert clock.frozen is frozen
    store.close()


def test_advancing_lets_everything_happen_at_its_own_time_and_says_what(folder: Path, wall: FixedClock) -> None:
    desk = desk_of(folder, wall, open_store())
    desk.checkout("ORD_1", expireTime="3600")
    desk.checkout("ORD_2", expireTime="1800")
    desk.paid("ORD_3")
    desk.refund("REF_1", Decimal("1"), outTradeNo="ORD_3")
    answer = desk.control("POST", "clock/advance", {"to": "2025-06-02T00:00:00+00:00"})
    assert (answer["complete"], answer["now"]) == (True, "2025-06-02T00:00:00.000+00:00")
    assert [(event["at"][11:19], event["kind"], event["subject"]) for event in answer["happened"]] == [
        ("12:00:02", "refund.succeeded", "REF_1"),
        ("12:30:00", "order.closed", "ORD_2"),
        ("13:00:00", "order.closed", "ORD_1"),
    ]
    assert desk.query("ORD_1")["data"]["status"] == "FAILED"  # the request is stamped by the wall clock


def test_a_crowded_move_is_continued(folder: Path, wall: FixedClock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock_routes, "_MOST", 3)
    desk = desk_of(folder, wall, open_store())
    for number in range(6):
        desk.checkout(f"ORD_{number}", expireTime=str(1800 + 300 * number))
    to = {"to": "2025-06-02T00:00:00+00:00"}
    answer = desk.control("POST", "clock/advance", to)
    assert (answer["complete"], answer["now"][11:19], "Repeat it to go on" in answer["why"]) == (False, "12:45:00", True)  # fmt: skip
    assert [event["subject"] for event in answer["happened"]] == ["ORD_0", "ORD_1", "ORD_2", "ORD_3"]
    rest = desk.control("POST", "clock/advance", to)
    assert (rest["complete"], rest["now"][:10], "why" in rest) == (True, "2025-06-02", False)
    assert [event["subject"] for event in rest["happened"]] == ["ORD_4", "ORD_5"]


def test_the_request_time_is_judged_by_the_wall_clock_unless_told_otherwise(folder: Path, wall: FixedClock) -> None:
    desk = desk_of(folder, wall, open_store())
    desk.control("POST", "clock/advance", {"seconds": 86_400})
    assert desk.query("ORD_1")["code"] == "ORDER_NOT_EXIST"
    desk.engine.settings.judge_request_time = "sandbox"
    assert desk.query("ORD_1")["code"] == "REQ_TIME_OVER_TIME"


@pytest.mark.parametrize(
    "body",
    [
        {}, {"seconds": -1}, {"seconds": Decimal("1.5")}, {"seconds": "1"}, {"seconds": True}, {"seconds": 10**13},
        {"seconds": 10**12}, {"to": "tomorrow"}, {"to": "2025-06-02T00:00:00"}, {"to": "9999-12-31T00:00:00Z"},
        {"seconds": 1, "to": "2025-06-02T00:00:00Z"},
        {"hours": 1},
    ],
)  # fmt: skip
def test_a_senseless_move_is_refused_and_moves_nothing(folder: Path, wall: FixedClock, body: dict[str, Any]) -> None:
    desk = desk_of(folder, wall, open_store())
    assert desk.control("POST", "clock/advance", body)["httpStatus"] == 400
    clock = desk.control("GET", "clock")
    assert (clock["now"], clock["frozen"]) == ("2025-06-01T12:00:00.000+00:00", False)


def test_the_past_is_refused(folder: Path, wall: FixedClock) -> None:
    desk = desk_of(folder, wall, open_store())
    assert desk.control("POST", "clock/advance", {"to": "2025-06-01T11:59:59Z"})["httpStatus"] == 409


def test_freezing_and_resuming_by_the_control_api(folder: Path, wall: FixedClock) -> None:
    desk = desk_of(folder, wall, open_store())
    assert desk.control("POST", "clock/freeze")["frozen"] is True
    wall.advance(100)
    clock = desk.control("GET", "clock")
    assert (clock["now"], clock["aheadSeconds"]) == ("2025-06-01T12:00:00.000+00:00", -100)
    assert desk.control("POST", "clock/resume")["frozen"] is False
    wall.advance(1)
    assert desk.control("GET", "clock")["now"] == "2025-06-01T12:00:01.000+00:00"


moves = st.lists(st.integers(0, 200_000), min_size=1, max_size=6)
lives = st.lists(st.integers(1800, 86_400), min_size=1, max_size=6)


@examples(10)
@given(moves=moves, lives=lives, frozen=st.booleans())
def test_any_steps_of_the_clock_do_the_same(made_once: Path, moves: list[int], lives: list[int], frozen: bool) -> None:
    def happens(steps: list[int]) -> list[tuple[str, str, str]]:
        store = open_store()
        desk = desk_of(made_once, FixedClock(START), store)
        if frozen:
            desk.control("POST", "clock/freeze")
        for number, life in enumerate(lives):
            # Nobody listens on the discard port: every attempt fails at once, and all of the schedule is seen.
            desk.checkout(f"ORD_{number}", expireTime=str(life), notifyUrl="http://127.0.0.1:9/")
        happened: list[tuple[str, str, str]] = []
        for step in steps:
            answer = desk.control("POST", "clock/advance", {"seconds": step})
            assert answer["complete"]
            now = formats.read_time(answer["now"])
            times = [formats.read_time(event["at"]) for event in answer["happened"]]
            assert all(time is not None and now is not None and time <= now for time in times)
            happened += [(event["at"], event["kind"], event["subject"]) for event in answer["happened"]]
        store.close()
        return happened

    pieces, whole = happens(moves), happens([sum(moves)])
    assert pieces == whole
    assert [at for at, _, _ in whole] == sorted(at for at, _, _ in whole)
    due = [life for life in lives if life <= sum(moves)]
    assert [kind for _, kind, _ in whole].count("order.closed") == len(due)
    expected = sum(1 for life in due for at in (0, 30, 300, 600, 3600, 43200) if life + at <= sum(moves))
    assert [kind for _, kind, _ in whole].count("notification.attempted") == expected


def test_events_can_be_read_on_from_a_number(open_desk: Callable[..., Desk]) -> None:
    desk = open_desk()
    desk.checkout("ORD_1")
    first = desk.control("GET", "events")["events"]
    assert [(event["kind"], event["subject"]) for event in first] == [("order.created", "ORD_1")]
    desk.control("POST", "orders/ORD_1/pay")
    later = desk.control("GET", f"events/after/{first[-1]['seq']}")
    assert [event["kind"] for event in later["events"]] == ["order.paid"]
    assert desk.control("GET", "events/after/x")["httpStatus"] == 404


@pytest.mark.slow
def test_a_move_of_the_clock_waits_for_no_call(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A merchant's server that never answers holds up one delivery, not the queue behind it and the move too."""
    monkeypatch.setattr(http_client, "attempt_seconds", lambda _: 1.0)
    with socket.create_server(("127.0.0.1", 0)) as deaf, running_sandbox(folder) as sandbox, sandbox.client() as client:
        for number in range(30):
            place(client, f"ORD_{number}", notify_url=f"http://127.0.0.1:{deaf.getsockname()[1]}/")
            sandbox.pay(f"ORD_{number}")
        answer = advance(sandbox.engine, timedelta(days=1), longest=0.5)
        assert answer["complete"] is False
        assert "Repeat it to go on from here." in str(answer["why"])
        assert sandbox.engine.clock.now() - datetime.now(UTC) < timedelta(hours=1)
