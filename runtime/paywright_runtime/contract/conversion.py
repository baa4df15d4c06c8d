"""Convert between Python values and wire values: models to parsed JSON and back, by the contract's tables.

Writing is strict: a float, a naive time or a dict in place of a model is reported and nothing is sent. Reading is
tolerant, because real gateways are not exact: it takes numbers as text and text as numbers, variants of times, `""` or
null for absent members, unknown fields and values. What still cannot be read goes into a report if it is needed, and else
reads as blank.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, Any, Final, cast

from paywright_runtime.contract.formats import FORMS
from paywright_runtime.contract.needed_members import due_members, holds_needed, report_due
from paywright_runtime.contract.value_checks import EMPTY, Report
from paywright_runtime.json_value import by_value
from paywright_runtime.strict_json.errors import HALF, CutText, escaped

if TYPE_CHECKING:
    from paywright_runtime.contract.index import Contract
    from paywright_runtime.contract.model import Field, Struct

Writer = Callable[[object, str, Report], object]
Reader = Callable[[object, str, Report], object]

_DECIMAL: Final = re.compile(r"[+-]?[0-9]{1,64}([.][0-9]{1,64})?").fullmatch


class _Plan:
    """Writers and readers of one struct, made once."""

    __slots__ = ("due", "model", "read", "write")

    def __init__(self, contract: Contract, struct: Struct) -> None:
        self.model = contract.model(struct.name)
        self.write: list[tuple[str, str, Writer]] = [
            (field.wire, field.python, _array(_writer(contract, field)) if field.array else _writer(contract, field))
            for field in struct.fields
        ]
        self.due = due_members(contract, struct)
        # A member that need not be there, and is not, has only its name, its other one and what stands for it looked at.
        self.read: list[tuple[str, str | None, str, object, bool, Field, Reader | None, bool]] = []
        for field in struct.fields:
            within = field.kind == "struct" and holds_needed(contract, contract.struct(field.of or ""))
            needed = field.needed or within
            names, reader = (field.wire, field.also, field.python), _reader(contract, field, needed)
            self.read.append((*names, () if field.array else None, field.required, field, reader, needed))


def _plan(contract: Contract, struct: Struct) -> _Plan:
    if struct.plan is None:
        struct.plan = _Plan(contract, struct)
    return cast(_Plan, struct.plan)


# Writing


def time_writer(field: Field) -> Callable[[Any], str]:
    """Return the function that writes a date or a time for a member, such as that of a request `from clock`."""
    write = FORMS[field.of or ""].write
    assert write is not None  # the generator takes no check without one for a date or a time
    return write


def writers(contract: Contract, struct: Struct) -> list[Writer]:
    """Return the writers of a struct's members, in the struct's order; each reports a value that it cannot write."""
    return [writer for _, _, writer in _plan(contract, struct).write]


def _write_model(contract: Contract, struct: Struct, value: object, at: str, report: Report) -> object:
    plan = _plan(contract, struct)
    if plan.model is None or not isinstance(value, plan.model):
        report.add(at, "type", f"must be a {struct.name}, not a Python {type(value).__name__}")
        return value
    wire: dict[str, object] = {}
    for name, attribute, writer in plan.write:
        item = getattr(value, attribute)
        if item is not None:
            wire[name] = item if type(item) is str else writer(item, f"{at}/{name}", report)
    return wire


def _array(one: Writer) -> Writer:
    def many(value: object, at: str, report: Report) -> object:
        if isinstance(value, Sequence) and not isinstance(value, (str, bytes)):
            return [one(item, f"{at}/{i}", report) for i, item in enumerate(value)]
        return value

    return many


def _writer(contract: Contract, field: Field) -> Writer:
    if field.kind == "struct":
        struct = contract.struct(field.of or "")
        return lambda value, at, report: _write_model(contract, struct, value, at, report)
    if field.kind == "number":
        return _write_number
    if field.kind == "decimal":
        return _write_decimal
    if field.kind == "datetime":
        return _write_time(time_writer(field), datetime)
    if field.kind == "date":
        return _write_time(time_writer(field), date, () if field.of == "start_date" else datetime)
    return lambda value, at, report: dict(value) if isinstance(value, Mapping) else by_value(value)


def _write_number(value: object, at: str, report: Report) -> object:
    value = by_value(value)
    if isinstance(value, float):
        report.add(at, "type", "must not be a float, which cannot carry an exact amount: use Decimal")
    return value


def _write_decimal(value: object, at: str, report: Report) -> object:
    number = _write_number(value, at, report)
    exact = Decimal(number) if type(number) is int else number
    fits = isinstance(exact, Decimal) and exact.is_finite() and abs(exact.adjusted()) <= 64
    return format(exact, "f") if fits else number


def _write_time(form: Callable[..., str], kind: type, other: type | tuple[()] = ()) -> Writer:
    """Return the writer of values that are a `kind` and no `other`; the validator reports what is neither date nor time."""

    def write_time(value: object, at: str, report: Report) -> object:
        if isinstance(value, date) and (not isinstance(value, kind) or isinstance(value, other)):
            report.add(at, "type", f"must be a {kind.__name__}, not a Python {type(value).__name__}")
            return form(datetime(value.year, value.month, value.day, tzinfo=UTC))  # refused already, and for this alone
        if not isinstance(value, kind):
            return value
        if isinstance(value, datetime) and value.utcoffset() is None:
            report.add(at, "format", "must be an aware datetime, with a time zone")
            return form(value.replace(tzinfo=UTC))
        return form(value)

    return write_time


# Reading


def read(contract: Contract, struct: Struct, wire: Mapping[str, object], at: str, trouble: Report) -> object:
    """Read the model of an object on the wire. Needed members that are missing or cannot be read are reported in `trouble`.

    Any other is blank then: an empty text, no time, an unknown value, an empty list, an object of blanks.
    """
    plan = _plan(contract, struct)
    values: dict[str, object] = {}
    for name, also, python, absent, required, field, reader, needed in plan.read:
        raw = wire.get(name)
        if raw is None and also is not None:
            raw = wire.get(also)
        if raw is None and not required:
            values[python] = absent
            continue
        if reader is None:
            if type(raw) is str and (raw or not (needed and required)):
                values[python] = raw
                continue
            reader = _read_whole if needed else _read_text
        value = None
        if raw is not None and raw != "":
            value = (
                _read_array(contract, field, needed, reader, raw, f"{at}/{name}", trouble)
                if field.array
                else reader(raw, f"{at}/{name}", trouble)
            )
        if value is None:
            value = _unread(contract, field, needed, raw, f"{at}/{name}", trouble)
        values[python] = value
    if plan.due is not None:
        report_due(plan.due, wire, at, trouble)
    assert plan.model is not None  # only structs with a class are read
    return plan.model(**values)


def _unread(
    contract: Contract, field: Field, needed: bool, raw: object, at: str, trouble: Report, *, element: bool = False
) -> object:
    """Return what stands for a member that is missing or cannot be read. It is reported if it is needed.

    An `element` of an array is needed like a required member.
    """
    array = field.array and not element
    # PHP writes an empty object as [], but an amount, a key or a state is none.
    given = raw not in (EMPTY if array or field.kind == "struct" else (None, ""))
    due = element or (field.required and not field.blank)
    if field.kind == "struct" and due and not array:
        before = len(trouble.found)
        blank = read(contract, contract.struct(field.of or ""), {}, at, trouble)
        if len(trouble.found) > before or (given and needed):
            del trouble.found[before:]
            trouble.add(at, "type" if given else "required", "cannot be read" if given else "is required")
        return blank
    if needed and (given or (due and not array)):
        if isinstance(raw, CutText):
            trouble.add(at, "json", HALF)
        elif field.kind == "decimal" and type(raw) is str and given:
            trouble.add(at, "format", "cannot be read: an amount is digits, with at most a point and no exponent")
        else:
            trouble.add(at, "type" if given else "required", "cannot be read" if given else "is required")
    if array:
        return ()
    if field.kind == "text" and (due or field.required):
        return ""
    return contract.wire_set(field.of or "")("") if field.kind == "set" and due else None


def _read_array(
    contract: Contract, field: Field, needed: bool, reader: Reader, raw: object, at: str, trouble: Report
) -> object:
    if type(raw) is not list:
        return None
    items = []
    for i, item in enumerate(raw):
        value = reader(item, f"{at}/{i}", trouble)
        if value is None:
            value = _unread(contract, field, needed, item, f"{at}/{i}", trouble, element=True)
        items.append(value)
    return tuple(items)


def _reader(contract: Contract, field: Field, needed: bool) -> Reader | None:
    """Return the reader of a member; None for text, which `read` handles itself."""
    as_text = _read_whole if needed else _read_text
    if field.kind == "text":
        return None if not field.array else as_text
    if field.kind == "struct":
        struct = contract.struct(field.of or "")
        return lambda raw, at, trouble: read(contract, struct, raw, at, trouble) if type(raw) is dict else None
    if field.kind == "set":
        members = contract.wire_set(field.of or "")

        def read_member(raw: object, at: str, trouble: Report) -> object:
            text = as_text(raw, at, trouble)
            return members(text) if text else None

        return read_member
    if field.kind in ("date", "datetime"):
        return partial(_read_time, FORMS[field.of or ""].read)
    others: dict[str, Reader] = {"number": read_number, "decimal": read_number, "boolean": _read_boolean}
    return others.get(field.kind) or (lambda raw, at, trouble: raw)


def _read_time(form: Callable[[str], date | None], raw: object, at: str, trouble: Report) -> date | None:
    text = _read_text(raw, at, trouble)
    return None if text is None else form(text)


def _read_text(raw: object, at: str, trouble: Report) -> str | None:
    return str(raw) if isinstance(raw, CutText) else _read_whole(raw, at, trouble)


def _read_whole(raw: object, at: str, trouble: Report) -> str | None:
    """Read a text that is not cut, or a number as text."""
    if type(raw) is str:
        return raw
    if type(raw) is int:
        return str(raw)
    return format(raw, "f") if isinstance(raw, Decimal) else None


def read_number(raw: object, at: str = "", trouble: Report | None = None) -> Decimal | None:
    """Read a number of parsed JSON, or decimal text with at most 64 digits on each side; None for anything else."""
    if isinstance(raw, Decimal):
        return raw
    if type(raw) is int:
        return Decimal(raw)
    return Decimal(raw) if type(raw) is str and _DECIMAL(raw) else None


def number_text(value: Decimal) -> str:
    """Return the shortest text of a number: `10.5` for `10.50`, `1` for `1.0`."""
    text = Decimal.__format__(value, "f")
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text in ("-0", "") else text


def _read_boolean(raw: object, at: str, trouble: Report) -> bool | None:
    if type(raw) is bool:
        return raw
    return {"true": True, "false": False}.get(raw) if type(raw) is str else None


# Unknown members, and times that cannot be read


def unknown_members(contract: Contract, struct: Struct, wire: Mapping[str, object], at: str = "") -> list[str]:
    """Return pointers to the members that the contract does not name, in an object and all objects inside it."""
    unknown: list[str] = []
    for name, value in wire.items():
        field = struct.by_wire.get(name)
        if field is None:
            if not any(name == other.also for other in struct.fields):
                unknown.append(f"{at}/{escaped(name)}")
        elif field.kind == "struct":
            for inner, item, place in _objects(contract, field, value, at):
                unknown += unknown_members(contract, inner, item, place)
    return unknown


def report_unread_times(
    contract: Contract, struct: Struct, wire: Mapping[str, object], report: Report, at: str = ""
) -> None:
    """Report times that `read` turns into None although the contract allows their text, unless they are in `report` already."""
    known = {pointer for pointer, _, _ in report.found}
    for *_, field, reader, _ in _plan(contract, struct).read:
        value = wire.get(field.wire)
        for inner, item, place in _objects(contract, field, value, at):
            report_unread_times(contract, inner, item, report, place)
        time = field.kind in ("date", "datetime") and not field.array
        unread = time and value not in EMPTY and reader is not None and reader(value, at, report) is None
        if unread and f"{at}/{field.wire}" not in known:
            report.add(f"{at}/{field.wire}", "format", "cannot be read as a time")


def _objects(
    contract: Contract, field: Field, value: object, at: str
) -> Iterator[tuple[Struct, dict[str, object], str]]:
    """Yield each object that a member holds, alone or in an array: its struct, the object and its pointer."""
    if field.kind == "struct":
        inner = contract.struct(field.of or "")
        for step, item in enumerate(value) if type(value) is list else [(None, value)]:
            if type(item) is dict:
                yield inner, item, f"{at}/{field.wire}" if step is None else f"{at}/{field.wire}/{step}"
