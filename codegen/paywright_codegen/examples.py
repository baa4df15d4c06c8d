"""One example message each way per operation: what is required, and what the contract shows a value for."""

from __future__ import annotations

from decimal import Decimal
from typing import cast

from paywright_codegen.model import Contract, Field, Need, Operation, Struct

__all__ = ["examples"]

_CHECKED = {
    "ip_address": "203.0.113.7",
    "calendar_date": "2025-06-30",
    "calendar_day": "20250630",
    "request_time": "2025-06-01T12:00:00.000+08:00",
    "zoned_time": "2025-06-01T12:00:00 +0800",
    "offset_time": "2025-06-01T12:00:00+00:00",
    "period_time": "2025-06-01T15:59:59+0000",
    "start_date": "2025-06-01",
    "moment": "2025-06-01T12:00:00.000+08:00",
    "rate_moment": "1748750400000",
    "http_url": "https://shop.example/notify",
    "callback_url": "https://shop.example/back",
}

Example = dict[str, object]


def examples(contract: Contract, operation: Operation) -> tuple[Example, Example]:
    """A valid body of each of an operation's two messages: what is asked, and the answer that means success to it."""
    asked = _struct(contract, operation.asks.root, operation.version)
    answer = _struct(contract, operation.answers.root, operation.version, lists=not operation.inbound)
    if operation.succeeds is not None and not operation.inbound:
        member, yes = operation.succeeds
        answer = {
            field.wire: yes if field.wire == member else answer.get(field.wire)
            for field in operation.answers.root.fields
        }
        answer = {name: value for name, value in answer.items() if value is not None}
    request, result = asked.get("data", asked), answer.get("data", answer)
    if isinstance(request, dict) and isinstance(result, dict):
        result.update((name, request[name]) for name in operation.echoes if name in request)
        for elements, member in operation.each_echoes:
            for each in cast("list[Example]", result.get(elements) or []):
                each.update({member: request[member]} if member in request else {})
    return asked, answer


def _struct(contract: Contract, struct: Struct, version: str | None, *, lists: bool = False) -> Example:
    """Required members, those with an `eg`, those that an unconditional rule needs, and in answers lists of objects."""
    needed = {
        demand.paths[0][0]
        for rule in struct.rules
        if not rule.when
        for demand in rule.demands
        if isinstance(demand, Need)
    }
    return {
        field.wire: _value(contract, field, version, lists)
        for field in struct.fields
        if field.required
        or field.examples
        or field.sends is not None
        or field.wire in needed
        or field.wire == "data"
        or (lists and field.type.array and field.type.kind == "struct")
    }


def _value(contract: Contract, field: Field, version: str | None, lists: bool) -> object:
    one = _one(contract, field, version, lists)
    return [one] if field.type.array else one


def _one(contract: Contract, field: Field, version: str | None, lists: bool) -> object:
    kind = field.type.kind
    if kind == "struct":
        return _struct(
            contract, contract.structs.get(field.type.name) or _message_data(contract, field), version, lists=lists
        )
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
