"""Payment links: made by the control API, opened and paid in the browser, and queried [2.7, 4.4].

A link is ACTIVE until it expires. Opening it places an order, which is paid like any other; the link lists it as PENDING,
SUCCESS or CLOSE. When the link expires, its unpaid orders close.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from paywright import validate
from paywright_runtime import strict_json
from paywright_runtime.contract import formats
from paywright_sandbox.engine.context import RequestContext
from paywright_sandbox.engine.currency_decimals import written
from paywright_sandbox.engine.fields import given, text
from paywright_sandbox.engine.merchant import RegisteredMerchant
from paywright_sandbox.engine.policies import Policy
from paywright_sandbox.engine.resource import Resource
from paywright_sandbox.engine.routes import (
    MERCHANT_OR_FIRST,
    Call,
    Route,
    RouteField,
    Rows,
    amount_field,
    in_context,
    longest_of,
    merchant_field,
)
from paywright_sandbox.engine.state.refusal import Refusal
from paywright_sandbox.engine.state.state import Timer
from paywright_sandbox.engine.state.tables import UNIQUE, MerchantRow
from paywright_sandbox.engine.used_keys import refuse_used
from paywright_sandbox.resources.orders.placing import place
from paywright_sandbox.resources.payments.payment_order import PaymentOrder, card_info


@dataclass(frozen=True, kw_only=True)
class Link(MerchantRow, table="links", unique=("merchant, merchant_link_id",)):
    """A payment link. `link_id` is the gateway's number, `note` a text that payers do not see.

    `amount` is decimal text, `goods` JSON as received.
    """

    link_id: str = field(metadata=UNIQUE)
    merchant_link_id: str
    status: str
    amount: str
    currency: str
    country: str
    description: str
    note: str | None = None
    goods: bytes | None = None
    created_at: datetime
    expires_at: datetime


_EXPIRES: Final = "link.expires"
_SHOWN: Final[Mapping[str | None, str]] = {"paid": "SUCCESS", None: "PENDING"}


def link_by_id(context: RequestContext, link_id: str) -> Link | None:
    """Return a link by the gateway's number, or None."""
    return context.state.find(Link, "WHERE link_id = ?", link_id)


def _link_by_key(context: RequestContext, merchant: str, merchant_link_id: str) -> Link | None:
    return context.state.find(Link, "WHERE merchant = ? AND merchant_link_id = ?", merchant, merchant_link_id)


def link_url(context: RequestContext, link: Link) -> str:
    """Return the address at which a payer opens a link."""
    return f"{context.address}/_sandbox/link/{link.link_id}"


# Making


def _make_link(context: RequestContext, call: Call) -> Mapping[str, object]:
    """Make a payment link; without expiresAt it expires after a week."""
    body, merchant = call.body, merchant_field(context, call).app_id
    key, expires, goods = text(body, "merchantLinkId"), given(body, "expiresAt"), body.get("goodsDetails")
    until = (formats.read_time(expires) if expires else None) or context.now + timedelta(days=7)
    if until <= context.now:
        raise Refusal("The link would have expired already.", code="400")
    amount = amount_field(context, call, text(body, "currency"))
    refuse_used(_link_by_key(context, merchant, key), "merchantLinkId", code="409")
    link = context.state.add(
        Link(
            merchant=merchant,
            link_id=context.number("L", "links"),
            merchant_link_id=key,
            status="ACTIVE",
            amount=written(amount),
            currency=text(body, "currency"),
            country=text(body, "country"),
            description=text(body, "description"),
            note=given(body, "linkDescription"),
            goods=strict_json.write(list(goods)) if isinstance(goods, list) and goods else None,
            created_at=context.now,
            expires_at=until,
        )
    )
    # The query answers with this link: check it against the contract now, not then.
    answer = {"code": "APPLY_SUCCESS", "msg": "Success.", "data": shown_link(context, link)}
    violations = validate("payment_links.query", "response", answer)
    if violations:
        places = "; ".join(f"{found.pointer.removeprefix('/data')} {found.code}" for found in violations)
        raise Refusal(f"The contract could not show this link [2.7]: {places}.", code="400")
    context.state.set_timer(Timer(until, _EXPIRES, link.id))
    context.state.record(context.now, "link.created", key, {"merchant": merchant, "amount": link.amount})
    return _ROWS.shown(context, link)


def _expire(context: RequestContext, row: int) -> None:
    # Timers of their own, set to the same moment, have closed its orders.
    link = context.state.change(context.state.get(Link, row), status="EXPIRED")
    context.state.record(context.now, "link.expired", link.merchant_link_id, {"merchant": link.merchant})


# Queries


def _query(context: RequestContext, merchant: RegisteredMerchant, data: Mapping[str, object]) -> dict[str, object]:
    link = _link_by_key(context, merchant.app_id, text(data, "merchantLinkId"))
    if link is None:
        raise Refusal("There is no such payment link.", policy="absent")
    return shown_link(context, link)


