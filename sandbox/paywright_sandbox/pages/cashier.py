"""The cashier page: where the redirectUrl of an order leads [4.1, 2.3]."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Final
from urllib.parse import quote

from paywright_tools.sandbox.answers import Reply
from paywright_tools.sandbox.cashier import METHODS, PRESSES, is_challenged, order_of, press, visit_of
from paywright_tools.sandbox.engine import Engine
from paywright_tools.sandbox.fields import given, text, time_of
from paywright_tools.sandbox.judging import Headers
from paywright_tools.sandbox.orders import CardNotAllowed, is_open
from paywright_tools.sandbox.pages.callbacks import linkable
from paywright_tools.sandbox.pages.cards import TEST_CARDS, card_faults, masked
from paywright_tools.sandbox.pages.forms import form_token, read_form
from paywright_tools.sandbox.pages.qr import qr_data_url
from paywright_tools.sandbox.pages.rendering import message, page, redirect
from paywright_tools.sandbox.store import Row
from paywright_tools.sandbox.turn import Refused, Turn
from paywright_tools.sandbox.ways import allowed_orgs, brand

__all__ = ["Till", "cashier", "till_for"]

_PREFIX: Final = "/_sandbox/cashier/"
_UNKNOWN: Final = (
    "There is no order of this address here. Perhaps it belongs to another sandbox, or to a state that was reset."
)


@dataclass
class Till:
    """What the payment page of one order shows."""

    order: Row
    visit: Row | None
    now: datetime
    notes: list[str]
    challenged: bool
    site: str
    card: str = ""
    address: str = ""
    token: str = ""
    faults: Mapping[str, str] = field(default_factory=dict)
    entered: Mapping[str, str] = field(default_factory=dict)

    @property
    def back(self) -> str:
        return text(self.order, "front_callback_url")

    @property
    def back_link(self) -> str | None:
        return linkable(self.back)

    @property
    def left(self) -> timedelta:
        return (time_of(self.order["expires_at"]) or self.now) - self.now

    @property
    def expires(self) -> datetime | None:
        return time_of(self.order["expires_at"])

    @property
    def finished(self) -> datetime | None:
        return time_of(self.order["finished_at"])

    @property
    def method(self) -> str:
        """How it was paid, in words, and of a card no more than is kept."""
        method = given(self.order, "method") or ""
        return METHODS.get(method, method)

    @property
    def test_cards(self) -> Mapping[str, str]:
        """Those that the order takes; all where it takes none of them."""
        allowed = allowed_orgs(self.order)
        found = {number: name for number, name in TEST_CARDS.items() if brand(number) in allowed}
        return found or TEST_CARDS

    @property
    def open_method(self) -> str:
        method = self.entered.get("method") or given(self.order, "method")
        return method if method in METHODS else "CARD"

    @property
    def qr(self) -> str | None:
        return qr_data_url(self.site + self.address)

    def value(self, name: str) -> str:
        """What a field starts with: as entered, or a test card's; number and code are never shown again."""
        if name in self.entered and name not in ("number", "cvv"):
            return self.entered[name]
        if self.entered:
            return ""
        number = self.card or next(iter(self.test_cards))
        grouped = " ".join(number[start : start + 4] for start in range(0, len(number), 4))
        expiry = f"12/{(self.now.year + 2) % 100:02}"
        code = "1234" if TEST_CARDS[number] == "American Express" else "123"
        return {"number": grouped, "holder": "TEST PAYER", "expiry": expiry, "cvv": code}[name]


def cashier(
    engine: Engine, method: str, steps: list[str], query: Mapping[str, str], headers: Headers, body: bytes
) -> Reply:
    """GET shows an order's page, POST does what the payer pressed and leads back to it. `steps` follow the prefix; `card` of
    the query is the test card that the form begins with."""
    trade_token = steps[0] if steps else ""
    address = f"{_PREFIX}{quote(trade_token, safe='')}"
    if method == "POST" and len(steps) == 1:
        return _pressed(engine, trade_token, address, headers, body)
    till = engine.act(lambda turn: till_for(turn, trade_token))[0]
    if till is not None and query.get("card") in till.test_cards:
        till.card = query["card"]
    if till is None or method == "POST" or steps[1:] not in ([], ["left"]):
        return message(404, "Nothing to pay here", _UNKNOWN)
    return _show(engine, till, address, left=bool(steps[1:]))


def till_for(turn: Turn, trade_token: str) -> Till | None:
    """What the page of an order shows; None if there is no such order."""
    order = order_of(turn, trade_token)
    if order is None:
        return None
    visit = visit_of(turn, order)
    return Till(order, visit, turn.now, _notes(turn, order), is_challenged(turn, order, visit), turn.address)


def _notes(turn: Turn, order: Row) -> list[str]:
    amount = Decimal(text(order, "amount"))
    words = {
        "cashier-fails-at": "Pay fails: this amount is one that fails here",
        "cashier-pends-at": "Pay leaves the order pending: this amount is one that does here",
        "cashier-challenges-at": "Pay makes the bank ask first: this amount is one for which it does here",
    }
    notes = [f"{said} (policy {name})." for name, said in words.items() if amount in turn.policies.amounts(name)]
    allowed = allowed_orgs(order)
    return [*notes, f"Of cards this order takes {', '.join(allowed)} only (allowedCardOrg)."] if allowed else notes


def _show(engine: Engine, till: Till, address: str, *, left: bool = False, status: int = 200) -> Reply:
    till.address, till.token = address, form_token(engine.settings.signer, address)
    if not is_open(till.order):
        return page("cashier_done.html", status, till=till)
    if left and till.visit is not None and till.visit["state"] == "PENDING":
        return page("cashier_left.html", status, till=till)
    if till.challenged:
        return page("cashier_challenge.html", status, till=till)
    return page("cashier.html", status, till=till)


def _pressed(engine: Engine, trade_token: str, address: str, headers: Headers, body: bytes) -> Reply:
    fields = read_form(engine.settings.signer, address, headers, body)
    what, method = fields.get("press", ""), fields.get("method", "CARD")
    if what not in PRESSES or method not in METHODS:
        return message(400, "That is no button of this page", "Load the page again.", back=address)
    faults = card_faults(fields, engine.clock.now()) if what == "pay" and method == "CARD" else {}
    if faults:
        return _again(engine, trade_token, address, fields, faults)
    card = masked(fields["number"]) if what == "pay" and method == "CARD" else None

    def do(turn: Turn) -> str | None:
        order = order_of(turn, trade_token)
        return None if order is None else press(turn, order, what, method, card)

    try:
        state = engine.act(do)[0]
    except CardNotAllowed as refused:
        return _again(engine, trade_token, address, fields, {"number": refused.msg})
    except Refused as refused:
        return message(409, "That cannot be done", refused.msg, back=address)
    if state is None:
        return message(404, "Nothing to pay here", _UNKNOWN)
    return redirect(f"{address}/left" if state == "PENDING" else address)


def _again(
    engine: Engine, trade_token: str, address: str, fields: Mapping[str, str], faults: Mapping[str, str]
) -> Reply:
    till = engine.act(lambda turn: till_for(turn, trade_token))[0]
    if till is None:
        return message(404, "Nothing to pay here", _UNKNOWN)
    till.faults, till.entered = faults, fields
    return _show(engine, till, address, status=422)
