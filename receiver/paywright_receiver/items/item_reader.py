"""Read an item from an answer or a notification: its state, its parts, its amount, and until when it can stay open."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, NamedTuple

from paywright_receiver.items.state_order import ItemStates, StateOrder, followed_states
from paywright_runtime.contract.formats import read_time
from paywright_runtime.contract.value_checks import within
from paywright_runtime.redaction import redacted

if TYPE_CHECKING:
    from paywright_runtime.contract.index import Contract
    from paywright_runtime.contract.model import Following


class ShownItem(NamedTuple):
    """One message's view of an item; None for a value that it does not show.

    `parts_open`: a part of it (a transaction of a link) is not settled. `paid`: money moved, by its state or by a part.
    `amount` has the digits of the wire.
    """

    state: str | None
    parts_open: bool
    paid: bool
    amount: str | None
    currency: str | None
    open_until: datetime | None


class ItemReader:
    """Reads the items of one resource, by the contract's `follows:`."""

    __slots__ = ("_following", "_part_last", "_part_paid", "_paths", "paid_part", "states")

    def __init__(self, contract: Contract, following: Following) -> None:
        states = followed_states(contract, following)
        parts = states if following.each is None else followed_states(contract, following, following.each)
        self._following = following
        paths = (following.state, following.each, following.open_until, following.amount, following.currency)
        self._paths = [() if path is None else tuple(path.split(".")) for path in paths]
        self.states: ItemStates = ItemStates(contract, states.name)
        self._part_last = frozenset(parts.ends)
        self._part_paid = frozenset(parts.paid)
        self.paid_part: str | None = min(parts.paid, default=None)

    def order(self, state: str | None) -> StateOrder:
        """Return the states before and after a state, and those that contradict it. Periods of a plan have no such order."""
        return StateOrder() if self._following.told else self.states.order(state)

    def read(self, payload: Mapping[str, object]) -> ShownItem:
        """Read a payload, given as parsed JSON."""
        state_at, each, until_at, amount_at, currency_at = self._paths
        state, parts, until = _one(payload, state_at), _values(payload, each), _one(payload, until_at)
        paid = state in self.states.paid or any(part in self._part_paid for part in parts)
        return ShownItem(
            redacted(state, 32) if isinstance(state, str) else None,
            any(part not in self._part_last for part in parts),
            paid,
            _text(_one(payload, amount_at)),
            _text(_one(payload, currency_at)),
            read_time(until) if isinstance(until, str) else None,
        )


def _one(payload: Mapping[str, object], path: tuple[str, ...]) -> object:
    """Return the first value at a path; None without one."""
    value = within(payload, path) if path else ""
    if value is None or type(value) is list:  # there may be a list on its way
        return next(iter(_values(payload, path)), None)
    return None if value == "" else value


def _values(payload: Mapping[str, object], path: tuple[str, ...]) -> list[object]:
    """Return the values at a path, one for each element of the lists on its way; none without a path."""
    found: list[object] = [payload] if path else []
    for step in path:
        below: list[object] = []
        for each in found:
            value = each.get(step) if isinstance(each, dict) else None
            below += value if isinstance(value, list) else [value]
        found = below
    return [value for value in found if value is not None and value != ""]


def _text(value: object) -> str | None:
    """Return an amount or a currency with its digits or letters on the wire; None for any other value."""
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return redacted(value, 64) if isinstance(value, str) and value else None
