"""Find the merchant and the environment of a key, although messages name a merchant in different ways.

Keys are unique per merchant [4.1]. A message names an app (`appId`, `merchantAppId`), a merchant (`merchantNo`,
`merchantId`), both or neither; bank-style calls name a partner and perhaps its merchant. A merchant has the same name in
every environment of the gateway, such as a sandbox, which has another host or key. Names are united once all messages have
been read.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from hashlib import sha256
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from paywright_audit.input.body_decoding import is_masked
from paywright_audit.input.records import Message
from paywright_audit.judging.operation_facts import members_from

MOST_OWNERS: Final = 100_000
"""The most names of owners that are united. If there are more, each name is an owner."""

_LONGEST: Final = 128
_MOST: Final = 10_000
_BETWEEN: Final = "\1"
_BANK: Final = "p:"
"""Beginning of the names of owners of bank-style calls."""
NOBODY: Final = frozenset({_BETWEEN, f"{_BANK}{_BETWEEN}"})
"""Names of the owners of a message, and of a bank-style call, that name none."""
SHARED: Final = "\4"
"""End of the name of a merchant whose app has several merchants, and is also named without any of them."""
AMBIGUOUS: Final = "\5"
"""End of a name that may mean any of several merchants: two messages with it may be of two."""
ENVIRONMENT: Final = "\6"
"""Separator before the number of an environment in the name of an owner, if there are several environments."""
_MARKS: Final = {"\0", _BETWEEN, SHARED, AMBIGUOUS, ENVIRONMENT}


class Same(NamedTuple):
    """The united name of every owner and the united number of every environment, without unchanged ones."""

    owners: Mapping[str, str]
    environments: Mapping[int, int]


class Owners(dict[tuple[object, object], str]):
    """Cache of owners as messages name them: app and merchant with a separator, each may be "".

    `learn` is called with each new name, and may be called again after the cache was cleared.
    """

    def __init__(self, learn: Callable[[str], None]) -> None:
        super().__init__()
        self._learn = learn

    def __missing__(self, named: tuple[object, object]) -> str:
        app, merchant = named
        owner = f"{_name(app)}{_BETWEEN}{_name(merchant)}"
        if len(self) >= _MOST:
            self.clear()
        self[named] = owner
        self._learn(owner)
        return owner

    def of(self, body: object) -> str:
        """Return the owner that a request or a notification names."""
        if type(body) is not dict:
            return self["", ""]
        try:
            return self[_first(body, _APPS), _first(body, _MERCHANTS)]
        except TypeError:  # the members are not texts
            return self["", ""]

    def of_bank(self, body: object, request: Message) -> str:
        """Return the owner that a bank-style call names: the partner, and its merchant if the call names one [4.17]."""
        found = request.get_all("x-partner-id")
        partner = _name(found[0]) if len(found) == 1 else ""
        merchant = _name(body.get("merchantId")) if type(body) is dict else ""
        return self[f"{_BANK}{partner}", f"{partner}/{merchant}" if partner and merchant else ""]


_APPS: Final = members_from("merchant.app_id")
_MERCHANTS: Final = members_from("merchant.merchant_no", "merchant.merchant_id")

NAMED: Final = frozenset((*_APPS, *_MERCHANTS))
"""Members that name an owner."""


def _first(body: dict[object, object], names: Iterable[str]) -> object:
    """Return the first of these members that has a value."""
    for name in names:
        if value := body.get(name):
            return value
    return None


def same_owners(named: Collection[str]) -> dict[str, str]:
    """Return one name for all owners that are the same merchant; owners that keep their name are left out.

    None are united if there are more than `MOST_OWNERS`.

    An app that is always named with the same merchant means that merchant. An app named with several is ambiguous
    without the merchant's number: messages that name the app alone may belong to any of these merchants. Their name ends with
    `AMBIGUOUS`, and those of the merchants with `SHARED`. A message that names nobody (its body is lost) belongs to the only
    owner, if there is only one; if there are several, its name ends with `AMBIGUOUS` too. Bank-style calls have owners of their
    own.
    """
    if len(named) > MOST_OWNERS:
        return {}
    pairs = {one: tuple(one.split(_BETWEEN, 1)) for one in sorted(named)}
    merchants: dict[str, set[str]] = {}
    for app, merchant in pairs.values():
        if app and merchant:
            merchants.setdefault(app, set()).add(merchant)
    meant = {}
    for one, (app, merchant) in pairs.items():
        known = merchants.get(app, set())
        meant[one] = ("m", merchant) if merchant else ("m", *known) if len(known) == 1 else ("a", app)
    alone = {app for app, merchant in pairs.values() if not merchant and len(merchants.get(app, ())) > 1}
    ends: dict[tuple[str, ...], str] = {("m", merchant): SHARED for app in alone for merchant in merchants[app]}
    ends.update({("a", app): AMBIGUOUS for app in alone})
    for nobody in NOBODY & meant.keys():
        bank = nobody.startswith(_BANK)
        everyone = {owner for one, owner in meant.items() if one.startswith(_BANK) is bank and one != nobody}
        if len(everyone) == 1:
            meant[nobody] = everyone.pop()
        elif everyone:
            ends[meant[nobody]] = AMBIGUOUS
    first: dict[tuple[str, ...], str] = {}
    for one, owner in meant.items():
        first.setdefault(owner, one + ends.get(owner, ""))
    return {one: first[owner] for one, owner in meant.items() if first[owner] != one}


class Environments(dict[tuple[str, int], int]):
    """Cache of the numbers of environments, by the URL of a call ("": a notification) and the key that verified its answer.

    `learn` is called with each number, its host and the number of its key, each "" if unknown.
    """

    def __init__(self, learn: Callable[[int, str], None]) -> None:
        super().__init__()
        self._learn = learn

    def __missing__(self, named: tuple[str, int]) -> int:
        url, key = named
        try:
            host = urlsplit(url).netloc.lower()[:_LONGEST]
        except ValueError:
            host = ""
        said = f"{host}{_BETWEEN}{key or ''}"
        number = int.from_bytes(sha256(said.encode(errors="surrogatepass")).digest()[:4])
        if len(self) >= _MOST:
            self.clear()
        self[named] = number
        self._learn(number, said)
        return number


def same_environments(named: Mapping[int, str]) -> dict[int, int]:
    """Return the united number of each environment; {} if there is only one.

    A host and a key that were seen together belong to one environment, and so do all hosts of one key. A notification that
    no key verifies belongs to the only environment, or else to one of its own.
    """
    parents: dict[tuple[int, str], tuple[int, str]] = {}

    def root(name: tuple[int, str]) -> tuple[int, str]:
        while parents.setdefault(name, name) != name:
            parents[name] = name = parents[parents[name]]
        return name

    pairs = {number: [one for one in enumerate(said.split(_BETWEEN)) if one[1]] for number, said in named.items()}
    for names in pairs.values():
        for name in names:
            one, other = sorted((root(names[0]), root(name)))
            parents[other] = one
    roots = sorted({root(name) for name in parents})
    if len(roots) < 2:
        return {}
    places = {one: place for place, one in enumerate(roots, 1)}
    return {number: places[root(names[0])] if names else 0 for number, names in pairs.items()}


def _name(value: object) -> str:
    """Return a name of a merchant; "" for a value that is none, or is hidden."""
    if type(value) is not str or len(value) > _LONGEST or _MARKS & {*value} or is_masked(value):
        return ""
    return value
