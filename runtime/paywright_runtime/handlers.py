"""What may be a handler: a plain function that has done its work when it returns."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import CoroutineType, GeneratorType
from typing import Final

__all__ = ["not_plain", "returned"]

_GENERATOR: Final = 0x20
_COROUTINE: Final = 0x80 | 0x100  # CO_COROUTINE, CO_ITERABLE_COROUTINE
_ASYNC_GENERATOR: Final = 0x200
_LAYERS: Final = 32  # of wrappers, where they go in circles


def not_plain(handler: Callable[..., object]) -> str | None:
    """What a callable is instead of a plain function, such as "an async function"; None if it may be a handler.

    Looks behind `functools.partial`, bound methods, objects with `__call__`, and wrappers without code of their own, such as
    `functools.cache`. A plain function that wraps an async one is taken at its word: it may run it to its end.
    """
    found: object = handler
    for _ in range(_LAYERS):
        if isinstance(found, type):
            return "a class"
        flags = getattr(getattr(found, "__code__", None), "co_flags", None)
        if isinstance(flags, int):
            if flags & _COROUTINE:
                return "an async function"
            return "an async generator" if flags & _ASYNC_GENERATOR else "a generator" if flags & _GENERATOR else None
        call = getattr(type(found), "__call__", None)  # noqa: B004  # not whether there is one, but which
        if isinstance(found, partial):
            found = found.func
        elif hasattr(call, "__code__"):
            found = call
        elif callable(getattr(found, "__wrapped__", None)):
            found = found.__wrapped__  # type: ignore[attr-defined]  # as just seen
        else:
            return None  # written in C, and so no coroutine
    return None


def returned(result: object) -> str:
    """Name what a function returned, such as "returned a Future". Coroutines and generators are closed."""
    if isinstance(result, (CoroutineType, GeneratorType)):
        result.close()
    kind = type(result).__name__
    return "returned None" if result is None else f"returned {'an' if kind[:1].lower() in 'aeiou' else 'a'} {kind}"
