"""Make an example of each message, which keeps the rules: its required members, those for which the contract gives a value, and states."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import cast

from paywright_codegen.literals import is_text, objection
from paywright_codegen.lookup import closed_values, each_echo, field_at, is_decimal, is_state, sent_decimals, told
from paywright_codegen.model import rules as model
from paywright_codegen.model.contract import Contract
from paywright_codegen.model.operations import MessageSpec, Operation
from paywright_codegen.model.rules import Path
from paywright_codegen.model.types import Field, Struct
from paywright_codegen.problems import Problem
from paywright_runtime.contract.formats import FORMS

Example = dict[str, object]

_EMPTY: tuple[object, ...] = (None, "", [])


def examples(contract: Contract, operation: Operation) -> tuple[Example, Example]:
    """Return a valid request of an operation, and a valid response that means success."""
    asked = struct_example(contract, operation.asks.root, operation.version, payload=operation.asks.payload)
    if operation.when is not None:
        asked[operation.when[0]] = operation.when[1]
        keep_example_rules(contract, operation.asks.root, asked, operation.version)
    lists, payload = not operation.inbound, operation.answers.payload
    answer = struct_example(contract, operation.answers.root, operation.version, lists=lists, payload=payload)
    if operation.succeeds is not None and not operation.inbound:
        path, yes = operation.succeeds
        _Change(contract, operation.answers.root, answer, operation.version, ()).put(tuple(path.split(".")), yes)
        keep_example_rules(contract, operation.answers.root, answer, operation.version)
    request, result = _payload(operation.asks, asked), _payload(operation.answers, answer)
    if isinstance(result, dict) and not operation.inbound:
        _show_meaning(contract, operation, result)
    if isinstance(request, dict) and isinstance(result, dict):
        result.update((name, request[name]) for name in operation.echoes if name in request)
        for elements, member, among in map(each_echo, operation.each_echoes):
            # Where the request has a list, it is the first of its elements that the answer shows.
            first = next(iter(cast("list[object]", request.get(among) or [])), request)
            value = first.get(member, asked.get(member)) if isinstance(first, dict) else first
            for each in cast("list[Example]", result.get(elements) or []):
                each.update({} if value is None else {member: value})
    return asked, answer


def _show_meaning(contract: Contract, operation: Operation, result: Example) -> None:
    """Add what an answer says of money though it may lack it: the amount that a query shows, and the gateway's own id."""
    struct = told(contract, operation.answers)
    paths = [operation.gateway_id] if operation.gateway_id is not None else []
    if operation.amount is not None and not operation.write:
        paths += [operation.amount.member, operation.amount.currency]
    for field in (struct.field(path[0]) for path in paths):
        if field is not None and field.wire not in result:
            result[field.wire] = field_example(contract, field, operation.version)


def lint_examples(contract: Contract) -> Iterator[Problem]:
    """Yield a problem for each field for which no valid example can be made."""
    for struct in contract.all_structs():
        for field in struct.fields:
            always = field.required or field.examples or field.sends is not None
            if always and is_text(field) and text_example(contract, field) is None:
                what = f"`{field.wire}`: no value is shown for the example"
                yield Problem(field.place, what, "write `eg` and a value, or correct the limits")


def lint_whole_examples(contract: Contract) -> Iterator[Problem]:
    """Yield a problem for each example that its own contract refuses. The contract must have no other problem."""
    for operation in contract.operations.values():
        bodies = examples(contract, operation)
        for message, body in zip(operation.messages, bodies, strict=True):
            sent = message is operation.asks and not operation.inbound
            decimals = sent_decimals(contract) if sent else None
            yield from _refused(contract, message.name, message.root, body, decimals)
        yield from _held_back(operation, bodies[0])


def _held_back(operation: Operation, asked: Example) -> Iterator[Problem]:
    """Yield a problem for each guard that keeps the client from sending the example."""
    for guard in operation.guards:
        for demand in guard.demands:
            value = _at(_payload(operation.asks, asked), demand.path)
            amount = Decimal(str(value)) if isinstance(value, str | int | Decimal) else None
            if amount is not None and (amount < 0 or (demand.kind == "above" and amount == 0)):
                what = f"guard `{guard.id}` would not send the example of `{operation.name}`, with {'.'.join(demand.path)} {value}"
                yield Problem(guard.place, what, "correct the value that `eg` shows")


