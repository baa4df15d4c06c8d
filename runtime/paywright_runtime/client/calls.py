"""Names of operations with the type of their result, and the type of the functions that call them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Protocol

    from paywright_runtime.client.permission import Permission

__all__ = ["AsyncCall", "Call", "OperationRef", "WriteRef"]

R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)
S_co = TypeVar("S_co", covariant=True)


class OperationRef(Generic[R_co]):
    """The name of an operation, with the type of its result for type checkers. Making one loads nothing.

    A `fresh` one is called over a connection that has carried no other request.
    """

    __slots__ = ("fresh", "name")

    def __init__(self, name: str, *, fresh: bool = False) -> None:
        self.name: str = name
        self.fresh: bool = fresh


class WriteRef(OperationRef[R_co], Generic[R_co, S_co]):
    """The name of a write, with the types of its result and of what the query that settles it shows."""

    __slots__ = ()


if TYPE_CHECKING:  # only type checkers need these protocols, and making one delays the start of every program

    class Call(Protocol):
        """The method that generated code calls: it takes arguments by wire name and returns the operation's result."""

        def __call__(
            self,
            ref: OperationRef[R],
            values: Mapping[str, object],
            extra: Mapping[str, object] | None,
            again: Permission | None = None,
        ) -> R:
            """Call an operation; `extra` are members newer than the contract, `again` the permission to place an order again."""
            ...

    class AsyncCall(Protocol):
        """Awaited form of `Call`."""

        async def __call__(
            self,
            ref: OperationRef[R],
            values: Mapping[str, object],
            extra: Mapping[str, object] | None,
            again: Permission | None = None,
        ) -> R:
            """Call an operation and await its result. As `Call`."""
            ...
