"""Pages of what several operations share: value lists and states, codes, limits, objects, notifications seen elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from paywright_codegen.documents.markdown import code, row
from paywright_codegen.model.contract import Contract, Following, Limit
from paywright_codegen.model.operations import SeenNotification
from paywright_codegen.model.types import Set, Value
from paywright_codegen.naming import member
from paywright_codegen.reference.codes import Meaning, all_codes
from paywright_codegen.reference.homes import Homes
from paywright_codegen.reference.operation_page import RunExample
from paywright_codegen.reference.tables import Page, Table, anchored, prose
from paywright_codegen.reference.words import amount_of, joined, limit_words, sections


class StatesPage(Page):
    """View of `states.md.jinja`: value lists, states with what may follow, and how items are followed."""

    @property
    def lists(self) -> list[tuple[Set, str, list[str]]]:
        """Each value list, states first: its words, and its lines."""
        ordered = sorted(self._contract.sets.values(), key=lambda one: not one.states)
        return [(one, self._words(one), list(self._lines(one))) for one in ordered]

    def _words(self, one: Set) -> str:
        more = " Other values may come: they are kept as they are." if one.open else ""
        cited = f" See {sections(one.sections)}." if one.sections else ""
        used = list(self._used(one.name))
        where = f" Used by {joined(used)}." if used else ""
        return f"{prose(one.prose.text)}{more}{cited}{where}{self._asked(one)}".strip()

    def _used(self, name: str) -> Iterator[str]:
        for struct in self._contract.all_structs():
            for field in struct.fields:
                if field.type.kind == "set" and field.type.name == name:
                    yield self._link(f"{struct.name}.{field.wire}", self._homes.field(struct, field))

    def _lines(self, one: Set) -> Iterator[str]:
        columns = ("Value", "Python", "Meaning", *(("May follow",) if one.states else ()))
        yield row(*columns)
        yield row(*("---" for _ in columns))
        for value in one.values:
            home = self._homes.value(one.name, value.wire)
            said = f"{_marks(value)}{prose(value.prose.text)}{self._asked(value)}"
            cells = [anchored(home, code(value.wire)), code(f"{one.name}.{member(value)}"), said]
            yield row(*cells, *([self._next(one, value)] if one.states else []))
        moves = [move for move in self._contract.moves if move.set == one.name]
        if moves:
            yield ""
            yield "Changes that the specification shows:"
            yield ""
        for move in moves:
            more = f": {prose(move.prose.text)}" if move.prose.lines else ""
            yield (
                f"- {code(move.before)} to {joined(map(code, move.after), 'or')}, when {prose(move.trigger)}{more}"
                f"{self._asked(move)}"
            )

    def _next(self, one: Set, value: Value) -> str:
        shown = [
            after
            for move in self._contract.moves
            if move.set == one.name and move.before in (value.wire, "any")
            for after in move.after
        ]
        if value.final:
            return "nothing: it is final"
        if value.settled:
            return f"only {joined(map(code, shown), 'or')}" if shown else "nothing"
        return "any other value"

    @property
    def follows(self) -> list[tuple[str, str]]:
        """The way in which the items of each resource are followed."""
        return [(kind, self._follow(one)) for kind, one in self._contract.follows.items()]

    def _follow(self, one: Following) -> str:
        operation = self._contract.operations[one.operation]
        asked = f"asks {self._operations(one.operation)} by {code(one.by)}"
        how = f"hears of them by {self._operations(one.operation)} alone" if operation.inbound else asked
        words = [f"A follower {how}. The state is {code('.'.join(one.state))}."]
        if one.each:
            words.append(f"Each part has the state {code('.'.join(one.each))}, and all of them must be settled.")
        if one.amount:
            words.append(f"The amount is {amount_of(one.amount, one.currency)}.")
        if one.open_for:
            words.append(f"An item stays open at most as long as {self._limit(one.open_for)} allows.")
        if one.open_until:
            words.append(f"An item can stay open until {code('.'.join(one.open_until))}.")
        return " ".join(words) + self._asked(one)


def _marks(value: Value) -> str:
    words = [word for word, on in (("Money moved.", value.paid), ("Money moved back.", value.returned)) if on]
    return "".join(f"**{word}** " for word in words)


class CodesPage(Page):
    """View of `codes.md.jinja`."""

    @property
    def codes(self) -> list[tuple[str, list[tuple[Meaning, str]]]]:
        """Each code with its meanings, and the operations in which it has each."""
        return [
            (name, [(meaning, self._operations(*operations)) for meaning, operations in meanings.items()])
            for name, meanings in all_codes(self._contract).items()
        ]


class LimitsPage(Page):
    """View of `limits.md.jinja`: limits, formats of text, the merchant's numbers, signatures, versions."""

    @property
    def limits(self) -> list[tuple[Limit, str]]:
        """Each limit, and its words."""
        return [(one, self._words(one)) for one in self._contract.limits.values()]

    def _words(self, one: Limit) -> str:
        words = [f"**{limit_words(one)}.**", prose(one.prose.text)]
        carried = [self._carrier(name) for name in one.carried_by]
        words.append(f"Carried by {joined(carried)}." if carried else "")
        words.append(f"See {sections(one.sections)}." if one.sections else "")
        return " ".join(filter(None, words)) + self._asked(one)

    def _carrier(self, name: str) -> str:
        for struct in self._contract.all_structs():
            for field in struct.fields:
                if name in (f"{struct.name}.{field.wire}", f"{struct.name.removesuffix('.data')}.{field.wire}"):
                    return self._link(name, self._homes.field(struct, field))
            for rule in struct.rules:
                if rule.id == name:
                    return self._link(f"{struct.name}.{name}", self._homes.rule(struct, name))
        return code(name)

    @property
    def formats(self) -> list[str]:
        """The rows of the formats of text."""
        return [
            row(
                anchored(self._homes.format(one.name), code(one.name)),
                code(one.python),
                prose(one.shown),
                f"{prose(one.prose.text)}{self._asked(one)}",
            )
            for one in self._contract.formats.values()
        ]

    @property
    def numbers(self) -> list[str]:
        """The rows of the merchant's numbers."""
        return [
            row(code(one.name), "required" if one.required else "optional", prose(one.prose.text) + self._asked(one))
            for one in self._contract.numbers.values()
        ]

    @property
    def signatures(self) -> list[str]:
        """The rows of the signatures."""
        return [
            row(code(one.name), code(one.covers), code(one.written), prose(one.prose.text) + self._asked(one))
            for one in self._contract.signatures.values()
        ]

    @property
    def versions(self) -> list[str]:
        """The rows of the versions of operations."""
        return [row(self._operations(name), version) for name, (version, _) in self._contract.versions.items()]


