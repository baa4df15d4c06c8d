"""The last microsecond of everything that a ledger measures, and the second round of what was done or discarded once.

PostgreSQL's clock cannot be stopped, so that only SQLite is asked here.
"""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from paywright import ClaimLost, Event, FixedClock, InvalidArgument, Ledger
from paywright.models.notifications import Transfer
from paywright_receiver import MemoryLedger
from paywright_receiver.items.ledger import ClaimRequest
from paywright_receiver.items.state_order import StateOrder
from paywright_receiver.items.times import micros, youngest
from paywright_receiver.ledgers.sql.sql_ledger import Claim
from tests.receiver.helpers.desk import NOW, Desk, order, transfer

MICROSECOND = timedelta(microseconds=1)
LEASE = timedelta(seconds=60)
KEEP = timedelta(days=8)


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(NOW)


@pytest.fixture
def ledger(clock: FixedClock) -> MemoryLedger:
    return MemoryLedger(clock=clock)


def request(key: str = "k", content: str = "0", **changes: Any) -> ClaimRequest:
    given: dict[str, Any] = {
        "subject": "s", "state": None,
        "raw": content.encode(),
        "notify_time": 0, "lease": LEASE // MICROSECOND, "keep": KEEP // MICROSECOND, **changes,
    }  # fmt: skip
    return ClaimRequest(key, given.pop("subject"), "K", given.pop("state"), digest=content * 64, **given)


def granted(ledger: Ledger, claimed: ClaimRequest) -> Claim:
    claim = ledger.acquire(claimed)
    assert not isinstance(claim, str), claim
    return claim


def done(ledger: Ledger, claimed: ClaimRequest) -> None:
    granted(ledger, claimed).complete()


def listed(ledger: Ledger) -> list[str]:
    return [entry.status for entry in ledger.list()]


def statuses(ledger: Ledger) -> list[str]:
    """The same, and counted alike."""
    found = listed(ledger)
    counts = ledger.counts()
    assert {status: found.count(status) for status in counts} == counts
    return found


# The lease


def test_a_lease_holds_to_its_last_microsecond_and_no_longer(ledger: Ledger, clock: FixedClock) -> None:
    first = granted(ledger, request())
    clock.advance(LEASE - MICROSECOND)
    assert ledger.acquire(request()) == "in_progress"
    assert ledger.acquire(request("other")) == "in_progress", "it is about the same"
    assert statuses(ledger) == ["claimed"]
    assert ledger.discard("k") is False
    clock.advance(MICROSECOND)
    assert statuses(ledger) == ["failed"]
    assert [entry.why for entry in ledger.list()] == ["its process died or took longer than its lease, 1 time"]
    second = granted(ledger, request())
    assert (first.attempt, second.attempt) == (1, 2)
    with pytest.raises(ClaimLost, match="k was taken over: its handler took longer than the receiver's lease"):
        first.complete()
    first.release("failed", "it is too late to say so")
    assert statuses(ledger) == ["claimed"]
    second.complete()
    assert statuses(ledger) == ["done"]


def test_what_ran_out_can_be_discarded_at_once(ledger: Ledger, clock: FixedClock) -> None:
    claim = granted(ledger, request())
    clock.advance(LEASE)
    assert ledger.discard("k") is True
    with pytest.raises(ClaimLost):
        claim.complete()
    assert statuses(ledger) == ["done"]
    assert ledger.acquire(request()) == "duplicate"


def test_a_subject_whose_holder_ran_out_is_free(ledger: Ledger, clock: FixedClock) -> None:
    granted(ledger, request("k1"))
    granted(ledger, request("k3", subject="another"))
    clock.advance(LEASE)
    done(ledger, request("k2"))
    assert {entry.key: entry.status for entry in ledger.list()} == {"k1": "failed", "k2": "done", "k3": "failed"}
    assert [entry.why for entry in ledger.list(key="k3")] == ["its process died or took longer than its lease, 1 time"]
    (late,) = ledger.list(key="k1")
    assert late.why == "its handler took longer than the lease, and another one about the same was taken up"
    assert granted(ledger, request("k1")).attempt == 2


