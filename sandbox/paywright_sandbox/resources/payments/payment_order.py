"""An order, and the method that pays it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Final, Literal, Protocol

from paywright_runtime.card_numbers import LONGEST, SHORTEST, first_and_last
from paywright_sandbox.engine.state.refusal import Refusal
from paywright_sandbox.engine.state.tables import UNIQUE, MerchantRow

if TYPE_CHECKING:
    from paywright_sandbox.engine.context import RequestContext


@dataclass(frozen=True, kw_only=True)
class PaymentOrder(
    MerchantRow,
    table="orders",
    unique=("key, merchant",),
    indexes={
        "orders_of_periods": "(period) WHERE period IS NOT NULL",
        "orders_of_plans": "(plan) WHERE plan IS NOT NULL",
        "orders_of_links": "(link) WHERE link IS NOT NULL",
    },
):
    """A payment order. `amount` is decimal text, as the merchant wrote it.

    `key` is `out_trade_no` for comparison; `trade_token` and `trade_no` are the gateway's ids. `method`, `target_org` and
    the masked `card` are the way to pay, and `allowed_cards` the card organisations it takes. `token`, `plan`, `period`
    and `link` are ids of rows. `outcome` is paid, failed or closed once `finished_at` is set.
    """

    key: str = ""
    out_trade_no: str = ""
    trade_token: str = field(default="", metadata=UNIQUE)
    trade_no: str = ""
    integrate: str
    status: str = "PENDING"
    amount: str
    currency: str
    country: str | None = None
    subject: str
    user_id: str
    reference: str | None = None
    front_callback_url: str
    notify_url: str | None = None
    created_at: datetime
    expires_at: datetime
    finished_at: datetime | None = None
    bounced_at: datetime | None = None
    response_code: str | None = None
    response_msg: str | None = None
    method: str | None = None
    target_org: str | None = None
    card: str | None = None
    binds: bool = False
    referral_code: str | None = None
    user_name: str | None = None
    token: int | None = None
    plan: int | None = None
    period: int | None = None
    link: int | None = None
    allowed_cards: str | None = None
    outcome: str | None = None

    @property
    def allowed_orgs(self) -> tuple[str, ...]:
        """The card organisations that the order takes, in capitals; empty if it takes all."""
        return tuple((self.allowed_cards or "").split())


TEST_CARDS: Final[Mapping[str, str]] = {
    "4444333322221111": "Visa",
    "5555555555554444": "Mastercard",
    "378282246310005": "American Express",
    "3530111333300000": "JCB",
    "6200000000000005": "UnionPay",
    "6011111111111117": "Discover",
}
"""The usual test cards, one of each scheme that `brand` knows."""

CARD_METHODS: Final[Mapping[str, str]] = {"CARD": "CARD", "APPLEPAY": "APPLEPAY", "GOOGLEPAY": "GOOGLEPAY_PAN"}
"""The methods that use a card, and the source in its cardInfo [2.8]."""

Kind = Literal["page", "qr", "va"]

_NUMBER: Final = re.compile(rf"[0-9]{{{SHORTEST},{LONGEST}}}")
_MASKED: Final = re.compile(r"[0-9]{6}\*{2,9}[0-9]{4}", re.ASCII)
_SESSION: Final = re.compile(r"sandbox:([A-Za-z0-9_]{1,16})(?::([A-Za-z0-9_]{1,16}))?", re.ASCII)
_BRANDS: Final = (
    ("VISA", re.compile("4")),
    ("MASTERCARD", re.compile("5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720")),
    ("AMEX", re.compile("3[47]")),
    ("JCB", re.compile("35")),
    ("UNIONPAY", re.compile("62")),
    ("DISCOVER", re.compile("6011|64[4-9]|65")),
)


def bare(number: str) -> str:
    """Return a card number without the spaces and dashes that group it."""
    return number.replace(" ", "").replace("-", "")


def mask(number: str) -> str:
    """Mask a card number: keep the first 6 and the last 4 digits. Spaces and dashes may group it.

    A masked number stays as it is. Raises `Refusal` (400) for anything else, without repeating it.
    """
    digits = bare(number)
    if _MASKED.fullmatch(digits):
        return digits
    if not _NUMBER.fullmatch(digits):
        raise Refusal(f"A card number has {SHORTEST} to {LONGEST} digits.", code="400")
    return first_and_last(digits)


def brand(masked: str) -> str:
    """Return the scheme of a card, by its first digits."""
    return next((name for name, pattern in _BRANDS if pattern.match(masked)), "OTHER")


class _Paid(Protocol):
    @property
    def method(self) -> str | None: ...
    @property
    def target_org(self) -> str | None: ...
    @property
    def card(self) -> str | None: ...


class PaymentMethod:
    """A way to pay.

    `card` is a card number, masked or not; only the masked one is kept. A method that uses a card gets a test card without
    it: of the first organisation that the `order` allows, else VISA's. Raises `Refusal` (400).
    """

    __slots__ = ("card", "method", "target_org")

    def __init__(
        self,
        method: str = "CARD",
        *,
        target_org: str | None = None,
        card: str | None = None,
        order: PaymentOrder | None = None,
    ) -> None:
        if card is not None and method not in CARD_METHODS:
            raise Refusal("This method is not paid with a card: leave the card out.", code="400")
        self.method: str = method
        self.target_org: str | None = None if method == "CARD" else target_org
        self.card: str | None = None
        if method in CARD_METHODS:
            self.card = mask(card) if card is not None else _card_of(() if order is None else order.allowed_orgs)

    @classmethod
    def of(cls, row: _Paid) -> PaymentMethod:
        """Return the way to pay of a stored order, token or visit. Default: CARD."""
        order = row if isinstance(row, PaymentOrder) else None
        return cls(row.method or "CARD", target_org=row.target_org, card=row.card, order=order)

    def fits(self, allowed: Sequence[str]) -> bool:
        """Return whether an order that allows cards of these organisations takes it; none allow all [4.1]."""
        return self.card is None or not allowed or brand(self.card) in allowed

    @property
    def columns(self) -> dict[str, str | None]:
        """The fields of a row with this way to pay."""
        return {"method": self.method, "target_org": self.target_org, "card": self.card}

    def __repr__(self) -> str:
        return f"<PaymentMethod {self.method}>"


def _card_of(brands: Sequence[str]) -> str:
    """Return the masked test card of the first of these schemes that has one, else VISA's."""
    cards = {brand(number): first_and_last(number) for number in TEST_CARDS}
    return next((cards[name] for name in brands if name in cards), cards["VISA"])


