"""Opening a payment link: the order that its payer then pays [2.7]."""

from __future__ import annotations

from datetime import timedelta

from paywright_tools.sandbox.fields import text, time_of, whole
from paywright_tools.sandbox.links import link_by_id, link_url
from paywright_tools.sandbox.orders import place
from paywright_tools.sandbox.store import Row
from paywright_tools.sandbox.turn import Refused, Turn

__all__ = ["open_link"]


def open_link(turn: Turn, link_id: str, *, user_id: str | None = None, user_name: str | None = None) -> Row:
    """Open a link for a payer, and return the order to be paid: this user's own that is pending already, or a new one.

    Several payers have several orders, each with its own userInfo [2.7]; one who gives no `user_id` is always a new one.
    Both names are what the payer gives of themselves, at most 64 characters. Raises `Refused` with an HTTP status where
    there is no such link (404), or it can be paid no longer (409).
    """
    link = link_by_id(turn, link_id)
    if link is None:
        raise Refused("There is no link of this linkId.", code="404")
    made = turn.state.all("SELECT * FROM orders WHERE link = ? ORDER BY id", whole(link, "id"))
    pending = [order for order in made if user_id and (order["status"], order["user_id"]) == ("PENDING", user_id[:64])]
    if pending:
        return pending[-1]
    if link["status"] != "ACTIVE":
        raise Refused("The link has expired: it can be paid no longer.", code="409")
    if turn.policies.text("link-payments") == "one" and any(order["status"] == "SUCCESS" for order in made):
        raise Refused("The link has been paid, and can be paid once (policy link-payments).", code="409")
    ends = time_of(link["expires_at"])
    assert ends is not None  # it always has one
    return place(
        turn,
        {
            "merchant": link["merchant"],
            "integrate": "Hosted_Checkout",  # a link is paid on the same page
            "amount": link["amount"],
            "currency": link["currency"],
            "country": link["country"],
            "subject": text(link, "description"),
            "user_id": (user_id or turn.number("LU", "orders"))[:64],
            "user_name": user_name[:64] if user_name else None,
            "front_callback_url": link_url(turn, link),
            "link": link["id"],
        },
        min(ends, turn.now + timedelta(seconds=turn.policies.seconds("order-expires-after"))),
    )
