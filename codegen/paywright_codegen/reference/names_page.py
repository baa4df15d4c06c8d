"""The index of all names, the open questions with the places that ask them, and the first page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from paywright_codegen.documents.questions import in_order, sentence
from paywright_codegen.model.cited import Cited
from paywright_codegen.model.contract import Contract, Question
from paywright_codegen.model.operations import Operation
from paywright_codegen.naming import variable
from paywright_codegen.reference.codes import all_codes
from paywright_codegen.reference.homes import Home, Homes, anchor_of, slug
from paywright_codegen.reference.tables import Page, prose
from paywright_codegen.reference.words import joined, sections


class NamesPage(Page):
    """View of `names.md.jinja`: every name of the contract, with the place that defines it."""

    @property
    def groups(self) -> list[tuple[str, list[str]]]:
        """Each group of names with its lines, in alphabetical order."""
        groups: tuple[tuple[str, Iterable[tuple[str, str, Home]]], ...] = (
            ("Fields", self._fields()),
            ("Objects", ((name, name, self._homes.struct(name)) for name in self._contract.structs)),
            ("Rules", self._rules()),
            ("Values", self._values()),
            ("Codes", ((name, name, self._homes.code(name)) for name in all_codes(self._contract))),
            ("Limits", ((name, name, self._homes.limit(name)) for name in self._contract.limits)),
            ("Formats of text", ((name, name, self._homes.format(name)) for name in self._contract.formats)),
            ("Questions", ((name, name, self._homes.question(name)) for name in self._contract.questions)),
        )
        return [(title, self._lines(found)) for title, found in groups]

    def _lines(self, found: Iterable[tuple[str, str, Home]]) -> list[str]:
        places: dict[str, dict[Home, str]] = {}
        for name, where, home in found:
            places.setdefault(name, {}).setdefault(home, where)
        return [self._line(name, places[name]) for name in sorted(places, key=str.casefold)]

    def _line(self, name: str, places: dict[Home, str]) -> str:
        links = [self._link(where, home) for home, where in places.items()]
        if list(places.values()) == [name]:
            return f"- {links[0]}"
        python = variable(name)
        also = f" (`{python}`)" if python != name and name.isidentifier() and not name.isupper() else ""
        return f"- `{name}`{also}: {', '.join(links)}"

    def _fields(self) -> Iterator[tuple[str, str, Home]]:
        for struct in self._contract.all_structs():
            for field in struct.fields:
                yield field.wire, struct.name, self._homes.field(struct, field)
        for operation in self._contract.operations.values():
            for message in operation.messages:
                for field in message.headers:
                    yield field.wire, message.name, self._homes.header(message, field)

    def _rules(self) -> Iterator[tuple[str, str, Home]]:
        for struct in self._contract.all_structs():
            for rule in struct.rules:
                yield rule.id, struct.name, self._homes.rule(struct, rule.id)
        for operation in self._contract.operations.values():
            for guard in operation.guards:
                yield guard.id, f"{operation.name}, before sending", self._homes.guard(operation, guard.id)

    def _values(self) -> Iterator[tuple[str, str, Home]]:
        for one in self._contract.sets.values():
            for value in one.values:
                yield value.wire, one.name, self._homes.value(one.name, value.wire)


class QuestionsPage(Page):
    """View of `questions.md.jinja`: what the specification does not show, and the places that ask."""

    def __init__(self, contract: Contract, homes: Homes, page: str) -> None:
        super().__init__(contract, homes, page)
        self._places: dict[str, dict[str, None]] = {}
        for part, text in self._parts():
            for name in part.open_questions:
                self._places.setdefault(name, {})[text] = None
        self._wires = {field.wire for struct in contract.all_structs() for field in struct.fields}

    @property
    def questions(self) -> list[tuple[Question, str, str, str, str]]:
        """Each question: what it says, what we do meanwhile, what was seen elsewhere, and where it is asked."""
        return [
            (one, self._sentence(one.says), self._sentence(one.does), self._sentence(one.seen), self._where(one))
            for one in in_order(self._contract)
        ]

    def _sentence(self, text: str | None) -> str:
        return "" if text is None else prose(sentence(text, self._wires))

    def _where(self, one: Question) -> str:
        places = list(self._places.get(one.name, {}))
        parts = [
            f"See {sections(one.sections)}." if one.sections else "",
            f"Asked by {joined(places)}." if places else "",
        ]
        return " ".join(filter(None, parts))

    def _parts(self) -> Iterator[tuple[Cited, str]]:
        """Yield each part that can ask a question, with a link to it."""
        contract, homes = self._contract, self._homes
        for operation in contract.operations.values():
            for part in (operation, *operation.guards):
                yield part, self._link(operation.name, homes.operation(operation.name))
            for message in operation.messages:
                for field in message.headers:
                    yield field, self._link(f"{message.name}, {field.wire}", homes.header(message, field))
        for struct in contract.all_structs():
            yield struct, self._link(struct.name, homes.struct(struct.name))
            for field in struct.fields:
                yield field, self._link(f"{anchor_of(struct)}.{field.wire}", homes.field(struct, field))
            for rule in struct.rules:
                yield rule, self._link(f"{struct.name}, {rule.id}", homes.rule(struct, rule.id))
        for chosen in contract.sets.values():
            for value in (chosen, *chosen.values):
                yield value, self._link(chosen.name, homes.set(chosen.name))
        for form in contract.formats.values():
            yield form, self._link(form.name, homes.format(form.name))
        for limit in contract.limits.values():
            yield limit, self._link(limit.name, homes.limit(limit.name))
        for seen in contract.seen.values():
            yield seen, self._link(seen.kind, homes.seen(seen.kind))
        for following in contract.follows.values():
            home = Home("states.md", slug(f"Following {following.kind}"))
            yield following, self._link(f"following {following.kind}", home)
        for move in contract.moves:
            yield move, self._link(move.set, homes.set(move.set))


class IndexPage(Page):
    """View of `README.md.jinja`: the list of all pages."""

    @property
    def operations(self) -> list[str]:
        """The lines of the operations that the merchant calls."""
        return [self._line(one) for one in self._contract.operations.values() if not one.inbound]

    @property
    def notifications(self) -> list[str]:
        """The lines of what the gateway sends."""
        seen = [
            f"- {self._link(kind, self._homes.seen(kind))}: {prose(one.prose.summary)} Seen elsewhere."
            for kind, one in self._contract.seen.items()
        ]
        return [*(self._line(one) for one in self._contract.operations.values() if one.inbound), *seen]

    def _line(self, one: Operation) -> str:
        return f"- {self._link(one.name, self._homes.operation(one.name))}: {prose(one.prose.summary)}"
