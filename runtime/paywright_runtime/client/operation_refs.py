"""Values that generated methods make: names of operations with the type of their result, and items to follow."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, TypeVar

from paywright_runtime.json_value import plain_text

if TYPE_CHECKING:
    from datetime import datetime
    from typing import Protocol

    from paywright_runtime.errors import PaywrightError
    from paywright_runtime.settling.permission import Permission


@dataclass(frozen=True, slots=True)
class Follow:
    """An order, refund, exchange, withdrawal, link or plan that is to be followed to its last state [3].

    `client.orders.follow(...)` makes one and sends nothing; `Follower.open` takes it, and checks it.

    Args:
        kind: the resource, such as `orders`.
        key: the merchant's own id of the item, as its query takes it.
        asks: the query's arguments beside the key, by wire name.
        content: values that the write asked for, by their path in the request, to recognise another call under this key.
        expires_at: the time until which the item can stay open, aware; None for the contract's limit, if it states one.
        unknown: True if it is unknown whether the gateway has the item: its call has an unknown outcome, or is still to be made.
        after: the error of a call that left the outcome unknown.
    """

    kind: str
    key: str
    asks: Mapping[str, str] = field(default_factory=dict)
    content: Mapping[str, object] = field(default_factory=dict)
    expires_at: datetime | None = None
    unknown: bool = False
    after: PaywrightError | None = None

    def __post_init__(self) -> None:
        """Convert the key to the plain text that calls send and queries ask for."""
        object.__setattr__(self, "key", plain_text(self.key) or self.key)


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


if TYPE_CHECKING:  # only type checkers need this protocol, and making one delays the start of every program

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
