"""The pages of the reference: those of operations, and those of what several share."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from paywright_codegen.documents.questions import in_order, sentence
from paywright_codegen.model.cited import Cited
from paywright_codegen.model.contract import Contract, Following, Limit
from paywright_codegen.model.types import Set, Value
from paywright_codegen.naming import member
from paywright_codegen.reference.operation_page import OperationPage, RunExample, SeenPage
from paywright_codegen.reference.tables import (
    Home,
    Homes,
    Lines,
    Page,
    all_codes,
    amount_of,
    anchored,
    code,
    head,
    limit_words,
    prose,
    row,
    section,
    sections,
    slug,
    table,
)
from paywright_codegen.render.views.doc_text import joined

_BLANK_LINES: Final = re.compile(r"\n{3,}")


def reference_pages(contract: Contract, runs: Mapping[str, RunExample] | None = None) -> dict[str, str]:
    """Return the reference of a contract, Markdown by the path of the page.

    `runs` are examples that were run, by operation or kind; the other operations show messages made from the contract.
    """
    homes, found = Homes(contract), dict[str, Lines]()
    for one in contract.operations.values():
        page = OperationPage(contract, homes, one, runs or {})
        found[page.page] = page.lines()
    for each in contract.seen.values():
        seen = SeenPage(contract, homes, each, runs or {})
        found[seen.page] = seen.lines()
    for name, lines in _SHARED.items():
        found[name] = lines(_SharedPage(contract, homes, name))
    return {name: _BLANK_LINES.sub("\n\n", "\n".join(made)).strip() + "\n" for name, made in found.items()}


class _SharedPage(Page):
    """A page of what several operations share: a method each."""

    def index(self) -> Lines:
        yield from head("Reference")
        yield "What the gateway's interface has, taken from the contract."
        lines: dict[bool, list[str]] = {False: [], True: []}
        for name, one in (*self._contract.operations.items(), *self._contract.seen.items()):
            more = " Seen elsewhere." if name in self._contract.seen else ""
            page = self._homes.operation(name)
            lines[page.page.startswith("n")].append(f"- {self._link(name, page)}: {prose(one.prose.summary)}{more}")
        yield from section("Operations", lines[False])
        yield from section("Notifications and questions to you (webhooks)", lines[True])
        yield from section("What they share", _PARTS.splitlines())

    def codes(self) -> Lines:
        yield from head("Codes of the gateway")
        yield "A code counts only in an answer whose signature is verified. A code that is not here proves nothing about a write: its outcome is"
        yield "unknown, and the resolver settles it. The code of a query only says whether the gateway answered it."
        for name, meanings in all_codes(self._contract).items():
            rows = (row(one.proves, one.do, self._operations(*operations)) for one, operations in meanings.items())
            yield from section(name, table(("What it proves", "What to do", "In answers of"), rows))

    def objects(self) -> Lines:
        yield from head("Objects that several operations have")
        shared = (one for name, one in self._contract.structs.items() if self._homes.struct(name).page == self.page)
        for one in shared:
            used = self._operations(*self._homes.users[one.name]) if one.name in self._homes.users else "no message"
            text, rows, rules = self._object(one)
            yield from self._part(one.name, f"{text} Used by {used}.", rows, rules, one.name, level=2)

    def states(self) -> Lines:
        """Yield value lists, states with what may follow, and how items are followed."""
        yield from head("States and value lists")
        for one in sorted(self._contract.sets.values(), key=lambda one: not one.states):
            yield from section(one.name, (self._set_words(one), "", *self._values(one)))
        for kind, following in self._contract.follows.items():
            yield from section(f"Following {kind}", [self._follow(following)])

    def _set_words(self, one: Set) -> str:
        more = " Other values may come: they are kept as they are." if one.open else ""
        cited = f" See {sections(one.sections)}." if one.sections else ""
        used = [
            self._link(f"{struct.name}.{field.wire}", self._homes.part(struct, field.wire))
            for struct in self._contract.all_structs()
            for field in struct.fields
            if (field.type.kind, field.type.name) == ("set", one.name)
        ]
        where = f" Used by {joined(used)}." if used else ""
        return f"{prose(one.prose.text)}{more}{cited}{where}{self._asked(one)}".strip()

    def _values(self, one: Set) -> Lines:
        rows = []
        for value in one.values:
            home = Home("states.md", f"{one.name}.{value.wire}")
            marks = (("Money moved.", value.paid), ("Money moved back.", value.returned))
            marked = "".join(f"**{word}** " for word, on in marks if on)
            said = f"{marked}{prose(value.prose.text)}{self._asked(value)}"
            cells = [anchored(home, code(value.wire)), code(f"{one.name}.{member(value)}"), said]
            rows.append(row(*cells, *([self._next(one, value)] if one.states else [])))
        yield from table(("Value", "Python", "Meaning", *(("May follow",) if one.states else ())), rows)
        moves = [move for move in self._contract.moves if move.set == one.name]
        yield from ("", "Changes that the specification shows:", "") if moves else ()
        for move in moves:
            more = f": {prose(move.prose.text)}" if move.prose.lines else ""
            after = joined(map(code, move.after), "or")
            yield f"- {code(move.before)} to {after}, when {prose(move.trigger)}{more}{self._asked(move)}"

    def _next(self, one: Set, value: Value) -> str:
        moves = (move for move in self._contract.moves if move.set == one.name and move.before in (value.wire, "any"))
        shown = [after for move in moves for after in move.after]
        if value.final:
            return "nothing: it is final"
        if value.settled:
            return f"only {joined(map(code, shown), 'or')}" if shown else "nothing"
        return "any other value"

    def _follow(self, one: Following) -> str:
        query = self._operations(one.operation)
        told = f"hears of them by {query} alone"
        how = told if self._contract.operations[one.operation].inbound else f"asks {query} by {code(one.by)}"
        words = [f"A follower {how}. The state is {code('.'.join(one.state))}."]
        if one.each:
            words.append(f"Each part has the state {code('.'.join(one.each))}, and all of them must be settled.")
        if one.amount:
            words.append(f"The amount is {amount_of(one.amount, one.currency)}.")
        if one.open_for:
            words.append(f"An item stays open at most as long as {self._to('limit', one.open_for)} allows.")
        if one.open_until:
            words.append(f"An item can stay open until {code('.'.join(one.open_until))}.")
        return " ".join(words) + self._asked(one)

    def limits(self) -> Lines:
        """Yield limits, formats of text, the merchant's numbers, signatures, versions."""
        contract = self._contract
        yield from head("Limits, formats and numbers")
        yield "Limits of one field stand in the table of the field. These hold beyond one field."
        for limit in contract.limits.values():
            yield from section(limit.name, [self._limit_words(limit)])

        def said(one: Cited) -> str:
            return f"{prose(one.prose.text)}{self._asked(one)}"

        homes = {name: anchored(self._homes.named("format", name), code(name)) for name in contract.formats}
        formats = [
            (homes[one.name], code(one.python), prose(one.shown), said(one)) for one in contract.formats.values()
        ]
        numbers = [
            (code(one.name), "required" if one.required else "optional", said(one)) for one in contract.numbers.values()
        ]
        signatures = [
            (code(one.name), code(one.covers), code(one.written), said(one)) for one in contract.signatures.values()
        ]
        versions = [(self._operations(one.name), one.version) for one in contract.operations.values() if one.version]
        parts: tuple[tuple[str, tuple[str, ...], Iterable[tuple[str, ...]]], ...] = (
            ("Formats of text", ("Format", "Python", "Form", "Meaning"), formats),
            ("Numbers of the merchant", ("Argument of `Merchant`", "Need", "Meaning"), numbers),
            ("Signatures", ("Signature", "Covers", "Written as", "Meaning"), signatures),
            ("Versions", ("Operation", "Version"), versions),
        )
        for title, columns, rows in parts:
            yield from section(title, table(columns, (row(*cells) for cells in rows)) if rows else ())

    def _limit_words(self, one: Limit) -> str:
        cited = f"See {sections(one.sections)}." if one.sections else ""
        return " ".join(filter(None, (f"**{limit_words(one)}.**", prose(one.prose.text), cited))) + self._asked(one)

    def questions(self) -> Lines:
        """Yield what the specification does not show, with the places that ask."""
        yield from head("Open questions about the specification")
        yield "The specification does not show these, or says two different things. `paywright contract questions` prints them as a letter to the"
        yield "operators of the gateway."
        places: dict[str, dict[str, None]] = {}
        for part, text, home in self._parts_that_ask():
            for name in part.open_questions:
                places.setdefault(name, {})[self._link(text, home)] = None
        wires = {field.wire for struct in self._contract.all_structs() for field in struct.fields}
        for one in in_order(self._contract):
            seen = None if one.seen is None else f"- **Seen elsewhere:** {prose(sentence(one.seen, wires))}"
            asked = places.get(one.name)
            where = (
                f"See {sections(one.sections)}." if one.sections else "",
                f"Asked by {joined(asked)}." if asked else "",
            )
            meanwhile = f"- **Meanwhile:** {prose(sentence(one.does, wires))}"
            yield from section(one.name, (prose(sentence(one.says, wires)), "", *filter(None, (meanwhile, seen))))
            yield from ("", " ".join(filter(None, where)))

    def _parts_that_ask(self) -> Iterator[tuple[Cited, str, Home]]:
        """Yield each part that can ask a question, with its name and its home."""
        contract, homes = self._contract, self._homes
        for operation in contract.operations.values():
            for part in (operation, *operation.guards):
                yield part, operation.name, homes.operation(operation.name)
            for message in operation.messages:
                for field in message.headers:
                    home = homes.operation(operation.name, f"{message.role}.header.{field.wire}")
                    yield field, f"{message.name}, {field.wire}", home
        for struct in contract.all_structs():
            yield struct, struct.name, homes.struct(struct.name)
            for field in struct.fields:
                yield field, f"{struct.name}.{field.wire}", homes.part(struct, field.wire)
            for rule in struct.rules:
                yield rule, f"{struct.name}, {rule.id}", homes.part(struct, rule.id)
        for chosen in contract.sets.values():
            yield from ((value, chosen.name, homes.named("set", chosen.name)) for value in (chosen, *chosen.values))
        yield from ((form, name, homes.named("format", name)) for name, form in contract.formats.items())
        yield from ((limit, name, homes.named("limit", name)) for name, limit in contract.limits.items())
        yield from ((seen, kind, homes.operation(kind)) for kind, seen in contract.seen.items())
        for kind, following in contract.follows.items():
            yield following, f"following {kind}", Home("states.md", slug(f"Following {kind}"))
        yield from ((move, move.set, homes.named("set", move.set)) for move in contract.moves)


_PARTS: Final = """\
- [States and value lists](states.md): the states of orders, refunds and the like, and what may follow each
- [Codes](codes.md): what each code proves, and what to do
- [Objects](objects.md) that several operations have
- [Limits, formats and numbers](limits.md)
- [Open questions](questions.md) about the specification
"""
_SHARED: Final = {
    "states.md": _SharedPage.states,
    "codes.md": _SharedPage.codes,
    "limits.md": _SharedPage.limits,
    "objects.md": _SharedPage.objects,
    "questions.md": _SharedPage.questions,
    "README.md": _SharedPage.index,
}
