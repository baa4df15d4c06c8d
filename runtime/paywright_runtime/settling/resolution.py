"""The rule of section 4.3 for writes of unknown outcome, as a state machine without I/O.

It takes the results of queries with their times, and returns what to do now and when to continue. It never sleeps, reads
no clock and sends nothing; `Resolver.to_json` stores it for another process.

    query        query now
    wait         query at `at`, not before
    settled      the query shows the key: the outcome of the write is known
    place_again  "not there" again after the contract's interval: a permission to place the same key again may be given
    decide       the contract gives no further rule, or a day of queries settled nothing: `why` says what is known and who
                 decides; queries continue
    no_query     the contract has no query for it: it stays unknown

Only a write with `placed again after` in the contract can reach `place_again`. All others stay unknown until the query
shows them: "not there" proves nothing about a request that may still be in transit. `not_there` measures whether two are far
enough apart.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final, Literal, NamedTuple, Self

from paywright_runtime.attempts import sentence
from paywright_runtime.clock import Moment
from paywright_runtime.contract.index import Contract
from paywright_runtime.contract.operation import Resolution
from paywright_runtime.contract.same_content import Difference, content_given, differences, shows_member, words_of
from paywright_runtime.error_text import ADVICE, advised
from paywright_runtime.errors import InvalidArgument, OutcomeUnknown, PaywrightError, says_it_is_there
from paywright_runtime.redaction import redacted, shown_key
from paywright_runtime.settling.not_there import Absence, GivenPermission, has_expired

End = Literal["unproven", "claimed", "placed"]
"""End of a call: nothing shows that the gateway has the key; it says that it has it; a verified success."""
State = Literal["query", "wait", "settled", "untold", "closed", "place_again", "decide", "no_query"]

# Times of the queries: our choices. Decision 0011 has the reason for each number.
UNKNOWN: Final = timedelta(seconds=5)  # the least pause between two queries
LONGEST_GAP: Final = timedelta(seconds=300)  # the interval of queries that section 4.3 states
ENOUGH_QUESTIONS: Final = 3  # before a person has to decide
HOURLY: Final = timedelta(hours=1)  # the pause in the first day in which a person has to decide
ONCE_A_DAY: Final = timedelta(days=1)  # of queries that settled nothing, before a person has to decide

_NOTHING: Final = Resolution(None)


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

    `content` are the requested values, by their path in the request [`shows:` of the contract]. `unknown` is True until the
    gateway is known to have it, and `claimed` from when the gateway has said so: then "not there" contradicts it and gives no
    permission. `absences` counts the valid "not there" that allow a permission, `placings` the permissions that were given; `used`
    says that the last one was used, or is void. `code` is the answer of the call itself, if it proves nothing. `wanted` is True while
    somebody asks for the permission. `since` is when the day of queries began, after which a person decides. `keys` are the
    spellings of the key that an answer may show. `foreign` are the members of which an answer showed another value than this call
    had: only an answer that shows them as this call had them settles it then.

    `paywright_receiver` goes on from here to the last state of what the write made: without an unknown write, for an item that
    is only followed, `operation` names the query, and `unknown` is False from the beginning.
    """

    def __init__(
        self,
        contract: Contract,
        operation: str,
        key: str,
        asks: Mapping[str, str],
        now: datetime,
        content: Mapping[str, object] | None = None,
        *,
        unknown: bool = True,
    ) -> None:
        write = contract.operation(operation)
        if unknown and write.resolution is None:
            raise InvalidArgument(f"{operation} only reads and has no outcome to resolve. Call it again.")
        resolution = write.resolution or _NOTHING
        after = resolution.placed_again_after
        self._contract = contract
        self._write = write
        self._shown = frozenset(shown.asked for shown in write.shows)
        self._by: str = resolution.by or ""
        self._done = resolution.done
        self._interval = None if after is None else timedelta(seconds=after)
        self.operation: str | None = operation
        self.query: str | None = resolution.operation
        self.unknown: bool = unknown
        self._set_key(key, asks)
        self.content: dict[str, str] = content_given(write, content or {})
        self.claimed: bool = False
        self.started_at: datetime = now
        self.asked: int = 0
        self.asked_at: datetime | None = None
        self.last: str = ""
        self._begin(now)

    def _set_key(self, key: str, asks: Mapping[str, str]) -> None:
        write, resolution = self._write, self._write.resolution or _NOTHING
        if not isinstance(key, str) or not key:
            raise InvalidArgument(f"{write.key} is the text under which {write.name} was called.")
        if self.unknown and resolution.longest_key is not None and len(key) > resolution.longest_key:
            raise InvalidArgument(
                f"{resolution.operation} takes {write.key} of at most {resolution.longest_key} characters."
            )
        self.key: str = str(key)
        self.keys: tuple[str, ...] = (self.key,)
        self.asks: dict[str, str] = dict(asks)

    def with_key(self, key: str, asks: Mapping[str, str], content: Mapping[str, str]) -> Self:
        """Return a copy for another key of the same kind. Its content is as it was stored: not converted again."""
        if not content.keys() <= self._shown:
            content_given(self._write, dict.fromkeys(content))  # which raises
        made = copy.copy(self)
        made._set_key(key, asks)
        made.content = dict(content)
        return made

    def __copy__(self) -> Self:
        made = object.__new__(type(self))
        vars(made).update(vars(self))
        return made

    def _begin(self, now: datetime) -> None:
        """Begin the resolution, or begin it anew: what was learned before proves nothing."""
        self.since: datetime = now
        self.next_at: datetime | None = now
        self.answers: int = 0
        self.failures: int = 0
        self.absence: Absence | None = None
        self.absences: int = 0
        self.placings: int = 0
        self.used: bool = False
        self.code: str | None = None
        self.given: GivenPermission | None = None
        self.permitted: Moment | None = None
        self.wanted: bool = False
        self.decide: bool = False
        self.foreign: frozenset[str] = frozenset()

    @property
    def question(self) -> dict[str, object]:
        """Return the query's arguments by wire name."""
        return {self._by: self.key, **self.asks}

    @property
    def placeable(self) -> bool:
        """Return whether further queries can still lead to a permission to place it again."""
        return self._interval is not None and self.unknown and not (self.claimed or self._unknown_content())

    @property
    def proves(self) -> bool:
        """Return whether a "not there" would prove something now, after another one or after a permission."""
        counts = self.unknown and (self._interval is not None or self.claimed)
        return counts and (self.absence is not None or self.given is not None)

    @property
    def permitted_for(self) -> timedelta:
        """Return the time that a permission is valid."""
        return self._interval or timedelta()

    def step(self, now: Moment) -> Step:
        """Return what to do at `now`."""
        if self.query is None:
            return Step("no_query", None, f"{self.key!r}: {ADVICE['no_query']}; {ADVICE['unknown']}")
        self._forget_the_future(now)
        return self.rule(now) if self.unknown else Step("settled", None, self.last, self.asked)

    def rule(self, now: Moment) -> Step:
        """Return what section 4.3 says to do about the unknown write."""
        since = self.permitted
        if since is not None and self.placeable and not has_expired(since, now, self.permitted_for):
            return Step("place_again", self.next_at, self._permission(), self.asked)
        return self._next(now)

    def _next(self, now: Moment) -> Step:
        if self.next_at is None or now.wall >= self.next_at:
            return Step("query", now.wall, f"it is time to ask {self.query}", self.asked)
        return Step("decide" if self.decide else "wait", self.next_at, self.last, self.asked)

    def found(self, payload: Mapping[str, object], now: Moment) -> None:
        """Handle a verified success of the query with this payload. Without the key it proves nothing."""
        self._count(now, verified=True)
        self._learn(payload, now)

    def _learn(self, payload: Mapping[str, object], now: Moment) -> bool:
        """Take over what a verified answer or notification shows of the key. Return whether it is about what this call made."""
        self.failures = 0
        self._end_absence()
        if self.unknown and not self._shows_key(payload):
            self._wait(f"{self.query} was answered without the key, which says nothing of {self.key!r}", now)
            return False
        self.claimed = True
        other = self._differences(payload)
        self.foreign = self._foreign(payload, other)
        done = self._done
        if other:
            earlier = (
                f"is an earlier call under this key, and this one of {self.operation} is not known to have taken effect"
            )
            self.undecided(
                f"{self._seen(payload)} with {words_of(other)}: it {earlier if self.unknown else 'belongs to another call'}; "
                f"{ADVICE['decide.other_call']}",
                now,
            )
        elif self.foreign:
            self.undecided(self.last, now)
        elif self.unknown and done is not None and payload.get(done[0]) not in done[1]:
            self._not_done(done[0], payload, now)
        else:
            if self.unknown:
                self.unknown, self.decide, self.last = False, False, self._seen(payload)
            return True
        return False

    def absent(self, asked: Moment, now: Moment, date: datetime | None = None) -> None:
        """Handle a verified answer of the query that there is no such key. `date` is the answer's `Date` header."""
        self._count(now, verified=True)
        self.failures = 0
        wanted, self.wanted = self.wanted, False
        if self._interval is None and not self.claimed:
            self._wait(f"{self.query} does not know {self.key!r}, which proves nothing: do not place it again", now)
            return
        if self.given is not None and not self.given.is_over(asked):
            self._wait(
                f"{self.query} does not know {self.key!r}, and a call with the permission may still be in transit", now
            )
            return
        self.given = None
        first = self.absence
        if first is None or first.is_contradicted(asked, date):
            self.absence, self.absences = Absence(now.wall, date, now.monotonic), 0
            knows = f"{self.query} does not know {self.key!r}"
            only = (
                "although the gateway said that it has it"
                if self.claimed
                else "yet, and only a second such answer, later, counts"
            )
            self._wait(f"{knows}{',' * self.claimed} {only}", now, self._gap)
            return
        left = first.left_of(self._gap, asked, now, date)
        if left > timedelta():
            left -= timedelta(seconds=now.monotonic - asked.monotonic)
            pause = max(timedelta(), min(left, 2 * self._gap))
            self._wait(f"{self.query} was asked again too early to count", now, pause)
        elif self.claimed:
            self.undecided(
                f"the gateway said that it has {self.key!r}, and {self.query} says again that it does not know it: "
                f"{ADVICE['decide.not_shown']}",
                now,
            )
        elif unknown := self._unknown_content():
            self.undecided(
                f"{self.query} has said again that it does not know {self.key!r}: only those who know what it asked "
                f"for may place it again. You decide: resolve it anew with the {unknown} of the call, or leave it",
                now,
                HOURLY if self._is_long(now) else self._gap,
            )
        elif self._is_long(now) and not wanted:
            self._wait(f"{self.query} has said again that it does not know {self.key!r}", now)
        else:
            self.absences += 1
            self.decide, self.permitted = False, now
            self.next_at = now.wall + max(self._gap, self._least())
            self.last = self._permission()

    def unreadable(self, payload: Mapping[str, object] | None, now: Moment) -> None:
        """Handle a verified success of the query that cannot be read as a whole. `payload` is its readable part, as parsed JSON."""
        self._count(now, verified=True)
        self._end_absence()
        self.claimed = self.claimed or (payload is not None and self._shows_key(payload))
        self._failed(f"{self.query} gave a verified answer that cannot be read", now, answers=True)

    def inconclusive(self, reason: str, now: Moment, *, verified: bool = False) -> None:
        """Handle a query without a verified answer, or with one that shows neither "here" nor "not there" [4.3]."""
        self._count(now, verified=verified)
        said = redacted(sentence(reason), 200)
        why = (
            f"{self.query} was answered {said}, which says neither that the key is there nor that it is not: if this continues, "
            "check its parameters"
            if verified
            else f"{self.query} has no usable answer: {said}"
        )
        self._failed(why, now)

    def contradictory(self, code: str, now: Moment) -> None:
        """Handle a verified "not there" that came with data [4.3: only msg and code]."""
        self._end_absence()
        self.inconclusive(f"{code}, with data beside it", now, verified=True)

    def ended_with(self, error: PaywrightError) -> None:
        """Record the error that the call ended with: it may say that the gateway has the key.

        Raises `InvalidArgument` for the error of another call.
        """
        operation, key = getattr(error, "operation", self.operation), getattr(error, "key", self.key)
        if (operation, key) != (self.operation, self.key) and not self._settled_alike(str(operation), key):
            raise InvalidArgument(
                f"The error is from {operation} with key {key!r}, not from {self.operation} with key {self.key!r}. "
                "Nothing was sent: give the error of the same call."
            )
        self.claimed = self.claimed or says_it_is_there(error)
        if isinstance(error, OutcomeUnknown) and error.code and not self.claimed:
            self.code = redacted(error.code, 64)

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

    def placed_again(self, end: End, at: Moment) -> None:
        """Handle the end of the call that used the permission: only a "not there" queried after it counts."""
        if self.unknown and end == "placed":
            self.placed(at)
        self.claimed = self.claimed or end == "claimed"
        self.given = GivenPermission(at.wall, at.monotonic, timedelta())

    def placed(self, now: Moment) -> None:
        """Record that the write was a verified success."""
        self._end_absence()
        self.unknown = self.decide = False
        self.failures, self.last = 0, f"the gateway has {self.key!r}"

    def _settled_alike(self, operation: str, key: str) -> bool:
        """Return whether the same query under the same key settles a call: checkout and drop_in share a resolver."""
        other = self._contract.operation(operation).resolution
        return key == self.key and other is not None and other.operation == self.query

    def _differences(self, payload: Mapping[str, object]) -> tuple[Difference, ...]:
        if self.operation is None:
            return ()
        return differences(self._write, self.content, payload, self._by, self.keys)

    def _foreign(self, payload: Mapping[str, object], other: Sequence[Difference]) -> frozenset[str]:
        """Return the members that differ in this payload, or differed before and are missing in it."""
        missing = [one for one in self.foreign if not shows_member(self._write, one, payload)]
        return frozenset([*(one.member for one in other), *missing])

    def _seen(self, payload: Mapping[str, object]) -> str:
        """Describe what an answer or a notification shows: the key as written there, which may differ in capitals, or be missing."""
        key = payload.get(self._by)
        if key in (None, ""):
            return f"the gateway, asked for {self.key!r}, shows one without its key"
        own = str(key).lower() == self.key.lower()
        return f"the gateway shows {(shown_key(str(key)) if own else redacted(str(key), 64))!r}"

    def _shows_key(self, payload: Mapping[str, object]) -> bool:
        """Return whether an answer shows the key, or comes from a query whose answers never show it."""
        if payload.get(self._by) not in (None, ""):
            return True
        result = self._contract.operation(self.query or "").result
        return result is None or self._by not in self._contract.struct(result).by_wire

    @property
    def _gap(self) -> timedelta:
        return self._interval or LONGEST_GAP

    def _not_done(self, member: str, payload: Mapping[str, object], now: Moment) -> None:
        state = payload.get(member)
        value = redacted(state if isinstance(state, str) else "", 32)
        field = self._contract.struct(self._contract.operation(self.query or "").result or "").by_wire[member]
        listed = self._contract.set(field.of) if field.kind == "set" and field.of is not None else None
        if listed is not None and state in listed.final:
            self.undecided(
                f"{self.query} shows {member} {value}, which is final: {self.operation} did not take effect, and "
                f"{ADVICE['decide.not_done']}",
                now,
                # A gateway may show the effect of a write with a delay.
                self._backoff() if now.wall - self.since < ONCE_A_DAY else HOURLY,
            )
            return
        self.decide = False
        shown = f"{member} {value}" if value else f"no {member}"
        self._wait(f"{self.query} shows {shown}, which does not say that {self.operation} took effect", now)

    def _forget_the_future(self, now: Moment) -> None:
        """Drop times in the future, which a wrong clock wrote, so that they delay nothing by more than the longest pause."""
        ahead = max(self.started_at, self.asked_at or now.wall) > now.wall
        self.started_at, self.since = min(self.started_at, now.wall), min(self.since, now.wall)
        self.asked_at = None if self.asked_at is None else min(self.asked_at, now.wall)
        first, since = self.absence, self.permitted
        if since is not None and (since.wall > now.wall or since.monotonic > now.monotonic):
            self.permitted = None
            self._not_later(now.wall)
        # Between processes the answers' Date counts: keep an absence that another host's clock dates in the future.
        if first is not None and first.at > now.wall and (first.monotonic is not None or first.dated is None):
            self._end_absence()
            self._not_later(now.wall)
        if self.given is not None and self.given.at > now.wall:
            self.given = self.given._replace(at=now.wall)
        if self.next_at is not None:
            self.next_at = min(self.next_at, now.wall + self._longest(ahead))

    def _longest(self, ahead: bool) -> timedelta:
        """Return the longest pause until the next query; `ahead` says that a clock was."""
        return HOURLY if self.decide else 2 * self._gap

    def _least(self) -> timedelta:
        """Return the shortest pause until the next query."""
        return timedelta()

    def _not_later(self, at: datetime) -> None:
        self.next_at = at if self.next_at is None else min(self.next_at, at)

    def _end_absence(self) -> None:
        self.absence = self.permitted = None
        self.absences = 0

    def _unknown_content(self) -> str:
        """Return the members that every call has, that the query shows, and whose requested values are unknown; "" for none."""
        return " and ".join(sorted({one.asked for one in self._write.shows if not one.optional} - self.content.keys()))

    def _count(self, now: Moment, *, verified: bool) -> None:
        """Count a query."""
        self.asked += self.query is not None
        self.asked_at = now.wall
        self.answers += verified

    def _is_long(self, now: Moment) -> bool:
        """Return whether a day of queries has settled nothing, with enough answers, or enough failures in a row."""
        long = now.wall - self.since >= ONCE_A_DAY
        return long and max(self.answers, self.failures) >= ENOUGH_QUESTIONS

    def _failed(self, why: str, now: Moment, *, answers: bool = False) -> None:
        """Query again after one that showed nothing; `answers` says that it was answered."""
        self.failures = 0 if answers else self.failures + 1
        self._wait(why, now)

    def _wait(self, why: str, now: Moment, pause: timedelta | None = None) -> None:
        """Query again after a pause. If nothing has settled it for a day, somebody must decide."""
        if self.decide and self.claimed:
            self.undecided(self.last, now)  # the contradiction remains
            return
        under_way = self.given is not None and not self.given.is_over(now)
        if self._is_long(now) and not under_way:
            since = self.started_at.isoformat(timespec="seconds")
            silent = self.failures >= ENOUGH_QUESTIONS
            absent = "decide.not_there" if self.placeable else "decide.not_shown"
            again = f" The permission to place it again was given {self.placings} times." if self.placings else ""
            self.undecided(
                f"it was asked {self.asked} times since {since}, and no answer settles it: {why}.{again}{self._note()} "
                f"{advised('decide.no_answer' if silent else absent)}",
                now,
            )
            return
        self.decide, self.last = False, f"{why}.{self._note()}" if self.code else why
        self.next_at = now.wall + max(self._backoff() if pause is None else pause, self._least())

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

    def undecided(self, why: str, now: Moment, pause: timedelta = HOURLY) -> None:
        """Leave it to a person, for a reason; rare queries continue."""
        self.decide, self.permitted, self.absences = True, None, 0
        self.last = why
        self.next_at = now.wall + pause

    def _backoff(self) -> timedelta:
        tries = max(self.failures, self.asked if self.failures == 0 else 1)
        return min(LONGEST_GAP, UNKNOWN * (1 << min(tries - 1, 6)))

    def _permission(self) -> str:
        return (
            f"{self.query} has said again, after the stated interval, that it does not know {self.key!r}: it may be placed "
            "again with the same key, and with no other"
        )
