"""Count how often members and values of the contract occur, and find those that the contract does not have.

Objects with the same names in the same order are counted together, which is fast. Unknown names are found when a
combination is first seen.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Final

from paywright.contract import CONTRACT
from paywright_audit.input.body_decoding import is_masked
from paywright_audit.judging.finding_text import plain
from paywright_audit.judging.findings import Finding
from paywright_audit.judging.operation_facts import OperationFacts
from paywright_runtime.contract.model import Field, Set
from paywright_runtime.strict_json.errors import escaped

_MOST_SHAPES: Final = 512
_MOST_UNKNOWN: Final = 20
_LONGEST_SHAPE: Final = 64

Coverage = dict[str, int]
"""Counts by `Struct.member`, and by `Set=value` for the values of the contract."""


class _ObjectShape:
    """Count and checks of objects with the same names. A `plain` one needs no checks."""

    __slots__ = ("count", "deeper", "listed", "plain", "unknown")

    def __init__(self) -> None:
        self.count = 0
        self.plain = True
        self.unknown: tuple[str, ...] = ()
        self.deeper: tuple[tuple[str, str, _ObjectShapes], ...] = ()
        self.listed: tuple[tuple[str, Set, dict[str, int]], ...] = ()


_ObjectShapes = dict[tuple[str, ...], _ObjectShape]


class CoverageCounter:
    """Counts over all exchanges of one part of the input."""

    __slots__ = ("_members", "_shapes", "_values")

    def __init__(self) -> None:
        self._shapes: defaultdict[str, _ObjectShapes] = defaultdict(dict)
        self._members: Counter[str] = Counter()  # for shapes beyond the limit
        self._values: dict[str, dict[str, int]] = {}

    def take(self, facts: OperationFacts, asked: object, answered: object) -> list[Finding] | None:
        """Count both messages. Return findings for members and values that the contract does not have, or None."""
        found: list[Finding] | None = None
        if type(asked) is dict:
            struct = facts.asked.struct
            found = self._object(facts, facts.asked.part, struct, self._shapes[struct], asked, "", found)
            if facts.version is not None:
                wire, current = facts.version
                version = asked.get(wire)
                if version != current and type(version) is str and not is_masked(version):
                    found = found or []
                    found.append(_other_version(facts, wire, current, version))
        if type(answered) is dict:
            struct = facts.answered.struct
            found = self._object(facts, facts.answered.part, struct, self._shapes[struct], answered, "", found)
        return found

    def _object(
        self,
        facts: OperationFacts,
        part: str,
        struct: str,
        shapes: _ObjectShapes,
        value: dict[str, object],
        at: str,
        found: list[Finding] | None,
    ) -> list[Finding] | None:
        names = tuple(value)
        shape = shapes.get(names) or self._learn(struct, names)
        shape.count += 1
        for name, of, inside in shape.deeper:
            inner = value[name]
            if type(inner) is dict:
                known = inside.get(tuple(inner))
                if known is not None and known.plain:
                    known.count += 1
                else:
                    found = self._object(facts, part, of, inside, inner, f"{at}/{name}", found)
            elif type(inner) is list:
                for number, item in enumerate(inner):
                    if type(item) is dict:
                        found = self._object(facts, part, of, inside, item, f"{at}/{name}/{number}", found)
        for name, values, counts in shape.listed:
            text = value[name]
            if type(text) is not str:
                continue
            if text in counts:
                counts[text] += 1
            elif values.open and text and not is_masked(text):
                found = found or []
                found.append(_unknown_value(facts, part, struct, name, values, at, text))
        if shape.unknown:
            found = found or []
            found.extend(_unknown_fields(facts, part, struct, shape.unknown, at, value))
        return found

    def _learn(self, struct: str, names: tuple[str, ...]) -> _ObjectShape:
        shape = _ObjectShape()
        fields = CONTRACT.struct(struct).by_wire
        allowed = fields.keys() | {field.also for field in fields.values() if field.also}
        shape.unknown = tuple(name for name in names if name not in allowed)
        known = [fields[name] for name in names if name in fields]
        shape.deeper = tuple(
            (field.wire, field.of, self._shapes[field.of]) for field in known if field.kind == "struct" and field.of
        )
        shape.listed = tuple(self._list(field) for field in known if field.kind == "set" and not field.array)
        shape.plain = not (shape.unknown or shape.deeper or shape.listed)
        shapes = self._shapes[struct]
        if len(shapes) < _MOST_SHAPES and len(names) <= _LONGEST_SHAPE:
            shapes[names] = shape
        else:
            self._members.update(_given(struct, names))
        return shape

    def _list(self, field: Field) -> tuple[str, Set, dict[str, int]]:
        values = CONTRACT.set(str(field.of))
        return field.wire, values, self._values.setdefault(values.name, dict.fromkeys(values.values, 0))

    def coverage(self) -> Coverage:
        """Return all counts above 0."""
        total = Counter(self._members)
        for struct, shapes in self._shapes.items():
            for names, shape in shapes.items():
                for member in _given(struct, names):
                    total[member] += shape.count
        for name, counts in self._values.items():
            total.update({f"{name}={value}": number for value, number in counts.items() if number})
        return dict(total)


def _given(struct: str, names: tuple[str, ...]) -> Iterator[str]:
    fields = CONTRACT.struct(struct).by_wire
    return (f"{struct}.{name}" for name in names if name in fields)


def _unknown_fields(
    facts: OperationFacts, part: str, struct: str, names: tuple[str, ...], at: str, value: dict[str, object]
) -> Iterator[Finding]:
    where = CONTRACT.struct(struct)
    for name in names[:_MOST_UNKNOWN]:
        pointer = plain(f"{at}/{escaped(name)}")
        words = f"{plain(name)} is not a member of {where.name}"
        # Its value may be personal data: show it only to users who may see such data.
        yield Finding(
            facts.name, part, pointer, "unknown-field", words, CONTRACT.place(where.name), value[name], "unknown"
        )


def _unknown_value(
    facts: OperationFacts, part: str, struct: str, name: str, values: Set, at: str, text: str
) -> Finding:
    field = CONTRACT.struct(struct).by_wire[name]
    words = f"{field.python} is not in {values.name}, an open list of values"
    return Finding(
        facts.name, part, f"{at}/{name}", "unknown-value", words, CONTRACT.place(values.name), text, field.redaction
    )


def _other_version(facts: OperationFacts, wire: str, current: str, version: str) -> Finding:
    field = CONTRACT.struct(facts.asked.struct).by_wire[wire]
    line = CONTRACT.place(facts.name)
    words = f"{field.python} is not {current}, the current one"
    return Finding(facts.name, facts.asked.part, f"/{wire}", "other-version", words, line, version)
