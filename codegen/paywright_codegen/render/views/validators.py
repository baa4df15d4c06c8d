"""Views of `validators.py.jinja` and `envelopes.py.jinja`: the statements that test each member and rule of a struct.

All conditions are expressions that are true when something is wrong; templates only place them. In a validator `body` is the object,
`get` is `body.get`, `x` the current member and `at` the object's JSON pointer. Every contract string goes through `ascii`.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from paywright_codegen import naming
from paywright_codegen.lookup import closed_values, corrected_at
from paywright_codegen.model import rules as model
from paywright_codegen.model.contract import Contract
from paywright_codegen.model.operations import MessageSpec
from paywright_codegen.model.types import Field, Struct
from paywright_codegen.naming import constant
from paywright_codegen.python_types import kind
from paywright_codegen.render.views.doc_text import wrapped


def failed_text(contract: Contract, field: Field) -> str:
    """Return an expression that is true if a value is no text or breaks a limit of the field."""
    tests = ["type(x) is not str"]
    values = closed_values(contract, field)
    may_be = (*values, "") if field.blank else values
    if not values or field.max is None or any(not (field.min or 0) <= len(value) <= field.max for value in may_be):
        tests += _length(field)
    particular = []
    if values:
        particular.append(f"x not in {{{', '.join(map(ascii, values))}}}")
    if field.range is not None:
        particular.append(f"not in_range(x, {field.range!a})")
    if field.type.kind == "format":
        particular.append(f"not {constant(field.type.name)}(x)")
    if field.blank and particular:
        tests.append(f'(x != "" and ({" or ".join(particular)}))')
    else:
        tests += particular
    return " or ".join(tests)


def _length(field: Field) -> list[str]:
    low, high = field.min, field.max
    if low is not None and low == high:
        return [f"len(x) != {low}"]
    if low is not None and high is not None:
        return [f"not {low} <= len(x) <= {high}"]
    if high is not None:
        return [f"len(x) > {high}"]
    return [] if low is None else [f"len(x) < {low}"]


def _value(path: model.Path) -> str:
    if len(path) == 1:
        return f"get({path[0]!a})"
    return f"within(body, ({', '.join(map(ascii, path))}))"


def _is(one: model.OneOf) -> str:
    return (
        f"{_value(one.path)} == {one.values[0]!a}" if len(one.values) == 1 else f"{_value(one.path)} in {one.values!a}"
    )


def _holds(condition: model.IsGiven | model.OneOf) -> str:
    if isinstance(condition, model.OneOf):
        return _is(condition)
    return f"{_value(condition.path)} {'in' if condition.negated else 'not in'} EMPTY"


def _failed(demand: model.Demand) -> str:
    if isinstance(demand, model.Need):
        return " and ".join(f"{_value(path)} in EMPTY" for path in demand.paths)
    if isinstance(demand, model.Refuse):
        return f"{_value(demand.path)} is not None"
    if isinstance(demand, model.Blank):
        return f"{_value(demand.path)} not in EMPTY"
    if isinstance(demand, model.AnyIs):
        return " and ".join(
            f"not {_is(choice)}" if len(choice.values) > 1 else _is(choice).replace(" == ", " != ", 1)
            for choice in demand.choices
        )
    if isinstance(demand, model.Differs):
        return f"same_text({_value(demand.path)}, {_value(demand.other)})"
    if isinstance(demand, model.Joined):
        return f"not_joined({', '.join(map(_value, (demand.path, *demand.parts)))})"
    value = _value(demand.path)
    if demand.values:
        return f"{value} is not None and {value} not in {demand.values!a}"
    return f"longer({value}, {demand.max})"


def broken(rule: model.Rule, demand: model.Demand) -> str:
    """Return an expression that is true if a rule applies and this demand is not met."""
    conditions = [_holds(condition) for condition in rule.when if isinstance(condition, model.IsGiven | model.OneOf)]
    return " and ".join([*conditions, _failed(demand)])


@dataclass(frozen=True, slots=True)
class MemberTest:
    """One statement of a validator: read member `wire`, then run `code` lines, each with its depth."""

    wire: str
    code: tuple[tuple[int, str], ...]


class ValidatorView:
    """A struct as a validator. That of its member `payload` is the argument `data`, if there is such a member."""

    def __init__(self, contract: Contract, struct: Struct, payload: str | None = None) -> None:
        self.name = struct.name
        self.function = naming.function(struct)
        self.sections = struct.sections
        self.is_named = struct.named
        self._struct = struct
        self._payload = payload
        self._contract = contract

    @property
    def checks(self) -> list[MemberTest]:
        """Return the tests of the members, in the contract's order."""
        return self.tests_as(self.name)

    def tests_as(self, name: str) -> list[MemberTest]:
        """Return the tests of the members, which look up by this name of the struct what a failed one means."""
        return [
            _check(self._contract, field, "data" if field.wire == self._payload else None, ascii(name))
            for field in self._struct.fields
        ]

    @property
    def rule_checks(self) -> list[tuple[str, str, str]]:
        """Return (condition, where to correct, rule id) of every demand that is checked."""
        return [
            (broken(rule, demand), corrected_at(demand), rule.id)
            for rule in self._struct.rules
            if rule.checked
            for demand in rule.demands
        ]


