"""A signed request, and the values that its answer must repeat."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from paywright_runtime.contract.not_asked_for import not_asked_for
from paywright_runtime.transport.api import SignedRequest, Unusable
from paywright_runtime.violation import Violation

if TYPE_CHECKING:
    from paywright_runtime.contract.model import Struct
    from paywright_runtime.contract.operation import Operation

__all__ = ["Prepared"]


class Prepared:
    """A signed request, with the values that identify its answer.

    `bound` is True once the answer has repeated what only this request asked for: it is the answer to this request.
    """

    __slots__ = ("bound", "echoes", "key", "operation", "payload", "request", "warnings")

    def __init__(
        self,
        operation: Operation,
        request: SignedRequest,
        key: str | None,
        echoes: Sequence[tuple[str, str]],
        payload: Mapping[str, object],
        warnings: Sequence[Violation],
    ) -> None:
        self.operation: Operation = operation
        self.request: SignedRequest = request
        self.key: str | None = key
        self.echoes: Sequence[tuple[str, str]] = echoes
        self.payload: Mapping[str, object] = payload
        self.warnings: Sequence[Violation] = warnings
        self.bound: bool = False

    def check_echoes(self, struct: Struct | None, data: Mapping[str, object]) -> None:
        """Raise `Unusable` if `data` repeats another key than was sent; `struct` is None for a refusal, which need not repeat it."""
        for name, sent in self.echoes:
            echoed = data.get(name)
            field = struct.by_wire.get(name) if struct is not None else None
            if echoed is None or echoed == "":
                # Where the contract lets the echo be absent, the connection alone binds the answer.
                if field is not None and field.required:
                    raise Unusable("wrong_echo")
                continue
            same = type(echoed) is str and echoed == sent
            if not same and self.operation.key_ignores_case and type(echoed) is str and echoed.isascii():
                same = echoed.lower() == sent.lower()
            if not same:
                raise Unusable("wrong_echo")
            self.bound = True

    def check_elements(self, data: Mapping[str, object], around: Mapping[str, object]) -> None:
        """Raise `Unusable` if an element of a list in `data` is about another thing than was asked for."""
        if not self.operation.each_echoes:
            return
        if next(not_asked_for(self.operation, self.payload, around, data), None) is not None:
            raise Unusable("wrong_echo")
        for name, member, among in self.operation.each_echoes:
            sent, elements = self.payload.get(member), data.get(name)
            # What other requests ask for too binds nothing: one of several, or a number of the merchant's.
            if not among and type(sent) is str and type(elements) is list:
                self.bound = self.bound or any(type(each) is dict and each.get(member) == sent for each in elements)
