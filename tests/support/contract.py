"""The gateway's contract as the generator sees it, read once."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from paywright_codegen.model.contract import Contract
from paywright_codegen.model.operations import MessageSpec
from paywright_codegen.model.types import Field, Struct
from paywright_codegen.reader.loader import load

TOP = Path(__file__).resolve().parents[2]
PACKAGE = TOP / "generated" / "paywright"


@cache
def contract() -> Contract:
    return load(TOP / "spec")


@cache
def messages() -> dict[str, MessageSpec]:
    """Every message by its name: `orders.checkout.request`."""
    return {message.name: message for operation in contract().operations.values() for message in operation.messages}


def inner(whole: Contract, field: Field) -> Struct:
    """The struct of a field."""
    return structs(id(whole), whole)[field.type.name]


_structs: dict[int, dict[str, Struct]] = {}


def structs(key: int, whole: Contract) -> dict[str, Struct]:
    if key not in _structs:
        _structs[key] = {struct.name: struct for struct in whole.all_structs()}
    return _structs[key]


def closed(whole: Contract, field: Field) -> tuple[str, ...]:
    """The only values a field may have, or none."""
    if field.type.kind != "set":
        return field.values
    chosen = whole.sets[field.type.name]
    return () if chosen.open else tuple(value.wire for value in chosen.values)
