"""The control API of the whole workspace: its state as a file, put in place again, or empty."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from paywright_runtime.errors import ConfigurationError
from paywright_tools.sandbox.answers import Reply
from paywright_tools.sandbox.clock import VirtualClock
from paywright_tools.sandbox.courier import courier_of
from paywright_tools.sandbox.routes import Call, Route
from paywright_tools.sandbox.turn import Refused

if TYPE_CHECKING:
    from collections.abc import Callable

    from paywright_tools.sandbox.engine import Engine

__all__ = ["ROUTES", "reset", "restore"]


def restore(engine: Engine, snapshot: bytes) -> None:
    """Puts a snapshot in place of the state: clock, faults, outbox and log with it. Raises `ConfigurationError`."""
    _replace(engine, lambda: engine.store.restore(snapshot))
    engine.faults.reload()


def reset(engine: Engine) -> None:
    """Begins anew, as after `init`; the faults of sandbox.toml stand again."""
    _replace(engine, engine.store.reset)
    engine.faults.reload(configured=True)


def _replace(engine: Engine, change: Callable[[], None]) -> None:
    courier = courier_of(engine)
    with courier.alone():  # no delivery is under way while what it is about changes
        change()
        if isinstance(engine.clock, VirtualClock):
            engine.clock.reload()
    courier.ring()


def _get(engine: Engine, _: Call) -> Reply:
    headers = (("content-type", "application/vnd.sqlite3"), ("cache-control", "no-store"))
    return Reply(200, headers, engine.store.snapshot(), operation="control")


def _put(engine: Engine, call: Call) -> dict[str, object]:
    try:
        restore(engine, call.raw)
    except ConfigurationError as error:
        raise Refused(str(error), code="400") from None
    return {"restored": True}


def _reset(engine: Engine, _: Call) -> dict[str, object]:
    reset(engine)
    return {"reset": True}


ROUTES: Final = (
    Route("GET", "snapshot", "The whole state as an SQLite file, with whatever payers entered", _get),
    Route("PUT", "snapshot", "Puts a snapshot in place of the state", _put, waiting=True, binary=True),
    Route("POST", "reset", "Begins with an empty state; keys and settings stay", _reset, waiting=True),
)
