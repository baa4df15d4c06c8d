"""Follow of an item to its last state: an order, a refund, an exchange, a withdrawal, a link, a plan.

`FollowState` is the resolution of the write that made it, if that is unknown, and goes on from there. It gets answers, hints and
times, and returns what to do now and when to continue: `item_operations` says what its steps mean, and what a hint, a close or a move
does in each. Pauses, and when a person decides, are in `inquiry_schedule`; `stored_follow` stores it for another process.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta

from paywright_receiver.items import inquiry_schedule as schedule
from paywright_receiver.items.item_reader import ItemReader, ShownItem
from paywright_receiver.items.state_memory import (
    Remembered,
    by_way,
    covered,
    decided_last,
    effect_of,
    explained,
    heard,
    with_notice,
)
from paywright_receiver.items.state_order import MEANS
from paywright_receiver.items.times import at_micros, micros
from paywright_runtime.clock import Moment
from paywright_runtime.contract.index import Contract
from paywright_runtime.contract.same_content import words_of
from paywright_runtime.error_text import ADVICE, advised
from paywright_runtime.errors import InvalidArgument
from paywright_runtime.settling.resolution import ENOUGH_QUESTIONS, HOURLY, ONCE_A_DAY, ResolutionState, Step


class FollowState(ResolutionState):
    """Follow of one item until its last state is known. All times are aware.

    Args:
        contract: the contract, which says by `follows:` what is asked and which states are the last ones.
        kind: the resource: `orders`, `refunds`, `exchanges`, `withdrawals`, `payment_links`, `subscriptions`.
        key: the merchant's own id of the item, as its query takes it.
        now: when it was opened.
        operation: the write that made it; None for the resource's usual one.
        asks: further members of the query's request, by wire name.
        expires_at: until when the item can stay open; None for the longest that the contract states, if it states one.
        content: what the write asked for, by path in its request [`shows:`], to recognise another call under this key.
        unknown: True if the gateway may not have the item: the call ended with an unknown outcome, or is still to be made. Then
            its resolution by section 4.3 comes first, and following continues from there.
        ends: states that end it beside those of the contract.

    Raises `InvalidArgument` for a kind that the contract does not follow, and for an operation, a key or content that does not
    belong to it.
    """

    # What the resolution has, and is written here too: of the same types, for all type checkers.
    absences: int
    answers: int
    claimed: bool
    decide: bool
    failures: int
    foreign: frozenset[str]
    keys: tuple[str, ...]
    last: str
    permitted: Moment | None
    query: str | None
    since: datetime
    started_at: datetime
    wanted: bool

    def __init__(
        self,
        contract: Contract,
        kind: str,
        key: str,
        now: Moment,
        *,
        operation: str | None = None,
        asks: Mapping[str, str] | None = None,
        expires_at: datetime | None = None,
        content: Mapping[str, object] | None = None,
        unknown: bool = False,
        ends: frozenset[str] = frozenset(),
    ) -> None:
        following = contract.following(kind)
        if not isinstance(key, str) or not key:
            raise InvalidArgument(f"The key of {kind} is the text that stands in {following.by}.")
        if expires_at is not None and (not isinstance(expires_at, datetime) or expires_at.utcoffset() is None):
            raise InvalidArgument("expires_at is an aware datetime, such as datetime.now(UTC) + timedelta(minutes=30).")
        made = following.write if operation is None else operation
        if made != following.write and not _makes_the_same(contract, made, following.write):
            raise InvalidArgument(f"{made} makes nothing that is followed as {kind}. Nothing was sent.")
        if unknown and made is None:
            raise InvalidArgument(f"No operation of the contract makes {kind}: nothing of it can be unknown.")
        if content and made is None:
            raise InvalidArgument(f"No operation of the contract makes {kind}: there is no content to compare.")
        super().__init__(contract, made or following.operation, key, asks or {}, now.wall, content, unknown=unknown)
        self._following = following
        self._reader: ItemReader = contract.once("reader of " + kind, lambda: ItemReader(contract, following))
        self.kind: str = following.kind
        self._by = following.by
        self.operation = made
        self.query = None if following.told else following.operation
        self.ends: frozenset[str] = ends
        self.expires_at = schedule.clamped(expires_at)
        self.hinted_at: datetime | None = None
        self.stateless: int = 0
        self.stateless_since: datetime | None = None
        self.hinted: int = 0
        self.closed_at: datetime | None = None
        self.closed_state: str | None = None
        self.disputed: bool = False
        self.signed: tuple[Remembered, ...] = ()
        self.last_state: str | None = None
        self.parts_open: bool = False
        self.paid: bool = False
        self.amount: str | None = None
        self.currency: str | None = None
        self.last = f"{self.key!r} was opened at {now.wall.isoformat(timespec='seconds')}"
        if not unknown:
            self.next_at = None if self.query is None else schedule.first(now.wall, self.end)

    @property
    def end(self) -> datetime | None:
        """Return until when the item can stay open, as far as that is known."""
        if self.expires_at is None and self._following.open_for is not None:
            return self.started_at + timedelta(seconds=self._following.open_for)
        return self.expires_at

    @property
    def settled(self) -> bool:
        """Return whether no further inquiry is needed: the state is final, or only the return of the money may follow.

        False while answers contradict each other, or what was signed, and after a day of inquiries without a state.
        """
        return self._has_last_state and not self.decide and not self._for_long and not self.behind

    @property
    def behind(self) -> bool:
        """Return whether the gateway's answers show less than what it has signed."""
        return any(one.answered == "behind" for one in self.signed)

    @property
    def told(self) -> bool:
        """Return whether the known state had its effect, or somebody has put an end to it."""
        done = self.last_state in (None, decided_last(self.signed))
        return done or covered(self._reader.order, self.last_state or "", self.signed)

    @property
    def _has_last_state(self) -> bool:
        ended = self._reader.states.is_end(self.last_state, self.ends)
        return ended and not (self.parts_open or self.unknown) and self.query is not None

    @property
    def _for_long(self) -> bool:
        """Return whether a day of inquiries has brought no state."""
        since, asked_at = self.stateless_since, self.asked_at
        return (
            since is not None
            and asked_at is not None
            and self.stateless >= ENOUGH_QUESTIONS
            and asked_at - since >= schedule.STATELESS
        )

    def step(self, now: Moment) -> Step:
        """Return what to do at `now`."""
        self._forget_the_future(now)
        self._hear(now)
        step = self._step(now)
        at = self._notices_at(now.wall)
        if at is None or self.query is None or step.state == "query":
            return step
        if now.wall >= at:
            return Step("query", now.wall, f"it is time to ask {self.query}", self.asked)
        at = at if step.at is None else min(at, step.at)
        if self.behind and step.state != "closed":
            says = {one.state or "a state that could not be read" for one in self.signed if one.answered == "behind"}
            why = f"a signed notification said {', '.join(sorted(says))}, and no answer shows that: {self.last}"
            return Step("decide", at, why if self.decide else f"{why}. {advised('decide.behind')}", self.asked)
        return step._replace(state="wait" if step.state == "settled" else step.state, at=at)

    def _step(self, now: Moment) -> Step:
        """Return what to do by the item's own schedule."""
        if self.closed_at is not None:
            return self._closed_step(now.wall, self.closed_at)
        if self.unknown and self.absences and self.next_at is not None and now.wall < self.next_at:
            # Nobody places it again: it waits for whoever asks for the permission.
            why = f"{self.query} has said twice that it does not know {self.key!r}: {ADVICE['place_again']}"
            return Step("place_again", self.next_at, why, self.asked)
        if self.unknown:
            return self.rule(now)
        if self.query is None:
            return self._told_step(now.wall)
        if self.next_at is None:
            return Step("settled", None, self.last, self.asked)
        step = self._next(now)
        if step.state == "wait" and self._for_long:
            since = "" if self.stateless_since is None else self.stateless_since.isoformat(timespec="seconds")
            why = f"{self.stateless} inquiries since {since} have shown no state of it: {self.last}"
            return Step("decide", self.next_at, f"{why}. {advised('decide.no_answer')}", self.asked)
        return step

    def _closed_step(self, now: datetime, closed_at: datetime) -> Step:
        """Return the step of an item that was closed: once after its end, once a day later, and while the gateway has it open."""
        if self.query is None:
            return Step("closed", None, self.last, self.asked)
        times = [closed_at + ONCE_A_DAY]
        times += [] if self.end is None else [self.end + schedule.AFTER_EXPIRY]
        left = [at for at in times if self.asked_at is None or self.asked_at < at]
        if self.failures and self.next_at is not None:
            left = [self.next_at]
        elif not left and self.asked_at is not None:
            # The last answer was about another content, or contradicts the known state, and it may be ours all the same.
            may_be = (self.claimed if self.unknown else self.decide) and self.asked < schedule.OFTEN
            is_open = not self.unknown and self.last_state is not None and not self._has_last_state
            left = [self.asked_at + schedule.undecided(self.asked)] * (may_be or is_open)
        at = min(left, default=None)
        return Step("query" if at is not None and now >= at else "closed", at, self.last, self.asked)

    def _hear(self, now: Moment) -> None:
        """Take in the notices that nobody has asked about yet."""
        new = [one for one in self.signed if one.answered == "no"]
        if not new:
            return
        last = min(now.wall, max(at_micros(one.at) for one in new))
        self.hinted_at = last if self.hinted_at is None else max(self.hinted_at, last)
        if any(one.source == "noted" for one in new):
            self.closed_at = None  # what is notified opens it again
            if self.unknown:
                self.claimed, self.permitted, self.absences = True, None, 0
                self._not_later(self._after_pause(now.wall))
        elif self.unknown and self.asked_at is not None and (self.absences or self.decide):
            # Section 4.3 says when: two "not there" count only with enough time between them.
            self.absences = min(self.absences, 1)
            self._not_later(self.asked_at + (HOURLY if self.decide else self._least()))

    def _notices_at(self, now: datetime) -> datetime | None:
        """Return when to ask about notices: at once, and more and more seldom while answers stay behind."""
        if any(one.answered == "no" for one in self.signed):
            return None if self.unknown and self.closed_at is None else self._after_pause(now)
        if not self.behind:
            return None
        if self.asked_at is None or self.hinted <= ENOUGH_QUESTIONS:
            return self._after_pause(now)
        return self.asked_at + schedule.undecided(self.asked)

    def _after_pause(self, now: datetime) -> datetime:
        pause = max(schedule.gap(self.hinted), schedule.pause_after_failure(self.failures))
        return now if self.asked_at is None else max(now, self.asked_at + pause)

    def found(self, payload: Mapping[str, object], now: Moment) -> None:
        """Handle a verified answer that shows the item; `payload` is its data as parsed JSON."""
        self._count(now, verified=True)
        shown = self._find(payload, now)
        if shown is None:
            return
        self.signed = heard(self._reader.order, self.signed, shown.state)
        news = self.decide or (self._has_last_state and self.last_state != self.closed_state and not self.told)
        if self.closed_at is not None and news and (self._moved(self.last_state) or self._moved(self.closed_state)):
            self.closed_at, self.disputed = None, True
            self.undecided(
                f"it was closed by hand, and the gateway shows it as {shown.state or self.last_state}. {advised('decide.closed')}",
                now,
            )

    def _find(self, payload: Mapping[str, object], now: Moment) -> ShownItem | None:
        """Take over what a payload shows; None if it proves nothing about a write that is unknown."""
        unknown, learned = self.unknown, self._learn(payload, now)
        if self.unknown:
            return None
        if unknown:
            self._has_state()
        if not learned:
            self._count_hint()
            return ShownItem(None, False, False, None, None, None)
        shown = self._reader.read(payload)
        self._take(shown, self._seen(payload), now)
        return shown

    def of_another_call(self, payload: Mapping[str, object]) -> str:
        """Return what shows that an answer or a notification is about another call under the key, in words; "" if nothing does."""
        if other := self._differences(payload):
            return words_of(other)
        return " and ".join(f"another {member}, as was shown before" for member in sorted(self._foreign(payload, ())))

    def notified(self, payload: Mapping[str, object], now: Moment) -> None:
        """Handle a verified notification, or a result that had its effect already. Neither counts as an inquiry."""
        stateless = (self.stateless, self.stateless_since)
        self.closed_at, self.disputed = None, False
        before, shown = self.last_state, self._find(payload, now)
        if shown is not None:
            self.signed = heard(self._reader.order, self.signed, shown.state, answer=False)
        if self.last_state != before and self._has_last_state:  # what a hint was about
            self.signed = tuple(one for one in self.signed if one.source != "hint")
        if self.stateless:
            self.stateless, self.stateless_since = stateless

    def absent(self, asked: Moment, now: Moment, date: datetime | None = None) -> None:
        """Handle a verified answer that there is no such key. `asked` is when the inquiry was sent, `date` the answer's `Date` header."""
        if self.unknown:
            super().absent(asked, now, date)
            self._count_hint()
            self.signed = heard(self._reader.order, self.signed, None)
            return
        self._count(now, verified=True)
        self.signed = heard(self._reader.order, self.signed, None)
        self.failures = 0
        self.absences += 1
        self._count_stateless(now)
        why = f"{self.query} does not know {self.key!r}"
        if self.last_state is None:
            self._no_news(why, now)
        # Signed answers may be stale all the same.
        elif self._has_last_state or self.absences < ENOUGH_QUESTIONS:
            self._no_news(f"{why}, and showed it as {self.last_state} before", now)
        else:
            self._count_hint()
            why += f" any more, and showed it as {self.last_state} before; {ADVICE['decide.conflict']}"
            self.undecided(why, now)

    def ask_now(self, now: Moment) -> None:
        """Ask next without a pause, for an item that may be placed again: whoever places it needs a fresh answer.

        An item that was left to a person after a day starts again.
        """
        if not self.unknown or not (self.absences or self.decide):
            return
        if self.decide:
            self.since, self.answers, self.failures, self.decide = now.wall, 0, 0, False
        self.wanted, self.permitted = True, None
        self._not_later(now.wall)

    def close(self, now: Moment, why: str, state: str | None) -> None:
        """Stop the regular questions; `state` is what staff has booked. What is behind, a person has decided."""
        self._end_absence()
        self.used = True  # a permission that was given is void
        known = None if self._moved(self.last_state) and not self.told else self.last_state
        self.closed_at, self.closed_state = now.wall, state or known
        if state is not None and self._reader.order(state).place(self.last_state) != "before it":
            self.last_state, self.paid = state, state in self._reader.states.paid  # it stands as it was booked
        self.decide = self.disputed = False
        self.failures, self.last = 0, why
        self.signed = tuple(one._replace(answered="yes") if one.answered == "behind" else one for one in self.signed)

    def _moved(self, state: str | None) -> bool:
        """Return whether money has moved in a state, also if it was returned since."""
        paid = self._reader.states.paid
        return (
            (self.paid and state == self.last_state) or state in paid or bool(paid & self._reader.order(state).earlier)
        )

    def open_again(self, now: Moment) -> None:
        """Follow an item again that was closed, or whose answers a person was to decide about."""
        self.closed_at, self.disputed = None, False
        if self._has_last_state:
            self._wait(f"it was opened again: {self.last}", now)
        elif self.query is not None and not self.unknown:
            self.decide, self.next_at = False, now.wall

    def begin_anew(self, now: Moment) -> None:
        """Forget what another address has said of an unknown write, and ask at once."""
        if self.unknown:
            self._begin(now.wall)
        elif self.query is not None:
            self.next_at = now.wall

    def placed(self, now: Moment, spelled: str = "") -> None:
        """Record that the write was a verified success: the gateway has the item, and its following begins.

        `spelled` is the key as the answer to the write shows it.
        """
        if spelled:
            self.keys, self.foreign = (self.key, spelled), self.foreign - {self._by}
        if not self.unknown:
            return
        super().placed(now)
        self._has_state()
        self.started_at = now.wall
        self.next_at = None if self.query is None else schedule.first(now.wall, self.end)

    def _told_step(self, now: datetime) -> Step:
        """Return the step of an item that only notifications report: if the next one is overdue, a person has to decide."""
        at = None if self.expires_at is None else self.expires_at + schedule.OVERDUE
        if at is None or now < at:
            return Step("wait", at, f"only {self._following.operation} reports it: {self.last}")
        why = (
            f"{self._following.operation} has reported nothing since the period that ended at "
            f"{(at - schedule.OVERDUE).isoformat(timespec='seconds')}, and the contract has no query for it. "
            f"{advised('decide.overdue')}"
        )
        return Step("decide", None, why)

    def _take(self, shown: ShownItem, seen: str, now: Moment) -> None:
        """Take over the state in an answer, unless it is older than the known one or contradicts it."""
        before, source = self.last_state, self._following.operation
        if shown.state is None:
            self._count_stateless(now)
        else:
            self._has_state()
        order = self._reader.order(shown.state)
        effect = effect_of(self.signed)
        known = before
        if effect is not None and MEANS[order.place(effect.state)].answer == "decide":
            known = before or effect.state  # it had its effect before it was registered
        done = effect is not None and effect.state == shown.state
        decided = decided_last(self.signed) == shown.state and by_way(self._reader.order, shown.state, known)
        means = MEANS[order.place(known)].answer
        if means == "decide" and not (
            done or decided or explained(self._reader.order, self.signed, shown.state, known)
        ):
            self._count_hint()
            self.signed = with_notice(self.signed, Remembered(shown.state or "", "shown", micros(now.wall)))
            self.undecided(
                f"{seen} as {shown.state}, and it was {known} before, which is a last state; {ADVICE['decide.conflict']}",
                now,
            )
            return
        if shown.state is None or means == "no news":
            older = "no state" if shown.state is None else f"{shown.state}, which is older than {known}"
            self._no_news(f"{seen} as {older}", now)
            return
        if self.query is None and self.expires_at is not None:
            until = shown.open_until
            if before is not None if until is None else until < self.expires_at:
                which = "whose end cannot be read" if until is None else "before the known one"
                self._no_news(f"{source} reports a period of {self.key!r} {which}", now)
                return
        if (shown.state, shown.parts_open, shown.paid) == (before, self.parts_open, self.paid):
            self._count_hint()
        else:
            self.hinted = 0
        self.last_state, self.parts_open, self.paid = shown.state, shown.parts_open, shown.paid
        self.amount = shown.amount or self.amount
        self.currency = shown.currency or self.currency
        self.expires_at = schedule.clamped(shown.open_until) or self.expires_at
        parts = ", with a part that is not finished" if shown.parts_open else ""
        self._wait(f"{seen} as {shown.state}{parts}", now)

    def _no_news(self, why: str, now: Moment) -> None:
        """Handle an answer that proves nothing: the known state stands, and so does a contradiction."""
        self._count_hint()
        if self.decide:
            self.undecided(self.last, now)
        else:
            self._wait(why, now)

    def _wait(self, why: str, now: Moment, pause: timedelta | None = None) -> None:
        """Ask again later, or never if it is settled. After too long without a result, a person has to decide."""
        if self.unknown:
            super()._wait(why, now, pause)
        elif self.disputed and not (self._has_last_state and self.told):
            self.undecided(self.last, now)
        elif self._has_last_state or self.query is None:
            self._has_state()
            self.next_at = None
            self.decide, self.disputed, self.last = False, False, why
        elif schedule.is_overdue(now.wall, self.asked, self.started_at, self.end):
            self.undecided(
                f"it was asked {self.asked} times since {self.started_at.isoformat(timespec='seconds')}, and no answer settles "
                f"it: {why}. {advised('decide.overdue')}",
                now,
            )
        else:
            self.decide, self.last = False, why
            self.next_at = schedule.regular(now.wall, self.started_at, self.hinted_at, self.end)
            if self.hinted_at is not None:
                self.next_at = max(self.next_at, now.wall + schedule.gap(self.hinted))

    def undecided(self, why: str, now: Moment, pause: timedelta = HOURLY) -> None:
        """Leave it to a person, for a reason; inquiries continue, more and more seldom."""
        if not self.unknown or (now.wall - self.since >= ONCE_A_DAY and not self.failures):
            pause = schedule.undecided(self.asked)
        if pause > ONCE_A_DAY and "once a week" not in why:
            why += f". It was asked about {self.asked} times, and from now on it is once a week"
        super().undecided(why, now, pause)

    def _failed(self, why: str, now: Moment, *, answers: bool = False) -> None:
        if self.unknown and self.closed_at is None:
            super()._failed(why, now, answers=answers)
            return
        self._count_stateless(now)
        self.failures += 1
        self.last = self.last if self.decide else why
        self.next_at = now.wall + max(schedule.gap(self.hinted), schedule.pause_after_failure(self.failures))

    def _count_hint(self) -> None:
        """Count an inquiry that brought no news after a hint: the next one keeps a longer distance."""
        self.hinted += self.hinted_at is not None

    def _count_stateless(self, now: Moment) -> None:
        self.stateless += 1
        self.stateless_since = self.stateless_since or now.wall

    def _has_state(self) -> None:
        """Forget the inquiries that brought no state: one is shown now."""
        self.stateless, self.stateless_since = 0, None

    def _count(self, now: Moment, *, verified: bool) -> None:
        self._hear(now)
        super()._count(now, verified=verified)

    def _forget_the_future(self, now: Moment) -> None:
        self.closed_at = None if self.closed_at is None else min(self.closed_at, now.wall)
        self.hinted_at = None if self.hinted_at is None else min(self.hinted_at, now.wall)
        self.stateless_since = None if self.stateless_since is None else min(self.stateless_since, now.wall)
        super()._forget_the_future(now)

    def _longest(self, ahead: bool) -> timedelta:
        if self.unknown and not self.decide:
            return max(super()._longest(ahead), self._least())
        return ONCE_A_DAY if ahead else schedule.undecided(self.asked) if self.decide else 2 * schedule.LONGEST

    def _least(self) -> timedelta:
        return schedule.pause_of_unplaced(self.absences)


def _makes_the_same(contract: Contract, operation: str | None, usual: str | None) -> bool:
    """Return whether the same query settles two writes."""
    if operation is None or usual is None:
        return False
    one, other = contract.operation(operation).resolution, contract.operation(usual).resolution
    return one is not None and other is not None and (one.operation, one.done) == (other.operation, other.done)
