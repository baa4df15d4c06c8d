"""Whoever stands between client and gateway: draws the harm of each call, and forwards, repeats, delays or replays.

`FaultProxy` is the place where it stands.
"""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from random import Random
from threading import Lock
from typing import Final

from paywright_runtime.clock import Clock
from tests.outcomes.harms import Harm, Reach
from tests.outcomes.messages import Reply, Request, binds, code_of, operation_at

__all__ = ["Memory", "Middle"]

_ACCEPTABLE: Final = (1, 20, 60, 119)
_PAST: Final = (121, 299, 301, 400, 650, 1200)


class Middle:
    """Threads may share it. `deliver` is one exchange with the gateway; `rate` of all calls are struck by one of `kinds`."""

    def __init__(
        self, deliver: Callable[[Request], Reply], clock: Clock, kinds: Sequence[Harm], *, rate: float, seed: str
    ) -> None:
        self.deliver = deliver
        self.clock = clock
        self.kinds = kinds
        self.rate = rate
        self.random = Random(seed)
        self.lock = Lock()
        self.calls = 0
        self.struck: Counter[str] = Counter()
        self._memory = Memory()
        self._delayed: list[tuple[datetime, int, Request]] = []

    def draw(self) -> Harm | None:
        """What strikes the next call; None if nothing does."""
        with self.lock:
            return self.random.choice(self.kinds) if self.random.random() < self.rate else None

    def count(self, harm: Harm | None) -> None:
        """A call was struck, or was not."""
        with self.lock:
            self.calls += 1
            if harm is not None:
                self.struck[harm.name] += 1

    def plain(self, request: Request) -> Reply:
        """Forwards a request that nothing strikes."""
        self.count(None)
        return self._forward(request)

    def strike(self, harm: Harm, request: Request) -> Reply | None:
        """Does to the gateway what the harm does, and returns the answer to give; None where there is none."""
        self.count(harm)
        reply: Reply | None = None
        if harm.reach is Reach.ONCE:
            reply = self._forward(request)
        elif harm.reach is Reach.TWICE:
            first, second = self._forward(request), self._forward(request)
            with self.lock:
                reply = self.random.choice((first, second))
        elif harm.reach is not Reach.NEVER:
            self._delay(request, _ACCEPTABLE if harm.reach is Reach.LATER else _PAST)
        return harm.spoil(self, request, reply) if harm.spoil is not None else reply

    # Requests that arrive late

    def let_arrive(self) -> None:
        """Delivers what is due; nobody waits for the answers."""
        while True:
            with self.lock:
                if not self._delayed or self._delayed[0][0] > self.clock.now():
                    return
                request = heapq.heappop(self._delayed)[2]
            self.deliver(request)

    def _delay(self, request: Request, seconds: Sequence[int]) -> None:
        with self.lock:
            at = self.clock.now() + timedelta(seconds=self.random.choice(seconds))
            heapq.heappush(self._delayed, (at, self.calls, request))

    def _forward(self, request: Request) -> Reply:
        reply = self.deliver(request)
        with self.lock:
            self._memory.keep(request, reply)
        return reply

    # Earlier answers, for the spoils

    def same_key(self, request: Request) -> Reply | None:
        with self.lock:
            return self._memory.of_same_key(request)

    def another_key(self, request: Request) -> Reply | None:
        with self.lock:
            return self._memory.of_another_key(request, self.random)

    def another_operation(self, request: Request) -> Reply | None:
        with self.lock:
            return self._memory.of_another_operation(request, self.random)

    def not_there(self) -> Reply | None:
        with self.lock:
            return self._memory.not_there(self.random)


class Memory:
    """Signed answers by address and key: the oldest of each key, and some of the latest of all. Whoever uses it holds a lock."""

    def __init__(self) -> None:
        self._first: dict[tuple[str, str], Reply] = {}
        self._latest: defaultdict[str, deque[tuple[str, Reply]]] = defaultdict(lambda: deque(maxlen=64))
        self._absent: deque[Reply] = deque(maxlen=64)

    def keep(self, request: Request, reply: Reply) -> None:
        if reply.status != 200 or not binds(request.path, reply):
            return
        self._first.setdefault((request.path, request.key), reply)
        self._latest[request.path].append((request.key, reply))
        if code_of(reply.body) in operation_at(request.path).not_found_codes:
            self._absent.append(reply)

    def of_same_key(self, request: Request) -> Reply | None:
        """The oldest answer to the same key at the same address."""
        return self._first.get((request.path, request.key))

    def of_another_key(self, request: Request, random: Random) -> Reply | None:
        """An answer of the same operation to another key."""
        others = [reply for key, reply in self._latest[request.path] if key != request.key]
        return random.choice(others) if others else None

    def of_another_operation(self, request: Request, random: Random) -> Reply | None:
        """An answer to the same key at another address."""
        addresses = [path for path in self._latest if path != request.path]
        found = [self._first.get((path, request.key)) for path in addresses]
        others = [reply for reply in found if reply is not None and binds(request.path, reply)]
        return random.choice(others) if others else None

    def not_there(self, random: Random) -> Reply | None:
        """A signed "not there" of any key."""
        return random.choice(self._absent) if self._absent else None
