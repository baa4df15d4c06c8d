"""Change an example until it keeps the rules of its type."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from paywright_codegen.model import rules as model
from paywright_codegen.model.types import Field, Struct

Example = dict[str, object]
Value = Callable[[Field], object]
Inner = Callable[[Field], Struct | None]
Others = Callable[[Field], Sequence[object]]

_EMPTY: tuple[object, ...] = (None, "", [])


def keep_rules(
    struct: Struct,
    body: Example,
    value: Value,
    inner: Inner,
    pinned: Collection[model.Path] = (),
    others: Others = lambda field: (),
) -> None:
    """Change `body` in place until it keeps the checked rules of its struct, as far as possible, and no member that is pinned.

    `value` gives an example of a field, `inner` the struct that a field holds, `others` the values by which a rule may be evaded.
    """
    change = _Change(struct, body, value, inner, pinned, others)
    for _ in range(2 * len(struct.rules)):
        broken = _broken(struct, body)
        if broken is None or not (change.meet(broken[1]) or change.evade(broken[0].when)):
            break
    order = {field.wire: number for number, field in enumerate(struct.fields)}
    ordered = sorted(body.items(), key=lambda item: order.get(item[0], len(order)))
    body.clear()
    body.update(ordered)


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


class _Change:
    """Changes an example of a struct so that it meets one demand."""

    def __init__(
        self, struct: Struct, body: Example, value: Value, inner: Inner, pinned: Collection[model.Path], others: Others
    ) -> None:
        self._struct = struct
        self._body = body
        self._value = value
        self._inner = inner
        self._pinned = pinned
        self._others = others

    def meet(self, demand: model.Demand) -> bool:
        """Change the example so that the demand is met; return whether that is possible."""
        if isinstance(demand, model.Need):
            return any(self._put(path) for path in demand.paths)
        if isinstance(demand, model.AnyIs):
            return any(self._put(choice.path, choice.values[0]) for choice in demand.choices)
        if isinstance(demand, model.Refuse):
            return self._drop(demand.path)
        if isinstance(demand, model.Blank):
            field = self._field(demand.path)
            return self._drop(demand.path) or (field is not None and field.blank and self._put(demand.path, ""))
        if isinstance(demand, model.Restrict):
            if demand.values:
                return self._put(demand.path, demand.values[0])
            field = self._field(demand.path)
            shorter = None if field is None else self._value(replace(field, max=demand.max, examples=()))
            fits = isinstance(shorter, str) and 0 < len(shorter) <= (demand.max or 0)
            return (fits and self._put(demand.path, shorter)) or self._drop(demand.path)
        if isinstance(demand, model.Joined) and self._put(
            demand.path, "".join(str(_at(self._body, part)) for part in demand.parts)
        ):
            return True
        paths = (demand.path, *(demand.parts if isinstance(demand, model.Joined) else (demand.other,)))
        return any(self._drop(path) for path in paths)

    def evade(self, conditions: Sequence[model.Condition]) -> bool:
        """Change the example so that the rule does not apply; return whether that is possible."""
        for condition in conditions:
            if isinstance(condition, model.IsGiven) and condition.negated:
                done = self._put(condition.path)
            else:
                done = isinstance(condition, model.IsGiven | model.OneOf) and self._drop(condition.path)
            field = self._field(condition.path) if isinstance(condition, model.OneOf) and not done else None
            if field is not None and isinstance(condition, model.OneOf):
                others = (one for one in self._others(field) if one not in condition.values)
                done = any(self._put(condition.path, one) for one in others)
            if done:
                return True
        return False

    def _field(self, path: model.Path) -> Field | None:
        """Return the field at a path that may be changed."""
        struct: Struct | None = self._struct
        field = None
        for name in path if path not in self._pinned else ():
            field = None if struct is None else struct.field(name)
            struct = None if field is None else self._inner(field)
        return field

    def _put(self, path: model.Path, value: object = None) -> bool:
        """Set the member at a path to a value or one of its examples, and make the objects that hold it."""
        field = self._field(path)
        if field is None or (value is not None and field.values and value not in field.values):
            return False
        where = self._body
        for depth in range(1, len(path)):
            outer = self._field(path[:depth])
            name = path[depth - 1]
            if not isinstance(where.get(name), dict) and outer is not None:
                where[name] = self._value(outer)
            inside = where.get(name)
            if not isinstance(inside, dict):
                return False
            where = inside
        made = self._value(field) if value is None else value
        if value is None and made in _EMPTY:
            return False
        changed = where.get(path[-1]) != made
        where[path[-1]] = made
        return changed

    def _drop(self, path: model.Path) -> bool:
        """Remove the member at a path, or the object that holds it if that may be left out."""
        for depth in range(len(path), 0, -1):
            field = self._field(path[:depth])
            where = _at(self._body, path[: depth - 1])
            if (
                field is not None
                and not field.required
                and not field.filled
                and isinstance(where, dict)
                and path[depth - 1] in where
            ):
                del where[path[depth - 1]]
                return True
        return False
