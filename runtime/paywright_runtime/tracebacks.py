"""Remove our frames from tracebacks of our errors, so that their locals never expose keys, arguments or bodies.

The message says what happened; the frames inside this library add nothing for the caller. Of other exceptions, such as a task's
time limit, the frames stay and are emptied. They also tell what interrupts the program from what failed at the line that it struck.
"""

from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any, TypeVar, cast

from paywright_runtime.errors import PaywrightError

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., object])
A = TypeVar("A", bound=Callable[..., Coroutine[Any, Any, object]])


def strip_frames(function: F) -> F:
    """Return the function with all frames stripped from its `PaywrightError`s, so that none holds its arguments.

    Other exceptions pass with their frames, which have no locals any more.
    """

    @wraps(function)
    def called(*values: object, **named: object) -> object:
        try:
            return function(*values, **named)
        except PaywrightError as raised:
            error = _alone(raised)
        except BaseException as raised:  # an argument that the function does not have, an interrupt
            del values, named
            empty_frames(raised)
            raise
        del values, named
        try:
            raise error
        finally:
            del error  # else the error and this frame refer to each other until garbage collection

    return cast(F, called)


def strip_frames_async(function: A) -> A:
    """Return the same for a function that is awaited."""

    @wraps(function)
    async def called(*values: object, **named: object) -> object:
        try:
            return await function(*values, **named)
        except PaywrightError as raised:
            error = _alone(raised)
        except BaseException as raised:  # as above, and cancellation
            del values, named
            empty_frames(raised)
            raise
        del values, named
        try:
            raise error
        finally:
            del error  # as above

    return cast(A, called)


def empty_frames(raised: BaseException) -> None:
    """Delete the locals of the frames that an exception has left."""
    from traceback import clear_frames  # few programs see one

    clear_frames(raised.__traceback__)


def _alone(error: PaywrightError) -> PaywrightError:
    error.__context__ = None
    if not getattr(error.__cause__, "shows_no_message", False):
        error.__cause__ = None
    return error.with_traceback(None)


def interrupts(error: BaseException) -> bool:
    """Return whether an error came from outside of the line that it struck, so that it says nothing about that line.

    It is no `Exception`, as KeyboardInterrupt is none, or a signal handler raised it, as those of task queues do at a time limit.
    """
    if not isinstance(error, Exception):
        return True
    import signal  # few programs see an error here
    from traceback import walk_tb

    handlers = {_code(signal.getsignal(number)) for number in signal.valid_signals()}
    return any(frame.f_code in handlers for frame, _ in walk_tb(error.__traceback__))


def _code(handler: object) -> object:
    """Return the code of a function, a method, a partial or an object with `__call__`; None of anything else."""
    handler = getattr(handler, "func", handler)
    call = getattr(type(handler), "__call__", None)  # noqa: B004  # not whether there is one, but which
    return getattr(handler, "__code__", None) or getattr(call, "__code__", None)


class errors_ignored:  # named as a function, like `suppress`
    """Ignore an error of the block, whatever it is, unless it interrupts the program."""

    __slots__ = ()

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> bool:
        return error is not None and not interrupts(error)


def guarded(failed: Callable[[Exception], object], function: Callable[..., T], *given: object) -> T | None:
    """Call a hook of the merchant, and return its result. An error of it goes to `failed`, unless it interrupts the program."""
    try:
        return function(*given)
    except Exception as error:
        if interrupts(error):
            raise
        with errors_ignored():
            failed(error)
    return None
