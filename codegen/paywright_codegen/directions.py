"""Find out which structs the merchant writes and which it reads."""

from __future__ import annotations

from paywright_codegen.model.contract import Contract
from paywright_codegen.model.types import Struct

__all__ = ["Directions"]


class Directions:
    """The names of the structs that the merchant writes, and of those that it reads. Some are both.

    Of those that it writes, `sent` are the ones in requests of the client, and not in answers to the gateway.
    """

    def __init__(self, contract: Contract) -> None:
        self.written: set[str] = set()
        self.sent: set[str] = set()
        self.read: set[str] = set()
        self.results: set[str] = set()
        for operation in contract.operations.values():
            ours, theirs = operation.messages if not operation.inbound else operation.messages[::-1]
            _reach(contract, ours.root, self.written)
            if not operation.inbound:
                _reach(contract, ours.root, self.sent)
            _reach(contract, theirs.root, self.read)
            if not operation.inbound and operation.answers.result is not None:
                self.results.add(operation.answers.result)
                _reach(contract, contract.structs[operation.answers.result], self.read)


def _reach(contract: Contract, struct: Struct, found: set[str]) -> None:
    if struct.name in found:
        return
    found.add(struct.name)
    for field in struct.fields:
        if field.type.kind == "struct":
            _reach(contract, contract.struct_named(field.type.name), found)
