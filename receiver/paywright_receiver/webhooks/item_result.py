"""Result of an order, a refund, an exchange or a withdrawal, the same from a notification and from an inquiry [3, 6.3].

Both name the thing by the merchant's key, and both have a state, an amount and a currency, in members of their own (`follows:`
in the contract). Both are read into one `ItemResult` with one key in the ledger, so that it has one effect. If they differ, it
is a conflict, as between two notifications.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Final, cast

from paywright_receiver.items.item_reader import ItemReader
from paywright_receiver.items.open_items import ItemId, folded
from paywright_receiver.items.state_order import ItemStates, StateOrder, followed_states
from paywright_runtime.contract.conversion import read_number
from paywright_runtime.contract.value_checks import within

if TYPE_CHECKING:
    from paywright_runtime.contract.index import Contract
    from paywright_runtime.contract.open_enum import OpenEnum

_LONGEST_NUMBER: Final = 128
"""Longest key of the merchant's, in characters. No operation takes as many; a database's index takes more."""
_HALF: Final = re.compile("[\ud800-\udfff]").search  # of a character: no database stores it


@dataclass(slots=True, eq=False, repr=False)
class ItemResult:
    """Result of an order, a refund, an exchange, a withdrawal or a link.

    `kind` is the resource (`orders`, `refunds`, ...) and `key` your own key of it, as you registered it. `state` is the last
    state, as the enum of the contract (`OrderStatus.SUCCESS`), with `is_settled` and `is_final`. `is_paid` says whether money
    moved: by the state, or by a part of it, such as a payment of a link that has expired since. `amount` and `currency` are those
    of the thing itself; if the gateway did not say them, those that were registered; else None. `was` is the state that had its
    effect before, or None: your books have that effect already. `repr` shows kind, key and state.
    """

    kind: str
    key: str
    state: OpenEnum
    amount: Decimal | None
    currency: str | None
    _: KW_ONLY
    is_paid: bool
    was: OpenEnum | None = None

    def __repr__(self) -> str:
        return f"<ItemResult {self.kind} {self.key!r}: {self.state}>"


class ResultFacts:
    """The contract's facts about the results of one kind: their places in an answer and in a notification, and their order.

    `told_as` is the `notifyType` of the notifications that report them; None if none do. `ends` are states that end one beside
    those of the contract.
    """

    def __init__(
        self, contract: Contract, kind: str, told_as: str | None = None, ends: frozenset[str] = frozenset()
    ) -> None:
        following = contract.following(kind)
        states = followed_states(contract, following)
        self.kind: str = kind
        self.following = following
        seen = next((one for one in contract.seen().values() if one.about[0] == following.operation), None)
        self.told_as: str | None = told_as or (None if seen is None else seen.name)
        # Where a notification has key, state, amount and currency: paths from its root.
        self._notified: tuple[str, str, str, str] | None = None
        if seen is not None:
            places = (seen.about[1], seen.state, seen.amount.pointer, seen.amount.currency)
            key, state, amount, currency = (pointer[1:].replace("/", ".") for pointer in places)
            self._notified = key, state, amount, currency
        self.word: str = self.told_as or kind
        """Word for the kind in keys of the ledger."""
        self.ends: frozenset[str] = ends
        self._enum = contract.wire_set(states.name)
        self._reader = ItemReader(contract, following)
        self.states: ItemStates = self._reader.states
        write = None if following.write is None else contract.operation(following.write)
        self.ignores_case: bool = write is not None and write.key_ignores_case

    def item(self, app_id: str, key: str) -> ItemId | None:
        """Return the id of the item with a key; None for an impossible key."""
        if not 0 < len(key) <= _LONGEST_NUMBER or "\x00" in key or _HALF(key):
            return None
        return ItemId(app_id, self.kind, folded(key) if self.ignores_case else key)

    def order(self, state: str | None) -> StateOrder:
        """Return the position of a state among the others."""
        return self.states.order(state, self.ends)

    def is_end(self, state: str) -> bool:
        """Return whether a state has an effect."""
        return self.states.is_end(state, self.ends)

    # Where it stands

    def read_inquiry(self, payload: Mapping[str, object]) -> ItemResult | None:
        """Read an answer of the inquiry; None if it names no key or no state."""
        one = self.following
        return self._read(payload, one.by, one.state, one.amount, one.currency, self._reader.read(payload).paid)

    def inquired_state(self, payload: Mapping[str, object]) -> str:
        """Return the state that an answer of the inquiry shows, or ""."""
        state = _at(payload, self.following.state)
        return state if type(state) is str else ""

    def read_notification(self, body: Mapping[str, object]) -> ItemResult | None:
        """Read a notification; None if it lacks a value that an inquiry shows."""
        found = None if self._notified is None else self._read(body, *self._notified)
        if found is None or found.amount is None or not found.currency:
            return None
        return found

    def notified(self, body: Mapping[str, object]) -> tuple[str | None, str]:
        """Return the key that a notification names, or None, and the state that it names, or ""."""
        key, state = (None, None) if self._notified is None else (_at(body, path) for path in self._notified[:2])
        return key if type(key) is str and key else None, state if type(state) is str else ""

    def as_shown(self, result: ItemResult) -> dict[str, object]:
        """Return a result in the members in which the inquiry shows it."""
        return self.in_state(result.key, str(result.state), result.amount, result.currency, paid=result.is_paid)

    def as_notified(self, body: Mapping[str, object], result: ItemResult) -> dict[str, object]:
        """Return a notification and its result in the members in which the inquiry shows them."""
        key = "" if self._notified is None else self._notified[0]
        data = _at(body, key.rpartition(".")[0] or None)
        beside = data if isinstance(data, Mapping) else {}
        return {**beside, **self.as_shown(result), self.following.by: self.notified(body)[0] or result.key}

    def in_state(
        self, key: str, state: str, amount: Decimal | None = None, currency: str | None = None, *, paid: bool | None = False,
    ) -> dict[str, object]:  # fmt: skip
        """Return a key, a state and an amount in the members in which the inquiry shows them; if it is paid, with a paid part."""
        one = self.following
        made: dict[str, object] = {}
        part = one.each if paid else None
        places = (one.by, key), (one.state, state), (one.amount, amount), (one.currency, currency)
        for path, value in (*places, (part, self._reader.paid_part)):
            if path is not None and value is not None:
                *steps, last = path.split(".")
                inner = made
                for step in steps:
                    inner = cast("dict[str, object]", inner.setdefault(step, {}))
                inner[last] = value
        return made

    def _read(
        self, data: Mapping[str, object], by: str, state: str, amount: str | None, currency: str | None, paid: bool = False,
    ) -> ItemResult | None:  # fmt: skip
        key, word, shown, unit = _at(data, by), _at(data, state), _at(data, amount), _at(data, currency)
        if type(key) is not str or type(word) is not str or not key or not word:
            return None
        money, unit = read_number(shown), None if unit == "" else unit
        if (money is None and shown not in (None, "")) or not (unit is None or type(unit) is str):
            return None  # a wrong amount is no missing one
        known = self._enum(word)
        return ItemResult(self.kind, key, known, money, unit, is_paid=paid or known.is_paid)


def _at(data: object, path: str | None) -> object:
    return None if path is None else within(data, tuple(path.split(".")))
