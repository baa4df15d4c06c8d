"""Changes of a contract, made on its model: by hand for one part, and drawn at random."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

from paywright_codegen.model.contract import Contract
from paywright_codegen.model.operations import MessageSpec, Operation
from paywright_codegen.model.rules import AnyIs, Blank, IsGiven, Need, OneOf, Refuse, Restrict, Rule
from paywright_codegen.model.types import Field, Set, Struct, TypeRef, Value
from paywright_codegen.python_types import Directions
from paywright_codegen.reader.loader import load
from tests.codegen.helpers.contract_texts import SPEC

Edit = Callable[[Any], Any]


def with_name(folder: Path, name: str, other: str) -> Contract:
    """The contract with another name for a word, written to a folder."""
    for path in SPEC.glob("*.yaml"):
        text = path.read_text(encoding="utf-8")
        (folder / path.name).write_text(re.sub(rf"\b{re.escape(name)}\b", other, text), encoding="utf-8")
    return load(folder)


def with_operation(contract: Contract, name: str, edit: Callable[[Operation], Operation]) -> Contract:
    """The contract with one operation edited."""
    return replace(contract, operations={**contract.operations, name: edit(contract.operations[name])})


def with_message(contract: Contract, name: str, edit: Callable[[MessageSpec], MessageSpec]) -> Contract:
    """The contract with one message edited."""
    operation, _, role = name.rpartition(".")
    side = "asks" if contract.operations[operation].asks.role == role else "answers"
    return with_operation(contract, operation, lambda one: replace(one, **{side: edit(getattr(one, side))}))


def with_struct(contract: Contract, name: str, edit: Callable[[Struct], Struct]) -> Contract:
    """The contract with one object edited, wherever it stands."""

    def message(one: MessageSpec) -> MessageSpec:
        root = edit(one.root) if one.root.name == name else one.root
        data = edit(one.data) if one.data is not None and one.data.name == name else one.data
        return replace(one, root=root, data=data)

    return replace(
        contract,
        structs={key: edit(one) if key == name else one for key, one in contract.structs.items()},
        operations={key: replace(one, asks=message(one.asks), answers=message(one.answers)) for key, one in contract.operations.items()},
    )  # fmt: skip


def with_field(contract: Contract, struct: str, wire: str, **facets: Any) -> Contract:
    """The contract with one member of an object edited."""
    return with_struct(
        contract, struct,
        lambda one: replace(one, fields=tuple(replace(each, **facets) if each.wire == wire else each for each in one.fields)),
    )  # fmt: skip


def alone(contract: Contract, name: str) -> Contract:
    """The messages of one operation, and nothing that it refers to beside their types: quick to generate."""
    whole = contract.operations[name]
    operation = Operation(
        whole.place, name=name, inbound=whole.inbound, post=whole.post, version=whole.version, envelope=whole.envelope,
        succeeds=whole.succeeds, when=whole.when, decides=whole.decides, asks=whole.asks, answers=whole.answers,
    )  # fmt: skip
    small = replace(contract, operations={name: operation}, moves=(), follows={}, seen={}, questions={})
    one = Directions(small)
    reached = one.written | one.read
    return replace(small, structs={key: struct for key, struct in contract.structs.items() if key in reached})


def _pick(random: Random, contract: Contract, message: MessageSpec) -> Struct:
    """An object of a message, an outer one more often."""
    structs = [*contract.reached_from(message.root).values()]
    return random.choice(structs[: random.randint(1, len(structs))])


_TYPES = (
    TypeRef("string", "string"), TypeRef("number", "number"), TypeRef("boolean", "boolean"), TypeRef("object", "object"),
    TypeRef("string", "string", True), TypeRef("format", "currency"), TypeRef("format", "amount"), TypeRef("format", "date"),
    TypeRef("format", "moment"), TypeRef("format", "word"), TypeRef("set", "RefundStatus"), TypeRef("number", "number", True),
)  # fmt: skip
_PATTERNS = (
    "[A-Z]{3}", "[A-Za-z]{3}", "[A-Z]{2,3}", "[A-Z0-9]{3}", "[A-PR-Z]{3}", "[A-Z]{3}|XXXX", "[0-9]{1,15}", "[0-9]{1,14}",
    "-?[0-9]{1,15}([.][0-9]{1,4})?", "-?[0-9]+([.][0-9]+)?", "[A-Za-z0-9_]+", "[A-Za-z0-9_-]+", "[^ ]+", r"[^\s]+", ".{1,64}",
)  # fmt: skip


def _facet(random: Random, field: Field, contract: Contract) -> Field:
    """The field with one facet of its own changed."""
    text = field.type.kind in ("string", "format", "set")
    sizes = (None, 1, 2, 3, 6, 8, 19, 20, 32, 64, 128, 256)
    choices: list[dict[str, Any]] = [{"required": not field.required}] * 4
    bare = {"min": None, "range": None, "values": (), "fixed": False, "blank": False, "examples": ()}
    choices.append({"type": random.choice(_TYPES), **bare})
    choices.append({"type": replace(field.type, array=not field.type.array), "also": None, "blank": False})
    if text or field.type.array:
        choices += [{"max": random.choice(sizes)}] * 4 + [{"min": random.choice((None, 1, 2, 3, 6))}] * 2
    if text and not field.type.array:
        choices += [{"blank": not field.blank}, {"range": random.choice((None, (1, 10), (1800, 86400), (0, 99)))}]
        choices.append({"also": None if field.also else "otherName"})
    if field.type.kind == "string":
        drawn = tuple(random.sample(("A", "B", "CARD", "", "YES", "NO"), random.randint(1, 3)))
        lists = drawn, (*field.values, "NEW_ONE"), field.values[1:]
        choices += [{"values": one, "fixed": False} for one in lists]
    return replace(field, **random.choice(choices))


def _rule(random: Random, struct: Struct) -> Rule:
    """A rule about members of an object, of any form."""
    fields = random.sample(struct.fields, min(3, len(struct.fields)))
    one, two, three = ((each.wire,) for each in (*fields, *fields, *fields)[:3])
    when: tuple[Any, ...] = random.choice(
        ((), (IsGiven(one),), (IsGiven(one, True),), (OneOf(one, ("A", "CARD")),), (IsGiven(one), IsGiven(three, True)))
    )
    demand: Any = random.choice(
        (
            Need((two,)), Need((two, three)), Refuse(two), Blank(two), AnyIs((OneOf(two, ("A", "SUCCESS")), OneOf(three, ("B",)))),
            Restrict(two, random.choice((1, 5, 40))), Restrict(two, None, ("A", "USD")),
        )
    )  # fmt: skip
    return Rule(struct.place, id="drawn-rule", text=f"{when} {demand}", when=when, demands=(demand,))


def _of_struct(random: Random, struct: Struct, contract: Contract) -> Struct:
    """The object with one member or one rule changed."""
    kind = random.choice(
        ("facet",) * 8 + ("add", "add", "remove", "rename", "rule", "rule", "rule", "unrule", "rerule")
    )
    fields = list(struct.fields)
    number = random.randrange(len(fields)) if fields else -1
    if kind == "facet" and fields:
        fields[number] = _facet(random, fields[number], contract)
    elif kind == "add":
        fields.append(Field(struct.place, wire="addedOne", type=random.choice(_TYPES), required=random.random() < 0.5))
    elif kind == "remove" and fields:
        del fields[number]
    elif kind == "rename" and fields:
        fields[number] = replace(fields[number], wire="renamedOne")
    elif kind == "rule" and fields:
        return replace(struct, rules=(*struct.rules, _rule(random, struct)))
    elif kind == "unrule" and struct.rules:
        gone = random.randrange(len(struct.rules))
        return replace(struct, rules=struct.rules[:gone] + struct.rules[gone + 1 :])
    elif kind == "rerule" and struct.rules and fields:
        gone, drawn = random.randrange(len(struct.rules)), _rule(random, struct)
        old = struct.rules[gone]
        changed = random.choice(({"when": drawn.when}, {"demands": drawn.demands}, {"when": old.when[1:]}))
        other = replace(old, text="other", **changed)
        return replace(struct, rules=(*struct.rules[:gone], other, *struct.rules[gone + 1 :]))
    return replace(struct, fields=tuple(fields))


def _of_set(random: Random, chosen: Set) -> Set:
    kind = random.choice(("add", "remove", "open"))
    if kind == "open":
        return replace(chosen, open=not chosen.open)
    if kind == "add":
        return replace(chosen, values=(*chosen.values, Value(chosen.place, wire="DRAWN_ONE")))
    gone = random.randrange(len(chosen.values))
    return replace(chosen, values=chosen.values[:gone] + chosen.values[gone + 1 :])


def drawn_edit(contract: Contract, name: str, random: Random) -> tuple[str, Contract]:
    """An operation's contract with one part changed at random, and the kind of the part."""
    operation = contract.operations[name]
    message = random.choice(operation.messages)
    kind = random.choice(("struct",) * 8 + ("set", "set", "format", "header"))
    if kind == "header" and message.headers:
        number = random.randrange(len(message.headers))
        headers = list(message.headers)
        headers[number] = _facet(random, headers[number], contract)
        return kind, with_message(contract, message.name, lambda one: replace(one, headers=tuple(headers)))
    struct = _pick(random, contract, message)
    used = {(one.type.kind, one.type.name) for one in struct.fields}
    sets = sorted(set_name for used_kind, set_name in used if used_kind == "set")
    if kind == "set" and sets:
        chosen = random.choice(sets)
        return kind, replace(contract, sets={**contract.sets, chosen: _of_set(random, contract.sets[chosen])})
    forms = sorted(form for used_kind, form in used if used_kind == "format")
    if kind == "format" and forms:
        form = contract.formats[random.choice(forms)]
        other = replace(form, pattern=random.choice(_PATTERNS), check=None, python="str")
        if random.random() < 0.3:
            check = random.choice(("moment", "offset_time", "calendar_date", "http_url", "rate_moment"))
            other = replace(form, pattern=None, check=check)
        return kind, replace(contract, formats={**contract.formats, form.name: other})
    other = _of_struct(random, struct, contract)
    return "struct", with_struct(contract, struct.name, lambda _: other)
