"""Read what operations say about money: amounts, what a refund gives back, and notifications seen elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from paywright_codegen.model.operations import Amount, GivesBack, SeenNotification
from paywright_codegen.reader.document import TreeEntry, lines_of, prose_of
from paywright_codegen.reader.small_sections import texts

__all__ = ["parse_amount", "parse_gives_back", "parse_seen"]


def parse_amount(words: Sequence[str]) -> Amount | None:
    """Return the amount of `F in G`; None for no words."""
    if len(words) != 3:
        return None
    return Amount(tuple(words[0].split(".")), tuple(words[2].split(".")))


def parse_gives_back(operation: str, said: Mapping[str, str]) -> GivesBack:
    """Return what is given back of an operation, from the texts under it."""
    within, _, since = said.get("within", "").partition(" of ")
    return GivesBack(operation, said.get("key"), said.get("gateway id"), within or None, since or None)


def parse_seen(entry: TreeEntry) -> SeenNotification:
    """Return the notification of an entry of `seen elsewhere:`."""
    key = entry.key
    said, questions = texts(entry.block)
    about, _, by = said["about"].partition(" by ")
    return SeenNotification(
        place=entry.place,
        prose=prose_of(entry),
        sections=key.sections,
        kind=key.name,
        about=about,
        key=by,
        state=said["state"],
        amount=parse_amount(said["amount"].split()),
        address=said["address"],
        questions=(*key.questions, *questions),
        lines=tuple(lines_of(entry)),
    )
