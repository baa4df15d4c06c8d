"""Payment links as one resource of the sandbox [2.7, 4.4]."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Final

from paywright_runtime.contract import formats
from paywright_sandbox.engine.context import RequestContext
from paywright_sandbox.engine.contract_limits import longest_of
from paywright_sandbox.engine.fields import given, text
from paywright_sandbox.engine.resource import Resource
from paywright_sandbox.engine.route_fields import LISTED, MERCHANT_OR_FIRST, in_context, merchant_field
from paywright_sandbox.engine.routes import Call, Route, RouteField
from paywright_sandbox.engine.settings.policies import Policy
from paywright_sandbox.engine.state.refusal import Refusal
from paywright_sandbox.resources.links import links
from paywright_sandbox.resources.links.link_orders import open_link
from paywright_sandbox.resources.links.links import Link, link_by_id, make_link, shown_link

__all__ = ["RESOURCE"]

# The control API


def _make_link(context: RequestContext, call: Call) -> Mapping[str, object]:
    body = call.body
    merchant = merchant_field(context, call)
    expires, goods = given(body, "expiresAt"), body.get("goodsDetails")
    link = make_link(
        context,
        merchant.app_id,
        text(body, "merchantLinkId"),
        amount=Decimal(str(body["amount"])),
        currency=text(body, "currency"),
        country=text(body, "country"),
        description=text(body, "description"),
        note=given(body, "linkDescription"),
        goods=list(goods) if isinstance(goods, list) else None,
        expires=None if expires is None else formats.read_time(expires),
    )
    return _link(context, link)


def _link(context: RequestContext, link: Link) -> dict[str, object]:
    return {"merchant": link.merchant, **shown_link(context, link)}


def _links(context: RequestContext, _: Call) -> Mapping[str, object]:
    return {"links": [_link(context, row) for row in context.state.select(Link, "ORDER BY id DESC LIMIT ?", LISTED)]}


def _one_link(context: RequestContext, call: Call) -> Mapping[str, object]:
    link = link_by_id(context, call.path["linkId"])
    if link is None:
        raise Refusal("There is no link with this linkId.", code="404")
    return _link(context, link)


def _open_link(context: RequestContext, call: Call) -> Mapping[str, object]:
    names = {name: given(call.body, wire) for name, wire in (("user_id", "userId"), ("user_name", "userName"))}
    order = open_link(context, call.path["linkId"], **names)
    return {
        "outTradeNo": order.out_trade_no,
        "tradeToken": order.trade_token,
        "status": order.status,
        "amount": order.amount,
    }


_ROUTES: Final = (
    Route("GET", "links", f"The latest {LISTED} payment links, the newest first", in_context(_links)),
    Route("POST", "links", "Makes a payment link", in_context(_make_link), (
        MERCHANT_OR_FIRST,
        RouteField("merchantLinkId", "string", "the merchant's number of the link", required=True),
        RouteField("amount", "decimal", "amount to pay", required=True),
        RouteField("currency", "string", "three capitals", required=True),
        RouteField("country", "string", "two capitals", required=True),
        RouteField("description", "string", "text for payers", required=True),
        RouteField("linkDescription", "string", "note that payers do not see"),
        RouteField("expiresAt", "time", "when the link expires; a week from now when left out"),
        RouteField("goodsDetails", "array", "goods, each with goodsName, goodsDescription, quantity and price"),
    )),
    Route("GET", "links/{linkId}", "One payment link", in_context(_one_link)),
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
    handlers=links.HANDLERS,
    timers=links.TIMERS,
    tables=(Link,),
    policies=_POLICIES,
    routes=_ROUTES,
)
