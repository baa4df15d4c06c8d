"""What would act on a terminal, and a look for it."""

from __future__ import annotations

__all__ = ["HOSTILE", "raw"]

# The title of a terminal, colours by ESC and by C1, turned lines, line ends that are none of ours.
HOSTILE = "\x1b]0;owned\x07\x1b[31m\x9b31m\u202e\u2066\u2028\x7f\x85"


def raw(text: str) -> list[str]:
    """What a terminal would act on, or not show."""
    return [one for one in text if not one.isprintable() and one != "\n"]
