"""Names of operations with the type of their result, and the shape of the functions that call them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Protocol

    from paywright_runtime.client.permission import Permission
    from paywright_runtime.errors import OutcomeUnknown

__all__ = ["AsyncCall", "Call", "OperationRef", "UnknownWrite"]

R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)


class OperationRef(Generic[R_co]):
    """The name of an operation, and to a type checker what it returns. Nothing is loaded by making one.

    It is called `fresh` over a connection that has carried no other request.
    """

    __slots__ = ("fresh", "name")

    def __init__(self, name: str, *, fresh: bool = False) -> None:
        self.name: str = name
        self.fresh: bool = fresh


class UnknownWrite:
    """A write whose outcome is unknown: its name, its error or its key and content, and what else its query asks for."""

    __slots__ = ("asks", "content", "error", "key", "name")

    def __init__(
        self,
        name: str,
        error: OutcomeUnknown | None,
        key: str | None,
        asks: Mapping[str, str],
        content: Mapping[str, object],
    ) -> None:
        self.name: str = name
        self.error: OutcomeUnknown | None = error
        self.key: str | None = key
        self.asks: Mapping[str, str] = asks
        self.content: Mapping[str, object] = content

    def __repr__(self) -> str:
        return f"<UnknownWrite {self.name}>"


if TYPE_CHECKING:  # making a protocol takes time at the start of every program, and these are for type checkers alone

    class Call(Protocol):
        """The engine's one method for generated code: arguments by wire name in, the operation's result out."""

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
        """`Call`, awaited."""

        async def __call__(
            self,
            ref: OperationRef[R],
            values: Mapping[str, object],
            extra: Mapping[str, object] | None,
            again: Permission | None = None,
        ) -> R:
            """Call an operation and await its result. As `Call`."""
            ...
