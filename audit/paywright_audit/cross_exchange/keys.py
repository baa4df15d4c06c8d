"""The key by which a merchant finds the subject of a finding, such as an `outTradeNo`."""

from __future__ import annotations

from decimal import Decimal
from functools import cache
from typing import Final

from paywright.contract import CONTRACT
from paywright_audit.cross_exchange.evidence.subjects import listed_specs_of, seen_spec_of, subject_spec_of
from paywright_audit.judging.judged import JudgedExchange, value_at
from paywright_audit.judging.operation_facts import Path
from paywright_audit.judging.values import Showing, shown_value

__all__ = ["key_of_exchange", "key_of_subject"]

_NOTHING: Final[tuple[Path, ...]] = ()


def key_of_exchange(judged: JudgedExchange) -> str:
    """Return the key that the request of an exchange names; "" if there is none that may be shown."""
    facts, asked = judged.facts, judged.seen
    if facts is None:
        seen = seen_spec_of(asked)
        return "" if seen is None else " ".join(filter(None, (_shown(value_at(asked, path)) for path in seen.key)))
    return " ".join(filter(None, (_shown(value_at(asked, path)) for path in _paths(facts.name))))


def key_of_subject(subject: str, spelled: str | None) -> str:
    """Return the key of a subject of a row, as its first write `spelled` it; "" if it may not be shown."""
    kind, _, key = subject.split("\0", 2)
    return "" if kind in _secret() else _shown(spelled or key.replace("\0", " "))


@cache
def _secret() -> frozenset[str]:
    """Return the kinds of listed subjects whose key is a secret, such as tokens of payment methods."""
    found = set[str]()
    for name in CONTRACT.operations():
        operation = CONTRACT.operation(name)
        for each in operation.lists:
            _, items = list(CONTRACT.at(operation.response, each.items))[-1]
            if items is not None and items.of and CONTRACT.struct(items.of).by_wire[each.key].redaction == "secret":
                found.add(each.states)
    return frozenset(found)


@cache
def _paths(name: str) -> tuple[Path, ...]:
    """Return the paths of a key in a request or a notification: one member, or several that together are the key."""
    operation, spec = CONTRACT.operation(name), subject_spec_of(name)
    if operation.inbound:
        return next((listed.key for listed in listed_specs_of(name)), _NOTHING)
    key = spec.key if spec is not None else operation.echoes[0] if operation.echoes else None
    if key is None:
        return _NOTHING
    return ((*operation.payload_paths[0], key),)


def _shown(value: object) -> str:
    """Return a key as text, without control characters, and masked if it looks like a card number."""
    if isinstance(value, bool) or not isinstance(value, (str, int, Decimal)):
        return ""
    return shown_value(value, None, Showing.REDACTED) or ""
