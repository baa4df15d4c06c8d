"""Read what the keys of a block say, by the forms of the grammar, and the small parts of a contract: formats, value lists, limits, moves, follows, questions, numbers of a merchant, signatures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, cast

from paywright_codegen.model.cited import Prose
from paywright_codegen.model.contract import Following, Limit, Move, Number, Question, Signature
from paywright_codegen.model.operations import Amount, SeenNotification
from paywright_codegen.model.rules import Path
from paywright_codegen.model.types import Format, Set, Value
from paywright_codegen.problems import Problem
from paywright_codegen.reader.document import TreeBlock, TreeEntry, cited, without_questions
from paywright_codegen.reader.grammar import FILE, Block, Text, varying


def path_of(text: str | None) -> Path:
    """Return the steps of a path with dots; none of no text."""
    return tuple(text.split(".")) if text else ()


class Said:
    """Sayings of the entries of a block. `questions` are those of all its texts, in order, and of blocks that were looked into."""

    def __init__(self, entries: Iterable[TreeEntry], grammar: Block) -> None:
        self.entries = {entry.key.text: entry for entry in entries}
        self.questions: list[str] = []
        self._grammar = grammar
        self._texts: dict[str, str] = {}
        self._asked: dict[str, tuple[str, ...]] = {}
        for key, entry in self.entries.items():
            if entry.text:
                self._texts[key], self._asked[key] = without_questions(" ".join(entry.text.split()))
                self.questions += self._asked[key]

    def text(self, key: str) -> str | None:
        """Return the text of a key without its questions; None where there is none."""
        return self._texts.get(key) or None

    def asked(self, key: str) -> tuple[str, ...]:
        """Return the questions behind the text of a key."""
        return self._asked.get(key, ())

    def words(self, key: str) -> tuple[str, ...]:
        """Return the words of a key's text."""
        return tuple(self._texts.get(key, "").split())

    def each(self, key: str) -> list[dict[str, str]]:
        """Return what varies in the text of a key, by its form; once for each of several."""
        text, grammar = self._texts.get(key), self._grammar.keys.get(key)
        return varying(grammar, text) if text and isinstance(grammar, Text) else []

    def one(self, key: str) -> dict[str, str]:
        """Return what varies in the text of a key; nothing where there is none."""
        return next(iter(self.each(key)), {})

    def pair(self, key: str) -> tuple[str, str] | None:
        """Return the two things that vary in the text of a key; None where there is none."""
        found = tuple(self.one(key).values())
        return (found[0], found[1]) if found else None

    def block(self, key: str) -> Sequence[TreeEntry]:
        """Return the entries under a key."""
        return self.entries[key].block.entries if key in self.entries else ()

    def under(self, key: str, entry: TreeEntry | None = None) -> Said:
        """Return what the block under a key says, or under an entry of that block."""
        grammar = self._grammar.keys.get(key)
        if entry is not None and isinstance(grammar, Block) and isinstance(grammar.each, Block):
            inner = Said(entry.block, grammar.each)
        else:
            inner = Said(self.block(key), grammar if isinstance(grammar, Block) else Block("", ""))
        self.questions += inner.questions
        return inner


NOTHING = Said((), Block("", ""))


def said_of(entry: TreeEntry, section: str) -> Said:
    """Return what an entry of a section says."""
    grammar = FILE.keys[section]
    each = grammar.each if isinstance(grammar, Block) else None
    return Said(entry.block, each if isinstance(each, Block) else Block("", ""))


_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_SETS, _MOVES, _LIMITS = (cast(Block, FILE.keys[section]).each for section in ("enums", "moves", "limits"))


def parse_format(entry: TreeEntry, problems: list[Problem]) -> Format:
    """Return the format of an entry, which needs a pattern or a check."""
    said, name = _texts(entry), entry.key.name
    if ("pattern" in said) == ("check" in said):
        problems.append(Problem(entry.place, f"format `{name}` needs a pattern or a check", "write one of them"))
    python = cast(Literal["str", "date", "datetime", "Decimal"], said.get("python", "str"))
    return Format(
        **cited(entry), name=name, pattern=said.get("pattern"), check=said.get("check"), python=python, shown=said.get("shown", "")
    )  # fmt: skip


