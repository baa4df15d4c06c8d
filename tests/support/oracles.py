"""Three judges of one document: generated validators, and two readers of the exported JSON Schema.

Each gives the set of (JSON pointer, code). The codes of a schema's keywords are those of the contract, except that a member
which is there under its second spelling alone has no keyword of its own: its code is "also" for schemas.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import jsonschema_rs
from jsonschema import Draft202012Validator, validators

from paywright import validate
from paywright.contract import CONTRACT
from paywright_codegen.documents.json_schema import component_names
from tests.support.contract import contract, messages

Found = frozenset[tuple[str, str]]


schema = cache(CONTRACT.schema)
"""The exported schema of a message."""


def _to_the_end(validator: Any, pattern: str, *of: Any) -> Any:
    """A pattern as ECMA 262 reads it. In Python `$` is before a last line end too, of which docs/other-languages.md warns."""
    return Draft202012Validator.VALIDATORS["pattern"](validator, f"{pattern}(?!\n)", *of)


@cache
def _slow(message: str) -> Any:
    return validators.extend(Draft202012Validator, {"pattern": _to_the_end})(schema(message))


@cache
def _fast(message: str) -> jsonschema_rs.Draft202012Validator:
    return jsonschema_rs.Draft202012Validator(schema(message))


def by_validators(message: str, body: object) -> Found:
    operation, _, role = message.rpartition(".")
    return frozenset((one.pointer, one.code) for one in validate(operation, role, body))


def by_jsonschema(message: str, body: object) -> Found:
    found: set[tuple[str, str]] = set()
    for error in _slow(message).iter_errors(body):
        keyword, where = str(error.validator), error.schema
        assert isinstance(where, dict)
        if keyword == "required":
            # One error a missing name, each with the whole list; all that are missing are found every time.
            assert isinstance(error.instance, dict)
            names = [str(name) for name in where["required"] if name not in error.instance]
        else:
            names = []
        found |= _read(where, keyword, list(error.absolute_path), error.instance, names)
    return _plain(found)


def by_jsonschema_rs(message: str, body: object) -> Found:
    found: set[tuple[str, str]] = set()
    for error in _fast(message).iter_errors(body):
        where: object = schema(message)
        for step in error.schema_path[:-1]:
            where = where[step]  # type: ignore[index]  # a path through a schema
        assert isinstance(where, dict)
        names = [str(error.kind.property)] if isinstance(error.kind, jsonschema_rs.ValidationErrorKind.Required) else []
        found |= _read(where, str(error.schema_path[-1]), error.instance_path, error.instance, names)
    return _plain(found)


def is_valid_by_jsonschema_rs(message: str, body: object) -> bool:
    return bool(_fast(message).is_valid(body))


@cache
def openapi() -> dict[str, Any]:
    """The exported OpenAPI document."""
    return CONTRACT.document("openapi")


@cache
def _component(message: str) -> jsonschema_rs.Draft202012Validator:
    named = component_names(contract().all_structs())[messages()[message].root.name]
    return jsonschema_rs.Draft202012Validator(
        {"$ref": f"#/components/schemas/{named}", "components": openapi()["components"]}
    )


def by_component(message: str, body: object) -> bool:
    """Whether the component of the OpenAPI document takes a message. It knows no rules between members."""
    return bool(_component(message).is_valid(body))


def _read(
    where: dict[str, object], keyword: str, path: Sequence[str | int], instance: object, names: list[str]
) -> set[tuple[str, str]]:
    at = "".join(f"/{step}" for step in path)
    if "x-at" in where:
        return {(f"{at}/{where['x-at']}", str(where.get("x-rule", "also")))}
    if names:
        return {(f"{at}/{name}", "required") for name in names}
    exact = where.get("minLength") is not None and where.get("minLength") == where.get("maxLength")
    code = {
        "type": "required" if instance is None else "type",
        "enum": "value",
        "pattern": "format" if "x-shown" in where else "range",
        "minLength": "exact" if exact else "min",
        "maxLength": "exact" if exact else "max",
        "minItems": "min",
        "maxItems": "max",
    }[keyword]
    return {(at, code)}


def _plain(found: set[tuple[str, str]]) -> Found:
    """What is of the wrong type has no other fault: a schema's enum says so a second time."""
    untyped = {at for at, code in found if code in ("type", "required")}
    return frozenset((at, code) for at, code in found if not (code == "value" and at in untyped))