def _check(contract: Contract, field: Field, function: str | None, of: str) -> MemberTest:
    name, word = ascii(field.wire), kind(contract, field)
    also = f" if get({name}) is not None else get({field.also!a})" if field.also else ""
    matched = f", {constant(field.type.name)}" if field.type.kind == "format" and not field.type.array else ""
    report = f"report.failed(CONTRACT, {of}, at, {name}, x{matched})"
    if field.type.array:
        code = _array_check(contract, field, of, report)
    elif word == "struct":
        code = [
            (0, "if type(x) is dict:"),
            (1, f"{function or function_of(contract, field)}(x, at + {'/' + field.wire!a}, report)"),
            (0, "else:" if field.required else "elif x is not None:"),
            (1, report),
        ]
    else:
        code = [(0, f"if {_optional(field, _WRONG.get(word) or failed_text(contract, field))}:"), (1, report)]
    return MemberTest(f"get({name}){also}", tuple(code))


def _optional(field: Field, test: str) -> str:
    """Return a test that an absent member passes, if the field may be absent."""
    if field.required:
        return test
    return f"x is not None and ({test})" if " or " in test else f"x is not None and {test}"


def _array_check(contract: Contract, field: Field, of: str, report: str) -> list[tuple[int, str]]:
    name = ascii(field.wire)
    bounds = [f"len(x) > {field.max}"] if field.max is not None else []
    bounds += [f"len(x) < {field.min}"] if field.min is not None else []
    wrong = _WRONG.get("any" if field.type.kind == "object" else field.type.kind)
    if wrong is not None:
        each = [
            (1, "for i, element in enumerate(x):"),
            (2, f"if {wrong.replace('x', 'element')}:"),
            (3, f"report.failed(CONTRACT, {of}, at, {name}, element, None, i)"),
        ]
    elif field.type.kind == "struct":
        each = [(1, f"report.each(at, {name}, x, {function_of(contract, field)})")]
    else:
        values = closed_values(contract, field)
        tests = f", values={values!a}" if values else ""
        tests += f", format={constant(field.type.name)}" if field.type.kind == "format" else ""
        each = [(1, f"report.each_text(CONTRACT, {of}, at, {name}, x{tests})")]
    test = _optional(field, " or ".join(["type(x) is not list", *bounds]))
    return [(0, f"if {test}:"), (1, report), (0, "if type(x) is list:"), *each]


_WRONG = {
    "number": "type(x) is not int and not is_number(x)",
    "boolean": "type(x) is not bool",
    "any": "type(x) is not dict",
}
"""The test that a value is not of its kind."""


def function_of(contract: Contract, field: Field) -> str:
    """Return the name of the validator of the struct that a field holds."""
    return naming.function(contract.struct_named(field.type.name))


_Statements = tuple[tuple[MemberTest, ...], tuple[tuple[str, str, str], ...]]


class EnvelopeView:
    """A function that makes the validator of a message from the validator of its payload."""

    def __init__(self, contract: Contract, envelope: str, message: MessageSpec) -> None:
        self.payload = message.payload or ""
        self.function = naming.variable(f"{envelope}_{message.role}")
        view = ValidatorView(contract, message.root, message.payload)
        self.checks, self.rule_checks = view.checks, view.rule_checks
        self.doc = wrapped(
            f"Make the validator of a {message.role} in the envelope `{envelope}` from that of its `{self.payload}`.", 4
        )


def shared_envelopes(contract: Contract) -> dict[str, EnvelopeView]:
    """Return the shared validator of every message that has one, by the name of the message's root.

    For each envelope and role, the statements that most messages have in common are shared. A message whose root tests
    anything else has a validator of its own.
    """
    alike: dict[str, dict[_Statements, list[tuple[str, MessageSpec]]]] = defaultdict(lambda: defaultdict(list))
    operations = contract.operations.values()
    unnamed = ((one.envelope, each) for one in operations for each in one.messages if not each.root.named)
    for envelope, message in unnamed:
        if [message.payload] != [field.wire for field in message.root.fields if field.type.kind == "struct"]:
            continue  # it calls other validators than that of its payload
        one = ValidatorView(contract, message.root, message.payload)
        statements = (tuple(one.tests_as("")), tuple(one.rule_checks))
        alike[naming.variable(f"{envelope}_{message.role}")][statements].append((envelope, message))
    shared: dict[str, EnvelopeView] = {}
    for groups in alike.values():
        messages = max(groups.values(), key=len)
        if len(messages) > 1:
            view = EnvelopeView(contract, *messages[0])
            shared |= dict.fromkeys((message.root.name for _, message in messages), view)
    return shared
