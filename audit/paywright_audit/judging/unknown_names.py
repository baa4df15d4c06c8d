"""Find members and values of messages that the contract does not have."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Final, NamedTuple

from paywright.contract import CONTRACT
from paywright_audit.input.body_decoding import is_masked
from paywright_audit.judging.finding_text import plain
from paywright_audit.judging.findings import Finding
from paywright_audit.judging.memo import Memo
from paywright_audit.judging.operation_facts import MessageFacts, OperationFacts, facts_of
from paywright_runtime.contract.model import Set
from paywright_runtime.contract.value_checks import Report
from paywright_runtime.strict_json.errors import escaped

_MOST_UNKNOWN: Final = 20


class _Shape(NamedTuple):
    """Members to look at in objects of a type with the same names: unknown ones, objects, and values of open lists."""

    struct: str
    unknown: tuple[str, ...]
    deeper: tuple[tuple[str, _Shapes], ...]
    listed: tuple[tuple[str, Set], ...]


_Shapes = Memo[tuple[str, ...], _Shape | None]


@cache
def _shapes_of(struct: str) -> _Shapes:
    """Return the shapes of objects of a type, by their names."""
    return Memo(partial(_shape, struct))


def _shape(struct: str, names: tuple[str, ...]) -> _Shape | None:
    fields = CONTRACT.struct(struct).by_wire
    allowed = fields.keys() | {field.also for field in fields.values() if field.also}
    unknown = tuple(name for name in names if name not in allowed)
    known = [fields[name] for name in names if name in fields]
    deeper = tuple((one.wire, _shapes_of(one.of)) for one in known if one.kind == "struct" and one.of)
    lists = ((one.wire, CONTRACT.set(str(one.of))) for one in known if one.kind == "set" and not one.array)
    listed = tuple((wire, values) for wire, values in lists if values.open)
    return _Shape(struct, unknown, deeper, listed) if unknown or deeper or listed else None


def unknown_names(facts: OperationFacts, message: MessageFacts, value: dict[str, object]) -> list[Finding]:
    """Return a finding for each member and value in a message that the contract does not have, and for another version."""
    found: list[Finding] = []
    _in_object(found.append, (facts.name, message.part), _shapes_of(message.struct)[tuple(value)], value, "")
    if message is facts.asked and facts.version is not None:
        wire, current = facts.version
        version = value.get(wire)
        if version != current and type(version) is str and not is_masked(version):
            field = CONTRACT.struct(message.struct).by_wire[wire]
            words, line = f"{field.python} is not {current}, the current one", CONTRACT.place(facts.name)
            found.append(Finding(facts.name, message.part, f"/{wire}", "other-version", words, line, version))
    return found


def operation_by_form(facts: OperationFacts, answered: dict[str, object]) -> OperationFacts | None:
    """Return the operation that an answer answers in place of this one, by its form: it has members that only the other has.

    None if it has no unknown members, or is the whole answer of no operation.
    """
    if all(one.code != "unknown-field" for one in unknown_names(facts, facts.answered, answered)):
        return None
    for other in map(facts_of, CONTRACT.operations()):
        if other.operation.inbound or unknown_names(other, other.answered, answered):
            continue
        report = Report()
        other.answered.check(answered, "", report)
        if not report.found:
            return other
    return None


def _in_object(
    add: Callable[[Finding], None], place: tuple[str, str], shape: _Shape | None, value: dict[str, object], at: str
) -> None:
    if shape is None:
        return
    for name, shapes in shape.deeper:
        inner = value[name]
        if type(inner) is dict:
            inside = shapes[tuple(inner)]
            if inside is not None:
                _in_object(add, place, inside, inner, f"{at}/{name}")
        elif type(inner) is list:
            for number, item in enumerate(inner):
                if type(item) is dict:
                    _in_object(add, place, shapes[tuple(item)], item, f"{at}/{name}/{number}")
    for name, values in shape.listed:
        text = value[name]
        if type(text) is str and text and text not in values.values and not is_masked(text):
            field = CONTRACT.struct(shape.struct).by_wire[name]
            words, line = f"{field.python} is not in {values.name}, an open list of values", CONTRACT.place(values.name)
            add(Finding(*place, f"{at}/{name}", "unknown-value", words, line, text, field.redaction))
    for name in shape.unknown[:_MOST_UNKNOWN]:
        line = CONTRACT.place(shape.struct)
        pointer, words = plain(f"{at}/{escaped(name)}"), f"{plain(name)} is not a member of {shape.struct}"
        # Its value may be personal data: show it only to users who may see such data.
        add(Finding(*place, pointer, "unknown-field", words, line, value[name], "unknown"))
