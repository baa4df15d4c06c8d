"""Find characters that a person would not notice, and that contract files may not contain."""

from __future__ import annotations

import unicodedata

_REFUSED = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp", "Zs"})  # control, format, surrogate, separators


def refused(text: str) -> list[str]:
    """Return the characters of a text that are not allowed, each once, in order."""
    if text.isascii() and text.isprintable():
        return []
    return sorted({one for one in text if one != " " and unicodedata.category(one) in _REFUSED})


def named(character: str) -> str:
    """Name a refused character for a message."""
    common = {"\t": "a tab", "\r": "a carriage return", "\ufeff": "a byte order mark (U+FEFF)"}
    if character in common:
        return common[character]
    return f"the character U+{ord(character):04X} ({unicodedata.name(character, 'a control character').lower()})"
