"""Views of `validators.py.jinja`: the statements that test each member and rule of a struct."""

from __future__ import annotations

from dataclasses import dataclass

from paywright_codegen import naming
from paywright_codegen.lookup import closed_values, corrected_at
from paywright_codegen.model.contract import Contract
from paywright_codegen.model.types import Field, Struct
from paywright_codegen.naming import constant
from paywright_codegen.python_types import kind
from paywright_codegen.render.python.expressions import broken, failed_text


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
        self.place = struct.place
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
