"""Which state comes after which, as far as the contract shows it: what its moves lead to, and what is final, comes later."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from paywright_runtime.facts import Contract

__all__ = ["state_order"]


def state_order(
    contract: Contract, name: str
) -> tuple[dict[str, tuple[frozenset[str], frozenset[str]]], tuple[frozenset[str], frozenset[str]]]:
    """For every state of a list, and for one that the list does not have: what comes after it, and what excludes it."""
    states = contract.set(name)
    final = frozenset(states.final)
    next_to: dict[str, set[str]] = {state: set() for state in states.values}
    for move in contract.moves():
        if move.set == name and move.before in next_to:
            next_to[move.before].update(move.after)
    after = {state: _reached(next_to, state) for state in next_to}
    order: dict[str, tuple[frozenset[str], frozenset[str]]] = {}
    for state in next_to:
        if state in final:
            order[state] = frozenset(), final - {state}
        else:
            shown = {other for other in after[state] if state not in after.get(other, set())}
            order[state] = (final | shown) - {state}, frozenset()
    return order, (frozenset(), final)


def _reached(next_to: Mapping[str, set[str]], state: str) -> set[str]:
    found: set[str] = set()
    waiting = [state]
    while waiting:
        for other in next_to.get(waiting.pop(), set()) - found:
            found.add(other)
            waiting.append(other)
    return found
