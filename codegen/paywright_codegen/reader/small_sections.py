"""Read the small parts of a contract: formats, value lists, limits, moves, follows, questions, numbers of a merchant, signatures."""

from __future__ import annotations

from typing import Literal, cast

from paywright_codegen.model.cited import Prose
from paywright_codegen.model.contract import Following, Limit, Move, Number, Question, Signature
from paywright_codegen.model.operations import Amount, SeenNotification
from paywright_codegen.model.types import Format, Set, Value
from paywright_codegen.problems import Problem
from paywright_codegen.reader.document import TreeBlock, TreeEntry, lines_of, prose_of, without_questions
from paywright_codegen.reader.grammar import FILE, Block, Text, varying
from paywright_codegen.reader.said import Said, path_of, said_of

_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_SETS, _MOVES, _LIMITS = (cast(Block, FILE.keys[section]).each for section in ("enums", "moves", "limits"))


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
    said = varying(cast(Text, cast(Block, _SETS).name), entry.key.text)[0]
    text, questions = without_questions(entry.text)
    return Value(
        place=entry.place,
        prose=Prose((text, *entry.comments) if text else entry.comments),
        sections=sections,
        questions=questions,
        wire=said["state"],
        member=said.get("constant"),
        final=said.get("end") == "final",
        settled=said.get("end") == "settled",
        paid=said.get("money") == "paid",
        returned=said.get("money") == "returned",
    )


def parse_limit(entry: TreeEntry) -> Limit:
    """Return the limit of an entry: a span such as `120 s`, `max 64 of FIELD`, or `8 decimals`."""
    key = entry.key
    text, questions = without_questions(entry.text)
    said = varying(cast(Text, _LIMITS), text)[0]
    return Limit(
        place=entry.place,
        prose=prose_of(entry),
        sections=key.sections,
        questions=(*key.questions, *questions),
        name=key.name,
        seconds=int(said["count"]) * _SECONDS[said["unit"]] if "unit" in said else None,
        facet=said.get("facet"),
        carried_by=tuple(said.get("carriers", "").split()),
        decimals=int(said["few"]) if "few" in said else None,
    )


def parse_moves(entry: TreeEntry) -> list[Move]:
    """Return the moves of one set: `before -> after after: trigger`."""
    named = entry.key
    moves: list[Move] = []
    for each in entry.block:
        key = each.key
        said = varying(cast(Text, cast(Block, _MOVES).name), key.name)[0]
        trigger, questions = without_questions(each.text)
        moves.append(
            Move(
                place=each.place,
                prose=prose_of(each),
                sections=key.sections or named.sections,
                questions=(*named.questions, *key.questions, *questions),
                set=named.name,
                before=said["before"],
                after=tuple(said["states"].split()),
                trigger=trigger,
            )
        )
    return moves


def amount_of(said: Said) -> Amount | None:
    """Return what `amount: F in G` says; None where there is none."""
    pair = said.pair("amount")
    return Amount(path_of(pair[0]), path_of(pair[1])) if pair else None


def parse_seen(entry: TreeEntry) -> SeenNotification:
    """Return the notification of an entry of `seen elsewhere:`."""
    key, said = entry.key, said_of(entry, "seen elsewhere")
    about = said.one("about")
    return SeenNotification(
        place=entry.place,
        prose=prose_of(entry),
        sections=key.sections,
        kind=key.name,
        about=about["operation"],
        key=about["path"],
        state=said.text("state") or "",
        amount=amount_of(said),
        address=said.text("address") or "",
        questions=(*key.questions, *said.questions),
        lines=tuple(lines_of(entry)),
    )


def parse_following(entry: TreeEntry) -> Following:
    """Return the follow of a resource's items in an entry."""
    key, said = entry.key, said_of(entry, "follows")
    shown, amount = said.one("shown by"), amount_of(said)
    return Following(
        place=entry.place,
        prose=prose_of(entry),
        sections=key.sections,
        questions=(*key.questions, *said.questions),
        lines=tuple(lines_of(entry)),
        kind=key.name,
        operation=shown["operation"],
        by=shown["member"],
        state=path_of(said.text("state")),
        each=path_of(said.text("each")),
        amount=amount.member if amount else (),
        currency=amount.currency if amount else (),
        open_for=said.text("open for"),
        open_until=path_of(said.text("open until")),
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
