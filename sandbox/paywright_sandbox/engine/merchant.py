"""Tell a registered merchant: numbers, public key, addresses and money, and the checks of its entry."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from difflib import get_close_matches
from typing import Final

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey

from paywright.contract import CONTRACT
from paywright_runtime.contract.operation import Operation, SeenNotification
from paywright_runtime.signing.rsa import RsaVerifier
from paywright_sandbox.engine.url_policy import NotAllowed, read_destination

SECRETS: Final = ("snap-client-secret", "snap-access-token")
"""The settings that the symmetric signature of bank-style calls needs [5.7]."""


def _is_word(value: object) -> bool:
    return isinstance(value, str) and value.isascii() and value.isprintable() and " " not in value


NUMBERS: Final = ("app_id", "merchant_no", "member_id", "sp_merchant_no", "merchant_id", "snap_partner_id")


def address_setting(what: Operation | SeenNotification) -> str:
    """Return the setting with the merchant's address for a notification or a question, such as `notify-url`.

    It is named after the address in the contract: the path, or the member that names it.
    """
    name = what.address if isinstance(what, SeenNotification) else (what.path or what.name).rpartition("/")[2]
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|_|[.]", "-", name).lower()


def _merchant_messages() -> Iterator[Operation | SeenNotification]:
    yield from (what for what in CONTRACT.kinds().values() if isinstance(what, Operation))
    yield from (one for one in map(CONTRACT.operation, CONTRACT.operations()) if one.decision is not None)
    yield from CONTRACT.seen().values()


MERCHANT_MESSAGES: Final[Mapping[str, Operation | SeenNotification]] = {
    address_setting(what): what for what in _merchant_messages()
}
"""Messages from the gateway to the merchant, by the setting with their address."""

ADDRESSES: Final = tuple(MERCHANT_MESSAGES)
"""Settings with a merchant's addresses [4.18, 4.19, 6.3]. An address in a request wins."""

ENTRY: Final = (*(name.replace("_", "-") for name in NUMBERS), *ADDRESSES, *SECRETS)
"""The settings of an entry, besides the key."""


def _camel(name: str) -> str:
    first, *others = name.split("-")
    return first + "".join(map(str.title, others))


API_NAMES: Final[Mapping[str, str]] = {name: _camel(name) for name in sorted(ENTRY, key=len, reverse=True)}
"""The names of the control API by those of sandbox.toml; the longer ones first."""

# Each of these alone identifies the merchant in some operation. The others come with the app id.
_TELLING: Final = ("app_id", "merchant_no", "merchant_id", "snap_partner_id")

_LONGEST: Final = {"merchant-no": 32, "merchant-id": 32}  # [2.1]
_LONGEST_OTHER: Final = 64


@dataclass(slots=True, eq=False, repr=False)
class RegisteredMerchant:
    """A registered merchant: its numbers, its public key, and its addresses by the names of `ADDRESSES`.

    `secrets` are its client secret and access token by the names of `SECRETS`; `origin` says where it was registered.
    """

    numbers: Mapping[str, str]
    public: RSAPublicKey
    addresses: dict[str, str] = field(default_factory=dict)
    _: KW_ONLY
    secrets: Mapping[str, str] = field(default_factory=dict)
    origin: str = "sandbox.toml"
    verifier: RsaVerifier = field(init=False)

    def __post_init__(self) -> None:
        self.verifier = RsaVerifier([self.public])

    @property
    def app_id(self) -> str:
        """The merchant's app id, which identifies it."""
        return self.numbers["app_id"]

    def __repr__(self) -> str:
        return f"RegisteredMerchant(app_id={self.app_id!r})"


def merchant_of(
    entry: Mapping[str, object], public: RSAPublicKey, *, origin: str = "sandbox.toml"
) -> RegisteredMerchant:
    """Make the merchant of an entry that `entry_faults` has accepted."""
    return RegisteredMerchant(
        {name: str(entry[key]) for name in NUMBERS if (key := name.replace("_", "-")) in entry},
        public,
        {name: str(entry[name]) for name in ADDRESSES if entry.get(name)},
        secrets={name: str(entry[name]) for name in SECRETS if entry.get(name)},
        origin=origin,
    )


def entry_faults(where: str, entry: Mapping[str, object]) -> list[str]:
    """Return the errors of an entry, except those of its key and addresses. A secret is never in them."""
    wrong = [
        f"{where}: {name} must be text without spaces, in ASCII"
        for name in SECRETS
        if not _is_word(entry.get(name, "-"))
    ]
    if len([name for name in SECRETS if entry.get(name)]) == 1:
        wrong.append(f"{where} needs both {' and '.join(SECRETS)}, or neither")
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
    """Return the errors of addresses to which nothing can be delivered."""
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
    """Return the name of a unique number that another merchant has already, or None."""
    known = list(others)
    for name in _TELLING:
        value = numbers.get(name)
        if value is not None and any(other.get(name) == value for other in known):
            return name.replace("_", "-")
    return None


def with_api_names(words: str) -> str:
    """Replace names of sandbox.toml in a text by those of the control API: merchantNo for merchant-no."""
    for name, other in API_NAMES.items():
        words = words.replace(name, other)
    return words


def unknown(name: str, what: str, known: Mapping[str, object] | Sequence[str]) -> str:
    """Return the error of an unknown name, with a suggestion."""
    near = get_close_matches(name, list(known), 1)
    return f"{name} is not a {what}" + (f"; did you mean {near[0]}?" if near else f"; there is {', '.join(known)}")
