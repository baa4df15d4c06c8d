"""Compare what two contracts are called in Python: names that merchants write, with their types, and what they must give."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from paywright_codegen import naming
from paywright_codegen.diff.table import Level
from paywright_codegen.model.contract import Contract
from paywright_codegen.python_types import Directions, model_line
from paywright_codegen.render.views.merchant import MerchantView, ReceiverView
from paywright_codegen.render.views.methods import MethodView, ResourceView


@dataclass(frozen=True, slots=True)
class Name:
    """A name in Python: of what in the contract, with its type, whether merchants read it, and whether they must give it."""

    subject: str
    type: str = ""
    read: bool = True
    needed: bool = False


@dataclass(frozen=True, slots=True)
class Break:
    """A difference in Python: the name, what became of it, and of what in the contract it is."""

    path: str
    words: str
    level: Level
    subject: str


def breaks(old: Contract, new: Contract) -> Iterator[Break]:
    """Yield what is gone, is new, must be given, or has another type."""
    before, after = names(old), names(new)
    for path in dict.fromkeys((*before, *after)):
        one, other = before.get(path), after.get(path)
        if one is None or other is None:
            here, there = (before, after) if other is None else (after, before)
            owner = path.rpartition("(")[0] or path.rpartition(".")[0]
            start = path[: len(owner) + 1]
            used = "." in owner or owner not in there or any(name.startswith(start) for name in there)
            # Else it came or went with what it is of, or only this side reads, or makes, its class.
            if used and (owner in there or owner not in here):
                needed = here[path].needed and other is not None
                words = "is gone" if other is None else "is new and must be given" if needed else "is new"
                level = Level.MAJOR if other is None or needed else Level.MINOR
                yield Break(path, words, level, here[path].subject)
            continue
        kinds, others = _alternatives(one.type), _alternatives(other.type)
        if other.needed and not one.needed:
            yield Break(path, "must be given", Level.MAJOR, other.subject)
        elif kinds != others:
            # A reader breaks by more than there was, a writer by less.
            fits = others <= kinds if one.read else kinds <= others
            yield Break(path, f"was {one.type}, is {other.type}", Level.MINOR if fits else Level.MAJOR, other.subject)


def _alternatives(annotation: str) -> frozenset[str]:
    return frozenset(filter(None, map(str.strip, re.split(r"Literal\[|[],|]", annotation))))


def names(contract: Contract) -> dict[str, Name]:
    """Return the names that a contract makes: `Refund.status`, `client.refunds.create(comments)`, `RefundStatus.REFUND_PENDING`."""
    return dict((*_models(contract), *_calls(contract), *_received(contract)))


_Named = Iterator[tuple[str, Name]]


def _models(contract: Contract) -> _Named:
    whole = contract.once(Directions)
    for struct in contract.structs.values():
        yield struct.name, Name(struct.name)
        for field in struct.fields:
            line = model_line(contract, struct, field, naming.variable(field.wire), whole)
            for name, kind, needed in _parameters(line):
                subject = f"{struct.name}.{field.wire}"
                if struct.name in whole.read:
                    yield f"{struct.name}.{name}", Name(subject, kind)
                if struct.name in whole.written:
                    yield f"{struct.name}({name})", Name(subject, kind, False, needed)
    for chosen in contract.sets.values():
        yield chosen.name, Name(chosen.name)
        yield from ((f"{chosen.name}.{naming.member(one)}", Name(f"{chosen.name} {one.wire}")) for one in chosen.values)


def _calls(contract: Contract) -> _Named:
    called = [one for one in contract.operations.values() if not one.inbound]
    for resource in dict.fromkeys(one.resource for one in called):
        methods = [MethodView(contract, one) for one in called if one.resource == resource]
        view = ResourceView(contract, resource, methods)
        for method in methods:
            path = f"client.{resource}.{method.verb}"
            yield path, Name(method.name, method.result)
            ask = method.operation.asks
            for name, text, wire in method.arguments:
                yield from _given(path, f"{(ask.data or ask.root).name}.{wire}", f"{name}: {text}")
            if method.placed_again:
                yield from _given(path, method.name, "again: Permission | None = None")
        for resolver in view.resolvers:
            path = f"client.{resource}.{resolver.verb}"
            yield path, Name(resolver.write, resolver.result)
            yield from _given(path, resolver.write, resolver.arguments)
        if view.follow is not None:
            yield f"client.{resource}.follow", Name(resource)
            yield from _given(f"client.{resource}.follow", resource, view.follow.arguments)


def _received(contract: Contract) -> _Named:
    merchant, receiver = MerchantView(contract, "paywright"), ReceiverView(contract)
    yield from _given("Merchant", "", ", ".join(merchant.parameters))
    yield from ((form.class_name, Name(form.class_name)) for form in merchant.forms)
    for one in receiver.notifications:
        yield f"receiver.{one.method}", Name(one.name, one.data)
    for question in receiver.questions:
        yield f"receiver.{question.method}", Name(question.name, question.class_name)
        yield f"{question.class_name}.accept", Name(question.name, question.decision)
        yield from _given(f"{question.class_name}.accept", question.name, ", ".join(question.arguments))


def _given(path: str, subject: str, parameters: str) -> _Named:
    """Yield what is given to a call, of parameters as they stand in a signature."""
    for name, kind, needed in _parameters(parameters):
        yield f"{path}({name})", Name(subject, kind, False, needed)


def _parameters(text: str) -> Iterator[tuple[str, str, bool]]:
    """Yield name, type, and whether there is no default, of the parameters of a signature or the field of a class."""
    star = "" if re.match(r".*\*,", text) else "*, " if text else ""
    made = ast.parse(f"def f({star}{text}): ...").body[0]
    assert isinstance(made, ast.FunctionDef)
    plain = (*made.args.posonlyargs, *made.args.args)
    without = len(plain) - len(made.args.defaults)
    pairs = [(one, None if at < without else made.args.defaults[at - without]) for at, one in enumerate(plain)]
    for one, default in (*pairs, *zip(made.args.kwonlyargs, made.args.kw_defaults, strict=True)):
        hidden = isinstance(default, ast.Call) and not any(each.arg == "default" for each in default.keywords)
        yield one.arg, "" if one.annotation is None else ast.unparse(one.annotation), default is None or hidden
