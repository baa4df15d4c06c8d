"""What a follower is to follow: a value that the methods `follow` of the client's resources make."""

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
        asks: what the query asks for beside the key, by wire name.
        content: what the write asked for, by its path in the request, to recognise another call under this key.
        expires_at: until when the item can stay open, aware; None for the longest that the contract states, if it states one.
        unknown: True if nobody knows yet whether the gateway has the item: its call ended so, or is still to be made.
        after: the error that the call ended with, where it left the outcome unknown.
    """

    kind: str
    key: str
    asks: Mapping[str, str] = field(default_factory=dict)
    content: Mapping[str, object] = field(default_factory=dict)
    expires_at: datetime | None = None
    unknown: bool = False
    after: PaywrightError | None = None

    def __post_init__(self) -> None:
        """Take the key as the plain text that calls send and queries ask for."""
        object.__setattr__(self, "key", plain_text(self.key) or self.key)
