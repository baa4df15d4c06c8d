"""Exchanges: what a client calls as `client.exchanges`."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from typing import TYPE_CHECKING

from paywright.operations import EXCHANGES_CREATE, EXCHANGES_QUERY
from paywright_runtime.tracebacks import strip_frames

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from decimal import Decimal
    from typing import Literal

    from paywright.models.exchanges import Exchange, ExchangeCreated
    from paywright_runtime.client.operation_refs import Call, Follow
    from paywright_runtime.client.resolver import Resolve, Resolver
    from paywright_runtime.errors import OutcomeUnknown, PaywrightError


class Exchanges:
    """Exchanges: create, query [4.11, 4.12]."""

    __slots__ = ("_call", "_resolve")

    def __init__(self, call: Call, resolve: Resolve) -> None:
        self._call = call
        self._resolve = resolve

    @strip_frames
    def create(
        self,
        *,
        ccy_pair: str,
        out_trade_no: str,
        side: Literal["BUY", "SELL"],
        transaction_amount: Decimal | int,
        transaction_ccy: str,
        target_ccy: str,
        rate_version: str | None = None,
        extra: Mapping[str, object] | None = None,
    ) -> ExchangeCreated:
        """Exchange available balance between two currencies, one of which is USD.

        Args:
            ccy_pair: exactly 6 characters.
            out_trade_no: not blank; 1 to 64 characters; the same again whenever this very exchange is repeated,
                because a new one means that money is exchanged once more.
            side: one of BUY, SELL.
            transaction_amount: decimal digits such as 10.50, at most 162 characters, at most 8 decimals.
            transaction_ccy: 3 uppercase letters, exactly 3 characters.
            target_ccy: 3 uppercase letters, exactly 3 characters.
            rate_version: at most 64 characters; the latest version is used when omitted.
            extra: members newer than the contract, by wire name.

        Rules:
            one-side-usd: transaction_ccy is USD or target_ccy is USD.
            two-currencies: transaction_ccy differs from target_ccy.
            pair-of-the-two: ccy_pair is transaction_ccy then target_ccy.

        Not sent unless:
            amount-above-zero: transaction_amount above 0.

        Returns:
            ExchangeCreated: The gateway's answer to an exchange.

        Raises:
            ContractViolation: an argument breaks the contract; all violations at once, nothing was sent.
            NotSent: no byte of the body left; safe to repeat with the same key, unless an earlier call with it is
                unknown.
            OutcomeUnknown: it left and no verified answer came, so money may have moved; settle it with
                client.exchanges.resolve.
            AlreadyPlaced: the gateway has this out_trade_no already.
            GatewayError: a verified refusal; it proves nothing about an earlier call with this key.
            UnreadableAnswer: a verified success that lacks a required member.

        See section 4.11 of the specification.
        """
        return self._call(
            EXCHANGES_CREATE,
            {
                "ccyPair": ccy_pair,
                "outTradeNo": out_trade_no,
                "side": side,
                "transactionAmount": transaction_amount,
                "transactionCcy": transaction_ccy,
                "targetCcy": target_ccy,
                "rateVersion": rate_version,
            },
            extra,
        )

    @strip_frames
    def query(
        self,
        *,
        out_trade_no: str,
        extra: Mapping[str, object] | None = None,
    ) -> Exchange:
        """Ask what became of an exchange.

        Args:
            out_trade_no: at most 64 characters.
            extra: members newer than the contract, by wire name.

        Returns:
            Exchange: An exchange order.

        Raises:
            ContractViolation: an argument breaks the contract; all violations at once, nothing was sent.
            NotSent: no byte of the body left; safe to repeat.
            NoAnswer: no verified answer came; safe to repeat.
            GatewayError: a verified refusal.
            UnreadableAnswer: a verified success that lacks a required member.

        See section 4.12 of the specification.
        """
        return self._call(
            EXCHANGES_QUERY,
            {
                "outTradeNo": out_trade_no,
            },
            extra,
        )

    def resolve(
        self,
        error: OutcomeUnknown | None = None,
        /,
        *,
        out_trade_no: str | None = None,
        ccy_pair: str | None = None,
        side: Literal["BUY", "SELL"] | None = None,
        transaction_amount: Decimal | int | None = None,
        transaction_ccy: str | None = None,
        target_ccy: str | None = None,
    ) -> Resolver[Exchange]:
        """Settle a call of create whose outcome is unknown. Nothing is sent yet.

        It is settled when exchanges.query shows the key. The call is never repeated: "not there" proves nothing.

        Args:
            error: the error of the call. It has the key and the content.
            out_trade_no: without an error: the key of the call, as it was sent.
            ccy_pair: without an error: the call's ccyPair; if exchanges.query shows another, the key belongs to
                another call.
            side: without an error: the call's side; if exchanges.query shows another, the key belongs to another
                call.
            transaction_amount: without an error: the call's transactionAmount; if exchanges.query shows another, the
                key belongs to another call.
            transaction_ccy: without an error: the call's transactionCcy; if exchanges.query shows another, the key
                belongs to another call.
            target_ccy: without an error: the call's targetCcy; if exchanges.query shows another, the key belongs to
                another call.

        See sections 4.3, 4.11 of the specification.
        """
        return self._resolve(
            EXCHANGES_CREATE,
            error,
            key=out_trade_no,
            asks={},
            content={
                "ccyPair": ccy_pair,
                "side": side,
                "transactionAmount": transaction_amount,
                "transactionCcy": transaction_ccy,
                "targetCcy": target_ccy,
            },
        )

    def follow(
        self,
        out_trade_no: str,
        *,
        ccy_pair: str | None = None,
        side: Literal["BUY", "SELL"] | None = None,
        transaction_amount: Decimal | int | None = None,
        transaction_ccy: str | None = None,
        target_ccy: str | None = None,
        expires_at: datetime | None = None,
        unknown: bool = False,
        after: PaywrightError | None = None,
    ) -> Follow:
        """Describe the Exchange with this key for `Follower.open`, which follows it to its last state.

        The follower asks exchanges.query soon after a hint, then at growing intervals, and once more when it must be
        closed. It is settled when status is SUCCESS or FAILED.

        Args:
            out_trade_no: the key, as it was sent.
            ccy_pair: the call's ccyPair; if exchanges.query shows another, the key belongs to another call.
            side: the call's side; if exchanges.query shows another, the key belongs to another call.
            transaction_amount: the call's transactionAmount; if exchanges.query shows another, the key belongs to
                another call.
            transaction_ccy: the call's transactionCcy; if exchanges.query shows another, the key belongs to another
                call.
            target_ccy: the call's targetCcy; if exchanges.query shows another, the key belongs to another call.
            expires_at: the aware time until which it can stay open; by default no end is known.
            unknown: True before the call is made, or if its outcome is unknown: then the outcome is resolved first,
                as by resolve.
            after: the error that the call ended with, if it left the outcome unknown.

        See sections 3, 2.9, 4.12 of the specification.
        """
        from paywright_runtime.client.operation_refs import Follow

        return Follow(
            "exchanges",
            out_trade_no,
            {},
            {
                "ccyPair": ccy_pair,
                "side": side,
                "transactionAmount": transaction_amount,
                "transactionCcy": transaction_ccy,
                "targetCcy": target_ccy,
            },
            expires_at,
            unknown,
            after,
        )
