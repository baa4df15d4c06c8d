"""The rule of section 4.3 for writes of unknown outcome, as a state machine without I/O.

It takes the results of queries with their times, and returns what to do now and when to continue. It never sleeps, reads
no clock and sends nothing; `resolution_json` stores it for another process.

    query        query now
    wait         query at `at`, not before
    settled      the query shows the key: the outcome of the write is known
    place_again  "not there" again after the contract's interval: a permission to place the same key again may be given
    decide       the contract gives no further rule, or a day of queries settled nothing: `why` says what is known and who
                 decides; queries continue
    no_query     the contract has no query for it: it stays unknown

Only a write with `placed again after` in the contract can reach `place_again`. All others stay unknown until the query
shows them: "not there" proves nothing about a request that may still be in transit.
"""

from __future__ import annotations

import copy
from collections.abc import Collection, Mapping
from datetime import datetime, timedelta
from typing import Final, Literal, NamedTuple, Self

from paywright_runtime.advice import ADVICE, advised
from paywright_runtime.attempts import sentence
from paywright_runtime.clock import Moment
from paywright_runtime.contract.index import Contract
from paywright_runtime.contract.operation import Operation
from paywright_runtime.contract.request_content import content_given, differences, shows_member, words_of
from paywright_runtime.errors import InvalidArgument, OutcomeUnknown, PaywrightError, says_it_is_there
from paywright_runtime.redaction import redacted
from paywright_runtime.settling.interval import Absence, GivenPermission

__all__ = ["End", "ResolutionState", "State", "Step"]

End = Literal["nothing", "unknown", "claimed", "placed"]
"""End of a call: it placed nothing; nobody knows; the gateway says that it has the key; a verified success."""
State = Literal["query", "wait", "settled", "untold", "closed", "place_again", "decide", "no_query"]

_FIRST_PAUSE: Final = timedelta(seconds=5)
_LONGEST_PAUSE: Final = timedelta(seconds=300)
_PAUSE_OF_DECIDE: Final = timedelta(hours=1)
_GAP: Final = timedelta(seconds=300)  # between two absences that contradict, where the contract states no interval
_LONG: Final = timedelta(hours=24)
_ENOUGH: Final = 3  # answers within that time, or queries in a row without one


class Step(NamedTuple):
    """The next step of a resolution.

    `at` is when to continue (aware; None if there is nothing to wait for), `why` is a sentence for people.
    `asked` is the number of queries sent so far, whatever their results.
    """

    state: State
    at: datetime | None
    why: str
    asked: int = 0


