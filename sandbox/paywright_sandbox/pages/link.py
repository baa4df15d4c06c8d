"""The page of a payment link: what it asks for, and the way to the cashier [2.7]."""

from __future__ import annotations

from typing import Final
from urllib.parse import quote

from paywright_tools.sandbox.answers import Reply
from paywright_tools.sandbox.engine import Engine
from paywright_tools.sandbox.fields import text, time_of, whole
from paywright_tools.sandbox.judging import Headers
from paywright_tools.sandbox.link_orders import open_link
from paywright_tools.sandbox.links import link_by_id
from paywright_tools.sandbox.pages.forms import form_token, read_form
from paywright_tools.sandbox.pages.rendering import message, page, redirect
from paywright_tools.sandbox.turn import Refused, Turn

__all__ = ["link"]

_LONGEST: Final = 64


def link(engine: Engine, method: str, link_id: str, headers: Headers, body: bytes) -> Reply:
    """GET shows a link, POST opens it: an order is placed, or the open one found, and its cashier page follows."""
    address = f"/_sandbox/link/{quote(link_id, safe='')}"
    if method == "POST":
        return _opened(engine, link_id, address, headers, body)
    found = engine.act(lambda turn: _read(turn, link_id))[0]
    if found is None:
        return message(
            404, "There is no such payment link", "Perhaps it belongs to another sandbox, or was reset away."
        )
    return page("link.html", address=address, token=form_token(engine.settings.signer, address), **found)


def _read(turn: Turn, link_id: str) -> dict[str, object] | None:
    row = link_by_id(turn, link_id)
    if row is None:
        return None
    orders = turn.state.all("SELECT status FROM orders WHERE link = ?", whole(row, "id"))
    paid = sum(order["status"] == "SUCCESS" for order in orders)
    once = turn.policies.text("link-payments") == "one"
    payable = row["status"] == "ACTIVE" and not (once and paid)
    expires = time_of(row["expires_at"])
    return {"row": row, "paid": paid, "payable": payable, "expires": expires, "now": turn.now}


def _opened(engine: Engine, link_id: str, address: str, headers: Headers, body: bytes) -> Reply:
    fields = read_form(engine.settings.signer, address, headers, body)
    name = "".join(filter(str.isprintable, fields.get("name", ""))).strip()[:_LONGEST]
    try:
        order = engine.act(lambda turn: open_link(turn, link_id, user_name=name or None))[0]
    except Refused as refused:
        return message(int(refused.code or 409), "This link cannot be paid", refused.msg, back=address)
    return redirect(f"/_sandbox/cashier/{quote(text(order, 'trade_token'), safe='')}")
