"""Find what does not mean what it seems to in a regular expression, and what Python and ECMA 262 read differently."""

from __future__ import annotations

import re
from collections.abc import Iterator

_TOKENS = re.compile(
    r"(?P<escape>\\(?:u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|.))|(?P<count>\{[0-9]+(?:,[0-9]*)?\}[+]?|[*+?][+])|(?P<one>.)",
    re.S,
)
_ESCAPED = frozenset("^$\\.*+?()[]{}|/-tnrfvdDwWsSAbBZ")
_LOOSE = {"d": "[0-9]", "D": "[^0-9]", "w": "[A-Za-z0-9_]", "W": "[^A-Za-z0-9_]", "s": "[ ]", "S": "[^ ]"}
_ANCHORS = frozenset(["\\A", "\\b", "\\B", "\\Z", "^", "$"])


def _tokens(pattern: str) -> Iterator[tuple[re.Match[str], int]]:
    """Yield each token, with the position of the first character of the class in which it stands; -1 outside."""
    first = -1
    for token in _TOKENS.finditer(pattern):
        yield token, first
        at = token.start()
        if first < 0 and token.group() == "[":
            first = at + (2 if pattern[at + 1 : at + 2] == "^" else 1)
        elif token.group() == "]" and at > first:
            first = -1


def loose(pattern: str) -> Iterator[tuple[str, str]]:
    """Yield classes and anchors that do not mean what they seem to, each with what to do."""
    for token, first in _tokens(pattern):
        text = token.group()
        if token["escape"] is not None and text[1] in _LOOSE:
            yield f"`{text}` matches more than ASCII", f"write {_LOOSE[text[1]]}"
        elif first < 0 and text in _ANCHORS:
            yield f"`{text}` in a pattern that is for the whole text", "remove it"


def ambiguous(pattern: str) -> Iterator[str]:
    """Yield constructs of a regular expression that implementations understand differently."""
    for token, first in _tokens(pattern):
        text, at = token.group(), token.start()
        if token["escape"] is not None:
            in_class = first >= 0
            if (len(text) == 2 and text[1] not in _ESCAPED) or (text in ("\\b", "\\B") if in_class else text == "\\-"):
                yield f"`{text}`"
        elif first >= 0:
            if text == "]" and at == first:
                yield "`]` at the beginning of a class"
            elif text == "[":
                yield "`[` in a class"
            elif text in "-&|~" and pattern[at + 1 : at + 2] == text:
                yield f"`{text}{text}` in a class"
        elif token["count"] is not None:
            if text.endswith("+") and len(text) > 1:
                yield f"`{text}`"
        elif text in "{}]":
            yield f"`{text}` by itself"
