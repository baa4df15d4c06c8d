"""From arguments as they stand on the wire, in JSON, to the arguments that the client takes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches

from paywright_runtime.facts import Contract, Field, Operation, Struct
from paywright_tools.terminal import Usage

__all__ = ["arguments"]


def arguments(
    contract: Contract, operation: Operation, given: Mapping[str, object], *, newer: bool = False
) -> tuple[dict[str, object], dict[str, object]]:
    """What to call an operation with: values by wire name, with the SDK's classes for nested objects; and the rest.

    The rest are members the contract does not name, accepted only where `newer` says so. Limits are not judged here:
    the client does that. Raises `Usage` for names that the client fills in or that nobody knows, all at once.
    """
    struct = contract.struct(operation.data or operation.asks)
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
            trouble.append(
                f"/{name}: {operation.name} has no such member{_near(name, free)}; --extra sends it all the same"
            )
    if trouble:
        raise Usage("\n  ".join(["nothing was sent; the arguments hold what cannot be given:", *trouble]))
    return values, rest


def _value(contract: Contract, field: Field, value: object, at: str, trouble: list[str]) -> object:
    if field.kind != "struct" or field.of is None:
        return value
    struct = contract.struct(field.of)
    if field.array and isinstance(value, list):
        return [_model(contract, struct, item, f"{at}/{i}", trouble) for i, item in enumerate(value)]
    return _model(contract, struct, value, at, trouble)


def _model(contract: Contract, struct: Struct, value: object, at: str, trouble: list[str]) -> object:
    if not isinstance(value, dict) or struct.model is None:
        return value  # the client says what belongs here
    trouble += (
        f"{at}/{name}: {struct.name} has no such member{_near(name, struct.by_wire)}"
        for name in _unknown(struct, value)
    )
    # Made without its constructor: what is missing is for the client's validator to say, all at once.
    model: object = object.__new__(contract.model(struct.model))
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
