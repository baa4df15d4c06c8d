"""A resource of the contract as the sandbox implements it, and the resources of one sandbox."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from paywright_sandbox.engine.context import Handler, TimerHandler
from paywright_sandbox.engine.policies import ENGINE_POLICIES, Policy
from paywright_sandbox.engine.routes import Route
from paywright_sandbox.engine.state.tables import TableRow

if TYPE_CHECKING:
    from paywright_sandbox.engine.engine import Engine

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True, eq=False)
class Resource:
    """All that one resource adds to the sandbox. `resources/__init__.py` lists these values.

    `handlers` answer operations of the contract, by the operation's name such as `refunds.create`. `timers` handle timers
    by the kind of `State.set_timer`. `tables` are the classes of its rows. `routes` belong to the
    control API, `policies` to sandbox.toml.
    """

    name: str
    handlers: Mapping[str, Handler] = field(default_factory=dict)
    timers: Mapping[str, TimerHandler] = field(default_factory=dict)
    tables: Sequence[type[TableRow]] = ()
    routes: Sequence[Route] = ()
    policies: Sequence[Policy] = ()


@dataclass(frozen=True)
class Resources:
    """All resources of one sandbox, in the order in which the console and the control API show them."""

    listed: tuple[Resource, ...]

    @cached_property
    def handlers(self) -> Mapping[str, Handler]:
        """The handlers by operation. Raises `ValueError` if two resources handle the same operation."""
        return _by_name("operation", [resource.handlers for resource in self.listed])

    @cached_property
    def timers(self) -> Mapping[str, TimerHandler]:
        """The timer handlers by kind. Raises `ValueError` if two resources handle the same kind."""
        return _by_name("timer", [resource.timers for resource in self.listed])

    @cached_property
    def policies(self) -> Mapping[str, Policy]:
        """The policies by name, those of the engine first. Raises `ValueError` if two have the same name."""
        parts = (ENGINE_POLICIES, *(resource.policies for resource in self.listed))
        return _by_name("policy", [{policy.name: policy} for part in parts for policy in part])

    @property
    def tables(self) -> tuple[str, ...]:
        """The statements that create the tables of all resources."""
        return tuple(sql for resource in self.listed for table in resource.tables for sql in table.table_sql())

    @property
    def routes(self) -> tuple[Route, ...]:
        """The routes of the control API."""
        return tuple(route for resource in self.listed for route in resource.routes)


def resources_of(engine: Engine) -> Resources:
    """Return the resources that an engine serves."""
    return engine.part(Resources)


def _by_name(what: str, parts: Sequence[Mapping[str, T]]) -> dict[str, T]:
    found: dict[str, T] = {}
    for part in parts:
        for name, value in part.items():
            if name in found:
                raise ValueError(f"Two resources have the {what} {name}.")
            found[name] = value
    return found
