"""Handlers: what they declare, whether they are plain functions, and where one has failed."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from os import path
from types import CoroutineType, GeneratorType
from typing import Final, Literal, TypeVar, cast

H = TypeVar("H", bound=Callable[..., object])

_GENERATOR: Final = 0x20
_COROUTINE: Final = 0x80 | 0x100  # CO_COROUTINE, CO_ITERABLE_COROUTINE
_ASYNC_GENERATOR: Final = 0x200
_OURS: Final = ("paywright", "paywright_runtime", "paywright_receiver")
_PYTHON: Final = path.dirname(path.__file__) + path.sep
_LAYERS: Final = 32  # limit for wrappers that wrap each other


class _ActsWithin(partial[object]):
    """A handler that acts only inside of the ledger's transaction."""


def in_one_transaction(handler: H, /) -> H:
    """Declare that a handler acts only through `event.transaction`, and returns soon.

    Its record is then written in the same transaction, without a claim before: less to write, and faster. Until the handler has
    returned, it holds the record, on SQLite every writer of the file; it is ended if it takes longer than the ledger's `timeout`
    there, or the receiver's `lease` on PostgreSQL and MariaDB. A handler that does anything else (a mail, a call, another database) declares
    nothing: its claim is on disk before it begins.

        @receiver.on_receive
        @in_one_transaction
        def transfer(event: Event[Transfer]) -> None: ...
    """
    return cast(H, _ActsWithin(handler))


def within(
    handler: Callable[..., object] | None, on_conflict: Callable[..., object] | None
) -> tuple[Literal["effect", "conflict"], ...]:
    """Return which of the two handlers act only inside of the ledger's transaction."""
    effect: tuple[Literal["effect"], ...] = ("effect",) if isinstance(handler, _ActsWithin) else ()
    return (*effect, "conflict") if isinstance(on_conflict, _ActsWithin) else effect


def not_plain(handler: Callable[..., object]) -> str | None:
    """Name the kind of a callable that may not be a handler, such as "an async function"; None if it may be one.

    Looks behind `functools.partial`, bound methods, objects with `__call__`, and wrappers without code of their own,
    such as `functools.cache`. A plain function that wraps an async one is accepted, because it may run it to its end.
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


def raised(error: Exception, function: Callable[..., object]) -> str:
    """Name an error's class and the line that raised it: "IntegrityError at cursor.py:97, called from credits.py:12".

    If installed code raised it, the last line of the caller's own code is named too. A line is the caller's own if its
    module is in the same package as `function`, or not installed. The error's message is left out, because it may
    contain data of the notification.
    """
    while isinstance(function, partial):
        function = function.func
    package = _package(getattr(function, "__module__", None))
    last = own = ""
    step = error.__traceback__
    while step is not None:
        file, module = step.tb_frame.f_code.co_filename, _package(step.tb_frame.f_globals.get("__name__"))
        last = file.replace("\\", "/").rpartition("/")[2] + f":{step.tb_lineno}"
        installed = file.startswith((_PYTHON, "<")) or "site-packages" in file or "dist-packages" in file
        if module not in _OURS and (module == package or not installed):
            own = last
        step = step.tb_next
    if not last:
        return type(error).__name__
    return f"{type(error).__name__} at {last}" + (f", called from {own}" if own not in ("", last) else "")


def _package(module: object) -> str:
    return module.partition(".")[0] if isinstance(module, str) else ""
