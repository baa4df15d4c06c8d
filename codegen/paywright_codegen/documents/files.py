"""Write the files beside the Python: facts for machines, JSON Schema and an example of every message, and one OpenAPI document."""

from __future__ import annotations

import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Final

from paywright_codegen.documents.json_schema import message_schema
from paywright_codegen.documents.machine import machine_documents
from paywright_codegen.documents.openapi import openapi
from paywright_codegen.examples import examples
from paywright_codegen.model.contract import Contract

_ROW: Final = 160

DOCUMENTS: Final = ("examples.json", "openapi.json", "schemas.json")
"""The documents of a package, by name."""


def render_documents(contract: Contract, package: str) -> dict[str, str]:
    """Return every document of the package by its path. All schemas are in one file: see decision 16."""
    root = package.replace(".", "/")
    schemas: dict[str, object] = {}
    shown: dict[str, object] = {}
    for operation in contract.operations.values():
        for message, body in zip(operation.messages, examples(contract, operation), strict=True):
            schemas[message.name] = message_schema(contract, message)
            shown[message.name] = body
    made = (shown, openapi(contract, package), schemas)
    machine = {f"contract/{name}.json": document for name, document in machine_documents(contract).items()}
    documents = machine | dict(zip(DOCUMENTS, made, strict=True))
    return {f"{root}/{path}": as_rows(document) for path, document in documents.items()}


def plain_number(value: object) -> object:
    """Return a decimal as a number of JSON, for `json.dumps`. Raises TypeError for anything else."""
    if isinstance(value, Decimal):
        return float(value) if value != value.to_integral_value() else int(value)
    raise TypeError(type(value).__name__)


def as_json(value: object) -> str:
    """Return indented JSON text. Decimals keep their digits."""
    return json.dumps(value, indent=1, ensure_ascii=False, default=plain_number) + "\n"


def as_rows(value: object, indent: int = 0) -> str:
    """Return JSON text in which what fits stands on one line, so that a change of a member changes its line alone."""
    line = json.dumps(value, ensure_ascii=False, default=plain_number)
    if indent and (len(line) <= _ROW or not isinstance(value, (Mapping, list))):
        return line
    deeper = " " * (indent + 1)
    if isinstance(value, Mapping):
        inner = (f"{deeper}{json.dumps(key)}: {as_rows(each, indent + 1)}" for key, each in value.items())
        text = "{\n" + ",\n".join(inner) + "\n" + " " * indent + "}"
    else:
        assert isinstance(value, list)
        text = "[\n" + ",\n".join(f"{deeper}{as_rows(each, indent + 1)}" for each in value) + "\n" + " " * indent + "]"
    return text if indent else text + "\n"
