"""Names of operations with the type of their result, and the shape of the functions that call them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Protocol

    from paywright_runtime.client.permission import Permission
    from paywright_runtime.errors import PaywrightError

__all__ = ["AsyncCall", "Call", "OperationRef", "UnknownWrite"]

R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)


class OperationRef(Generic[R_co]):
    """The name of an operation, and to a type checker what it returns. Nothing is loaded by making one."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name: str = name


class UnknownWrite:
    """A write whose outcome is unknown: its name and key, what else its query asks for, what it asked for, and its error."""

    __slots__ = ("after", "asks", "content", "key", "name")

    def __init__(
        self,
        name: str,
        key: str,
        asks: Mapping[str, str] | None = None,
        content: Mapping[str, object] | None = None,
        after: PaywrightError | None = None,
    ) -> None:
        self.name: str = name
        self.key: str = key
        self.asks: Mapping[str, str] = asks or {}
        self.content: Mapping[str, object] | None = content
        self.after: PaywrightError | None = after

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
