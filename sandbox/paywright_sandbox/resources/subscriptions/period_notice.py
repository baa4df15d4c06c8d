"""The notification of a period's payment [6.2]."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from paywright_runtime.contract import formats
from paywright_sandbox.resources.payments.payment_method import brand, card_info

if TYPE_CHECKING:
    from paywright_sandbox.resources.payments.order import PaymentOrder
    from paywright_sandbox.resources.subscriptions.period import Period
    from paywright_sandbox.resources.subscriptions.plan import BillingPlan

__all__ = ["period_notice"]


def period_notice(plan: BillingPlan, period: Period, order: PaymentOrder) -> dict[str, object]:
    """Return `data`, and the root members of a failure, for `RequestContext.notify`; `order` is the period's last try.

    The code is APPLY_SUCCESS for a paid period, else code and message are those of the failed order.
    """
    assert period.last_at is not None  # its last charge has ended
    paid = period.last_status == "SUCCESS"
    card = order.card
    last: dict[str, object] = {
        "lastPaymentStatus": period.last_status,
        "payTime": formats.write_request_time(period.last_at),
    }
    # The token is for refunds: a payment that failed has nothing to refund.
    last |= {"tradeToken": order.trade_token} if paid else {
        "errorCode": order.response_code, "errorMsg": order.response_msg
    }  # fmt: skip
    detail: dict[str, object] = {
        "subscriptionIndex": period.number,
        "paymentStatus": period.status,
        "periodStartTime": formats.write_period_time(period.starts_at),
        "periodEndTime": formats.write_period_time(period.ends_at),
        "payAmount": {"amount": Decimal(period.amount), "currency": period.currency},
        "paymentMethodType": order.method,
        "cardOrg": brand(card) if card else "",
        "lastPaymentInfo": last,
    }
    info = card_info(order)
    if info is not None:
        detail["cardInfo"] = info
    outcome = {} if paid else {"code": order.response_code, "msg": order.response_msg}
    return {
        **outcome,
        "data": {
            "subscriptionRequestId": plan.request_id,
            "userId": plan.user_id,
            "subscriptionPlan": {"subscriptionNo": plan.subscription_no},
            "subscriptionPaymentDetail": detail,
        },
    }
