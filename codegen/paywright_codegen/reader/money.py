"""Read what operations say about money: amounts, what a refund gives back, and notifications seen elsewhere."""

from __future__ import annotations

import re
from collections.abc import Sequence

from paywright_codegen.model.operations import Amount, GivesBack, SeenNotification
from paywright_codegen.reader.document import TreeEntry, lines_of, prose_of
from paywright_codegen.reader.small_sections import without_questions

__all__ = ["parse_amount", "parse_gives_back", "parse_seen"]

_GIVES_BACK = re.compile(
    r"(?P<operation>\S+) by (?:(?P<key>(?!id )[^\s,]+))?(?: or )?(?:id (?P<gateway_id>[^\s,]+))?"
    r"(?: within (?P<within>\S+) of (?P<since>[^\s,]+))?"
)


def parse_amount(words: Sequence[str]) -> Amount | None:
    """Return the amount of `F in G`; None for no words."""
    if len(words) != 3:
        return None
    return Amount(tuple(words[0].split(".")), tuple(words[2].split(".")))


def parse_gives_back(words: Sequence[str]) -> tuple[GivesBack, ...]:
    """Return the parts of `OP by F or id G within LIMIT of H, OP by id G`."""
    matches = (_GIVES_BACK.fullmatch(item) for item in " ".join(words).split(", ") if item)
    return tuple(GivesBack(**match.groupdict()) for match in matches if match is not None)


def parse_seen(entry: TreeEntry) -> SeenNotification:
    """Return the notification of an entry of `seen elsewhere:`."""
    key = entry.key
    questions = list(key.questions)

    def words(name: str) -> list[str]:
        part = entry.block.get(name)
        text, asked = without_questions(part.text if part is not None else "")
        questions.extend(asked)
        return text.split()

    about, _, by = words("about")
    return SeenNotification(
        place=entry.place,
        prose=prose_of(entry),
        sections=key.sections,
        kind=key.name,
        about=about,
        key=by,
        state=words("state")[0],
        amount=parse_amount(words("amount")),
        address=words("address")[0],
        questions=tuple(questions),
        lines=tuple(lines_of(entry)),
    )
