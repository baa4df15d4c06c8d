"""Fault rules: what fails on purpose, for which requests, how often, and whether before or after the commit.

A rule names the requests or notifications it applies to and what happens to them. Requests that are refused for their
signature, time or shape match no rule and are not counted.

`before` the commit, the request has no effect: it is handled as usual, then undone. `after` the commit, it keeps its
effect, and only the answer is damaged.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from decimal import Decimal, InvalidOperation
from difflib import get_close_matches
from hashlib import sha256
from typing import Any, Final, Literal

from paywright.contract import CONTRACT
from paywright_runtime import strict_json
from paywright_runtime.contract.value_checks import within
from paywright_sandbox.engine.fields import fold
from paywright_sandbox.faults.vocabulary import ENDS_WHOLE, KINDS, NOTIFICATION_KINDS

When = Literal["before", "after"]

_LEFT_TO: Final = {"seconds": ("hang", "drip", "late", "reordered"), "status": ("html",), "code": ("code",)}


class BadRule(Exception):
    """A rule cannot be used; the message lists all errors."""


@dataclass(slots=True, eq=False)
class FaultRule:
    """One rule. `seen` counts the requests that matched it, `struck` those it applied to; `id` is its row."""

    kind: str
    _: KW_ONLY
    when: When = "after"
    operation: str | None = None
    key: str | None = None
    skip: int = 0
    times: int | None = None
    probability: Decimal = Decimal(1)
    seconds: int = 5
    status: int = 502
    code: str = "SYSTEM_ERROR"
    id: int = 0
    seen: int = 0
    struck: int = 0

    @property
    def of_notifications(self) -> bool:
        """True if the rule applies to notifications, not to responses."""
        return self.kind in NOTIFICATION_KINDS

    @property
    def used_up(self) -> bool:
        """True if the rule has applied as often as it may."""
        return self.times is not None and self.struck >= self.times

    def is_for(self, names: tuple[str | None, ...], key: str | None) -> bool:
        """Return whether the rule can apply to these names (operation, notifyType) and this key."""
        if self.used_up or (self.operation is not None and self.operation not in names):
            return False
        return self.key is None or (key is not None and fold(self.key) == fold(key))

    def draws(self, seed: str) -> bool:
        """Return whether the rule applies to the request counted last. The same seed, rule and count decide the same."""
        if self.seen <= self.skip or self.used_up:
            return False
        number = int.from_bytes(sha256(f"{seed}:fault:{self.id}:{self.seen}".encode()).digest()[:8])
        return number < self.probability * 2**64

    def definition(self) -> dict[str, object]:
        """Return the rule without its counts, as JSON and for `read_rule`."""
        made: dict[str, object] = {"kind": self.kind, "when": self.when}
        for name in ("operation", "key", "times"):
            if (value := getattr(self, name)) is not None:
                made[name] = value
        if self.skip:
            made["skip"] = self.skip
        if self.probability != 1:
            made["probability"] = format(self.probability, "f")
        return made | {name: getattr(self, name) for name, kinds in _LEFT_TO.items() if self.kind in kinds}

    def shown(self) -> dict[str, object]:
        """Return the whole rule, for the control API."""
        return {"id": self.id, **self.definition(), "seen": self.seen, "struck": self.struck}


def key_of(operation: str, data: Mapping[str, object]) -> str | None:
    """Return the merchant's own number in a request: the key of a write or of a query; None if none."""
    facts = CONTRACT.operation(operation)
    for name in (facts.key, *facts.echoes):
        value = data.get(name) if name else None
        if isinstance(value, str) and value:
            return value
    return None


def answer_names_key(operation: str, answer: bytes) -> bool:
    """Return whether an answer repeats the merchant's number, so that a client can tell which request it answers."""
    facts = CONTRACT.operation(operation)
    payload = within(strict_json.parse(answer), facts.payload_paths[1])
    return any(given for name in facts.echoes if isinstance(given := within(payload, (name,)), str))


def read_rule(given: Mapping[str, object]) -> FaultRule:
    """Make a rule of its fields, those of `FIELDS`. Raises `BadRule`."""
    wrong: list[str] = []
    kind = given.get("kind")
    if not isinstance(kind, str) or kind not in {**KINDS, **NOTIFICATION_KINDS}:
        raise BadRule(f"kind must be one of {', '.join((*KINDS, *NOTIFICATION_KINDS))}")
    when = given.get("when", "after")
    if when not in ("before", "after"):
        wrong.append("when must be before or after (the commit)")
    elif when == "before" and kind in NOTIFICATION_KINDS:
        wrong.append("when must be after: a notification is sent once its effect is committed")
    elif when == "before" and kind in ENDS_WHOLE:
        wrong.append(
            f"when must be after: {kind} delivers the whole signed answer, which would report an effect that was "
            "undone; use cut or reset before the commit"
        )
    for name, kinds in _LEFT_TO.items():
        if given.get(name) is not None and kind not in kinds:
            wrong.append(f"{name} belongs to {' and '.join(kinds)}, not to {kind}")
    wrong += [
        f"{name} must be {_DUE[name]}" for name in given if given[name] is not None and not _fits(name, given[name])
    ]
    operation = given.get("operation")
    if isinstance(operation, str) and _fits("operation", operation):
        wrong += _operation_faults(operation, kind)
    if wrong:
        raise BadRule("; ".join(wrong))
    fields: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    if "probability" in fields:
        fields["probability"] = Decimal(str(fields["probability"]))
    return FaultRule(**fields)


def _operation_faults(operation: str, kind: str) -> list[str]:
    of_notifications = kind in NOTIFICATION_KINDS
    known = [name for name in CONTRACT.operations() if CONTRACT.operation(name).inbound == of_notifications]
    known += CONTRACT.kinds() if of_notifications else ()
    if operation in known:
        return []
    near = get_close_matches(operation, known, 2)
    hint = f"did you mean {' or '.join(near)}?" if near else f"there is {', '.join(known)}"
    return [f"operation cannot have the fault {kind}; {hint}"]


_TEXTS: Final = {"operation": 64, "key": 128, "code": 32}
_NUMBERS: Final = {"skip": (0, 10**9), "times": (1, 10**9), "seconds": (0, 600), "status": (500, 599)}
_DUE: Final = {
    **{name: f"text of 1 to {longest} characters" for name, longest in _TEXTS.items()},
    **{name: f"a whole number from {least} to {most}" for name, (least, most) in _NUMBERS.items()},
    "probability": "a number from 0 to 1",
}


def _fits(name: str, value: object) -> bool:
    if name in _TEXTS:
        return isinstance(value, str) and 0 < len(value) <= _TEXTS[name] and value.isprintable()
    if name in _NUMBERS:
        least, most = _NUMBERS[name]
        return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most
    return name != "probability" or _is_probability(value)


def _is_probability(value: object) -> bool:
    if not isinstance(value, (str, int, float, Decimal)) or isinstance(value, bool):
        return False
    try:
        made = Decimal(str(value))
    except InvalidOperation:
        return False
    return made.is_finite() and 0 <= made <= 1 and len(made.as_tuple().digits) <= 18 and made.adjusted() >= -18
