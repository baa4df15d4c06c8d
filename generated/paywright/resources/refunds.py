"""Refunds: what a client calls as `client.refunds`."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from typing import TYPE_CHECKING

from paywright.operations import REFUNDS_CREATE, REFUNDS_QUERY
from paywright_runtime.tracebacks import strip_frames

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from decimal import Decimal

    from paywright.models.refunds import Refund, RefundCreated
    from paywright_runtime.client.operation_refs import Call, Follow
    from paywright_runtime.client.resolver import Resolve, Resolver
    from paywright_runtime.errors import OutcomeUnknown, PaywrightError


class Refunds:
    """Refunds: create, query [4.13, 4.14]."""

    __slots__ = ("_call", "_resolve")

    def __init__(self, call: Call, resolve: Resolve) -> None:
        self._call = call
        self._resolve = resolve

    @strip_frames
    def create(
        self,
        *,
        out_refund_no: str,
        refund_amount: Decimal | int,
        refund_currency: str,
        out_trade_no: str | None = None,
        trade_token: str | None = None,
        comments: str | None = None,
        refund_notify_url: str | None = None,
        extra: Mapping[str, object] | None = None,
    ) -> RefundCreated:
        """Ask for a refund of a paid order, in the currency of the original transaction.

        Refundable within 180 days of the transaction date; which methods support it comes from an external list; when
        the payer receives the money depends on banks or institutions.

        Args:
            out_refund_no: not blank; at most 64 characters; the same again whenever this very refund is repeated,
                because a new one means that money goes back once more; unique per refund.
            refund_amount: at most 8 decimals; decimals as the currency supports.
            refund_currency: 3 uppercase letters, at most 3 characters; the original transaction currency.
            out_trade_no: at most 64 characters.
            trade_token: at most 64 characters.
            comments: at most 512 characters.
            refund_notify_url: at most 256 characters; may also be configured in the system.
            extra: members newer than the contract, by wire name.

        Rules:
            which-order: need out_trade_no or trade_token.

        Not sent unless:
            amount-above-zero: refund_amount above 0.

        Returns:
            RefundCreated: The gateway's answer to a refund.

        Raises:
            ContractViolation: an argument breaks the contract; all violations at once, nothing was sent.
            NotSent: no byte of the body left; safe to repeat with the same key, unless an earlier call with it is
                unknown.
            OutcomeUnknown: it left and no verified answer came, so money may have moved; settle it with
                client.refunds.resolve.
            AlreadyPlaced: the gateway has this out_refund_no already.
            GatewayError: a verified refusal; it proves nothing about an earlier call with this key.
            UnreadableAnswer: a verified success that lacks a required member.

        See section 4.13 of the specification.
        """
        return self._call(
            REFUNDS_CREATE,
            {
                "outRefundNo": out_refund_no,
                "refundAmount": refund_amount,
                "refundCurrency": refund_currency,
                "outTradeNo": out_trade_no,
                "tradeToken": trade_token,
                "comments": comments,
                "refundNotifyUrl": refund_notify_url,
            },
            extra,
        )

    @strip_frames
    def query(
        self,
        *,
        out_refund_no: str | None = None,
        refund_trade_no: str | None = None,
        extra: Mapping[str, object] | None = None,
    ) -> Refund:
        """Ask what became of a refund.

        Args:
            out_refund_no: at most 64 characters.
            refund_trade_no: at most 64 characters.
            extra: members newer than the contract, by wire name.

        Rules:
            which-refund: need out_refund_no or refund_trade_no.

        Returns:
            Refund: A refund as its inquiry shows it.

        Raises:
            ContractViolation: an argument breaks the contract; all violations at once, nothing was sent.
            NotSent: no byte of the body left; safe to repeat.
            NoAnswer: no verified answer came; safe to repeat.
            GatewayError: a verified refusal.
            UnreadableAnswer: a verified success that lacks a required member.

        See section 4.14 of the specification.
        """
        return self._call(
            REFUNDS_QUERY,
            {
                "outRefundNo": out_refund_no,
                "refundTradeNo": refund_trade_no,
            },
            extra,
        )

    def resolve(
        self,
        error: OutcomeUnknown | None = None,
        /,
        *,
        out_refund_no: str | None = None,
        refund_amount: Decimal | int | None = None,
        refund_currency: str | None = None,
        out_trade_no: str | None = None,
    ) -> Resolver[Refund]:
        """Settle a call of create whose outcome is unknown. Nothing is sent yet.

        It is settled when refunds.query shows the key. The call is never repeated: "not there" proves nothing.

        Args:
            error: the error of the call. It has the key and the content.
            out_refund_no: without an error: the key of the call, as it was sent.
            refund_amount: without an error: the call's refundAmount; if refunds.query shows another, the key belongs
                to another call.
            refund_currency: without an error: the call's refundCurrency; if refunds.query shows another, the key
                belongs to another call.
            out_trade_no: without an error: the call's outTradeNo; if refunds.query shows another, the key belongs to
                another call.

        See sections 4.3, 4.13 of the specification.
        """
        return self._resolve(
            REFUNDS_CREATE,
            error,
            key=out_refund_no,
            asks={},
            content={"refundAmount": refund_amount, "refundCurrency": refund_currency, "outTradeNo": out_trade_no},
        )

    def follow(
        self,
        out_refund_no: str,
        *,
        refund_amount: Decimal | int | None = None,
        refund_currency: str | None = None,
        out_trade_no: str | None = None,
        expires_at: datetime | None = None,
        unknown: bool = False,
        after: PaywrightError | None = None,
    ) -> Follow:
        """Describe the Refund with this key for `Follower.open`, which follows it to its last state.

        The follower asks refunds.query soon after a hint, then at growing intervals, and once more when it must be
        closed. It is settled when status is REFUND_SUCCESS or REFUND_FAILED.

        Args:
            out_refund_no: the key, as it was sent.
            refund_amount: the call's refundAmount; if refunds.query shows another, the key belongs to another call.
            refund_currency: the call's refundCurrency; if refunds.query shows another, the key belongs to another
                call.
            out_trade_no: the call's outTradeNo; if refunds.query shows another, the key belongs to another call.
            expires_at: the aware time until which it can stay open; by default no end is known.
            unknown: True before the call is made, or if its outcome is unknown: then the outcome is resolved first,
                as by resolve.
            after: the error that the call ended with, if it left the outcome unknown.

        See sections 3, 2.4, 4.14 of the specification.
        """
        from paywright_runtime.client.operation_refs import Follow

        return Follow(
            "refunds",
            out_refund_no,
            {},
            {"refundAmount": refund_amount, "refundCurrency": refund_currency, "outTradeNo": out_trade_no},
            expires_at,
            unknown,
            after,
        )
