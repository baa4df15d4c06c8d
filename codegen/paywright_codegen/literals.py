"""Check the values in a contract against their fields."""

from __future__ import annotations

import re
from decimal import Decimal

from paywright_codegen.model.contract import Contract
from paywright_codegen.model.types import Field, Format
from paywright_codegen.patterns import cost_of
from paywright_runtime.contract.formats import FORMS, matcher

_LONG = 1000

_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:[.][0-9]+)?")


def pattern_of(form: Format) -> str | None:
    """Return the regular expression of a format: its own, or that of its check; None if the runtime has no such check."""
    check = FORMS.get(form.check or "")
    return form.pattern if form.pattern is not None or check is None else check.pattern


def is_text(field: Field) -> bool:
    """Return whether the field, or each element of it, is a JSON string."""
    return field.type.kind in ("string", "format", "set")


def objection(contract: Contract, field: Field, value: str) -> str | None:
    """Return why a field, or an element of it, may not have a value; None if it may."""
    kind = field.type.kind
    if kind in ("object", "struct"):
        return "is the value of an object"
    if kind == "number":
        if not _NUMBER.fullmatch(value):
            return "is not a number as JSON writes it"
        return None if Decimal(repr(float(value))) == Decimal(value) else "has more digits than a number of JSON keeps"
    if kind == "boolean":
        return None if value in ("true", "false") else "is neither true nor false"
    return _too_long(field, value) or _outside(contract, field, value)


def _too_long(field: Field, value: str) -> str | None:
    if field.type.array:
        return None
    if field.max is not None and len(value) > field.max:
        return f"has {len(value)} characters, more than {field.max}"
    if field.min is not None and len(value) < field.min:
        return f"has {len(value)} characters, fewer than {field.min}"
    return None


def _outside(contract: Contract, field: Field, value: str) -> str | None:
    if field.range is not None:
        low, high = field.range
        if not (value.isascii() and value.isdecimal() and len(value) <= 18 and low <= int(value) <= high):
            return f"is outside the range {low}..{high}"
    if field.type.kind == "set":
        chosen = contract.sets[field.type.name]
        if not chosen.open and value not in {one.wire for one in chosen.values}:
            return f"is not a value of `{chosen.name}`"
    if field.type.kind == "format" and not _fits(contract.formats[field.type.name], value):
        return f"is no `{field.type.name}`"
    if field.values and value not in field.values:
        return f"is none of {', '.join(field.values)}"
    return None


def _fits(given: Format, value: str) -> bool:
    pattern = pattern_of(given)
    if pattern is None:
        return True
    if given.pattern is None:
        return matcher(pattern)(value) is not None
    cost = cost_of(pattern)
    if cost in ("doubling", "unknown") or (cost == "power" and len(value) > _LONG):
        return True  # the pattern itself is checked with its format, and that there is a `max` with its field
    return re.fullmatch(pattern, value) is not None
