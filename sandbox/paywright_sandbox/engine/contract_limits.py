"""Lengths that the contract gives members of a name, for what the control API takes and messages later repeat."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from paywright.contract import CONTRACT

__all__ = ["longest_of"]

_MAX: Final = re.compile(r"\bmax ([0-9]+)\b")


@cache
def longest_of(wire: str) -> int:
    """Return the length that a member of this wire name may have in every message that has one.

    The narrowest of all messages: a value that fits there can be repeated wherever the contract shows the member.
    Raises `LookupError` where no message limits it.
    """
    found = [
        int(limit[1])
        for struct in CONTRACT.structs()
        for field in CONTRACT.struct(struct).fields
        if field.wire == wire and (limit := _MAX.search(field.limits)) is not None
    ]
    if not found:
        raise LookupError(f"no message of the contract limits {wire}")
    return min(found)
