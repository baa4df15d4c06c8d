"""Assemble the gateway: the engine with all resources, state and settings."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from paywright_runtime.clock import Clock
from paywright_sandbox.delivery import outbox
from paywright_sandbox.delivery.worker import DeliveryWorker
from paywright_sandbox.engine import merchants as registry
from paywright_sandbox.engine import settings as engine_settings
from paywright_sandbox.engine.engine import Engine
from paywright_sandbox.engine.policies import Policies, Policy
from paywright_sandbox.engine.resource import Resource, Resources
from paywright_sandbox.engine.settings import SandboxSettings
from paywright_sandbox.engine.state import clock as virtual_clock
from paywright_sandbox.engine.state.captures import Capture
from paywright_sandbox.engine.state.store import Store
from paywright_sandbox.faults import rules
from paywright_sandbox.faults.effects import ExchangeRecorder
from paywright_sandbox.resources import RESOURCES

_TABLES: Final = (
    virtual_clock.TABLES,
    *(sql for table in (*outbox.TABLES, *registry.TABLES, *rules.TABLES, Capture) for sql in table.table_sql()),
)

POLICIES: Final[Mapping[str, Policy]] = Resources(RESOURCES).policies
"""All policies by name."""


def make_policies(
    overrides: Mapping[str, object] | None = None, *, resources: tuple[Resource, ...] = RESOURCES
) -> Policies:
    """Return the policies in force: the defaults, and `overrides` by name. Raises `ConfigurationError`."""
    return Policies(Resources(resources).policies, overrides)


def read_settings(folder: Path, *, resources: tuple[Resource, ...] = RESOURCES) -> SandboxSettings:
    """Read the settings of a folder that `paywright sandbox init` made.

    Raises `ConfigurationError` with all errors, or `KeyProblem`.
    """
    return engine_settings.read_settings(folder, Resources(resources).policies)


def open_store(file: Path | None = None, *, resources: tuple[Resource, ...] = RESOURCES) -> Store:
    """Open the state in `file`, or in memory without one, with the tables of all resources. See `Store`."""
    return Store(file, tables=(*_TABLES, *Resources(resources).tables))


def make_engine(
    settings: SandboxSettings,
    store: Store,
    *,
    address: str,
    clock: Clock | None = None,
    wall: Clock | None = None,
    resources: tuple[Resource, ...] = RESOURCES,
) -> Engine:
    """Make an engine that serves `resources`; read `settings` and open `store` with the same ones. See `Engine`.

    Raises `ValueError` if two resources have the same operation, timer or policy.
    """
    served = Resources(resources)
    engine = Engine(
        settings,
        store,
        handlers=served.handlers,
        timers=served.timers,
        enqueue=outbox.enqueue,
        hooks=ExchangeRecorder,
        address=address,
        clock=clock,
        wall=wall,
    )
    engine.add_part(served)
    engine.add_part(rules.FaultRules(store, settings.seed, engine.captures.write))
    engine.add_part(DeliveryWorker(engine))
    return engine
