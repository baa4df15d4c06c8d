"""An item on its way to its last state (an order, a refund, an exchange, a withdrawal, a link, a plan), without I/O.

`FollowState` gets the answers of queries, hints and times, and returns what to do now and when to continue. It never sleeps,
reads no clock and sends nothing; `state_json` stores it for another process.

    query        ask now: the operation `query`, with the arguments `question`
    wait         ask at `at`, not before; without `at` there is nothing to ask, and only a notification tells more
    settled      a last state is known; nothing is asked, unless `hint` says that the state changed
    place_again  the write itself is unknown, and the contract allows it to be placed again under the same key [4.3]
    decide       nothing asked so far settles it: `why` says what is known and who decides; it is still asked for, rarely
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from decimal import Decimal

from paywright_runtime.clock import Moment
from paywright_runtime.contract.index import Contract
from paywright_runtime.contract.model import Following, Set
from paywright_runtime.contract.request_content import content_given, differences
from paywright_runtime.contract.state_order import state_order
from paywright_runtime.errors import InvalidArgument, PaywrightError
from paywright_runtime.following import schedule
from paywright_runtime.following.resolution import ResolutionState, State, Step
from paywright_runtime.redaction import redacted

__all__ = ["FollowState"]


class FollowState:
    """One item that is followed until its last state is known. All times are aware.

    Args:
        contract: the contract, which says by `follows:` what is asked and which states are the last ones.
        kind: the resource: `orders`, `refunds`, `exchanges`, `withdrawals`, `payment_links`, `subscriptions`.
        key: the merchant's own id of the item, as its query takes it.
        now: when it was opened.
        operation: the write that made it; None for the resource's usual one.
        asks: further members of the query's request, by wire name.
        expires_at: until when the item can stay open; None for the longest that the contract states, if it states one.
        content: what the write asked for, by path in its request [`shows:`], to recognise another call under this key.
        unknown: True if nobody knows yet whether the gateway has the item: the call ended so, or is still to be made. Then its
            resolution comes first, by the rule of section 4.3, and goes over into following.

    Raises `InvalidArgument` for a kind that the contract has nothing to follow of, and for an operation, a key or content that
    does not belong to it.
    """

    __slots__ = (
        "_contract", "_following", "_states", "absences", "amount", "answers", "asked", "asked_at", "asks", "content",
        "currency", "decide", "expires_at", "failures", "hinted", "hinted_at", "key", "last", "last_state", "next_at",
        "operation", "paid", "parts_open", "resolving", "started_at",
    )  # fmt: skip

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
    ) -> None:
        following = contract.following(kind)
        if not isinstance(key, str) or not key:
            raise InvalidArgument(f"The key of {kind} is the text that its query takes as {following.by}.")
        if expires_at is not None and expires_at.utcoffset() is None:
            raise InvalidArgument("expires_at is an aware datetime, such as datetime.now(UTC) + timedelta(minutes=30).")
        self._contract = contract
        self._following = following
        self._states = _states(contract, following)
        self.key: str = str(key)
        self.operation: str | None = _write(contract, following, operation)
        self.asks: dict[str, str] = dict(asks or {})
        self.content: dict[str, str] = self._content(content or {})
        self.started_at: datetime = now.wall
        self.expires_at: datetime | None = expires_at
        if expires_at is None and following.open_for is not None:
            self.expires_at = now.wall + timedelta(seconds=following.open_for)
        self.next_at: datetime | None = (
            None if following.told else schedule.regular(now.wall, now.wall, None, self.expires_at)
        )
        self.asked_at: datetime | None = None
        self.hinted_at: datetime | None = None
        self.asked: int = 0
        self.answers: int = 0
        self.failures: int = 0
        self.absences: int = 0
        self.hinted: int = 0
        self.last_state: str | None = None
        self.parts_open: bool = False
        self.paid: bool = False
        self.decide: bool = False
        self.amount: str | None = None
        self.currency: str | None = None
        self.last: str = f"{self.key!r} was opened"
        self.resolving: ResolutionState | None = None
        if unknown:
            self.resolving = self._resolution(now)

    @property
    def kind(self) -> str:
        """Return the resource."""
        return self._following.kind

    @property
    def query(self) -> str | None:
        """Return the operation that is asked, or None if only notifications tell of the item."""
        return None if self._following.told else self._following.operation

    @property
    def question(self) -> dict[str, object]:
        """Return the query's arguments by wire name."""
        return {self._following.by: self.key, **self.asks}

    @property
    def unknown(self) -> bool:
        """Return whether nobody knows yet if the gateway has the item."""
        return self.resolving is not None

    @property
    def final(self) -> bool:
        """Return whether nothing follows the state that is known."""
        return self.last_state in self._states.final and not self.parts_open

    @property
    def settled(self) -> bool:
        """Return whether one need not ask again: the state is final, or only the return of what was paid may follow."""
        last = {*self._states.final, *self._states.settled}
        return self.last_state in last and not self.parts_open and not self._following.told

    def step(self, now: Moment) -> Step:
        """Return what to do at `now`."""
        if self.resolving is not None:
            return self._resolution_step(self.resolving, now)
        if self.query is None:
            return self._told_step(now.wall)
        self._forget_the_future(now.wall)
        if self.next_at is None:
            return Step("settled", None, self.last, self.asked)
        if now.wall >= self.next_at:
            return Step("query", now.wall, f"it is time to ask {self.query}: {self.last}", self.asked)
        state: State = "decide" if self.decide else "wait"
        return Step(state, self.next_at, self.last, self.asked)

    def hint(self, now: Moment, says: str | None = None) -> None:
        """Take a hint that the state may have changed: a notification came, or the payer came back. Asks soon.

        `says` is the state that a verified notification names, "" if it names none that can be read, and None for a hint that
        is no notification. What is known already is not asked for again; once it is settled, only a notification of another
        state is. However many hints come, the questions for one key keep a distance, which grows while hints bring no news.
        """
        if self.query is None or (says is not None and says == self.last_state) or (self.settled and says is None):
            return
        if self.resolving is not None:
            self.absences = min(self.absences, 1)  # else section 4.3 says when: two "not there" need time between them
            return
        self._forget_the_future(now.wall)
        earliest = now.wall if self.asked_at is None else self.asked_at + schedule.gap(self.hinted)
        at = max(now.wall, earliest)
        if self.hinted_at is None or self.asked_at is None or self.asked_at >= self.hinted_at:
            self.hinted_at = now.wall
        if self.next_at is None or at < self.next_at:
            self.next_at = at
            self.last = f"a hint came at {now.wall.isoformat(timespec='seconds')}; last it was: {self.last}"

    def found(self, payload: Mapping[str, object], now: Moment) -> None:
        """Handle a verified answer that shows the item; `payload` is what it showed, as parsed JSON."""
        if self.resolving is not None:
            self.resolving.found(payload, now)
            self._count(now)
            if not self.resolving.settled:
                return
            self.resolving = None
        else:
            self._count(now)
        self._answered(now)
        self.absences = 0
        other = self._other_content(payload)
        if other:
            self._undecided(
                f"{self._following.operation} shows {self.key!r} with another {' and another '.join(other)} than was asked for: "
                "it is another call's. Compare what it shows with your records; the gateway's support can say whether both came",
                now,
            )
            return
        state = next(_values(payload, self._following.state), None)
        parts = list(_values(payload, self._following.each)) if self._following.each is not None else []
        self._take(state if isinstance(state, str) else None, parts, payload, now)

    def absent(self, asked: Moment, now: Moment, date: datetime | None = None) -> None:
        """Handle a verified answer that there is no such key. `asked` is when the question left, `date` its `Date` header."""
        if self.resolving is not None:
            self.resolving.absent(asked, now, date)
            self._count(now)
            self.absences += self.resolving.step(now).state == "place_again"
            return
        self._count(now)
        self._answered(now)
        self.absences += 1
        why = f"{self.query} does not know {self.key!r}"
        if self.settled:
            self._undecided(
                f"{why}, although it showed it as {self.last_state}: the gateway's support can look it up", now
            )
        else:
            self._wait(f"{why}; it is asked again", now)

    def unreadable(self, payload: Mapping[str, object] | None, now: Moment) -> None:
        """Handle a verified success that cannot be read as a whole. `payload` is what can be, as parsed JSON."""
        state = None if payload is None else next(_values(payload, self._following.state), None)
        if payload is not None and payload.get(self._following.by) == self.key and isinstance(state, str):
            self.found(payload, now)
            return
        if self.resolving is not None:
            self.resolving.unreadable(payload, now)
        self._failure("a verified answer that cannot be read", now, verified=True)

    def inconclusive(self, reason: str, now: Moment, *, verified: bool = False) -> None:
        """Handle a question without a verified answer, or with one that says neither "here" nor "not there"."""
        if self.resolving is not None:
            self.resolving.inconclusive(reason, now, verified=verified)
        self._failure(redacted(reason, 64), now, verified=verified)

    def contradictory(self, code: str, now: Moment) -> None:
        """Handle a verified "not there" that sent data beside it [4.3: only msg and code]."""
        if self.resolving is not None:
            self.resolving.contradictory(code, now)
        self._failure(f"{redacted(code, 64)}, with data beside it", now, verified=True)

    def ended_with(self, error: PaywrightError) -> None:
        """Record the error that the write ended with: it may say that the gateway has the key. Raises `InvalidArgument`."""
        if self.resolving is not None:
            self.resolving.ended_with(error)

    def told(self, payload: Mapping[str, object], now: Moment) -> None:
        """Handle a verified notification that the contract follows the item by; `payload` is its data, as parsed JSON.

        Raises `InvalidArgument` where the item is followed by a query (a notification is then a `hint`), and for another key.
        """
        if not self._following.told:
            raise InvalidArgument(
                f"{self.kind} are followed by {self.query}: what a notification tells is a hint to ask."
            )
        if payload.get(self._following.by) != self.key:
            raise InvalidArgument(f"The notification is of another {self._following.by} than {self.key!r}.")
        self.found(payload, now)

    def placed(self, now: Moment) -> None:
        """Record that the write was a verified success: the gateway has the item, and its following begins."""
        if self.resolving is not None:
            self.resolving = None
            self.started_at = now.wall
            self._wait(f"the gateway has {self.key!r}", now)

    def _resolution_step(self, resolving: ResolutionState, now: Moment) -> Step:
        step = resolving.step(now)
        if step.state == "no_query":
            return Step("decide", None, step.why, self.asked)
        if step.state == "settled":  # by a call that placed it again
            self.placed(now)
            return self.step(now)
        if step.state == "query" and self.absences and self.asked_at is not None:
            # It may be placed again, and nobody did: the gateway is asked further and further apart.
            pause = min(schedule.LONGEST, schedule.LONGEST_GAP * (1 << min(self.absences - 1, 10)))
            at = min(self.asked_at, now.wall) + pause
            if now.wall < at:
                end = (self.expires_at or self.started_at) + schedule.OVERDUE
                return Step("wait" if now.wall < end else "decide", at, resolving.last, self.asked)
        return Step(step.state, step.at, step.why, self.asked)

    def _told_step(self, now: datetime) -> Step:
        """Return the step of what only notifications tell of: when the next one is overdue, somebody has to decide."""
        if self.expires_at is None:
            return Step("wait", None, f"only {self._following.operation} tells of it: {self.last}", self.asked)
        at = self.expires_at + schedule.OVERDUE
        if now < at:
            return Step("wait", at, f"only {self._following.operation} tells of it: {self.last}", self.asked)
        why = (
            f"{self._following.operation} has told nothing since {self.expires_at.isoformat(timespec='seconds')}, and the contract "
            f"has no query for it. The gateway's support can say what became of {self.key!r}"
        )
        return Step("decide", None, why, self.asked)

    def _take(self, state: str | None, parts: list[object], payload: Mapping[str, object], now: Moment) -> None:
        """Take over the state that an answer shows, unless it is older than what is known, or contradicts it."""
        before, source = self.last_state, self._following.operation
        order = (
            None
            if state is None or self._following.told
            else state_order(self._contract, self._states.name)[0].get(state)
        )
        if order is not None and before in order.excluded:
            self._undecided(
                f"{source} shows {self.key!r} as {state}, and it was {before} before, which is a last state: the two contradict "
                "each other. Compare it with your records; the gateway's support decides",
                now,
            )
            return
        if order is not None and before in order.later:
            self._wait(f"{source} shows {self.key!r} as {state}, which is older than {before}", now)
            return
        last = {*self._part_states().final, *self._part_states().settled}
        parts_open = any(part not in last for part in parts)
        paid = state in self._states.paid or any(part in self._part_states().paid for part in parts)
        if (state, parts_open, paid) == (before, self.parts_open, self.paid):
            self.hinted += self.hinted_at is not None
        else:
            self.hinted = 0
        self.parts_open, self.paid = parts_open, paid
        self.last_state = state if state is not None else before
        for name, path in (("amount", self._following.amount), ("currency", self._following.currency)):
            text = _text(next(_values(payload, path), None)) if path is not None else None
            setattr(self, name, text if text is not None else getattr(self, name))
        until = _time(next(_values(payload, self._following.open_until), None)) if self._following.open_until else None
        self.expires_at = until or self.expires_at
        shown = "no state" if state is None else redacted(state, 32)
        self._wait(
            f"{source} shows {self.key!r} as {shown}{', with payments that are not finished' if parts_open else ''}",
            now,
        )

    def _wait(self, why: str, now: Moment) -> None:
        """Ask again later, or never where it is settled. Where nothing has settled it for long, somebody has to decide."""
        self.last = why
        if self.settled or self.query is None:
            self.next_at, self.decide = None, False
            return
        patience = schedule.PATIENCE if self.expires_at is None else schedule.OVERDUE
        since = self.started_at if self.expires_at is None else max(self.expires_at, self.started_at)
        if self.answers >= schedule.ENOUGH_ANSWERS and now.wall >= since + patience:
            self._undecided(
                f"it was asked {self.asked} times since {self.started_at.isoformat(timespec='seconds')}, and no answer settles "
                f"it: {why}. The gateway's support can say what became of it",
                now,
            )
            return
        self.decide = False
        self.next_at = schedule.regular(now.wall, self.started_at, self.hinted_at, self.expires_at)
        if self.hinted_at is not None:
            self.next_at = max(self.next_at, now.wall + schedule.gap(self.hinted))

    def _undecided(self, why: str, now: Moment) -> None:
        self.decide, self.last = True, why
        self.next_at = now.wall + schedule.ONCE_A_DAY

    def _failure(self, reason: str, now: Moment, *, verified: bool) -> None:
        self._count(now)
        self.failures += 1
        self.answers += verified
        self.last = f"{self.query} gave no usable answer ({reason}); it is asked again"
        self.next_at = now.wall + schedule.pause_after_failure(self.failures)

    def _count(self, now: Moment) -> None:
        self.asked += self.query is not None
        self.asked_at = now.wall

    def _answered(self, now: Moment) -> None:
        self.answers += 1
        self.failures = 0

    def _forget_the_future(self, now: datetime) -> None:
        """Forget what a clock stamped that was ahead, or has gone back since: it delays nothing by more than the longest pause."""
        self.started_at = min(self.started_at, now)
        self.asked_at = None if self.asked_at is None else min(self.asked_at, now)
        self.hinted_at = None if self.hinted_at is None else min(self.hinted_at, now)
        longest = schedule.ONCE_A_DAY if self.decide else 2 * schedule.LONGEST
        self.next_at = None if self.next_at is None else min(self.next_at, now + longest)

    def _resolution(self, now: Moment) -> ResolutionState:
        if self.operation is None:
            raise InvalidArgument(
                f"No operation of the contract makes {self.kind}, so that nothing of it is ever unknown."
            )
        return ResolutionState(self._contract, self.operation, self.key, self.asks, now.wall, self.content)

    def _content(self, content: Mapping[str, object]) -> dict[str, str]:
        if self.operation is None:
            if content:
                raise InvalidArgument(
                    f"No operation of the contract makes {self.kind}: there is no content to compare."
                )
            return {}
        return content_given(self._contract.operation(self.operation), content)

    def _other_content(self, payload: Mapping[str, object]) -> tuple[str, ...]:
        if self.operation is None or not self.content:
            return ()
        return differences(self._contract.operation(self.operation), self.content, payload)

    def _part_states(self) -> Set:
        each = self._following.each
        return self._states if each is None else _states(self._contract, self._following, each)

    def __repr__(self) -> str:
        return f"<FollowState {self.kind} {self.key!r}>"


