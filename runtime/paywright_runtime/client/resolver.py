"""Settling an unknown outcome with a client: the state machine of `resolving`, which asks the gateway when it is time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Generic, TypeVar, cast

from paywright_runtime import strict_json
from paywright_runtime.answer import Result
from paywright_runtime.clock import Moment
from paywright_runtime.core import payload
from paywright_runtime.errors import (
    GatewayError,
    NoAnswer,
    NotPlaced,
    NotSent,
    PaywrightError,
    TooEarly,
    UnreadableAnswer,
)
from paywright_runtime.facts import OperationRef
from paywright_runtime.placing import PLACING, End, Placement, PlacementKey
from paywright_runtime.resolving import Resolving, Step
from paywright_runtime.resolving_json import stored
from paywright_runtime.skew import answer_date

if TYPE_CHECKING:
    from paywright_runtime.client import BaseClient, ClientBase
    from paywright_runtime.strict_json import JSON

__all__ = ["Resolver", "ResolverBase"]

R = TypeVar("R")
P = TypeVar("P")
T = TypeVar("T")


class ResolverBase(Generic[R]):
    """What the two kinds of resolver share: everything but the waiting for an answer.

    `key` is the merchant's own id of the write, `operation` its name. `result` is the last verified answer of the query, None
    until there is one that can be read; `error` is why the last query gave no result, None if it gave one.
    """

    def __init__(self, client: ClientBase[T], resolving: Resolving) -> None:
        self._contract = client._contract()
        self._clock = client._clock
        self._owner = client._owner
        self._placements = client._placements
        self._resolving = resolving
        self._asked_at = self._now()
        self.result: R | None = None
        self.error: PaywrightError | None = None

    @property
    def operation(self) -> str:
        return self._resolving.operation

    @property
    def key(self) -> str:
        return self._resolving.key

    def look(self) -> Step:
        """What `step` would do now, without doing it."""
        return self._resolving.step(self._now())

    def to_json(self) -> str:
        """All that another process needs to go on with `client.resume`: operation, key, content to compare, times, and to which
        merchant and address it belongs; no body. Store it after every step."""
        return stored(self._resolving, self._owner)

    def _now(self) -> Moment:
        return Moment.of(self._clock)

    def _due(self) -> OperationRef[R] | None:
        self._asked_at = self._now()
        if self._resolving.step(self._asked_at).state != "query":
            return None
        return OperationRef(cast(str, self._resolving.query))

    def _took(self, result: R) -> None:
        self.result, self.error = result, None
        self._resolving.found(self._payload(cast(Result, result).answer.body) or {}, self._now())

    def _payload(self, body: Mapping[str, JSON]) -> dict[str, JSON] | None:
        return payload(self._contract, self._contract.operation(cast(str, self._resolving.query)), body)

    def _failed(self, error: PaywrightError) -> None:
        """What a query that gave no result says. Raises it where asking again could not help: the call itself was wrong."""
        self.error = error
        now = self._now()
        absent = self._contract.operation(cast(str, self._resolving.query)).absent
        if isinstance(error, GatewayError) and error.code in absent:
            answer = error.answer
            if answer is not None and self._payload(answer.body) not in (None, answer.body):
                self._resolving.contradictory(error.code, now)
            else:
                date = None if answer is None else answer_date(answer.headers)
                self._resolving.absent(self._asked_at, now, date)
        elif isinstance(error, GatewayError):
            self._resolving.inconclusive(error.code, now, verified=True)
        elif isinstance(error, (NoAnswer, NotSent)):
            self._resolving.inconclusive(error.reason, now)
        elif isinstance(error, UnreadableAnswer):
            body = strict_json.parse(error.raw)
            self._resolving.unreadable(self._payload(body) if type(body) is dict else None, now)
        else:
            raise error

    def _permit(self) -> Placement:
        """The placement that is permitted now. Raises `TooEarly`."""
        step = self._resolving.step(self._now())
        permitted = self._resolving.permitted
        if step.state != "place_again" or permitted is None:
            come_back_at = step.at if self._resolving.placeable else None
            raise TooEarly(key=self.key, why=step.why or "nothing has been asked yet", come_back_at=come_back_at)
        return Placement(self._resolving, self._owner, self._clock, permitted)

    def _used_up(self) -> str:
        """The resolver as JSON when its permission is used up: a process that dies in the placing begins anew with this."""
        return stored(self._resolving.placing(self._clock.now()), self._owner)

    @contextmanager
    def _placing(self, placement: Placement) -> Iterator[PlacementKey]:
        """Around the placing: its key is the only one that leaves, and what became of the calls with it is what counts.

        Raises `TooEarly` while another resolver places the key, and `NotPlaced` if no call was seen.
        """
        self._placements.add(placement)
        before, used = self._resolving, self._resolving.placing(self._clock.now())
        self._resolving = used
        token = PLACING.set(placement)
        ends: list[End] = []
        try:
            yield PlacementKey.of(placement)
        finally:
            PLACING.reset(token)
            ends = placement.finish()
            self._placements.remove(placement)
            if "placed" in ends:
                used.settle_by_placing()
            elif "unknown" in ends or "claimed" in ends:
                used.claimed = used.claimed or "claimed" in ends
            else:
                self._resolving = before  # nothing was placed: what was known still holds
        if not ends:
            raise NotPlaced(key=self.key, operation=self.operation)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.operation} {self.key!r}, {self.look().state}>"


class Resolver(ResolverBase[R]):
    """What became of a write whose outcome is unknown [4.3]. `client.orders.resolve(...)` makes one; nothing is sent by that.

    Call `step` when `step().at` has come, in this process or, by way of `to_json` and `client.resume`, in another. It asks the
    gateway at most once and never sleeps. Where the contract gives no way on, the state is `decide`, and `why` says who decides.
    `docs/outcomes.md` shows the whole.
    """

    def __init__(self, client: BaseClient, resolving: Resolving) -> None:
        super().__init__(client, resolving)
        self._client = client

    def step(self) -> Step:
        """Ask the gateway, if it is time; then say what to do and when to come back.

        Raises `ConfigurationError` or `ContractViolation` where the query itself cannot be made; what an attempt met otherwise
        is in `error`.
        """
        query = self._due()
        if query is not None:
            try:
                self._took(self._client._call(query, self._resolving.question, None))
            except PaywrightError as error:
                self._failed(error)
        return self.look()

    def place_again(self, place: Callable[[str], P], *, store: Callable[[str], object]) -> P:
        """Place the order again, if the rule allows it now: `place` gets the key and makes the call with the same request.

            resolver.place_again(lambda key: client.orders.checkout(out_trade_no=key, ...), store=save)

        `store` is called first, with the resolver as JSON as it is once the permission is used up: a program that dies between
        the two begins anew. If it raises, nothing is sent and the permission stays. Returns what `place` returns. While it runs,
        the client refuses to place this order under any other key.

        What the resolver makes of it is what became of the calls with this key, whatever `place` returns or raises: a verified
        yes settles it; if one was refused or not sent, the permission stays; if one is unknown or still on its way, `step`
        asks from the beginning. Store `to_json()` again afterwards.

        Raises:
            TooEarly: the rule does not allow it, or not yet, or another resolver is at it; nothing was sent.
            NotPlaced: `place` made no call with the key; nothing is settled, and the permission stays.
            PaywrightError: what `place` raised; or `store`, and then nothing was sent.
        """
        placement = self._permit()
        store(self._used_up())
        with self._placing(placement) as key:
            return place(key)
