"""Length limits of the contract, for fields of the control API that messages repeat."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from paywright.contract import CONTRACT

__all__ = ["longest_of"]

_MAX: Final = re.compile(r"\bmax ([0-9]+)\b")


@cache
def longest_of(wire: str) -> int:
    """Return the smallest length limit of a member of this wire name, over all messages.

    A value that fits can be repeated in every message that has the member. Raises `LookupError` if no message limits it.
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
