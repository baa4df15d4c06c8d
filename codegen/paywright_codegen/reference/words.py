"""Rules, types and limits of the contract in words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from paywright_codegen.documents.markdown import code
from paywright_codegen.model import rules as model
from paywright_codegen.model.contract import Limit
from paywright_codegen.model.operations import Guard

_SPANS = ((86400, "day"), (3600, "hour"), (60, "minute"), (1, "second"))


def joined(words: Iterable[str], last: str = "and") -> str:
    """Join words as a sentence does: `a, b and c`."""
    *most, end = words
    return f"{', '.join(most)} {last} {end}" if most else end


def duration(seconds: int) -> str:
    """Return a span of time in its largest whole unit: `180 days`."""
    span, unit = next((span, unit) for span, unit in _SPANS if seconds % span == 0)
    count = seconds // span
    return f"{count} {unit}{'s' if count != 1 else ''}"


def sections(numbers: Sequence[str]) -> str:
    """Return `section 4.13` or `sections 4.13 and 8`; "" if there are none."""
    return f"section{'s' if len(numbers) > 1 else ''} {joined(numbers)}" if numbers else ""


def _at(path: model.Path) -> str:
    return code(".".join(path))


def amount_of(member: model.Path, currency: model.Path) -> str:
    """Return the member with an amount, and the one with its currency."""
    return f"{_at(member)} in the currency {_at(currency)}"


def rule_words(rule: model.Rule, question: Callable[[str], str]) -> str:
    """Return a rule as a sentence. `question` makes a link to an open question."""
    demands = _demand_words(rule.demands)
    if not rule.when:
        return f"{demands[:1].upper()}{demands[1:]}."
    conditions = joined(_condition_words(one, question) for one in rule.when)
    words = f"If {conditions}, {demands}."
    return words if rule.checked else f"{words} Nothing checks this, because no field shows the case."


def guard_words(guard: Guard) -> str:
    """Return a guard as a sentence."""
    parts = [f"{_at(one.path)} is {'above 0' if one.kind == 'above' else 'at least 0'}" for one in guard.demands]
    return f"The client sends the request only if {joined(parts)}."


def _condition_words(one: model.Condition, question: Callable[[str], str]) -> str:
    if isinstance(one, model.IsGiven):
        return f"{_at(one.path)} is {'empty' if one.negated else 'given'}"
    if isinstance(one, model.OneOf):
        return _is(one)
    return f"the case of {question(one.question)} holds"


def _is(one: model.OneOf) -> str:
    return f"{_at(one.path)} is {joined(map(code, one.values), 'or')}"


def _demand_words(demands: Sequence[model.Demand]) -> str:
    single = [one for one in demands if isinstance(one, model.Need) and len(one.paths) == 1]
    parts = [_one_demand(one) for one in demands if one not in single]
    if single:
        parts.insert(0, f"{joined(_at(one.paths[0]) for one in single)} must be given")
    return joined(parts)


def _one_demand(one: model.Demand) -> str:
    if isinstance(one, model.Need):
        return f"{joined(map(_at, one.paths), 'or')} must be given"
    if isinstance(one, model.Refuse):
        return f"{_at(one.path)} must be absent or null"
    if isinstance(one, model.Blank):
        return f"{_at(one.path)} must be empty"
    if isinstance(one, model.AnyIs):
        return joined(map(_is, one.choices), "or")
    if isinstance(one, model.Differs):
        return f"{_at(one.path)} must differ from {_at(one.other)}"
    if isinstance(one, model.Joined):
        first, second = one.parts
        return f"{_at(one.path)} must be {_at(first)} followed by {_at(second)}"
    return _restriction(one)


def _restriction(one: model.Restrict) -> str:
    if one.values:
        return f"{_at(one.path)}, where it is given, must be {joined(map(code, one.values), 'or')}"
    return f"{_at(one.path)}, where it is given, must have at most {one.max} characters"


def limit_words(limit: Limit) -> str:
    """Return a limit in words."""
    if limit.seconds is not None:
        return duration(limit.seconds)
    if limit.decimals is not None:
        return f"{limit.decimals} decimals"
    return limit.facet or ""
