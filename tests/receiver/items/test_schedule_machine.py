"""Any order of hints, crashes, clock moves and answers: it never asks before it may, and it never forgets.

Hypothesis draws what happens; a driver that knows nothing asks whenever the step says so, and only then.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from paywright import contract
from paywright_receiver.items.follow_state import FollowState
from paywright_receiver.items.items import from_json, to_json
from paywright_runtime.clock import Moment
from paywright_runtime.settling.stored_document import Owner
from tests.receiver.helpers.notices import notice
from tests.support.examples import examples

NOON = datetime(2025, 6, 1, 12, tzinfo=UTC)
OWNER = Owner({"app_id": "app_1"}, "https://gateway.example:443")
LEAST = timedelta(seconds=10)
LEAST_UNKNOWN = timedelta(seconds=5)  # the resolver's own first pause
MOST_GAP = timedelta(seconds=300)
WORDS = {
    "orders": ("PENDING", "SUCCESS", "FAILED", "BOUNCEBACK", "CHARGED"),
    "refunds": ("REFUND_PENDING", "REFUND_SUCCESS", "REFUND_FAILED", "REFUND_LATER"),
}
FOLLOWS = {  # what may be known after what, apart from the state itself; any of them after a word that is no end
    "SUCCESS": {"BOUNCEBACK"},
    "FAILED": {"SUCCESS"},
    "BOUNCEBACK": set(),
    "REFUND_SUCCESS": set(),
    "REFUND_FAILED": {"REFUND_SUCCESS"},
}
MEMBERS = {"orders": "outTradeNo", "refunds": "outRefundNo"}
spans = st.sampled_from([1, 5, 9, 10, 15, 60, 180, 299, 300, 301, 1800, 3600, 6 * 3600, 86_400, 40 * 86_400])


class Following(RuleBasedStateMachine):
    """One item, its gateway's clock, and a clock of ours that may be moved."""

    @initialize(
        kind=st.sampled_from(sorted(WORDS)),
        unknown=st.booleans(),
        life=st.sampled_from([None, 1800, 86_400, -60]),
        absences=st.integers(0, 3),
    )
    def open(self, kind: str, unknown: bool, life: int | None, absences: int) -> None:
        self.kind = kind
        self.wall, self.monotonic = NOON, 0.0
        expires_at = None if life is None else NOON + timedelta(seconds=life)
        content = {"totalAmount": "10.50", "currency": "USD"} if kind == "orders" else {}
        self.state = FollowState(
            contract.CONTRACT, kind, "KEY_1", self.now, expires_at=expires_at, unknown=unknown, content=content
        )
        self.asked_at: datetime | None = None
        self.pause = timedelta()  # the least time from then to the next question
        self.useless = 0  # answers since a hint that brought no news
        self.hinted = False
        self.notified = set[str]()
        for _ in range(absences if unknown else 0):
            self.wait_until_told()
            self.is_not_there()

    @property
    def now(self) -> Moment:
        return Moment(self.wall, self.monotonic)

    @rule(seconds=spans)
    def wait(self, seconds: int) -> None:
        """Nothing happens but time: what the step said before holds."""
        said = self.state.step(self.now)
        self.wall += timedelta(seconds=seconds)
        self.monotonic += seconds
        step = self.state.step(self.now)
        if said.at is not None and said.state in ("wait", "decide"):
            if self.wall < said.at:
                assert (step.state, step.at) == (said.state, said.at)
            else:
                assert step.state == "query" or self.state.unknown

    @rule()
    def wait_until_told(self) -> None:
        """Continue exactly when the step said so."""
        said = self.state.step(self.now)
        if said.at is not None and said.at > self.wall:
            self.monotonic += (said.at - self.wall).total_seconds()
            self.wall = said.at
            if said.state != "place_again":
                assert self.state.step(self.now).state in ("query", "place_again")

    @rule(seconds=spans, forward=st.booleans())
    def move_the_clock(self, seconds: int, forward: bool) -> None:
        self.wall += timedelta(seconds=seconds if forward else -seconds)
        if self.asked_at is not None and self.asked_at > self.wall:
            # What was stamped ahead of the clock counts as now; the resolver asks again at once.
            self.asked_at = None if self.state.unknown else self.wall

    @rule(says=st.sampled_from([None, "", "SUCCESS", "BOUNCEBACK", "REFUND_SUCCESS"]))
    def hint(self, says: str | None) -> None:
        before = self.state.step(self.now)
        notice(self.state, self.now, says)
        after = self.state.step(self.now)
        self.hinted = self.hinted or not self.state.unknown
        self.notified.add(says or "")
        if before.at is not None and after.state in ("wait", "decide", "query") and not self.state.unknown:
            assert after.at is not None
            assert after.at <= max(before.at, self.wall)  # a hint never delays

    @rule()
    def die_and_resume(self) -> None:
        before = self.state.step(self.now)
        text, signed = to_json(self.state, OWNER), self.state.signed  # a ledger keeps what was signed beside it
        self.state = from_json(contract.CONTRACT, text, OWNER, signed=signed)[0]
        assert to_json(self.state, OWNER) == text
        # A permission is not stored: whoever takes up what may be placed again asks once more first.
        assert self.state.step(self.now) == before

    def asked(self) -> bool:
        """Whether the driver asks now; if it does, it may."""
        if self.state.step(self.now).state != "query":
            return False
        assert self.asked_at is None or self.wall >= self.asked_at + self.pause
        return True

    def answered(self, *, news: bool, useless: bool) -> None:
        self.useless = 0 if news else self.useless + (useless and self.hinted)
        self.pause = LEAST_UNKNOWN if self.state.unknown else min(MOST_GAP, LEAST * 2 ** min(self.useless, 6))
        self.asked_at = self.wall

    @rule(number=st.integers(0, 4))
    def is_shown(self, number: int) -> None:
        if not self.asked():
            return
        word = WORDS[self.kind][number % len(WORDS[self.kind])]
        before, was_unknown = self.state.last_state, self.state.unknown
        self.state.found({MEMBERS[self.kind]: "KEY_1", "status": word}, self.now)
        known = self.state.last_state
        assert known in (before, word)
        if before in FOLLOWS and known != before:
            between = FOLLOWS[before] & self.notified & set(FOLLOWS)  # what was signed in between explains both
            assert known in FOLLOWS[before].union(*map(FOLLOWS.__getitem__, between))
        step = self.state.step(self.now)
        assert step.state != "place_again"
        assert (step.state == "settled") <= (known in FOLLOWS)
        self.answered(news=known != before or was_unknown, useless=True)

    @rule()
    def is_not_there(self) -> None:
        if self.asked():
            self.state.absent(self.now, self.now)
            if not self.state.unknown:
                assert self.state.step(self.now).state != "place_again"
            self.answered(news=False, useless=not self.state.unknown)

    @rule(kind=st.sampled_from(["silence", "unreadable", "contradictory"]))
    def fails(self, kind: str) -> None:
        if not self.asked():
            return
        if kind == "silence":
            self.state.inconclusive("timeout", self.now)
        elif kind == "unreadable":
            self.state.unreadable(None, self.now)
        else:
            self.state.contradictory("ORDER_NOT_EXIST", self.now)
        self.answered(news=False, useless=False)

    @precondition(lambda self: self.state.unknown)
    @rule(accepted=st.booleans())
    def is_placed(self, accepted: bool) -> None:
        """The first call, or one with a permission: a verified success, or unknown again."""
        if self.state.step(self.now).state == "place_again":
            if self.state.permitted is None:  # it is asked once more for the permission
                return
            self.state = self.state.after_giving(self.now, timedelta(seconds=30))
            self.state.placed_again("placed" if accepted else "unknown", self.now)
            self.asked_at = None
        elif accepted:
            self.state.placed(self.now)
            self.asked_at = None

    @invariant()
    def nothing_is_forgotten(self) -> None:
        """What is not settled has a time to continue at, which is not further away than the longest pause."""
        step = self.state.step(self.now)
        if step.state == "settled":
            assert self.state.last_state in FOLLOWS
            return
        assert step.at is not None
        assert step.at - self.wall <= timedelta(days=1)

    def teardown(self) -> None:
        """From wherever it stands, a gateway that shows one last state settles it, in few questions and without a hint.

        A person decides only where something later was signed than what it shows.
        """
        if not hasattr(self, "state"):
            return
        truth = self.state.last_state if self.state.last_state in FOLLOWS else WORDS[self.kind][1]
        later = FOLLOWS[truth].union(*map(FOLLOWS.__getitem__, FOLLOWS[truth]))
        ends = {"settled", "decide"} if self.notified & later else {"settled"}
        for _ in range(8):
            step = self.state.step(self.now)
            if step.state == "query":
                self.state.found({MEMBERS[self.kind]: "KEY_1", "status": truth}, self.now)
            elif step.state in ends:
                return
            elif step.at is not None and step.at > self.wall:
                self.monotonic += (step.at - self.wall).total_seconds()
                self.wall = step.at
        raise AssertionError(f"not settled: {self.state.step(self.now)}")


TestFollowing = pytest.mark.slow(Following.TestCase)
TestFollowing.settings = examples(300, stateful_step_count=40)
