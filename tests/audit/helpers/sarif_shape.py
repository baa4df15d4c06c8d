"""What SARIF 2.1.0 says of the objects that the audit writes: their members, all of them, and no others."""

from __future__ import annotations

from typing import Any, Final

__all__ = ["SHAPE"]

_TEXT: Final = {"type": "string"}
_COUNT: Final = {"type": "integer", "minimum": 0}
_BAG: Final = {"type": "object"}


def _object(due: str = "", **members: Any) -> dict[str, Any]:
    return {"type": "object", "properties": members, "required": due.split(), "additionalProperties": False}


def _list(of: Any, **more: Any) -> dict[str, Any]:
    return {"type": "array", "items": of, **more}


def _one(*values: str) -> dict[str, Any]:
    return {"enum": list(values)}


_MESSAGE: Final = _object("text", text=_TEXT)
_LEVEL: Final = _one("none", "note", "warning", "error")
_ARTIFACT: Final = _object(uri={"type": "string", "format": "uri-reference"}, index=_COUNT, description=_MESSAGE)
_PHYSICAL: Final = _object(
    "artifactLocation", artifactLocation=_ARTIFACT, region=_object(startLine={"type": "integer", "minimum": 1})
)
_LOCATION: Final = _object(
    id=_COUNT,
    physicalLocation=_PHYSICAL,
    logicalLocations=_list(_object(name=_TEXT, fullyQualifiedName=_TEXT, kind=_TEXT), uniqueItems=True),
    message=_MESSAGE,
)
_RULE: Final = _object(
    "id", id=_TEXT, shortDescription=_MESSAGE, help=_MESSAGE, defaultConfiguration=_object(level=_LEVEL), properties=_BAG,
)  # fmt: skip
_RESULT: Final = _object(
    "message", ruleId=_TEXT, ruleIndex=_COUNT, level=_LEVEL, message=_MESSAGE,
    occurrenceCount={"type": "integer", "minimum": 1},
    partialFingerprints={"type": "object", "additionalProperties": _TEXT},
    suppressions=_list(
        _object(
            "kind", kind=_one("inSource", "external"), status=_one("accepted", "underReview", "rejected"),
            justification=_TEXT, properties=_BAG,
        ),
        uniqueItems=True,
    ),
    baselineState=_one("new", "unchanged", "updated", "absent"), locations=_list(_LOCATION),
    relatedLocations=_list(_LOCATION, uniqueItems=True), properties=_BAG,
)  # fmt: skip
_NOTIFICATION: Final = _object("message", level=_LEVEL, message=_MESSAGE, locations=_list(_LOCATION, uniqueItems=True))
_RUN: Final = _object(
    "tool",
    tool=_object(
        "driver",
        driver=_object("name", name=_TEXT, version=_TEXT, shortDescription=_MESSAGE, rules=_list(_RULE, uniqueItems=True)),
    ),
    columnKind=_one("utf16CodeUnits", "unicodeCodePoints"),
    invocations=_list(
        _object("executionSuccessful", executionSuccessful={"type": "boolean"}, toolExecutionNotifications=_list(_NOTIFICATION)),
    ),
    artifacts=_list(_object(location=_ARTIFACT, roles=_list(_one("analysisTarget", "standardStream"), uniqueItems=True)), uniqueItems=True),
    results=_list(_RESULT),
    properties=_BAG,
)  # fmt: skip
SHAPE: Final = _object(
    "version runs", **{"$schema": {"type": "string", "format": "uri"}, "version": _one("2.1.0"), "runs": _list(_RUN)}
)
