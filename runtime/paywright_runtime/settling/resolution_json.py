"""A resolver as JSON, for another process: operation, key, requested values, times and owner. No body.

It belongs to one merchant at one address: a "not there" of another gateway, or of the sandbox, proves nothing about this one.
A permission to place again is not stored; the process that continues queries once more first.
"""

from __future__ import annotations

import json
import math
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from paywright_runtime.settling.interval import Absence, GivenPermission
from paywright_runtime.settling.resolution import ResolutionState
from paywright_runtime.settling.stored_document import Owner, StoredKind

if TYPE_CHECKING:
    from paywright_runtime.contract.index import Contract

__all__ = ["RESOLVING", "stored", "taken_up"]

_INSTEAD: Final = "start a new one with resolve(key), which asks from the beginning"
RESOLVING: Final = StoredKind("paywright_resolving", 1, "Resolver.to_json", "resolver", _INSTEAD)
_COUNTS: Final = ("absences", "asked", "answers", "failures", "placings")
_FLAGS: Final = ("claimed", "settled", "decide", "used")


def stored(resolving: ResolutionState, owner: Owner) -> str:
    """Return the resolution as JSON, for `taken_up`."""
    absence, given = resolving.absence, resolving.given
    next_at = resolving.next_at if resolving.permitted is None else resolving.permitted.wall
    document: dict[str, object] = {
        RESOLVING.mark: RESOLVING.version,
        "merchant": dict(owner.merchant),
        "address": owner.address,
        "operation": resolving.operation,
        "key": resolving.key,
        "asks": resolving.asks,
        "content": resolving.content,
        "started_at": resolving.started_at.isoformat(),
        "next_at": next_at.isoformat(),
        "absent_at": None if absence is None else absence.at.isoformat(),
        "given_at": None if given is None else given.at.isoformat(),
        "given_for": 0 if given is None else math.ceil(given.span.total_seconds()),
        "absent_dated": None if absence is None or absence.dated is None else absence.dated.isoformat(),
        **{name: getattr(resolving, name) for name in (*_COUNTS, *_FLAGS)},
        "foreign": sorted(resolving.foreign),
        "code": resolving.code,
        "last": resolving.last,
    }
    return json.dumps(document)


def taken_up(contract: Contract, text: str, owner: Owner) -> ResolutionState:
    """Read what `stored` wrote. Raises `InvalidArgument` for anything else: a wrong time could place an order twice."""
    reader = RESOLVING.read(text)
    started_at, next_at = reader.time("started_at"), reader.time("next_at")
    absent_at, dated = reader.optional_time("absent_at"), reader.optional_time("absent_dated")
    counts = {name: reader.count(name) for name in _COUNTS}
    given_at, given_for = reader.optional_time("given_at"), reader.count("given_for")
    flags = {name: reader.flag(name) for name in _FLAGS}
    code, last = reader.optional_text("code"), reader.text("last")
    reader.check_owner(owner)
    asks, content = reader.texts("asks"), reader.texts("content")
    self = ResolutionState(contract, reader.text("operation"), reader.text("key"), asks, started_at, content)
    if absent_at is not None:
        if not self.permitted_for and not flags["claimed"]:
            raise RESOLVING.foreign()
        self.absence = Absence(absent_at, dated, None)
    if given_at is not None:
        self.given = GivenPermission(given_at, None, timedelta(seconds=given_for))
    for name, value in (counts | flags).items():
        setattr(self, name, value)
    self.next_at, self.code, self.last = next_at, code, last
    self.foreign = frozenset(reader.listed("foreign"))
    return self
