"""Control routes of the whole state: save it, restore it and reset it."""

from __future__ import annotations

from collections import deque
from contextlib import closing
from typing import TYPE_CHECKING, Final

from paywright_runtime.contract import formats
from paywright_runtime.errors import ConfigurationError
from paywright_sandbox.delivery.worker import worker_of
from paywright_sandbox.engine.merchants import read_added, rows_of
from paywright_sandbox.engine.responses import HttpReply
from paywright_sandbox.engine.routes import Call, Route, RouteField
from paywright_sandbox.engine.state.captures import Captures
from paywright_sandbox.engine.state.clock import VirtualClock, check_clock
from paywright_sandbox.engine.state.refusal import Refusal
from paywright_sandbox.engine.state.store import Store
from paywright_sandbox.faults.rules import read_rules, rules_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from paywright_sandbox.engine.engine import Engine
    from paywright_sandbox.engine.state.state import State


def restore(engine: Engine, snapshot: bytes) -> None:
    """Replace the state, with clock, faults, outbox, log and added merchants, by a snapshot.

    Raises `ConfigurationError`, and changes nothing, if it is not a snapshot of this version.
    """
    _replace(engine, lambda: engine.store.restore(snapshot, lambda copy: _check(engine, copy)))


def _check(engine: Engine, copy: Store) -> None:
    """Read all parts of a snapshot that are read outside of requests. Raises `ConfigurationError`."""

    def read(what: Callable[[State], object]) -> None:
        with copy.transaction() as state:
            what(state)

    readers: dict[str, Callable[[], object]] = {
        "merchants": lambda: read(read_added),
        "faults": lambda: read(read_rules),
        "clock": lambda: read(lambda state: check_clock(state, engine.wall)),
        "log": lambda: deque(Captures(copy, 0).lines(), maxlen=0),
    }
    for name, reader in readers.items():
        try:
            reader()
        except Exception:  # a snapshot may hold anything
            raise ConfigurationError(
                f"This snapshot cannot be used: its {name} cannot be read. Nothing was changed."
            ) from None


def reset(engine: Engine, *, keep_merchants: bool) -> None:
    """Begin with an empty state, as after `init`. Added merchants stay only with `keep_merchants`."""
    _replace(engine, lambda: _empty(engine, keep_merchants))


def _empty(engine: Engine, keep_merchants: bool) -> None:
    with closing(Store(tables=engine.store.tables)) as empty:
        if keep_merchants:
            with engine.store.transaction() as state:
                rows = rows_of(state)
            with empty.transaction() as state:
                for row in rows:
                    state.add(row)
        engine.store.restore(empty.snapshot())  # in one step: an interruption loses nothing


def _replace(engine: Engine, change: Callable[[], None]) -> None:
    with worker_of(engine).alone():  # no delivery may be under way while the state changes
        change()
        engine.merchants.reload()
        rules_of(engine).reload()
        if isinstance(engine.clock, VirtualClock):
            engine.clock.reload()


def _get(engine: Engine, _: Call) -> HttpReply:
    headers = (("content-type", "application/vnd.sqlite3"), ("cache-control", "no-store"))
    return HttpReply(200, headers, engine.store.snapshot(), operation="control")


def _put(engine: Engine, call: Call) -> dict[str, object]:
    try:
        restore(engine, call.raw)
    except ConfigurationError as error:
        raise Refusal(str(error), code="400") from None
    return {"restored": True, "now": formats.write_request_time(engine.clock.now())}


def _reset(engine: Engine, call: Call) -> dict[str, object]:
    reset(engine, keep_merchants=call.body.get("keepMerchants") is True)
    return {"reset": True, "now": formats.write_request_time(engine.clock.now())}


ROUTES: Final = (
    Route("GET", "snapshot", "The whole state as an SQLite file, with all that payers entered", _get,
          gives="application/vnd.sqlite3"),
    Route("PUT", "snapshot", "Replaces the state by a snapshot", _put, waiting=True, binary=True),
    Route("POST", "reset", "Empties the state; keys and settings stay", _reset, (
        RouteField("keepMerchants", "boolean", "true keeps the merchants that were added while it ran"),
    ), waiting=True),
)  # fmt: skip
