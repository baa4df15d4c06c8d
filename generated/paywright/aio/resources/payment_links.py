"""PaymentLinks: what an awaited client calls as `client.payment_links`."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from typing import TYPE_CHECKING

from paywright_runtime.client.calls import OperationRef
from paywright_runtime.tracebacks import strip_frames_async

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from paywright.models.payment_links import PayByLink
    from paywright_runtime.client.calls import AsyncCall
    from paywright_runtime.client.follow import Follow

_QUERY: OperationRef[PayByLink] = OperationRef("payment_links.query")


class PaymentLinks:
    """PaymentLinks: query [4.4]."""

    __slots__ = ("_call",)

    def __init__(self, call: AsyncCall) -> None:
        self._call = call

    @strip_frames_async
    async def query(
        self,
        *,
        merchant_link_id: str,
        extra: Mapping[str, object] | None = None,
    ) -> PayByLink:
        """Ask for a payment link and the transactions made through it.

        `paywright.Client.payment_links.query` documents the arguments, the rules and the errors.
        """
        return await self._call(
            _QUERY,
            {
                "merchantLinkId": merchant_link_id,
            },
            extra,
        )

    def follow(self, merchant_link_id: str, *, expires_at: datetime | None = None) -> Follow:
        """Describe the PayByLink with this key for `Follower.open`, which follows it to its last state.

        `paywright.Client.payment_links.follow` documents the arguments, the rules and the errors.
        """
        from paywright_runtime.client.follow import Follow

        return Follow("payment_links", merchant_link_id, {}, {}, expires_at)
