"""Compare what two contracts are called in Python: names that merchants write, with their types, and what they must give."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from paywright_codegen import naming
from paywright_codegen.diff.table import Level
from paywright_codegen.lookup import by_resource
from paywright_codegen.model.contract import Contract
from paywright_codegen.python_types import Directions, model_line
from paywright_codegen.render.views.merchant import MerchantView, ReceiverView
from paywright_codegen.render.views.methods import ResourceView


@dataclass(frozen=True, slots=True)
class Name:
    """A name in Python: its type, whether merchants read it, and whether they must give it."""

    type: str = ""
    read: bool = True
    needed: bool = False


@dataclass(frozen=True, slots=True)
class Break:
    """A difference in Python: the name, and what became of it."""

    path: str
    words: str
    level: Level


def breaks(old: Contract, new: Contract) -> Iterator[Break]:
    """Yield what is gone, is new, must be given, or has another type."""
    before, after = names(old), names(new)
    for path in dict.fromkeys((*before, *after)):
        one, other = before.get(path), after.get(path)
        if one is not None and other is not None:
            kinds, others = _alternatives(one.type), _alternatives(other.type)
            if other.needed and not one.needed:
                yield Break(path, "must be given", Level.MAJOR)
            elif kinds != others:
                # A reader breaks by more than there was, a writer by less.
                fits = others <= kinds if one.read else kinds <= others
                yield Break(path, f"was {one.type}, is {other.type}", Level.MINOR if fits else Level.MAJOR)
            continue
        here, there = (before, after) if other is None else (after, before)
        owner = path.rpartition("(")[0] or path.rpartition(".")[0]
        used = "." in owner or owner not in there or any(name.startswith(path[: len(owner) + 1]) for name in there)
        # Else it came or went with what it is of, or only this side reads, or makes, its class.
        if used and (owner in there or owner not in here):
            needed = other is not None and other.needed
            words = "is gone" if other is None else "is new and must be given" if needed else "is new"
            yield Break(path, words, Level.MAJOR if other is None or needed else Level.MINOR)


def _alternatives(annotation: str) -> frozenset[str]:
    return frozenset(filter(None, map(str.strip, re.split(r"Literal\[|[],|]", annotation))))


def names(contract: Contract) -> Mapping[str, Name]:
    """Return the names that a contract makes: `Refund.status`, `client.refunds.create(comments)`, `RefundStatus.REFUND_PENDING`."""
    whole, found = contract.once(Directions), dict.fromkeys((*contract.structs, *contract.sets), Name())
    given: dict[str, Iterable[str]] = {"Merchant": MerchantView(contract, "paywright").parameters}
    for struct in contract.structs.values():
        lines = [model_line(contract, struct, one, naming.variable(one.wire), whole) for one in struct.fields]
        if struct.name in whole.read:
            found |= {f"{struct.name}.{name}": Name(kind) for name, kind, _ in _parameters(lines)}
        if struct.name in whole.written:
            given[struct.name] = lines
    for chosen in contract.sets.values():
        found |= {f"{chosen.name}.{naming.member(one)}": Name() for one in chosen.values}
    for resource in contract.once(by_resource):
        view = ResourceView(contract, resource)
        for _, one in view.awaited:
            path = f"client.{resource}.{one.verb}"
            found[path], given[path] = Name("" if one is view.follow else one.result), one.parameters
    receiver = ReceiverView(contract)
    found |= {form.class_name: Name() for form in MerchantView(contract, "paywright").forms}
    found |= {f"receiver.{one.method}": Name(one.data) for one in receiver.notifications}
    for question in receiver.questions:
        found[f"receiver.{question.method}"] = Name(question.class_name)
        found[f"{question.class_name}.accept"] = Name(question.decision)
        given[f"{question.class_name}.accept"] = question.arguments
    for path, lines_of in given.items():
        found |= {f"{path}({name})": Name(kind, False, needed) for name, kind, needed in _parameters(lines_of)}
    return found


def _parameters(lines: Iterable[str]) -> Iterator[tuple[str, str, bool]]:
    """Yield name, type, and whether it must be given, of the parameters of a signature or the members of a class."""
    for name, _, said in (line.partition(": ") for line in lines if line not in ("/", "*")):
        kind, _, default = said.partition(" = ")
        yield name, kind, not default or (default.startswith("field(") and "default=" not in default)
