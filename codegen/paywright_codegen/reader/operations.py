"""Read operations: an envelope, what the operation changes in it, and the two messages that result."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from paywright_codegen.model.cited import SourceLine
from paywright_codegen.model.operations import (
    Decision,
    GivesBack,
    Listed,
    MessageSpec,
    Operation,
    Resolution,
    Role,
    Shown,
)
from paywright_codegen.model.rules import Rule
from paywright_codegen.model.types import Field, Struct, TypeKind, TypeRef
from paywright_codegen.problems import Problem, meant
from paywright_codegen.reader.document import TreeBlock, TreeEntry, lines_of, prose_of
from paywright_codegen.reader.rules import parse_guard
from paywright_codegen.reader.sections import NOTHING, Said, amount_of, path_of, said_of
from paywright_codegen.reader.structs import changed, joined, parse_rules, with_rules

_PATHS = re.compile(r"([^\s{}]+)(?:\{([^{}]*)\})?")


@dataclass(frozen=True, slots=True)
class _Direction:
    headers: tuple[Field, ...] = ()
    fields: tuple[Field, ...] = ()
    rules: tuple[Rule, ...] = ()


@dataclass(frozen=True, slots=True)
class EnvelopeSpec:
    """Shared part of operations: what it says, and both directions."""

    name: str
    said: Said = NOTHING
    asks: _Direction = _Direction()
    answers: _Direction = _Direction()
    questions: tuple[str, ...] = ()
    lines: tuple[SourceLine, ...] = ()


def parse_envelope(entry: TreeEntry, kinds: Mapping[str, TypeKind], problems: list[Problem]) -> EnvelopeSpec:
    """Return the envelope of an entry."""
    key, said = entry.key, said_of(entry, "envelopes")

    def direction(headers: str, fields: str, rules: str) -> _Direction:
        first, then = (changed((), said.block(name), kinds, key.sections, problems) for name in (headers, fields))
        return _Direction(first, then, parse_rules(said.block(rules), key.sections, problems))

    asks = direction("headers", "request", "request rules")
    answers = direction("response headers", "response", "response rules")
    return EnvelopeSpec(key.name, said, asks, answers, key.questions, tuple(lines_of(entry)))


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
    def __init__(self, entry: TreeEntry, inbound: bool, around: Surroundings, problems: list[Problem]) -> None:
        self.entry = entry
        self.inbound = inbound
        self.around = around
        self.problems = problems
        self.key = entry.key
        self.said = said_of(entry, "notifications" if inbound else "operations")

    def block(self, name: str) -> Sequence[TreeEntry]:
        return self.said.block(name)

    def read(self) -> Operation:
        said, envelope = self.said, self.envelope()
        above, key = envelope.said, said.one("key")
        about, succeeds = said.pair("about"), said.pair("succeeds")
        asks, answers = self.messages(envelope)
        guards = tuple(parse_guard(each, self.key.sections, self.problems) for each in self.block("before sending"))
        resolution, decides, gives_back = self.resolution(), self.decides(), self.gives_back()
        questions = [*self.key.questions, *said.questions, *envelope.questions]
        questions += () if succeeds else above.asked("succeeds")
        questions += above.asked("refuses") if key else ()  # a read changes nothing: its outcome need not be resolved
        return Operation(
            place=self.entry.place,
            prose=prose_of(self.entry),
            sections=self.key.sections,
            name=self.key.name,
            inbound=self.inbound,
            post=said.text("post"),
            version=said.text("version"),
            envelope=envelope.name,
            key=key.get("member"),
            key_ignores_case="ignoring" in key,
            resolution=resolution,
            echoes=said.words("echoes"),
            each_echoes=self.each_echoes(),
            shows=tuple(map(_shown, said.each("shows"))),
            succeeds=succeeds or above.pair("succeeds"),
            message=above.text("message"),
            refuses=tuple(dict.fromkeys((*above.words("refuses"), *said.words("refuses")))),
            repeats=said.words("repeats"),
            absent=said.words("absent"),
            stale=above.words("stale"),
            when=said.pair("when"),
            decides=decides,
            gives_back=gives_back,
            once_per=tuple(map(path_of, _paths(" ".join(said.words("once per"))))),
            about=(about[0], path_of(about[1])) if about else None,
            amount=amount_of(said),
            into=path_of(said.text("into")),
            gateway_id=path_of(said.text("gateway id")) or None,
            acts_on=said.text("acts on"),
            lists=tuple(Listed(**one) for one in said.each("lists")),
            guards=guards,
            asks=asks,
            answers=answers,
            lines=(*lines_of(self.entry), *envelope.lines),
            questions=tuple(dict.fromkeys((*questions, *(one for guard in guards for one in guard.questions)))),
        )

    def envelope(self) -> EnvelopeSpec:
        part = self.said.entries.get("envelope")
        name = part.text if part is not None else ""
        found = self.around.envelopes.get(name)
        if found is None:
            place = part.place if part is not None else self.entry.place
            do = f"{meant(name, self.around.envelopes)}name one of the section `envelopes:`"
            self.problems.append(Problem(place, f"no envelope is called `{name}`", do))
        return found or EnvelopeSpec(name)

    def resolution(self) -> Resolution | None:
        if self.said.text("resolved by"):
            return Resolution(None)
        said = self.said.under("resolved by")
        query, done = said.one("query"), said.one("done when")
        if not query:
            return None
        when = (done["member"], tuple(done["values"].split())) if done else None
        return Resolution(
            query["operation"], query["member"], said.text("placed again after"), "else" in said.entries, when
        )

    def each_echoes(self) -> tuple[str, ...]:
        """Return `L.F` and `L.F in M` of `L.F, L{F G} in M`."""
        items = (item.partition(" in ") for item in " ".join(self.said.words("each echoes")).split(", "))
        return tuple(path + said + among for paths, said, among in items for path in _paths(paths))

    def decides(self) -> Decision | None:
        said = self.said.under("decides")
        if not said.entries:
            return None
        member, yes, no, reason = (said.text(key) or "" for key in ("answer", "yes", "no", "why not"))
        return Decision(member, yes, no, reason, said.text("amount"), said.text("from"), said.text("to"))

    def gives_back(self) -> tuple[GivesBack, ...]:
        found = []
        for entry in self.block("gives back"):
            said = self.said.under("gives back", entry)
            within = said.pair("within") or (None, None)
            found.append(GivesBack(entry.key.text, said.text("key"), said.text("gateway id"), *within))
        return tuple(found)

    def messages(self, envelope: EnvelopeSpec) -> tuple[MessageSpec, MessageSpec]:
        asks_role: Role = "request"
        answers_role: Role = "response"
        if {"notification", "answer"} & self.said.entries.keys():
            asks_role, answers_role = "notification", "answer"
            for name in ("request", "response"):
                if name in self.said.entries:
                    do = "write `notification:` and `answer:`, or `request:` and `response:`"
                    self.problems.append(Problem(self.said.entries[name].place, f"`{name}:` beside a notification", do))
        for role in (asks_role, answers_role):
            if role not in self.said.entries:
                what = f"`{self.key.name}` lacks `{role}:`"
                self.problems.append(Problem(self.entry.place, what, "say what is sent"))
        dropped = self.said.words("without")
        ids = {rule.id for rule in (*envelope.asks.rules, *envelope.answers.rules)}
        for name in dropped:
            if name not in ids:
                what = f"envelope `{envelope.name}` has no rule `{name}` to drop"
                do = f"{meant(name, ids)}remove it, or name one of its rules"
                self.problems.append(Problem(self.said.entries["without"].place, what, do))
        payload, side = envelope.said.text("payload"), self.side(envelope.asks, "with request", "with headers", dropped)
        asks = self.message(asks_role, side, payload, "rules")
        side = self.side(envelope.answers, "with response", "with response headers", dropped)
        own = parse_rules(self.block("response rules"), self.key.sections, self.problems)
        side = replace(side, rules=with_rules(side.rules, own, self.problems))
        return asks, self.message(answers_role, side, payload)

    def side(self, side: _Direction, fields: str, headers: str, dropped: Sequence[str]) -> _Direction:
        """Return one direction of the envelope as this operation changes it."""

        def change(base: Sequence[Field], name: str) -> tuple[Field, ...]:
            return changed(base, self.block(name), self.around.kinds, self.key.sections, self.problems)

        kept = tuple(rule for rule in side.rules if rule.id not in dropped)
        return _Direction(change(side.headers, headers), change(side.fields, fields), kept)

    def message(self, role: Role, side: _Direction, payload: str | None, rules_name: str = "") -> MessageSpec:
        part = self.said.entries.get(role, self.entry)
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
        self, part: TreeEntry, role: Role, root: Struct, wrapped: str | None, headers: tuple[Field, ...], rules: tuple[Rule, ...]
    ) -> MessageSpec:  # fmt: skip
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
    fields = (replace(each, type=ref) if each.wire == payload else each for each in root.fields)
    return replace(root, fields=tuple(fields))


def _shown(one: Mapping[str, str]) -> Shown:
    return Shown(path_of(one["asked"]), path_of(one.get("answered", one["asked"])))


def _paths(text: str) -> Iterator[str]:
    """Yield the paths of `a.b c{d e}`, each with dots."""
    for head, tails in _PATHS.findall(text):
        yield from (f"{head}.{tail}" for tail in tails.split()) if tails else (head,)
