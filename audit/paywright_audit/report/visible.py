"""Foreign text in reports for pages and viewers."""

from __future__ import annotations

from typing import Final

from paywright_runtime import redaction

_LIMIT: Final = 1000


def visible(text: str) -> str:
    r"""Return `text` with unprintable characters written out (`\u{202e}`), cut after 1,000 characters with a note."""
    kept = redaction.visible(text[:_LIMIT])
    left = len(text) - _LIMIT
    return f"{kept} … and {left:,} more characters" if left > 0 else kept
