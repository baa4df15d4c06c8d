"""Place payment orders, hosted and Drop-In, with the time when they expire, and answer their inquiry [4.1, 4.2, 4.3, 2.3]."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from decimal import Decimal
from hashlib import sha256
from typing import Any, Final

from paywright_sandbox.engine.context import Handler, RequestContext
from paywright_sandbox.engine.currency_decimals import check_decimals, written
from paywright_sandbox.engine.fields import amount_of, fold, given, text, zoned
from paywright_sandbox.engine.merchant import RegisteredMerchant
from paywright_sandbox.engine.state.refusal import Refusal
from paywright_sandbox.engine.state.state import Timer
from paywright_sandbox.engine.used_keys import refuse_used
from paywright_sandbox.resources.orders.order_moves import EXPIRES, charges_again, fail, pay
from paywright_sandbox.resources.payments.payment_order import PaymentMethod, PaymentOrder, kind_of, way_of_session
from paywright_sandbox.resources.payments.tokens import Token, payable_token, token_of
from paywright_sandbox.resources.subscriptions.plans import pays_what_is_due, plan_to_activate


def order_by_key(context: RequestContext, merchant: str, out_trade_no: str) -> PaymentOrder | None:
    """Return a merchant's order by its own id, or None."""
    return context.state.find(PaymentOrder, "WHERE merchant = ? AND key = ?", merchant, fold(out_trade_no))


def order_by_token(context: RequestContext, merchant: str, trade_token: str) -> PaymentOrder | None:
    """Return a merchant's order by its tradeToken, or None."""
    return context.state.find(PaymentOrder, "WHERE merchant = ? AND trade_token = ?", merchant, trade_token)


def cashier_url(context: RequestContext, order: PaymentOrder) -> str:
    """Return the address of the cashier page of an order."""
    return f"{context.address}/_sandbox/cashier/{order.trade_token}"


# Creating


def _checkout(context: RequestContext, merchant: RegisteredMerchant, data: Mapping[str, object]) -> dict[str, object]:
    detail = _part(data, "paymentDetail")
    method, target = given(detail, "paymentMethodType"), given(detail, "targetOrg")
    token_id = given(detail, "paymentTokenID")
    token = payable_token(context, merchant.app_id, text(data, "userId"), token_id) if token_id else None
    allowed = _allowed(detail)
    if token is not None and not PaymentMethod.of(token).fits(allowed):
        context.decided_by("card-not-allowed")
        if context.policies.text("card-not-allowed") == "refused":
            raise Refusal(
                "allowedCardOrg does not allow the card of the payment token: nothing was placed.",
                policy="payment-token-refused",
            )
    way = {"method": method, "target_org": target} if token is None else _of_token(token)
    order = _create(context, merchant, data, way, allowed)
    answer = {**_created(order), "redirectUrl": cashier_url(context, order), **_codes(context, order)}
    if token is not None and detail.get("merchantInitiated") is True:
        answer |= _charge(context, order)  # no payer is there to see the cashier page
    return answer


def _drop_in(context: RequestContext, merchant: RegisteredMerchant, data: Mapping[str, object]) -> dict[str, object]:
    detail = _part(data, "paymentDetail")
    session, token_id = given(detail, "sessionKey"), given(detail, "paymentToken")
    # With a session, an unknown token is the session's own; a saved one must belong to this user.
    saved = token_id if token_id and (session is None or token_of(context, token_id) is not None) else None
    token = payable_token(context, merchant.app_id, text(data, "userId"), saved) if saved else None
    way = way_of_session(session).columns if token is None else _of_token(token)
    order = _create(context, merchant, data, way)
    codes = _codes(context, order)
    return {**_created(order), **(codes or _charge(context, order))}


def _part(data: Mapping[str, object], name: str) -> Mapping[str, object]:
    part = data.get(name)
    return part if isinstance(part, dict) else {}


def _of_token(token: Token) -> dict[str, Any]:
    """Return the columns of an order that its token pays."""
    return {**PaymentMethod.of(token).columns, "token": token.id}


def _allowed(detail: Mapping[str, object]) -> Sequence[str]:
    """Return the organisations of allowedCardOrg for comparison: in capitals, without white space."""
    named = detail.get("allowedCardOrg")
    words = ["".join(str(org).split()) for org in named] if isinstance(named, list) else []
    return [word.upper() if word.isascii() else word for word in words if word]


def _created(order: PaymentOrder) -> dict[str, object]:
    return {"outTradeNo": order.out_trade_no, "tradeToken": order.trade_token, "status": "PENDING"}


def _codes(context: RequestContext, order: PaymentOrder) -> dict[str, object]:
    """Return the QR code or virtual account to pay by; nothing for other methods."""
    kind = kind_of(context, order.method, order.target_org)
    if kind == "qr":
        context.decided_by("qr-methods")
        return {"qrCodeUrl": cashier_url(context, order)}  # the content of the code, which the merchant draws
    if kind == "va":
        context.decided_by("virtual-account-methods")
        digits = int(sha256(f"{context.seed}:va:{order.trade_token}".encode()).hexdigest(), 16) % 10**12
        return {"vaCode": f"8808{digits:012d}"}
    return {}