def way_of_session(session_key: str | None) -> PaymentMethod:
    """Return the way to pay that a Drop-In session has collected [4.2].

    Real session keys are opaque. The sandbox reads `sandbox:METHOD` and `sandbox:METHOD:TARGETORG` (for CARD the scheme of a
    test card); any other key means a card.
    """
    found = _SESSION.fullmatch(session_key or "")
    if found is None:
        return PaymentMethod()
    method, target = found.groups()
    if method in CARD_METHODS:
        return PaymentMethod(method, target_org=target, card=_card_of([target or ""]))
    return PaymentMethod(method, target_org=target)


def kind_of(context: RequestContext, method: str | None, target_org: str | None) -> Kind:
    """Return the kind of answer to an order with this method: a page, a QR code or a virtual account [2.3].

    The policies qr-methods and virtual-account-methods decide, because the specification does not show it. The organisation
    wins over the method.
    """
    qr, va = context.policies.words("qr-methods"), context.policies.words("virtual-account-methods")
    for name in (target_org, method):
        if name and name.upper() in qr:
            return "qr"
        if name and name.upper() in va:
            return "va"
    return "page"


def card_info(order: PaymentOrder, seed: str | None = None) -> dict[str, object] | None:
    """Return the cardInfo of an order that was paid with a card [2.8], or None.

    With `seed` it has the number's ciphertext, as only the link query does [2.7]: a digest, since the number is not kept.
    """
    method, masked = order.method, order.card
    if method is None or method not in CARD_METHODS or masked is None:
        return None
    info: dict[str, object] = {
        "cardOrg": brand(masked),
        "cardType": "CREDIT",
        "type": "NETWORK_TOKEN" if method == "APPLEPAY" else "PAN",
        "source": CARD_METHODS[method],
        "cardBinNo": masked[:6],
        "cardNumber": masked,
        "cardLast4": masked[-4:],
    }
    if seed is not None and method == "CARD":
        info["cardIdentifierNo"] = sha256(f"{seed}:card:{masked}".encode()).hexdigest()[:19]
    return info
