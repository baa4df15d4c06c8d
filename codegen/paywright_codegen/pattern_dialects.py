"""Find what Python and ECMA 262 read differently in a regular expression."""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = ["ambiguous"]

_TOKENS = re.compile(
    r"(?P<escape>\\(?:u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|.))|(?P<count>\{[0-9]+(?:,[0-9]*)?\}[+]?|[*+?][+])|(?P<one>.)",
    re.S,
)
_ESCAPED = frozenset("^$\\.*+?()[]{}|/-tnrfvdDwWsSAbBZ")


def ambiguous(pattern: str) -> Iterator[str]:
    """Yield constructs of a regular expression that implementations understand differently."""
    first = -1  # position of the first character of the current class; -1 outside
    for token in _TOKENS.finditer(pattern):
        text, at = token.group(), token.start()
        if token["escape"] is not None:
            in_class = first >= 0
            if (len(text) == 2 and text[1] not in _ESCAPED) or (text in ("\\b", "\\B") if in_class else text == "\\-"):
                yield f"`{text}`"
        elif first >= 0:
            if text == "]" and at == first:
                yield "`]` at the beginning of a class"
            elif text == "]":
                first = -1
            elif text == "[":
                yield "`[` in a class"
            elif text in "-&|~" and pattern[at + 1 : at + 2] == text:
                yield f"`{text}{text}` in a class"
        elif token["count"] is not None:
            if text.endswith("+") and len(text) > 1:
                yield f"`{text}`"
        elif text == "[":
            first = at + (2 if pattern[at + 1 : at + 2] == "^" else 1)
        elif text in "{}]":
            yield f"`{text}` by itself"
