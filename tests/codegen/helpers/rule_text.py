"""Rules back as the sentences that a contract file has: what was read says again what was written."""

from __future__ import annotations

from paywright_codegen.model.rules import (
    AnyIs,
    Blank,
    Condition,
    Demand,
    Differs,
    IsGiven,
    Joined,
    Need,
    OneOf,
    Refuse,
    Rule,
    Unknowable,
)


def print_sentence(rule: Rule) -> str:
    """A rule as a sentence, from its conditions and demands, with every path written out."""
    when = " and ".join(map(_condition, rule.when))
    demands = " and ".join(map(_demand, rule.demands))
    asked = "".join(f" ?{question}" for question in rule.questions)
    return f"when {when}, {demands}{asked}" if when else f"{demands}{asked}"


def _condition(condition: Condition) -> str:
    if isinstance(condition, Unknowable):
        return f"?{condition.question}"
    if isinstance(condition, IsGiven):
        return f"{'.'.join(condition.path)} is {'empty' if condition.negated else 'given'}"
    return _one_of(condition)


def _one_of(one: OneOf) -> str:
    return f"{'.'.join(one.path)} {'is' if len(one.values) == 1 else 'in'} {' '.join(one.values)}"


def _demand(demand: Demand) -> str:
    if isinstance(demand, Need):
        return f"need {' or '.join('.'.join(path) for path in demand.paths)}"
    if isinstance(demand, AnyIs):
        return " or ".join(map(_one_of, demand.choices))
    path = ".".join(demand.path)
    if isinstance(demand, Refuse):
        return f"refuse {path}"
    if isinstance(demand, Blank):
        return f"{path} is empty"
    if isinstance(demand, Differs):
        return f"{path} differs from {'.'.join(demand.other)}"
    if isinstance(demand, Joined):
        return f"{path} is {' then '.join('.'.join(part) for part in demand.parts)}"
    return f"{path} max {demand.max}" if demand.max is not None else f"{path} in {' '.join(demand.values)}"
