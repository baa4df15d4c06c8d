"""Whose a key is: the merchant, who is named in one message by its app, in another by its number.

Keys are unique per merchant [4.1]. A message names an app (`appId`, `merchantAppId`), a merchant (`merchantNo`, `merchantId`), both
or neither; the bank-style calls name a partner and perhaps its merchant. Who is meant is known when all messages were read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import cache
from typing import Final

from paywright_tools.audit.plan import plan_of
from paywright_tools.audit.records import Message

__all__ = ["owner_named", "partner_named", "same_owners"]

_LONGEST: Final = 128
_BETWEEN: Final = "\1"


def owner_named(operation: str, asked: object, request: Message) -> str:
    """The owner as a request or a notification names it: app and merchant with a separator between, each may be ""."""
    body: dict[str, object] = asked if type(asked) is dict else {}
    if operation and _bank_style(operation):
        partner = partner_named(request)
        merchant = _name(body.get("merchantId"))
        return f"p:{partner}{_BETWEEN}{f'{partner}/{merchant}' if merchant else ''}"
    app = body.get("appId") or body.get("merchantAppId")
    number = body.get("merchantNo") or body.get("merchantId")
    return f"{_name(app)}{_BETWEEN}{_name(number)}"


def partner_named(request: Message) -> str:
    """The partner of a bank-style call, "" where it does not say exactly one [4.17]."""
    found = request.get_all("x-partner-id")
    return _name(found[0]) if len(found) == 1 else ""


def same_owners(named: Iterable[str]) -> dict[str, str]:
    """Of every owner as it was named, one name for all that mean the same; those that stay as they are left out.

    An app that names one merchant anywhere means that merchant; one that names several cannot be told without its number. A
    message that names nobody (its body is lost) means the only owner there is, if there is only one.
    """
    pairs = {one: tuple(one.split(_BETWEEN, 1)) for one in sorted(named)}
    merchants: dict[str, set[str]] = {}
    for app, merchant in pairs.values():
        if app and merchant:
            merchants.setdefault(app, set()).add(merchant)
    meant = {}
    for one, (app, merchant) in pairs.items():
        known = merchants.get(app, set())
        meant[one] = ("m", merchant) if merchant else ("m", *known) if len(known) == 1 else ("a", app)
    everyone = Counter(owner for owner in meant.values() if owner != ("a", ""))
    if len(everyone) == 1:
        meant.update({one: next(iter(everyone)) for one, owner in meant.items() if owner == ("a", "")})
    first: dict[tuple[str, ...], str] = {}
    for one, owner in meant.items():
        first.setdefault(owner, one)
    return {one: first[owner] for one, owner in meant.items() if first[owner] != one}


@cache
def _bank_style(operation: str) -> bool:
    headers = plan_of(operation).asked.headers
    return headers is not None and headers.snap


def _name(value: object) -> str:
    if type(value) is not str or len(value) > _LONGEST or "\0" in value or _BETWEEN in value:
        return ""
    return value