def shown_link(context: RequestContext, link: Link) -> dict[str, object]:
    """Return a link for the answer of its query [2.7]."""
    orders = context.state.select(PaymentOrder, "WHERE link = ? ORDER BY id", link.id)
    answer: dict[str, object] = {
        "linkId": link.link_id,
        "merchantLinkId": link.merchant_link_id,
        "totalAmount": link.amount,
        "country": link.country,
        "currency": link.currency,
        "linkStatus": link.status,
        "expiresAt": formats.write_request_time(link.expires_at),
        "linkUrl": link_url(context, link),
        "qrCodeUrl": link_url(context, link),  # the content of the code, which the merchant draws
        "description": link.description,
        "linkDescription": link.note,
        # The order's number is empty while the link is unopened [2.7].
        "payByLinkInfo": [_transaction(context, order) for order in orders] or [{"outTradeNo": ""}],
        "goodsDetails": None if link.goods is None else strict_json.parse(link.goods),
    }
    return {name: value for name, value in answer.items() if value is not None}


def _transaction(context: RequestContext, order: PaymentOrder) -> dict[str, object]:
    user = {"userId": order.user_id, "userName": order.user_name}
    shown: dict[str, object] = {
        "outTradeNo": order.out_trade_no,
        "status": _SHOWN.get(order.outcome, "CLOSE"),
        "userInfo": {name: value for name, value in user.items() if value},
    }
    finished = order.finished_at
    if order.outcome != "paid" or finished is None:
        return shown
    payment = {
        "targetOrg": order.target_org,
        "paymentMethodType": order.method,
        "cardInfo": card_info(order, context.seed),
    }
    return {
        **shown,
        "completeAt": formats.write_request_time(finished),
        "paymentDetails": [{name: value for name, value in payment.items() if value is not None}],
    }


def open_link(
    context: RequestContext, link_id: str, *, user_id: str | None = None, user_name: str | None = None
) -> PaymentOrder:
    """Open a link for a payer, and return the order to pay: this user's pending one, or a new one.

    Each payer has an order with its own userInfo [2.7]; without `user_id` the payer is always a new one. `user_id` and
    `user_name` are cut to 64 characters. Raises `Refusal` with an HTTP status if there is no such link (404), or if it
    cannot be paid any more (409).
    """
    link = link_by_id(context, link_id)
    if link is None:
        raise Refusal("There is no link with this linkId.", code="404")
    made = context.state.select(PaymentOrder, "WHERE link = ? ORDER BY id", link.id)
    pending = [order for order in made if user_id and (order.status, order.user_id) == ("PENDING", user_id[:64])]
    if pending:
        return pending[-1]
    if link.status != "ACTIVE":
        raise Refusal("The link has expired: it cannot be paid any more.", code="409")
    if context.policies.text("link-payments") == "one" and any(order.outcome == "paid" for order in made):
        raise Refusal("The link can be paid once, and has been paid (policy link-payments).", code="409")
    open_for = timedelta(seconds=context.policies.seconds("order-expires-after"))
    return place(
        context,
        PaymentOrder(
            merchant=link.merchant,
            integrate="Hosted_Checkout",  # a link is paid on the same page
            amount=link.amount,
            currency=link.currency,
            country=link.country,
            subject=link.description,
            user_id=(user_id or context.number("LU", "orders"))[:64],
            user_name=user_name[:64] if user_name else None,
            front_callback_url=link_url(context, link),
            created_at=context.now,
            expires_at=min(link.expires_at, context.now + open_for),
            link=link.id,
        ),
    )


# The control API


def _open_link(context: RequestContext, call: Call) -> Mapping[str, object]:
    names = {name: given(call.body, wire) for name, wire in (("user_id", "userId"), ("user_name", "userName"))}
    order = open_link(context, call.path["linkId"], **names)
    return {
        "outTradeNo": order.out_trade_no,
        "tradeToken": order.trade_token,
        "status": order.status,
        "amount": order.amount,
    }


_ROWS: Final = Rows(
    kind=Link,
    path="links",
    what="payment link",
    plural="payment links",
    number="linkId",
    column="link_id",
    show=shown_link,
)
_ROUTES: Final = (
    *_ROWS.reads(),
    Route("POST", "links", "Makes a payment link", in_context(_make_link), (
        MERCHANT_OR_FIRST,
        RouteField("merchantLinkId", "string", "the merchant's number of the link", required=True),
        RouteField("amount", "decimal", "amount to pay", required=True),
        RouteField("currency", "currency", "such as USD", required=True),
        RouteField("country", "country", "such as SG", required=True),
        RouteField("description", "string", "text for payers", required=True),
        RouteField("linkDescription", "string", "note that payers do not see"),
        RouteField("expiresAt", "time", "when the link expires; a week from now when left out"),
        RouteField("goodsDetails", "array", "goods, each with goodsName, goodsDescription, quantity and price"),
    )),
    Route("POST", "links/{linkId}/open", "Opens a payment link as a payer, and returns the order to pay", in_context(_open_link), (
        RouteField("userId", "string", "id of the payer", longest=longest_of("userId")),
        RouteField("userName", "string", "the payer's name", longest=longest_of("userName")),
    )),
)  # fmt: skip

_POLICIES: Final = (
    Policy("link-payments", "many", "other-moves", "how often a link can be paid; with one, the first payment closes the orders of all other payers", choices=("many", "one")),
)  # fmt: skip

RESOURCE: Final = Resource(
    name="links",
    handlers={"payment_links.query": _query},
    timers={_EXPIRES: _expire},
    tables=(Link,),
    policies=_POLICIES,
    routes=_ROUTES,
)
