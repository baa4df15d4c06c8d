"""The OpenAPI document of the control API, made from the routes that requests are matched with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from paywright_runtime.version import VERSION
from paywright_sandbox.engine.routes import PREFIX, Route, RouteField

__all__ = ["document"]


_KINDS: Final[dict[str, dict[str, object]]] = {
    "string": {"type": "string"},
    "integer": {"type": "integer"},
    "boolean": {"type": "boolean"},
    "decimal": {"type": ["string", "number"]},
    "time": {"type": "string", "format": "date-time"},
    "object": {"type": "object"},
    "array": {"type": "array", "items": {}},
}
_ERROR: Final = {"$ref": "#/components/responses/Error"}


def document(routes: Sequence[Route], address: str) -> dict[str, object]:
    """Return the whole control API as OpenAPI 3.1. `address` is the sandbox's own."""
    paths: dict[str, dict[str, object]] = {}
    for route in routes:
        paths.setdefault(f"{PREFIX}{route.path}", {})[route.method.lower()] = _operation(route)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "paywright sandbox: control API",
            "version": VERSION,
            "description": "Controls the sandbox. It answers only this machine, and its answers are not signed.",
        },
        "servers": [{"url": address}],
        "paths": paths,
        "components": {
            "securitySchemes": {
                "byHand": {
                    "type": "apiKey",
                    "in": "header",
                    "name": "X-Sandbox",
                    "description": "The value 1. A web page of another origin cannot send it without permission.",
                }
            },
            "responses": {
                "Error": {
                    "description": "Nothing was done; the reason.",
                    "content": {
                        "application/json": {
                            "schema": {
                                "type": "object",
                                "properties": {"error": {"type": "string"}},
                                "required": ["error"],
                            }
                        }
                    },
                }
            },
        },
        "security": [{"byHand": []}],
    }


def _operation(route: Route) -> dict[str, object]:
    operation: dict[str, object] = {
        "operationId": _name(route),
        "summary": route.summary,
        "responses": {
            "200": {"description": "Done.", "content": {route.gives: _ANSWERS.get(route.gives, _BYTES)}},
            "default": _ERROR,
        },
    }
    if route.variables:
        operation["parameters"] = [
            {"name": name, "in": "path", "required": True, "schema": {"type": "string"}} for name in route.variables
        ]
    if route.fields:
        required = [field.name for field in route.fields if field.required]
        schema = {
            "type": "object",
            "properties": {field.name: _field(field) for field in route.fields},
            "additionalProperties": False,
            **({"required": required} if required else {}),
        }
        operation["requestBody"] = {"required": bool(required), "content": {"application/json": {"schema": schema}}}
    elif route.binary:
        operation["requestBody"] = {"required": True, "content": {_SNAPSHOT: _BYTES}}
    if route.public:
        operation["security"] = []
    return operation


_SNAPSHOT: Final = "application/vnd.sqlite3"
_BYTES: Final = {"schema": {"type": "string", "format": "binary"}}
_ANSWERS: Final = {
    "application/json": {"schema": {"type": "object"}},
    "application/x-ndjson": {"schema": {"type": "string"}},
}


def _name(route: Route) -> str:
    """Return a unique name made of method and path: `post_orders_outTradeNo_pay`."""
    return "_".join(
        (route.method.lower(), *(step.strip("{}").replace("-", "_").replace(".", "_") for step in route.steps))
    )


def _field(field: RouteField) -> dict[str, object]:
    bounded = field.kind == "string" and not field.choices
    return {
        **_KINDS[field.kind],
        "description": field.summary,
        **({"enum": list(field.choices)} if field.choices else {}),
        **({"maxLength": field.longest} if bounded else {}),
    }
