"""What somebody between client and gateway has seen, to be played again later."""

from __future__ import annotations

from collections import defaultdict, deque
from random import Random

from tests.outcomes.messages import Reply, Request, binds, code_of, operation_at

__all__ = ["Memory"]


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
