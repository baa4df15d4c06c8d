"""The page of one operation, or of one notification that the gateway sends."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from paywright_codegen.documents.files import as_json
from paywright_codegen.documents.markdown import code
from paywright_codegen.examples import examples
from paywright_codegen.lookup import payload_struct, questions_of
from paywright_codegen.model.contract import Contract
from paywright_codegen.model.operations import MessageSpec, Operation
from paywright_codegen.model.types import Struct
from paywright_codegen.reference.codes import Meaning, codes_of, other_codes
from paywright_codegen.reference.homes import Homes
from paywright_codegen.reference.tables import Page, Table, anchored, prose
from paywright_codegen.reference.words import amount_of, duration, guard_words, joined, sections
from paywright_codegen.render.views.methods import resolver_name


@dataclass(frozen=True, slots=True)
class RunExample:
    """A program that was run, what it printed, and both messages of the exchange as JSON."""

    python: str
    printed: str
    request: str
    answer: str


class OperationPage(Page):
    """View of `operation.md.jinja`."""

    def __init__(self, contract: Contract, homes: Homes, operation: Operation, runs: Mapping[str, RunExample]) -> None:
        super().__init__(contract, homes, homes.operation(operation.name).page)
        self.operation = operation
        self.file = operation.place.file
        self.run = runs.get(operation.name)

    @property
    def prose(self) -> list[str]:
        """The words of the contract."""
        return [prose(line) for line in self.operation.prose.lines]

    @property
    def facts(self) -> list[str]:
        """The facts of the operation, each a line of a list."""
        return list(self._facts())

    def _facts(self) -> Iterator[str]:
        one = self.operation
        address = code(f"POST {one.post}") if one.post else "not shown: give it with `Client(paths=...)`"
        yield f"**Address:** {address}{f', version {one.version}' if one.version else ''}"
        if one.sections:
            yield f"**Specification:** {sections(one.sections)}"
        if one.inbound:
            yield f"**Handler:** `@receiver.on_{one.verb}`"
        else:
            result = self._link_struct(one.answers.result or one.answers.root.name)
            yield f"**Python:** `client.{one.resource}.{one.verb}(...)` returns {result}"
        kind = "a write: it can move money" if one.write else "a query: it moves no money"
        yield f"**Kind:** {self._inbound_kind() if one.inbound else kind}"
        if one.key is not None:
            case = "without regard to case" if one.key_ignores_case else "exactly"
            yield f"**Key:** {code(one.key)}, your own number. Keys are compared {case}."
        if one.when is not None:
            yield f"**Recognised by:** {code(one.when[0])} is {code(one.when[1])}"
        if one.once_per:
            yield f"**One effect for each:** {joined(code('.'.join(path)) for path in one.once_per)}"
        if one.amount is not None:
            yield f"**Amount:** {amount_of(one.amount.member, one.amount.currency)}"
        if one.into:
            yield f"**Paid into:** {code('.'.join(one.into))}"
        if one.gateway_id is not None:
            yield f"**The gateway's own number:** {code('.'.join(one.gateway_id))}"
        if one.about is not None:
            yield f"**The same as an answer:** {self._operations(one.about[0])} by {code('.'.join(one.about[1]))}"
        if one.acts_on is not None:
            yield f"**Changes:** what {self._operations(one.acts_on)} shows"
        for back in one.gives_back:
            by = joined((code(name) for name in (back.key, back.gateway_id) if name), "or")
            within = (
                "" if back.within is None else f", within {self._limit(back.within)} of its {code(back.since or '')}"
            )
            yield f"**Gives back:** what {self._operations(back.operation)} shows, by {by}{within}"
        for listed in one.lists:
            yield f"**Lists:** {code(listed.items)}, each by {code(listed.key)}"
        for words, names in (("The answer repeats", one.echoes), ("Each element repeats", one.each_echoes)):
            if names:
                yield f"**{words}:** {joined(map(code, names))}"
        if one.shows:
            yield f"**Compared with the answer:** {joined(code(each.wire) for each in one.shows)}. Another value means another call."

    def _inbound_kind(self) -> str:
        if self.operation.decides is None:
            return "a notification (webhook), which is sent again until you acknowledge it"
        one = self.operation.decides
        limits = (
            "" if one.amount is None else f" A yes names the limits {code(one.least or '')} and {code(one.most or '')}."
        )
        return f"a question to you: {code(one.member)} is {code(one.yes)}, or {code(one.no)} with {code(one.reason)}.{limits}"

    @property
    def messages(self) -> list[tuple[str, list[Table]]]:
        """The tables of both messages, each message with its title."""
        return [(self._title(message), list(self._parts(message))) for message in self.operation.messages]

    def _title(self, message: MessageSpec) -> str:
        return {"request": "Request", "response": "Answer", "notification": "Notification", "answer": "Your answer"}[
            message.role
        ]

    def _parts(self, message: MessageSpec) -> Iterator[Table]:
        one = self.operation
        unnamed = [each for each in (message.data, message.root) if each is not None and not each.named]
        for struct in unnamed[: message.data is not None]:
            yield self._message_table(one, message, struct)
        for struct in self._objects(message):
            yield self._object(struct)
        for struct in unnamed[message.data is not None :]:
            yield self._message_table(one, message, struct)
        yield self._headers(message)

    def _objects(self, message: MessageSpec) -> list[Struct]:
        """Return the named objects of a message that this page defines; those of both messages are with the first."""
        first = {one.name for one in self._homes.structs_in(self.operation.asks)}
        own = [one for one in self._homes.own_structs(self.operation) if one.named]
        is_first = message is self.operation.asks
        return [one for one in own if (one.name in first) == is_first]

    @property
    def other_objects(self) -> list[str]:
        """Links to the objects of the messages that other pages define."""
        own = {one.name for one in self._homes.own_structs(self.operation)}
        return [
            self._link_struct(one.name)
            for one in self._homes.structs_of(self.operation)
            if one.named and one.name not in own
        ]

    @property
    def guards(self) -> list[str]:
        """The demands without which the client sends nothing, each a line of a list."""
        lines = [
            f"- {anchored(self._homes.guard(self.operation, one.id), code(one.id))}: {guard_words(one)}{self._asked(one)}"
            for one in self.operation.guards
        ]
        decimals = [one.name for one in self._contract.limits.values() if one.decimals is not None]
        return lines + [f"- Numbers have at most as many decimals as {self._limit(name)} allows." for name in decimals]

    @property
    def codes(self) -> list[tuple[str, Meaning]]:
        """The codes of the answer by their meaning; the last row is of all others."""
        found: dict[Meaning, list[str]] = {}
        for name, meaning in codes_of(self._contract, self.operation):
            found.setdefault(meaning, []).append(self._link(name, self._homes.code(name)))
        return [
            *((", ".join(names), meaning) for meaning, names in found.items()),
            ("any other", other_codes(self.operation)),
        ]

    @property
    def settling(self) -> list[str]:
        """The ways to find out what became of a write, each a paragraph."""
        one, resolution = self.operation, self.operation.resolution
        if not one.write:
            return []
        if resolution is None or resolution.operation is None:
            return [
                "The specification has no query for it. The outcome stays unknown until the gateway's operators tell you: "
                "ask them, and do not repeat the call."
            ]
        lines = [
            f"`{resolver_name(self._contract, one)}(error)` settles it. It asks {self._operations(resolution.operation)} "
            f"by {code(resolution.by or '')}."
        ]
        if resolution.done is not None:
            lines.append(
                f"It is done when {code(resolution.done[0])} is {joined(map(code, resolution.done[1]), 'or')}."
            )
        limit = self._contract.limits.get(resolution.placed_again_after or "")
        if limit is not None:
            lines.append(
                f"The order may be placed again, with the same key, only after two verified answers that it does not exist, at least "
                f"{duration(limit.seconds or 0)} apart ({self._limit(limit.name)})."
            )
        elif resolution.queried_again:
            lines.append("While the query says that there is nothing, ask again.")
        else:
            lines.append(
                "No rule allows to place it again. If the query finds nothing, the resolver says `decide`: a person decides."
            )
        return lines

    @property
    def follows(self) -> list[str]:
        """Links to the states that items of this operation have, and to how they are followed."""
        names = dict.fromkeys(
            field.type.name
            for struct in self._homes.structs_of(self.operation)
            for field in struct.fields
            if field.type.kind == "set" and self._contract.sets[field.type.name].states
        )
        return [self._link(name, self._homes.set(name)) for name in names]

    @property
    def followed(self) -> str:
        """The method that follows what this write makes; "" if there is none."""
        following = self._contract.follows.get(self.operation.resource)
        if not self.operation.write or following is None or self.operation.resolution is None:
            return ""
        if (self.operation.resolution.operation, self.operation.resolution.by) != (following.operation, following.by):
            return ""
        return f"client.{self.operation.resource}.follow(...)"

    @property
    def questions(self) -> list[str]:
        """Links to the open questions of the operation and of all it reaches."""
        names = questions_of(self._contract, self.operation)
        return [self._link(name, self._homes.question(name)) for name in names]

    @property
    def made(self) -> tuple[str, str]:
        """Examples of both messages, made from the contract."""
        asked, answered = examples(self._contract, self.operation)
        return as_json(asked), as_json(answered)

    @property
    def data(self) -> str:
        """A link to what a handler gets in `event.data`."""
        return self._link_struct(payload_struct(self._contract, self.operation.asks)[1].name)

    def _link_struct(self, name: str) -> str:
        return self._link(name, self._homes.struct(name)) if name in self._contract.structs else code("the answer")
