"""`paywright_runtime.client.resolver`, awaited."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Protocol, TypeVar

from paywright_runtime.client.resolver import Questioner, ResolverBase
from paywright_runtime.errors import PaywrightError
from paywright_runtime.following.resolution import Step
from paywright_runtime.tracebacks import strip_frames_async

if TYPE_CHECKING:
    from paywright_runtime.client.calls import AsyncCall, OperationRef
    from paywright_runtime.client.resolver import ResolverContext

__all__ = ["AsyncResolve", "AsyncResolver"]

R = TypeVar("R")
P = TypeVar("P")


class AsyncResolver(ResolverBase[R]):
    """What became of a write whose outcome is unknown [4.3]: `paywright_runtime.client.resolver.Resolver`, awaited."""

    def __init__(self, context: ResolverContext, call: AsyncCall, state: Questioner) -> None:
        super().__init__(context, state)
        self._call = strip_frames_async(call)

    async def step(self) -> Step:
        """Ask the gateway, if it is time; then say what to do and when to come back. As `Resolver.step`."""
        query = self._due()
        if query is not None:
            try:
                self._took(await self._call(query, self._state.question, None))
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


class AsyncResolve(Protocol):
    """`Resolve`, for a client whose calls are awaited."""

    def __call__(
        self,
        write: str,
        query: OperationRef[R],
        key: str,
        asks: Mapping[str, str] | None = None,
        content: Mapping[str, object] | None = None,
        after: PaywrightError | None = None,
    ) -> AsyncResolver[R]:
        """Make a resolver of the write with that key; see the class."""
        ...
