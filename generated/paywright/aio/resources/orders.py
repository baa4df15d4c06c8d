"""Orders: what an awaited client calls as `client.orders`."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from typing import TYPE_CHECKING

from paywright_runtime.client.calls import OperationRef, UnknownWrite
from paywright_runtime.tracebacks import strip_frames_async

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
    from paywright_runtime.client.aio.resolver import AsyncResolve, AsyncResolver
    from paywright_runtime.client.calls import AsyncCall
    from paywright_runtime.client.follow import Follow
    from paywright_runtime.client.permission import Permission
    from paywright_runtime.errors import OutcomeUnknown, PaywrightError

_CHECKOUT: OperationRef[HostedOrderCreated] = OperationRef("orders.checkout")
_DROP_IN: OperationRef[DropInOrderCreated] = OperationRef("orders.drop_in")
_QUERY: OperationRef[Order] = OperationRef("orders.query")
_RESOLVE: OperationRef[Order] = OperationRef("orders.query")


class Orders:
    """Orders: checkout, drop_in, query [4.1, 4.2, 4.3]."""

    __slots__ = ("_call", "_resolve")

    def __init__(self, call: AsyncCall, resolve: AsyncResolve) -> None:
        self._call = call
        self._resolve = resolve

    @strip_frames_async
    async def checkout(
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

        `paywright.Client.orders.checkout` documents the arguments, the rules and the errors.
        """
        return await self._call(
            _CHECKOUT,
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

    @strip_frames_async
    async def drop_in(
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

        `paywright.Client.orders.drop_in` documents the arguments, the rules and the errors.
        """
        return await self._call(
            _DROP_IN,
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

    @strip_frames_async
    async def query(
        self,
        *,
        out_trade_no: str,
        extra: Mapping[str, object] | None = None,
    ) -> Order:
        """Ask what became of an order.

        `paywright.Client.orders.query` documents the arguments, the rules and the errors.
        """
        return await self._call(
            _QUERY,
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
    ) -> AsyncResolver[Order]:
        """Settle a call of checkout or drop_in whose outcome is unknown. Nothing is sent yet.

        `paywright.Client.orders.resolve` documents the arguments, the rules and the errors.
        """
        return self._resolve(
            _RESOLVE,
            UnknownWrite(
                "orders.checkout",
                error,
                out_trade_no,
                {},
                {"totalAmount": total_amount, "currency": currency, "reference": reference},
            ),
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

        `paywright.Client.orders.follow` documents the arguments, the rules and the errors.
        """
        from paywright_runtime.client.follow import Follow

        return Follow(
            "orders",
            out_trade_no,
            {},
            {"totalAmount": total_amount, "currency": currency, "reference": reference},
            expires_at,
            unknown,
            after,
        )
