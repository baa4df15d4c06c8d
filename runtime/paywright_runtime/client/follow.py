"""The item that a follower is to follow, as the methods `follow` of the client's resources make it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from paywright_runtime.json_value import plain_text

if TYPE_CHECKING:
    from datetime import datetime

    from paywright_runtime.errors import PaywrightError

__all__ = ["Follow"]


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
