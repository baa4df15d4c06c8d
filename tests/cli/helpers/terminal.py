"""What would act on a terminal, a look for it, and what a terminal gets."""

from __future__ import annotations

import os
from contextlib import suppress

__all__ = ["HOSTILE", "raw", "shown"]

# The title of a terminal, colours by ESC and by C1, turned lines, line ends that are none of ours.
HOSTILE = "\x1b]0;owned\x07\x1b[31m\x9b31m\u202e\u2066\u2028\x7f\x85"


def raw(text: str) -> list[str]:
    """What a terminal would act on, or not show."""
    return [one for one in text if not one.isprintable() and one != "\n"]


def shown(leader: int) -> str:
    """Read all that came to a pseudo-terminal whose other end is closed, and close it. One reading may return a part."""
    seen = b""
    with suppress(OSError):  # which says on Linux that there is no more
        while part := os.read(leader, 100_000):
            seen += part
    os.close(leader)
    return seen.decode().replace("\r\n", "\n")
