"""Read operations: an envelope, what the operation changes in it, and the two messages that result."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from paywright_codegen.model.cited import SourceLine
from paywright_codegen.model.operations import Decision, Guard, Listed, MessageSpec, Operation, Resolution, Role, Shown
from paywright_codegen.model.rules import Path, Rule
from paywright_codegen.model.types import Field, Struct, TypeKind, TypeRef
from paywright_codegen.problems import Problem, meant
from paywright_codegen.reader.document import TreeBlock, TreeEntry, lines_of, prose_of
from paywright_codegen.reader.guards import parse_guard
from paywright_codegen.reader.money import parse_amount, parse_gives_back
from paywright_codegen.reader.small_sections import texts, without_questions
from paywright_codegen.reader.structs import changed, joined, parse_rules, with_rules

_PATHS = re.compile(r"([^\s{}]+)(?:\{([^{}]*)\})?")
_DECISION = {
    "answer": "member",
    "yes": "yes",
    "no": "no",
    "why not": "reason",
    "amount": "amount",
    "from": "least",
    "to": "most",
}


@dataclass(frozen=True, slots=True)
class _Direction:
    """One direction of an envelope."""

    headers: tuple[Field, ...] = ()
    fields: tuple[Field, ...] = ()
    rules: tuple[Rule, ...] = ()


@dataclass(frozen=True, slots=True)
class EnvelopeSpec:
    """Shared part of operations: both directions, the members with their own fields, and the codes of success and refusal."""

    name: str
    asks: _Direction = _Direction()
    answers: _Direction = _Direction()
    payload: tuple[str | None, str | None] = (None, None)
    succeeds: tuple[str, str] | None = None
    code: str | None = None
    message: str | None = None
    refuses: tuple[str, ...] = ()
    stale: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    succeeds_questions: tuple[str, ...] = ()
    refuses_questions: tuple[str, ...] = ()
    lines: tuple[SourceLine, ...] = ()


def parse_envelope(entry: TreeEntry, kinds: Mapping[str, TypeKind], problems: list[Problem]) -> EnvelopeSpec:
    """Return the envelope of an entry."""
    key = entry.key
    parts = {part.key.text: part for part in entry.block}

    def fields(name: str) -> tuple[Field, ...]:
        return changed((), parts[name].block, kinds, key.sections, problems) if name in parts else ()

    def rules(name: str) -> tuple[Rule, ...]:
        return parse_rules(parts[name].block, key.sections, problems) if name in parts else ()

    succeeds, succeeds_questions = _words(parts.get("succeeds"))
    refuses, refuses_questions = _words(parts.get("refuses"))
    return EnvelopeSpec(
        name=key.name,
        asks=_Direction(fields("headers"), fields("request"), rules("request rules")),
        answers=_Direction(fields("response headers"), fields("response"), rules("response rules")),
        payload=_payload(_words(parts.get("payload"))[0]),
        code=_path(parts.get("code")),
        message=_path(parts.get("message")),
        succeeds=_equation(succeeds),
        refuses=tuple(refuses),
        stale=tuple(_words(parts.get("stale"))[0]),
        questions=key.questions,
        succeeds_questions=succeeds_questions,
        refuses_questions=refuses_questions,
        lines=tuple(lines_of(entry)),
    )


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The named types, structs and envelopes that operations refer to."""

    kinds: Mapping[str, TypeKind]
    structs: Mapping[str, Struct]
    envelopes: Mapping[str, EnvelopeSpec]


def parse_operation(entry: TreeEntry, inbound: bool, around: Surroundings, problems: list[Problem]) -> Operation:
    """Return the operation of an entry. `inbound` is True for the section `notifications:`."""
    return _Operation(entry, inbound, around, problems).read()


