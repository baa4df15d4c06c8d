"""Placing an order again [4.3]: one permission, the calls made with it, and their outcomes.

A `Placement` exists while `Resolver.place_again` runs `place`. Each call with its key finds it, in any thread: by the
key itself, by the context, or by the client. It is checked at every attempt and recorded. The records decide the
resolver's next state, not what `place` returns or raises.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextvars import ContextVar
from threading import Lock
from typing import TYPE_CHECKING, Final, Literal

from paywright_runtime.errors import InvalidArgument, TooEarly

if TYPE_CHECKING:
    from paywright_runtime.clock import Clock, Moment
    from paywright_runtime.contract.operation import Operation
    from paywright_runtime.following.resolution import ResolutionState
    from paywright_runtime.following.stored_document import Owner

__all__ = ["End", "PlacedCall", "Placement", "PlacementKey", "Placements"]

End = Literal["nothing", "unknown", "claimed", "placed"]
"""What became of a call: nothing was placed by it; nobody knows; the gateway says that it has the key; a verified yes."""


class PlacementKey(str):
    """The key that `place` gets: text, which also leads to its placement. Any copy of it is plain text."""

    __slots__ = ("placement",)

    placement: Placement

    @classmethod
    def of(cls, placement: Placement) -> PlacementKey:
        """Return the key of a placement."""
        key = cls(placement.key)
        key.placement = placement
        return key

    def __reduce__(self) -> tuple[object, ...]:
        return str, (str(self),)  # another process has no placement


class PlacedCall:
    """One call under a placement: its content, and how it ended; "nothing" until its first byte may leave."""

    __slots__ = ("end", "values")

    def __init__(self, values: Mapping[str, object]) -> None:
        self.values: Mapping[str, object] = values
        self.end: End = "nothing"


class Placement:
    """One placing of a key: who may send what until when. Threads may share it; dead after `finish`."""

    __slots__ = (
        "_alive",
        "_calls",
        "_clock",
        "_content",
        "_folded",
        "_lock",
        "_permitted",
        "_seconds",
        "key",
        "owner",
        "query",
        "settled",
        "thread",
    )

    def __init__(
        self, resolving: ResolutionState, owner: Owner, clock: Clock, permitted: Moment, thread: int | None = None
    ) -> None:
        self.query: str = resolving.query or ""
        self.key: str = resolving.key
        self.owner: Owner = owner
        self._folded = resolving.write.key_ignores_case
        # Only all of the content tells two calls apart: many orders have one currency.
        shows = {shown.asked for shown in resolving.write.shows}
        self._content = dict(resolving.content) if shows and shows <= resolving.content.keys() else None
        self._clock = clock
        self._permitted = permitted
        self._seconds = resolving.permitted_for.total_seconds()
        self._lock = Lock()
        self._alive = True
        self._calls: list[PlacedCall] = []
        self.thread: int | None = thread  # the one that runs `place`, where waiting in it would be waiting for itself
        self.settled: bool = False  # when it is over: did a verified yes come?

    @property
    def alive(self) -> bool:
        """Whether calls may still be made under it."""
        return self._alive

    @property
    def place(self) -> tuple[str, str]:
        """Where a client keeps it: the query, and the key as the gateway compares it."""
        return self.query, self.key.lower() if self._folded else self.key

    def has(self, key: str) -> bool:
        """Whether the gateway takes a key for this one."""
        return key == self.key or (self._folded and key.lower() == self.key.lower())

    def begin(self, operation: Operation, values: Mapping[str, object], owner: Owner) -> PlacedCall:
        """Take note of a call with this key. Raises `InvalidArgument` for one that could not be told from another order."""
        if values.get(operation.key or "") != self.key:
            raise self.other_key(operation)
        if not self.owner.same(owner):
            raise InvalidArgument(
                f"{self.key!r} is placed again for {self.owner}, and {operation.name} was called by a client of {owner}. "
                "Nothing was sent: call it with the client that resolves the key."
            )
        call = PlacedCall({name: value for name, value in values.items() if name != operation.key})
        with self._lock:
            if self._alive:
                self._calls.append(call)
        return call

    def sending(self, call: PlacedCall, content: Mapping[str, str]) -> None:
        """Allow an attempt to leave now, with what it asks for. Raises `TooEarly`, or `InvalidArgument` for other content."""
        if self._content is not None and self._content != content:
            raise InvalidArgument(
                f"{self.key!r} is placed again with other content than the resolver was given. Nothing was sent: place it with "
                "the same request."
            )
        now, since = self._clock.now(), self._permitted
        elapsed = max((now - since.wall).total_seconds(), self._clock.monotonic() - since.monotonic)
        with self._lock:
            if not self._alive:
                why = "place_again has returned, and a call that comes after it is not covered by its permission"
            elif elapsed >= self._seconds or now < since.wall:
                why = f"its permission held {self._seconds:.0f} seconds, which are over"
            else:
                call.end = "unknown"
                return
        raise TooEarly(key=self.key, why=f"{why}; go on with step(), which asks again")

    def ended(self, call: PlacedCall, end: End) -> None:
        """Take note of how a call ended. What ends after `finish` changes nothing: nobody reads it any more."""
        with self._lock:
            call.end = end

    def is_twin(self, operation: Operation, values: Mapping[str, object], content: Mapping[str, str]) -> bool:
        """Whether a call of the same kind looks like this order under another key."""
        if operation.resolution is None or operation.resolution.operation != self.query:
            return False
        other = {name: value for name, value in values.items() if name != operation.key}
        with self._lock:
            known = self._content is not None and self._content == content
            return self._alive and (
                known or any(call.end != "nothing" and call.values == other for call in self._calls)
            )

    def finish(self) -> list[End]:
        """End it: how its calls ended. One that is still on its way is unknown."""
        with self._lock:
            ends: list[End] = [call.end for call in self._calls]
            self.settled = "placed" in ends
            self._alive = False
            self._calls = []
        return ends

    def other_key(self, operation: Operation) -> InvalidArgument:
        """Build the error for a call that is this order under another key, or cannot be told from one."""
        return InvalidArgument(
            f"{operation.name} was called with another key while {self.key!r} is placed again. A new key would charge "
            "the payer twice. Nothing was sent: pass on the key that place_again gives, or, if this is another order, "
            "call again when place_again has returned."
        )

    def __repr__(self) -> str:
        return f"<Placement {self.key!r}, {'alive' if self._alive else 'over'}>"


# The order that is placed again in this task or thread, and in what it starts.
PLACING: Final[ContextVar[Placement | None]] = ContextVar("paywright_placing", default=None)


class Placements:
    """The placements of one client that are alive. Threads may share it; while there is none, a call costs one look."""

    __slots__ = ("_lock", "_owner", "live")

    def __init__(self, owner: Callable[[], Owner]) -> None:
        self._owner = owner
        self._lock = Lock()
        self.live: Mapping[tuple[str, str], Placement] = {}

    def add(self, placement: Placement) -> None:
        """Register a placement. Raises `TooEarly` while another resolver places the same key."""
        with self._lock:
            if placement.place in self.live:
                raise TooEarly(key=placement.key, why="it is being placed again at this moment, by another resolver")
            self.live = {**self.live, placement.place: placement}

    def remove(self, placement: Placement) -> None:
        """Forget a placement that is over."""
        with self._lock:
            self.live = {place: each for place, each in self.live.items() if each is not placement}

    def begin(self, operation: Operation, values: Mapping[str, object]) -> tuple[Placement, PlacedCall] | None:
        """Return the placement that a call belongs to, which has taken note of it. Raises `InvalidArgument`."""
        query = operation.resolution.operation if operation.resolution is not None else None
        key = values.get(operation.key or "")
        if query is None or not isinstance(key, str):
            return None
        placement = self._placement(query, key)
        if placement is None:
            return None
        return placement, placement.begin(operation, values, self._owner())

    def _placement(self, query: str, key: str) -> Placement | None:
        if isinstance(key, PlacementKey) and key.placement.query == query:
            return key.placement
        around = PLACING.get()
        if around is not None and around.query == query and around.alive:
            return around  # another key is refused there
        for placement in self.live.values():
            if placement.query == query and placement.has(key):
                return placement
        # A task that outlives the placing it was started in: its key is no longer permitted, others never were its business.
        return around if around is not None and around.query == query and around.has(key) else None

    def twin(self, operation: Operation, values: Mapping[str, object], content: Mapping[str, str]) -> Placement | None:
        """Return the placement of an order that a call looks like, under another key."""
        return next((each for each in self.live.values() if each.is_twin(operation, values, content)), None)
