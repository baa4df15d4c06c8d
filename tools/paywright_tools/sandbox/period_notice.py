"""The notification of a period's payment, as section 6.2 shows it."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from paywright_runtime import formats
from paywright_tools.sandbox.fields import given, text, whole
from paywright_tools.sandbox.store import moment
from paywright_tools.sandbox.ways import brand, card_info

if TYPE_CHECKING:
    from paywright_tools.sandbox.store import Row

__all__ = ["period_notice"]


def period_notice(plan: Row, period: Row, order: Row) -> dict[str, object]:
    """`data`, and of the root what a failure changes, for `Turn.notify`; `order` is the period's last try.

    The code is APPLY_SUCCESS for a paid period, else the code and words that the order failed with.
    """
    starts, ends, tried = (moment(whole(period, name)) for name in ("starts_at", "ends_at", "last_at"))
    paid = period["last_status"] == "SUCCESS"
    card = given(order, "card")
    last: dict[str, object] = {
        "lastPaymentStatus": period["last_status"],
        "payTime": formats.write_request_time(tried),
    }
    # The token is for refunds: a payment that failed has nothing to refund.
    last |= {"tradeToken": order["trade_token"]} if paid else {
        "errorCode": order["response_code"], "errorMsg": order["response_msg"]
    }  # fmt: skip
    detail: dict[str, object] = {
        "subscriptionIndex": period["number"],
        "paymentStatus": period["status"],
        "periodStartTime": formats.write_period_time(starts),
        "periodEndTime": formats.write_period_time(ends),
        "payAmount": {"amount": Decimal(text(period, "amount")), "currency": period["currency"]},
        "paymentMethodType": order["method"],
        "cardOrg": brand(card) if card else "",
        "lastPaymentInfo": last,
    }
    info = card_info(order)
    if info is not None:
        detail["cardInfo"] = info
    outcome = {} if paid else {"code": order["response_code"], "msg": order["response_msg"]}
    return {
        **outcome,
        "data": {
            "subscriptionRequestId": plan["request_id"],
            "userId": plan["user_id"],
            "subscriptionPlan": {"subscriptionNo": plan["subscription_no"]},
            "subscriptionPaymentDetail": detail,
        },
    }
