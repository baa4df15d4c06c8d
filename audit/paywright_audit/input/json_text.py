"""Write JSON in any style, with numbers as they were received. The standard library cannot write a Decimal."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from functools import partial
from json import dumps

__all__ = ["json_text"]


def json_text(
    value: object, *, comma: str = ",", colon: str = ": ", indent: str = "  ", ascii_only: bool = False
) -> str:
    """Return the JSON text of a value, in one line if `indent` is empty."""
    return "".join(_parts(value, "\n" if indent else "", comma, colon, indent, ascii_only))


def _parts(value: object, line: str, comma: str, colon: str, indent: str, ascii_only: bool) -> Iterator[str]:
    inner = line + indent
    write = partial(_parts, line=inner, comma=comma, colon=colon, indent=indent, ascii_only=ascii_only)
    if isinstance(value, dict) and value:
        for i, (name, item) in enumerate(value.items()):
            yield f"{comma if i else '{'}{inner}{dumps(name, ensure_ascii=ascii_only)}{colon}"
            yield from write(item)
        yield line + "}"
    elif isinstance(value, list) and value:
        for i, item in enumerate(value):
            yield f"{comma if i else '['}{inner}"
            yield from write(item)
        yield line + "]"
    else:
        yield format(value, "f") if isinstance(value, Decimal) else dumps(value, ensure_ascii=ascii_only)
