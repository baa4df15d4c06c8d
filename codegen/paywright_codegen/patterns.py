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
    if reader.at < len(reader.tokens):
        return "unknown"
    return "doubling" if reader.doubling else "power" if reader.power else "linear"


class _PatternReader:
    def __init__(self, pattern: str) -> None:
        self.tokens = [(match.lastgroup or "", match[0]) for match in _TOKENS.finditer(pattern)]
        self.at = 0
        self.doubling = False
        self.power = False

    def choice(self) -> _Part:
        """Read alternatives up to a bracket that closes, or the end."""
        parts = [self._sequence()]
        while self._next() == ("other", "|"):
            self.at += 1
            parts.append(self._sequence())
        first = _union(part.first for part in parts)
        return _Part(
            first,
            _union(part.inside for part in parts),
            any(part.empty for part in parts),
            # Of two that begin alike, both are tried.
            any(part.varies for part in parts) or sum(len(part.first) for part in parts) > len(first),
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
        self.at += 1
        self.at += self._next() == ("count", "?")  # takes as little as it can
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
        self.at += 1
        part = self.choice()
        self.at += 1
        return part

    def _atom(self) -> _Part:
        atom = _matched(self._next()[1])
        self.at += 1
        return _Part(atom, atom, False)

    def _next(self) -> tuple[str, str]:
        return self.tokens[self.at] if self.at < len(self.tokens) else ("", "")


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


def _union(parts: Iterable[frozenset[str]]) -> frozenset[str]:
    return frozenset().union(*parts)


_CLASS = re.compile(r"(\\.)|\[\^?(?:\\.|.)(?:\\.|[^\\\]])*\]", re.S)
_LOOSE = {"\\d": "[0-9]", "\\D": "[^0-9]", "\\w": "[A-Za-z0-9_]", "\\W": "[^A-Za-z0-9_]", "\\s": "[ ]", "\\S": "[^ ]"}
_ANCHORS = frozenset(["\\A", "\\b", "\\B", "\\Z", "^", "$"])
_ESCAPE = r"\\(?:u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|[\^$\\.*+?()\[\]{}|/tnrfvdDwWsS%s])"
_PORTABLE = re.compile(
    "(?:" + _ESCAPE % "AbBZ" + r"|\[\^?(?:" + _ESCAPE % "-" + r"|(?!--|&&|\|\||~~)[^\\\[\]])+\]"
    r"|(?:[*+?]|\{[0-9]+(?:,[0-9]*)?\})(?![+])|[^\\\[\]{}*+?])*",
    re.S,
)


def loose(pattern: str) -> Iterator[tuple[str, str]]:
    """Yield classes and anchors that do not mean what they seem to, each with what to do."""
    for escape in re.findall(r"\\.", pattern, re.S):
        if escape in _LOOSE:
            yield f"`{escape}` matches more than ASCII", f"write {_LOOSE[escape]}"
    for sign in re.findall(r"\\.|[\^$]", _CLASS.sub(r"\1", pattern), re.S):
        if sign in _ANCHORS:
            yield f"`{sign}` in a pattern that is for the whole text", "remove it"


def ambiguous(pattern: str) -> str:
    """Return a regular expression from what implementations understand differently to its end; "" if there is nothing."""
    return _PORTABLE.sub("", pattern, count=1)