def test_a_claim_from_the_future_is_live_for_one_second_and_no_more(ledger: MemoryLedger) -> None:
    granted(ledger, request())
    ledger.clock = FixedClock(NOW - timedelta(seconds=1))
    assert (ledger.acquire(request()), listed(ledger)) == ("in_progress", ["claimed"])
    assert ledger.discard("k") is False
    ledger.clock = FixedClock(NOW - timedelta(seconds=1) - MICROSECOND)
    assert listed(ledger) == ["failed"]
    assert granted(ledger, request()).attempt == 2


# What is kept


@pytest.mark.parametrize("failures", [0, 1])
def test_a_record_is_kept_an_eighth_longer_than_it_must_be(ledger: Ledger, clock: FixedClock, failures: int) -> None:
    for _ in range(failures):
        granted(ledger, request()).release("failed", "")
    done(ledger, request())
    clock.advance(KEEP + KEEP / 8)
    assert ledger.prune(clock.now()) == 0
    clock.advance(MICROSECOND)
    assert ledger.prune(NOW) == 0, "it was last changed then, and not before"
    assert ledger.prune(NOW + MICROSECOND) == 1
    assert ledger.list() == []
    assert ledger.prune(clock.now()) == 0


@pytest.mark.parametrize("status", ["failed", "unhandled", "unreadable"])
def test_what_had_no_effect_is_never_pruned(ledger: Ledger, clock: FixedClock, status: Any) -> None:
    granted(ledger, request()).release(status, "why it had none")
    clock.advance(timedelta(days=4000))
    assert ledger.prune(clock.now()) == 0
    assert [(entry.status, entry.why, entry.attempts) for entry in ledger.list()] == [(status, "why it had none", 1)]
    assert ledger.body("k") == b"0"


def test_without_an_age_what_a_clock_ahead_has_written_is_counted(ledger: Any) -> None:
    granted(ledger, request()).release("failed", "it failed")
    ledger.clock = FixedClock(NOW - MICROSECOND)  # it stepped back
    assert ledger.counts()["failed"] == 1
    assert ledger.counts(older_than=MICROSECOND)["failed"] == 0, "it is not so old yet"
    ledger.clock = FixedClock(NOW + MICROSECOND)
    assert ledger.counts(older_than=MICROSECOND)["failed"] == 1


def test_what_is_only_kept_counts_no_attempt(ledger: Ledger) -> None:
    granted(ledger, request(handled=False)).release("unhandled", "")
    assert [entry.attempts for entry in ledger.list()] == [0]
    assert granted(ledger, request()).attempt == 1


def test_a_list_has_the_last_changed_first_and_no_more_than_asked_for(ledger: Ledger, clock: FixedClock) -> None:
    for number in range(4):
        done(ledger, request(f"k{number}", subject=f"s{number}"))
        clock.advance(1)
    assert [entry.key for entry in ledger.list()] == ["k3", "k2", "k1", "k0"]
    assert [entry.key for entry in ledger.list(most=2)] == ["k3", "k2"]
    assert [entry.key for entry in ledger.list(key="k1")] == ["k1"]
    assert ledger.list(key="k1", status="failed") == ledger.list(key="none") == []
    (entry,) = ledger.list(key="k1", status="done")
    assert (entry.first_at, entry.changed_at) == (NOW + timedelta(seconds=1),) * 2
    assert (entry.subject, entry.kind, entry.state, entry.own, entry.digest) == ("s1", "K", None, True, "0" * 64)