def _write(contract: Contract, following: Following, operation: str | None) -> str | None:
    """Return the write that makes the item. Raises `InvalidArgument` for one that makes something else."""
    if operation is None or operation == following.write:
        return following.write
    write = contract.operation(operation)
    if following.write is None or write.resolution is None:
        raise InvalidArgument(f"{operation} makes nothing that is followed as {following.kind}.")
    usual = contract.operation(following.write).resolution
    if usual is None or (write.resolution.operation, write.resolution.done) != (usual.operation, usual.done):
        raise InvalidArgument(f"{operation} makes nothing that is followed as {following.kind}.")
    return operation


def _states(contract: Contract, following: Following, path: str | None = None) -> Set:
    """Return the list of states that stands at a path of the answer or notification."""
    operation = contract.operation(following.operation)
    struct = contract.struct((operation.request if following.told else operation.result) or "")
    if following.told and "data" in struct.by_wire:
        struct = contract.struct(struct.by_wire["data"].of or "")
    *steps, last = (path or following.state).split(".")
    for step in steps:
        struct = contract.struct(struct.by_wire[step].of or "")
    return contract.set(struct.by_wire[last].of or "")


def _values(payload: Mapping[str, object], path: str | None) -> Iterator[object]:
    """Yield the values at a path, one for each element of the lists on its way."""
    found: list[object] = [payload] if path is not None else []
    for step in (path or "").split("."):
        below = (each.get(step) for each in found if isinstance(each, Mapping))
        found = [each for value in below for each in (value if isinstance(value, list) else [value])]
    return (value for value in found if value is not None)


def _text(value: object) -> str | None:
    """Return an amount or a currency as its digits or letters stood on the wire; None for what is neither."""
    if isinstance(value, (int, Decimal)) and not isinstance(value, bool):
        return format(value, "f") if isinstance(value, Decimal) else str(value)
    return redacted(value, 64) if isinstance(value, str) and value else None


def _time(value: object) -> datetime | None:
    """Return an aware time of the wire, or None for what cannot be read as one."""
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value.replace(" Z", "Z"))
        except ValueError:
            return None
    return value if isinstance(value, datetime) and value.utcoffset() is not None else None
