"""Describe one operation in readable text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import cast

from paywright_codegen.lookup import questions_of
from paywright_codegen.model.cited import SourcePlace
from paywright_codegen.model.contract import Contract
from paywright_codegen.model.operations import MessageSpec, Operation
from paywright_codegen.model.types import Field, Struct
from paywright_codegen.reader.grammar import FIELDS, FILE, RULES, Block, Node
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
    """Yield what the operation and its envelope say but for messages, in the words of the contract, each with what its key is."""
    yield f"  {'the service calls the merchant' if operation.inbound else 'the merchant calls the service'}"
    for line in operation.lines:
        path = line.key.split("/")
        text = " ".join(line.words[len(path[-1].split()) :])
        if line.key and text and path[0] not in (FIELDS | RULES) - {"before sending"}:
            yield _placed(f"  {': '.join(path)}: {text}", _title(path), line.place)
    for limit in () if operation.inbound else contract.limits.values():
        if limit.decimals is not None:
            yield _placed(f"  {limit.name}: {limit.decimals} decimals", "numbers have no more", limit.place)
    for kind, each in contract.follows.items():
        if each.operation == operation.name:
            yield _placed(
                f"  follows: {kind} by {each.by}", f"until {'.'.join(each.state)} is a last state", each.place
            )


def _title(path: Sequence[str]) -> str:
    """Return what the grammar calls a key of an operation, or of its envelope."""
    for section in ("operations", "notifications", "envelopes"):
        node: Node | None = cast(Block, FILE.keys[section]).each
        for key in path:
            node = (node.keys.get(key) or node.each) if isinstance(node, Block) else None
        if node is not None:
            return node.title
    return ""


def _placed(said: str, prose: str, place: SourcePlace) -> str:
    return f"{said:<56}{f'  # {prose}' if prose else ''}  {place}"


def _message(contract: Contract, message: MessageSpec) -> Iterator[str]:
    yield f"  {message.role}" + (f" ({message.result})" if message.result else "")
    for field in message.headers:
        yield from _line(field, 4, "@")
    yield from _struct(contract, message.root, 4, ())


def _struct(contract: Contract, struct: Struct, indent: int, above: tuple[str, ...]) -> Iterator[str]:
    for field in struct.fields:
        yield from _line(field, indent, "")
        if field.type.kind == "struct" and field.type.name not in above:
            inner = contract.struct_named(field.type.name)
            yield from _struct(contract, inner, indent + 2, (*above, inner.name))
        yield from _values(contract, field, indent + 2)
    for rule in struct.rules:
        kept = "rule" if rule.checked else "rule, not checked,"
        yield f"{' ' * indent}{kept} {rule.id} {_cited(rule.sections)}: {rule.text}  {rule.place}"


def _line(field: Field, indent: int, mark: str) -> Iterator[str]:
    name = f"{' ' * indent}{mark}{field.wire}{'!' if field.required else ''}: {print_facets(field)}"
    yield _placed(name, field.prose.text, field.place)


def _values(contract: Contract, field: Field, indent: int) -> Iterator[str]:
    if field.type.kind != "set":
        return
    chosen = contract.sets[field.type.name]
    for value in chosen.values:
        marks = "".join(f" {mark}" for mark in value.marks)
        text = f": {value.prose.text}" if value.prose.lines else ""
        yield f"{' ' * indent}= {value.wire}{marks}{text}"
    if chosen.open:
        yield f"{' ' * indent}= any other value"


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