def test_times_are_whole_microseconds_and_have_an_offset() -> None:
    assert micros(NOW + MICROSECOND) - micros(NOW) == 1
    assert (youngest(9, MICROSECOND), youngest(0, timedelta(seconds=1))) == (8, -1_000_000)
    with pytest.raises(InvalidArgument, match="0 or more"):
        youngest(0, -MICROSECOND)
    with pytest.raises(InvalidArgument, match="needs its offset"):
        micros(NOW.replace(tzinfo=None))


# Times and contents


@pytest.mark.parametrize(("age", "outcome"), [(-1, "superseded"), (0, "handled"), (1, "handled")])
def test_without_effect_the_newest_content_counts(age: int, outcome: str, ledger: Ledger) -> None:
    granted(ledger, request(content="a", notify_time=5)).release("failed", "")
    claim = ledger.acquire(request(content="b", notify_time=5 + age))
    if outcome == "superseded":
        assert claim == "superseded"
        assert ledger.body("k") == b"a"
        return
    assert not isinstance(claim, str)
    assert ledger.body("k") == b"b"
    claim.complete()
    assert ledger.acquire(request(content="a", notify_time=5)) == "conflict"
    assert ledger.acquire(request(content="b")) == "duplicate"


def test_an_older_delivery_of_the_same_content_is_tried(ledger: Ledger) -> None:
    granted(ledger, request(notify_time=5)).release("failed", "")
    assert granted(ledger, request(notify_time=4)).attempt == 2


@pytest.mark.parametrize(("age", "outcome"), [(-1, "stale"), (0, "handled"), (1, "handled")])
def test_of_unordered_states_the_newer_counts(age: int, outcome: str, ledger: Ledger) -> None:
    done(ledger, request("k/A", state="A", notify_time=5))
    claim = ledger.acquire(request("k/B", state="B", notify_time=5 + age))
    assert (claim if isinstance(claim, str) else "handled") == outcome


STATES = {
    "A": StateOrder(later=frozenset({"B", "C"})),
    "B": StateOrder(excluded=frozenset({"C"}), earlier=frozenset({"A"}), ends=True),
    "C": StateOrder(excluded=frozenset({"B"}), earlier=frozenset({"A"}), ends=True),
}


def state(name: str, content: str = "0", **changes: Any) -> ClaimRequest:
    return request(f"k/{name}", content, state=name, order=lambda name: STATES.get(name or "", StateOrder()), **changes)


@pytest.mark.parametrize("status", ["failed", "unhandled", "unreadable"])
def test_what_is_discarded_moves_its_subject_on(ledger: Ledger, status: Any) -> None:
    granted(ledger, state("B")).release(status, "")
    assert ledger.discard("k/B") is True
    assert ledger.discard("k/B") is False
    assert ledger.acquire(state("C")) == "conflict"
    assert ledger.acquire(state("A")) == "stale"
    assert [(entry.status, entry.why) for entry in ledger.list(key="k/B")] == [("done", "discarded by hand")]


def test_what_tells_of_no_state_leaves_its_subject_where_it_was(ledger: Ledger) -> None:
    done(ledger, state("B"))
    granted(ledger, request("k", notify_time=9)).release("failed", "")
    assert ledger.discard("k") is True
    assert ledger.acquire(state("A")) == "stale"
    assert ledger.acquire(state("C")) == "conflict"


def test_a_conflict_that_is_discarded_moves_nothing(ledger: Ledger, clock: FixedClock) -> None:
    done(ledger, state("B"))
    assert ledger.acquire(state("C")) == "conflict"
    assert ledger.discard("k/C") is True
    assert ledger.acquire(state("C")) == "duplicate"
    clock.advance(2 * KEEP)
    assert ledger.prune(clock.now()) == 2
    assert ledger.acquire(state("B")) == "duplicate", "its subject is where it was"


