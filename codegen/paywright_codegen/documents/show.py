"""Describe one operation in readable text."""

from __future__ import annotations

from collections.abc import Iterator

from paywright_codegen.lookup import questions_of
from paywright_codegen.model.contract import Contract
from paywright_codegen.model.operations import MessageSpec, Operation
from paywright_codegen.model.rules import Rule
from paywright_codegen.model.types import Field, Struct
from paywright_codegen.reader.printer import print_facets


def show(contract: Contract, name: str) -> str:
    """Return path, version, fields of both messages, rules, key, codes, questions and places of an operation.

    Raises KeyError, whose message lists the operations, if the contract has no such operation.
    """
    operation = contract.operations.get(name)
    if operation is None:
        raise KeyError(f"no operation is called {name}; there are {', '.join(contract.operations)}")
    lines = [f"{name} {_cited(operation.sections)}  {operation.place}"]
    lines += [f"  {line}" for line in operation.prose.lines]
    lines += ["", *_facts(contract, operation)]
    for message in operation.messages:
        lines += ["", *_message(contract, message)]
    lines += _questions(contract, operation)
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _facts(contract: Contract, operation: Operation) -> Iterator[str]:
    who = "the service calls the merchant" if operation.inbound else "the merchant calls the service"
    yield f"  address     POST {operation.post}" if operation.post else "  address     not shown"
    yield f"  direction   {who}"
    if operation.version is not None:
        yield f"  version     {operation.version}"
    yield f"  envelope    {operation.envelope}"
    if operation.when is not None:
        yield f"  told by     {operation.when[0]} is {operation.when[1]}"
    if operation.once_per:
        yield f"  once per    {' '.join('.'.join(path) for path in operation.once_per)}"
    if operation.decides is not None:
        one = operation.decides
        limits = "" if one.amount is None else f", {one.amount} from {one.least} to {one.most}"
        yield f"  decides     {one.member} is {one.yes} else {one.no} with {one.reason}{limits}"
    if operation.amount is not None:
        yield f"  amount      {'.'.join(operation.amount.member)} in {'.'.join(operation.amount.currency)}"
    if operation.into:
        yield f"  into        {'.'.join(operation.into)}"
    if operation.about is not None:
        yield f"  about       what {operation.about[0]} shows, by {'.'.join(operation.about[1])}"
    if operation.gateway_id is not None:
        yield f"  gateway id  {'.'.join(operation.gateway_id)}"
    if operation.acts_on is not None:
        yield f"  acts on     what {operation.acts_on} shows"
    for back in operation.gives_back:
        by = " or ".join(filter(None, (back.key, back.gateway_id)))
        yield f"  gives back  of what {back.operation} shows, by {by}" + (
            "" if back.within is None else f", within {back.within} of its {back.since}"
        )
    for listed in operation.lists:
        yield f"  lists       {listed.items} by {listed.key}"
    if operation.key is not None:
        yield f"  key         {operation.key}" + (", ignoring case" if operation.key_ignores_case else "")
    if operation.resolution is not None:
        yield f"  unknown     {_resolution(contract, operation)}"
    for kind, following in contract.follows.items():
        if following.operation == operation.name:
            yield f"  follows     {kind} by {following.by}, until {'.'.join(following.state)} is a last state"
    for guard in operation.guards:
        yield f"  not sent unless {guard.id}: {guard.text}  {guard.place}"
    for limit in () if operation.inbound else contract.limits.values():
        if limit.decimals is not None:
            yield f"  not sent unless {limit.name}: numbers have at most {limit.decimals} decimals  {limit.place}"
    if operation.shows:
        shown = ", ".join(f"{one.wire} as {'.'.join(one.answered)}" for one in operation.shows)
        yield f"  shows       {shown}  (an answer with another value is about another call)"
    if operation.succeeds is not None:
        yield f"  yes         {operation.succeeds[0]} is {operation.succeeds[1]}"
    named = (
        ("no", operation.refuses, "nothing happened"),
        ("repeated", operation.repeats, "the key was placed before"),
        ("absent", operation.absent, "there is no such key"),
        ("stale", operation.stale, "the request's time is too old or too new"),
        ("echoes", operation.echoes, "the answer repeats the request"),
        (
            "each echoes",
            (", ".join(operation.each_echoes),) * bool(operation.each_echoes),
            "each element repeats the request",
        ),
    )
    for word, values, meaning in named:
        if values and (word != "no" or operation.write):
            yield f"  {word:<11} {' '.join(values)}  ({meaning})"


