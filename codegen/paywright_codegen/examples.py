"""One example message each way per operation: what is required, and what the contract shows a value for."""

from __future__ import annotations

from decimal import Decimal

from paywright_codegen.model import Contract, Field, Message, Need, Struct

__all__ = ["example"]

_CHECKED = {
    "ip_address": "203.0.113.7",
    "calendar_date": "2025-06-30",
    "calendar_day": "20250630",
    "request_time": "2025-06-01T12:00:00.000+08:00",
    "zoned_time": "2025-06-01T12:00:00 +0800",
    "offset_time": "2025-06-01T12:00:00+00:00",
    "period_time": "2025-06-01T15:59:59+0000",
    "moment": "2025-06-01T12:00:00.000+08:00",
}

Example = dict[str, object]


def example(contract: Contract, message: Message, version: str | None) -> Example:
    """A valid body of a message."""
    return _struct(contract, message.root, version)


def _struct(contract: Contract, struct: Struct, version: str | None) -> Example:
    needed = {
        demand.paths[0][0]
        for rule in struct.rules
        if not rule.when
        for demand in rule.demands
        if isinstance(demand, Need)
    }
    return {
        field.wire: _value(contract, field, version)
        for field in struct.fields
        if field.required or field.examples or field.wire in needed or field.wire == "data"
    }


def _value(contract: Contract, field: Field, version: str | None) -> object:
    one = _one(contract, field, version)
    return [one] if field.type.array else one


def _one(contract: Contract, field: Field, version: str | None) -> object:
    kind = field.type.kind
    if kind == "struct":
        return _struct(contract, contract.structs.get(field.type.name) or _message_data(contract, field), version)
    shown = field.examples[:1] or field.values[:1] or ((field.sends,) if field.sends else ())
    if kind == "number":
        return Decimal(shown[0]) if shown else 1
    if kind == "boolean":
        return field.default == "true"
    if kind == "object":
        return {}
    if field.source == "operation.version" and version is not None:
        return version
    if shown:
        return shown[0]
    if field.range is not None:
        return str(field.range[0])
    if kind == "set":
        return contract.sets[field.type.name].values[0].wire
    if kind == "format":
        return _CHECKED.get(contract.formats[field.type.name].check or "", "1")
    text = f"{field.wire}-1"
    return text[-field.max :] if field.max is not None else text


def _message_data(contract: Contract, field: Field) -> Struct:
    return next(struct for struct in contract.all_structs() if struct.name == field.type.name)
