"""The order of states: which comes after, before or against another, by the contract. `delivery_verdict`, `follow_state` see conflicts by it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from paywright_runtime.contract.index import Contract
    from paywright_runtime.contract.model import Following, Set

Place: TypeAlias = Literal["after it", "before it", "against it", "apart from it"]


class NextTo(NamedTuple):
    """Consequence of a signed state next to a known one: for a notification, for an answer, and for a notice that waits for one."""

    notification: Literal["claim", "stale", "contradiction"]
    answer: Literal["taken", "no news", "decide"]
    notice: Literal["yes", "behind"]


MEANS: Final[dict[Place, NextTo]] = {
    "after it": NextTo("claim", "taken", "yes"),
    "before it": NextTo("stale", "no news", "behind"),
    "against it": NextTo("contradiction", "decide", "behind"),
    "apart from it": NextTo("claim", "taken", "yes"),
}
"""By the place of the signed state next to the known one. Of notifications that are apart, the later one counts."""


class StateOrder(NamedTuple):
    """States before and after one state, as far as the contract shows them.

    `later` are the states that come after it: behind one of them it is stale. `excluded` are those that contradict it.
    `earlier` are those that come before it. `ends` says that it is paid or final: it is handled after every state that is
    neither later nor excluded. Of all other pairs nothing is shown, and the notification's own time decides.
    """

    later: frozenset[str] = frozenset()
    excluded: frozenset[str] = frozenset()
    earlier: frozenset[str] = frozenset()
    ends: bool = False

    def place(self, other: str | None) -> Place:
        """Return the place of this state next to another one."""
        if other in self.later:
            return "before it"
        if other in self.excluded:
            return "against it"
        return "after it" if self.ends or other in self.earlier else "apart from it"


def followed_states(contract: Contract, following: Following, path: str | None = None) -> Set:
    """Return the list of states of a followed resource, or the one at another path of the answer or notification."""
    operation, told = contract.operation(following.operation), following.told
    steps = [*(operation.payload_paths[0] if told else ()), *(path or following.state).split(".")]
    *_, (_, field) = contract.at((operation.request if told else operation.result) or "", "/".join(["", *steps]))
    return contract.set((field and field.of) or "")


def state_order(contract: Contract, name: str) -> tuple[dict[str, StateOrder], StateOrder]:
    """For every state of a list, and for one that the list does not have, its place among the others.

    Settled and final states are ends. A state is behind every end, and behind what the moves lead to from it. Two ends
    contradict each other, but a paid one is handled after one that is not paid: the money came after all.
    """
    states = contract.set(name)
    final, paid, ends = frozenset(states.final), frozenset(states.paid), frozenset(states.ends)
    next_to: dict[str, set[str]] = {state: set() for state in states.values}
    for move in contract.moves():
        if move.set == name and move.before in next_to:
            next_to[move.before].update(move.after)
    reached = {state: _reached(next_to, state) for state in next_to}
    order: dict[str, StateOrder] = {}
    for state in next_to:
        before = frozenset(other for other in next_to if state in reached[other] and other not in reached[state])
        after = frozenset(other for other in reached[state] if state not in reached.get(other, set())) - {state}
        if state in final:
            after = frozenset()
        if state not in ends:
            order[state] = StateOrder((ends | after) - before - {state}, frozenset(), before)
            continue
        unpaid = (ends - paid) if state in paid else frozenset()
        later = after | (frozenset() if state in final else final & paid)
        order[state] = StateOrder(later - {state}, ends - {state} - later - unpaid - before, before, True)
    return order, StateOrder(frozenset(), ends)


class ItemStates:
    """The states of one kind of item, or of one kind of notification: the last ones, those with money moved, and their order."""

    __slots__ = ("_ends", "_known", "_order", "_others", "paid")

    def __init__(self, contract: Contract, name: str) -> None:
        states = contract.set(name)
        self.paid: frozenset[str] = frozenset(states.paid)
        self._known = frozenset(states.values)
        self._ends = frozenset(states.ends)
        self._order, self._others = state_order(contract, name)

    def is_known(self, state: str) -> bool:
        """Return whether the contract lists a state."""
        return state in self._known

    def is_end(self, state: str | None, ends: Collection[str] = ()) -> bool:
        """Return whether a state is a last one: the contract lists it as final, settled or paid, or the merchant names it in `ends`."""
        return state in self._ends or state in ends

    def order(self, state: str | None, ends: Collection[str] = ()) -> StateOrder:
        """Return the states before and after a state, and those that contradict it. Of None nothing is known."""
        if state is None:
            return StateOrder()
        order = self._order.get(state, self._others)
        return order._replace(ends=True) if state in ends else order


def _reached(next_to: Mapping[str, set[str]], state: str) -> set[str]:
    found: set[str] = set()
    waiting = [state]
    while waiting:
        for other in next_to.get(waiting.pop(), set()) - found:
            found.add(other)
            waiting.append(other)
    return found