def _charge(context: RequestContext, order: PaymentOrder) -> dict[str, object]:
    """Charge an order that needs nothing more from its payer; the amount decides the outcome."""
    amount = Decimal(order.amount)
    if amount in context.policies.amounts("fails-at"):
        context.decided_by("fails-at")
        fail(context, order, "The payment failed: this amount fails by the policy fails-at.")
        return {"status": "PENDING"}
    if amount in context.policies.amounts("pends-at"):
        context.decided_by("pends-at")
        return {}
    if amount in context.policies.amounts("challenges-at"):
        context.decided_by("challenges-at")
        return {"redirectUrl": cashier_url(context, order)}
    paid = pay(context, order)
    return {"status": "SUCCESS" if paid.status == "SUCCESS" else "PENDING"}


def _create(
    context: RequestContext,
    merchant: RegisteredMerchant,
    data: Mapping[str, object],
    way: Mapping[str, Any],
    allowed: Sequence[str] = (),
) -> PaymentOrder:
    key = text(data, "outTradeNo")
    same = order_by_key(context, merchant.app_id, key)
    refuse_used(same, "outTradeNo", " (upper and lower case are the same): query that order")
    currency = text(data, "currency")
    plan = plan_to_activate(context, merchant.app_id, text(data, "userId"), currency, _part(data, "subscriptionPlan"))
    if (
        plan is not None
        and way["method"]
        and not charges_again(context, PaymentMethod(way["method"], target_org=way["target_org"]))
    ):
        context.decided_by("plan-paid-by-code")
        raise Refusal(
            "A QR code or a virtual account cannot be charged for the plan of /data/subscriptionPlan/subscriptionNo: nothing was "
            "placed.",
            policy="invalid-request",
        )
    # A free trial needs an order too.
    free = plan is not None and data["totalAmount"] == 0
    amount = Decimal(0) if free else amount_of(data, "totalAmount")
    if plan is not None and not pays_what_is_due(context, plan, amount):
        raise Refusal(
            "/data/totalAmount must be the price of the plan at its activation: that of the trial or of the first period (or 0, "
            "if this begins later). Nothing was placed (policy activation-amount).",
            policy="invalid-request",
        )
    _check_limit(context, amount)
    check_decimals(context, amount, currency, "totalAmount")
    lifetime = given(data, "expireTime")
    expires = context.now + timedelta(
        seconds=int(lifetime) if lifetime else context.policies.seconds("order-expires-after")
    )
    order = PaymentOrder(
        merchant=merchant.app_id,
        out_trade_no=key,
        integrate=text(data, "integrate"),
        amount=written(amount),
        currency=currency,
        country=given(data, "country"),
        subject=text(data, "subject"),
        user_id=text(data, "userId"),
        reference=given(data, "reference"),
        front_callback_url=text(data, "frontCallbackUrl"),
        notify_url=given(data, "notifyUrl"),
        created_at=context.now,
        expires_at=expires,
        **way,
        binds=_part(data, "paymentDetail").get("tokenForFutureUse") is True,
        referral_code=given(data, "referralCode"),
        plan=None if plan is None else plan.id,
        allowed_cards=" ".join(allowed) or None,
    )
    return place(context, order)


def place(context: RequestContext, order: PaymentOrder, *, closes: bool = True) -> PaymentOrder:
    """Store an order that can be paid until it expires, and return it.

    Fills in the gateway's ids, and out_trade_no if it has none. Without `closes` the order stays open when it expires: the
    caller finishes it.
    """
    key = order.out_trade_no or _free_key(context, order.merchant)
    placed = context.state.add(
        order.with_fields(
            key=fold(key),
            out_trade_no=key,
            trade_token=context.number("TT", "orders"),
            trade_no=context.number("TN", "orders"),
        )
    )
    if closes:
        context.state.set_timer(Timer(placed.expires_at, EXPIRES, placed.id))
    shown = {"merchant": placed.merchant, "amount": placed.amount, "currency": placed.currency}
    context.state.record(context.now, "order.created", key, shown)
    return placed


def _free_key(context: RequestContext, merchant: str) -> str:
    key = context.number("SO", "orders")
    while order_by_key(context, merchant, key) is not None:
        key += "_"
    return key


def _check_limit(context: RequestContext, amount: Decimal) -> None:
    limit = Decimal(context.policies.text("largest-amount"))
    if limit and amount > limit:
        context.decided_by("largest-amount")
        raise Refusal(
            "/data/totalAmount is above the limit of this sandbox (policy largest-amount).",
            policy="amount-limit",
        )


# Queries


def _query(context: RequestContext, merchant: RegisteredMerchant, data: Mapping[str, object]) -> dict[str, object]:
    order = order_by_key(context, merchant.app_id, text(data, "outTradeNo"))
    if order is None:
        raise Refusal("The order does not exist.", code="ORDER_NOT_EXIST")
    if order.outcome == "closed":
        context.decided_by("closed-order-status")
    amount = {"amount": order.amount, "currency": order.currency}
    answer: dict[str, object] = {
        "outTradeNo": order.out_trade_no,
        "tradeNo": order.trade_no,
        "status": order.status,
        "responseCode": order.response_code,
        "responseMsg": order.response_msg,
        "reference": order.reference,
        "bounceBackTime": zoned(order.bounced_at),
        "expiryTime": zoned(order.expires_at),
        "transactionUtcTime": zoned(order.created_at),
        "payFinishTime": zoned(order.finished_at) if order.outcome == "paid" else None,
        "trade": amount,
        "source": amount,
        "destination": amount,
    }
    return {name: value for name, value in answer.items() if value is not None}


HANDLERS: Final[Mapping[str, Handler]] = {
    "orders.checkout": _checkout,
    "orders.drop_in": _drop_in,
    "orders.query": _query,
}
