"""Words of others made fit for any page and any viewer: nothing in them is invisible, steers, or turns the line around."""

from __future__ import annotations

from typing import Final

__all__ = ["visible"]

_MOST: Final = 1000


def visible(text: str, most: int = _MOST) -> str:
    """`text` with whatever does not show itself written out (`\\u{202e}`), cut after `most` characters, which is said."""
    kept = text[:most]
    if not kept.isprintable():
        kept = "".join(one if one.isprintable() else f"\\u{{{ord(one):x}}}" for one in kept)
    left = len(text) - most
    return f"{kept} … and {left:,} more characters" if left > 0 else kept
