"""Count the quotes of a line of JSON, which proves that nothing is there but what was looked at."""

from __future__ import annotations

from typing import Final

__all__ = ["quotes_in"]

_BACKSLASH: Final = ord("\\")


def quotes_in(line: bytes) -> int:
    """Return the number of quotes that begin or end a text, two for each; -1 if the line has escapes that need care.

    Those are the numbers of characters, which may be half of one.
    """
    if _BACKSLASH not in line:
        return line.count(b'"')
    escaped = line.count(rb"\"")
    if line.count(b"\\") != escaped:  # there are other escapes than of quotes
        line = line.replace(rb"\\", b"")
        if rb"\u" in line:
            return -1
        escaped = line.count(rb"\"")
    return line.count(b'"') - escaped