def _resolution(contract: Contract, operation: Operation) -> str:
    resolution = operation.resolution
    if resolution is None or resolution.operation is None:
        return "nothing settles an unknown outcome"
    text = f"settled by {resolution.operation} by {resolution.by}"
    if resolution.done is not None:
        text += f", done when {resolution.done[0]} is {' or '.join(resolution.done[1])}"
    limit = contract.limits.get(resolution.placed_again_after or "")
    if limit is not None:
        text += f"; placed again after {limit.name} ({limit.seconds} s)"
    return text + ("; else queried again" if resolution.queried_again else "")


def _message(contract: Contract, message: MessageSpec) -> Iterator[str]:
    yield f"  {message.role}" + (f" ({message.result})" if message.result else "")
    for field in message.headers:
        yield from _line(field, 4, "@")
    yield from _struct(contract, message, message.root, 4, ())


def _struct(
    contract: Contract, message: MessageSpec, struct: Struct, indent: int, above: tuple[str, ...]
) -> Iterator[str]:
    for field in struct.fields:
        yield from _line(field, indent, "")
        inner = _inner(contract, message, field)
        if inner is not None and inner.name not in above:
            yield from _struct(contract, message, inner, indent + 2, (*above, inner.name))
        yield from _values(contract, field, indent + 2)
    for rule in struct.rules:
        yield _rule(rule, indent)


def _inner(contract: Contract, message: MessageSpec, field: Field) -> Struct | None:
    if field.type.kind != "struct":
        return None
    if message.data is not None and message.data.name == field.type.name:
        return message.data
    return contract.structs.get(field.type.name)


def _line(field: Field, indent: int, mark: str) -> Iterator[str]:
    name = f"{' ' * indent}{mark}{field.wire}{'!' if field.required else ''}: {print_facets(field)}"
    prose = f"  # {field.prose.text}" if field.prose.lines else ""
    yield f"{name:<56}{prose}  {field.place}"


def _values(contract: Contract, field: Field, indent: int) -> Iterator[str]:
    if field.type.kind != "set":
        return
    chosen = contract.sets[field.type.name]
    for value in chosen.values:
        words = (("final", value.final), ("settled", value.settled), ("paid", value.paid), ("returned", value.returned))
        marks = "".join(f" {word}" for word, on in words if on)
        text = f": {value.prose.text}" if value.prose.lines else ""
        yield f"{' ' * indent}= {value.wire}{marks}{text}"
    if chosen.open:
        yield f"{' ' * indent}= any other value"


def _rule(rule: Rule, indent: int) -> str:
    kept = "rule" if rule.checked else "rule, not checked,"
    return f"{' ' * indent}{kept} {rule.id} {_cited(rule.sections)}: {rule.text}  {rule.place}"


def _questions(contract: Contract, operation: Operation) -> list[str]:
    lines = []
    for name in questions_of(contract, operation):
        question = contract.questions.get(name)
        if question is not None:
            lines += [f"    {name} {_cited(question.sections)}  {question.place}"]
            lines += [f"      says: {question.says}", f"      does: {question.does}"]
    return ["", "  questions", *lines] if lines else []


def _cited(sections: tuple[str, ...]) -> str:
    return f"[{', '.join(sections)}]" if sections else ""
