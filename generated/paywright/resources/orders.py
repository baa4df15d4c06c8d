"""Orders: what a client calls as `client.orders`."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from typing import TYPE_CHECKING

from paywright.operations import ORDERS_CHECKOUT, ORDERS_DROP_IN, ORDERS_QUERY
from paywright_runtime.tracebacks import strip_frames

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime
    from decimal import Decimal
    from typing import Literal

    from paywright.models.order_details import (
        BillingInfo,
        DropInPaymentDetail,
        DropInPlan,
        EnvInfo,
        HostedPaymentDetail,
        HostedPlan,
        OrderGoods,
        ShippingInfo,
        SubMerchant,
    )
    from paywright.models.orders import DropInOrderCreated, HostedOrderCreated, Order
    from paywright_runtime.client.operation_refs import Call, Follow
    from paywright_runtime.client.resolver import Resolve, Resolver
    from paywright_runtime.errors import OutcomeUnknown, PaywrightError
    from paywright_runtime.settling.permission import Permission


class Orders:
    """Orders: checkout, drop_in, query [4.1, 4.2, 4.3]."""

    __slots__ = ("_call", "_resolve")

    def __init__(self, call: Call, resolve: Resolve) -> None:
        self._call = call
        self._resolve = resolve

    @strip_frames
    def checkout(
        self,
        *,
        out_trade_no: str,
        subject: str,
        total_amount: Decimal | int,
        currency: str,
        user_id: str,
        front_callback_url: str,
        country: str | None = None,
        language: str | None = None,
        referral_code: str | None = None,
        reference: str | None = None,
        notify_url: str | None = None,
        expire_time: str | None = None,
        mit_management_url: str | None = None,
        subscription_plan: HostedPlan | None = None,
        payment_detail: HostedPaymentDetail | None = None,
        env_info: EnvInfo | None = None,
        sub_merchant: SubMerchant | None = None,
        goods_details: Sequence[OrderGoods] | None = None,
        shipping_info: ShippingInfo | None = None,
        billing_info: BillingInfo | None = None,
        risk_params: Mapping[str, object] | None = None,
        extra: Mapping[str, object] | None = None,
        again: Permission | None = None,
    ) -> HostedOrderCreated:
        """Create an order that the payer pays on the hosted cashier page.

        The answer's status is PENDING: send the payer to redirectUrl, then wait for the notification or query the
        order.

        Args:
            out_trade_no: not blank; letters, digits and underscores, at most 64 characters; the same again whenever
                this very order is repeated, because a new one means a new charge; unique per merchant; comparison is
                not case-sensitive (AAA and AAa are the same).
            subject: at most 256 characters; shown on the payment page; avoid digits only; for Brazil Pix at most 43.
            total_amount: at most 8 decimals; decimals as the currency supports; subject to the risk-control limit
                list.
            currency: 3 uppercase letters, at most 3 characters.
            user_id: at most 64 characters; used to recommend bound payment methods.
            front_callback_url: http:// or https:// and a host, or an app scheme and ://, at most 1024 characters;
                redirect after payment; http/https or an app scheme address.
            country: 2 uppercase letters, at most 2 characters; must match the method's country; chosen: sent code,
                then user history, then IP location (of the contracted countries of the currency).
            language: at most 16 characters; chosen: last used by user, browser, IP country language, merchant order
                language, EN.
            referral_code: at most 32 characters; device id or fingerprint for recommendations.
            reference: at most 512 characters; merchant data returned in callbacks and inquiry.
            notify_url: http:// or https:// and a host, at most 256 characters; wins over the one configured in the
                merchant dashboard; with neither no notification can be made.
            expire_time: at most 16 characters, digits from 1800 to 86400; seconds; the order is closed when not
                completed in time.
            mit_management_url: merchant subscription management address.
            subscription_plan: HostedPlan: A subscription plan that a hosted order activates or describes.
            payment_detail: HostedPaymentDetail: Payment methods of a hosted order.
            env_info: EnvInfo: The payer's device.
            sub_merchant: needed from platform merchants.
            goods_details: OrderGoods: One line of goods in an order.
            shipping_info: ShippingInfo: Address to which goods are shipped.
            billing_info: BillingInfo: Person and address that are billed.
            risk_params: risk business data; may be empty when customised risk control is off.
            extra: members newer than the contract, by wire name.
            again: the permission to place it again under its key, as a resolver or a follower gives it.

        Rules:
            method-needs-country: when payment_detail.payment_method_type is given, need country.
            wallet-plan-complete: when payment_detail.payment_method_type in APPLEPAY GOOGLEPAY and
                merchant-manages-plan (not shown), need subscription_plan{subject description total_periods
                period_rule period_amount first_period_start_date} (documented; no field tells, so it is not checked).
            token-payment: when paying-with-token (not shown), need payment_detail.payment_token_id (documented; no
                field tells, so it is not checked).
            pix-subject: when pix-method (not shown), subject max 43 (documented; no field tells, so it is not
                checked).

        Not sent unless:
            amount-above-zero: total_amount above 0.
            plan-amounts: subscription_plan.period_amount.amount above 0 and
                subscription_plan.trial_period_config.trial_period_amount.amount not below 0 and
                subscription_plan.trial_config.trial_amount.amount not below 0.

        Returns:
            HostedOrderCreated: The gateway's answer to a hosted order.

        Raises:
            ContractViolation: an argument breaks the contract; all violations at once, nothing was sent.
            NotSent: no byte of the body left; safe to repeat with the same key, unless an earlier call with it is
                unknown.
            OutcomeUnknown: it left and no verified answer came, so money may have moved; settle it with
                client.orders.resolve.
            TooEarly: the permission in `again` is over or used; nothing was sent.
            AlreadyPlaced: the gateway has this out_trade_no already.
            GatewayError: a verified refusal; it proves nothing about an earlier call with this key.
            UnreadableAnswer: a verified success that lacks a required member.

        See section 4.1 of the specification.
        """
        return self._call(
            ORDERS_CHECKOUT,
            {
                "outTradeNo": out_trade_no,
                "subject": subject,
                "totalAmount": total_amount,
                "currency": currency,
                "userId": user_id,
                "frontCallbackUrl": front_callback_url,
                "country": country,
                "language": language,
                "referralCode": referral_code,
                "reference": reference,
                "notifyUrl": notify_url,
                "expireTime": expire_time,
                "mitManagementUrl": mit_management_url,
                "subscriptionPlan": subscription_plan,
                "paymentDetail": payment_detail,
                "envInfo": env_info,
                "subMerchant": sub_merchant,
                "goodsDetails": goods_details,
                "shippingInfo": shipping_info,
                "billingInfo": billing_info,
                "riskParams": risk_params,
            },
            extra,
            again,
        )

    @strip_frames
    def drop_in(
        self,
        *,
        out_trade_no: str,
        subject: str,
        total_amount: Decimal | int,
        currency: str,
        country: str,
        user_id: str,
        payment_detail: DropInPaymentDetail,
        terminal_type: Literal["WEB", "WAP", "APP"],
        front_callback_url: str,
        expire_time: str | None = None,
        referral_code: str | None = None,
        mit_management_url: str | None = None,
        subscription_plan: DropInPlan | None = None,
        sub_merchant: SubMerchant | None = None,
        language: str | None = None,
        risk_params: Mapping[str, object] | None = None,
        os_type: str | None = None,
        notify_url: str | None = None,
        extra: Mapping[str, object] | None = None,
        again: Permission | None = None,
    ) -> DropInOrderCreated:
        """Submit a payment whose data the merchant collected itself (Drop-In).

        The code only states that the request was accepted: read status, and finish on redirectUrl, qrCodeUrl or
        vaCode where given.

        Args:
            out_trade_no: not blank; letters, digits and underscores, at most 64 characters; the same again whenever
                this very order is repeated, because a new one means a new charge; unique per merchant; comparison is
                not case-sensitive (AAA and AAa are the same).
            subject: at most 256 characters; for Brazil Pix at most 43.
            total_amount: at most 8 decimals.
            currency: 3 uppercase letters, at most 3 characters.
            country: 2 uppercase letters, at most 2 characters; if it does not match the currency, the region of the
                currency is used; required when a method is specified.
            user_id: at most 64 characters; unique per user.
            payment_detail: DropInPaymentDetail: Payment data that the merchant collected.
            terminal_type: at most 3 characters, one of WEB, WAP, APP.
            front_callback_url: at most 1024 characters.
            expire_time: at most 16 characters, digits from 1800 to 86400; seconds.
            referral_code: at most 32 characters.
            mit_management_url: no limit is stated.
            subscription_plan: DropInPlan: A subscription plan that a Drop-In order activates or describes.
            sub_merchant: SubMerchant: The merchant behind a platform merchant.
            language: at most 16 characters; same priority as the hosted call.
            risk_params: no limit is stated.
            os_type: ANDROID or IOS when the terminal is WAP or APP.
            notify_url: at most 256 characters; wins over the one configured in the merchant dashboard.
            extra: members newer than the contract, by wire name.
            again: the permission to place it again under its key, as a resolver or a follower gives it.

        Rules:
            wallet-plan-complete: when merchant-manages-plan (not shown), need subscription_plan{subject description
                total_periods period_rule period_amount first_period_start_date} (documented; no field tells, so it is
                not checked).
            os-of-wap-and-app: when terminal_type in WAP APP, os_type in ANDROID IOS.
            pix-subject: when pix-method (not shown), subject max 43 (documented; no field tells, so it is not
                checked).

        Not sent unless:
            amount-above-zero: total_amount above 0.
            plan-amounts: subscription_plan.period_amount.amount above 0 and
                subscription_plan.trial_period_config.trial_period_amount.amount not below 0 and
                subscription_plan.trial_config.trial_amount.amount not below 0.

        Returns:
            DropInOrderCreated: The gateway's answer to a Drop-In order.

        Raises:
            ContractViolation: an argument breaks the contract; all violations at once, nothing was sent.
            NotSent: no byte of the body left; safe to repeat with the same key, unless an earlier call with it is
                unknown.
            OutcomeUnknown: it left and no verified answer came, so money may have moved; settle it with
                client.orders.resolve.
            TooEarly: the permission in `again` is over or used; nothing was sent.
            AlreadyPlaced: the gateway has this out_trade_no already.
            GatewayError: a verified refusal; it proves nothing about an earlier call with this key.
            UnreadableAnswer: a verified success that lacks a required member.

        See section 4.2 of the specification.
        """
        return self._call(
            ORDERS_DROP_IN,
            {
                "outTradeNo": out_trade_no,
                "subject": subject,
                "totalAmount": total_amount,
                "currency": currency,
                "country": country,
                "userId": user_id,
                "paymentDetail": payment_detail,
                "terminalType": terminal_type,
                "frontCallbackUrl": front_callback_url,
                "expireTime": expire_time,
                "referralCode": referral_code,
                "mitManagementUrl": mit_management_url,
                "subscriptionPlan": subscription_plan,
                "subMerchant": sub_merchant,
                "language": language,
                "riskParams": risk_params,
                "osType": os_type,
                "notifyUrl": notify_url,
            },
            extra,
            again,
        )

    @strip_frames
    def query(
        self,
        *,
        out_trade_no: str,
        extra: Mapping[str, object] | None = None,
    ) -> Order:
        """Ask what became of an order.

        ORDER_NOT_EXIST comes with only msg and code; read the order's state in `status`, never in `code`.

        Args:
            out_trade_no: 1 to 63 characters.
            extra: members newer than the contract, by wire name.

        Returns:
            Order: A payment order as the inquiry shows it.

        Raises:
            ContractViolation: an argument breaks the contract; all violations at once, nothing was sent.
            NotSent: no byte of the body left; safe to repeat.
            NoAnswer: no verified answer came; safe to repeat.
            GatewayError: a verified refusal.
            UnreadableAnswer: a verified success that lacks a required member.

        See sections 4.3, 7 of the specification.
        """
        return self._call(
            ORDERS_QUERY,
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
        total_amount: Decimal | int | None = None,
        currency: str | None = None,
        reference: str | None = None,
    ) -> Resolver[Order]:
        """Settle a call of checkout or drop_in whose outcome is unknown. Nothing is sent yet.

        It is settled when orders.query shows the key. Else it is queried again; after "not there" again, at least 300
        seconds later, it may be placed again with the same key.

        Args:
            error: the error of the call. It has the key and the content.
            out_trade_no: without an error: the key of the call, as it was sent.
            total_amount: without an error: the call's totalAmount; if orders.query shows another, the key belongs to
                another call.
            currency: without an error: the call's currency; if orders.query shows another, the key belongs to another
                call.
            reference: without an error: the call's reference; if orders.query shows another, the key belongs to
                another call.

        See sections 4.3, 4.1, 4.2 of the specification.
        """
        return self._resolve(
            ORDERS_CHECKOUT,
            error,
            key=out_trade_no,
            asks={},
            content={"totalAmount": total_amount, "currency": currency, "reference": reference},
        )

    def follow(
        self,
        out_trade_no: str,
        *,
        total_amount: Decimal | int | None = None,
        currency: str | None = None,
        reference: str | None = None,
        expires_at: datetime | None = None,
        unknown: bool = False,
        after: PaywrightError | None = None,
    ) -> Follow:
        """Describe the Order with this key for `Follower.open`, which follows it to its last state.

        The follower asks orders.query soon after a hint, then at growing intervals, and once more when it must be
        closed. It is settled when status is SUCCESS or FAILED or BOUNCEBACK or CLOSED.

        Args:
            out_trade_no: the key, as it was sent.
            total_amount: the call's totalAmount; if orders.query shows another, the key belongs to another call.
            currency: the call's currency; if orders.query shows another, the key belongs to another call.
            reference: the call's reference; if orders.query shows another, the key belongs to another call.
            expires_at: the aware time until which it can stay open; by default 86400 seconds from now, the longest.
            unknown: True before the call is made, or if its outcome is unknown: then the outcome is resolved first,
                as by resolve.
            after: the error that the call ended with, if it left the outcome unknown.

        See sections 3, 2.3, 8, 4.3, 7 of the specification.
        """
        from paywright_runtime.client.operation_refs import Follow

        return Follow(
            "orders",
            out_trade_no,
            {},
            {"totalAmount": total_amount, "currency": currency, "reference": reference},
            expires_at,
            unknown,
            after,
        )
