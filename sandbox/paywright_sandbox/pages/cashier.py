"""The cashier page, at the redirectUrl of an order [4.1, 2.3]. It accepts test cards only, and keeps masked numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Final
from urllib.parse import quote

import segno

from paywright_runtime.card_numbers import LONGEST, SHORTEST, passes_luhn
from paywright_sandbox.engine.context import RequestContext
from paywright_sandbox.engine.engine import Engine
from paywright_sandbox.engine.request_checks import Headers
from paywright_sandbox.engine.responses import HttpReply
from paywright_sandbox.engine.state.refusal import Refusal
from paywright_sandbox.pages.rendering import form_token, linkable, message, page, read_form, redirect
from paywright_sandbox.resources.orders.order_moves import CardNotAllowed, is_open
from paywright_sandbox.resources.orders.payer_actions import (
    METHODS,
    PRESSES,
    CashierVisit,
    is_challenged,
    order_of,
    press,
    visit_of,
)
from paywright_sandbox.resources.payments.payment_order import TEST_CARDS, PaymentOrder, bare, brand, mask

_PREFIX: Final = "/_sandbox/cashier/"
_UNKNOWN: Final = "There is no order at this address. It may belong to another sandbox, or the sandbox was reset."


@dataclass
class CashierView:
    """Data of the cashier page of one order."""

    order: PaymentOrder
    visit: CashierVisit | None
    now: datetime
    notes: list[str]
    challenged: bool
    site: str
    card: str = ""
    address: str = ""
    token: str = ""
    leads_back: bool = False
    faults: Mapping[str, str] = field(default_factory=dict)
    entered: Mapping[str, str] = field(default_factory=dict)

    @property
    def back(self) -> str:
        """The address of the merchant's page for the way back."""
        return self.order.front_callback_url

    @property
    def back_link(self) -> str | None:
        """The same if it may be a link, else None."""
        return linkable(self.back)

    @property
    def left(self) -> timedelta:
        """The time until the order expires."""
        return self.order.expires_at - self.now

    @property
    def method(self) -> str:
        """The method of payment in words."""
        method = self.order.method or ""
        return METHODS.get(method, method)

    @property
    def test_cards(self) -> Mapping[str, str]:
        """The test cards that the order takes; all if it takes none of them."""
        allowed = self.order.allowed_orgs
        found = {number: name for number, name in TEST_CARDS.items() if brand(number) in allowed}
        return found or TEST_CARDS

    @property
    def open_method(self) -> str:
        """The method whose part of the form is open."""
        method = self.entered.get("method") or self.order.method
        return method if method in METHODS else "CARD"

    @property
    def qr(self) -> str:
        """A QR code of this page's address, as a `data:` URL."""
        code = segno.make(self.site + self.address, error="l", micro=False)
        return code.svg_data_uri(light="#fff", omitsize=True)

    def value(self, name: str) -> str:
        """Return the initial value of a field: as entered, or a test card's. Never repeat number and code."""
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
) -> HttpReply:
    """Show an order's page for GET; handle a button for POST, and redirect to the result.

    Only `return`, which a button leads to, sends the browser on to the shop: the page of a finished order can be viewed later.

    `steps` follow the prefix; `card` of the query is the test card to begin with.
    """
    trade_token = steps[0] if steps else ""
    address = f"{_PREFIX}{quote(trade_token, safe='')}"
    if method == "POST" and len(steps) == 1:
        return _pressed(engine, trade_token, address, headers, body)
    with engine.transaction() as context:
        view = cashier_view(context, trade_token)
    if view is not None and query.get("card") in view.test_cards:
        view.card = query["card"]
    if view is None or method == "POST" or steps[1:] not in ([], ["left"], ["return"]):
        return message(404, "Nothing to pay here", _UNKNOWN)
    view.leads_back = steps[1:] == ["return"] and engine.settings.policies.text("front-callback") == "redirect"
    return _show(engine, view, address, left=steps[1:] == ["left"])


def cashier_view(context: RequestContext, trade_token: str) -> CashierView | None:
    """Return the data of an order's page; None if there is no such order."""
    order = order_of(context, trade_token)
    if order is None:
        return None
    visit = visit_of(context, order)
    return CashierView(
        order, visit, context.now, _notes(context, order), is_challenged(context, order, visit), context.address
    )