def _refused(contract: Contract, name: str, struct: Struct, body: Example, decimals: int | None) -> Iterator[Problem]:
    """Yield the mistakes of an example. `decimals` is the limit of decimals of its numbers, if the client sends it."""
    rule = broken_rule(struct, body)
    if rule is not None:
        what = f"rule `{rule.id}`: no example of `{name}` was found that keeps it"
        yield Problem(rule.place, what, "correct the rule, or the values that `eg` shows")
    for field in struct.fields:
        value = body.get(field.wire)
        for each in value if isinstance(value, list) else [value]:
            why = objection(contract, field, each) if isinstance(each, str) and is_text(field) else None
            if why is not None and not (field.blank and each == ""):
                what = f"`{field.wire}`: the example of `{name}` repeats {each} of the request, and that {why}"
                yield Problem(field.place, what, "give both fields the same limits")
            text = format(each, "f") if isinstance(each, Decimal) else str(each)
            if decimals is not None and is_decimal(contract, field) and len(text.partition(".")[2]) > decimals:
                what = f"`{field.wire}`: the example of `{name}` has {text}, and at most {decimals} decimals are sent"
                yield Problem(field.place, what, "correct the value, or the limit")
            if isinstance(each, dict) and field.type.kind == "struct":
                yield from _refused(contract, name, contract.struct_named(field.type.name), each, decimals)


def keep_example_rules(
    contract: Contract, struct: Struct, body: Example, version: str | None, pinned: Collection[Path] = ()
) -> None:
    """Change an example until it keeps the checked rules of its object, as far as possible, and no member that is pinned."""
    change = _Change(contract, struct, body, version, pinned)
    for _ in range(2 * len(struct.rules)):
        broken = _broken(struct, body)
        if broken is None or not (change.meet(broken[1]) or change.evade(broken[0].when)):
            break
    order = {field.wire: number for number, field in enumerate(struct.fields)}
    ordered = sorted(body.items(), key=lambda item: order.get(item[0], len(order)))
    body.clear()
    body.update(ordered)


def _payload(message: MessageSpec, body: Example) -> object:
    return body if message.payload is None else body.get(message.payload, body)


def struct_example(
    contract: Contract, struct: Struct, version: str | None = None, *, lists: bool = False, payload: str | None = None
) -> Example:
    """Return an example of an object of a message.

    It has the required members, those with an `eg`, the payload, in responses states and lists of objects, and what the rules then need.
    """
    body = {
        field.wire: field_example(contract, field, version, lists)
        for field in struct.fields
        if field.required
        or field.examples
        or field.sends is not None
        or field.fixed
        or field.wire == payload
        or (lists and (is_state(contract, field) or (field.type.array and field.type.kind == "struct")))
    }
    keep_example_rules(contract, struct, body, version)
    return body


def field_example(contract: Contract, field: Field, version: str | None = None, lists: bool = False) -> object:
    """Return an example of the value of a field."""
    one = _one(contract, field, version, lists)
    return [one] * max(1, field.min or 1) if field.type.array else one


def _one(contract: Contract, field: Field, version: str | None, lists: bool) -> object:
    kind = field.type.kind
    if kind == "struct":
        return struct_example(contract, contract.struct_named(field.type.name), version, lists=lists)
    shown = field.examples[:1] or field.values[:1] or ((field.sends,) if field.sends else ())
    if kind == "number":
        return Decimal(shown[0]) if shown else 1
    if kind == "boolean":
        return field.default == "true"
    if kind == "object":
        return {}
    if field.source == "operation.version" and version is not None:
        return version
    return text_example(contract, field) or ""


def text_example(contract: Contract, field: Field) -> str | None:
    """Return a valid value of a text field: one from the contract, or a made one; None if neither is valid."""
    return next((text for text in likely_texts(contract, field) if objection(contract, field, text) is None), None)


def likely_texts(contract: Contract, field: Field) -> Iterator[str]:
    """Yield texts that a field may have: one from the contract, then made ones of all forms, not all of which are valid."""
    shown = field.examples[:1] or field.values[:1] or ((field.sends,) if field.sends else ())
    yield from shown
    if field.range is not None:
        low, high = field.range
        yield str(low)
        yield str(high)
        yield str(low).zfill(field.min or 0)
    if field.type.kind == "set":
        yield from (value.wire for value in contract.sets[field.type.name].values)
    text = f"{field.wire}-1"
    if field.type.kind == "format":
        check = FORMS.get(contract.formats[field.type.name].check or "")
        yield "1" if check is None else check.example
        yield from (other.example for other in FORMS.values())  # one of its own may be longer than this field
    else:
        yield text[-field.max :] if field.max is not None else text
    length = field.min or field.max or 1
    yield from (letter * count for count in (length, *range(1, 9)) for letter in "1Aa")
    for start in ("https://shop.example/", "2001:db8::", "0."):
        yield start.ljust(length, "1")


def broken_rule(struct: Struct, body: Example) -> model.Rule | None:
    """Return the first rule of a struct that an example breaks."""
    broken = _broken(struct, body)
    return None if broken is None else broken[0]


def _broken(struct: Struct, body: Example) -> tuple[model.Rule, model.Demand] | None:
    """Return the first rule that is checked and applies to an example, with a demand that is not met."""
    for rule in struct.rules:
        if rule.checked and all(_holds(condition, body) for condition in rule.when):
            for demand in rule.demands:
                if not _met(demand, body):
                    return rule, demand
    return None


def _at(body: object, path: model.Path) -> object:
    for name in path:
        body = body.get(name) if isinstance(body, dict) else None
    return body


