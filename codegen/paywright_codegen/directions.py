"""Find out which structs the merchant writes and which it reads."""

from __future__ import annotations

from paywright_codegen.model.contract import Contract


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
            self.written |= contract.reached_from(ours.root).keys()
            self.read |= contract.reached_from(theirs.root).keys()
            if not operation.inbound:
                self.sent |= contract.reached_from(ours.root).keys()
            if not operation.inbound and operation.answers.result is not None:
                self.results.add(operation.answers.result)
                self.read |= contract.reached_from(contract.structs[operation.answers.result]).keys()
