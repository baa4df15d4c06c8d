"""The same lives over other ledgers and with the awaited follower: what is told there comes out the same."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from paywright import Client, Receiver
from paywright.aio import Client as AwaitedClient
from paywright_receiver import AsyncFollower
from paywright_runtime.transport.api import Phase, RawAnswer, SignedRequest, ignore_phase
from tests.receiver.lives.life import ADDRESSES
from tests.receiver.lives.merchant import Wrong
from tests.receiver.lives.operations import Story

__all__ = ["Awaited", "transcript"]


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
