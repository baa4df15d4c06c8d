"""The list of states of what is followed: that of the member under `state` in the answer, or in the notification."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from paywright_runtime.contract.index import Contract
    from paywright_runtime.contract.model import Following, Set

__all__ = ["followed_states"]


def followed_states(contract: Contract, following: Following, path: str | None = None) -> Set:
    """Return the list of states of a followed resource, or the one at another path of the answer or notification."""
    operation = contract.operation(following.operation)
    struct = contract.struct((operation.request if following.told else operation.result) or "")
    for step in operation.payload_paths[0] if following.told else ():
        struct = contract.struct(struct.by_wire[step].of or "")
    *steps, last = (path or following.state).split(".")
    for step in steps:
        struct = contract.struct(struct.by_wire[step].of or "")
    return contract.set(struct.by_wire[last].of or "")
