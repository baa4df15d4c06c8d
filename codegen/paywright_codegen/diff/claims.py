"""The table of verdicts: each field of the model, by what a change of it means.

A field that no claim covers fails a test, so that the language cannot gain something that `contract diff` overlooks.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import IntEnum
from functools import cache
from typing import Any, Final, Literal

from paywright_codegen.model.cited import Cited
from paywright_codegen.model.contract import Contract, Following, Limit, Move, Number, Question, Signature
from paywright_codegen.model.operations import (
    Amount,
    Decision,
    GivesBack,
    Guard,
    GuardDemand,
    Listed,
    MessageSpec,
    Operation,
    Resolution,
    SeenNotification,
    Shown,
)
from paywright_codegen.model.rules import Rule
from paywright_codegen.model.types import Field, Format, Set, Struct, TypeRef, Value

__all__ = ["CLAIMS", "FacetClaim", "Level", "Role", "claims_of"]


class Level(IntEnum):
    """Weight of a change, as a part of a version says it."""

    NONE = 0
    PATCH = 1
    MINOR = 2
    MAJOR = 3

    def __str__(self) -> str:
        return self.name.lower()


Role = Literal["untold", "words", "key", "reference", "python", "inside", "contract"]
Looser = Literal["more", "less", "within", ""]


@dataclass(frozen=True, slots=True)
class FacetClaim:
    """Meaning of a change of one field of the model.

    Roles: `untold` (a place, or something that is compared elsewhere), `words` (for people), `key` (which part it is), `reference` (the
    name of a type, which is compared with the other side's), `python` (a name that only Python has), `inside` (parts), `contract`.
    `looser` says which values of a limit allow more. `codes` are those of the violations by which validators report it; None where
    no validator judges it. `outcome` is the level of something added, removed and changed, where it changes the meaning of a message.
    `each` is True if the value is a set, each of whose elements is a change. `unshown` says why no message shows a change that
    breaks on the wire.
    """

    role: Role
    says: str = ""
    looser: Looser = ""
    codes: tuple[str, ...] | None = None
    outcome: tuple[Level, Level, Level] | None = None
    each: bool = False
    unshown: str = ""


_UNTOLD: Final = FacetClaim("untold")
_KEY: Final = FacetClaim("key")
_PATCH, _MINOR, _MAJOR = Level.PATCH, Level.MINOR, Level.MAJOR


def _words(says: str) -> FacetClaim:
    return FacetClaim("words", says)


def _python(says: str) -> FacetClaim:
    return FacetClaim("python", says)


def _limit(says: str, looser: Looser, *codes: str) -> FacetClaim:
    """FacetClaim a limit that validators check."""
    return FacetClaim("contract", says, looser, codes)


def _means(
    says: str, added: Level = _MAJOR, removed: Level = _MAJOR, changed: Level = _MAJOR, unshown: str = ""
) -> FacetClaim:
    """FacetClaim something that no message shows, and that changes what a message means or what follows from it."""
    return FacetClaim("contract", says, outcome=(added, removed, changed), unshown=unshown)


def _codes(says: str) -> FacetClaim:
    """FacetClaim a list of codes: one more settles more calls; one less leaves unknown what was known."""
    return FacetClaim("contract", says, outcome=(_MINOR, _MAJOR, _MAJOR), each=True)


def _parts(
    says: str, added: Level | None = _MINOR, removed: Level | None = _MAJOR, *codes: str, unshown: str = ""
) -> FacetClaim:
    outcome = None if added is None or removed is None else (added, removed, _MAJOR)
    return FacetClaim("inside", says, codes=codes or None, outcome=outcome, unshown=unshown)


_CITED: Final[Mapping[str, FacetClaim]] = {
    "place": _UNTOLD,
    "prose": _words("text"),
    "sections": _words("sections"),
    "questions": _words("open questions"),
    "lines": _UNTOLD,
}

CLAIMS: Final[Mapping[type, Mapping[str, FacetClaim]]] = {
    Contract: {
        "formats": _UNTOLD,  # compared where fields use them
        "sets": _UNTOLD,
        "structs": _UNTOLD,
        "operations": _parts("operation", unshown="only one side has the operation"),
        "limits": _parts("limit", _MAJOR, _MINOR),
        "moves": _parts("move"),
        "follows": _parts("follows"),
        "questions": _parts("open question", _PATCH, _PATCH),
        "versions": _UNTOLD,  # the linter compares them with the operations
        "digest": _UNTOLD,  # of all the others
        "seen": _parts("seen elsewhere", _MINOR, _MINOR),
        "citations": _UNTOLD,
        "numbers": _parts("merchant's number"),
        "signatures": _parts("signature"),
        "_found": _UNTOLD,
    },
    Operation: {
        "name": _KEY,
        "inbound": _means("direction", unshown="the other party writes its messages"),
        "post": _means("address", unshown="the address is no part of a message"),
        "version": _means("version", _MINOR, _MAJOR, _MINOR),
        "envelope": _words("envelope"),  # its fields are compared in the messages
        "key": _means("key"),
        "key_ignores_case": _means("key's case"),
        "resolution": _means("resolved by", _MINOR),
        "echoes": FacetClaim("contract", "echoes", outcome=(_MAJOR, _MINOR, _MAJOR), each=True),
        "each_echoes": FacetClaim("contract", "each echoes", outcome=(_MAJOR, _MINOR, _MAJOR), each=True),
        "shows": _parts("shows", _MAJOR, _MINOR),
        "succeeds": _means("succeeds"),
        "message": _means("message", _PATCH, _PATCH, _PATCH),
        "refuses": _codes("refuses"),
        "repeats": _codes("repeats"),
        "absent": _codes("absent"),
        "stale": _codes("stale"),
        "when": _means("when", unshown="it tells the kind of a notification, whose validator is chosen by it"),
        "once_per": _means("once per"),
        "decides": _means("decides"),
        "about": _means("about", _MINOR),
        "amount": _means("amount", _MINOR),
        "gateway_id": _means("gateway id", _MINOR),
        "acts_on": _means("acts on"),
        "gives_back": _parts("gives back"),
        "lists": _parts("lists"),
        "guards": _parts("before sending", _MAJOR, _MINOR),
        "asks": FacetClaim("inside", "request"),
        "answers": FacetClaim("inside", "answer"),
    },
    MessageSpec: {
        "operation": _UNTOLD,  # both are those of the operation around it
        "role": _UNTOLD,
        "root": FacetClaim("inside", "message"),
        "headers": _parts("header", _MINOR, _MAJOR, "required"),
        "data": _UNTOLD,  # compared as the type of its member
        "result": _python("result"),
        "payload": _means("payload"),
    },
    Resolution: {
        "operation": _means("resolved by", _MINOR),
        "by": _means("resolved by"),
        "placed_again_after": _means("placed again after"),
        "queried_again": _means("queried again"),
        "done": _means("done when"),
    },
    Shown: {"asked": _KEY, "answered": _means("shows")},
    Decision: dict.fromkeys(("member", "yes", "no", "reason", "amount", "least", "most"), _means("decides")),
    Amount: dict.fromkeys(("member", "currency"), _means("amount")),
    GivesBack: {
        "operation": _KEY,
        **dict.fromkeys(("key", "gateway_id", "within", "since"), _means("gives back")),
    },
    Listed: {"items": _KEY, "key": _means("lists")},
    Guard: {"id": _KEY, "text": _UNTOLD, "demands": _means("before sending")},  # the text says what the demands say
    GuardDemand: {"kind": _KEY, "path": _KEY},
    SeenNotification: {
        "kind": _KEY,
        **dict.fromkeys(
            ("about", "key", "state", "amount", "address"), _means("seen elsewhere", _MINOR, _MINOR, _MINOR)
        ),
    },
    Struct: {
        "name": _python("class"),
        "fields": _parts("member", _MINOR, _MAJOR, "required"),
        "rules": _parts("rule", None, None, "rule"),
        "parent": _UNTOLD,  # `fields` has those of the parent
    },
    Field: {
        "wire": _KEY,
        "type": FacetClaim("inside", "type", codes=()),
        "required": _limit("required", "less", "required"),
        "min": _limit("min", "less", "min", "exact"),
        "max": _limit("max", "more", "max", "exact"),
        "range": _limit("range", "within", "range"),
        "values": _limit("values", "within", "value"),
        "fixed": _means("filled by its value", _MINOR, _MINOR, _MINOR),
        "sends": _means("sends"),
        "source": _means("from"),
        "examples": _words("eg"),
        "default": _means("default", _MINOR, _MINOR, _MINOR),
        "blank": _limit("blank", "more"),
        "also": _limit("also", ""),
        "redaction": _means("redaction", _MINOR, _MAJOR, _MAJOR),
    },
    TypeRef: {
        "kind": _limit("type", ""),
        "name": FacetClaim("reference", "type"),
        "array": _limit("array", ""),
    },
    Rule: {
        "id": _KEY,
        "text": _UNTOLD,  # it says what the conditions and demands say
        "when": _limit("rule", "", "rule"),
        "demands": _limit("rule", "", "rule"),
    },
    Set: {
        "name": _python("class"),
        "values": _parts("value", _MINOR, _MAJOR, "value"),
        "open": _limit("open", "more", "value"),
        "states": _means("states", _MINOR),
    },
    Value: {
        "wire": _KEY,
        "member": _python("name"),
        **{word: _means(word) for word in ("final", "settled", "paid", "returned")},
    },
    Format: {
        "name": _UNTOLD,  # the type of a field has it
        "pattern": _limit("pattern", "", "format"),
        "check": _limit("check", "", "format"),
        "python": _python("type in Python"),
        "shown": _words("shown"),
    },
    Limit: {
        "name": _KEY,
        "seconds": FacetClaim("contract", "seconds", "more", outcome=(_MAJOR, _MINOR, _MAJOR)),
        "facet": _UNTOLD,  # the linter compares it with the fields that carry it
        "carried_by": _UNTOLD,
        "decimals": FacetClaim("contract", "decimals", "more", outcome=(_MAJOR, _MINOR, _MAJOR)),
    },
    Move: {"set": _KEY, "before": _KEY, "after": _KEY, "trigger": _words("trigger")},
    Following: {
        "kind": _KEY,
        **dict.fromkeys(("operation", "by", "state", "each"), _means("follows")),
        **dict.fromkeys(("amount", "currency"), _means("follows", _MINOR)),
        **dict.fromkeys(("open_for", "open_until"), _means("follows", _MINOR)),
    },
    Question: {"name": _KEY, **{word: _words(word) for word in ("says", "does", "seen")}},
    Number: {"name": _KEY, "required": _means("required", _MAJOR, _MINOR), "kind": _means("kind")},
    Signature: {
        "name": _KEY,
        **{
            word: _means(
                word.replace("_", " "), unshown="a signature is verified with keys, and no validator judges it"
            )
            for word in ("covers", "written", "chosen_by", "sends")
        },
    },
}
"""The claim of each field of the model. Conditions and demands of a rule are compared as a whole, by documents."""


def claims_of(part: object) -> Mapping[str, FacetClaim]:
    """Return the claim of each field of a part of the model. Raises KeyError for a field without one."""
    kind: Any = type(part)
    return _claims_of_class(kind)


@cache
def _claims_of_class(part: Any) -> Mapping[str, FacetClaim]:
    claimed = {**(_CITED if issubclass(part, Cited) else {}), **CLAIMS[part]}
    return {field.name: claimed[field.name] for field in fields(part)}
