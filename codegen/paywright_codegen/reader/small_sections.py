"""Read the small parts of a contract: formats, value lists, limits, moves, follows, questions, numbers of a merchant, signatures."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, cast

from paywright_codegen.model.cited import Prose
from paywright_codegen.model.contract import Following, Limit, Move, Number, Question, Signature
from paywright_codegen.model.rules import Path
from paywright_codegen.model.types import Format, Set, Value
from paywright_codegen.problems import Problem
from paywright_codegen.reader.document import TreeBlock, TreeEntry, lines_of, prose_of

_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


def without_questions(text: str) -> tuple[str, tuple[str, ...]]:
    """Split a text from the `?question` words at its end."""
    words = text.split(" ")
    questions: list[str] = []
    while words and words[-1].startswith("?") and len(words[-1]) > 1:
        questions.insert(0, words.pop()[1:])
    return " ".join(words), tuple(questions)


def texts(block: Iterable[TreeEntry]) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return the texts of a block by key, without their questions, and the questions."""
    parts = {part.key.text: without_questions(" ".join(part.text.split())) for part in block}
    return {key: text for key, (text, _) in parts.items()}, tuple(
        one for _, questions in parts.values() for one in questions
    )


def parse_format(entry: TreeEntry, problems: list[Problem]) -> Format:
    """Return the format of an entry, which needs a pattern or a check."""
    key = entry.key
    said = {part.key.text: part.text for part in entry.block}
    if ("pattern" in said) == ("check" in said):
        problems.append(Problem(entry.place, f"format `{key.name}` needs a pattern or a check", "write one of them"))
    return Format(
        place=entry.place,
        prose=prose_of(entry),
        sections=key.sections,
        questions=key.questions,
        lines=tuple(lines_of(entry)),
        name=key.name,
        pattern=said.get("pattern"),
        check=said.get("check"),
        python=cast(Literal["str", "date", "datetime", "Decimal"], said.get("python", "str")),
        shown=said.get("shown", ""),
    )


def parse_set(entry: TreeEntry, states: bool, problems: list[Problem]) -> Set:
    """Return the enum of an entry, or with `states` the states of a resource."""
    key = entry.key
    asked = list(key.questions)
    values: list[Value] = []
    is_open = False
    if isinstance(entry.value, TreeBlock):
        for each in entry.value:
            if each.key.text == "...":
                is_open = True
                asked += without_questions(each.text)[1]
            else:
                values.append(_value(each, key.sections))
    else:
        text, questions = without_questions(entry.text)
        asked += questions
        is_open = "..." in text.split()
        values = [Value(entry.place, sections=key.sections, wire=wire) for wire in text.split() if wire != "..."]
    seen: set[str] = set()
    for value in values:
        if value.wire in seen:
            problems.append(Problem(value.place, f"`{value.wire}` stands twice in `{key.name}`", "keep one"))
        seen.add(value.wire)
    return Set(
        place=entry.place,
        prose=prose_of(entry),
        sections=key.sections,
        questions=tuple(asked),
        lines=tuple(lines_of(entry)),
        name=key.name,
        values=tuple(values),
        open=is_open,
        states=states,
    )


def _value(entry: TreeEntry, sections: tuple[str, ...]) -> Value:
    words = entry.key.text.split(" ")
    member = words[1] if len(words) > 1 and words[1] not in ("final", "settled", "paid", "returned") else None
    text, questions = without_questions(entry.text)
    return Value(
        place=entry.place,
        prose=Prose((text, *entry.comments) if text else entry.comments),
        sections=sections,
        questions=questions,
        wire=words[0],
        member=member,
        final="final" in words[1:],
        settled="settled" in words[1:],
        paid="paid" in words[1:],
        returned="returned" in words[1:],
    )


def parse_limit(entry: TreeEntry) -> Limit:
    """Return the limit of an entry: a span such as `120 s`, `max 64 of FIELD`, or `8 decimals`."""
    key = entry.key
    text, questions = without_questions(entry.text)
    facet, of, carried = text.partition(" of ")
    number, _, unit = text.partition(" ")
    return Limit(
        place=entry.place,
        prose=prose_of(entry),
        sections=key.sections,
        questions=(*key.questions, *questions),
        name=key.name,
        seconds=int(number) * _SECONDS[unit] if unit in _SECONDS else None,
        facet=facet if of else None,
        carried_by=tuple(carried.split()),
        decimals=int(number) if unit == "decimals" else None,
    )


def parse_moves(entry: TreeEntry) -> list[Move]:
    """Return the moves of one set: `before -> after after: trigger`."""
    named = entry.key
    moves: list[Move] = []
    for each in entry.block:
        key = each.key
        before, _, after = key.name.partition(" -> ")
        trigger, questions = without_questions(each.text)
        moves.append(
            Move(
                place=each.place,
                prose=prose_of(each),
                sections=key.sections or named.sections,
                questions=(*named.questions, *key.questions, *questions),
                set=named.name,
                before=before,
                after=tuple(after.split()),
                trigger=trigger,
            )
        )
    return moves


def parse_following(entry: TreeEntry) -> Following:
    """Return the follow of a resource's items in an entry."""
    key = entry.key
    said, questions = texts(entry.block)
    operation, _, by = said["shown by"].partition(" by ")
    amount, _, currency = said.get("amount", "").partition(" in ")

    def path(text: str) -> Path:
        return tuple(text.split(".")) if text else ()

    return Following(
        place=entry.place,
        prose=prose_of(entry),
        sections=key.sections,
        questions=(*key.questions, *questions),
        lines=tuple(lines_of(entry)),
        kind=key.name,
        operation=operation,
        by=by,
        state=path(said["state"]),
        each=path(said.get("each", "")),
        amount=path(amount),
        currency=path(currency),
        open_for=said.get("open for"),
        open_until=path(said.get("open until", "")),
    )


def parse_question(entry: TreeEntry) -> Question:
    """Return the open question of an entry."""
    key = entry.key
    said = {part.key.text: part.text for part in entry.block}
    return Question(
        place=entry.place,
        prose=prose_of(entry),
        sections=key.sections,
        name=key.name,
        says=said.get("says", ""),
        does=said.get("does", ""),
        seen=said.get("seen"),
    )


def parse_number(entry: TreeEntry) -> Number:
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


def parse_signature(entry: TreeEntry) -> Signature:
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