def _notes(context: RequestContext, order: PaymentOrder) -> list[str]:
    amount = Decimal(order.amount)
    words = {
        "fails-at": "Pay will fail: this amount always fails",
        "pends-at": "Pay will leave the order pending: this amount always does",
        "challenges-at": "Pay will make the bank ask first: this amount is always challenged",
    }
    notes = [f"{said} (policy {name})." for name, said in words.items() if amount in context.policies.amounts(name)]
    allowed = order.allowed_orgs
    return [*notes, f"This order takes only cards of {', '.join(allowed)} (allowedCardOrg)."] if allowed else notes


def _show(engine: Engine, view: CashierView, address: str, *, left: bool = False, status: int = 200) -> HttpReply:
    view.address, view.token = address, form_token(engine.settings.signer, address)
    if not is_open(view.order):
        return page("cashier_done.html", status, payment=view)
    if left and view.visit is not None and view.visit.state == "PENDING":
        return page("cashier_left.html", status, payment=view)
    if view.challenged:
        return page("cashier_challenge.html", status, payment=view)
    return page("cashier.html", status, payment=view)


def _pressed(engine: Engine, trade_token: str, address: str, headers: Headers, body: bytes) -> HttpReply:
    fields = read_form(engine.settings.signer, address, headers, body)
    what, method = fields.get("press", ""), fields.get("method", "CARD")
    if what not in PRESSES or method not in METHODS:
        return message(400, "The page has no such button", "Load the page again.", back=address)
    faults = card_faults(fields, engine.clock.now()) if what == "pay" and method == "CARD" else {}
    if faults:
        return _again(engine, trade_token, address, fields, faults)
    card = mask(fields["number"]) if what == "pay" and method == "CARD" else None
    try:
        with engine.transaction() as context:
            order = order_of(context, trade_token)
            state = None if order is None else press(context, order, what, method, card)
    except CardNotAllowed as refused:
        return _again(engine, trade_token, address, fields, {"number": refused.msg})
    except Refusal as refused:
        return message(409, "This is not possible", refused.msg, back=address)
    if state is None:
        return message(404, "Nothing to pay here", _UNKNOWN)
    return redirect(address + {"PENDING": "/left", "DONE": "/return"}.get(state, ""))


def _again(
    engine: Engine, trade_token: str, address: str, fields: Mapping[str, str], faults: Mapping[str, str]
) -> HttpReply:
    with engine.transaction() as context:
        view = cashier_view(context, trade_token)
    if view is None:
        return message(404, "Nothing to pay here", _UNKNOWN)
    view.faults, view.entered = faults, fields
    return _show(engine, view, address, status=422)


_LONGEST_NAME: Final = 128


def card_faults(fields: Mapping[str, str], now: datetime) -> dict[str, str]:
    """Return the errors of the card by field, without the entered values."""
    number, cvv = bare(fields.get("number", "")), fields.get("cvv", "")
    faults: dict[str, str] = {}
    if not _is_number(number, SHORTEST, LONGEST):
        faults["number"] = f"A card number has {SHORTEST} to {LONGEST} digits."
    elif not passes_luhn(number):
        faults["number"] = "The check digit is wrong: check the number."
    elif number not in TEST_CARDS:
        faults["number"] = "This sandbox accepts test cards only. Nothing was stored; never enter a real card here."
    if not 0 < len(fields.get("holder", "").strip()) <= _LONGEST_NAME:
        faults["holder"] = "Enter the name on the card."
    expiry = _expiry(fields.get("expiry", ""))
    if expiry is None:
        faults["expiry"] = "Write the month and year as on the card, such as 09/30."
    elif expiry < (now.year, now.month):
        faults["expiry"] = "The card has expired on the sandbox's clock."
    if not _is_number(cvv, 3, 4):
        faults["cvv"] = "The security code has 3 or 4 digits."
    return faults


def _is_number(value: str, least: int, most: int) -> bool:
    return least <= len(value) <= most and value.isascii() and value.isdigit()


def _expiry(value: str) -> tuple[int, int] | None:
    month, slash, year = value.replace(" ", "").partition("/")
    if not slash or not _is_number(month, 1, 2) or not (_is_number(year, 2, 2) or _is_number(year, 4, 4)):
        return None
    full = int(year) + (2000 if len(year) == 2 else 0)
    return (full, int(month)) if 1 <= int(month) <= 12 else None
