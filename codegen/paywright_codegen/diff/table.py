"""The table of verdicts: for each key of the contract, what a change of it means on the wire and in outcome."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Final, Literal

__all__ = ["KEYS", "TABLE", "KeyRow", "Level", "row_of"]


class Level(IntEnum):
    """Weight of a change, as a part of a version says it."""

    NONE = 0
    PATCH = 1
    MINOR = 2
    MAJOR = 3

    def __str__(self) -> str:
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class KeyRow:
    """Meaning of a change of a key.

    `says` names the key, and `means` what follows from it. `levels` are those in outcome of what is added, removed and changed, or
    one for all. `codes` are those of the violations by which validators report the key; None where none judges it. `looser` says
    which values allow more. `unshown` says why no message shows a change that breaks on the wire. With `each` the value is a list
    without an order, each element of which is a change.
    """

    says: str = ""
    levels: str = "major"
    means: str = ""
    codes: tuple[str, ...] | None = None
    looser: Literal["more", "less", "within", ""] = ""
    unshown: str = ""
    each: bool = False

    def outcome(self, kind: str) -> Level:
        """Return the level in outcome of a kind of change."""
        added, removed, other = (self.levels.split() * 3)[:3]
        word = {"added": added, "tightened": added, "removed": removed, "loosened": removed}.get(kind, other)
        return Level[word.upper()]


def _limit(*codes: str, looser: Literal["more", "less", "within", ""] = "", levels: str = "none") -> KeyRow:
    return KeyRow(levels=levels, codes=codes, looser=looser)


_MEANING: Final = "what the client makes of it"
_ANSWERS: Final = "which answers are taken for those of a call: the others leave its outcome unknown"
_CODES: Final = "what a code says of a call: one more settles more calls, one less leaves unknown what was known"
_ORIGIN: Final = "which payment a refund is counted against, and until when"
_STATES: Final = "at which states an item is at its end, and money moved"
_SETTLES: Final = "how an unknown outcome is settled: settle those that are stored before you upgrade"
_SIGNED: Final = "which signatures are made, and which are taken"

TABLE: Final[Mapping[str, KeyRow | None]] = {
    # For people: no program notices.
    **dict.fromkeys(
        ("prose", "sections", "questions", "examples", "envelope", "says", "does", "trigger"), KeyRow(levels="patch")
    ),
    **dict.fromkeys(("Format.shown", "Question.seen", "Contract.questions"), KeyRow(levels="patch")),
    # Compared elsewhere, or a copy of what is.
    **dict.fromkeys(
        ("place", "lines", "formats", "sets", "structs", "versions", "digest", "citations", "_found", "parent"), None
    ),
    **dict.fromkeys(("facet", "carried_by", "text", "role", "data", "MessageSpec.operation"), None),
    # Python alone has these names: they are compared there.
    **dict.fromkeys(("Value.member", "Format.python", "result"), KeyRow(levels="none")),
    # What validators judge.
    "required": _limit("required", looser="less"),
    "Field.min": _limit("min", "exact", looser="less"),
    "Field.max": _limit("max", "exact", looser="more"),
    "Field.range": _limit("range", looser="within"),
    "Field.values": _limit("value", looser="within"),
    "Field.blank": _limit(looser="more"),
    "Field.also": _limit(),
    "TypeRef.kind": replace(_limit(), says="type"),
    "TypeRef.array": _limit(),
    "Rule.when": replace(_limit("rule"), says="rule"),
    "Rule.demands": replace(_limit("rule"), says="rule"),
    "Struct.rules": replace(_limit("rule"), says="rule"),
    "Set.open": _limit("value", looser="more"),
    "Format.pattern": _limit("format"),
    "Format.check": _limit("format"),
    "Struct.fields": KeyRow("member", "minor major major", "what is sent and read", ("required",)),
    "headers": KeyRow("header", "minor major major", "what is sent and read", ("required",)),
    "Set.values": KeyRow("value", "minor major major", "which values are known", ("value",)),
    # What the client makes of a message that it takes.
    "Contract.operations": KeyRow(
        "operation", "minor major major", "what can be called", unshown="only one side has the operation"
    ),
    "inbound": KeyRow("direction", unshown="the other party writes its messages"),
    "post": KeyRow("address", means="where calls are sent", unshown="the address is no part of a message"),
    "version": KeyRow(levels="minor major minor", means="which version is sent"),
    "key": KeyRow(means="by which member calls are told apart: settle those that are open before you upgrade"),
    "key_ignores_case": KeyRow("key's case", means="which keys are the same"),
    "resolution": KeyRow("resolved by", "minor major major", _SETTLES),
    **dict.fromkeys(("Resolution.operation", "Resolution.by"), KeyRow("resolved by", means=_SETTLES)),
    **dict.fromkeys(("queried_again", "placed_again_after", "done"), KeyRow(means=_SETTLES)),
    "shows": KeyRow(means=_ANSWERS),
    **dict.fromkeys(("echoes", "each_echoes"), KeyRow(means=_ANSWERS, each=True)),
    "Shown.answered": KeyRow("shows", means=_ANSWERS),
    "succeeds": KeyRow(means="which answers are taken for a yes"),
    "Operation.message": KeyRow(levels="patch"),
    **dict.fromkeys(
        ("refuses", "repeats", "absent", "stale"), KeyRow(levels="minor major major", means=_CODES, each=True)
    ),
    "Operation.when": KeyRow(
        means="which notifications these are",
        unshown="it tells the kind of a notification, whose validator is chosen by it",
    ),
    "once_per": KeyRow(
        means="which notifications have one effect together: look into what is stored before you upgrade"
    ),
    "decides": KeyRow(means="how a question is answered"),
    "about": KeyRow(levels="minor major major", means="which query shows what a notification tells"),
    "Operation.amount": KeyRow(levels="minor major major", means="which member is the money"),
    "gateway_id": KeyRow(levels="minor major major", means="by which number the gateway knows it"),
    "gives_back": KeyRow(levels="minor major major", means=_ORIGIN),
    **dict.fromkeys(("GivesBack.key", "GivesBack.gateway_id", "within", "since"), KeyRow("gives back", means=_ORIGIN)),
    "lists": KeyRow(levels="minor major major", means="which lists have states"),
    "guards": KeyRow("before sending", "major minor major", "what the client refuses to send"),
    "Guard.demands": KeyRow("before sending", means="what the client refuses to send"),
    "fixed": KeyRow("filled by its value", "minor"),
    "default": KeyRow(levels="minor", means="what the gateway does without it"),
    **dict.fromkeys(("sends", "source"), KeyRow(means="what the client sends by itself")),
    "redaction": KeyRow(levels="minor major major", means="what logs show"),
    "states": KeyRow(levels="minor major major", means=_STATES),
    **dict.fromkeys(("final", "settled", "paid", "returned"), KeyRow(means=_STATES)),
    "Contract.limits": KeyRow("limit", "major minor major", "how long, and how much"),
    **dict.fromkeys(
        ("seconds", "decimals"), KeyRow(levels="major minor major", looser="more", means="how long, and how much")
    ),
    "moves": KeyRow("move", "minor major major", "which state may follow which: another one is a contradiction"),
    "follows": KeyRow("follows", "minor major major", "how an item is followed to its last state"),
    **dict.fromkeys(
        ("Following.amount", "currency", "open_for", "open_until"),
        KeyRow(levels="minor major major", means="how it is followed"),
    ),
    "Contract.seen": KeyRow("seen elsewhere", "minor"),
    **dict.fromkeys(
        [f"SeenNotification.{key}" for key in ("about", "key", "state", "amount", "address")], KeyRow(levels="minor")
    ),
    "numbers": KeyRow("merchant's number", "minor major major", "what a merchant must give"),
    "Number.required": KeyRow(levels="major minor major", means="what a merchant must give"),
    "signatures": KeyRow("signature", "minor major major", _SIGNED),
    **dict.fromkeys(
        ("covers", "written", "chosen_by", "Signature.sends"),
        KeyRow(means=_SIGNED, unshown="a signature is verified with keys, and no validator judges it"),
    ),
}
"""By key, or by class and key. None is not compared. What is not listed is major: the language can gain nothing that is overlooked."""

KEYS: Final[Mapping[str, tuple[str, ...]]] = {
    **dict.fromkeys(("Field", "Value"), ("wire",)),
    **dict.fromkeys(("Rule", "Guard"), ("id",)),
    **dict.fromkeys(("Following", "SeenNotification"), ("kind",)),
    "GivesBack": ("operation",),
    "GuardDemand": ("kind", "path"),
    "Listed": ("items",),
    "Move": ("set", "before", "after"),
    "Shown": ("asked",),
}
"""The fields that tell parts of one class apart; the `name` of others."""


def row_of(part: str, key: str) -> KeyRow | None:
    """Return the row of a key of a class, with the words for it; None if it is not compared."""
    found = TABLE.get(f"{part}.{key}", TABLE.get(key, KeyRow()))
    if found is None or key in KEYS.get(part, ("name",)):
        return None
    return replace(found, says=found.says or key.replace("_", " "), means=found.means or _MEANING)