def _holds(condition: model.Condition, body: Example) -> bool:
    if isinstance(condition, model.OneOf):
        return _at(body, condition.path) in condition.values
    return (
        not isinstance(condition, model.IsGiven) or (_at(body, condition.path) not in _EMPTY) is not condition.negated
    )


def _met(demand: model.Demand, body: Example) -> bool:
    if isinstance(demand, model.Need):
        return any(_at(body, path) not in _EMPTY for path in demand.paths)
    if isinstance(demand, model.AnyIs):
        return any(_holds(choice, body) for choice in demand.choices)
    found = _at(body, demand.path)
    if isinstance(demand, model.Refuse):
        return found is None
    if isinstance(demand, model.Blank):
        return found in _EMPTY
    if isinstance(demand, model.Differs):
        return found in _EMPTY or found != _at(body, demand.other)
    if isinstance(demand, model.Joined):
        first, second = (_at(body, part) for part in demand.parts)
        return any(each in _EMPTY for each in (found, first, second)) or found == f"{first}{second}"
    if demand.values:
        return found is None or found in demand.values
    return not isinstance(found, str) or demand.max is None or len(found) <= demand.max


@dataclass(frozen=True, slots=True)
class _Change:
    """Changes an example of a struct so that it meets one demand, but for the members that are pinned."""

    contract: Contract
    struct: Struct
    body: Example
    version: str | None
    pinned: Collection[Path]

    def meet(self, demand: model.Demand) -> bool:
        """Change the example so that the demand is met; return whether that is possible."""
        if isinstance(demand, model.Need):
            return any(self.put(path) for path in demand.paths)
        if isinstance(demand, model.AnyIs):
            return any(self.put(choice.path, choice.values[0]) for choice in demand.choices)
        if isinstance(demand, model.Refuse):
            return self._drop(demand.path)
        if isinstance(demand, model.Blank):
            field = self._field(demand.path)
            return self._drop(demand.path) or (field is not None and field.blank and self.put(demand.path, ""))
        if isinstance(demand, model.Restrict):
            if demand.values:
                return self.put(demand.path, demand.values[0])
            field = self._field(demand.path)
            less = None if field is None else replace(field, max=demand.max, examples=())
            shorter = None if less is None else field_example(self.contract, less, self.version)
            fits = isinstance(shorter, str) and 0 < len(shorter) <= (demand.max or 0)
            return (fits and self.put(demand.path, shorter)) or self._drop(demand.path)
        if isinstance(demand, model.Joined) and self.put(
            demand.path, "".join(str(_at(self.body, part)) for part in demand.parts)
        ):
            return True
        paths = (demand.path, *(demand.parts if isinstance(demand, model.Joined) else (demand.other,)))
        return any(self._drop(path) for path in paths)

    def evade(self, conditions: Sequence[model.Condition]) -> bool:
        """Change the example so that the rule does not apply; return whether that is possible."""
        for condition in conditions:
            if isinstance(condition, model.IsGiven) and condition.negated:
                done = self.put(condition.path)
            else:
                done = isinstance(condition, model.IsGiven | model.OneOf) and self._drop(condition.path)
            field = self._field(condition.path) if isinstance(condition, model.OneOf) and not done else None
            if field is not None and isinstance(condition, model.OneOf):
                others = self._others(field) if self.pinned else ()
                done = any(self.put(condition.path, one) for one in others if one not in condition.values)
            if done:
                return True
        return False

    def _field(self, path: model.Path) -> Field | None:
        """Return the field at a path that may be changed."""
        return None if path in self.pinned else field_at(self.contract, self.struct, path)

    def _others(self, field: Field) -> Sequence[object]:
        """Return values by which a rule may be evaded."""
        return (*closed_values(self.contract, field), field_example(self.contract, replace(field, examples=())))

    def put(self, path: model.Path, value: object = None) -> bool:
        """Set the member at a path to a value or one of its examples, and make the objects that hold it."""
        field = self._field(path)
        if field is None or (value is not None and field.values and value not in field.values):
            return False
        where = self.body
        for depth in range(1, len(path)):
            outer = self._field(path[:depth])
            name = path[depth - 1]
            if not isinstance(where.get(name), dict) and outer is not None:
                where[name] = field_example(self.contract, outer, self.version)
            inside = where.get(name)
            if not isinstance(inside, dict):
                return False
            where = inside
        made = field_example(self.contract, field, self.version) if value is None else value
        if value is None and made in _EMPTY:
            return False
        changed = where.get(path[-1]) != made
        where[path[-1]] = made
        return changed

    def _drop(self, path: model.Path) -> bool:
        """Remove the member at a path, or the object that holds it if that may be left out."""
        for depth in range(len(path), 0, -1):
            field = self._field(path[:depth])
            where = _at(self.body, path[: depth - 1])
            optional = field is not None and not field.required and not field.filled
            if optional and isinstance(where, dict) and path[depth - 1] in where:
                del where[path[depth - 1]]
                return True
        return False
