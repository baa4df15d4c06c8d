"""Resolve unknown outcomes with a client, which makes the queries that the state machine of `resolution` asks for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar, cast

from paywright_runtime import strict_json
from paywright_runtime.answer import Result
from paywright_runtime.client.answer_reader import payload
from paywright_runtime.client.operation_refs import OperationRef
from paywright_runtime.client.unverified_parts import answer_date
from paywright_runtime.clock import Clock, Moment
from paywright_runtime.contract.index import Contract
from paywright_runtime.errors import (
    GatewayError,
    InvalidArgument,
    NoAnswer,
    NotSent,
    PaywrightError,
    TooEarly,
    UnreadableAnswer,
)
from paywright_runtime.json_value import JSON
from paywright_runtime.settling.permission import Permission
from paywright_runtime.settling.resolution import ResolutionState, Step
from paywright_runtime.settling.stored_document import Owner, stored
from paywright_runtime.tracebacks import strip_frames

if TYPE_CHECKING:
    from paywright_runtime.client.attempt_events import CallObserver
    from paywright_runtime.client.operation_refs import Call

R = TypeVar("R")
S = TypeVar("S", bound=ResolutionState)


@dataclass(frozen=True, slots=True)
class ResolverContext:
    """Facts about the client that a resolver or a follower needs. `longest_call` is the longest time of a call in seconds."""

    contract: Contract
    clock: Clock
    owner: Owner
    longest_call: float
    observer: CallObserver | None = None


class ResolverBase(Generic[R, S]):
    """Base of both kinds of resolver: all but waiting for an answer.

    `key` is the merchant's own id of the write, `operation` its name. `result` is the last verified answer of the
    query, None until one can be read; `error` is the error of the last query, None if it gave a result.
    """

    _who_asks = "; `step` asks, and then there may be a permission"

    def __init__(self, context: ResolverContext, state: S) -> None:
        self._context = context
        self._state: S = state
        self._given: Permission | None = None
        self.result: R | None = None
        self.error: PaywrightError | None = None

    @property
    def operation(self) -> str:
        """Return the name of the write's operation."""
        return self._state.operation or self._query

    @property
    def key(self) -> str:
        """Return the merchant's own id of the write."""
        return self._state.key

    def look(self) -> Step:
        """Return what `step` would do now, without doing it."""
        self._read_end()
        return self._state.step(self._now())

    def to_json(self) -> str:
        """Return the resolver as JSON, for `client.resume` in this or another process.

        It holds the operation, the key, the content to compare, the times, and the merchant and address it belongs to;
        no body. Store it after every step.
        """
        self._read_end()
        return stored(self._state, self._context.owner)

    @property
    def _query(self) -> str:
        return self._state.query or ""

    def _now(self) -> Moment:
        return Moment.of(self._context.clock)

    def _due(self) -> OperationRef[R] | None:
        return OperationRef(self._query, fresh=self._state.proves) if self.look().state == "query" else None

    @contextmanager
    def _asking(self) -> Iterator[None]:
        """Handle the error of the query made in the block. Raises it if that itself was wrong, so that another could not help."""
        asked = self._now()
        try:
            yield
        except PaywrightError as error:
            self._failed(error, asked)

    def _took(self, result: R) -> None:
        self.result, self.error = result, None
        self._state.found(self._payload(cast(Result, result).answer.body) or {}, self._now())

    def _payload(self, body: Mapping[str, JSON]) -> dict[str, JSON] | None:
        return payload(self._context.contract.operation(self._query), body)

    def _failed(self, error: PaywrightError, asked: Moment) -> None:
        self._read_end()
        self.error = error
        now = self._now()
        absent = self._context.contract.operation(self._query).not_found_codes
        if isinstance(error, GatewayError) and error.code in absent:
            answer = error.answer
            if answer is not None and self._payload(answer.body) not in (None, answer.body):
                self._state.contradictory(error.code, now)
            else:
                date = None if answer is None else answer_date(answer.headers)
                self._state.absent(asked, now, date)
        elif isinstance(error, GatewayError):
            self._state.inconclusive(error.code, now, verified=True)
        elif isinstance(error, (NoAnswer, NotSent)):
            self._state.inconclusive(error.reason, now)
        elif isinstance(error, UnreadableAnswer):
            body = strict_json.parse(error.raw, mends=True)
            self._state.unreadable(self._payload(body) if type(body) is dict else None, now)
        else:
            raise error

    def _until(self, within: float) -> float:
        """Return the time on the monotonic clock that is `within` seconds from now. Raises `InvalidArgument`."""
        if isinstance(within, bool) or not isinstance(within, (int, float)) or not within >= 0:
            raise InvalidArgument("within is a number of seconds, 0 or more. Nothing was sent.")
        return self._context.clock.monotonic() + within

    def _pause(self, step: Step, until: float) -> float | None:
        """Return the seconds until the next step; None if there is none before `until`, on the monotonic clock."""
        if step.state not in ("wait", "query") or step.at is None:
            return None
        pause = max(0.0, (step.at - self._context.clock.now()).total_seconds())
        return pause if self._context.clock.monotonic() + pause <= until else None

    @contextmanager
    def _giving(self) -> Iterator[Permission]:
        """Use up the permission that the rule gives now. Raises `TooEarly`.

        The block stores what follows. If it raises, the permission is not given, and the state before still holds.
        """
        step, before = self.look(), self._state
        if step.state == "place_again":
            step = before.rule(self._now())  # an item waits for whoever asks, also while nothing permits it
        if step.state != "place_again" or before.permitted is None:
            may_come = before.placeable and step.state != "decide"
            why = (step.why or "nothing has been asked yet") + self._who_asks * may_come
            at = None if step.at is None else min(step.at, self._now().wall + before.permitted_for)
            raise TooEarly(key=self.key, why=why, come_back_at=at if may_come else None)
        self._given = given = Permission(before, self._context.owner, self._context.clock, before.permitted)
        self._state = before.after_giving(self._now(), timedelta(seconds=self._context.longest_call))
        try:
            yield given
        except BaseException:
            self._given, self._state = None, before
            raise

    def _read_end(self) -> None:
        """Record how the call ended that used the permission."""
        ended = None if self._given is None else self._given.ended
        if ended is not None:
            self._given = None
            self._state.placed_again(*ended)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.operation} {self.key!r}, {self.look().state}>"


