"""A merchant that the sandbox knows: its numbers, its public key, its addresses and money, and what can be wrong with them.

An entry says the same in sandbox.toml, where names are written `merchant-no`, and in the control API: `merchantNo`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Final

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey

from paywright.contract import CONTRACT
from paywright_runtime.contract.operation import Operation, SeenNotification
from paywright_runtime.signing.rsa import RsaVerifier
from paywright_sandbox.engine.merchants.merchant_money import MONEY_SETTINGS, MerchantMoney, money_faults, money_of
from paywright_sandbox.engine.merchants.url_policy import NotAllowed, read_destination

__all__ = [
    "ADDRESSES",
    "ENTRY",
    "NUMBERS",
    "SPELLED",
    "TOLD",
    "RegisteredMerchant",
    "address_faults",
    "address_setting",
    "entry_faults",
    "merchant_of",
    "spelled",
    "taken",
    "unknown",
]

NUMBERS: Final = ("app_id", "merchant_no", "member_id", "sp_merchant_no", "merchant_id", "snap_partner_id")


def address_setting(what: Operation | SeenNotification) -> str:
    """Return the name of the setting with the merchant's address for a notification or a question, such as `notify-url`.

    It is called as the contract calls the address: the path that it shows, or the member that names it.
    """
    name = what.address if isinstance(what, SeenNotification) else (what.path or what.name).rpartition("/")[2]
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|_|[.]", "-", name).lower()


def _told() -> Iterator[Operation | SeenNotification]:
    yield from (what for what in CONTRACT.kinds().values() if isinstance(what, Operation))
    yield from (one for one in map(CONTRACT.operation, CONTRACT.operations()) if one.decision is not None)
    yield from CONTRACT.seen().values()


TOLD: Final[Mapping[str, Operation | SeenNotification]] = {address_setting(what): what for what in _told()}
"""What the gateway sends to the merchant, by the setting with the address."""

ADDRESSES: Final = tuple(TOLD)
"""A merchant's own addresses [4.18, 4.19, 6.3]. One that a request names wins over the one here."""

ENTRY: Final = (*(name.replace("_", "-") for name in NUMBERS), *ADDRESSES, *MONEY_SETTINGS)
"""What an entry may say, besides the key."""


def _camel(name: str) -> str:
    first, *others = name.split("-")
    return first + "".join(map(str.title, others))


SPELLED: Final[Mapping[str, str]] = {
    name: _camel(name) for name in sorted((*ENTRY, "product-type", "account-no"), key=len, reverse=True)
}
"""The names of an entry, and how the control API spells them; the longer ones first."""

# By each of these alone some operation tells whose a request is. The others stand beside the app id.
_TELLING: Final = ("app_id", "merchant_no", "merchant_id", "snap_partner_id")

_LONGEST: Final = {"merchant-no": 32, "merchant-id": 32}  # [2.1]
_LONGEST_OTHER: Final = 64


class RegisteredMerchant:
    """A merchant that the sandbox knows: its numbers, its public key, and its addresses by their names of `ADDRESSES`.

    `origin` says where it was registered.
    """

    __slots__ = ("addresses", "money", "numbers", "origin", "public", "verifier")

    def __init__(
        self,
        numbers: Mapping[str, str],
        public: RSAPublicKey,
        addresses: Mapping[str, str] | None = None,
        *,
        money: MerchantMoney | None = None,
        origin: str = "sandbox.toml",
    ) -> None:
        self.numbers = dict(numbers)
        self.addresses = dict(addresses or {})
        self.money = money or MerchantMoney()
        self.public = public
        self.verifier = RsaVerifier([public])
        self.origin = origin

    @property
    def app_id(self) -> str:
        """The merchant's app id, by which the sandbox tells merchants apart."""
        return self.numbers["app_id"]

    def __repr__(self) -> str:
        return f"RegisteredMerchant(app_id={self.app_id!r})"


def merchant_of(
    entry: Mapping[str, object], public: RSAPublicKey, *, origin: str = "sandbox.toml"
) -> RegisteredMerchant:
    """Make the merchant of an entry in which `entry_faults` has found nothing wrong."""
    return RegisteredMerchant(
        {name: str(entry[key]) for name in NUMBERS if (key := name.replace("_", "-")) in entry},
        public,
        {name: str(entry[name]) for name in ADDRESSES if entry.get(name)},
        money=money_of(entry),
        origin=origin,
    )


def entry_faults(where: str, entry: Mapping[str, object]) -> list[str]:
    """Return all that is wrong with an entry, apart from its key and its addresses."""
    wrong = money_faults(where, entry)
    for key in (*(name.replace("_", "-") for name in NUMBERS), *ADDRESSES):
        value = entry.get(key, "-")
        if not isinstance(value, str):
            wrong.append(f"{where}: {key} must be text")
        elif key not in ADDRESSES:
            most = _LONGEST.get(key, _LONGEST_OTHER)
            if not 0 < len(value) <= most or not value.isascii() or not value.isprintable() or " " in value:
                wrong.append(f"{where}: {key} must have 1 to {most} characters of ASCII, and no spaces")
    return wrong


def address_faults(where: str, entry: Mapping[str, object], allowed: Sequence[str]) -> list[str]:
    """Return what is wrong with addresses to which nothing would ever be delivered."""
    wrong = []
    for name in ADDRESSES:
        url = entry.get(name)
        if isinstance(url, str) and url:
            try:
                read_destination(url, allowed)
            except NotAllowed as refused:
                wrong.append(f"{where}: {name}: {refused}")
    return wrong


def taken(numbers: Mapping[str, object], others: Iterable[Mapping[str, object]]) -> str | None:
    """Return the name of a number that another merchant has already, of those that must be one merchant's alone, or None."""
    known = list(others)
    for name in _TELLING:
        value = numbers.get(name)
        if value is not None and any(other.get(name) == value for other in known):
            return name.replace("_", "-")
    return None


def spelled(words: str) -> str:
    """Write names of sandbox.toml in a text as the control API spells them: merchantNo for merchant-no."""
    for name, other in SPELLED.items():
        words = words.replace(name, other)
    return words


def unknown(name: str, what: str, known: Mapping[str, object] | Sequence[str]) -> str:
    """Say that there is no such name, and which one is near."""
    near = get_close_matches(name, list(known), 1)
    return f"{name} is no {what}" + (f"; did you mean {near[0]}?" if near else f"; there is {', '.join(known)}")
