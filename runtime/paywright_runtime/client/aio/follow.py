"""`paywright_runtime.client.follow`, awaited."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Protocol, TypeVar

from paywright_runtime.client.aio.resolver import AsyncResolver
from paywright_runtime.client.follow import FollowBase

if TYPE_CHECKING:
    from paywright_runtime.client.calls import OperationRef
    from paywright_runtime.errors import PaywrightError

__all__ = ["AsyncFollow", "AsyncFollowCall"]

R = TypeVar("R")


class AsyncFollow(FollowBase[R], AsyncResolver[R]):
    """Follows an item until its last state is known [3]: `paywright_runtime.client.follow.Follow`, awaited."""


class AsyncFollowCall(Protocol):
    """`FollowCall`, for a client whose calls are awaited."""

    def __call__(
        self,
        kind: str,
        query: OperationRef[R],
        key: str,
        asks: Mapping[str, str] | None = None,
        content: Mapping[str, object] | None = None,
        expires_at: datetime | None = None,
        unknown: bool = False,
        after: PaywrightError | None = None,
    ) -> AsyncFollow[R]:
        """Make a follow of the item with that key; see the class."""
        ...
