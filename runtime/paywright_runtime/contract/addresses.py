"""Find the operation of a message by its address, and by the members that distinguish operations at one address."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING

from paywright_runtime.contract.value_checks import within

if TYPE_CHECKING:
    from paywright_runtime.contract.index import Contract
    from paywright_runtime.contract.operation import Operation, SeenNotification


class Addresses:
    """The addresses of a contract.

    `calls` are the gateway's operations by path, those of a path in the contract's order; `unplaced` are those whose path
    is neither shown nor given. `hooks` are the merchant's operations by the path that the contract shows, `inbound` is all of
    them. `kind_members` are the members that distinguish notifications.

    `paths` are paths by operation, whose queries do not matter; they replace those of the contract. With `shared`, operations without a path may also use
    a given path whose operations a member distinguishes.
    """

    def __init__(self, contract: Contract, paths: Mapping[str, str] | None = None, *, shared: bool = False) -> None:
        given = paths or {}
        calls: dict[str, list[Operation]] = {}
        unplaced: list[Operation] = []
        self.hooks: dict[str, Operation] = {}
        self.inbound: tuple[Operation, ...] = tuple(
            one for one in map(contract.operation, contract.operations()) if one.inbound
        )
        for operation in map(contract.operation, contract.operations()):
            path = (given.get(operation.name) or operation.path or "").partition("?")[0] or None
            if operation.inbound:
                if path is not None:
                    self.hooks.setdefault(path, operation)
            elif path is None:
                unplaced.append(operation)
            else:
                calls.setdefault(path, []).append(operation)
        for here in calls.values() if shared else ():
            if here[0].name in given and here[0].discriminators:
                here.extend(unplaced)
        self.unplaced: tuple[Operation, ...] = tuple(unplaced)
        self.calls: Mapping[str, tuple[Operation, ...]] = {path: tuple(here) for path, here in calls.items()}
        marked: Iterable[Operation | SeenNotification] = (*self.inbound, *contract.seen().values())
        self.kind_members: frozenset[str] = frozenset(pointer[1:] for one in marked for pointer in one.discriminators)


@cache
def _places(operation: Operation | SeenNotification) -> tuple[tuple[tuple[str, ...], str], ...]:
    return tuple((tuple(pointer.split("/")[1:]), value) for pointer, value in operation.discriminators.items())


def is_for(operation: Operation | SeenNotification, body: object) -> bool:
    """Return whether a body has the members that distinguish an operation from others at its address, if any do."""
    return all(within(body, place) == value for place, value in _places(operation))


def kind_of(contract: Contract, body: object) -> str | None:
    """Return the kind of a notification, such as RECEIVE; None if the contract names no such kind."""
    return next((kind for kind, what in contract.kinds().items() if is_for(what, body)), None)


def question_of(contract: Contract, body: object) -> Operation | None:
    """Return the question to the merchant whose required members a body has, or None."""
    if not isinstance(body, dict):
        return None
    for operation in (one for one in map(contract.operation, contract.operations()) if one.decision is not None):
        if all(field.wire in body for field in contract.struct(operation.request).fields if field.required):
            return operation
    return None


def operation_for(operations: Iterable[Operation], body: object) -> Operation | None:
    """Return the one of the operations at an address that a body is for, or None. A single one is for every body."""
    here = tuple(operations)
    return here[0] if len(here) == 1 else next((operation for operation in here if is_for(operation, body)), None)
