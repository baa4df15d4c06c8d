"""The table of verdicts: for each key of the contract, what a change of it means on the wire and in outcome."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum
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

    `says` names the key, with those that it stands under, and `means` what follows from it. `levels` are those in outcome of what is added,
    removed and changed. `codes` are those of the violations by which validators report the key; None where none judges it. With `each` the
    value is a list without an order, each element of which is a change.
    """

    says: str
    levels: str = "MMM"
    means: str = "what the client makes of it"
    codes: tuple[str, ...] | None = None
    each: bool = False

    def outcome(self, kind: str) -> Level:
        """Return the level in outcome of a kind of change."""
        at = {"added": 0, "lowered": 0, "removed": 1, "raised": 1}.get(kind, 2)
        return Level("-pmM".index(self.levels[at]))


# A row: the level of what is added, removed and changed (none, patch, minor, Major), keys or classes with keys, the codes of the violations
# by which validators report them if they do, and what a change means; without it, what the row above says. Behind `=` stands the key of
# the contract's files, `/` below another one, if it has another name; of a key with [] each element is a change, in any order. First
# those that are not compared: copies, and what is compared elsewhere, as are all names of Python.
_TABLE: Final = """
no   place lines formats sets structs citations _made parent text role data MessageSpec.operation
no   Value.member Format.python MessageSpec.result
ppp  prose sections questions examples envelope says does trigger
ppp  Format.shown Question.seen Contract.questions Operation.message
---  Field.required | required
---  Field.min | min exact
---  Field.max | max exact
---  Field.range | range
---  Field.values Set.open=.../open | value
---  Format.pattern Format.check | format
---  Field.blank Field.also TypeRef.kind=type TypeRef.array | type required min max exact range value format
---  Rule.when=rule Rule.demands=rule Struct.rules=rule | rule
mMM  Struct.fields=member MessageSpec.headers=header | required: what is sent and read
mMM  Set.values=value | value: which values are known
mMM  Contract.operations=operation: what can be called
MMM  post: where calls are sent
mMm  version: which version is sent
MMM  Operation.key: by which member calls are told apart; settle those that are open before you upgrade
MMM  key_ignores_case=key/ignoring_case: which keys are the same
mMM  Operation.resolution=resolved_by: how an unknown outcome is settled; settle those that are stored before you upgrade
MMM  Resolution.operation=resolved_by/query Resolution.by=resolved_by/query/by done=resolved_by/done_when
MMM  queried_again=resolved_by/else placed_again_after=resolved_by/placed_again_after
MMM  echoes[] each_echoes[] shows[]: which answers are taken for those of a call; others leave its outcome unknown
MMM  succeeds: which answers are taken for a yes
mMM  refuses[] repeats[] absent[] stale[]: what a code says; one more settles more calls, one less leaves their outcome unknown
MMM  Operation.when: which notifications these are
MMM  once_per: which notifications have one effect together; look into what is stored before you upgrade
MMM  decides Decision.member=decides/answer yes=decides/yes no=decides/no reason=decides/why_not: how a question is answered
MMM  Decision.amount=decides/amount least=decides/from most=decides/to
mMM  about: which query shows what a notification tells
mMM  Operation.amount into: which member is the money, and which the account that it came into
mMM  Operation.gateway_id: by which number the gateway knows it
mMM  gives_back[]: which payment a refund is counted against, and until when
mMM  lists[]: which lists have states
MmM  Operation.guards=before_sending: what the client refuses to send
MMM  Guard.demands=before_sending
mmm  fixed default: what stands for what is missing
MMM  Field.sends source: what the client sends by itself
mMM  redaction: what logs show
mMM  states: which lists are states
MMM  final settled paid returned: at which states an item is at its end, and money moved
MmM  Contract.limits=limit seconds decimals: how long, and how much
mMM  Contract.moves=move: which state may follow which; another one is a contradiction
MMM  Following.operation=shown_by Following.by=shown_by/by state each: how an item is followed to its last state
mMM  follows Following.amount Following.currency=amount/currency open_for open_until
mmm  Contract.seen=notification_seen_elsewhere: what such a notification tells
mmm  SeenNotification.about SeenNotification.key=about/by SeenNotification.state SeenNotification.amount address
mMM  Contract.numbers=merchant's_number: what a merchant must give
MmM  Number.required
mMM  Contract.signatures=signature: which signatures are made, and which are taken
MMM  covers written chosen_by Signature.sends
"""
"""A key that is not listed is major: the language can gain nothing that is overlooked."""

KEYS: Final[Mapping[str, tuple[str, ...]]] = {
    **dict.fromkeys(("Field", "Value"), ("wire",)),
    **dict.fromkeys(("Rule", "Guard"), ("id",)),
    **dict.fromkeys(("Following", "SeenNotification"), ("kind",)),
    "Move": ("set", "before", "after"),
}
"""The fields that tell parts of one class apart; the `name` of others."""


def _rows() -> Iterator[tuple[str, KeyRow]]:
    means = ""
    for line in _TABLE.strip().splitlines():
        said, _, own = line[5:].partition(": ")
        means = own or means
        names, judged, codes = said.partition(" | ")
        reported = tuple(codes.split()) if judged else None
        for key, _, called in (one.partition("=") for one in names.split()):
            name = key.removesuffix("[]")
            says = (called or name.rpartition(".")[2]).replace("_", " ")
            yield name, KeyRow(says, line[:3].strip(), means, reported, key != name)


ROWS: Final[Mapping[str, KeyRow]] = dict(_rows())
"""Rows by key, or by class and key."""


def row_of(part: str, key: str) -> KeyRow | None:
    """Return the row of a key of a class; None if it is not compared."""
    row = ROWS.get(f"{part}.{key}") or ROWS.get(key) or KeyRow(key.replace("_", " "))
    return None if row.levels == "no" or key in KEYS.get(part, ("name",)) else row
