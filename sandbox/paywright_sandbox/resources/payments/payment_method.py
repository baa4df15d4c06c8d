"""Ways to pay: the method, the organisation behind it, and of a card no more than its masked number [2.3, 2.6, 2.8]."""

from __future__ import annotations

import re
from collections.abc import Mapping
from hashlib import sha256
from typing import TYPE_CHECKING, Final, Literal

from paywright_runtime.card_numbers import LONGEST, SHORTEST, first_and_last
from paywright_tools.sandbox.fields import given
from paywright_tools.sandbox.turn import Refused

if TYPE_CHECKING:
    from paywright_tools.sandbox.store import Row
    from paywright_tools.sandbox.turn import Turn

__all__ = [
    "CARD_METHODS",
    "TEST_CARDS",
    "Way",
    "allowed_orgs",
    "brand",
    "card_info",
    "kind_of",
    "mask",
    "way_of_session",
]

TEST_CARDS: Final[Mapping[str, str]] = {
    "VISA": "444433******1111",
    "MASTERCARD": "555555******4444",
    "AMEX": "378282*****0005",
    "JCB": "353011******0000",
    "UNIONPAY": "620000******0005",
    "DISCOVER": "601111******1117",
}
"""The usual test cards by their scheme, masked as they are kept."""

CARD_METHODS: Final[Mapping[str, str]] = {"CARD": "CARD", "APPLEPAY": "APPLEPAY", "GOOGLEPAY": "GOOGLEPAY_PAN"}
"""The methods that end in a card, and the source that its cardInfo names [2.8]."""

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


def mask(number: str) -> str:
    """A card number as it is kept and shown: the first 6 and the last 4 digits. Spaces and dashes may group it.

    What is masked already stays as it is. Raises `Refused` (400) for anything else, without repeating it.
    """
    digits = number.replace(" ", "").replace("-", "")
    if _MASKED.fullmatch(digits):
        return digits
    if not _NUMBER.fullmatch(digits):
        raise Refused(f"A card number has {SHORTEST} to {LONGEST} digits.", code="400")
    return first_and_last(digits)


def brand(masked: str) -> str:
    """The scheme of a card, by its first digits."""
    return next((name for name, pattern in _BRANDS if pattern.match(masked)), "OTHER")


class Way:
    """How something is paid. `card` is a card's number or masked number, of which only the masked one is kept; with a
    method that ends in a card and none given it is a test card: of the first organisation that the `order` allows, else
    VISA's. Raises `Refused` (400)."""

    __slots__ = ("card", "method", "target_org")

    def __init__(
        self, method: str = "CARD", *, target_org: str | None = None, card: str | None = None, order: Row | None = None
    ) -> None:
        if card is not None and method not in CARD_METHODS:
            raise Refused("This method is not paid with a card: leave the card out.", code="400")
        self.method = method
        self.target_org = None if method == "CARD" else target_org
        self.card = None
        if method in CARD_METHODS:
            self.card = mask(card) if card is not None else _test_card(order)

    @classmethod
    def of(cls, row: Row) -> Way:
        """The way of a stored order, plan or token; CARD where nobody has said anything else."""
        return cls(
            given(row, "method") or "CARD", target_org=given(row, "target_org"), card=given(row, "card"), order=row
        )

    def fits(self, order: Row) -> bool:
        """Whether the order takes it: any card where it says nothing [4.1]."""
        allowed = allowed_orgs(order)
        return self.card is None or not allowed or brand(self.card) in allowed

    @property
    def columns(self) -> dict[str, str | None]:
        """As it is stored."""
        return {"method": self.method, "target_org": self.target_org, "card": self.card}

    def __repr__(self) -> str:
        return f"<Way {self.method}>"


def allowed_orgs(order: Row) -> tuple[str, ...]:
    """The card organisations that an order takes, in capitals; none where it takes all."""
    return tuple((given(order, "allowed_cards") or "").split())


def _test_card(order: Row | None) -> str:
    allowed = () if order is None else allowed_orgs(order)
    return next((TEST_CARDS[org] for org in allowed if org in TEST_CARDS), TEST_CARDS["VISA"])


def way_of_session(session_key: str | None) -> Way:
    """What a Drop-In session has collected [4.2]. Real session keys are opaque; the sandbox reads
    `sandbox:METHOD` and `sandbox:METHOD:TARGETORG` (for CARD the scheme of a test card), and takes any other for a card.
    """
    found = _SESSION.fullmatch(session_key or "")
    if found is None:
        return Way()
    method, target = found.groups()
    if method in CARD_METHODS:
        return Way(method, target_org=target, card=TEST_CARDS.get(target or "", TEST_CARDS["VISA"]))
    return Way(method, target_org=target)


def kind_of(turn: Turn, method: str | None, target_org: str | None) -> Kind:
    """What the creation of an order answers with for a method: a page, a QR code or a virtual account [2.3]. Which
    methods are which is not shown: the policies qr-methods and virtual-account-methods. The organisation decides
    first, being the narrower of the two."""
    qr, va = turn.policies.words("qr-methods"), turn.policies.words("virtual-account-methods")
    for name in (target_org, method):
        if name and name.upper() in qr:
            return "qr"
        if name and name.upper() in va:
            return "va"
    return "page"


def card_info(row: Row, seed: str | None = None) -> dict[str, object] | None:
    """The cardInfo of what was paid with a card [2.8], or None. With `seed` the number's ciphertext is in it, as only
    the link query has it [2.7]: a digest, since the number itself is not kept."""
    method, masked = given(row, "method"), given(row, "card")
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
