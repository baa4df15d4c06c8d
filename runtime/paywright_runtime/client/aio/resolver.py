"""Awaited form of `paywright_runtime.client.resolver`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

from anyio import sleep

from paywright_runtime.client.resolver import ResolverBase
from paywright_runtime.settling.resolution import ResolutionState, Step
from paywright_runtime.tracebacks import strip_frames_async

if TYPE_CHECKING:
    from paywright_runtime.client.calls import AsyncCall
    from paywright_runtime.client.permission import Permission
    from paywright_runtime.client.resolver import ResolverContext

__all__ = ["AsyncResolver"]

R = TypeVar("R")


class AsyncResolver(ResolverBase[R, ResolutionState]):
    """Awaited form of `paywright_runtime.client.resolver.Resolver`: settles a write whose outcome is unknown [4.3]."""

    def __init__(self, context: ResolverContext, call: AsyncCall, state: ResolutionState) -> None:
        super().__init__(context, state)
        self._call = strip_frames_async(call)

    async def step(self) -> Step:
        """Query the gateway if it is time; return what to do and when to call again. As `Resolver.step`."""
        query = self._due()
        if query is not None:
            with self._asking():
                self._took(await self._call(query, self._state.question, None))
        return self.look()

    async def settle(self, *, within: float) -> Step:
        """Step until it is settled, may be placed again, or a person decides. As `Resolver.settle`."""
        until = self._until(within)
        while True:
            step = await self.step()
            pause = self._pause(step, until)
            if pause is None:
                return step
            await sleep(pause)

    async def permission(self, *, store: Callable[[str], Awaitable[object]]) -> Permission:
        """Give the permission to place the order again, if the rule allows it now. As `Resolver.permission`."""
        permission, before = self._give()
        try:
            await store(self.to_json())
        except BaseException:
            self._take_back(before)
            raise
        return permission
