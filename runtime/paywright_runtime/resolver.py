"""Settling an unknown outcome with a client: the state machine of `resolving`, which asks the gateway when it is time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Generic, TypeVar, cast

from paywright_runtime.calling import PLACING
from paywright_runtime.errors import (
    GatewayError,
    NoAnswer,
    NotSent,
    OutcomeUnknown,
    PaywrightError,
    TooEarly,
    UnreadableAnswer,
)
from paywright_runtime.facts import OperationRef
from paywright_runtime.resolving import Resolving, Step

if TYPE_CHECKING:
    from paywright_runtime.client import BaseClient
    from paywright_runtime.clock import Clock
    from paywright_runtime.facts import Contract

__all__ = ["Resolver", "ResolverBase"]

R = TypeVar("R")
P = TypeVar("P")


class ResolverBase(Generic[R]):
    """What the two kinds of resolver share: everything but the waiting for an answer.

    `key` is the merchant's own id of the write, `operation` its name. `result` is the last verified answer of the query, None
    until there is one; `error` is why the last query said nothing, None if it did.
    """

    def __init__(self, contract: Contract, clock: Clock, resolving: Resolving) -> None:
        self._contract = contract
        self._clock = clock
        self._resolving = resolving
        self._asked_at = resolving.started_at
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
        return self._resolving.step(self._clock.now())

    def to_json(self) -> str:
        """All that another process needs to go on with `client.resume`: operation, key and times, no body. Store it after every step."""
        return self._resolving.to_json()

    def _due(self) -> OperationRef[R] | None:
        self._asked_at = self._clock.now()
        if self._resolving.step(self._asked_at).state != "query":
            return None
        return OperationRef(cast(str, self._resolving.query))

    def _took(self, result: R) -> None:
        self.result, self.error = result, None
        done = self._contract.operation(self.operation).resolution
        state = None
        if done is not None and done.done is not None:
            struct = self._contract.struct(cast(str, self._contract.operation(cast(str, done.operation)).result))
            state = getattr(result, struct.by_wire[done.done[0]].python)
        self._resolving.found(state, self._asked_at, self._clock.now())

    def _failed(self, error: PaywrightError) -> None:
        """What a query that gave no result says. Raises it where asking again could not help: the call itself was wrong."""
        self.error = error
        now = self._clock.now()
        absent = self._contract.operation(cast(str, self._resolving.query)).absent
        if isinstance(error, GatewayError) and error.code in absent:
            self._resolving.absent(self._asked_at, now)
        elif isinstance(error, GatewayError):
            self._resolving.inconclusive(error.code, now)
        elif isinstance(error, (NoAnswer, NotSent)):
            self._resolving.inconclusive(error.reason, now)
        elif isinstance(error, UnreadableAnswer):
            self._resolving.inconclusive("unreadable", now)
        else:
            raise error

    @contextmanager
    def _placing(self) -> Iterator[str]:
        """Around the placing: refuses it before its time, and learns from how it ended."""
        now = self._clock.now()
        step = self._resolving.step(now)
        if step.state != "place_again":
            raise TooEarly(key=self.key, why=step.why or "nothing has been asked yet", come_back_at=step.at)
        before = (self._resolving.absent_since, self._resolving.absent_again, self._resolving.next_at)
        self._resolving.placing(now)
        token = PLACING.set((cast(str, self._resolving.query), self.key))
        try:
            yield self.key
        except (OutcomeUnknown, UnreadableAnswer):
            raise  # it left: it is to be asked for again, from the beginning
        except PaywrightError:
            # Nothing was placed: what was known before still holds.
            self._resolving.absent_since, self._resolving.absent_again, self._resolving.next_at = before
            raise
        finally:
            PLACING.reset(token)
        self._resolving.settle_by_placing()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.operation} {self.key!r}, {self.look().state}>"


class Resolver(ResolverBase[R]):
    """What became of a write whose outcome is unknown [4.3]. `client.orders.resolve(...)` makes one; nothing is sent by that.

    Call `step` when `step().at` has come, in this process or, by way of `to_json` and `client.resume`, in another. It asks the
    gateway at most once and never sleeps. `docs/outcomes.md` shows the whole.
    """

    def __init__(self, client: BaseClient, resolving: Resolving) -> None:
        super().__init__(client._contract(), client._clock, resolving)
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

    def place_again(self, place: Callable[[str], P]) -> P:
        """Place the order again, if the rule allows it now: `place` gets the key and makes the call with the same request.

            resolver.place_again(lambda key: client.orders.checkout(out_trade_no=key, ...))

        Returns what `place` returns. While it runs, the client refuses to place an order under any other key. If the outcome
        is unknown again, ask again: `step` begins anew.

        Raises:
            TooEarly: the rule does not allow it, or not yet; nothing was sent.
            PaywrightError: what `place` raised.
        """
        with self._placing() as key:
            return place(key)
