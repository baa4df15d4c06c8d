"""Find the messages in which the same part of two contracts stands."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from paywright_codegen.lookup import header_structs
from paywright_codegen.model.contract import Contract
from paywright_codegen.model.operations import MessageSpec, Operation
from paywright_codegen.model.types import Struct

__all__ = ["MessagePair", "Reached", "reached"]


@dataclass(frozen=True, slots=True)
class MessagePair:
    """One message of both contracts, or its headers. `sent` is True if the merchant writes it."""

    kind: str
    name: str
    sent: bool
    operations: tuple[Operation, Operation]
    roots: tuple[Struct, Struct]
    headers: bool = False

    @property
    def base(self) -> str:
        """Return how the places of its violations begin."""
        return "@header" if self.headers else ""


@dataclass(frozen=True, slots=True)
class Reached:
    """Place of a struct in a message: the members on the way to it."""

    message: MessagePair
    path: tuple[str, ...]


def _kind_of(operation: Operation, message: MessageSpec) -> str:
    asks = message is operation.asks
    if not operation.inbound:
        return "request" if asks else "answer"
    if operation.decides is not None:
        return "question" if asks else "decision"
    return "notification" if asks else "reply"


def _pairs(old: Contract, new: Contract) -> Iterator[MessagePair]:
    for name, before in old.operations.items():
        after = new.operations.get(name)
        if after is None or before.inbound is not after.inbound:
            continue
        for one, other in zip(before.messages, after.messages, strict=True):
            sent = (other is after.asks) is not after.inbound
            pair = MessagePair(_kind_of(after, other), other.name, sent, (before, after), (one.root, other.root))
            yield pair
            if one.headers and other.headers:
                structs = header_structs(old)[one.headers], header_structs(new)[other.headers]
                yield replace(pair, roots=structs, headers=True)


def reached(old: Contract, new: Contract) -> dict[tuple[str, str], list[Reached]]:
    """Return the messages that reach each pair of structs, once a message, by the names of the structs."""
    found: dict[tuple[str, str], list[Reached]] = {}
    for pair in _pairs(old, new):
        seen: set[tuple[str, str]] = set()
        waiting: list[tuple[Struct, Struct, tuple[str, ...]]] = [(*pair.roots, ())]
        while waiting:
            before, after, path = waiting.pop(0)
            if (before.name, after.name) in seen:
                continue
            seen.add((before.name, after.name))
            found.setdefault((before.name, after.name), []).append(Reached(pair, path))
            for field in before.fields:
                other = after.field(field.wire)
                if other is not None and field.type.kind == other.type.kind == "struct":
                    inner = old.struct_named(field.type.name), new.struct_named(other.type.name)
                    waiting.append((*inner, (*path, field.wire)))
    return found
