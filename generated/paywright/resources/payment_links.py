"""PaymentLinks: what a client calls as `client.payment_links`."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from typing import TYPE_CHECKING

from paywright.operations import PAYMENT_LINKS_QUERY
from paywright_runtime.tracebacks import strip_frames

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from paywright.models.payment_links import PayByLink
    from paywright_runtime.client.operation_refs import Call, Follow


class PaymentLinks:
    """PaymentLinks: query [4.4]."""

    __slots__ = ("_call",)

    def __init__(self, call: Call) -> None:
        self._call = call

    @strip_frames
    def query(
        self,
        *,
        merchant_link_id: str,
        extra: Mapping[str, object] | None = None,
    ) -> PayByLink:
        """Ask for a payment link and the transactions made through it.

        Args:
            merchant_link_id: at most 64 characters.
            extra: members newer than the contract, by wire name.

        Returns:
            PayByLink: A payment link.

        Raises:
            ContractViolation: an argument breaks the contract; all violations at once, nothing was sent.
            NotSent: no byte of the body left; safe to repeat.
            NoAnswer: no verified answer came; safe to repeat.
            GatewayError: a verified refusal.
            UnreadableAnswer: a verified success that lacks a required member.

        See section 4.4 of the specification.
        """
        return self._call(
            PAYMENT_LINKS_QUERY,
            {
                "merchantLinkId": merchant_link_id,
            },
            extra,
        )

    def follow(self, merchant_link_id: str, *, expires_at: datetime | None = None) -> Follow:
        """Describe the PayByLink with this key for `Follower.open`, which follows it to its last state.

        The follower asks payment_links.query soon after a hint, then at growing intervals, and once more when it must
        be closed. It is settled when linkStatus is EXPIRED and every payByLinkInfo.status is settled.

        Args:
            merchant_link_id: the key, as it was sent.
            expires_at: the aware time until which it can stay open; by default the expiresAt that payment_links.query
                shows.

        See sections 3, 2.7, 4.4 of the specification.
        """
        from paywright_runtime.client.operation_refs import Follow

        return Follow("payment_links", merchant_link_id, {}, {}, expires_at)