class ObjectsPage(Page):
    """View of `objects.md.jinja`: the objects of more than one operation."""

    @property
    def tables(self) -> list[tuple[Table, str]]:
        """Each object, and the operations that use it."""
        return [
            (
                self._object(one),
                self._operations(*self._homes.users[one.name]) if one.name in self._homes.users else "no message",
            )
            for one in self._homes.shared_structs()
        ]


class SeenPage(Page):
    """View of `seen.md.jinja`: a notification that the specification does not show."""

    def __init__(self, contract: Contract, homes: Homes, one: SeenNotification, runs: Mapping[str, RunExample]) -> None:
        super().__init__(contract, homes, homes.seen(one.kind).page)
        self.run = runs.get(one.kind)
        self.one = one
        self.file = one.place.file

    @property
    def facts(self) -> list[str]:
        """The facts of the notification, each a line of a list."""
        one = self.one
        lines = [
            f'**Handler:** `@receiver.on_kind("{one.kind}", once_per=("{one.key}", "{one.state}"))`',
            f"**Shows the same as:** {self._operations(one.about)} by {code(one.key)}",
            f"**State:** {code(one.state)}",
        ]
        if one.amount is not None:
            lines.append(f"**Amount:** {amount_of(one.amount.member, one.amount.currency)}")
        lines.append(f"**Sent to:** the address in {code(one.address)}, or the one set in the dashboard")
        if one.sections:
            lines.append(f"**Specification:** {sections(one.sections)}")
        return lines

    @property
    def prose(self) -> str:
        """The words of the contract, with links to the open questions."""
        return f"{prose(self.one.prose.text)}{self._asked(self.one)}"
