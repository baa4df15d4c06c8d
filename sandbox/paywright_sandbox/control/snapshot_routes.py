"""Control routes of the whole state: save it, restore it and reset it."""

from __future__ import annotations

from collections import deque
from contextlib import closing
from typing import TYPE_CHECKING, Final

from paywright_runtime.contract import formats
from paywright_runtime.errors import ConfigurationError
from paywright_sandbox.delivery.worker import worker_of
from paywright_sandbox.engine.fields import given, whole
from paywright_sandbox.engine.merchants import read_added, rows_of
from paywright_sandbox.engine.responses import HttpReply
from paywright_sandbox.engine.routes import Call, Route, RouteField
from paywright_sandbox.engine.state.captures import Captures
from paywright_sandbox.engine.state.clock import VirtualClock, check_clock
from paywright_sandbox.engine.state.refusal import Refusal
from paywright_sandbox.engine.state.snapshots import COUNTED, Snapshot
from paywright_sandbox.engine.state.store import Store
from paywright_sandbox.faults.rules import read_rules, rules_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from paywright_sandbox.engine.engine import Engine
    from paywright_sandbox.engine.state.state import State

__all__ = ["ROUTES", "holds", "reset", "restore"]


def restore(engine: Engine, snapshot: bytes) -> None:
    """Replace the state, with clock, faults, outbox, log and added merchants, by a snapshot.

    Raises `ConfigurationError`, and changes nothing, if it is not a snapshot of this version.
    """
    _replace(engine, lambda: engine.store.restore(snapshot, lambda copy: _check(engine, copy)))
    rules_of(engine).reload()


def _check(engine: Engine, copy: Store) -> None:
    """Read all parts of a snapshot that are read outside of requests. Raises `ConfigurationError`."""

    def read(what: Callable[[State], object]) -> None:
        with copy.transaction() as state:
            what(state)

    readers: dict[str, Callable[[], object]] = {
        "merchants": lambda: read(lambda state: read_added(state, engine.settings)),
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


def reset(engine: Engine, *, keep_merchants: bool = False) -> None:
    """Begin with an empty state, as after `init`; the faults of sandbox.toml apply again.

    Snapshots stay; added merchants stay only with `keep_merchants`.
    """
    _replace(engine, lambda: _empty(engine, keep_merchants))
    rules_of(engine).reload(configured=True)


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
    delivery_worker = worker_of(engine)
    with delivery_worker.alone():  # no delivery may be under way while the state changes
        delivery_worker.forget()
        change()
        engine.merchants.reload()
        if isinstance(engine.clock, VirtualClock):
            engine.clock.reload()


def holds(engine: Engine) -> dict[str, int]:
    """Count the rows of each kind, without running timers first: a timer that fails must not prevent it."""
    engine.captures.write()
    with engine.store.transaction() as state:
        found = {name: state.one(f"SELECT count(*) AS number FROM {table}") for name, (table, _) in COUNTED.items()}
    return {name: whole(row or {}, "number") for name, row in found.items()}


def _get(engine: Engine, _: Call) -> HttpReply:
    headers = (("content-type", "application/vnd.sqlite3"), ("cache-control", "no-store"))
    return HttpReply(200, headers, engine.store.snapshot(), operation="control")


def _put(engine: Engine, call: Call) -> dict[str, object]:
    return _restored(engine, call.raw)


def _restored(engine: Engine, raw: bytes) -> dict[str, object]:
    try:
        restore(engine, raw)
    except ConfigurationError as error:
        raise Refusal(str(error), code="400") from None
    return {"restored": True, "holds": holds(engine), "now": formats.write_request_time(engine.clock.now())}


def _reset(engine: Engine, call: Call) -> dict[str, object]:
    gone = holds(engine)
    keeps = call.body.get("keepMerchants") is True
    reset(engine, keep_merchants=keeps)
    if keeps:
        gone["addedMerchants"] = 0
    return {"reset": True, "gone": gone, "now": formats.write_request_time(engine.clock.now())}


def _list(engine: Engine, _: Call) -> dict[str, object]:
    return {"snapshots": [_shown(snapshot) for snapshot in engine.snapshots.all()]}


def _save(engine: Engine, call: Call) -> dict[str, object]:
    replace = call.body.get("replace") is True
    made = engine.snapshots.save(given(call.body, "name"), engine.wall.now(), replace=replace)
    return {**_shown(made), "holds": holds(engine)}


def _restore(engine: Engine, call: Call) -> dict[str, object]:
    kept = engine.snapshots.find(call.path["name"])
    return {**_restored(engine, engine.snapshots.read(kept.name)), **_shown(kept)}


def _remove(engine: Engine, call: Call) -> dict[str, object]:
    engine.snapshots.remove(call.path["name"])
    return {"removed": call.path["name"]}


def _shown(snapshot: Snapshot) -> dict[str, object]:
    return {"name": snapshot.name, "at": formats.write_request_time(snapshot.at), "bytes": snapshot.size}


ROUTES: Final = (
    Route("GET", "snapshot", "The whole state as an SQLite file, with all that payers entered", _get,
          gives="application/vnd.sqlite3"),
    Route("PUT", "snapshot", "Replaces the state by a snapshot", _put, waiting=True, binary=True),
    Route("GET", "snapshots", "The named snapshots, the latest first", _list),
    Route("POST", "snapshots", "Saves the state under a name", _save, (
        RouteField("name", "string", "letters, digits, - and _; the next free snapshot-N when left out"),
        RouteField("replace", "boolean", "true replaces a snapshot of this name"),
    )),
    Route("POST", "snapshots/{name}/restore", "Replaces the state by a named snapshot", _restore, waiting=True),
    Route("DELETE", "snapshots/{name}", "Deletes a snapshot", _remove),
    Route("POST", "reset", "Empties the state; keys, settings and snapshots stay", _reset, (
        RouteField("keepMerchants", "boolean", "true keeps the merchants that were added while it ran"),
    ), waiting=True),
)  # fmt: skip
