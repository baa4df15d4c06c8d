"""Judge regular expressions by their form: the time that they may take with a hostile text, and what is not read as it seems.

A matcher tries every way to divide a text between repetitions. In a group that is repeated itself, their number doubles with
each character; between repetitions of the same characters in a row, it grows with a power of the length.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Literal, NamedTuple

Cost = Literal["linear", "power", "doubling", "unknown"]

_TOKENS = re.compile(
    r"(?P<atom>\\(?:u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|.)|\[\^?(?:\\.|.)(?:\\.|[^\\\]])*\]|[^\\()|*+?{\[])|(?P<open>\((?:\?:)?)"
    r"|(?P<count>[*+?]|\{[0-9]*(?:,[0-9]*)?\})|(?P<other>.)",
    re.S,
)
_CHARACTERS = [*map(chr, range(256)), "\u2028", "\u4e2d"]


class _Part(NamedTuple):
    """Part of a pattern: its possible first characters and all characters, and whether it may be empty, vary in length, or have no end."""

    first: frozenset[str] = frozenset()
    inside: frozenset[str] = frozenset()
    empty: bool = True
    varies: bool = False
    endless: bool = False


@cache
def cost_of(pattern: str) -> Cost:
    """Return how the time of a match grows with the length of the text. `unknown`: it does not compile, or has another kind of group."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the linter says what is odd
            re.compile(pattern)
        reader = _PatternReader(pattern)
        reader.choice()
    except (re.error, RecursionError, OverflowError):
        return "unknown"
    if not reader.done:
        return "unknown"
    return "doubling" if reader.doubling else "power" if reader.power else "linear"


class _PatternReader:
    def __init__(self, pattern: str) -> None:
        self._tokens = [(match.lastgroup or "", match[0]) for match in _TOKENS.finditer(pattern)]
        self._at = 0
        self.doubling = False
        self.power = False

    @property
    def done(self) -> bool:
        """True if the whole pattern was read."""
        return self._at == len(self._tokens)

    def choice(self) -> _Part:
        """Read alternatives up to a bracket that closes, or the end."""
        parts = [self._sequence()]
        while self._next() == ("other", "|"):
            self._at += 1
            parts.append(self._sequence())
        return _Part(
            _union(part.first for part in parts),
            _union(part.inside for part in parts),
            any(part.empty for part in parts),
            # Of two that begin alike, both are tried.
            any(part.varies for part in parts) or _overlap([part.first for part in parts]),
            any(part.endless for part in parts),
        )

    def _sequence(self) -> _Part:
        parts: list[_Part] = []
        while (kind := self._next()[0]) in ("atom", "open"):
            parts.append(self._counted(self._group() if kind == "open" else self._atom()))
        self._look_for_powers(parts)
        filled = next((number for number, part in enumerate(parts, 1) if not part.empty), len(parts))
        return _Part(
            _union(part.first for part in parts[:filled]),
            _union(part.inside for part in parts),
            all(part.empty for part in parts),
            any(part.varies for part in parts),
            any(part.endless for part in parts),
        )

    def _look_for_powers(self, parts: list[_Part]) -> None:
        for number, part in enumerate(parts):
            if not part.endless:
                continue
            for other in parts[number + 1 :]:
                if part.inside & other.first:
                    if other.endless:
                        self.power = True
                        return
                elif not other.empty:
                    break  # what must stand between keeps them apart

    def _counted(self, part: _Part) -> _Part:
        kind, count = self._next()
        if kind != "count":
            return part
        self._at += 1
        self._at += self._next() == ("count", "?")  # takes as little as it can
        least, most = _bounds(count)
        if most > 1 and part.varies:
            self.doubling |= most > _FEW
            self.power |= part.endless
        return part._replace(
            empty=part.empty or least == 0,
            varies=part.varies or least != most,
            endless=part.endless or most - least > _SHORT,
        )

    def _group(self) -> _Part:
        self._at += 1
        part = self.choice()
        self._at += 1
        return part

    def _atom(self) -> _Part:
        atom = _matched(self._next()[1])
        self._at += 1
        return _Part(atom, atom, False)

    def _next(self) -> tuple[str, str]:
        return self._tokens[self._at] if self._at < len(self._tokens) else ("", "")


_ENDLESS = 1 << 32
_FEW, _SHORT = 4, 16  # repetitions of a group, and characters more or less, that cost little


def _bounds(count: str) -> tuple[int, int]:
    if not count.startswith("{"):
        return {"*": (0, _ENDLESS), "+": (1, _ENDLESS), "?": (0, 1)}[count]
    least, comma, most = count[1:-1].partition(",")
    return int(least or 0), int(most) if most else _ENDLESS if comma else int(least)


@cache
def _matched(atom: str) -> frozenset[str]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        match = re.compile(atom).fullmatch
    return frozenset(character for character in _CHARACTERS if match(character))


def _overlap(parts: Iterable[frozenset[str]]) -> bool:
    seen: set[str] = set()
    for part in parts:
        if part & seen:
            return True
        seen |= part
    return False


def _union(parts: Iterable[frozenset[str]]) -> frozenset[str]:
    return frozenset().union(*parts)


_SIGNS = re.compile(
    r"(?P<escape>\\(?:u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|.))|(?P<count>\{[0-9]+(?:,[0-9]*)?\}[+]?|[*+?][+])|(?P<one>.)",
    re.S,
)
_ESCAPED = frozenset("^$\\.*+?()[]{}|/-tnrfvdDwWsSAbBZ")
_LOOSE = {"d": "[0-9]", "D": "[^0-9]", "w": "[A-Za-z0-9_]", "W": "[^A-Za-z0-9_]", "s": "[ ]", "S": "[^ ]"}
_ANCHORS = frozenset(["\\A", "\\b", "\\B", "\\Z", "^", "$"])


def _tokens(pattern: str) -> Iterator[tuple[re.Match[str], int]]:
    """Yield each token, with the position of the first character of the class in which it stands; -1 outside."""
    first = -1
    for token in _SIGNS.finditer(pattern):
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
