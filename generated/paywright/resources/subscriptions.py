"""Subscriptions: what a client calls as `client.subscriptions`."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from typing import TYPE_CHECKING

from paywright.operations import SUBSCRIPTIONS_CREATE
from paywright_runtime.tracebacks import strip_frames

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from paywright.models.subscriptions import NewPlan, SubscriptionCreated
    from paywright_runtime.client.operation_refs import Call, Follow
    from paywright_runtime.client.resolver import Resolve, Resolver
    from paywright_runtime.errors import OutcomeUnknown


class Subscriptions:
    """Subscriptions: create [4.5]."""

    __slots__ = ("_call", "_resolve")

    def __init__(self, call: Call, resolve: Resolve) -> None:
        self._call = call
        self._resolve = resolve

    @strip_frames
    def create(
        self,
        *,
        subscription_request_id: str,
        user_id: str,
        callback_url: str,
        subscription_plan: NewPlan,
        extra: Mapping[str, object] | None = None,
    ) -> SubscriptionCreated:
        """Create a subscription plan: regular, n-day trial or n-period promotion, by the parts that are sent.

        The plan is INACTIVE until the payer activates it. The gateway has no query for plans: an unknown outcome
        stays unknown.

        Args:
            subscription_request_id: not blank; at most 64 characters; the same again whenever this very plan is
                repeated, because a new one means a new plan, charged beside the other; merchant's unique request id.
            user_id: at most 64 characters.
            callback_url: at most 256 characters; receives subscription and deduction results.
            subscription_plan: NewPlan: A subscription plan to create.
            extra: members newer than the contract, by wire name.

        Not sent unless:
            plan-amounts: subscription_plan.period_amount.amount above 0 and
                subscription_plan.trial_period_config.trial_period_amount.amount not below 0 and
                subscription_plan.trial_config.trial_amount.amount not below 0.

        Returns:
            SubscriptionCreated: The gateway's answer to a new plan.

        Raises:
            ContractViolation: an argument breaks the contract; all violations at once, nothing was sent.
            NotSent: no byte of the body left; safe to repeat with the same key, unless an earlier call with it is
                unknown.
            OutcomeUnknown: it left and no verified answer came, so money may have moved; the contract has no query
                for it.
            AlreadyPlaced: the gateway has this subscription_request_id already.
            GatewayError: a verified refusal; it proves nothing about an earlier call with this key.
            UnreadableAnswer: a verified success that lacks a required member.

        See section 4.5 of the specification.
        """
        return self._call(
            SUBSCRIPTIONS_CREATE,
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
    ) -> Resolver[None]:
        """Settle a call of create whose outcome is unknown. Nothing is sent yet.

        The contract has no query for it: the resolver says so, and the outcome stays unknown.

        Args:
            error: the error of the call. It has the key and the content.
            subscription_request_id: without an error: the key of the call, as it was sent.

        See sections 4.3, 4.5 of the specification.
        """
        return self._resolve(SUBSCRIPTIONS_CREATE, error, key=subscription_request_id, asks={}, content={})

    def follow(self, subscription_request_id: str, *, expires_at: datetime | None = None) -> Follow:
        """Describe the PeriodResult with this key for `Follower.open`, which follows it to its last state.

        Only notifications.subscription_payment reports it; the contract has no query. A receiver with the follower's
        ledger records these notifications; the item's step says when the next one is overdue.

        Args:
            subscription_request_id: the key, as it was sent.
            expires_at: the aware time when the first notification is due; each one names the end of its period.

        See sections 6.2, 4.19, 2.5 of the specification.
        """
        from paywright_runtime.client.operation_refs import Follow

        return Follow("subscriptions", subscription_request_id, {}, {}, expires_at)
