"""The same lives over other ledgers and with the awaited follower, where what is told comes out the same; and with processes that die."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

from paywright import Client, Event, ItemResult, Receiver
from paywright.aio import Client as AwaitedClient
from paywright_receiver import AsyncFollower, SqliteLedger, in_one_transaction
from paywright_receiver.ledgers.sqlite_connections import GuardedConnection
from paywright_runtime.transport.api import Phase, RawAnswer, SignedRequest, ignore_phase
from tests.receiver.helpers.desk import APP
from tests.receiver.lives.life import ADDRESSES, KEYS
from tests.receiver.lives.merchant import Wrong, rank
from tests.receiver.lives.operations import Story

__all__ = ["Awaited", "InOneTransaction", "transcript"]

POINTS: Final = ("in the handler", "before the commit", "after the commit")
"""Where a process dies that handles a result."""


class Death(BaseException):
    """A process ends where it stands."""


class InOneTransaction(Story):
    """A story whose handlers write in the transaction of their record, and whose processes die, or two of which handle the same."""

    def __init__(self, folder: Path, *kinds: str, **world: Any) -> None:
        self._numbers = count()
        self._drafts: dict[int, tuple[ItemResult, bool]] = {}
        self._dies, self._left = "", dict[str, tuple[Any, ...]]()
        self._crossed = False
        super().__init__(folder, *kinds, **world)
        self._db.execute("CREATE TABLE booked (draft INTEGER, kind TEXT)")
        self._columns["booked"] = ["draft", "kind"]
        beside = SqliteLedger(folder / "ledger.db", clock=self.clock, timeout=0.01)
        self._second = Receiver(app_id=APP, gateway_keys=KEYS, ledger=beside, clock=self.clock)
        for kind in self.kinds:
            self._second.on_result(kind)(in_one_transaction(self._handle))
        self.look()

    def declared(self, handler: Any) -> Any:
        return in_one_transaction(handler)

    def possible(self) -> Iterator[str]:
        for name in super().possible():
            yield name
            verb, _, how = name.rpartition(": ")[2].partition(", ")
            if name == "run" or (verb == "note" and rank(how) > 0 and " " not in how):
                yield from (f"{name}, dies {point}" for point in POINTS)
                yield from [f"{name} crossed"] * (verb == "note")

    def _do(self, kind: str, verb: str, how: str) -> str:
        how, _, self._dies = how.partition("dies ")
        self._crossed, point, facts = how.endswith(" crossed"), self._dies, dict(self.facts)

        def commit(db: GuardedConnection) -> None:
            self._die("before the commit")
            sqlite3.Connection.commit(db)
            self._die("after the commit")

        with patch.object(GuardedConnection, "commit", commit):
            try:
                return super()._do(kind, verb, how.removesuffix(", "))
            except Death:
                self.rows = self.committed()
                self.write(self._left)  # what it did while it was taken apart, it never did
                self.start_anew()
                if point != POINTS[-1]:  # nobody has seen it
                    self.facts = facts
                    self.gateway.asked.clear()
                self._collect()
                self.rows = {}
                self.look()
                return "dies"

    def _die(self, point: str) -> None:
        if self._dies == point and self._drafts:
            self._dies, self._left = "", self.committed()
            raise Death

    def _handle(self, event: Event[ItemResult]) -> None:
        if self.failing:
            raise LookupError("There is no stock.")
        draft = next(self._numbers)
        event.transaction.execute("INSERT INTO booked VALUES (?, ?)", (draft, event.data.kind))
        self._drafts[draft] = event.data, event.redelivered
        self._die("in the handler")
        if self._crossed:
            self._crossed = False
            reply = self._second.receive(event.raw, {"sign": KEYS.sign(event.raw)})
            if reply.acknowledged:
                self.wrong = Wrong(f"two processes handle it at once, and one says {reply.outcome}")

    def _collect(self) -> None:
        booked = {draft for (draft,) in self._db.execute("SELECT draft FROM booked")} if self._drafts else set[int]()
        self.given += [given for draft, given in self._drafts.items() if draft in booked]
        self._drafts.clear()
        super()._collect()


class Awaited(Story):
    """A story whose follower is awaited."""

    def made(self, client: Client, receiver: Receiver | None) -> Any:
        address = ADDRESSES[self.clients.index(client)]
        awaited = AwaitedClient(
            base_url=address, merchant=self.merchant, clock=self.clock, transport=_Transport(self), retries=0
        )
        return _Blocking(AsyncFollower(awaited, self.ledger, receiver=receiver))


class _Transport:
    def __init__(self, story: Story) -> None:
        self._gateway = story.gateway

    async def send(
        self, request: SignedRequest, deadline: float, reach: Callable[[Phase], None] = ignore_phase
    ) -> RawAnswer:
        return await asyncio.to_thread(self._gateway.send, request, deadline)  # what comes meanwhile may await too

    async def aclose(self) -> None:
        pass


class _Blocking:
    """Waits for what an awaited follower does."""

    def __init__(self, follower: AsyncFollower) -> None:
        self._follower = follower

    def __getattr__(self, name: str) -> Callable[..., Any]:
        method = getattr(self._follower, name)
        return lambda *given, **named: asyncio.run(method(*given, **named))


def transcript(story: Story, life: Sequence[str]) -> list[tuple[object, ...]]:
    """Return what comes of each operation, and what is known then."""
    lines: list[tuple[object, ...]] = []
    for name in life:
        try:
            came = story.do(name)
        except Wrong as wrong:
            came = str(wrong)
        names = ("status", "step", "state", "paid", "effect", "due_at", "why")
        items = [one and [getattr(one, name) for name in names] for one in story.items.values()]
        kept = sorted((one.key, one.status) for one in story.ledger.list())
        lines.append((name, came if name != "prune" else "", items, kept, [one.told for one in story.facts.values()]))
    return lines
