"""Resources of the awaited client, made of those of the blocking one: a method returns what the client's call returns."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar, cast

from paywright_runtime.tracebacks import strip_frames_async

if TYPE_CHECKING:
    from paywright_runtime.client.aio.resolver import AsyncResolver
    from paywright_runtime.client.calls import AsyncCall
    from paywright_runtime.client.resolver import Resolver

__all__ = ["AsyncResource", "awaited", "awaited_resolver", "shared"]

P = ParamSpec("P")
R = TypeVar("R")


class AsyncResource:
    """A resource of an awaited client: its methods call `call` and `resolve` of that client."""

    __slots__ = ("_call", "_resolve")

    def __init__(self, call: AsyncCall, resolve: Callable[..., object] | None = None) -> None:
        self._call = call
        self._resolve = resolve


def awaited(method: Callable[Concatenate[Any, P], R]) -> Callable[Concatenate[Any, P], Coroutine[Any, Any, R]]:
    """Return the awaited form of a method that calls an operation."""
    # Without the guard of the blocking form, whose frames end before the call has begun.
    return strip_frames_async(cast("Callable[..., Coroutine[Any, Any, R]]", getattr(method, "__wrapped__", method)))


def awaited_resolver(
    method: Callable[Concatenate[Any, P], Resolver[R]],
) -> Callable[Concatenate[Any, P], AsyncResolver[R]]:
    """Return the awaited form of a method that resolves: it returns the resolver that its client makes."""
    return cast("Callable[Concatenate[Any, P], AsyncResolver[R]]", method)


def shared(method: Callable[Concatenate[Any, P], R]) -> Callable[Concatenate[Any, P], R]:
    """Return a method that is the same in both clients."""
    return method
