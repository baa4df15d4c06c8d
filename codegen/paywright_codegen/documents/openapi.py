"""Write one OpenAPI 3.1 document of the whole contract.

OpenAPI has one POST for each path: operations that share a path become one, whose body is any of theirs (`oneOf`).
Operations whose path the specification does not show get a made-up path and `x-not-shown`.
"""

from __future__ import annotations

from collections.abc import Mapping

from paywright_codegen.documents.json_schema import Schema, component
from paywright_codegen.model.contract import Contract
from paywright_codegen.model.operations import MessageSpec, Operation
from paywright_codegen.model.types import Field

_REFS = "#/components/schemas/"


def openapi(contract: Contract, patterns: Mapping[str, str]) -> Schema:
    """Return the document. Its version is fixed, so that the document changes only when the contract does."""
    paths: dict[str, list[Operation]] = {}
    webhooks: dict[str, Operation] = {}
    for operation in contract.operations.values():
        if operation.inbound:
            webhooks[operation.name] = operation
        else:
            paths.setdefault(operation.post or f"/not-shown/{operation.name}", []).append(operation)
    schemas: dict[str, Schema] = {}
    for struct in contract.all_structs():
        schemas[struct.name] = {"type": "object", **component(contract, struct, patterns, _REFS)}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Payment gateway",
            "version": "1",
            "description": "Generated from the contract. Every body is signed: header `sign` covers its exact bytes.",
        },
        "servers": [{"url": "{base_url}", "variables": {"base_url": {"default": "http://127.0.0.1:8787"}}}],
        "paths": {path: {"post": _post(operations)} for path, operations in paths.items()},
        "webhooks": {name: {"post": _post([operation])} for name, operation in webhooks.items()},
        "components": {"schemas": schemas},
    }


def _post(operations: list[Operation]) -> Schema:
    first = operations[0]
    bodies: list[Schema] = [_ref(operation.asks) for operation in operations]
    answers: list[Schema] = list({str(_ref(one.answers)): _ref(one.answers) for one in operations}.values())
    post: Schema = {
        "operationId": "_or_".join(operation.name for operation in operations),
        "summary": " / ".join(operation.prose.summary for operation in operations),
        "tags": list(dict.fromkeys(operation.resource for operation in operations)),
        "parameters": [_parameter(field) for field in first.asks.headers if field.wire.lower() != "content-type"],
        "requestBody": {"required": True, "content": {"application/json": {"schema": _any(bodies)}}},
        "responses": {
            "200": {
                "description": "The answer, signed; the outcome is in its code.",
                "content": {"application/json": {"schema": _any(answers)}},
            }
        },
        "x-sections": list(dict.fromkeys(section for operation in operations for section in operation.sections)),
    }
    if any(operation.post is None for operation in operations):
        post["x-not-shown"] = True
    return post


def _any(schemas: list[Schema]) -> Schema:
    return schemas[0] if len(schemas) == 1 else {"oneOf": schemas}


def _ref(message: MessageSpec) -> Schema:
    return {"$ref": f"{_REFS}{message.root.name}"}


def _parameter(field: Field) -> Schema:
    return {
        "name": field.wire,
        "in": "header",
        "required": field.required,
        "schema": {"type": "string"},
        **({"description": field.prose.text} if field.prose.text else {}),
    }