class ResolutionState:
    """The resolution of one write. All times are aware; `asks` are further members of the query's request.

    `content` are the requested values, by their path in the request [`shows:` of the contract]. `claimed` is True if the
    gateway has said that it has the key: then "not there" contradicts it and gives no permission. `absences` counts the valid
    "not there" that allow a permission, `placings` the permissions that were given; `used` says that the last one was used, or is
    void. `code` is the answer of the call itself, if it proves nothing. `wanted` is True while somebody asks for the permission.
    `foreign` are the members of which an answer showed another value than this call had: only an answer that shows them as this
    call had them settles it then.
    """

    __slots__ = (
        "_contract", "_done", "_interval", "_write", "absence", "absences", "answers", "asked", "asks", "claimed", "code",
        "content", "decide", "failures", "foreign", "given", "key", "last", "next_at", "permitted", "placings", "settled", "started_at",
        "used", "wanted",
    )  # fmt: skip

    def __init__(
        self,
        contract: Contract,
        operation: str,
        key: str,
        asks: Mapping[str, str],
        now: datetime,
        content: Mapping[str, object] | None = None,
    ) -> None:
        write = contract.operation(operation)
        resolution = write.resolution
        if resolution is None:
            raise InvalidArgument(f"{operation} only reads and has no outcome to resolve. Call it again.")
        if not isinstance(key, str) or not key:
            raise InvalidArgument(f"{write.key} is the text under which {operation} was called.")
        if resolution.longest_key is not None and len(key) > resolution.longest_key:
            raise InvalidArgument(
                f"{resolution.operation} takes {write.key} of at most {resolution.longest_key} characters."
            )
        after = resolution.placed_again_after
        self._contract = contract
        self._write = write
        self._done = resolution.done
        self._interval = None if after is None else timedelta(seconds=after)
        self.key: str = str(key)
        self.asks: dict[str, str] = dict(asks)
        self.content: dict[str, str] = content_given(write, content or {})
        self.started_at: datetime = now
        self.next_at: datetime = now
        self.asked: int = 0
        self.answers: int = 0
        self.failures: int = 0
        self.absence: Absence | None = None
        self.absences: int = 0
        self.placings: int = 0
        self.used: bool = False
        self.code: str | None = None
        self.given: GivenPermission | None = None
        self.permitted: Moment | None = None
        self.claimed: bool = False
        self.settled: bool = False
        self.wanted: bool = False
        self.decide: bool = False
        self.foreign: frozenset[str] = frozenset()
        self.last: str = ""

    @property
    def operation(self) -> str:
        """Return the name of the write."""
        return self._write.name

    @property
    def write(self) -> Operation:
        """Return the write's operation in the contract."""
        return self._write

    @property
    def query(self) -> str | None:
        """Return the operation that settles it, or None."""
        return self._write.resolution.operation if self._write.resolution is not None else None

    @property
    def question(self) -> dict[str, object]:
        """Return the query's arguments by wire name."""
        return {self._by: self.key, **self.asks}

    @property
    def placeable(self) -> bool:
        """Return whether further queries can still lead to a permission to place it again."""
        return self._interval is not None and not (self.settled or self.claimed or self._unknown_content())

    @property
    def proves(self) -> bool:
        """Return whether a "not there" would prove something now, after another one or after a permission."""
        counts = self._interval is not None or self.claimed
        return counts and (self.absence is not None or self.given is not None)

    @property
    def permitted_for(self) -> timedelta:
        """Return the time that a permission is valid."""
        return self._interval or timedelta()

    def step(self, now: Moment) -> Step:
        """Return what to do at `now`."""
        if self.query is None:
            return Step("no_query", None, self._no_query())
        if self.settled:
            return Step("settled", None, self.last, self.asked)
        self._forget_the_future(now)
        if self._may_place(now):
            return Step("place_again", self.next_at, self._permission(), self.asked)
        if now.wall >= self.next_at:
            return Step("query", now.wall, f"it is time to ask {self.query}", self.asked)
        return Step("decide" if self.decide else "wait", self.next_at, self.last, self.asked)

    def found(self, payload: Mapping[str, object], now: Moment) -> None:
        """Handle a verified success of the query with this payload. Without the key it proves nothing."""
        self._answered()
        self._end_absence()
        if not self._shows_key(payload):
            self._wait(f"{self.query} was answered without the key, which says nothing of {self.key!r}", now)
            return
        shown = f"{self.query} shows {redacted(str(payload.get(self._by, self.key)), 64)!r}"
        self.claimed = True
        other = differences(self._write, self.content, payload, self._by, (self.key,))
        self.foreign = frozenset(one.member for one in other).union(
            member for member in self.foreign if not shows_member(self._write, member, payload)
        )
        state = None if self._done is None else payload.get(self._done[0])
        if other:
            self._undecided(
                f"{shown} with {words_of(other)}: it is an earlier call under this key, and this one of {self.operation} is not "
                f"known to have taken effect; {ADVICE['decide.other_call']}",
                now,
            )
        elif self.foreign:
            self._undecided(self.last, now)
        elif self._done is None or state in self._done[1]:
            self.settled, self.decide = True, False
            self.last = shown
        else:
            self._not_done(self._done[0], state, now)

    def absent(self, asked: Moment, now: Moment, date: datetime | None = None) -> None:
        """Handle a verified answer of the query that there is no such key. `date` is the answer's `Date` header."""
        self._answered()
        self._forget_the_future(asked)
        wanted, self.wanted = self.wanted, False
        absence = Absence(now.wall, date, now.monotonic)
        if self._interval is None and not self.claimed:
            self._wait(f"{self.query} does not know {self.key!r}, which proves nothing: do not place it again", now)
            return
        if self.given is not None and not self.given.is_over(asked):
            self._wait(
                f"{self.query} does not know {self.key!r}, and a call with the permission may still be in transit",
                now,
            )
            return
        self.given = None
        first = self.absence
        if first is None or first.is_contradicted(asked, date):
            self.absence, self.absences = absence, 0
            self._wait(self._first_absence(), now, self._gap)
            return
        left = first.left_of(self._gap, asked, now, date)
        if left > timedelta():
            left -= timedelta(seconds=now.monotonic - asked.monotonic)
            pause = max(timedelta(), min(left, 2 * self._gap))
            self._wait(f"{self.query} was asked again too early to count", now, pause)
        elif self.claimed:
            self._undecided(
                f"the gateway said that it has {self.key!r}, and {self.query} says again that it does not know it: "
                f"{ADVICE['decide.not_shown']}",
                now,
            )
        elif unknown := self._unknown_content():
            self._undecided(
                f"{self.query} has said again that it does not know {self.key!r}: only those who know what it asked "
                f"for may place it again. You decide: resolve it anew with the {unknown} of the call, or leave it",
                now,
                _PAUSE_OF_DECIDE if self._is_long(now) else self._gap,
            )
        elif self._is_long(now) and not wanted:
            self._wait(f"{self.query} has said again that it does not know {self.key!r}", now)
        else:
            self.absences += 1
            self.decide, self.permitted, self.next_at = False, now, now.wall + self._gap
            self.last = self._permission()

    def unreadable(self, payload: Mapping[str, object] | None, now: Moment) -> None:
        """Handle a verified success of the query that cannot be read as a whole. `payload` is its readable part, as parsed JSON."""
        shows_key = payload is not None and self._shows_key(payload)
        # The key alone does not settle it: another operation's answer may carry the same key, but not this member.
        if payload is not None and shows_key and self._done is not None and type(payload.get(self._done[0])) is str:
            self.found(payload, now)
            return
        self._answered()
        self._end_absence()
        self.claimed = self.claimed or shows_key
        self._wait(f"{self.query} gave a verified answer that cannot be read", now)

    def inconclusive(self, reason: str, now: Moment, *, verified: bool = False) -> None:
        """Handle a query without a verified answer, or with one that shows neither "here" nor "not there" [4.3]."""
        self.asked += 1
        self.answers += verified
        self.failures += 1
        said = redacted(sentence(reason), 200)
        why = (
            f"{self.query} was answered {said}, which says neither that the key is there nor that it is not: if this continues, "
            "check its parameters"
            if verified
            else f"{self.query} has no usable answer: {said}"
        )
        self._wait(why, now)

    def contradictory(self, code: str, now: Moment) -> None:
        """Handle a verified "not there" that came with data [4.3: only msg and code]."""
        self._end_absence()
        self.inconclusive(f"{code}, with data beside it", now, verified=True)

    def ended_with(self, error: PaywrightError) -> None:
        """Record the error that the call ended with: it may say that the gateway has the key.

        Raises `InvalidArgument` for the error of another call.
        """
        operation, key = getattr(error, "operation", self.operation), getattr(error, "key", self.key)
        if (operation, key) != (self.operation, self.key) and not self._settled_alike(operation, key):
            raise InvalidArgument(
                f"The error is from {operation} with key {key!r}, not from {self.operation} with key {self.key!r}. "
                "Nothing was sent: give the error of the same call."
            )
        self.claimed = self.claimed or says_it_is_there(error)
        if isinstance(error, OutcomeUnknown) and error.code and not self.claimed:
            self.code = redacted(error.code, 64)

    def claim(self, at: datetime) -> None:
        """Record that a verified notification has confirmed the key; query not later than `at`."""
        self.claimed, self.permitted, self.absences = True, None, 0
        self.next_at = min(self.next_at, at)

    def void(self) -> None:
        """Void a permission that may be given, or was: the write is not to be placed again."""
        self._end_absence()
        self.used = True

    def after_giving(self, now: Moment, longest_call: timedelta) -> Self:
        """Return a copy in the state after giving the permission: earlier results no longer count."""
        since = self.permitted or now
        used = copy.copy(self)
        used._end_absence()
        used.given = GivenPermission(since.wall, since.monotonic, self.permitted_for + longest_call)
        used.placings += 1
        used.used = False
        used.failures = 0
        used.next_at = now.wall
        used.last = "a permission to place it again was given; the next query shows the outcome"
        return used

    def want(self, now: Moment) -> None:
        """Query now, because somebody asks for the permission. If the day of queries is over, it begins anew."""
        if self.decide:
            self.started_at = now.wall
            self.answers = self.failures = 0
            self.decide = False
        self.wanted, self.permitted = True, None
        self.next_at = min(self.next_at, now.wall)

    def placed_again(self, end: End, at: Moment) -> None:
        """Handle the end of the call that used the permission: only a "not there" queried after it counts."""
        if end == "placed":
            self.settled = True
            self.last = f"{self.key!r} was placed again, and the gateway has it"
        self.claimed = self.claimed or end == "claimed"
        self.given = GivenPermission(at.wall, at.monotonic, timedelta())

    def __repr__(self) -> str:
        return f"<ResolutionState {self.operation} {self.key!r}>"

    def _settled_alike(self, operation: str, key: str) -> bool:
        """Return whether the same query under the same key settles a call: checkout and drop_in share a resolver."""
        other = self._contract.operation(operation).resolution
        return key == self.key and other is not None and other.operation == self.query

    @property
    def _by(self) -> str:
        return (self._write.resolution.by if self._write.resolution is not None else None) or ""

    def _shows_key(self, payload: Mapping[str, object]) -> bool:
        """Return whether an answer shows the key, or comes from a query whose answers never show it."""
        return payload.get(self._by) not in (None, "") or self._by not in self._shown_members

    @property
    def _shown_members(self) -> Collection[str]:
        result = self._contract.operation(self.query or "").result
        return () if result is None else self._contract.struct(result).by_wire

    @property
    def _gap(self) -> timedelta:
        return self._interval or _GAP

    def _not_done(self, member: str, state: object, now: Moment) -> None:
        value = redacted(state if isinstance(state, str) else "", 32)
        if state in self._final_states(member):
            self._undecided(
                f"{self.query} shows {member} {value}, which is final: {self.operation} did not take effect, and "
                f"{ADVICE['decide.not_done']}",
                now,
                # A gateway may show the effect of a write with a delay.
                self._backoff() if now.wall - self.started_at < _LONG else _PAUSE_OF_DECIDE,
            )
            return
        self.decide = False
        self._wait(f"{self.query} shows {member} {value}, which does not say that {self.operation} took effect", now)

    def _final_states(self, member: str) -> tuple[str, ...]:
        query = self._contract.operation(self.query or "")
        field = self._contract.struct(query.result or "").by_wire[member]
        return self._contract.set(field.of).final if field.kind == "set" and field.of is not None else ()

    def _may_place(self, now: Moment) -> bool:
        since = self.permitted
        if since is None or not self.placeable:
            return False
        # A permission expires after another interval, because its answer is old then.
        return (
            now.wall - since.wall < self.permitted_for
            and now.monotonic - since.monotonic < self.permitted_for.total_seconds()
        )

    def _forget_the_future(self, now: Moment) -> None:
        """Drop times in the future, which a wrong clock wrote, so that they delay nothing by more than the longest pause."""
        first, since = self.absence, self.permitted
        if since is not None and (since.wall > now.wall or since.monotonic > now.monotonic):
            since = self.permitted = None
            self.next_at = min(self.next_at, now.wall)
        # Between processes the answers' Date counts: keep an absence that another host's clock dates in the future.
        if first is not None and first.at > now.wall and (first.monotonic is not None or first.dated is None):
            self._end_absence()
            self.next_at = min(self.next_at, now.wall)
        if self.given is not None and self.given.at > now.wall:
            self.given = self.given._replace(at=now.wall)
        self.started_at = min(self.started_at, now.wall)
        longest = _PAUSE_OF_DECIDE if self.decide else 2 * self._gap
        self.next_at = min(self.next_at, now.wall + longest)

    def _end_absence(self) -> None:
        self.absence = self.permitted = None
        self.absences = 0

    def _unknown_content(self) -> str:
        """Return the members that every call has, that the query shows, and whose requested values are unknown; "" for none."""
        return " and ".join(sorted({one.asked for one in self._write.shows if not one.optional} - self.content.keys()))

    def _answered(self) -> None:
        self.asked += 1
        self.answers += 1
        self.failures = 0

    def _is_long(self, now: Moment) -> bool:
        """Return whether a day of queries has settled nothing, with enough answers, or enough failures in a row."""
        return now.wall - self.started_at >= _LONG and max(self.answers, self.failures) >= _ENOUGH

    def _wait(self, why: str, now: Moment, pause: timedelta | None = None) -> None:
        """Query again after a pause. If nothing has settled it for a day, somebody must decide."""
        if self.decide and self.claimed:
            self.next_at = now.wall + _PAUSE_OF_DECIDE  # the contradiction remains
            return
        under_way = self.given is not None and not self.given.is_over(now)
        if self._is_long(now) and not under_way:
            since = self.started_at.isoformat(timespec="seconds")
            again = f" The permission to place it again was given {self.placings} times." if self.placings else ""
            self._undecided(
                f"it was asked {self.asked} times since {since}, and no answer settles it: {why}.{again}{self._note()} {self._advice()}",
                now,
            )
            return
        self.decide, self.last = False, f"{why}.{self._note()}" if self.code else why
        self.next_at = now.wall + (self._backoff() if pause is None else pause)

    def _advice(self) -> str:
        if self.failures >= _ENOUGH:
            return advised("decide.no_answer")
        return advised("decide.not_there" if self.placeable else "decide.not_shown")

    def _note(self) -> str:
        """Return a sentence about the answer of the call itself, which may explain why the query shows nothing."""
        if self.code is None:
            return ""
        others = (self._contract.operation(each.operation) for each in self._write.gives_back)
        of = next((other.name for other in others if self.code in other.not_found_codes), None)
        means = (
            "which proves nothing: if it says that something is not there, a number in the call may be wrong"
            if of is None
            else f"with which {of} says that the item does not exist: if its number in the call is wrong, nothing was given back"
        )
        return f" {self.operation} itself was answered {self.code}, {means}."

    def _undecided(self, why: str, now: Moment, pause: timedelta = _PAUSE_OF_DECIDE) -> None:
        self.decide, self.permitted, self.absences = True, None, 0
        self.last = why
        self.next_at = now.wall + pause

    def _backoff(self) -> timedelta:
        tries = max(self.failures, self.asked if self.failures == 0 else 1)
        return min(_LONGEST_PAUSE, _FIRST_PAUSE * (1 << min(tries - 1, 6)))

    def _first_absence(self) -> str:
        if self.claimed:
            return f"{self.query} does not know {self.key!r}, although the gateway said that it has it"
        return f"{self.query} does not know {self.key!r} yet, and only a second such answer, later, counts"

    def _permission(self) -> str:
        return (
            f"{self.query} has said again, after the stated interval, that it does not know {self.key!r}: it may be placed "
            "again with the same key, and with no other"
        )

    def _no_query(self) -> str:
        return f"{self.key!r}: {ADVICE['no_query']}; {ADVICE['unknown']}"
