"""Errors leave without the frames in which keys, arguments and bodies stand: what prints the locals of a traceback shows none.

The message says what happened; the way through this library says nothing more to whoever called it.
"""

from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any, ParamSpec, TypeVar, cast

from paywright_runtime.errors import PaywrightError

__all__ = ["unburdened", "unburdened_async"]

P = ParamSpec("P")
R = TypeVar("R")
F = TypeVar("F", bound=Callable[..., Coroutine[Any, Any, object]])


def unburdened(function: Callable[P, R]) -> Callable[P, R]:
    """Whatever of the tree the function raises comes from here alone, and no frame here holds what was given."""

    @wraps(function)
    def called(*values: P.args, **named: P.kwargs) -> R:
        try:
            return function(*values, **named)
        except PaywrightError as raised:
            error = _alone(raised)
        del values, named
        try:
            raise error
        finally:
            del error  # else it and this frame hold each other until the garbage is collected

    return called


def unburdened_async(function: F) -> F:
    """The same for a function that is awaited."""

    @wraps(function)
    async def called(*values: object, **named: object) -> object:
        try:
            return await function(*values, **named)
        except PaywrightError as raised:
            error = _alone(raised)
        del values, named
        try:
            raise error
        finally:
            del error  # as above

    return cast(F, called)


def _alone(error: PaywrightError) -> PaywrightError:
    error.__cause__ = error.__context__ = None
    return error.with_traceback(None)
