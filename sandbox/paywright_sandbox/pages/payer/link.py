"""The page of a payment link, which leads to the cashier [2.7]."""

from __future__ import annotations

from typing import Final
from urllib.parse import quote

from paywright_sandbox.engine.context import RequestContext
from paywright_sandbox.engine.engine import Engine
from paywright_sandbox.engine.request_checks import Headers
from paywright_sandbox.engine.responses import HttpReply
from paywright_sandbox.engine.state.refusal import Refusal
from paywright_sandbox.pages.html.forms import form_token, read_form
from paywright_sandbox.pages.html.rendering import message, page, redirect
from paywright_sandbox.resources.links.link_orders import open_link
from paywright_sandbox.resources.links.links import link_by_id
from paywright_sandbox.resources.payments.order import PaymentOrder

__all__ = ["link"]

_LONGEST: Final = 64


def link(engine: Engine, method: str, link_id: str, headers: Headers, body: bytes) -> HttpReply:
    """Show a link for GET; for POST open it and redirect to the cashier page of its order."""
    address = f"/_sandbox/link/{quote(link_id, safe='')}"
    if method == "POST":
        return _opened(engine, link_id, address, headers, body)
    with engine.transaction() as context:
        found = _read(context, link_id)
    if found is None:
        return message(
            404, "There is no such payment link", "It may belong to another sandbox, or the sandbox was reset."
        )
    return page("link.html", address=address, token=form_token(engine.settings.signer, address), **found)


def _read(context: RequestContext, link_id: str) -> dict[str, object] | None:
    row = link_by_id(context, link_id)
    if row is None:
        return None
    paid = sum(order.outcome == "paid" for order in context.state.select(PaymentOrder, "WHERE link = ?", row.id))
    once = context.policies.text("link-payments") == "one"
    payable = row.status == "ACTIVE" and not (once and paid)
    return {"row": row, "paid": paid, "payable": payable, "expires": row.expires_at, "now": context.now}


def _opened(engine: Engine, link_id: str, address: str, headers: Headers, body: bytes) -> HttpReply:
    fields = read_form(engine.settings.signer, address, headers, body)
    name = "".join(filter(str.isprintable, fields.get("name", ""))).strip()[:_LONGEST]
    try:
        with engine.transaction() as context:
            order = open_link(context, link_id, user_name=name or None)
    except Refusal as refused:
        return message(int(refused.code or 409), "This link cannot be paid", refused.msg, back=address)
    return redirect(f"/_sandbox/cashier/{quote(order.trade_token, safe='')}")
