"""Characters that a reader would not see for what they are, and that no contract file may have."""

from __future__ import annotations

import unicodedata

_REFUSED = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp", "Zs"})  # control, format, surrogate, separators


def refused(text: str) -> list[str]:
    """The characters of a text that may not be there, each once, in order. The plain space may."""
    if text.isascii() and text.isprintable():
        return []
    return sorted({one for one in text if one != " " and unicodedata.category(one) in _REFUSED})


def named(character: str) -> str:
    """What a refused character is called in a message."""
    common = {"\t": "a tab", "\r": "a carriage return", "\ufeff": "a byte order mark (U+FEFF)"}
    if character in common:
        return common[character]
    return f"the character U+{ord(character):04X} ({unicodedata.name(character, 'a control character').lower()})"
