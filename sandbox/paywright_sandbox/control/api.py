"""The control API under /_sandbox/, for the people who use the sandbox. Merchants call the gateway instead.

Its answers are plain JSON and not signed. Web pages must not be able to call it, so all routes that are not `public`
require the header `X-Sandbox: 1`, which a page of another origin cannot send without permission.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from typing import Final

from paywright_runtime import strict_json
from paywright_runtime.contract import formats
from paywright_runtime.version import VERSION
from paywright_sandbox.control import (
    clock_routes,
    fault_routes,
    merchant_routes,
    notification_routes,
    snapshot_routes,
)
from paywright_sandbox.engine.engine import Engine
from paywright_sandbox.engine.request_checks import Headers
from paywright_sandbox.engine.resource import Resources, resources_of
from paywright_sandbox.engine.responses import HttpReply
from paywright_sandbox.engine.routes import PREFIX, Call, Route, RouteField, find, read_fields
from paywright_sandbox.engine.state.refusal import Refusal
from paywright_sandbox.resources import RESOURCES

_KINDS: Final[dict[str, dict[str, object]]] = {
    "string": {"type": "string"},
    "line": {"type": "string"},
    "currency": {"type": "string", "pattern": "^[A-Z]{3}$"},
    "country": {"type": "string", "pattern": "^[A-Z]{2}$"},
    "integer": {"type": "integer"},
    "boolean": {"type": "boolean"},
    "decimal": {"type": ["string", "number"]},
    "time": {"type": "string", "format": "date-time"},
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
    bounded = field.kind in ("string", "line") and not field.choices
    return {
        **_KINDS[field.kind],
        "description": field.summary,
        **({"enum": list(field.choices)} if field.choices else {}),
        **({"maxLength": field.longest} if bounded else {}),
    }


def control(engine: Engine, method: str, path: str, headers: Headers, body: bytes = b"") -> HttpReply:
    """Answer one request to the control API. `path` begins with `PREFIX`; `body` is a JSON object where one is required."""
    foreign = refusal(engine, method, path, headers)
    if foreign is not None:
        return foreign
    found = find(routes_of(engine), method, path)
    route = found.route
    if route is None:
        return _no_route(engine, path, found.methods)
    try:
        answer = route.handler(engine, Call(found.variables, read_fields(route, body), body))
        return answer if isinstance(answer, HttpReply) else _json(200, answer)
    except Refusal as refused:
        return _json(int(refused.code or 409), {"error": refused.msg})
    except Exception as error:
        return _json(500, {"error": engine.failing(f"{method} {route.path}", error)})


def refusal(engine: Engine, method: str, path: str, headers: Headers) -> HttpReply | None:
    """Return the refusal of a request that a web page may have sent, judged without its body; None if it is allowed."""
    route = find(routes_of(engine), method, path).route
    if route is not None and route.public:
        return None
    fault = _foreign(engine, headers)
    return None if fault is None else _json(403, {"error": fault})


def waits(engine: Engine, method: str, path: str) -> bool:
    """Return whether a request may wait for a merchant's server, so that it needs a thread of its own."""
    route = find(routes_of(engine), method, path).route
    return route is not None and route.waiting


def is_binary(engine: Engine, method: str, path: str) -> bool:
    """Return whether a request brings a snapshot, which may be large."""
    route = find(routes_of(engine), method, path).route if path.startswith(PREFIX) else None
    return route is not None and route.binary


def _no_route(engine: Engine, path: str, methods: Sequence[str]) -> HttpReply:
    if methods:
        reply = _json(405, {"error": f"Use {' or '.join(methods)} here."})
        reply.headers = (*reply.headers, ("allow", ", ".join(methods)))
        return reply
    known = [f"{route.method} {route.path}" for route in routes_of(engine)]
    near = get_close_matches(path.removeprefix(PREFIX), [route.path for route in routes_of(engine)], 3, 0.4)
    return _json(
        404,
        {
            "error": (
                f"There is {', '.join(near)} and more: see GET {PREFIX}openapi.json."
                if near
                else "There is " + ", ".join(known) + "."
            )
        },
    )


def _foreign(engine: Engine, headers: Headers) -> str | None:
    """Return why a request is not trusted; None if it is."""
    found = {name.lower(): value for name, value in headers}
    if found.get("x-sandbox") != "1":
        return "Send the header X-Sandbox: 1. It keeps web pages from calling the control API."
    host = found.get("host", "")
    if found.get("origin", engine.address) not in (engine.address, f"http://{host}", f"https://{host}"):
        return "The request comes from a page of another origin."
    return None


def _health(engine: Engine) -> dict[str, object]:
    return {
        "status": "ok",
        "version": VERSION,
        "address": engine.address,
        "now": formats.write_request_time(engine.clock.now()),
        "merchants": [merchant.app_id for merchant in engine.merchants.registered],
    }


def _json(status: int, answer: Mapping[str, object]) -> HttpReply:
    return HttpReply(
        status, (("content-type", "application/json"), *_QUIET), strict_json.write(dict(answer)), operation="control"
    )


_QUIET: Final = (("cache-control", "no-store"), ("x-content-type-options", "nosniff"))


@cache
def _routes(resources: Resources) -> tuple[Route, ...]:
    return (
        Route("GET", "health", "Status, time and merchants of the sandbox", lambda engine, _: _health(engine), public=True),
        *resources.routes,
        *fault_routes.ROUTES,
        *merchant_routes.ROUTES,
        *snapshot_routes.ROUTES,
        *clock_routes.ROUTES,
        *notification_routes.ROUTES,
        Route("GET", "openapi.json", "This API as an OpenAPI document",
              lambda engine, _: document(routes_of(engine), engine.address), public=True),
    )  # fmt: skip


ROUTES: Final = _routes(Resources(RESOURCES))
"""Every route of a sandbox that serves `RESOURCES`."""


def routes_of(engine: Engine) -> tuple[Route, ...]:
    """Return all routes of an engine: those of its resources, and those of the sandbox itself."""
    return _routes(resources_of(engine))