def test_a_conflict_that_is_being_reconciled_and_fails_stays_one(ledger: Ledger, clock: FixedClock) -> None:
    done(ledger, state("B", notify_time=7))
    claim = granted(ledger, state("C", reconciles=True))
    assert claim.conflict is not None
    assert (claim.conflict.what, claim.conflict.key, claim.conflict.state) == ("state", "k/B", "B")
    claim.release("failed", "no")
    assert statuses(ledger) == ["conflict", "done"] or statuses(ledger) == ["done", "conflict"]
    claim = granted(ledger, state("C", reconciles=True))
    clock.advance(LEASE)
    assert sorted(statuses(ledger)) == ["conflict", "done"], "its process died: it is a conflict all the same"
    assert ledger.discard("k/C") is True
    assert ledger.acquire(state("B")) == "duplicate"
    assert ledger.acquire(state("A")) == "stale"


def test_a_reconciled_conflict_leaves_its_subject_where_it_was(ledger: Ledger) -> None:
    done(ledger, state("B"))
    done(ledger, state("C", reconciles=True))
    assert sorted(statuses(ledger)) == ["done", "done"]
    claim = granted(ledger, state("C", "1", reconciles=True))
    assert claim.conflict is not None
    assert (claim.conflict.what, claim.conflict.key) == ("content", "k/C")
    claim.complete()
    other = granted(
        ledger, request("k/D", state="D", order=lambda name: StateOrder(excluded=frozenset({"B"})), reconciles=True)
    )
    assert other.conflict is not None
    assert (other.conflict.what, other.conflict.key, other.conflict.state) == ("state", "k/B", "B")


def test_a_release_ends_only_what_is_claimed(ledger: Ledger) -> None:
    assert ledger.release("k") is False
    granted(ledger, request())
    assert ledger.release("k", "1" * 64) is False
    assert ledger.release("k", "0" * 64) is True
    assert ledger.release("k") is False
    assert [(entry.status, entry.why) for entry in ledger.list()] == [("failed", "released by hand")]
    done(ledger, request())
    assert ledger.release("k") is ledger.discard("k") is False


# The receiver's own limits


def test_a_delivery_is_taken_to_the_last_microsecond_of_its_age(tmp_path: Path) -> None:
    desk = Desk(tmp_path / "ledger.db", max_age=timedelta(days=2), max_ahead=timedelta(minutes=3))
    desk.receiver.on_receive(lambda event: None)
    millisecond = timedelta(milliseconds=1)
    outcomes = [
        desk.deliver(transfer(f"R{number}", at=NOW + by)).outcome
        for number, by in enumerate(
            [
                -timedelta(days=2),
                -timedelta(days=2) - millisecond,
                timedelta(minutes=3),
                timedelta(minutes=3) + millisecond,
            ]
        )
    ]
    assert outcomes == ["handled", "too_old", "handled", "too_new"]


def test_the_lease_of_a_receiver_is_the_ledgers(tmp_path: Path) -> None:
    desk = Desk(tmp_path / "ledger.db", lease=7)
    again: list[str] = []

    @desk.receiver.on_receive
    def handle(event: Event[Transfer]) -> None:
        if not again:
            again.append("")
            desk.pass_time(microseconds=6_999_999)
            again.append(desk.deliver(transfer()).outcome)
            desk.pass_time(microseconds=1)
            again.append(desk.deliver(transfer()).outcome)

    assert desk.deliver(transfer()).outcome == "in_progress"
    assert again == ["", "in_progress", "handled"]


def test_a_record_is_kept_for_the_age_and_the_lead_of_a_delivery(tmp_path: Path) -> None:
    desk = Desk(tmp_path / "ledger.db", max_age=timedelta(days=8), max_ahead=timedelta(hours=8))
    desk.receiver.on_other(lambda event: None)
    desk.deliver(order())
    desk.clock.advance((timedelta(days=8) + timedelta(hours=8)) * 9 / 8)
    assert desk.ledger.prune(desk.clock.now()) == 0
    desk.clock.advance(MICROSECOND)
    assert desk.ledger.prune(desk.clock.now()) == 1
