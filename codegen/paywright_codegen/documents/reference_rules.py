"""Tables of the reference about rules: conditions, demands, and the guards before sending, each with what is made of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import cast, get_args

from paywright_codegen.documents.json_schema import Schema, component
from paywright_codegen.documents.markdown import code, compact_json, row
from paywright_codegen.model.contract import Contract
from paywright_codegen.model.operations import GuardKind
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
    Restrict,
    Rule,
    Unknowable,
)
from paywright_codegen.model.types import Struct
from paywright_codegen.render.views.doc_text import python_guard
from paywright_codegen.render.views.validators import ValidatorView

_DEMANDS: Mapping[object, str] = {
    Need: "need",
    Refuse: "refuse",
    Blank: "is empty",
    AnyIs: "is ... or ...",
    Restrict: "max, in",
    Differs: "differs from",
    Joined: "is ... then ...",
}


def rule_tables(contract: Contract, patterns: Mapping[str, str]) -> Iterator[str]:
    """Yield the tables of conditions, demands and guards. Raises LookupError for one without an example."""
    every = [(struct, rule) for struct in contract.all_structs() for rule in struct.rules]
    yield from ("### Conditions", "", "| condition | rule | in Python, refused where |", "|---|---|---|")
    forms: dict[str, tuple[Struct, Rule]] = {}
    for struct, rule in every:
        for one in rule.when:
            forms.setdefault(_condition(one), (struct, rule))
    for kind in get_args(Condition):
        if not any(isinstance(one, kind) for _, rule in every for one in rule.when):
            raise LookupError(f"the contract of the reference has no condition `{kind.__name__}`")
    for form, (struct, rule) in forms.items():
        checks = [code for code, _, name in ValidatorView(contract, struct).rule_checks if name == rule.id]
        yield row(code(form), code(rule.text), code(checks[0]) if checks else "documented, not checked")
    yield from (
        "",
        "### Demands",
        "",
        "| demand | rule | in Python, refused where | in JSON Schema |",
        "|---|---|---|---|",
    )
    for kind in get_args(Demand):
        yield from _demand(contract, patterns, kind, every)
    yield from ("", "What JSON Schema cannot say stands in it under `x-not-in-schema`.")
    yield from ("", "### Before sending", "", "| demand | guard | in the docstring, under `Not sent unless:` |")
    yield "|---|---|---|"
    guards = [one for each in contract.operations.values() for one in each.guards]
    for kind in get_args(GuardKind):
        guard = next((one for one in guards if any(demand.kind == kind for demand in one.demands)), None)
        if guard is None:
            raise LookupError(f"the contract of the reference has no guard `{kind}`")
        yield row(code(f"f {kind} 0"), code(guard.text), python_guard(guard))


def _demand(
    contract: Contract, patterns: Mapping[str, str], kind: type[Demand], every: Iterable[tuple[Struct, Rule]]
) -> Iterator[str]:
    for struct, rule in every:
        for at, demand in enumerate(rule.demands):
            if isinstance(demand, kind) and rule.checked:
                checks = [one for one in ValidatorView(contract, struct).rule_checks if one[2] == rule.id]
                yield row(
                    code(_DEMANDS[kind]),
                    code(rule.text),
                    code(checks[at][0]),
                    _met(contract, patterns, struct, rule, at),
                )
                return
    raise LookupError(f"the contract of the reference has no demand `{kind.__name__}`")


def _met(contract: Contract, patterns: Mapping[str, str], struct: Struct, rule: Rule, at: int) -> str:
    """Show the demand of JSON Schema if the conditions of a rule hold."""
    if isinstance(rule.demands[at], Differs | Joined):
        return "`x-not-in-schema`"
    schema = component(contract, struct, patterns, "#/$defs/")
    then = [cast(Schema, one["then"]) for one in cast(list[Schema], schema["allOf"])]
    own = [one for one in then if one.get("x-rule") == rule.id]
    before = sum(not isinstance(one, Differs | Joined) for one in rule.demands[:at])
    return code(compact_json({key: value for key, value in own[before].items() if not key.startswith("x-")}))


def _condition(one: Condition) -> str:
    """Return the words of a condition without its names."""
    if isinstance(one, Unknowable):
        return "?question"
    if isinstance(one, OneOf):
        return "is V" if len(one.values) == 1 else "in V W"
    assert isinstance(one, IsGiven)
    return "is empty" if one.negated else "is given, is not empty"
