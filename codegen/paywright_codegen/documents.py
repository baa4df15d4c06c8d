"""The files beside the Python: a JSON Schema and an example a message, and one OpenAPI document."""

from __future__ import annotations

import json
from collections.abc import Mapping
from decimal import Decimal

from paywright_codegen.examples import examples
from paywright_codegen.json_schema import message_schema
from paywright_codegen.model import Contract
from paywright_codegen.openapi import openapi

__all__ = ["render_documents"]


def render_documents(contract: Contract, package: str, patterns: Mapping[str, str]) -> dict[str, str]:
    """Every document of the package by its path."""
    root = package.replace(".", "/")
    files: dict[str, str] = {}
    for operation in contract.operations.values():
        for message, body in zip(operation.messages, examples(contract, operation), strict=True):
            files[f"{root}/schemas/{message.name}.json"] = as_json(message_schema(contract, message, patterns))
            files[f"{root}/examples/{message.name}.json"] = as_json(body)
    files[f"{root}/openapi.json"] = as_json(openapi(contract, patterns))
    return files


def as_json(value: object) -> str:
    """JSON text for people: indented, Decimals with their digits."""

    def plain(one: object) -> object:
        if isinstance(one, Decimal):
            return float(one) if one != one.to_integral_value() else int(one)
        raise TypeError(type(one).__name__)

    return json.dumps(value, indent=1, ensure_ascii=False, default=plain) + "\n"