class _Operation:
    """Reads one operation from its entry."""

    def __init__(self, entry: TreeEntry, inbound: bool, around: Surroundings, problems: list[Problem]) -> None:
        self.entry = entry
        self.inbound = inbound
        self.around = around
        self.problems = problems
        self.key = entry.key
        self.parts = {part.key.text: part for part in entry.block}
        self.questions = list(self.key.questions)

    def guards(self) -> tuple[Guard, ...]:
        guards = tuple(parse_guard(each, self.key.sections, self.problems) for each in self.block("before sending"))
        self.questions += [question for guard in guards for question in guard.questions]
        return guards

    def words(self, name: str) -> list[str]:
        """Return the words of a part. Its questions are added to the operation's."""
        words, questions = _words(self.parts.get(name))
        self.questions += questions
        return words

    def said(self, block: Iterable[TreeEntry]) -> dict[str, str]:
        """Return the texts of a block by key. Their questions are added to the operation's."""
        said, questions = texts(block)
        self.questions += questions
        return said

    def block(self, name: str) -> Sequence[TreeEntry]:
        return self.parts[name].block.entries if name in self.parts else ()

    def read(self) -> Operation:
        post = self.words("post")
        envelope = self.envelope()
        key = self.words("key")
        resolution = self.resolution()
        succeeds = _equation(self.words("succeeds"))
        if succeeds is None:
            succeeds = envelope.succeeds
            self.questions += envelope.succeeds_questions
        refuses = (*envelope.refuses, *self.words("refuses"))
        self.questions += envelope.questions
        if key:  # a read changes nothing, so its outcome need not be resolved
            self.questions += envelope.refuses_questions
        echoes, repeats, absent = self.words("echoes"), self.words("repeats"), self.words("absent")
        when = _equation(self.words("when"))
        asks, answers = self.messages(envelope)
        guards = self.guards()
        return Operation(
            place=self.entry.place,
            prose=prose_of(self.entry),
            sections=self.key.sections,
            name=self.key.name,
            inbound=self.inbound,
            post=post[0] if post else None,
            version=self.parts["version"].text if "version" in self.parts else None,
            envelope=envelope.name,
            key=key[0] if key else None,
            key_ignores_case=len(key) > 1,
            resolution=resolution,
            echoes=tuple(echoes),
            each_echoes=self.each_echoes(),
            shows=self.shows(),
            succeeds=succeeds,
            code=envelope.code or (succeeds[0] if succeeds is not None else None),
            message=envelope.message,
            refuses=tuple(dict.fromkeys(refuses)),
            repeats=tuple(repeats),
            absent=tuple(absent),
            stale=envelope.stale,
            when=when,
            once_per=self.once_per(),
            decides=self.decides(),
            about=self.about(),
            amount=parse_amount(self.words("amount")),
            gateway_id=self.path("gateway id"),
            acts_on=next(iter(self.words("acts on")), None),
            gives_back=tuple(
                parse_gives_back(part.key.text, self.said(part.block)) for part in self.block("gives back")
            ),
            lists=self.lists(),
            guards=guards,
            asks=asks,
            answers=answers,
            lines=(*lines_of(self.entry), *envelope.lines),
            questions=tuple(dict.fromkeys(self.questions)),  # last: every part above may ask some
        )

    def envelope(self) -> EnvelopeSpec:
        part = self.parts.get("envelope")
        name = part.text if part is not None else ""
        found = self.around.envelopes.get(name)
        if found is None:
            place = part.place if part is not None else self.entry.place
            do = f"{meant(name, self.around.envelopes)}name one of the section `envelopes:`"
            self.problems.append(Problem(place, f"no envelope is called `{name}`", do))
        return found or EnvelopeSpec(name)

    def resolution(self) -> Resolution | None:
        if self.words("resolved by"):
            return Resolution(None)
        said = self.said(self.block("resolved by"))
        if not said:
            return None
        query, _, by = said["query"].partition(" by ")
        state, _, *values = said.get("done when", " ").split(" ")
        done = (state, tuple(values)) if values else None
        return Resolution(query, by, said.get("placed again after"), "else" in said, done)

    def shows(self) -> tuple[Shown, ...]:
        """Return the members of `F, G as a.b`."""
        items = " ".join(self.words("shows")).split(", ")
        pairs = [
            (asked, answered or asked) for asked, _, answered in (item.partition(" as ") for item in items) if asked
        ]
        return tuple(Shown(tuple(asked.split(".")), tuple(answered.split("."))) for asked, answered in pairs)

    def once_per(self) -> tuple[Path, ...]:
        return tuple(tuple(path.split(".")) for path in _paths(" ".join(self.words("once per"))))

    def each_echoes(self) -> tuple[str, ...]:
        """Return `L.F` and `L.F in M` of `L.F, L{F G} in M`."""
        items = (item.partition(" in ") for item in " ".join(self.words("each echoes")).split(", "))
        return tuple(path + said + among for paths, said, among in items for path in _paths(paths))

    def about(self) -> tuple[str, Path] | None:
        words = self.words("about")
        return (words[0], tuple(words[2].split("."))) if words else None

    def path(self, name: str) -> Path | None:
        return next((tuple(word.split(".")) for word in self.words(name)), None)

    def lists(self) -> tuple[Listed, ...]:
        """Return the lists of `F by G, H by I`."""
        items = " ".join(self.words("lists")).split(", ")
        return tuple(Listed(*item.split(" by ")) for item in items if item)

    def decides(self) -> Decision | None:
        said = self.said(self.block("decides"))
        return Decision(**{_DECISION[key]: text for key, text in said.items()}) if said else None

    def messages(self, envelope: EnvelopeSpec) -> tuple[MessageSpec, MessageSpec]:
        asks_role: Role = "request"
        answers_role: Role = "response"
        if "notification" in self.parts or "answer" in self.parts:
            asks_role, answers_role = "notification", "answer"
            for name in ("request", "response"):
                if name in self.parts:
                    do = "write `notification:` and `answer:`, or `request:` and `response:`"
                    self.problems.append(Problem(self.parts[name].place, f"`{name}:` beside a notification", do))
        for role in (asks_role, answers_role):
            if role not in self.parts:
                self.problems.append(
                    Problem(self.entry.place, f"`{self.key.name}` lacks `{role}:`", "say what is sent")
                )
        dropped = self.words("without")
        ids = {rule.id for rule in (*envelope.asks.rules, *envelope.answers.rules)}
        for name in dropped:
            if name not in ids:
                what = f"envelope `{envelope.name}` has no rule `{name}` to drop"
                do = f"{meant(name, ids)}remove it, or name one of its rules"
                self.problems.append(Problem(self.parts["without"].place, what, do))
        return (
            self.message(
                asks_role,
                self.side(envelope.asks, "with request", "with headers", dropped),
                envelope.payload[0],
                "rules",
            ),
            self.message(answers_role, self.answers_side(envelope, dropped), envelope.payload[1]),
        )

    def answers_side(self, envelope: EnvelopeSpec, dropped: Sequence[str]) -> _Direction:
        """Return the response's side of the envelope, with the rules that this operation adds."""
        side = self.side(envelope.answers, "with response", "with response headers", dropped)
        own = parse_rules(self.block("response rules"), self.key.sections, self.problems)
        return replace(side, rules=with_rules(side.rules, own, self.problems))

    def side(self, side: _Direction, fields: str, headers: str, dropped: Sequence[str]) -> _Direction:
        """Return one direction of the envelope as this operation changes it."""

        def change(base: Sequence[Field], name: str) -> tuple[Field, ...]:
            return changed(base, self.block(name), self.around.kinds, self.key.sections, self.problems)

        kept = tuple(rule for rule in side.rules if rule.id not in dropped)
        return _Direction(change(side.headers, headers), change(side.fields, fields), kept)

    def message(self, role: Role, side: _Direction, payload: str | None, rules_name: str = "") -> MessageSpec:
        part = self.parts.get(role, self.entry)
        rules = parse_rules(self.block(rules_name), self.key.sections, self.problems)
        name = f"{self.key.name}.{role}"
        root = Struct(part.place, sections=self.key.sections, name=name, fields=side.fields, rules=side.rules)
        member = root.field(payload or "")
        wrapped = payload if member is not None and member.type == TypeRef("object", "object") else None
        if part is not self.entry and not isinstance(part.value, TreeBlock):
            message = self.named(part, role, root, wrapped, side.headers, rules)
            return message if wrapped else replace(message, payload=self.carried(message.root, payload))
        inline = part.block if part is not self.entry else ()
        base = () if wrapped else side.fields
        fields = changed(base, inline, self.around.kinds, self.key.sections, self.problems)
        if not wrapped:
            root = replace(root, fields=fields, rules=with_rules(side.rules, rules, self.problems))
            return MessageSpec(self.key.name, role, root, side.headers, payload=self.carried(root, payload))
        data = Struct(part.place, sections=self.key.sections, name=f"{name}.data", fields=fields, rules=rules)
        return MessageSpec(self.key.name, role, _carrying(root, wrapped, data), side.headers, data, payload=wrapped)

    def carried(self, root: Struct, payload: str | None) -> str | None:
        """Return the payload's member of what the gateway sends by itself, if the root has one with a type of its own."""
        member = root.field(payload or "") if self.inbound else None
        return payload if member is not None and member.type.kind == "struct" and not member.type.array else None

    def named(
        self,
        part: TreeEntry,
        role: Role,
        root: Struct,
        wrapped: str | None,
        headers: tuple[Field, ...],
        rules: tuple[Rule, ...],
    ) -> MessageSpec:
        """Return the message whose body, or the member `wrapped` of it, is a named type."""
        for rule in rules:
            do = f"write it in the section `rules:`, under `{part.text}`"
            self.problems.append(Problem(rule.place, f"rule `{rule.id}` is about the type `{part.text}`", do))
        struct = self.around.structs.get(part.text)
        if struct is None:
            do = f"{meant(part.text, self.around.structs)}name a type that the contract defines"
            self.problems.append(Problem(part.place, f"no type is called `{part.text}`", do))
            return MessageSpec(self.key.name, role, root, headers)
        if wrapped:
            carrying = _carrying(root, wrapped, struct)
            return MessageSpec(self.key.name, role, carrying, headers, struct, struct.name, wrapped)
        if root.fields:
            fields, kept = joined(root.fields, struct.fields), with_rules(root.rules, struct.rules, self.problems)
            root = replace(root, fields=fields, rules=kept)
            return MessageSpec(self.key.name, role, root, headers, None, struct.name)
        return MessageSpec(self.key.name, role, struct, headers, None, struct.name)


def _carrying(root: Struct, payload: str, data: Struct) -> Struct:
    """Return the root with `data` as the type of its member `payload`."""
    ref = TypeRef("struct", data.name)
    return replace(
        root, fields=tuple(replace(each, type=ref) if each.wire == payload else each for each in root.fields)
    )


def _payload(words: Sequence[str]) -> tuple[str | None, str | None]:
    """Return the members of request and response of `F` or `F answered in G`."""
    return (words[0], words[-1]) if words else (None, None)


def _path(part: TreeEntry | None) -> str | None:
    words = _words(part)[0]
    return words[0] if words else None


def _paths(text: str) -> Iterator[str]:
    """Yield the paths of `a.b c{d e}`, each with dots."""
    for head, tails in _PATHS.findall(text):
        yield from (f"{head}.{tail}" for tail in tails.split()) if tails else (head,)


def _words(part: TreeEntry | None) -> tuple[list[str], tuple[str, ...]]:
    text, questions = without_questions(" ".join(part.text.split()) if part is not None else "")
    return text.split(), questions


def _equation(words: Sequence[str]) -> tuple[str, str] | None:
    """Return the member and value of `F is A`; None for other words."""
    return (words[0], words[2]) if len(words) == 3 else None