class Resolver(ResolverBase[R, ResolutionState]):
    """Settles a write whose outcome is unknown [4.3].

    `client.orders.resolve(...)` makes one and sends nothing.

    Call `step` at the time `step().at`, in this process or, with `to_json` and `client.resume`, in another. It
    queries the gateway at most once and never sleeps. If the specification gives no further rule, the state is
    `decide`, and `why` says who decides. See `docs/outcomes.md`.
    """

    def __init__(self, context: ResolverContext, call: Call, state: ResolutionState) -> None:
        super().__init__(context, state)
        self._call = strip_frames(call)

    def step(self) -> Step:
        """Query the gateway if it is time; return what to do and when to call again.

        Raises `ConfigurationError` or `ContractViolation` if the query itself is wrong. Any other error of it is in `error`.
        """
        query = self._due()
        if query is not None:
            with self._asking():
                self._took(self._call(query, self._state.question, None))
        return self.look()

    def settle(self, *, within: float) -> Step:
        """Step until it is settled, may be placed again, or a person must decide. Return the last step.

        It sleeps between the steps, and stops after `within` seconds: continue later, here or in another process. With 0 it makes
        one step. Raises `InvalidArgument` if `within` is no number of seconds, and what `step` raises.
        """
        until = self._until(within)
        while True:
            step = self.step()
            pause = self._pause(step, until)
            if pause is None:
                return step
            self._context.clock.sleep(pause)

    def permission(self, *, store: Callable[[str], object]) -> Permission:
        """Give the permission to place the order again, if the rule allows it now. Pass it to the method that places orders.

            permission = resolver.permission(store=save)
            client.orders.checkout(out_trade_no=permission.key, ..., again=permission)

        `store` is called first, with the resolver as JSON without the permission, so that a program that stops here queries
        anew. If `store` raises, no permission is given and nothing is lost. Afterwards `step` queries from the beginning,
        and knows how the call with the permission ended; a "not there" from before that call does not count.

        Raises:
            TooEarly: the rule does not allow it, or not yet. Call `step` when it says: this method asks nothing.
        """
        with self._giving() as permission:
            store(self.to_json())
        return permission


Resolve: TypeAlias = Callable[..., Resolver[Any]]
"""The client's method `resolve`, for generated code."""
