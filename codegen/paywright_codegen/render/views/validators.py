"""Views of `validators.py.jinja`: the statements that test each member and rule of a struct."""

from __future__ import annotations

from dataclasses import dataclass

from paywright_codegen import naming
from paywright_codegen.lookup import corrected_at
from paywright_codegen.model.contract import Contract
from paywright_codegen.model.types import Field, Struct
from paywright_codegen.python_types import kind
from paywright_codegen.render.python.expressions import broken, failed_text, text_limits

__all__ = ["MemberTest", "ValidatorView", "function_of"]


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
        return [
            _check(self._contract, field, "data" if field.wire == self._payload else None)
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


def _check(contract: Contract, field: Field, function: str | None) -> MemberTest:
    name, required = ascii(field.wire), field.required
    also = f" if get({name}) is not None else get({field.also!a})" if field.also else ""
    flag = ", required=True" if required else ""
    word = kind(contract, field)
    if field.type.array:
        code = _array_check(contract, field, flag)
    elif word == "struct":
        function = function or function_of(contract, field)
        code = [
            (0, "if type(x) is dict:"),
            (1, f"{function}(x, at + {'/' + field.wire!a}, report)"),
            (0, "else:" if required else "elif x is not None:"),
            (1, f"report.struct(at, {name}, x{flag})"),
        ]
    else:
        if word == "number":
            test, call = "type(x) is not int and not is_number(x)", "number"
        elif word == "boolean":
            test, call = "type(x) is not bool", "boolean"
        elif word == "any":
            test, call = "type(x) is not dict", "struct"
        else:
            test, call = failed_text(contract, field), "text"
        limits = (
            "".join(f", {key}={value}" for key, value in text_limits(contract, field).items()) if call == "text" else ""
        )
        if not required:
            test = f"x is not None and ({test})" if " or " in test else f"x is not None and {test}"
        code = [(0, f"if {test}:"), (1, f"report.{call}(at, {name}, x{flag}{limits})")]
    return MemberTest(f"get({name}){also}", tuple(code))


def _array_check(contract: Contract, field: Field, flag: str) -> list[tuple[int, str]]:
    name = ascii(field.wire)
    bounds = [f"len(x) > {field.max}"] if field.max is not None else []
    bounds += [f"len(x) < {field.min}"] if field.min is not None else []
    limits = "".join(f", {key}={value}" for key, value in (("min", field.min), ("max", field.max)) if value is not None)
    test = " or ".join(["type(x) is not list", *bounds])
    if not field.required:
        test = f"x is not None and ({test})" if bounds else f"x is not None and {test}"
    if field.type.kind in _ELEMENTS:
        wrong, call = _ELEMENTS[field.type.kind]
        each = [
            (1, "for i, element in enumerate(x):"),
            (2, f"if {wrong}:"),
            (3, f"report.{call}(at + {'/' + field.wire!a}, i, element, required=True)"),
        ]
    elif field.type.kind == "struct":
        each = [(1, f"report.each(at, {name}, x, {function_of(contract, field)})")]
    else:
        particular = {k: v for k, v in text_limits(contract, field).items() if k in ("values", "format", "shown")}
        given = "".join(f", {key}={value}" for key, value in particular.items())
        each = [(1, f"report.each_text(at, {name}, x{given})")]
    return [(0, f"if {test}:"), (1, f"report.array(at, {name}, x{flag}{limits})"), (0, "if type(x) is list:"), *each]


# For elements of arrays: the test that one is wrong, and the method of the report that says why.
_ELEMENTS = {
    "number": ("type(element) is not int and not is_number(element)", "number"),
    "boolean": ("type(element) is not bool", "boolean"),
    "object": ("type(element) is not dict", "struct"),
}


def function_of(contract: Contract, field: Field) -> str:
    """Return the name of the validator of the struct that a field holds."""
    return naming.function(contract.struct_named(field.type.name))
