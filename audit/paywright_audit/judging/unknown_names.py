"""Find members and values of messages that the contract does not have."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from paywright.contract import CONTRACT
from paywright_audit.input.body_decoding import is_masked
from paywright_audit.judging.finding_text import plain
from paywright_audit.judging.findings import Finding
from paywright_audit.judging.operation_facts import OperationFacts, facts_of
from paywright_runtime.contract.model import Set
from paywright_runtime.contract.value_checks import Report
from paywright_runtime.strict_json.errors import escaped

_MOST_SHAPES: Final = 4096
_MOST_UNKNOWN: Final = 20
_LONGEST_SHAPE: Final = 64


class _ObjectShape(NamedTuple):
    """Members of objects with the same names that are to be looked at: unknown ones, objects, and values of open lists."""

    unknown: tuple[str, ...]
    deeper: tuple[tuple[str, str], ...]
    listed: tuple[tuple[str, Set], ...]


def unknown_names(facts: OperationFacts, asked: object, answered: object) -> Iterator[Finding]:
    """Yield a finding for each member and value in both messages that the contract does not have, and for another version."""
    for message, value in ((facts.asked, asked), (facts.answered, answered)):
        if type(value) is dict:
            yield from _in_object(facts, message.part, message.struct, value, "")
    if type(asked) is dict and facts.version is not None:
        wire, current = facts.version
        version = asked.get(wire)
        if version != current and type(version) is str and not is_masked(version):
            field = CONTRACT.struct(facts.asked.struct).by_wire[wire]
            words, line = f"{field.python} is not {current}, the current one", CONTRACT.place(facts.name)
            yield Finding(facts.name, facts.asked.part, f"/{wire}", "other-version", words, line, version)


def operation_by_form(facts: OperationFacts, answered: dict[str, object]) -> OperationFacts | None:
    """Return the operation that an answer answers in place of this one, by its form: it has members that only the other has.

    None if it has no unknown members, or is the whole answer of no operation.
    """
    if all(one.code != "unknown-field" for one in _in_object(facts, "", facts.answered.struct, answered, "")):
        return None
    for other in map(facts_of, CONTRACT.operations()):
        if any(_in_object(other, "", other.answered.struct, answered, "")) or other.operation.inbound:
            continue
        report = Report()
        other.answered.check(answered, "", report)
        if not report.found:
            return other
    return None


def _in_object(facts: OperationFacts, part: str, struct: str, value: dict[str, object], at: str) -> Iterator[Finding]:
    names = tuple(value)
    shape = _shape(struct, names) if len(names) <= _LONGEST_SHAPE else _shape.__wrapped__(struct, names)
    for name, of in shape.deeper:
        inner = value[name]
        if type(inner) is dict:
            yield from _in_object(facts, part, of, inner, f"{at}/{name}")
        elif type(inner) is list:
            for number, item in enumerate(inner):
                if type(item) is dict:
                    yield from _in_object(facts, part, of, item, f"{at}/{name}/{number}")
    for name, values in shape.listed:
        text = value[name]
        if type(text) is str and text and text not in values.values and not is_masked(text):
            field = CONTRACT.struct(struct).by_wire[name]
            words, line = f"{field.python} is not in {values.name}, an open list of values", CONTRACT.place(values.name)
            yield Finding(facts.name, part, f"{at}/{name}", "unknown-value", words, line, text, field.redaction)
    for name in shape.unknown[:_MOST_UNKNOWN]:
        where = CONTRACT.struct(struct).name
        pointer, words = plain(f"{at}/{escaped(name)}"), f"{plain(name)} is not a member of {where}"
        # Its value may be personal data: show it only to users who may see such data.
        yield Finding(facts.name, part, pointer, "unknown-field", words, CONTRACT.place(where), value[name], "unknown")


@lru_cache(_MOST_SHAPES)
def _shape(struct: str, names: tuple[str, ...]) -> _ObjectShape:
    fields = CONTRACT.struct(struct).by_wire
    allowed = fields.keys() | {field.also for field in fields.values() if field.also}
    known = [fields[name] for name in names if name in fields]
    lists = ((one.wire, CONTRACT.set(str(one.of))) for one in known if one.kind == "set" and not one.array)
    return _ObjectShape(
        tuple(name for name in names if name not in allowed),
        tuple((one.wire, one.of) for one in known if one.kind == "struct" and one.of),
        tuple((wire, values) for wire, values in lists if values.open),
    )
