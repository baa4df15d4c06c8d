"""A resolver as JSON, between two processes: operation, key, what was asked for, times, and to whom it belongs. No body.

It belongs to one merchant at one address: what another gateway, or the sandbox, does not know says nothing about this one.
A permission to place again is not stored; whoever goes on asks once more first.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Final, NamedTuple

from paywright_runtime.errors import ConfigurationError, InvalidArgument
from paywright_runtime.following.resolution import Absence, ResolutionState
from paywright_runtime.redaction import redacted
from paywright_runtime.transport.endpoint import read_base_url

if TYPE_CHECKING:
    from paywright_runtime.contract.index import Contract

__all__ = ["Owner", "address_of", "stored", "taken_up"]

_MARK: Final = "paywright_resolving"
_VERSION: Final = 2
_COUNTS: Final = ("asked", "answers", "failures")
_FLAGS: Final = ("claimed", "settled", "decide")


class Owner(NamedTuple):
    """Whose calls they are: the merchant's numbers by name, and the gateway's address, normalised."""

    merchant: Mapping[str, str]
    address: str

    def same(self, other: Owner) -> bool:
        """Whether they are one merchant at one gateway. A number that one of the two leaves out says nothing."""
        numbers = self.merchant.keys() & other.merchant.keys()
        return (
            next(iter(self.merchant), "") in numbers  # the number that every merchant has
            and all(self.merchant[name] == other.merchant[name] for name in numbers)
            and self.address == other.address
        )

    def __str__(self) -> str:
        numbers = ", ".join(f"{name} {redacted(value, 64)}" for name, value in self.merchant.items())
        return f"{numbers} at {redacted(self.address, 200)}"


def address_of(base_url: str) -> str:
    """Return an address with its defaults written out, `https://host:443/path`; as it is where a transport of one's own has its own form."""
    try:
        base = read_base_url(base_url)
    except ConfigurationError:
        return base_url
    host = f"[{base.host}]" if ":" in base.host else base.host
    return f"{base.scheme}://{host}:{base.port}{base.path}"


def stored(resolving: ResolutionState, owner: Owner) -> str:
    """All that is needed to go on elsewhere, as JSON."""
    absence = resolving.absence
    next_at = resolving.next_at if resolving.permitted is None else resolving.permitted.wall
    document: dict[str, object] = {
        _MARK: _VERSION,
        "merchant": dict(owner.merchant),
        "address": owner.address,
        "operation": resolving.operation,
        "key": resolving.key,
        "asks": resolving.asks,
        "content": resolving.content,
        "started_at": resolving.started_at.isoformat(),
        "next_at": next_at.isoformat(),
        "absent_at": None if absence is None else absence.at.isoformat(),
        "absent_dated": None if absence is None or absence.dated is None else absence.dated.isoformat(),
        **{name: getattr(resolving, name) for name in (*_COUNTS, *_FLAGS)},
        "last": resolving.last,
    }
    return json.dumps(document)


def taken_up(contract: Contract, text: str, owner: Owner) -> ResolutionState:
    """Read what `stored` wrote. Raises `InvalidArgument` for anything else: a wrong time could let an order leave twice."""
    document = _document(text)
    of = Owner(_texts(document, "merchant"), _text(document, "address"))
    operation, key = _text(document, "operation"), _text(document, "key")
    started_at, next_at = _time(document, "started_at"), _time(document, "next_at")
    absent_at, dated = _time(document, "absent_at"), _time(document, "absent_dated")
    counts = {name: document.get(name) for name in _COUNTS}
    flags = {name: document.get(name) for name in _FLAGS}
    if not all(type(count) is int and count >= 0 for count in counts.values()):
        raise _foreign()
    if not all(type(flag) is bool for flag in flags.values()) or started_at is None or next_at is None:
        raise _foreign()
    if not of.same(owner):
        raise InvalidArgument(
            f"This resolver belongs to {of}, and this client is {owner}. What one of them does not know says nothing about the "
            "other, so that it is not gone on with. Nothing was sent. Resume it with a client of its own, or start a new "
            "resolver with resolve(key)."
        )
    asks, content = _texts(document, "asks"), _texts(document, "content")
    self = ResolutionState(contract, operation, key, asks, started_at, content)
    if absent_at is not None:
        if not self.placeable and not flags["claimed"]:
            raise _foreign()
        self.absence = Absence(absent_at, dated, None)
    for name, value in (counts | flags).items():
        setattr(self, name, value)
    self.next_at, self.last = next_at, _text(document, "last")
    return self


def _document(text: str) -> dict[str, object]:
    try:
        document = json.loads(text)
    except (ValueError, TypeError, RecursionError):
        raise _foreign() from None
    version = document.get(_MARK) if type(document) is dict else None
    if type(version) is not int:
        raise _foreign()
    if version != _VERSION:
        when = "an earlier" if version < _VERSION else "a later"
        raise InvalidArgument(
            f"This resolver was stored by {when} version of the library (its format is {version}, this one's {_VERSION}), and "
            "its times cannot be judged here. Nothing was sent. Start a new resolver with resolve(key), which asks from the "
            "beginning."
        )
    return dict(document)


def _text(document: Mapping[str, object], name: str) -> str:
    value = document.get(name)
    if type(value) is not str:
        raise _foreign()
    return value


def _texts(document: Mapping[str, object], name: str) -> dict[str, str]:
    value = document.get(name)
    if type(value) is not dict or not all(type(item) is str for item in value.values()):
        raise _foreign()
    return value


def _time(document: Mapping[str, object], name: str) -> datetime | None:
    value = document.get(name)
    if value is None and name in document:
        return None
    try:
        time = datetime.fromisoformat(value) if type(value) is str else None
    except ValueError:
        time = None
    if time is None or time.utcoffset() is None:
        raise _foreign()
    return time


def _foreign() -> InvalidArgument:
    return InvalidArgument("This is not what Resolver.to_json wrote. Nothing was sent.")
