"""Convert arguments in JSON, with wire names, to the arguments of the client."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal
from difflib import get_close_matches
from typing import Any

from paywright_cli.common.terminal import Usage
from paywright_cli.common.wording import in_json_names
from paywright_runtime.contract.conversion import writers
from paywright_runtime.contract.index import Contract
from paywright_runtime.contract.model import Field, Struct
from paywright_runtime.contract.operation import Operation
from paywright_runtime.contract.validation import describe_violations
from paywright_runtime.contract.violations import Report, within


def arguments(
    contract: Contract, operation: Operation, given: Mapping[str, object], *, newer: bool = False
) -> tuple[dict[str, object], dict[str, object]]:
    """Convert JSON to the arguments of an operation, and members that the contract does not name.

    The arguments are by wire name, with the SDK's classes for nested objects. Members that the contract does not name
    are accepted only if `newer` is set. Raises `Usage` for members that the client fills in or that the contract does
    not name, with all violations of the contract. Otherwise nothing is validated here: the client validates.
    """
    struct = contract.struct(operation.data or operation.request)
    free = {field.wire for field in struct.fields if field.sends is None and field.source is None}
    trouble: list[str] = []
    values: dict[str, object] = {}
    rest: dict[str, object] = {}
    for name, value in given.items():
        field = struct.by_wire.get(name)
        if field is not None and name in free:
            values[name] = _value(contract, field, value, f"/{name}", trouble)
        elif field is not None:
            trouble.append(f"/{name}: the client fills this in; leave it out")
        elif newer:
            rest[name] = value
        else:
            trouble.append(f"/{name}: {operation.name} has no such member{_near(name, free)}; --extra sends it anyway")
    if trouble:
        trouble += _violations(contract, struct, values, set(struct.by_wire) - free)
        raise Usage("\n  ".join(["nothing was sent; these arguments cannot be used:", *trouble]))
    return values, rest


def _violations(contract: Contract, struct: Struct, values: Mapping[str, object], filled_in: set[str]) -> Iterator[str]:
    """Yield violations of the contract, except in members that the client fills in."""
    report = Report()
    wire: dict[str, object] = {}
    for field, write in zip(struct.fields, writers(contract, struct), strict=True):
        value = values.get(field.wire)
        if value is not None:
            wire[field.wire] = write(value, f"/{field.wire}", report)
    contract.validator(struct.name)(wire, "", report)
    for violation in dict.fromkeys(describe_violations(contract, struct.name, report)):
        if violation.pointer.partition("/")[2].partition("/")[0] not in filled_in:
            yield str(in_json_names(contract, struct.name, violation))


def arguments_of_example(contract: Contract, operation: Operation) -> dict[str, object]:
    """Return the arguments in the example request of an operation, by wire name. Amounts are `Decimal`."""
    message = contract.example(f"{operation.name}.request")
    asked = within(message, *operation.payload_paths[0])
    assert isinstance(asked, dict)  # the contract's own example
    struct = contract.struct(operation.data or operation.request)
    given = {
        field.wire: asked[field.wire]
        for field in struct.fields
        if field.wire in asked and not _filled_in(contract, field)
    }
    return arguments(contract, operation, _exact(given))[0]


def _filled_in(contract: Contract, field: Field) -> bool:
    if field.kind == "struct" and field.of is not None:
        return all(_filled_in(contract, each) for each in contract.struct(field.of).fields)
    return field.sends is not None or field.source is not None


def _exact(value: Any) -> Any:
    if isinstance(value, float):
        return Decimal(repr(value))
    if isinstance(value, dict):
        return {name: _exact(item) for name, item in value.items()}
    return [_exact(item) for item in value] if isinstance(value, list) else value


def _value(contract: Contract, field: Field, value: object, at: str, trouble: list[str]) -> object:
    if field.kind != "struct" or field.of is None:
        return value
    struct = contract.struct(field.of)
    if field.array and isinstance(value, list):
        return [_model(contract, struct, item, f"{at}/{i}", trouble) for i, item in enumerate(value)]
    return _model(contract, struct, value, at, trouble)


def _model(contract: Contract, struct: Struct, value: object, at: str, trouble: list[str]) -> object:
    made = contract.model(struct.name)
    if not isinstance(value, dict) or made is None:
        return value  # the client reports what is wrong
    trouble += (
        f"{at}/{name}: {struct.name} has no such member{_near(name, struct.by_wire)}"
        for name in _unknown(struct, value)
    )
    # Made without its constructor: the client's validator reports all missing members at once.
    model: object = object.__new__(made)
    for field in struct.fields:
        item = value.get(field.wire)
        known = None if item is None else _value(contract, field, item, f"{at}/{field.wire}", trouble)
        setattr(model, field.python, known)
    return model


def _unknown(struct: Struct, value: Mapping[str, object]) -> Iterator[str]:
    return (name for name in value if name not in struct.by_wire)


def _near(name: str, names: object) -> str:
    near = get_close_matches(name, list(names) if isinstance(names, (set, dict)) else [], 1)
    return f" (did you mean {near[0]}?)" if near else ""
