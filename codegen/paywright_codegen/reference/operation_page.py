"""The page of one operation, or of one notification that the gateway sends."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from paywright_codegen.documents.files import as_json
from paywright_codegen.examples import examples
from paywright_codegen.lookup import questions_of
from paywright_codegen.model.contract import Contract
from paywright_codegen.model.operations import MessageSpec, Operation, SeenNotification
from paywright_codegen.model.types import Struct
from paywright_codegen.reference.tables import (
    Homes,
    Lines,
    Meaning,
    Page,
    amount_of,
    anchored,
    code,
    codes_of,
    duration,
    fenced,
    head,
    other_codes,
    prose,
    row,
    section,
    sections,
    table,
)
from paywright_codegen.render.views.doc_text import joined
from paywright_codegen.render.views.methods import resolver_name

_TITLES = {"request": "Request", "response": "Answer", "notification": "Notification", "answer": "Your answer"}


@dataclass(frozen=True, slots=True)
class RunExample:
    """A program that was run, what it printed, and both messages of the exchange as JSON."""

    python: str
    printed: str
    request: str
    answer: str

    def program(self, *words: str) -> Lines:
        """Yield the program below some words, and what it prints."""
        yield from (*words, "", *fenced(self.python, "python"), "", "It prints:", "", *fenced(self.printed, "text"), "")


class OperationPage(Page):
    """The page of one operation."""

    def __init__(self, contract: Contract, homes: Homes, operation: Operation, runs: Mapping[str, RunExample]) -> None:
        super().__init__(contract, homes, homes.operation(operation.name).page)
        self.operation = operation
        self._run = runs.get(operation.name)

    def lines(self) -> Lines:
        """Yield the lines of the page."""
        one = self.operation
        yield from (*head(one.name, one.place.file), *map(prose, one.prose.lines), "")
        yield from (f"- {fact}" for fact in self._facts())
        yield from section("Example", self._example())
        for message in one.messages:
            yield from ("", f"## {_TITLES[message.role]}", *self._parts(message))
        others = ", ".join(self._link_struct(each.name) for each in self._named(own=False))
        yield from ("", f"Objects that other operations have too: {others}.") if others else ()
        if not one.inbound:
            yield from section("Before sending", self._guards())
            yield from section("Codes", table(("Code", "What it proves", "What to do"), self._codes()))
        settling = " ".join(self._settling())
        yield from section("If the outcome is unknown", [settling] if settling else [])
        yield from section("States", self._states())
        questions = [self._to("question", name) for name in questions_of(self._contract, one)]
        said = "The specification leaves these open. Each link says what the library does until the gateway answers:"
        yield from section("Open questions", [said, f"{', '.join(questions)}."] if questions else [])

    def _example(self) -> Lines:
        run = self._run
        if run is not None:
            yield from run.program(
                "Save this as a file and run it with Python. It needs `pip install paywright` and nothing else: the gateway is",
                "[the sandbox](../../sandbox.md), in the same process.",
            )
            yield "On the wire, the request and the answer:"
            asked, answered = run.request, run.answer
        else:
            yield "On the wire, a message and its answer, made from the contract:"
            asked, answered = map(as_json, examples(self._contract, self.operation))
        yield from ("", *fenced(asked, "json"), "", *fenced(answered, "json"))

    def _facts(self) -> Lines:
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
            within = f", within {self._to('limit', back.within)} of its {code(back.since or '')}" if back.within else ""
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
        limits = f" A yes names the limits {code(one.least or '')} and {code(one.most or '')}." if one.amount else ""
        return f"a question to you: {code(one.member)} is {code(one.yes)}, or {code(one.no)} with {code(one.reason)}.{limits}"

    def _parts(self, message: MessageSpec) -> Lines:
        one = self.operation
        unnamed = [each for each in (message.data, message.root) if each is not None and not each.named]
        for struct in unnamed[: message.data is not None]:
            yield from self._message_table(one, message, struct)
        first = {one.name for one in self._homes.structs_in(one.asks)}  # objects of both messages are with the first
        for struct in (each for each in self._named() if (each.name in first) == (message is one.asks)):
            yield from self._part(struct.name, *self._object(struct), struct.name)
        for struct in unnamed[message.data is not None :]:
            yield from self._message_table(one, message, struct)
        yield from self._headers(message)

    def _named(self, own: bool = True) -> list[Struct]:
        """Return the named objects of both messages that this page defines, or the others."""
        named = (one for one in self._homes.structs_of(self.operation) if one.named)
        return [one for one in named if (self._homes.struct(one.name).page == self.page) == own]

    def _guards(self) -> Lines:
        """Yield the demands without which the client sends nothing."""
        for one in self.operation.guards:
            name = anchored(self._homes.operation(self.operation.name, f"guard.{one.id}"), code(one.id))
            yield f"- {name}: the client sends the request only if {code(one.text)}.{self._asked(one)}"
        for limit in self._contract.limits.values():
            if limit.decimals is not None:
                yield f"- Numbers have at most as many decimals as {self._to('limit', limit.name)} allows."

    def _codes(self) -> Lines:
        """Yield the rows of the codes of the answer by their meaning; the last is of all others."""
        found: dict[Meaning, list[str]] = {}
        for name, meaning in codes_of(self._contract, self.operation):
            found.setdefault(meaning, []).append(self._to("code", name))
        found[other_codes(self.operation)] = ["any other"]
        yield from (row(", ".join(names), meaning.proves, meaning.do) for meaning, names in found.items())

    def _settling(self) -> Lines:
        """Yield the ways to find out what became of a write."""
        one, resolution = self.operation, self.operation.resolution
        if not one.write:
            return
        if resolution is None or resolution.operation is None:
            yield (
                "The specification has no query for it. The outcome stays unknown until the gateway's operators tell you: "
                "ask them, and do not repeat the call."
            )
            return
        yield (
            f"`{resolver_name(self._contract, one)}(error)` settles it. It asks {self._operations(resolution.operation)} "
            f"by {code(resolution.by or '')}."
        )
        if resolution.done is not None:
            yield f"It is done when {code(resolution.done[0])} is {joined(map(code, resolution.done[1]), 'or')}."
        limit = self._contract.limits.get(resolution.placed_again_after or "")
        if limit is not None:
            yield (
                f"The order may be placed again, with the same key, only after two verified answers that it does not exist, at least "
                f"{duration(limit.seconds or 0)} apart ({self._to('limit', limit.name)})."
            )
        elif resolution.queried_again:
            yield "While the query says that there is nothing, ask again."
        else:
            yield "No rule allows to place it again. If the query finds nothing, the resolver says `decide`: a person decides."

    def _states(self) -> Lines:
        """Yield the states that items of this operation have, and how what a write makes is followed."""
        names = dict.fromkeys(
            field.type.name
            for struct in self._homes.structs_of(self.operation)
            for field in struct.fields
            if field.type.kind == "set" and self._contract.sets[field.type.name].states
        )
        if not names:
            return
        have = "have" if len(names) > 1 else "has"
        yield f"{', '.join(self._to('set', name) for name in names)} {have} the states, and what may follow each."
        following, settled = self._contract.follows.get(self.operation.resource), self.operation.resolution
        followed = None if following is None else (following.operation, following.by)
        if settled is not None and self.operation.write and (settled.operation, settled.by) == followed:
            yield f"`client.{self.operation.resource}.follow(...)` follows what this call makes until its state is final."

    def _link_struct(self, name: str) -> str:
        return self._link(name, self._homes.struct(name)) if name in self._contract.structs else code("the answer")


class SeenPage(Page):
    """The page of a notification that the specification does not show."""

    def __init__(self, contract: Contract, homes: Homes, one: SeenNotification, runs: Mapping[str, RunExample]) -> None:
        super().__init__(contract, homes, homes.operation(one.kind).page)
        self._run = runs.get(one.kind)
        self._one = one

    def lines(self) -> Lines:
        """Yield the lines of the page."""
        one, run = self._one, self._run
        yield from (*head(one.kind, one.place.file), f"{prose(one.prose.text)}{self._asked(one)}", "")
        yield "The specification does not show this notification (webhook). Gateways of this kind send it as below."
        yield from (
            "",
            f'- **Handler:** `@receiver.on_kind("{one.kind}", once_per=("{one.key}", "{one.state}"))`',
            f"- **Shows the same as:** {self._operations(one.about)} by {code(one.key)}",
            f"- **State:** {code(one.state)}",
        )
        if one.amount is not None:
            yield f"- **Amount:** {amount_of(one.amount.member, one.amount.currency)}"
        yield f"- **Sent to:** the address in {code(one.address)}, or the one set in the dashboard"
        if one.sections:
            yield f"- **Specification:** {sections(one.sections)}"
        if run is not None:
            said = "[The sandbox](../../sandbox.md) sends one, here in the same process. It needs `pip install paywright` and nothing else."
            yield from section("Example", (*run.program(said), "This is sent:", "", *fenced(run.request, "json")))