def _texts(entry: TreeEntry) -> dict[str, str]:
    return {part.key.text: part.text for part in entry.block}


def parse_set(entry: TreeEntry, states: bool, problems: list[Problem]) -> Set:
    """Return the enum of an entry, or with `states` the states of a resource."""
    key, text = entry.key, ""
    if isinstance(entry.value, TreeBlock):
        named = [each for each in entry.value if each.key.text != "..."]
        values = [_value(each, key.sections) for each in named]
        rest = next((each.text for each in entry.value if each not in named), None)
        is_open, asked = rest is not None, without_questions(rest or "")[1]
    else:
        text, asked = without_questions(entry.text)
        is_open = "..." in text.split()
        values = [Value(entry.place, sections=key.sections, wire=wire) for wire in text.split() if wire != "..."]
    seen: set[str] = set()
    for value in values:
        if value.wire in seen:
            problems.append(Problem(value.place, f"`{value.wire}` stands twice in `{key.name}`", "keep one"))
        seen.add(value.wire)
    return Set(**cited(entry, asked), name=key.name, values=tuple(values), open=is_open, states=states)


def _value(entry: TreeEntry, sections: tuple[str, ...]) -> Value:
    said = varying(cast(Text, cast(Block, _SETS).name), entry.key.text)[0]
    text, questions = without_questions(entry.text)
    end, money = said.get("end"), said.get("money")
    return Value(
        place=entry.place, prose=Prose((text, *entry.comments) if text else entry.comments), sections=sections, questions=questions,
        wire=said["state"], member=said.get("constant"), final=end == "final", settled=end == "settled",
        paid=money == "paid", returned=money == "returned",
    )  # fmt: skip


def parse_limit(entry: TreeEntry) -> Limit:
    """Return the limit of an entry: a span such as `120 s`, or `8 decimals`."""
    text, asked = without_questions(entry.text)
    said = varying(cast(Text, _LIMITS), text)[0]
    return Limit(
        **cited(entry, asked),
        name=entry.key.name,
        seconds=int(said["count"]) * _SECONDS[said["unit"]] if "unit" in said else None,
        decimals=int(said["few"]) if "few" in said else None,
    )


def parse_moves(entry: TreeEntry) -> Iterator[Move]:
    """Yield the moves of one set: `before -> after after: trigger`."""
    named = entry.key
    for each in entry.block:
        said = varying(cast(Text, cast(Block, _MOVES).name), each.key.name)[0]
        trigger, asked = without_questions(each.text)
        parts = cited(each, (*named.questions, *asked), each.key.sections or named.sections)
        yield Move(**parts, set=named.name, before=said["before"], after=tuple(said["states"].split()), trigger=trigger)


def amount_of(said: Said) -> Amount | None:
    """Return what `amount: F in G` says; None where there is none."""
    pair = said.pair("amount")
    return Amount(path_of(pair[0]), path_of(pair[1])) if pair else None


def parse_seen(entry: TreeEntry) -> SeenNotification:
    """Return the notification of an entry of `seen elsewhere:`."""
    said = said_of(entry, "seen elsewhere")
    about = said.one("about")
    return SeenNotification(
        **cited(entry, said.questions),
        kind=entry.key.name,
        about=about["operation"],
        key=about["path"],
        state=said.text("state") or "",
        amount=amount_of(said),
        address=said.text("address") or "",
    )


def parse_following(entry: TreeEntry) -> Following:
    """Return the follow of a resource's items in an entry."""
    said = said_of(entry, "follows")
    shown, amount = said.one("shown by"), amount_of(said)
    return Following(
        **cited(entry, said.questions),
        kind=entry.key.name,
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
    return Question(**cited(entry), name=entry.key.name, **_texts(entry))


def parse_number(entry: TreeEntry) -> Number:
    """Return the number of an entry of `merchant:`: `name!: id`."""
    kind, asked = without_questions(entry.text)
    said = cast(Literal["id", "text", "signer"], kind)
    return Number(**cited(entry, asked), name=entry.key.name, required=entry.key.required, kind=said)


def parse_signature(entry: TreeEntry) -> Signature:
    """Return the signature of an entry of `signatures:`."""
    said = {key.replace(" ", "_"): text for key, text in _texts(entry).items()}
    return Signature(**cited(entry), name=entry.key.name, **said)
