"""The contract as plain values: addresses, keys, echoes, codes, states and moves, and limits. Read from JSON a file at a
time, when first asked for.
"""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from paywright_runtime.contract.index import Contract

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from paywright.contract._names import MessageName, OperationName
    from paywright_runtime.contract.model import Following, Limit, Move, Question, Set, Struct
    from paywright_runtime.contract.operation import Operation, SeenNotification

CONTRACT = Contract("paywright")

operation: Callable[[OperationName], Operation] = CONTRACT.operation
operations: Callable[[], tuple[OperationName, ...]] = cast(
    "Callable[[], tuple[OperationName, ...]]", CONTRACT.operations
)
struct: Callable[[str], Struct] = CONTRACT.struct
structs: Callable[[], tuple[str, ...]] = CONTRACT.structs
set: Callable[[str], Set] = CONTRACT.set
sets: Callable[[], tuple[str, ...]] = CONTRACT.sets
limits: Callable[[], Mapping[str, Limit]] = CONTRACT.limits
moves: Callable[[], tuple[Move, ...]] = CONTRACT.moves
seen: Callable[[], Mapping[str, SeenNotification]] = CONTRACT.seen
kinds: Callable[[], Mapping[str, Operation | SeenNotification]] = CONTRACT.kinds
followed: Callable[[], Mapping[str, Following]] = CONTRACT.followed
questions: Callable[[], Mapping[str, Question]] = CONTRACT.questions
schema: Callable[[MessageName], dict[str, object]] = CONTRACT.schema
example: Callable[[MessageName], dict[str, object]] = CONTRACT.example
