"""The table of verdicts: for each key of the contract, what a change of it means on the wire and in outcome."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from typing import Final


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

    `says` names the key, and `means` what follows from it. `levels` are those in outcome of what is added, removed and changed.
    `codes` are those of the violations by which validators report the key; None where none judges it. With `each` the value is a list
    without an order, each element of which is a change.
    """

    says: str
    levels: str
    means: str
    codes: tuple[str, ...] | None = None
    each: bool = False

    def outcome(self, kind: str) -> Level:
        """Return the level in outcome of a kind of change."""
        at = {"added": 0, "lowered": 0, "removed": 1, "raised": 1}.get(kind, 2)
        return {"-": Level.NONE, "p": Level.PATCH, "m": Level.MINOR, "M": Level.MAJOR}[self.levels[at]]


# A row: the level of what is added, removed and changed (none, patch, minor, Major), keys or classes with keys, and what a change means.
_TABLE: Final = """
ppp  prose sections questions examples envelope says does trigger
ppp  Format.shown Question.seen Contract.questions Operation.message
---  Field.required Field.min Field.max Field.range Field.values Field.blank Field.also TypeRef.kind TypeRef.array
---  Rule.when Rule.demands Struct.rules Set.open Format.pattern Format.check
mMM  Struct.fields headers: what is sent and read
mMM  Set.values: which values are known
mMM  Contract.operations: what can be called
MMM  post: where calls are sent
mMm  version: which version is sent
MMM  Operation.key: by which member calls are told apart; settle those that are open before you upgrade
MMM  key_ignores_case: which keys are the same
mMM  resolution: how an unknown outcome is settled; settle those that are stored before you upgrade
MMM  Resolution.operation Resolution.by queried_again placed_again_after done: how an unknown outcome is settled
MMM  echoes each_echoes shows answered: which answers are taken for those of a call; others leave its outcome unknown
MMM  succeeds: which answers are taken for a yes
mMM  refuses repeats absent stale: what a code says; one more settles more calls, one less leaves their outcome unknown
MMM  Operation.when: which notifications these are
MMM  once_per: which notifications have one effect together; look into what is stored before you upgrade
MMM  decides: how a question is answered
mMM  about: which query shows what a notification tells
mMM  Operation.amount into: which member is the money, and which the account that it came into
mMM  Operation.gateway_id: by which number the gateway knows it
mMM  gives_back: which payment a refund is counted against, and until when
MMM  GivesBack.key GivesBack.gateway_id within since: which payment a refund is counted against, and until when
mMM  lists: which lists have states
MmM  guards: what the client refuses to send
MMM  Guard.demands: what the client refuses to send
mmm  fixed default: what stands for what is missing
MMM  Field.sends source: what the client sends by itself
mMM  redaction: what logs show
mMM  states: which lists are states
MMM  final settled paid returned: at which states an item is at its end, and money moved
MmM  Contract.limits seconds decimals: how long, and how much
mMM  moves: which state may follow which; another one is a contradiction
MMM  Following.operation Following.by state each: how an item is followed to its last state
mMM  follows Following.amount Following.currency open_for open_until: how an item is followed to its last state
mmm  Contract.seen SeenNotification.about SeenNotification.key SeenNotification.state: what such a notification tells
mmm  SeenNotification.amount address: what such a notification tells
mMM  numbers: what a merchant must give
MmM  Number.required: what a merchant must give
mMM  signatures: which signatures are made, and which are taken
MMM  covers written chosen_by Signature.sends: which signatures are made, and which are taken
"""
"""A key that is not listed is major: the language can gain nothing that is overlooked."""

# By which violations validators report a key; none named: by any.
_JUDGED: Final = {
    "Field.required": "required", "Field.min": "min exact", "Field.max": "max exact", "Field.range": "range", "Field.values": "value",
    "Set.open": "value", "Set.values": "value", "Struct.fields": "required", "MessageSpec.headers": "required",
    **dict.fromkeys(("Format.pattern", "Format.check"), "format"),
    **dict.fromkeys(("Field.blank", "Field.also", "TypeRef.kind", "TypeRef.array"), ""),
    **dict.fromkeys(("Rule.when", "Rule.demands", "Struct.rules"), "rule"),
}  # fmt: skip
_SAYS: Final = {
    **dict.fromkeys(("Operation.resolution", "Resolution.operation", "Resolution.by"), "resolved by"),
    **dict.fromkeys([f"GivesBack.{key}" for key in ("key", "gateway_id", "within", "since")], "gives back"),
    **dict.fromkeys(("Operation.guards", "Guard.demands"), "before sending"),
    **dict.fromkeys(("Rule.when", "Rule.demands", "Struct.rules"), "rule"),
    "Contract.operations": "operation", "Contract.limits": "limit", "Contract.moves": "move", "Contract.signatures": "signature",
    "Contract.numbers": "merchant's number", "Contract.seen": "notification seen elsewhere", "Struct.fields": "member",
    "Set.values": "value", "MessageSpec.headers": "header", "TypeRef.kind": "type", "Resolution.done": "done when",
    "Shown.answered": "shows",
}  # fmt: skip
_EACH: Final = ("refuses", "repeats", "absent", "stale", "echoes", "each_echoes")
# Compared elsewhere, or a copy of what is; and what Python alone calls it, which is compared there.
_UNTOLD: Final = (
    "place lines formats sets structs versions citations _made parent text role data MessageSpec.operation "
    "Value.member Format.python MessageSpec.result"
)

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


_ROWS: Final = [(line[:3], *line[5:].partition(": ")) for line in _TABLE.strip().splitlines()]
MEANT: Final[Mapping[str, tuple[str, str]]] = {
    key: (levels, means) for levels, keys, _, means in _ROWS for key in keys.split()
}
"""Levels and meaning by key, or by class and key."""


@cache
def row_of(part: str, key: str) -> KeyRow | None:
    """Return the row of a key of a class; None if it is not compared."""
    whole = f"{part}.{key}"
    if {whole, key} & {*_UNTOLD.split()} or key in KEYS.get(part, ("name",)):
        return None
    levels, means = MEANT.get(whole, MEANT.get(key, ("MMM", "")))
    codes = tuple(_JUDGED[whole].split()) if whole in _JUDGED else None
    says = _SAYS.get(whole, key.replace("_", " "))
    return KeyRow(says, levels, means or "what the client makes of it", codes, key in _EACH)
