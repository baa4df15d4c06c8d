"""`paywright_runtime.resolver`, awaited."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

from paywright_runtime.errors import PaywrightError
from paywright_runtime.resolver import ResolverBase
from paywright_runtime.resolving import Resolving, Step

if TYPE_CHECKING:
    from paywright_runtime.aio.client import AsyncBaseClient

__all__ = ["AsyncResolver"]

R = TypeVar("R")
P = TypeVar("P")


class AsyncResolver(ResolverBase[R]):
    """What became of a write whose outcome is unknown [4.3]: `paywright_runtime.resolver.Resolver`, awaited."""

    def __init__(self, client: AsyncBaseClient, resolving: Resolving) -> None:
        super().__init__(client, resolving)
        self._client = client

    async def step(self) -> Step:
        """Ask the gateway, if it is time; then say what to do and when to come back. As `Resolver.step`."""
        query = self._due()
        if query is not None:
            try:
                self._took(await self._client._call(query, self._resolving.question, None))
            except PaywrightError as error:
                self._failed(error)
        return self.look()

    async def place_again(
        self, place: Callable[[str], Awaitable[P]], *, store: Callable[[str], Awaitable[object]]
    ) -> P:
        """Place the order again, if the rule allows it now. As `Resolver.place_again`; `store` and `place` are awaited."""
        placement = self._permit()
        await store(self._used_up())
        with self._placing(placement) as key:
            return await place(key)
