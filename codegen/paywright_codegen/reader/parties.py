"""Read the numbers of a merchant and the signatures of messages."""

from __future__ import annotations

from typing import Literal, cast

from paywright_codegen.model.contract import Number, Signature
from paywright_codegen.reader.document import Entry, lines_of, prose_of
from paywright_codegen.reader.small_sections import without_questions

__all__ = ["parse_number", "parse_signature"]


def parse_number(entry: Entry) -> Number:
    """Return the number of an entry of `merchant:`: `name!: id`."""
    key = entry.key
    kind, questions = without_questions(entry.text)
    return Number(
        place=entry.place,
        prose=prose_of(entry),
        sections=key.sections,
        questions=(*key.questions, *questions),
        name=key.name,
        required=key.required,
        kind=cast(Literal["id", "text", "signer"], kind),
    )


def parse_signature(entry: Entry) -> Signature:
    """Return the signature of an entry of `signatures:`."""
    key = entry.key
    said = {part.key.text: part.text for part in entry.block}
    return Signature(
        place=entry.place,
        prose=prose_of(entry),
        sections=key.sections,
        questions=key.questions,
        lines=tuple(lines_of(entry)),
        name=key.name,
        covers=said.get("covers", ""),
        written=said.get("written", ""),
        chosen_by=said.get("chosen by"),
        sends=said.get("sends"),
    )
