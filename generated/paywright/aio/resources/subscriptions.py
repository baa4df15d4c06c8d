"""Subscriptions: what an awaited client calls as `client.subscriptions`."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from typing import TYPE_CHECKING

from paywright_runtime.client.calls import OperationRef, UnknownWrite
from paywright_runtime.tracebacks import strip_frames_async

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from paywright.models.subscriptions import NewPlan, SubscriptionCreated
    from paywright_runtime.client.aio.resolver import AsyncResolve, AsyncResolver
    from paywright_runtime.client.calls import AsyncCall
    from paywright_runtime.client.follow import Follow
    from paywright_runtime.errors import OutcomeUnknown

_CREATE: OperationRef[SubscriptionCreated] = OperationRef("subscriptions.create")
_RESOLVE: OperationRef[None] = OperationRef("")


class Subscriptions:
    """Subscriptions: create [4.5]."""

    __slots__ = ("_call", "_resolve")

    def __init__(self, call: AsyncCall, resolve: AsyncResolve) -> None:
        self._call = call
        self._resolve = resolve

    @strip_frames_async
    async def create(
        self,
        *,
        subscription_request_id: str,
        user_id: str,
        callback_url: str,
        subscription_plan: NewPlan,
        extra: Mapping[str, object] | None = None,
    ) -> SubscriptionCreated:
        """Create a subscription plan: regular, n-day trial or n-period promotion, by the parts that are sent.

        `paywright.Client.subscriptions.create` documents the arguments, the rules and the errors.
        """
        return await self._call(
            _CREATE,
            {
                "subscriptionRequestId": subscription_request_id,
                "userId": user_id,
                "callbackUrl": callback_url,
                "subscriptionPlan": subscription_plan,
            },
            extra,
        )

    def resolve(
        self, error: OutcomeUnknown | None = None, /, *, subscription_request_id: str | None = None
    ) -> AsyncResolver[None]:
        """Settle a call of create whose outcome is unknown. Nothing is sent yet.

        `paywright.Client.subscriptions.resolve` documents the arguments, the rules and the errors.
        """
        return self._resolve(_RESOLVE, UnknownWrite("subscriptions.create", error, subscription_request_id, {}, {}))

    def follow(self, subscription_request_id: str, *, expires_at: datetime | None = None) -> Follow:
        """Describe the PeriodResult with this key for `Follower.open`, which follows it to its last state.

        `paywright.Client.subscriptions.follow` documents the arguments, the rules and the errors.
        """
        from paywright_runtime.client.follow import Follow

        return Follow("subscriptions", subscription_request_id, {}, {}, expires_at)
