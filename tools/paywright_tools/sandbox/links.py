"""Payment links: made through the control API, opened and paid in the browser, and queried [2.7, 4.4].

A link is ACTIVE until its time is over. Opening it places an order of its own, which is paid as any order is; the link
lists it, as PENDING, SUCCESS or CLOSE. When the link expires, what is still unpaid of it closes.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Final

from paywright import validate
from paywright_runtime import formats, strict_json
from paywright_tools.sandbox.fields import check_entered, given, text, time_of, whole
from paywright_tools.sandbox.money import written
from paywright_tools.sandbox.settings import RegisteredMerchant
from paywright_tools.sandbox.store import Cell, Row, Timer, instant
from paywright_tools.sandbox.turn import Due, Handler, Refused, Turn
from paywright_tools.sandbox.ways import card_info

__all__ = ["DUE", "HANDLERS", "TABLES", "link_by_id", "link_url", "make_link", "shown_link"]

TABLES: Final = """
CREATE TABLE links (
    id INTEGER PRIMARY KEY, merchant TEXT NOT NULL, link_id TEXT NOT NULL UNIQUE, merchant_link_id TEXT NOT NULL,
    status TEXT NOT NULL, amount TEXT NOT NULL, currency TEXT NOT NULL, country TEXT NOT NULL, description TEXT NOT NULL,
    note TEXT, goods BLOB, created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL, UNIQUE (merchant, merchant_link_id)
);
CREATE INDEX orders_of_links ON orders (link) WHERE link IS NOT NULL;
"""

_EXPIRES: Final = "link.expires"
_SHOWN: Final[Mapping[str, str]] = {"SUCCESS": "SUCCESS", "PENDING": "PENDING"}


def link_by_id(turn: Turn, link_id: str) -> Row | None:
    """A link by the service's number."""
    return turn.state.one("SELECT * FROM links WHERE link_id = ?", link_id)


def link_url(turn: Turn, link: Row) -> str:
    """Where a link is opened."""
    return f"{turn.address}/_sandbox/link/{text(link, 'link_id')}"


# Making


def make_link(
    turn: Turn,
    merchant: str,
    merchant_link_id: str,
    *,
    amount: Decimal,
    currency: str,
    country: str,
    description: str,
    note: str | None = None,
    goods: list[object] | None = None,
    expires: datetime | None = None,
) -> Row:
    """A new link. `note` is not shown to payers; `goods` have the fields of goodsDetails; without `expires` the policy
    link-expires-after decides. Raises `Refused` with an HTTP status: 409 for a number that was used before, 400 for
    what could not be answered by the contract."""
    until = expires or turn.now + timedelta(seconds=turn.policies.seconds("link-expires-after"))
    if until <= turn.now:
        raise Refused("The link would have expired already.", code="400")
    if amount <= 0:
        raise Refused("The amount of a link must be above 0.", code="400")
    check_entered(turn, amount, currency, "amount")
    used = "SELECT 1 FROM links WHERE merchant = ? AND merchant_link_id = ?"
    if turn.state.one(used, merchant, merchant_link_id) is not None:
        raise Refused("This merchantLinkId was used before.", code="409")
    values: dict[str, Cell] = {
        "merchant": merchant,
        "link_id": turn.number("L", "links"),
        "merchant_link_id": merchant_link_id,
        "status": "ACTIVE",
        "amount": written(amount),
        "currency": currency,
        "country": country,
        "description": description,
        "note": note,
        "goods": strict_json.write(list(goods)) if goods else None,
        "created_at": instant(turn.now),
        "expires_at": instant(until),
    }
    row = turn.state.insert("links", values)
    link = turn.state.one("SELECT * FROM links WHERE id = ?", row)
    assert link is not None  # it was added a moment ago
    # What is made here is answered by the query: the contract judges it now rather than then.
    answer = {"code": "APPLY_SUCCESS", "msg": "Success.", "data": shown_link(turn, link)}
    violations = validate("payment_links.query", "response", answer)
    if violations:
        places = "; ".join(f"{found.pointer.removeprefix('/data')} {found.code}" for found in violations)
        raise Refused(f"The contract could not show this link [2.7]: {places}.", code="400")
    turn.state.set_timer(Timer(until, _EXPIRES, row))
    turn.state.record(turn.now, "link.created", merchant_link_id, {"merchant": merchant, "amount": values["amount"]})
    return link


def _expire(turn: Turn, row: int) -> None:
    # The orders made through it have expired by their own timers, which were set to the same moment.
    turn.state.update("links", row, {"status": "EXPIRED"})
    link = turn.state.one("SELECT merchant, merchant_link_id FROM links WHERE id = ?", row)
    assert link is not None  # links are never taken out of the table
    turn.state.record(turn.now, "link.expired", text(link, "merchant_link_id"), {"merchant": link["merchant"]})


# Asking


def _query(turn: Turn, merchant: RegisteredMerchant, data: Mapping[str, object]) -> dict[str, object]:
    link = turn.state.one(
        "SELECT * FROM links WHERE merchant = ? AND merchant_link_id = ?", merchant.app_id, text(data, "merchantLinkId")
    )
    if link is None:
        raise Refused("There is no such payment link.", policy="link-absent")
    return shown_link(turn, link)


def shown_link(turn: Turn, link: Row) -> dict[str, object]:
    """A link as the query shows it [2.7]."""
    expires, goods = time_of(link["expires_at"]), link["goods"]
    assert expires is not None  # it always has one
    orders = turn.state.all("SELECT * FROM orders WHERE link = ? ORDER BY id", whole(link, "id"))
    answer: dict[str, object] = {
        "linkId": link["link_id"],
        "merchantLinkId": link["merchant_link_id"],
        "totalAmount": link["amount"],
        "country": link["country"],
        "currency": link["currency"],
        "linkStatus": link["status"],
        "expiresAt": formats.write_request_time(expires),
        "linkUrl": link_url(turn, link),
        "qrCodeUrl": link_url(turn, link),  # what the code says, for the merchant to draw
        "description": link["description"],
        "linkDescription": link["note"],
        # The order's number is empty while the link is unopened [2.7].
        "payByLinkInfo": [_transaction(turn, order) for order in orders] or [{"outTradeNo": ""}],
        "goodsDetails": strict_json.parse(goods) if isinstance(goods, bytes) else None,
    }
    return {name: value for name, value in answer.items() if value is not None}


def _transaction(turn: Turn, order: Row) -> dict[str, object]:
    shown: dict[str, object] = {
        "outTradeNo": order["out_trade_no"],
        "status": _SHOWN.get(text(order, "status"), "CLOSE"),
    }
    finished = time_of(order["finished_at"])
    if order["status"] != "SUCCESS" or finished is None:
        return shown
    user = {"userId": order["user_id"], "userName": order["user_name"]}
    payment = {
        "targetOrg": order["target_org"],
        "paymentMethodType": order["method"],
        "cardInfo": card_info(order, turn.seed),
    }
    return {
        **shown,
        "completeAt": formats.write_request_time(finished),
        "userInfo": {name: value for name, value in user.items() if given(user, name)},
        "paymentDetails": [{name: value for name, value in payment.items() if value is not None}],
    }


HANDLERS: Final[Mapping[str, Handler]] = {"payment_links.query": _query}

DUE: Final[Mapping[str, Due]] = {_EXPIRES: _expire}
